/* The data, as train/report/report_data.c writes it:
 *   reference            index of the group that verdicts are held against
 *   yardsticks           ln_vocab, unigram, bigram, floor: nats a token, null where unknown
 *   columns              titles of the table's numbers, whose values stand in each group's mean and deviation
 *   groups[]             label, scheme, folder, verdict, seeds, lr, clip, status[], mean[], deviation[], config {key: text},
 *                        curves {loss, val_loss, grad_norm: {step[], mean[], low[], high[]}},
 *                        gradient and branch {places[], steps, cells[place][column], first[place], clipped[column]},
 *                        init [{role, layer, expected, measured}], sample
 * Texts are shown through textContent alone. */
const data = JSON.parse(document.getElementById("data").textContent);
const groups = data.groups;

/* Okabe and Ito's colours, which colour-blind people tell apart: for light paper with the yellow darkened, and for dark. */
const PALETTE = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#b5a800"],
  dark: ["#3d9fe0", "#f07a2a", "#1fc498", "#e79bc6", "#8fd0fa", "#f2b632", "#f2f2f2", "#f0e442"],
};
const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 2, 1, 2], [1, 3], [14, 3, 3, 3]];

/* A scheme has one colour everywhere; its groups with other settings have other dashes. A single scheme's groups are told
 * apart by colour. */
function assignStyles() {
  const schemes = [...new Set(groups.map(g => g.scheme))], seen = {};
  for (const [i, g] of groups.entries()) {
    const single = schemes.length === 1, at = single ? i : schemes.indexOf(g.scheme);
    const variant = single ? 0 : seen[g.scheme] = (seen[g.scheme] ?? -1) + 1;
    g.hue = at % PALETTE.light.length;
    g.dash = DASHES[(Math.floor(at / PALETTE.light.length) + variant) % DASHES.length];
  }
}
assignStyles();

function theme() { return document.documentElement.dataset.theme; }
function colour(g) { return PALETTE[theme()][g.hue]; }
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
