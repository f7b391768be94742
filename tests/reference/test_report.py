"""report.html in headless Chromium: every panel draws, its controls work, nothing is fetched, texts stay texts.

    python tests/reference/test_report.py --step0 ./step0 [--screenshots FOLDER]
"""
import argparse
import json
import math
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

from browser import chromium
from checks import Runner

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>"
TINY = ["data.chars=5000", "model.n_layer=3", "model.n_head=1", "model.n_embd=8", "model.block_size=8", "train.batch_size=2", "train.steps=30",
        "eval.every=10", "eval.batches=1", "log.signals=true"]
BIG_RUNS, BIG_STEPS, BIG_LAYERS, BIG_SEEDS = 100, 10000, 12, 5
MOST_BYTES = 15e6
runner = Runner()
check = runner.check


def step0(binary, *words):
    return subprocess.run([binary, *map(str, words)], check=True, capture_output=True, text=True)


def rewrite(run, change):
    """metrics.csv with each row, a dict of texts, changed."""
    header, *lines = (run / "metrics.csv").read_text().splitlines()
    names = header.split(",")
    rows = [dict(zip(names, line.split(","))) for line in lines]
    for row in rows:
        change(row)
    (run / "metrics.csv").write_text("\n".join([header, *(",".join(row[name] for name in names) for row in rows), ""]))


def train(binary, out, scheme, seed, *words):
    step0(binary, "train", *TINY, f"init.scheme={scheme}", f"seed={seed}", *words, "--out", out, "--quiet", "--threads", 1)


def make_runs(binary, folder):
    """Three schemes with two seeds; one of them at three learning rates; a scheme and samples that would be HTML."""
    own = folder / "schemes" / "x<script>alert(1)<b>.json"
    own.parent.mkdir()
    own.write_text('{"weights": {"*": {"normal": "0.05"}}}')
    runs = folder / "runs"
    for scheme in ("gpt2", "bert", own):
        for seed in (1, 2):
            train(binary, runs / f"{pathlib.Path(scheme).stem}-{seed}", scheme, seed)
    for lr in ("1e-2", "1e-1"):
        train(binary, runs / f"gpt2-{lr}", "gpt2", 1, f"train.lr={lr}")
    for samples in runs.glob("*/samples.txt"):
        samples.write_text(f"once {HOSTILE} \u2028 upon &lt; a time")
    return runs


def make_big(binary, folder):
    """Many long runs: the curves are invented, all else is that of one small run."""
    model = folder / "model"
    train(binary, model, "gpt2", 1, "eval.every=0", "model.n_layer=12", "log.signals=false")
    header = (model / "metrics.csv").read_text().splitlines()[0].split(",")
    resolved, random_numbers = json.loads((model / "resolved.json").read_text()), random.Random(1)
    lines = []
    for step in range(BIG_STEPS + 1):
        row = dict.fromkeys(header, f"{math.exp(random_numbers.gauss(0, 1)):.9g}")
        row |= {"step": step, "loss": f"{1 + 3 / (1 + step / 100) + random_numbers.gauss(0, .05):.9g}", "clipped": 0,
                "val_loss": "" if step % 100 else f"{1.1 + 3 / (1 + step / 100):.9g}"}
        lines.append(",".join(str(row[column]) for column in header))
    lines[5000] = lines[5000].replace(lines[5000].split(",")[4], "77.7", 1)
    metrics = "\n".join([",".join(header), *lines, ""])
    for i in range(BIG_RUNS):
        run = folder / "many" / f"run{i:03}"
        run.mkdir(parents=True)
        for name in ("run.json", "init.csv", "samples.txt"):
            shutil.copy(model / name, run / name)
        resolved["init"]["seed"] = resolved["data"]["seed"] = i % BIG_SEEDS
        resolved["train"]["lr"] = 1e-3 * (1 + i // BIG_SEEDS)
        (run / "resolved.json").write_text(json.dumps(resolved))
        (run / "metrics.csv").write_text(metrics)
    return folder / "many"


class Page:
    """A page of its own in the browser, with what it said and asked for."""

    def __init__(self, browser, path, **context):
        self.said, self.asked = [], []
        self.page = browser.new_context(**context).new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        start = time.monotonic()
        self.page.goto(f"file://{path}")
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.seconds = time.monotonic() - start

    def settle(self):
        """Until the pictures outside the window are drawn too."""
        self.page.wait_for_function("() => isLoaded && !waiting.size")

    def evaluate(self, script, *argument):
        return self.page.evaluate(script, *argument)

    def texts(self, selector):
        return self.page.locator(selector).all_text_contents()

    def pictures(self):
        """What each canvas shows, to see whether something changed."""
        return self.evaluate("() => [...document.querySelectorAll('canvas')].map(c => c.width ? c.toDataURL() : '')")

    def colours(self, selector):
        """How many distinct pixels the canvases have."""
        return self.evaluate("""selector => [...document.querySelectorAll(selector)].map(c => {
            const pixels = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
            return new Set(pixels).size; })""", selector)

    def changes(self, act):
        before = self.pictures()
        act()
        self.page.wait_for_timeout(100)
        self.settle()
        return [a != b for a, b in zip(before, self.pictures())]


def check_quiet(page, name):
    check(f"{name}: no message in the console", page.said == [], "; ".join(page.said)[:300])
    check(f"{name}: nothing is fetched", all(url.startswith(("file://", "data:")) for url in page.asked) and len([u for u in page.asked if u.startswith("file://")]) == 1,
          "" if len(page.asked) < 3 else str(page.asked)[:300])


def check_drawn(page):
    curves = page.texts("#curves figcaption")
    check("panels of curves", curves == ["Training loss", "Validation loss", "Gradient norm before clipping"], str(curves))
    for selector, count in (("#curves canvas", 6), ("#heat canvas.map", 5), ("#branch canvas.map", 5), (".scale canvas", 2)):
        drawn = page.colours(selector)
        enough = [n > 10 for n in drawn] if "curves" not in selector else [max(pair) > 10 for pair in zip(drawn[::2], drawn[1::2])]
        check(f"{selector} are drawn", len(drawn) == count and all(enough), str(drawn))
    charts = page.texts("#depth figcaption, #basin figcaption")
    check("charts of depth and of the basin", len(charts) == 6 and "Final validation loss" in charts, str(charts))
    check("a basin has a point a learning rate", page.page.locator("#basin circle").count() == 3)
    check("a verdict a group, one the reference", len(page.texts("#verdicts li")) == 5 and sum("(the reference)" in t for t in page.texts("#verdicts li")) == 1)
    unnamed = page.evaluate("""() => [...document.querySelectorAll('canvas.map, .scale canvas, .plot, figure > svg, button, input')]
        .filter(e => e.checkVisibility() && !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map(e => e.outerHTML.slice(0, 80))""")
    check("every picture and control has a name", unnamed == [], str(unnamed))


def check_source(path):
    """What could end the element that holds the data, or its lines, stands nowhere in it."""
    data = path.read_text().split('type="application/json"')[1].split(">", 1)[1].split("</script>")[0]
    json.loads(data)
    check("the data has no character of HTML's", not set(data) & set("<>&\u2028\u2029") and "\\u2028" in data and "\\u0026lt;" in data)


def check_zeros(binary, browser, runs, folder):
    """A loss or norm of 0 has no place on a logarithmic axis: seeds at 0 at times, a group that is nothing else."""
    zeros, names = folder / "zeros", ("loss", "val_loss", "grad_norm", "grad_norm.h.0", "grad_norm.h.1", "grad_norm.h.2", "grad_norm.wte", "grad_norm.wpe", "grad_norm.ln_f")
    for name in ("gpt2-1", "gpt2-2", "bert-1"):
        shutil.copytree(runs / name, zeros / name, symlinks=True)
    rewrite(zeros / "gpt2-1", lambda row: row.update(dict.fromkeys(("loss", "grad_norm"), "0")) if int(row["step"]) % 3 == 1 else None)
    rewrite(zeros / "bert-1", lambda row: row.update({name: "0" for name in names if row[name]}))
    path = folder / "zeros.html"
    step0(binary, "compare", zeros, "--html", path)
    page = Page(browser, path)
    page.settle()
    page.page.locator("#log-loss").press("Space")
    page.settle()
    ranges = page.evaluate("() => PANELS.map(p => p.graph.yAxisRange())")
    check("zeros: logarithmic axes begin above 0", all(0 < low < high < 1e9 for low, high in ranges), str(ranges))
    lowest = page.evaluate("() => rowsOf('loss', groups, 0, true, 0.5).map(row => row.slice(1).flat().filter(x => x !== null)).flat().reduce((a, b) => Math.min(a, b))")
    check("zeros: nothing is drawn at 0", lowest > 0, str(lowest))
    for box in page.page.locator("#legend input").all():
        box.press("Space")
    page.settle()
    ranges = page.evaluate("() => PANELS.map(p => p.graph.yAxisRange())")
    check("no group: axes all the same", all(0 < low < high < 1e9 for low, high in ranges), str(ranges))
    check_quiet(page, "zeros")


def check_texts(page):
    check("no text runs as a script", page.evaluate("() => window.broken === undefined"))
    check("a sample is shown as it is", all(HOSTILE in text for text in page.texts("#samples pre")) and len(page.texts("#samples pre")) == 5)
    check("so is a scheme's name", any("x<script>alert(1)<b>" in text for text in page.texts("#verdicts li")))
    check("no element came from texts", page.page.locator("main img, main script, main li b b").count() == 0)


def check_controls(page):
    curve_canvases = page.page.locator("#curves canvas").count()
    moved = page.changes(lambda: page.page.locator("#smoothing").press("End"))
    check("smoothing redraws the curves", any(moved[:curve_canvases]))
    check("and says over what", "steps" in page.texts("#smoothing-said")[0])
    page.page.locator("#smoothing").press("Home")
    for box in ("#log-loss", "#bands"):
        check(f"{box} redraws the curves", any(page.changes(lambda box=box: page.page.locator(box).press("Space"))))
    check("a group can be hidden", any(page.changes(lambda: page.page.locator("#legend input").first.press("Space"))))
    check("its map too", page.page.locator("#heat figure:visible").count() == 4)
    page.page.locator("#legend input").first.press("Space")
    plot = page.page.locator("#curves .plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()

    def drag():
        page.page.mouse.move(box["x"] + box["width"] * .4, box["y"] + 60)
        page.page.mouse.down()
        page.page.mouse.move(box["x"] + box["width"] * .7, box["y"] + 60, steps=4)
        page.page.mouse.up()

    moved = page.changes(drag)
    windows = page.evaluate("() => PANELS.map(p => p.graph.xAxisRange().join())")
    check("zoom goes to every panel", len(set(windows)) == 1 and windows[0] != "0,30", str(windows))
    maps = page.evaluate("() => [...document.querySelectorAll('canvas')].map(c => c.className === 'map')")
    check("and to the heat maps", all(changed for changed, is_map in zip(moved, maps) if is_map))
    check("and to the numbers", int(page.page.locator("#from").input_value()) > 0)
    page.page.locator("#whole").press("Enter")
    check("and back", page.evaluate("() => view.range.join()") == "0,30")
    page.page.locator("#from").fill("10")
    page.page.locator("#from").press("Enter")
    check("steps can be typed", page.evaluate("() => PANELS[1].graph.xAxisRange()[0]") == 10)
    page.page.locator("#whole").press("Enter")
    summary = page.page.locator("#heat summary").first
    summary.focus()
    summary.press("Enter")
    page.page.wait_for_timeout(100)
    page.settle()
    check("a map as lines", max(page.colours("#heat .plot canvas") or [0]) > 10)


def check_table(page):
    column = page.page.locator("#table thead th", has_text="best val")
    at = page.texts("#table thead button").index("best val") + 1
    values = lambda: [float(text.split()[0]) for text in page.texts(f"#table tbody td:nth-child({at})")]
    column.get_by_role("button").press("Enter")
    check("the table sorts by Enter", values() == sorted(values()) and column.get_attribute("aria-sort") == "ascending")
    column.get_by_role("button").press("Enter")
    check("and the other way", values() == sorted(values(), reverse=True) and column.get_attribute("aria-sort") == "descending")
    heads = page.texts("#table thead button")
    check("no p of pairs below three", any(title.startswith("against ") for title in heads) and "p" not in heads, str(heads))
    check("what differs stands in the table of configs", "train.lr" in page.texts("#config thead th"))


def check_themes(browser, path, screenshots):
    papers = set()
    for name, context in (("light", {"color_scheme": "light"}), ("dark", {"color_scheme": "dark"}), ("phone", {"viewport": {"width": 390, "height": 844}})):
        page = Page(browser, path, **context)
        page.settle()
        check_quiet(page, name)
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        check(f"{name}: nothing sticks out", wide <= 0, str(wide))
        papers.add(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
        if screenshots:
            page.page.screenshot(path=f"{screenshots}/{name}.png", full_page=True)
    check("light and dark differ", len(papers) == 2, str(papers))
    before = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    check("the button redraws the curves", any(page.changes(lambda: page.page.locator("#theme").press("Enter"))))
    check("and turns the paper", page.evaluate("() => getComputedStyle(document.body).backgroundColor") != before)
    page.page.emulate_media(media="print")
    check("on paper there are no controls", page.page.locator(".controls:visible").count() == 0)


def check_big(binary, browser, folder):
    many, path = make_big(binary, folder), folder / "big.html"
    start = time.monotonic()
    step0(binary, "compare", many, "--html", path)
    size = path.stat().st_size
    page = Page(browser, path)
    check("pictures outside the window wait", page.evaluate("() => waiting.size") >= 8)
    page.evaluate("() => document.querySelector('#heat canvas.map').scrollIntoView()")
    page.page.wait_for_function("() => document.querySelector('#heat canvas.map').width > 300")
    check("one that comes near is drawn", page.colours("#heat canvas.map")[0] > 10)
    check("not those of hidden groups", page.page.locator("#heat canvas.map").count() == 8 and page.page.locator("#samples pre").count() == 8)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    check("before printing all are", page.evaluate("() => waiting.size") == 0)
    print(f"     {BIG_RUNS} runs of {BIG_STEPS} steps: written in {time.monotonic() - start - page.seconds:.1f} s, {size / 1e6:.1f} MB, open in {page.seconds:.1f} s")
    check("a big report stays small", size < MOST_BYTES, f"{size} bytes")
    check_quiet(page, "big")
    curve = page.evaluate("() => groups[0].curves.loss")
    check("curves are thinned", len(curve["step"]) <= 1000, str(len(curve["step"])))
    check("the extreme is kept, at its step", curve["step"][curve["mean"].index(77.7)] == 5000 if 77.7 in curve["mean"] else False)
    losses = [float(line.split(",")[4]) for line in (many / "run000" / "metrics.csv").read_text().splitlines()[1:]]
    steps, smooth = page.evaluate("() => { const c = smoothed(groups[0].curves.loss, 500); return [c.step, c.mean]; }")
    worst = max(abs(y / (sum(losses[round(x) - 500:round(x) + 501]) / 1001) - 1) for x, y in zip(steps, smooth)
                if 500 <= x <= BIG_STEPS - 500 and abs(abs(x - 5000) - 500) > BIG_STEPS / 499)
    check("a smoothed curve is the mean of all steps, not of the extremes", worst < 0.02, f"worst relative difference {worst:.1e}")
    check("and both ends", curve["step"][0] == 0 and curve["step"][-1] == BIG_STEPS)
    check("not all groups are drawn at first", page.page.locator("#heat figure:visible").count() == 8)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step0", required=True)
    parser.add_argument("--screenshots")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.step0).resolve())
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = pathlib.Path(temporary)
        path = folder / "report.html"
        runs = make_runs(binary, folder)
        step0(binary, "compare", runs, "--html", path)
        page = Page(browser, path)
        page.settle()
        check_drawn(page)
        check_source(path)
        check_texts(page)
        check_controls(page)
        check_table(page)
        check_quiet(page, "report")
        check_themes(browser, path, args.screenshots)
        check_zeros(binary, browser, runs, folder)
        check_big(binary, browser, folder)
    runner.finish()


main()
