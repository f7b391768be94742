"""The statistics of `compare --json` against SciPy, over real runs of tiny models: pairs, intervals, p-values, Holm's correction,
the seeds that a difference would need.

    python tests/reference/test_statistics.py --step0 ./step0
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import numpy
from scipy import stats

from checks import Runner

TINY = ["data.chars=5000", "model.n_layer=1", "model.n_head=1", "model.n_embd=8", "model.block_size=8", "train.batch_size=4",
        "train.steps=120", "eval.every=0", "eval.batches=4", "train.lr=2e-2"]
SCHEMES = ["gpt2", "bert", "xavier_normal", "he_normal"]
SEEDS = range(1, 7)
TOLERANCE = 1e-9
runner = Runner()


def close(what, got, wanted):
    runner.check(what, got is not None and math.isclose(got, wanted, rel_tol=TOLERANCE, abs_tol=1e-15), f"{got}, SciPy {wanted}")


def losses(row):
    return {(run["init_seed"], run["data_seed"]): run["final_val_loss"] for run in row["runs"]}


def needed(difference, deviation):
    n = 3
    while stats.t.ppf(0.975, n - 1) * deviation / math.sqrt(n) > abs(difference):
        n += 1
    return n


def holm(p_values):
    """The definition: an adjusted p is the largest of (m - i + 1) p(i) up to it."""
    ordered = sorted(p_values)
    m = len(ordered)
    return [min(1, max((m - i) * q for i, q in enumerate(ordered) if q <= p)) for p in p_values]


def check_contrast(contrast, own, reference):
    label = contrast["label"]
    seeds = sorted(own.keys() & reference.keys())
    x, y = [numpy.array([side[seed] for seed in seeds]) for side in (own, reference)]
    test = stats.ttest_rel(x, y)
    interval = test.confidence_interval(0.95)
    close(f"{label}: mean difference", contrast["difference"], (x - y).mean())
    close(f"{label}: standard deviation", contrast["sd"], (x - y).std(ddof=1))
    close(f"{label}: low end", contrast["low"], interval.low)
    close(f"{label}: high end", contrast["high"], interval.high)
    close(f"{label}: p", contrast["p"], test.pvalue)
    close(f"{label}: correlation", contrast["correlation"], stats.pearsonr(x, y).statistic)
    runner.check(f"{label}: pairs", contrast["pairs"] == len(seeds))
    runner.check(f"{label}: seeds needed", contrast["seeds_needed"] == needed((x - y).mean(), (x - y).std(ddof=1)))
    return test.pvalue


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step0", required=True)
    step0 = str(pathlib.Path(parser.parse_args().step0).resolve())
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for scheme in SCHEMES:
            for seed in SEEDS:
                if scheme == "he_normal" and seed == 2:
                    continue  # one pair less
                runs.append(f"{folder}/{scheme}-{seed}")
                subprocess.run([step0, "train", *TINY, f"init.scheme={scheme}", f"seed={seed}", "--out", runs[-1], "--quiet", "--threads", "1"],
                               check=True, capture_output=True)
        subprocess.run([step0, "compare", *runs, "--json", f"{folder}/out.json"], check=True, capture_output=True)
        out = json.loads(pathlib.Path(f"{folder}/out.json").read_text())
    rows = {row["label"]: row for row in out["rows"]}
    runner.check("a row a scheme, and none failed", sorted(rows) == sorted(SCHEMES) and not any(row["failed"] for row in rows.values()))
    runner.check("a contrast with the first for each other", sorted(c["label"] for c in out["contrasts"]) == sorted(SCHEMES[1:]))
    for label, row in rows.items():
        values = list(losses(row).values())
        close(f"{label}: mean", row["summary"]["final_val_loss"]["mean"], numpy.mean(values))
        close(f"{label}: standard deviation of the losses", row["summary"]["final_val_loss"]["sd"], numpy.std(values, ddof=1))
    p_values = [check_contrast(c, losses(rows[c["label"]]), losses(rows[out["reference"]])) for c in out["contrasts"]]
    for contrast, p in zip(out["contrasts"], holm(p_values)):
        close(f"{contrast['label']}: Holm's p", contrast["holm_p"], p)
    runner.finish()


main()
