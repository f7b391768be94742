/* Pictures are drawn when they come near the window, the others from a moment after loading on, while the browser has nothing else to
 * do, and all before printing. */
const waiting = new Map(), near = new Set();           /* place: what draws it; places near the window */
let isLoaded = false;
const whenIdle = window.requestIdleCallback?.bind(window) ?? (f => setTimeout(f, 30));

function drawNow(place) {
  const draw = waiting.get(place);
  waiting.delete(place);
  draw?.();
}

/* A picture or more, as long as there is time. */
function drawNext(deadline) {
  while (waiting.size) {
    drawNow(waiting.keys().next().value);
    if (!(deadline?.timeRemaining() > 5)) break;
  }
  if (waiting.size) whenIdle(drawNext);
}

const watcher = new IntersectionObserver(entries => {
  for (const {target, isIntersecting} of entries) {
    near[isIntersecting ? "add" : "delete"](target);
    if (isIntersecting) drawNow(target);
  }
}, {rootMargin: "200px 0px"});

/* What draws a picture into a place; returns what to call where it must be drawn anew. */
function picture(place, draw) {
  const redraw = () => {
    if (near.has(place)) return draw();
    if (isLoaded && !waiting.size) whenIdle(drawNext);
    waiting.set(place, draw);
  };
  watcher.observe(place);
  redraw();
  return redraw;
}

/* A figure of a group, there while the group is shown, and filled when it is for the first time. */
function figureOf(parent, i, fill) {
  const figure = element("figure");
  parent.append(figure);
  const show = () => {
    figure.hidden = !view.shown[i];
    if (view.shown[i] && !figure.childElementCount) fill(figure);
  };
  view.onShown(show);
  show();
}

function startPictures() {
  addEventListener("load", () => setTimeout(() => { isLoaded = true; whenIdle(drawNext); }, 500));
  addEventListener("beforeprint", () => { for (const place of [...waiting.keys()]) drawNow(place); });
}
