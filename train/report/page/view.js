/* What all panels share: the steps shown, the groups shown, the theme. Panels register what they do when it changes. */
const view = {
  last: Math.max(1, ...groups.map(g => Math.max(g.gradient.steps - 1, ...g.curves.loss.step.slice(-1)))),
  range: null,
  shown: groups.map(g => g.shown),
  listeners: {range: [], shown: [], theme: []},
  tell(what) { for (const listener of this.listeners[what]) listener(); },
  onRange(f) { this.listeners.range.push(f); },
  onShown(f) { this.listeners.shown.push(f); },
  onTheme(f) { this.listeners.theme.push(f); },
  zoom(from, to) {
    from = Math.max(0, from);
    to = Math.min(this.last, to);
    if (!(to > from) || (from === this.range[0] && to === this.range[1])) return;
    this.range = [from, to];
    this.tell("range");
  },
};
view.range = [0, view.last];

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  view.tell("theme");
}

function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let before = "light";
  document.documentElement.dataset.theme = system.matches ? "dark" : "light";
  system.addEventListener("change", () => setTheme(system.matches ? "dark" : "light"));
  document.getElementById("theme").addEventListener("click", () => setTheme(theme() === "dark" ? "light" : "dark"));
  addEventListener("beforeprint", () => { before = theme(); setTheme("light"); });
  addEventListener("afterprint", () => setTheme(before));
}
startTheme();

/* The steps shown as two numbers, for the keyboard. */
function startRange() {
  const from = document.getElementById("from"), to = document.getElementById("to");
  const show = () => { [from.value, to.value] = view.range.map(Math.round); };
  for (const input of [from, to]) {
    input.max = view.last;
    input.addEventListener("change", () => { view.zoom(Number(from.value), Number(to.value)); show(); });
  }
  document.getElementById("whole").addEventListener("click", () => view.zoom(0, view.last));
  view.onRange(show);
  show();
}

/* A box a group, and buttons for all and none where there are many. */
function startLegend() {
  const legend = document.getElementById("legend"), boxes = [];
  const setAll = value => {
    view.shown.fill(value);
    for (const box of boxes) box.checked = value;
    view.tell("shown");
  };
  if (groups.length > 4)
    legend.append(element("button", {type: "button", textContent: "All", onclick: () => setAll(true)}),
                  element("button", {type: "button", textContent: "None", onclick: () => setAll(false)}));
  for (const [i, g] of groups.entries()) {
    const box = element("input", {type: "checkbox", checked: view.shown[i]});
    box.addEventListener("change", () => { view.shown[i] = box.checked; view.tell("shown"); });
    boxes.push(box);
    legend.append(element("label", {}, box, swatch(g), element("span", {textContent: g.label})));
  }
}
