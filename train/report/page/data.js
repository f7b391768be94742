/* The data, as train/report/report_data.c writes it:
 *   reference            index of the group that verdicts are held against
 *   yardsticks[]         key (ln_vocab, unigram, bigram, floor), name, value: nats a token, null where unknown
 *   comparisons          how many Holm's correction of each against.p is for
 *   columns              titles of the table's numbers, whose values stand in each group's mean and deviation
 *   palette, ramp, clipColour    colours of groups {light[], dark[]}, of heat maps [[red, green, blue]], of clipping
 *   groups[]             label, scheme, hue (index into palette), dash[], shown (at first), folder, verdict, seeds, lr, clip, status[],
 *                        mean[], deviation[], against {difference, half, p} (null: the reference, and all but a scheme's best), config {key: text},
 *                        curves {loss, val_loss, grad_norm: {step[], mean[], low[], high[], pieces}}: pieces, of a thinned curve, are
 *                        the means of its pieces {step[], mean[], low[], high[]}, low and high where there are several seeds
 *                        gradient and branch {places[], steps, cells[place][column], first[place], clipped[column]},
 *                        init [{role, layer, expected, measured}], sample
 * Texts are shown through textContent alone. */
const data = JSON.parse(document.getElementById("data").textContent);
const groups = data.groups;

function theme() { return document.documentElement.dataset.theme; }
function colour(g) { return data.palette[theme()][g.hue]; }
function cssColour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

/* An element; properties that start with "aria-", "data-" or are named here become attributes, children are texts or elements. */
function element(tag, properties = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (/^(aria-|data-|role$|scope$|for$)/.test(name)) e.setAttribute(name, value);
    else e[name] = value;
  e.append(...children);
  return e;
}

function drawing(tag, attributes = {}, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

function short(x, digits = 4) {
  return x === null || !isFinite(x) ? "–" : String(Number(x.toPrecision(digits)));
}

/* The line of a group, as it stands in legends. */
function swatch(g) {
  const line = drawing("line", {x1: 0, y1: 6, x2: 26, y2: 6, "stroke-width": 3, "stroke-dasharray": g.dash.join(" ")});
  const svg = drawing("svg", {viewBox: "0 0 26 12", class: "swatch", "aria-hidden": "true"}, line);
  const paint = () => line.setAttribute("stroke", colour(g));
  paint();
  view.onTheme(paint);
  return svg;
}
