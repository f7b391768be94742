"""What the tests that compare step0 with the reference training share: counting, tolerances, reading its curves."""

import csv
import math
import subprocess
import sys

from training import learning_rate

LOSS_TOLERANCE = 2e-6
NORM_TOLERANCE = 1e-5
LR_TOLERANCE = 5e-9  # the rounding to metrics.csv's nine digits


class Runner:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, good, detail=""):
        self.passed += bool(good)
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {what}" + (f": {detail}" if detail else ""))

    def finish(self):
        """Ends the program: the line of counts, and status 1 where a check failed."""
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed > 0)

    def check_close(self, what, actual, expected, tolerance):
        worst = worst_difference(actual, expected)
        self.check(what, worst <= tolerance, f"worst relative difference {worst:.1e}, allowed {tolerance:.0e}")


def worst_difference(actual, expected):
    """Largest relative difference of two lists or dictionaries; infinite for other keys, lengths or a nan."""
    if isinstance(expected, list):
        actual, expected = dict(enumerate(actual)), dict(enumerate(expected))
    if actual.keys() != expected.keys():
        return math.inf
    differences = [abs(actual[key] - expected[key]) / max(abs(expected[key]), 1e-300) for key in expected]
    return max(math.inf if math.isnan(difference) else difference for difference in differences)


def train_step0(runner, name, step0, config, out, *words):
    """The rows of metrics.csv; none where the run failed, which is a check of its own."""
    command = [step0, "train", str(config), *words, "--out", str(out), "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace")
    metrics = out / "metrics.csv"
    good = result.returncode == 0 and metrics.exists()
    runner.check(f"{name}: trains", good, "" if good else f"{result.returncode}: {result.stderr.strip()}")
    if not good:
        return []
    with metrics.open(newline="") as file:
        return list(csv.DictReader(file))


def number(row, column):
    return float(row.get(column) or "nan")


def part_norms(row):
    return {column.removeprefix("grad_norm."): number(row, column) for column in row if column.startswith("grad_norm.")}


def check_curves(runner, name, rows, settings, expected):
    steps = list(range(settings["steps"] + 1))
    runner.check(f"{name}: a row for every step", [row.get("step") for row in rows] == list(map(str, steps)))
    runner.check_close(f"{name}: loss", [number(row, "loss") for row in rows], expected["loss"], LOSS_TOLERANCE)
    runner.check_close(f"{name}: grad_norm", [number(row, "grad_norm") for row in rows],
                       expected["grad_norm_before_clip"], NORM_TOLERANCE)
    runner.check_close(f"{name}: lr", [number(row, "lr") for row in rows[:-1]],
                       [learning_rate(settings, s) for s in steps[:-1]], LR_TOLERANCE)
    runner.check(f"{name}: no lr in the last row", rows[-1].get("lr") == "")
