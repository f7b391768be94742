/* Numbers by layer (bottom: the input) and step as colours, one canvas a group, on one logarithmic scale. */
const MARGIN = {left: 42, right: 4, top: 4, bottom: 30, strip: 7};

/* A colour for t from 0 to 1. */
function ramp(t) {
  const at = Math.min(Math.max(t, 0), 1) * (data.ramp.length - 1), i = Math.min(Math.floor(at), data.ramp.length - 2);
  return `rgb(${data.ramp[i].map((x, c) => Math.round(x + (data.ramp[i + 1][c] - x) * (at - i))).join()})`;
}

function hasNumbers(map) { return map.cells.some(row => row.some(x => x > 0)); }

/* The least and largest number of all groups' maps, of which there are some, but for 1 % at both ends, which a lone failed run
 * would stretch. */
function sharedScale(key) {
  const all = Float64Array.from(groups.flatMap(g => g[key].cells.flat()).filter(x => x > 0)).sort();
  const low = all[Math.floor(all.length * 0.01)], high = all[Math.ceil(all.length * 0.99) - 1];
  return {low, high: high > low ? high : low * 1.01, part(x) { return Math.log(x / this.low) / Math.log(this.high / this.low); }};
}

/* A canvas as sharp as the screen; the context draws in CSS pixels. */
function sharpContext(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}

function drawScale(place, scale, name) {
  const canvas = element("canvas", {role: "img", "aria-label": `Colours from ${short(scale.low, 2)} to ${short(scale.high, 2)}, logarithmic`});
  place.replaceChildren(element("span", {textContent: `${name} ${short(scale.low, 2)}`}), canvas, element("span", {textContent: short(scale.high, 2)}));
  const context = sharpContext(canvas, 256, 13);
  for (let x = 0; x < 256; x++) {
    context.fillStyle = ramp(x / 255);
    context.fillRect(x, 0, 1.5, 13);
  }
}

/* Where a map's cells lie in its canvas, for drawing and for the pointer. */
function geometry(map, width, height) {
  const [from, to] = view.range, w = width - MARGIN.left - MARGIN.right, h = height - MARGIN.top - MARGIN.bottom, rows = map.places.length;
  return {
    w, h, rows,
    x: step => MARGIN.left + (step - from) / (to + 1 - from) * w,
    y: row => MARGIN.top + (rows - 1 - row) / rows * h,
    step: x => from + (x - MARGIN.left) / w * (to + 1 - from),
    row: y => rows - 1 - Math.floor((y - MARGIN.top) / h * rows),
  };
}

function drawLabels(context, map, at) {
  const every = Math.ceil(at.rows * 12 / at.h);
  context.fillStyle = cssColour("--soft");
  context.font = "10.5px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let row = 0; row < at.rows; row += every) context.fillText(map.places[row], MARGIN.left - 5, at.y(row) + at.h / at.rows / 2);
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  const base = MARGIN.top + at.h + MARGIN.bottom - 4;
  context.fillText(`${Math.round(view.range[0])}`, MARGIN.left, base);
  context.textAlign = "center";
  context.fillText("step", MARGIN.left + at.w / 2, base);
  context.textAlign = "right";
  context.fillText(`${Math.round(view.range[1])}`, MARGIN.left + at.w, base);
}

function drawMap(canvas, map, scale) {
  const width = canvas.clientWidth, height = canvas.clientHeight, columns = map.clipped.length, pitch = map.steps / columns;
  if (!width) return;
  const context = sharpContext(canvas, width, height), at = geometry(map, width, height), tall = at.h / at.rows + 0.5;
  context.save();
  context.beginPath();
  context.rect(MARGIN.left, 0, at.w, height);
  context.clip();
  for (let c = 0; c < columns; c++) {
    const left = at.x(c * pitch), wide = at.x((c + 1) * pitch) - left + 0.5;
    if (left + wide < MARGIN.left || left > width) continue;
    for (let row = 0; row < at.rows; row++) {
      const x = map.cells[row][c];
      if (x === null) continue;
      context.fillStyle = ramp(scale.part(x));
      context.fillRect(left, at.y(row), wide, tall);
    }
    if (map.clipped[c] > 0 && map.showsClipping) {
      context.fillStyle = data.clipColour;
      context.globalAlpha = 0.25 + 0.75 * map.clipped[c];
      context.fillRect(left, MARGIN.top + at.h + 3, wide, MARGIN.strip);
      context.globalAlpha = 1;
    }
  }
  context.restore();
  drawLabels(context, map, at);
}

/* What a map shows, in a sentence. */
function describe(g, map, name) {
  const first = map.first.map((x, i) => [x, map.places[i]]).filter(([x]) => x !== null).sort((a, b) => a[0] - b[0]);
  if (!first.length) return `${name} of ${g.label}`;
  const [low, high] = [first[0], first[first.length - 1]];
  const fired = map.clipped.filter(x => x > 0).length;
  return `${name} of ${g.label}: at step 0 from ${short(low[0], 3)} in ${low[1]} to ${short(high[0], 3)} in ${high[1]}`
    + (map.showsClipping ? `; clipping fired in ${Math.round(100 * fired / map.clipped.length)} % of the columns` : "");
}

function pointed(event, canvas, map) {
  const box = canvas.getBoundingClientRect(), at = geometry(map, box.width, box.height);
  const row = at.row(event.clientY - box.top), step = at.step(event.clientX - box.left), c = Math.floor(step / map.steps * map.clipped.length);
  const value = map.cells[row]?.[c];
  if (value === undefined) return "";
  const clipped = map.showsClipping && map.clipped[c] !== null ? `, ${Math.round(100 * map.clipped[c])} % of updates clipped` : "";
  return `${map.places[row]}, step ${Math.round(c * map.steps / map.clipped.length)}: ${short(value, 3)}${clipped}`;
}

/* The rows of a map as lines, made when first asked for. */
function linesOf(g, map, name) {
  const box = element("details", {}, element("summary", {textContent: "as lines"}));
  let graph = null;
  const options = () => ({dateWindow: view.range, axisLineColor: cssColour("--soft"), gridLineColor: cssColour("--line")});
  box.addEventListener("toggle", () => {
    if (!box.open || graph) return;
    const plot = element("div", {className: "plot", role: "img", "aria-label": `${name} of ${g.label}, a line a layer`}), said = element("div", {className: "readout"});
    box.append(plot, said);
    const positive = map.cells.flat().filter(x => x > 0), rows = map.clipped.map((_, c) => [c * map.steps / map.clipped.length, ...map.cells.map(row => row[c])]);
    graph = new Dygraph(plot, rows, {
      ...options(), valueRange: [Math.min(...positive) / 1.2, Math.max(...positive) * 1.2], labels: ["step", ...map.places], logscale: true, legend: "never", xlabel: "step", axes: {y: {axisLabelWidth: 44}},
      colors: map.places.map((_, i) => ramp(0.9 * i / Math.max(1, map.places.length - 1))), strokeWidth: 1.3, animatedZooms: false,
      highlightSeriesOpts: {strokeWidth: 3}, zoomCallback: (from, to) => view.zoom(from, to),
      highlightCallback: (event, x, points, row, series) => { said.textContent = `${series}, step ${Math.round(x)}: ${short(points.find(p => p.name === series)?.yval ?? NaN, 3)}`; },
      interactionModel: {...Dygraph.defaultInteractionModel, dblclick: () => view.zoom(0, view.last)},
    });
    followSize(graph, plot);
  });
  view.onRange(() => graph?.updateOptions(options()));
  view.onTheme(() => graph?.updateOptions(options()));
  return box;
}

/* scale: a function that returns it. */
function fillMap(figure, g, key, name, scale) {
  const map = g[key], canvas = element("canvas", {className: "map", role: "img"}), said = element("div", {className: "readout"});
  map.showsClipping = key === "gradient" && g.clip > 0;
  canvas.setAttribute("aria-label", describe(g, map, name));
  figure.append(element("figcaption", {}, swatch(g), g.label), canvas, said, ...hasNumbers(map) ? [linesOf(g, map, name)] : []);
  canvas.addEventListener("pointermove", event => { said.textContent = pointed(event, canvas, map); });
  canvas.addEventListener("pointerleave", () => { said.textContent = ""; });
  const redraw = picture(canvas, () => drawMap(canvas, map, scale()));
  for (const when of ["onRange", "onTheme"]) view[when](redraw);
  new ResizeObserver(redraw).observe(canvas);
}

function startHeat(section, legend, parent, key, name) {
  if (!groups.some(g => hasNumbers(g[key]))) return document.getElementById(section).remove();
  let shared = null;
  const scale = () => shared ??= sharedScale(key), place = document.getElementById(legend);
  picture(place, () => drawScale(place, scale(), name));
  groups.forEach((g, i) => { if (g[key].places.length) figureOf(document.getElementById(parent), i, figure => fillMap(figure, g, key, name, scale)); });
}
