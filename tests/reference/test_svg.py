"""The figures of `step0 compare --svg` in headless Chromium: they draw, fetch nothing, say what they should where they should.

    python tests/reference/test_svg.py --step0 ./step0 [--keep FOLDER]
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from browser import chromium
from checks import Runner

HOSTILE = '</svg><script>window.broken=1</script>&"\''
LONG = "a_scheme_with_a_name_that_nobody_would_type_twice_but_a_script_may_well_make_of_all_the_numbers_it_varies_"
ALWAYS = ["train_loss", "validation_loss", "total_gradient_norm", "gradient_norms", "branch_over_stream", "step0_by_depth"]
SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 1_000_000
SHARES = 8  # shades of the strip of clipping
TOUCH = 1.5  # px by which the boxes of two lines of text may overlap: boxes are taller than letters
runner = Runner()
check = runner.check


def run(binary, *words):
    return subprocess.run([binary, *map(str, words)], check=True, capture_output=True, text=True)


class Model:
    """A small run that was trained; of it, runs with invented curves."""

    def __init__(self, binary, folder, layers=3):
        self.folder = folder / f"model{layers}"
        run(binary, "train", "data.chars=5000", f"model.n_layer={layers}", "model.n_head=1", "model.n_embd=8", "model.block_size=8", "train.batch_size=2",
            "train.steps=2", "eval.every=0", "eval.batches=1", "log.signals=true", "--out", self.folder, "--quiet", "--threads", 1)
        self.resolved, self.facts = (json.loads((self.folder / name).read_text()) for name in ("resolved.json", "run.json"))
        self.header = (self.folder / "metrics.csv").read_text().splitlines()[0].split(",")

    def invent(self, out, scheme, seed=1, lr=1e-3, steps=100, loss=None, diverged=None, every=10):
        """A run of `steps` steps, or one that is not finite from the step `diverged` on; loss: a function of the step."""
        loss = loss or (lambda step: 1 + 3 * math.exp(-step / 20) + 0.02 * seed)
        out.mkdir(parents=True)
        shutil.copy(self.folder / "init.csv", out)
        resolved = json.loads(json.dumps(self.resolved))
        resolved["init"]["seed"] = resolved["data"]["seed"] = seed
        resolved["init"]["scheme"]["name"] = scheme
        resolved["train"] |= {"lr": lr, "min_lr": lr / 10, "steps": steps}
        (out / "resolved.json").write_text(json.dumps(resolved))
        (out / "run.json").write_text(json.dumps(self.facts | {"scheme": scheme, "status": "diverged" if diverged else "finished", "last_step": steps}))
        lines = [",".join(self.header)]
        for step in range((diverged or steps) + 1):
            good = step != diverged
            row = {name: f"{math.exp(math.sin(step / 9 + column)):.6g}" if good else "nan" for column, name in enumerate(self.header)}
            value = loss(step) if good else math.nan
            row |= {"step": step, "tokens": step, "loss": f"{value:.9g}", "clipped": int(step % 7 < 3), "val_loss": f"{value + .1:.9g}" if step % every == 0 else ""}
            lines.append(",".join(str(row[name]) for name in self.header))
        (out / "metrics.csv").write_text("\n".join([*lines, ""]))


class View:
    """An SVG file in a page of its own."""

    def __init__(self, browser, path):
        self.path, self.said, self.asked = path, [], []
        self.page = browser.new_page(viewport={"width": 700, "height": 1200})
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"file://{path}")
        self.texts = self.page.evaluate("""() => [...document.querySelectorAll('text')].map(t => {
            const box = t.getBoundingClientRect();
            return {text: t.lastChild.data, whole: t.firstElementChild?.textContent ?? t.lastChild.data, anchor: t.getAttribute('text-anchor'),
                    x: box.x, y: box.y, right: box.right, bottom: box.bottom}; })""")

    def close(self):
        self.page.close()


def number(text):
    return float(text) if re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", text) else None


def overlapping(texts):
    pairs = []
    for i, a in enumerate(texts):
        for b in texts[:i]:
            if min(a["right"], b["right"]) - max(a["x"], b["x"]) > TOUCH and min(a["bottom"], b["bottom"]) - max(a["y"], b["y"]) > TOUCH:
                pairs.append(f"{a['text'][:30]} / {b['text'][:30]}")
    return pairs


def check_file(name, path):
    """What a reader of XML sees."""
    root = ElementTree.parse(path).getroot()
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    source = path.read_text()
    check(f"{name}: a root, a title, a description", root.tag == f"{SVG}svg" and root[0].tag == f"{SVG}title" and root[0].text and root[1].tag == f"{SVG}desc" and root[1].text)
    check(f"{name}: only plain elements", tags <= set("svg title desc rect path g text circle clipPath linearGradient stop".split()), str(tags))
    check(f"{name}: nothing from elsewhere", not re.search(r'href|src=|@import|<style|url\((?!#)', source))
    check(f"{name}: small", path.stat().st_size < MOST_BYTES, f"{path.stat().st_size} bytes")
    check(f"{name}: no number that is none", not re.search(r'="[^"]*\b(nan|inf)\b', source))
    references = set(re.findall(r"url\(#([^)]+)\)", source))
    check(f"{name}: what is referred to is there, under the figure's own name", references <= {e.get("id") for e in root.iter()} and all(r.startswith(path.stem) for r in references))


def check_view(name, view):
    width, height = view.page.evaluate("() => { const b = document.documentElement.viewBox.baseVal; return [b.width, b.height]; }")
    check(f"{name}: no message, nothing fetched", view.said == [] and len(view.asked) == 1, str(view.said + view.asked[1:])[:200])
    inked = view.page.evaluate("""() => [...document.querySelectorAll('path, circle')].filter(e => { const b = e.getBoundingClientRect(); return b.width + b.height > 3; }).length""")
    check(f"{name}: draws something", inked > 5, str(inked))
    outside = [t["text"] for t in view.texts if t["x"] < 0 or t["y"] < 0 or t["right"] > width or t["bottom"] > height]
    check(f"{name}: every text is inside", outside == [], str(outside)[:200])
    pairs = overlapping(view.texts)
    check(f"{name}: no texts overlap", pairs == [], "; ".join(pairs)[:300])
    check(f"{name}: a column of a paper", width == 640 and 200 < height < 1300, f"{width} x {height}")


def check_set(browser, binary, name, runs, out, extra=()):
    said = run(binary, "compare", runs, "--svg", out).stdout.splitlines()[-1]
    names = [*ALWAYS, *extra]
    check(f"{name}: the files, and a line about them", sorted(p.name for p in out.iterdir()) == sorted(f"{n}.svg" for n in names)
          and said == f"figures in {out}: " + ", ".join(f"{n}.svg" for n in names), said)
    for path in sorted(out.glob("*.svg")):
        view = View(browser, path)
        check_file(f"{name}/{path.stem}", path)
        check_view(f"{name}/{path.stem}", view)
        view.close()


def line_through(points):
    """a + b·x through the outermost two of [(x, y)]."""
    (x0, y0), (x1, y1) = min(points), max(points)
    return lambda x: y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def check_place(browser, path, what, values, logarithmic=False):
    """The first line of the figure lies where its ticks say. values: {step: value}."""
    view = View(browser, path)
    scale = math.log if logarithmic else float
    x_ticks = [(number(t["text"]), (t["x"] + t["right"]) / 2) for t in view.texts if t["anchor"] == "middle" and number(t["text"]) is not None]
    y_ticks = [(scale(number(t["text"])), (t["y"] + t["bottom"]) / 2) for t in view.texts if t["anchor"] == "end" and number(t["text"]) is not None]
    x, y = line_through(x_ticks), line_through(y_ticks)
    lines = view.page.evaluate("() => [...document.querySelectorAll('g[clip-path] > path[fill=none]')].map(e => e.getAttribute('d'))")
    points = [tuple(map(float, pair.split(","))) for pair in re.findall(r"[-0-9.]+,[-0-9.]+", lines[0])]
    worst = max(min(math.hypot(px - x(step), py - y(scale(value))) for px, py in points) for step, value in values.items())
    check(f"{what}: points lie where the ticks say", len(x_ticks) > 3 and len(y_ticks) > 2 and worst < 1, f"{worst:.2f} px off")
    view.close()


def check_hostile(browser, folder):
    for path in sorted(folder.glob("*.svg")):
        view = View(browser, path)
        check(f"hostile/{path.stem}: a name is shown as it is", any(HOSTILE in t["whole"] for t in view.texts) and view.page.evaluate("() => window.broken === undefined"))
        view.close()


def check_maps(browser, path, layers):
    """Each cell of a map once, and no two runs of a colour side by side."""
    groups = [g for g in ElementTree.parse(path).getroot().iter(f"{SVG}g") if "scale(" in (g.get("transform") or "") and len(g) > SHARES]
    for g in groups:
        runs = sorted((int(y), int(x), int(n), e.get("stroke")) for e in g for x, y, n in re.findall(r"M(\d+) (\d+)h(\d+)\.1", e.get("d")))
        check("a map is covered without a gap", len({y for y, *_ in runs}) == layers + 3
              and all(b[1] == a[1] + a[2] and b[3] != a[3] if a[0] == b[0] else b[1] == 0 for a, b in zip(runs, runs[1:])))
    check("there are maps", len(groups) > 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step0", required=True)
    parser.add_argument("--keep", help="work in this folder, which must not exist, and leave it")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.step0).resolve())
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = pathlib.Path(args.keep or temporary).resolve()
        folder.mkdir(exist_ok=True)
        model = Model(binary, folder)

        known = lambda step: 1 + 3 * math.exp(-step / 20)
        model.invent(folder / "one/a", "known", loss=known)
        check_set(browser, binary, "one", folder / "one", folder / "one.svg")
        steps = (0, 7, 40, 100)
        check_place(browser, folder / "one.svg/train_loss.svg", "train loss", {s: known(s) for s in steps})
        check_place(browser, folder / "one.svg/validation_loss.svg", "validation loss", {s: known(s) + .1 for s in (0, 40, 100)})
        norm = model.header.index("grad_norm")
        check_place(browser, folder / "one.svg/total_gradient_norm.svg", "gradient norm", {s: math.exp(math.sin(s / 9 + norm)) for s in steps}, True)
        check_maps(browser, folder / "one.svg/gradient_norms.svg", 3)

        for scheme in ("gpt2", HOSTILE):
            for seed in (1, 2):
                model.invent(folder / f"two/{len(scheme)}-{seed}", scheme, seed, loss=lambda step, seed=seed, n=len(scheme): 1.5 + n / 40 + 2 / (1 + step / (9 + 9 * seed)))
        check_set(browser, binary, "two", folder / "two", folder / "two.svg")
        check_hostile(browser, folder / "two.svg")

        for i, scheme in enumerate(("gpt2", "bert")):
            for k, lr in enumerate((1e-4, 1e-3, 1e-2, 1e-1)):
                for seed in (1, 2, 3):
                    bad = 40 if k == 3 and i else None
                    model.invent(folder / f"rates/{i}{k}{seed}", scheme, seed, lr, diverged=bad,
                                 loss=lambda step, k=k, i=i, seed=seed, bad=bad: 1.2 + .3 * (k - 2) ** 2 + .05 * i * seed + (2 - .4 * k) * math.exp(-step / 30) + (1e30 if bad and step > 35 else 0))
        check_set(browser, binary, "rates", folder / "rates", folder / "rates.svg", ["learning_rate"])

        deep = Model(binary, folder, 12)
        for i in range(12):
            for seed in (1, 2):
                end = 10 * i if i in (4, 5) else None
                deep.invent(folder / f"many/{i:02}-{seed}", f"{LONG}{i}" if i % 3 == 0 else f"scheme{i}", seed, steps=3000, diverged=end and end * 60, every=100,
                            loss=lambda step, i=i: 1 + .1 * i + 3 * math.exp(-step / 300) + .1 * math.sin(step * (i + 1)) + (1e30 if i == 5 and step > 2000 else 0))
        check_set(browser, binary, "many", folder / "many", folder / "many.svg")

        for i in range(5):
            model.invent(folder / f"short/{i}", f"{LONG}{i}"[-60:], steps=1, diverged=1 if i == 4 else None, every=1, loss=lambda step: 4.1)
        check_set(browser, binary, "short", folder / "short", folder / "short.svg")
    runner.finish()


main()
