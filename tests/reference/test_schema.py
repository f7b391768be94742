"""configs/schema.json with the validator that editors use: takes the configs of this folder, refuses what step0 refuses.

    python tests/reference/test_schema.py --step0 ./step0
"""
import argparse
import json
import pathlib
import subprocess

import jsonschema

from checks import Runner

ROOT = pathlib.Path(__file__).resolve().parents[2]
BAD = [{"train": {"lrr": 1}}, {"train": {"lr": "fast"}}, {"train": {"lr": 0}}, {"seed": -1}, {"seed": 1.5}, {"lr": 1e-3},
       {"model": {"activation": "swish"}}, {"model": {"bias": 1}}, {"data": {"text": 3}}, {"init": {"scheme": 1}}, {"init": {"params": []}},
       {"sweep": {"train.lrr": [1]}}, {"sweep": {"train.lr": ["fast"]}}, {"sweep": {"train.lr": 1}}, {"sweep": {"seed": []}}, {"sweep": {"train": {"lr": [1]}}}]
GOOD = [{}, {"init": {"scheme": {"weights": {}}, "from": None}}, {"data": {"text": ["a", "b"]}}, {"train": {"steps": 0}},
        {"sweep": {"init.scheme": ["gpt2", "bert"], "train.lr": [1e-3, 3e-3], "seed": [1, 2, 3], "init.params.std": [0.1]}}]
runner = Runner()
check = runner.check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step0", required=True)
    binary = parser.parse_args().step0
    schema = json.loads((ROOT / "configs" / "schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    valid = jsonschema.Draft7Validator(schema).is_valid
    check("it is what `step0 help schema` prints", schema == json.loads(subprocess.run([binary, "help", "schema"], check=True, capture_output=True).stdout))
    for path in sorted((ROOT / "configs").glob("*.json")):
        if path.name != "schema.json":
            check(f"takes {path.name}", valid(json.loads(path.read_text())))
    for config in GOOD:
        check(f"takes {config}", valid(config))
    for config in BAD:
        check(f"refuses {config}", not valid(config))
    runner.finish()


main()
