"""A checkpoint through the readers that people use: transformers computes our losses, safetensors opens every file,
tokenizers gives our ids.

    make reference && python tests/reference/test_checkpoint.py --step0 ./step0
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import numpy as np
import safetensors.numpy
import tokenizers
import torch
import transformers

from checks import Runner

VARIANTS = {
    "tied gelu": [],
    "untied relu": ["model.tie_embeddings=false", "model.activation=relu"],
    "exact gelu, no biases": ["model.activation=gelu_exact", "model.bias=false"],
    "odd sizes, bytes": ["model.n_embd=30", "model.n_head=3", "model.n_inner=37", "model.block_size=19", "data.tokenizer=byte"],
}
COMMON = ["data.chars=20000", "model.n_layer=2", "model.n_head=2", "model.n_embd=32", "model.block_size=24",
          "train.batch_size=4", "train.steps=20", "train.lr=1e-2", "eval.batches=0", "init.scheme=he_normal"]
runner = Runner()
check = runner.check


def run(words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True).stdout


def whole_text_loss(model, ids, block):
    """Mean loss over windows side by side, the last one shorter: eval.batches 0."""
    total = 0.0
    for start in range(0, len(ids) - 1, block):
        window = torch.tensor(ids[start:start + block + 1])[None]
        with torch.no_grad():
            logits = model(window[:, :-1]).logits
        total += torch.nn.functional.cross_entropy(logits[0].double(), window[0, 1:], reduction="sum").item()
    return total / (len(ids) - 1)


def check_tokenizer(name, folder, text):
    reader = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    expected = [b for b in range(256)] if len(vocabulary) == 256 else sorted(set(text))
    number = {b: i for i, b in enumerate(expected)}
    sample = text[:3000].decode()
    ids = reader.encode(sample).ids
    check(f"{name}: tokenizers gives our ids", ids == [number[b] for b in sample.encode()])
    check(f"{name}: and the text back", reader.decode(ids) == sample)
    return [number[b] for b in text]


def check_logits(name, dump, folder, model, ids):
    ids = ids[:model.config.n_positions]
    lines = run([dump, "logits", folder, *ids]).decode().splitlines()
    ours = np.array([[float(x) for x in line.split()] for line in lines])
    with torch.no_grad():
        theirs = model(torch.tensor(ids)[None]).logits[0].numpy()
    worst = np.abs(ours - theirs).max()
    check(f"{name}: transformers computes our logits", worst <= 1e-5, f"{worst:.1e}")


def check_variant(name, options, binary, dump, scratch):
    out = scratch / name.replace(" ", "_").replace(",", "")
    run([binary, "train", *COMMON, *options, "--out", out, "--quiet"])
    folder = out / "checkpoint"
    model = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    resolved = json.loads((out / "resolved.json").read_text())
    text = run([dump, "text", 20000, 1])
    ids = check_tokenizer(name, folder, text)
    val = ids[math.floor(len(ids) * 0.9):]
    theirs = whole_text_loss(model, val, resolved["model"]["block_size"])
    ours = float(run([binary, "eval", out]).split()[1])
    check(f"{name}: transformers computes our validation loss", abs(theirs - ours) <= 1e-5, f"{theirs:.7f} {ours:.7f}")
    check_logits(name, dump, folder, model, val)
    for file in sorted(folder.glob("*.safetensors")):
        tensors = safetensors.numpy.load_file(file)
        check(f"{name}: safetensors opens {file.name}", tensors and all(np.isfinite(t).all() for t in tensors.values()))
    moments = safetensors.numpy.load_file(folder / "optimizer.safetensors")
    check(f"{name}: moments for every weight", {k.split(".", 1)[1] for k in moments} <= {k.removeprefix("transformer.") for k in
          safetensors.numpy.load_file(folder / "model.safetensors")})
    check(f"{name}: the best checkpoint loads too", transformers.GPT2LMHeadModel.from_pretrained(out / "best") is not None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step0", required=True)
    binary = pathlib.Path(parser.parse_args().step0).resolve()
    dump = binary.parent / "build" / "tests" / "dump"
    with tempfile.TemporaryDirectory() as scratch:
        for name, options in VARIANTS.items():
            check_variant(name, options, binary, dump, pathlib.Path(scratch))
    runner.finish()


main()
