#!/usr/bin/env python3
"""Check the fixtures in tests/parity against PyTorch and transformers, and a built step0 against the fixtures.

    python tests/reference/test_parity.py [--step0 PATH] [--shared DIR]

--shared names further fixtures in the same form, without step0.json; default ../shared/parity beside the
repository. The exit status is 1 where a check fails.
"""

import argparse
import json
import math
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from checks import LOSS_TOLERANCE, NORM_TOLERANCE, Runner, check_curves, part_norms, train_step0
from make_fixtures import COMMON, PARITY, VARIANTS, run_reference, run_transformers, step0_config

COMMITTED_TOLERANCE = 1e-9  # float64 against float64
SHARED = PARITY.parent.parent.parent / "shared" / "parity"


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


def check_step0(runner, step0, name, config, expected):
    tensors = expected["grad_norm_step0_by_tensor"]
    with tempfile.TemporaryDirectory() as scratch:
        rows = train_step0(runner, f"{name}: step0", step0, config, Path(scratch) / "run")
    if not rows:
        return
    check_curves(runner, f"{name}: step0", rows, expected["settings"], expected)
    norms, parts = part_norms(rows[0]), {part for tensor in tensors for part in parts_of(tensor)}
    runner.check(f"{name}: step0: one column a part", norms.keys() == parts, " ".join(sorted(norms.keys() ^ parts)))
    of_tensors = {tensor: math.hypot(*(norms.get(part, math.nan) for part in parts_of(tensor))) for tensor in tensors}
    runner.check_close(f"{name}: step0: tensors' grad_norm at step 0", of_tensors, tensors, NORM_TOLERANCE)


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
    runner.finish()


if __name__ == "__main__":
    main()
