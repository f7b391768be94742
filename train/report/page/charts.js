/* Small charts of few points, as SVG: the network at step 0 by depth, the final loss against the learning rate. */
const CHART = {width: 460, height: 270, left: 56, right: 14, top: 10, bottom: 38};

function axisTicks(low, high, logarithmic, least) {
  if (logarithmic) {
    const decades = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) decades.push(10 ** e);
    const inside = ticks => ticks.filter(x => x >= low * 0.999 && x <= high * 1.001);
    return inside(decades).length > 2 ? inside(decades) : inside(decades.flatMap(x => [x, 2 * x, 5 * x])).length > 1
      ? inside(decades.flatMap(x => [x, 2 * x, 5 * x])) : [low, high];
  }
  const rough = Math.max((high - low) / 5, least), power = 10 ** Math.floor(Math.log10(rough)), step = power * [1, 2, 5, 10].find(x => x * power >= rough), out = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step * 1e-6; x += step) out.push(Number(x.toPrecision(12)));
  return out;
}

/* A number's place in pixels, over the numbers that it must hold; ticks of a linear axis are `least` apart or more. */
function axisOf(values, logarithmic, from, to, least = 0) {
  let low = Math.min(...values), high = Math.max(...values);
  if (logarithmic && high < 1.5 * low) [low, high] = [low / 1.5, high * 1.5];
  else if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const part = logarithmic ? x => Math.log(x / low) / Math.log(high / low) : x => (x - low) / (high - low);
  return {place: x => from + (to - from) * (0.03 + 0.94 * part(x)), ticks: axisTicks(low, high, logarithmic, least)};
}

/* lines: [{group, points [[x, y]], bars [[x, low, high]], name, dots: draw no line}]. */
function chart(parent, title, lines, {xlabel, ylabel, logX = false, logY = false, description = ""}) {
  const keeps = ([x, ...y]) => x !== null && y.every(v => v !== null && isFinite(v) && (!logY || v > 0));
  for (const line of lines) [line.points, line.bars] = [line.points.filter(keeps), (line.bars ?? []).filter(keeps)];
  lines = lines.filter(line => line.points.length);
  if (!lines.length) return;
  const points = lines.flatMap(line => line.points), bars = lines.flatMap(line => line.bars), {width, height, left, right, top, bottom} = CHART;
  const x = axisOf(points.map(p => p[0]), logX, left, width - right, xlabel === "block" ? 1 : 0);
  const y = axisOf([...points.map(p => p[1]), ...bars.flatMap(b => b.slice(1))], logY, height - bottom, top);
  const svg = drawing("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. ${description}`});
  const label = (text, attributes) => svg.append(drawing("text", attributes, String(text)));
  for (const tick of y.ticks) {
    svg.append(drawing("line", {class: "grid", x1: left, x2: width - right, y1: y.place(tick), y2: y.place(tick)}));
    label(short(tick, 3), {x: left - 6, y: y.place(tick) + 4, "text-anchor": "end"});
  }
  for (const tick of x.ticks) label(short(tick, 3), {x: x.place(tick), y: height - bottom + 16, "text-anchor": "middle"});
  svg.append(drawing("line", {class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom}));
  label(xlabel, {x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle"});
  label(ylabel, {x: -(top + height - bottom) / 2, y: 12, transform: "rotate(-90)", "text-anchor": "middle"});
  for (const line of lines) svg.append(chartLine(line, x, y));
  parent.append(element("figure", {}, element("figcaption", {textContent: title}), svg));
}

function chartLine({group, points, bars, dots, name}, x, y) {
  const body = drawing("g", {fill: "none", "stroke-width": 1.8}, drawing("title", {}, name ?? group.label));
  const path = points.map((p, i) => `${i ? "L" : "M"}${x.place(p[0])} ${y.place(p[1])}`).join("");
  if (!dots) body.append(drawing("path", {d: path, "stroke-dasharray": group.dash.join(" ")}));
  for (const [at, low, high] of bars) body.append(drawing("path", {d: `M${x.place(at)} ${y.place(low)}V${y.place(high)}`}));
  const marks = points.map(p => drawing("circle", {cx: x.place(p[0]), cy: y.place(p[1]), r: dots ? 3.2 : 2.6, stroke: "none"}));
  body.append(...marks);
  const paint = () => {
    body.setAttribute("stroke", colour(group));
    for (const mark of marks) mark.setAttribute("fill", colour(group));
  };
  paint();
  view.onTheme(paint);
  return body;
}

/* The lines' names above charts that stand far from the legend. */
function chartKey(parent, lines) {
  parent.before(element("div", {className: "legend"}, ...lines.map(({group, name}) => element("label", {}, swatch(group), element("span", {textContent: name ?? group.label})))));
}

/* Groups that start from the same network, as those of other learning rates do, would hide one another: one a scheme. */
function firstOfEachStart() {
  const seen = new Set();
  return groups.filter(g => {
    const start = g.scheme + JSON.stringify(g.gradient.first);
    return !seen.has(start) && seen.add(start);
  });
}

function startDepth() {
  const parent = document.getElementById("depth"), shown = firstOfEachStart(), block = /^h\.(\d+)$/;
  const byDepth = key => shown.map(group => ({
    group, points: group[key].places.map((place, i) => [block.test(place) ? Number(block.exec(place)[1]) : null, group[key].first[i]])}));
  chart(parent, "Gradient norm of each block", byDepth("gradient"), {xlabel: "block", ylabel: "gradient norm", logY: true, description: "Before the first update, a line a group"});
  chart(parent, "Branch over stream of each block", byDepth("branch"), {xlabel: "block", ylabel: "ratio", logY: true, description: "Before the first update, a line a group"});
  for (const role of ["attn.proj", "mlp.fc", "mlp.proj"]) {
    const lines = shown.flatMap(group => {
      const parts = group.init.filter(p => p.role === role && p.layer !== null);
      return [{group, points: parts.map(p => [p.layer, p.expected]), name: `${group.label}, its rule`},
              {group, points: parts.map(p => [p.layer, p.measured]), dots: true, name: `${group.label}, measured`}];
    });
    chart(parent, `Standard deviation of ${role}`, lines, {xlabel: "block", ylabel: "standard deviation", logY: true, description: "Lines: the scheme's rule; dots: measured"});
  }
  if (!parent.childElementCount) return document.getElementById("s-depth").remove();
  chartKey(parent, shown.map(group => ({group})));
}

/* One line for the groups that differ in the learning rate alone (and in what follows from it), where there are two or more. */
function startBasin() {
  const parent = document.getElementById("basin"), column = data.columns.indexOf("val"), lines = new Map();
  for (const g of groups) {
    const rest = Object.entries(g.config).filter(([key]) => !["train.lr", "train.min_lr"].includes(key)).map(([key, text]) => `${key}=${text}`).join(" ");
    const name = `${g.scheme} ${rest}`.trim();
    if (!lines.has(name)) lines.set(name, {group: g, name, points: [], bars: []});
    lines.get(name).points.push([g.lr, g.mean[column]]);
    lines.get(name).bars.push([g.lr, g.mean[column] - g.deviation[column], g.mean[column] + g.deviation[column]]);
  }
  const basins = [...lines.values()].filter(line => line.points.length > 1);
  for (const line of basins) line.points.sort((a, b) => a[0] - b[0]);
  chart(parent, "Final validation loss", basins, {xlabel: "learning rate", ylabel: "validation loss", logX: true, description: "A line a scheme; bars: one standard deviation over seeds"});
  if (!parent.childElementCount) return document.getElementById("s-basin").remove();
  chartKey(parent, basins);
}
