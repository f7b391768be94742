/* Loss and gradient norm over steps, a panel each (dygraphs), smoothed and zoomed together. */
const PANELS = [
  {key: "loss", title: "Training loss", loss: true},
  {key: "val_loss", title: "Validation loss", loss: true},
  {key: "grad_norm", title: "Gradient norm before clipping", loss: false},
];
const yardstick = Object.fromEntries(data.yardsticks.map(y => [y.key, y.value]));

/* Each point becomes the mean of those within `half` steps around it, in fewer towards the ends. */
function smooth(step, values, half) {
  if (!half) return values;
  const sum = [0], out = [];
  for (const x of values) sum.push(sum[sum.length - 1] + x);
  for (let i = 0, from = 0, to = 0; i < step.length; i++) {
    const reach = Math.min(half, step[i] - step[0], step[step.length - 1] - step[i]);
    while (to < step.length && step[to] <= step[i] + reach) to++;
    while (step[from] < step[i] - reach) from++;
    while (from > 0 && step[from - 1] >= step[i] - reach) from--;
    out.push((sum[to] - sum[from]) / (to - from));
  }
  return out;
}

/* What is smoothed of a curve: of a thinned one the means of its pieces, as its points are extremes. */
function smoothed(curve, half) {
  const c = half && curve.pieces ? curve.pieces : curve;
  return {step: c.step, ...Object.fromEntries(["mean", "low", "high"].map(key => [key, smooth(c.step, c[key] ?? c.mean, half)]))};
}

/* Rows for dygraphs: a step, then a group each [low, mean, high], null where a group has none there. On a logarithmic axis, which
 * begins at `bottom` (else -Infinity), there is no place for 0: a band's end stays at the bottom. */
function rowsOf(key, shown, half, bands, bottom) {
  const rows = new Map();
  shown.forEach((g, column) => {
    const {step: steps, mean, low, high} = smoothed(g.curves[key], half);
    steps.forEach((step, i) => {
      if (!rows.has(step)) rows.set(step, [step, ...shown.map(() => null)]);
      const middle = mean[i], hasPlace = bottom < 0 || middle > 0, end = bottom < 0 || low[i] > 0 ? low[i] : Math.min(bottom, middle);
      rows.get(step)[column + 1] = !hasPlace ? null : bands ? [end, middle, high[i]] : [middle, middle, middle];
    });
  });
  if (!rows.size) return [[0, ...shown.map(() => null)]];
  return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

function smoothingSteps() { return Number(document.getElementById("smoothing").value) / 200 * view.last; }
function isOn(id) { return document.getElementById(id).checked; }

/* The yardsticks that are known: name and place. */
function yardsticksOn(graph) {
  return data.yardsticks.filter(y => y.value !== null).map(y => ({text: `${y.name} ${short(y.value, 3)}`, y: graph.toDomYCoord(y.value)}));
}

function isInside(y, area) { return y >= area.y - 1 && y <= area.y + area.h; }

/* Below the curves: lines across a panel. */
function drawYardsticks(context, area, graph) {
  context.save();
  context.strokeStyle = cssColour("--soft");
  context.setLineDash([2, 3]);
  for (const {y} of yardsticksOn(graph).filter(y => isInside(y.y, area))) {
    context.beginPath();
    context.moveTo(area.x, y);
    context.lineTo(area.x + area.w, y);
    context.stroke();
  }
  context.restore();
}

/* Above the curves: the lines' names, with an arrow those that lie below the panel. */
function nameYardsticks({drawingContext: context, dygraph: graph}) {
  const {x, y: top, w, h} = graph.getArea(), all = yardsticksOn(graph), below = all.filter(y => y.y > top + h);
  const write = (text, align, x, y) => {
    context.textAlign = align;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  };
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = cssColour("--soft");
  context.strokeStyle = cssColour("--paper");
  context.lineWidth = 3;
  context.lineJoin = "round";
  for (const {text, y} of all.filter(y => isInside(y.y, {y: top, h}))) {
    const right = y < top + h * 0.75;              /* falling curves leave the lower left free, and end above what they fall towards */
    write(text, right ? "right" : "left", right ? x + w - 4 : x + 6, right ? y + 12 : y - 3);
  }
  if (below.length) write(`↓ ${below.map(y => y.text).join(", ")}`, "center", x + w / 2, top + h - 4);
  context.restore();
}

/* The values that the panel spans: the curves shown, and for losses the yardsticks near them. */
function valueRange(panel, shown, logarithmic) {
  let low = Infinity, high = -Infinity;
  for (const g of shown) {
    const c = g.curves[panel.key];
    for (let i = 0; i < c.step.length; i++) {
      if (c.step[i] < view.range[0] || c.step[i] > view.range[1]) continue;
      for (const x of [c.low[i], c.mean[i], c.high[i]]) {
        if (logarithmic && x <= 0) continue;
        low = Math.min(low, x);
        high = Math.max(high, x);
      }
    }
  }
  if (panel.loss) {
    const {ln_vocab: top, floor} = yardstick;
    if (top !== null) high = Math.min(high, Math.max(2 * top, low + 1));
    if (floor !== null && (floor > 0 || !logarithmic) && low - floor < 0.5 * (high - low)) low = Math.min(low, floor);
  }
  if (!(low <= high)) [low, high] = [1, 1];
  if (low === high) [low, high] = low > 0 ? [low / 2, low * 2] : [low - 1, high + 1];
  return logarithmic ? [low / 1.1, high * 1.1] : [low - 0.04 * (high - low), high + 0.04 * (high - low)];
}

function optionsOf(panel) {
  const shown = groups.filter((_, i) => view.shown[i]), logarithmic = panel.loss ? isOn("log-loss") : true, range = valueRange(panel, shown, logarithmic);
  return {
    file: rowsOf(panel.key, shown, smoothingSteps(), isOn("bands"), logarithmic ? range[0] : -Infinity),
    labels: ["step", ...shown.map((g, i) => `${i}`)],
    colors: shown.map(colour),
    series: Object.fromEntries(shown.map((g, i) => [`${i}`, {strokePattern: g.dash.length ? g.dash : null}])),
    dateWindow: view.range,
    valueRange: range,
    logscale: logarithmic,
    drawPoints: shown.every(g => g.curves[panel.key].step.length < 40),
    axisLineColor: cssColour("--soft"),
    gridLineColor: cssColour("--line"),
    visibility: shown.map(() => true),
  };
}

function readout(panel, points) {
  const shown = groups.filter((_, i) => view.shown[i]);
  return `step ${points[0].xval}: ` + points.map(p => `${shown[Number(p.name)].label} ${short(p.yval)}`).join(", ");
}

/* dygraphs looks at its size only when the window's changes. */
function followSize(graph, plot) {
  new ResizeObserver(() => { if (plot.clientWidth) graph.resize(); }).observe(plot);
}

function makeGraph(panel, plot, said) {
  const options = optionsOf(panel);
  panel.graph = new Dygraph(plot, options.file, {
    ...options, file: undefined, customBars: true, connectSeparatedPoints: true, legend: "never", xlabel: "step", strokeWidth: 1.6, pointSize: 2.5,
    fillAlpha: 0.18, animatedZooms: false, highlightCircleSize: 3, xRangePad: 0, axes: {y: {axisLabelWidth: 44}},
    underlayCallback: panel.loss ? drawYardsticks : undefined,
    plugins: panel.loss ? [{activate: () => ({didDrawChart: nameYardsticks})}] : [],
    highlightCallback: (event, x, points) => { said.textContent = readout(panel, points); },
    unhighlightCallback: () => { said.textContent = ""; },
    zoomCallback: (from, to) => view.zoom(from, to),
    interactionModel: {...Dygraph.defaultInteractionModel, dblclick: () => view.zoom(0, view.last)},
  });
  followSize(panel.graph, plot);
}

function makePanel(panel) {
  const plot = element("div", {className: "plot", role: "img", "aria-label": `${panel.title} of each group over steps`});
  const said = element("div", {className: "readout"});
  document.getElementById("curves").append(element("figure", {"data-panel": panel.key}, element("figcaption", {textContent: panel.title}), plot, said));
  const redraw = picture(plot, () => panel.graph ? panel.graph.updateOptions(optionsOf(panel)) : makeGraph(panel, plot, said));
  for (const when of ["onRange", "onShown", "onTheme"]) view[when](redraw);
  for (const id of ["smoothing", "log-loss", "bands"]) document.getElementById(id).addEventListener("input", redraw);
}

function startCurves() {
  for (const panel of PANELS)
    if (groups.some(g => g.curves[panel.key].step.length)) makePanel(panel);
  document.getElementById("smoothing").addEventListener("input", () => {
    const half = smoothingSteps();
    document.getElementById("smoothing-said").textContent = half ? `mean over ±${short(half, 2)} steps` : "none";
  });
}
