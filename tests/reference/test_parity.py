#!/usr/bin/env python3
"""Check the fixtures in tests/parity against PyTorch and transformers, and a built step0 against the fixtures.

    python tests/reference/test_parity.py [--step0 PATH] [--shared DIR]

--shared names further fixtures in the same form, without step0.json; default ../shared/parity beside the
repository. The exit status is 1 where a check fails.
"""

import argparse
import csv
import json
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from make_fixtures import (COMMON, LOSS_TOLERANCE, NORM_TOLERANCE, PARITY, VARIANTS, learning_rate, run_reference,
                           run_transformers, step0_config, worst_difference)

COMMITTED_TOLERANCE = 1e-9  # float64 against float64
LR_TOLERANCE = 5e-9  # the rounding to metrics.csv's nine digits
SHARED = PARITY.parent.parent.parent / "shared" / "parity"


class Runner:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, good, detail=""):
        self.passed += bool(good)
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {what}" + (f": {detail}" if detail else ""))

    def check_close(self, what, actual, expected, tolerance):
        worst = worst_difference(actual, expected)
        self.check(what, worst <= tolerance, f"worst relative difference {worst:.1e}, allowed {tolerance:.0e}")


def check_fixture(runner, folder, expected, loss_tolerance, norm_tolerance):
    """The committed numbers are what PyTorch computes, and transformers agrees on the loss at step 0."""
    computed = run_reference(folder, expected["settings"])
    for key in computed:
        tolerance = loss_tolerance if key == "loss" else norm_tolerance
        runner.check_close(f"{folder.name}: PyTorch: {key}", computed[key], expected[key], tolerance)
    if expected["settings"].get("bias", True):
        loss = run_transformers(folder, expected["settings"] | {"steps": 0})["loss"]
        runner.check_close(f"{folder.name}: transformers: loss at step 0", loss, expected["loss"][:1], loss_tolerance)


def parts_of(tensor):
    """step0's names of the parts of a Hugging Face tensor."""
    name = tensor.removeprefix("transformer.").replace("c_proj", "proj").replace("c_fc", "fc")
    return [name.replace("c_attn", part) for part in "qkv"] if "c_attn" in name else [name]


def number(row, column):
    return float(row.get(column) or "nan")


def tensor_norms(row, tensors):
    return {tensor: math.hypot(*(number(row, "grad_norm." + part) for part in parts_of(tensor)))
            for tensor in tensors}


def check_metrics(runner, name, rows, expected):
    settings, tensors = expected["settings"], expected["grad_norm_step0_by_tensor"]
    steps = list(range(settings["steps"] + 1))
    runner.check(f"{name}: step0: a row for every step", [row.get("step") for row in rows] == list(map(str, steps)))
    if not rows:
        return
    runner.check_close(f"{name}: step0: loss", [number(row, "loss") for row in rows], expected["loss"],
                       LOSS_TOLERANCE)
    runner.check_close(f"{name}: step0: grad_norm", [number(row, "grad_norm") for row in rows],
                       expected["grad_norm_before_clip"], NORM_TOLERANCE)
    parts = {"grad_norm." + part for tensor in tensors for part in parts_of(tensor)}
    columns = {column for column in rows[0] if column.startswith("grad_norm.")}
    runner.check(f"{name}: step0: one column a part", columns == parts, " ".join(sorted(columns ^ parts)))
    runner.check_close(f"{name}: step0: tensors' grad_norm at step 0", tensor_norms(rows[0], tensors), tensors,
                       NORM_TOLERANCE)
    runner.check_close(f"{name}: step0: lr", [number(row, "lr") for row in rows[:-1]],
                       [learning_rate(settings, s) for s in steps[:-1]], LR_TOLERANCE)
    runner.check(f"{name}: step0: no lr in the last row", rows[-1].get("lr") == "")


def check_step0(runner, step0, name, config, expected):
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "run"
        command = [step0, "train", str(config), "--out", str(out), "--quiet"]
        result = subprocess.run(command, capture_output=True, text=True, errors="replace")
        metrics = out / "metrics.csv"
        good = result.returncode == 0 and metrics.exists()
        runner.check(f"{name}: step0: trains", good, "" if good else f"{result.returncode}: {result.stderr.strip()}")
        if good:
            with metrics.open(newline="") as file:
                check_metrics(runner, name, list(csv.DictReader(file)), expected)


def check_own(runner, step0):
    for name, (_, _, changes) in VARIANTS.items():
        folder = PARITY / name
        expected = json.loads((folder / "expected.json").read_text())
        runner.check(f"{name}: expected.json has make_fixtures.py's settings", expected["settings"] == COMMON | changes)
        check_fixture(runner, folder, expected, COMMITTED_TOLERANCE, COMMITTED_TOLERANCE)
        config = folder / "step0.json"
        runner.check(f"{name}: step0.json has the settings of expected.json",
                     json.loads(config.read_text()) == step0_config(expected["settings"]))
        if step0:
            check_step0(runner, step0, name, config, expected)


def check_shared(runner, step0, shared):
    for path in sorted(shared.glob("*/expected.json")):
        folder, expected = path.parent, json.loads(path.read_text())
        check_fixture(runner, folder, expected, LOSS_TOLERANCE, NORM_TOLERANCE)
        if step0:
            with tempfile.TemporaryDirectory() as scratch:
                config = Path(scratch) / f"{folder.name}.json"
                config.write_text(json.dumps(step0_config(expected["settings"], folder)))
                check_step0(runner, step0, folder.name, config, expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step0", help="the built program")
    parser.add_argument("--shared", type=Path, default=SHARED, help="a folder of further fixtures")
    arguments = parser.parse_args()
    step0 = arguments.step0 and shutil.which(Path(arguments.step0).resolve())
    if arguments.step0 and not step0:
        parser.error(f"--step0 {arguments.step0}: no such program")
    runner = Runner()
    check_own(runner, step0)
    if arguments.shared.is_dir():
        check_shared(runner, step0, arguments.shared.resolve())
    else:
        print(f"skipped: the fixtures in {arguments.shared}, no such folder")
    if not step0:
        print("skipped: the program itself, no --step0 given")
    print(f"{runner.passed} passed, {runner.failed} failed")
    sys.exit(runner.failed > 0)


if __name__ == "__main__":
    main()
