"""Training steps of step0 beside PyTorch's on this machine, in turn, on the same shapes; prints ratios, asserts nothing.

    make reference && python tests/reference/bench.py --step0 ./step0 [--shapes A B C D] [--rounds 5] [--recipe]

PyTorch's side is the usual one: fused attention (scaled_dot_product_attention), fused AdamW, gradient clipping, eager and
compiled. step0's steps are those of a real run, from `seconds` in metrics.csv, and have every layer's gradient norm in
them; shape C, whose vocabulary no text of characters has, is taken from `step0 bench`. `--recipe` also times all of
configs/shakespeare.json on both sides, from launch to the last validation loss.
"""

import argparse
import csv
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from training import learning_rate

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]

#          n_layer n_head n_embd block_size batch_size vocabulary steps
SHAPES = {"A": (4, 4, 128, 64, 12, 65, 100),    # nanoGPT's recipe for a CPU
          "B": (6, 6, 384, 256, 8, 65, 8),
          "C": (12, 12, 768, 64, 4, 50257, 4),  # GPT-2 124M
          "D": (24, 2, 64, 32, 16, 65, 60)}     # the demo
WARM = 3                                        # steps of a run that are not counted


class Block(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.attn_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.attn(self.ln_1(x)).view(B, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.attn_proj(mixed.transpose(1, 2).reshape(B, T, C))
        return x + self.proj(F.gelu(self.fc(self.ln_2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, layers, heads, width, length, vocabulary):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(heads, width) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(F.linear(self.ln_f(x), self.wte.weight).flatten(0, 1), targets.flatten())


class Peer:
    """PyTorch's training of one shape."""

    def __init__(self, shape, compiled, lr=1e-3):
        layers, heads, width, self.length, self.batch, self.vocabulary, _ = shape
        self.model = GPT(layers, heads, width, self.length, self.vocabulary)
        matrices = [w for w in self.model.parameters() if w.dim() == 2]
        vectors = [w for w in self.model.parameters() if w.dim() != 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.99), fused=True)
        self.loss = torch.compile(self.model) if compiled else self.model

    def windows(self, tokens):
        start = torch.randint(len(tokens) - self.length, (self.batch, 1))
        window = tokens[start + torch.arange(self.length + 1)]
        return window[:, :-1], window[:, 1:]

    def step(self, tokens):
        loss = self.loss(*self.windows(tokens))
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item()

    def seconds(self, tokens, steps):
        """Of each of `steps` steps."""
        times = [time.perf_counter()]
        for _ in range(steps):
            self.step(tokens)
            times.append(time.perf_counter())
        return np.diff(times).tolist()


def keys(shape, text):
    layers, heads, width, length, batch, vocabulary, steps = shape
    return [f"data.text={text}", f"model.n_layer={layers}", f"model.n_head={heads}", f"model.n_embd={width}", f"model.block_size={length}",
            f"train.batch_size={batch}", f"train.steps={steps + WARM}", "eval.every=0", "eval.batches=1", "data.val_fraction=0"]


def step0_seconds(step0, shape, text, threads, folder):
    """Of each step of a real run, or the median that `bench` gives where no text has such a vocabulary."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    if shape[5] > 256:
        words = [step0, "bench", *keys(shape, text)[1:-3], "--vocab", str(shape[5]), "--steps", str(shape[6]), "--json"]
        return [json.loads(subprocess.run(words, env=environment, check=True, capture_output=True).stdout)["step_ms"] * 1e-3]
    out = folder / "run"
    subprocess.run([step0, "train", *keys(shape, text), "--quiet", "--overwrite", "--out", out], env=environment, check=True, capture_output=True)
    with (out / "metrics.csv").open(newline="") as file:
        seconds = [float(row["seconds"]) for row in csv.DictReader(file)]
    return np.diff(seconds)[WARM:].tolist()


def compare_shape(name, arguments, folder):
    shape = SHAPES[name]
    text = folder / "text"
    text.write_bytes(bytes(random.Random(1).choices(range(33, 98), k=200000)))
    tokens = torch.randint(shape[5], (200000,))
    peers = {mode: Peer(shape, mode == "compiled") for mode in arguments.peers}
    for peer in peers.values():
        peer.seconds(tokens, WARM)
    medians = {side: [] for side in ("step0", *peers)}
    for _ in range(arguments.rounds):
        medians["step0"].append(statistics.median(step0_seconds(arguments.step0, shape, text, arguments.threads, folder)))
        for side, peer in peers.items():
            medians[side].append(statistics.median(peer.seconds(tokens, shape[6])))
    best = min(peers, key=lambda side: statistics.median(medians[side]))
    ratios = sorted(theirs / ours for theirs, ours in zip(medians[best], medians["step0"]))
    print(f"{name}  " + "  ".join(f"{side} {statistics.median(values) * 1e3:.2f} ms" for side, values in medians.items()) +
          f"  step0 is {statistics.median(ratios):.2f} times as fast as {best} ({ratios[0]:.2f} to {ratios[-1]:.2f} in {len(ratios)} rounds)", flush=True)


# --- the whole recipe ---

def validation_loss(model, tokens, length):
    """Over windows side by side, whole ones only."""
    count = (len(tokens) - 1) // length
    x, y = tokens[: count * length].view(-1, length), tokens[1 : count * length + 1].view(-1, length)
    with torch.no_grad():
        return sum(model(a, b).item() * len(a) for a, b in zip(x.split(64), y.split(64))) / count


def peer_recipe(text, threads):
    """configs/shakespeare.json, in PyTorch."""
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    config = json.loads((ROOT / "configs" / "shakespeare.json").read_text())
    model, train = config["model"], config["train"]
    vocabulary, tokens = np.unique(np.frombuffer(text.read_bytes(), np.uint8), return_inverse=True)
    tokens = torch.from_numpy(tokens.astype(np.int64))
    cut = int(len(tokens) * 0.9)
    steps = train["steps"]
    peer = Peer((model["n_layer"], model["n_head"], model["n_embd"], model["block_size"], train["batch_size"], len(vocabulary), steps), False, train["lr"])
    for step in range(steps + 1):
        if step % config["eval"]["every"] == 0:
            loss = validation_loss(peer.model, tokens[cut:], model["block_size"])
        for group in peer.optimizer.param_groups:
            group["lr"] = learning_rate(train | {"schedule": "cosine"}, step)
        if step < steps:
            peer.step(tokens[:cut])
    print(f"{loss:.4f}")


def compare_recipe(arguments, folder):
    environment = os.environ | {"OMP_NUM_THREADS": str(arguments.threads)}
    ours = [arguments.step0, "train", ROOT / "configs" / "shakespeare.json", f"data.text={arguments.text}", "--quiet", "--overwrite", "--out", folder / "recipe"]
    theirs = [sys.executable, __file__, "--peer-recipe", "--text", arguments.text, "--threads", str(arguments.threads)]
    ratios = []
    for _ in range(arguments.recipe):
        times = []
        for words in ours, theirs:
            start = time.perf_counter()
            result = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
            times.append(time.perf_counter() - start)
        ratios.append(times[1] / times[0])
        print(f"recipe  step0 {times[0]:.1f} s  eager {times[1]:.1f} s (its validation loss {result.stdout.strip()})  {ratios[-1]:.2f} times as fast", flush=True)
    print(f"recipe  median {statistics.median(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step0", default="./step0", help="the built program")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--peers", nargs="+", default=["eager", "compiled"], choices=["eager", "compiled"], help="compiling D takes minutes")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--recipe", type=int, nargs="?", const=3, default=0, metavar="ROUNDS", help="also the whole of configs/shakespeare.json")
    parser.add_argument("--text", type=Path, default=ROOT / "data" / "tinyshakespeare.txt", help="the recipe's text")
    parser.add_argument("--peer-recipe", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer_recipe:
        return peer_recipe(arguments.text, arguments.threads)
    arguments.step0 = shutil.which(Path(arguments.step0).resolve()) or parser.error(f"--step0 {arguments.step0}: no such program")
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.shapes:
            compare_shape(name, arguments, Path(folder))
        if arguments.recipe:
            compare_recipe(arguments, Path(folder))


if __name__ == "__main__":
    main()
