/* Texts and tables. */

const VERDICTS_FIRST = 16;

function startVerdicts() {
  const list = document.getElementById("verdicts");
  groups.forEach((g, i) => {
    const line = element("span", {}, element("b", {textContent: g.label}), `: ${g.verdict}`, i === data.reference ? " (the reference)" : "");
    list.append(element("li", {className: i >= VERDICTS_FIRST ? "more" : ""}, swatch(g), line));
  });
  if (groups.length <= VERDICTS_FIRST) return;
  const button = element("button", {type: "button", textContent: `All ${groups.length}`, onclick: () => { list.classList.add("all"); button.remove(); }});
  list.after(button);
}

function statusText(g) {
  const counts = new Map();
  for (const word of g.status) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, n]) => n === g.status.length ? word : `${word} ${n} of ${g.status.length}`).join(", ");
}

/* Differences from the reference, with half the 95 % interval, and how likely chance alone makes as large ones. */
function againstColumns() {
  const difference = g => g.against?.difference ?? null, p = g => g.against?.p ?? null;
  const range = g => g.against?.half === null ? "" : ` ± ${short(g.against.half, 2)}`;
  const signed = x => (x > 0 ? "+" : "") + short(x, 2);
  return [{title: `against ${groups[data.reference].label}${groups.some(g => g.against?.half) ? " (95 %)" : ""}`, value: difference,
           text: g => g.against ? signed(difference(g)) + range(g) : ""},
          {title: data.comparisons > 1 ? `Holm's p for ${data.comparisons}` : "p", value: p, text: g => g.against ? short(p(g), 2) : ""}];
}

/* Columns of the table: a title, what to sort by, what to show. Those without a number in any row are left out. */
function tableColumns() {
  const numbers = data.columns.map((title, c) => ({
    title, value: g => g.mean[c], text: g => short(g.mean[c]) + (g.deviation[c] ? ` ± ${short(g.deviation[c], 2)}` : "")}));
  return [{title: "group", value: g => g.label, text: g => g.label, word: true}, {title: "seeds", value: g => g.seeds, text: g => String(g.seeds)},
          ...[...numbers, ...againstColumns()].filter(column => groups.some(g => column.value(g) !== null)),
          {title: "status", value: statusText, text: statusText, word: true}];
}

/* Missing numbers come last, whichever the direction. */
function compareBy(column, direction) {
  return (a, b) => {
    const x = column.value(a), y = column.value(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return direction * (x < y ? -1 : x > y ? 1 : 0);
  };
}

function startTable() {
  const columns = tableColumns(), body = element("tbody"), head = element("tr");
  const order = (column, th) => {
    const direction = th.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of head.children) other.removeAttribute("aria-sort");
    for (const button of head.querySelectorAll("button")) button.textContent = button.dataset.title;
    th.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    th.firstChild.textContent += direction > 0 ? " ▲" : " ▼";
    body.replaceChildren(...[...groups].sort(compareBy(column, direction)).map(g => g.row));
  };
  for (const g of groups) {
    g.row = element("tr", {}, ...columns.map(column => element("td", {className: column.word ? "word" : "", textContent: column.text(g)})));
    body.append(g.row);
  }
  for (const column of columns) {
    const th = element("th", {scope: "col"});
    th.append(element("button", {type: "button", textContent: column.title, "data-title": column.title, onclick: () => order(column, th)}));
    head.append(th);
  }
  document.getElementById("table").append(element("thead", {}, head), body);
}

function startConfig() {
  const keys = Object.keys(groups[0].config);
  if (!keys.length) return document.getElementById("s-config").remove();
  const row = (cell, first, rest) => element("tr", {}, ...[first, ...rest].map((text, i) => element(i ? cell : "th", {textContent: text, scope: i ? "col" : "row"})));
  document.getElementById("config").append(element("thead", {}, row("th", "group", keys)),
                                           element("tbody", {}, ...groups.map(g => row("td", g.label, keys.map(key => g.config[key])))));
}

function startSamples() {
  const parent = document.getElementById("samples");
  if (!groups.some(g => g.sample)) return document.getElementById("s-samples").remove();
  const fill = (figure, g) => figure.append(element("figcaption", {}, swatch(g), g.label),
                                            element("pre", {tabIndex: 0, role: "region", "aria-label": `Sample of ${g.label}`, textContent: g.sample}));
  groups.forEach((g, i) => { if (g.sample) figureOf(parent, i, figure => fill(figure, g)); });
}
