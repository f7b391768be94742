#!/usr/bin/env python3
"""The switches of the forward pass and the optimizer's factors: runs of step0 against the reference in gpt.py.

    make reference && python tests/reference/test_switches.py --step0 ./step0 [--only WORD]

Each case trains a tiny model by step0, and the reference in double precision from the same initial weights.
The exit status is 1 where a check fails.
"""

import argparse
import contextlib
import functools
import io
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import torch
from safetensors.torch import load_file

from checks import NORM_TOLERANCE, Runner, check_curves, part_norms, train_step0
from gpt import DEFAULTS, GPT, evaluate, sizes, split_parts
from training import read_tokens, train, train_config

SCHEMES = Path(__file__).resolve().parents[2] / "configs" / "schemes"
SIZES = {"n_layer": 3, "n_head": 2, "n_embd": 16, "n_inner": 40, "block_size": 12}
SETTINGS = {"T": SIZES["block_size"], "B": 4, "accum": 1, "steps": 20, "lr": 3e-3, "min_lr": 3e-4, "warmup_steps": 3,
            "schedule": "cosine", "b1": 0.9, "b2": 0.99, "eps": 1e-8, "wd": 0.5, "clip": 1.0}
VAL_FRACTION = 0.1
ONE_THREAD = "--threads", "1"
LOGIT_TOLERANCE = 1e-5  # of the largest logit
ROUNDING = 1e-7  # of the whole gradient, where a part's is a sum that cancels: a scalar's, or the bias of k's, which is 0

# Large enough that every part weighs in the loss.
SCATTERED = {"*": {"normal": "0.25"}, "bias": {"normal": "0.1"},
             "norm.gain": {"normal": "1"}, "norm.bias": {"normal": "0.1"}}


def init(rules=None, optimizer=None, params=None, **model):
    """A config's `init`: scattered weights under these switches; `rules` scatters what has defaults."""
    scheme = {"params": {name: 1 for name in params or {}}, "weights": SCATTERED, "model": model,
              "optimizer": optimizer or {}}
    return {"scheme": scheme, "rules": rules or {}, "params": params or {}}


def factor(shape, value="1", **trained):
    return {"value": value, "shape": shape} | trained


ADA = {"ada": {"normal": "0.1"}, "condition": {"normal": "1"}}
SHIFT = {"shift": {"normal": "0.3"}}
GATE = {"gate": {"normal": "0.7"}}

CASES = {
    "pre": init(),
    "post": init(norm="post"),
    "sandwich": init(norm="sandwich"),
    "sub": init(norm="sub"),
    "none": init(norm="none"),
    "pre, no biases": init(bias=False),
    "post, no biases": init(norm="post", bias=False),
    "sub, no biases, untied": init(norm="sub", bias=False, tie_embeddings=False),
    "sandwich, norm_scale": init(norm="sandwich", norm_scale="1/sqrt(layer)"),
    "post, norm_scale": init(norm="post", norm_scale="1/sqrt(layer)"),
    "sub, norm_scale": init(norm="sub", norm_scale="(1 + layer)/n_layer"),
    "fixed skip and gate": init(skip=0.9, gate="1/sqrt(2*layer)"),
    "frozen vector": init(skip=factor("vector", "0.8", trained=False), gate=factor("scalar", "1/layer", trained=False)),
    "like deepnorm": init(norm="post", skip="(2*n_layer)^0.25"),
    "like admin": init(norm="post", skip=factor("vector", "1.3")),
    "scattered vector skip": init({"attn.skip": {"normal": "1"}}, norm="post", skip=factor("vector", "1.3")),
    "like rezero": init(norm="none", gate=factor("layer", "0.3")),
    "like rezero from 0": init(norm="none", gate=factor("layer", "0")),
    "scattered layer gate and skip": init(GATE | {"layer.skip": {"normal": "1"}}, gate=factor("layer"),
                                          skip=factor("layer")),
    "scalar gate and skip": init(gate=factor("scalar", "1/layer"), skip=factor("scalar", "0.9")),
    "scattered scalar gate": init(GATE, norm="sub", gate=factor("scalar")),
    "like layerscale": init(gate=factor("vector", "0.1")),
    "scattered vector gate": init(GATE, norm="sandwich", gate=factor("vector")),
    "ada_ln": init(ADA, ada_ln=True),
    "ada_ln from 0": init({"attn.ada.bias": {"zeros": True}, "mlp.ada.bias": {"zeros": True}}, ada_ln=True),
    "ada_ln, sub": init(ADA, ada_ln=True, norm="sub"),
    "ada_ln, sandwich, norm_scale, skip": init(ADA, ada_ln=True, norm="sandwich", norm_scale="0.7",
                                               skip=factor("scalar", "0.9")),
    "ada_ln, fixup_scalars": init(ADA | SHIFT, ada_ln=True, fixup_scalars=True),
    "ada_ln, no biases": init(ADA, ada_ln=True, bias=False),
    "qk_norm": init(qk_norm=True, attn_scale="1/head_dim"),
    "qk_norm, no biases": init(qk_norm=True, bias=False),
    "attn_scale by layer": init(attn_scale="1/(layer*sqrt(head_dim))"),
    "fixup_scalars": init(SHIFT, norm="none", fixup_scalars=True),
    "fixup_scalars, gate, no biases": init(SHIFT, norm="none", fixup_scalars=True, gate="0.5", bias=False),
    "fixup_scalars, pre, vector gate": init(SHIFT | GATE, fixup_scalars=True, gate=factor("vector")),
    "embd_scale, logit_scale": init(embd_scale="sqrt(n_embd)", logit_scale="1/n_embd"),
    "embd_scale, logit_scale, untied": init(embd_scale="sqrt(n_embd)", logit_scale="1/n_embd", tie_embeddings=False),
    "many at once": init(SHIFT | GATE, norm="sandwich", norm_scale="1/layer", skip=factor("vector", "0.9"),
                         gate=factor("layer"), fixup_scalars=True, qk_norm=True, attn_scale="0.5", embd_scale="2",
                         logit_scale="0.5", tie_embeddings=False, activation="gelu_exact"),
    "params in formulas": init(optimizer={"*": {"lr": "a"}}, params={"a": 0.6, "b": 3}, norm="post", norm_scale="a*b",
                               skip="b/layer", gate=factor("vector", "a"), attn_scale="a/layer", embd_scale="b",
                               logit_scale="a"),
    "optimizer": init(optimizer={
        "*": {"lr": "0.5"}, "wte": {"weight_decay": 0}, "attn.q": {"lr": "2", "eps": "1e5"},
        "attn.k": {"lr": "0.3", "weight_decay": "3"}, "attn.v": {"eps": "1e6"}, "mlp": {"lr": "n_embd/fan_in"},
        "mlp.proj": {"weight_decay": "0"}, "bias": {"lr": "1/layer"}, "attn.k.bias": {"lr": "3"}, "norm.gain": {"eps": "1e6"}}),
    "optimizer of switches": init(ADA, {
        "ada": {"lr": "0.2", "weight_decay": "5"}, "attn.ada.bias": {"lr": "4"}, "*": {"eps": "1e5", "lr": "0.7"},
        "condition": {"lr": "3", "weight_decay": "0"}, "skip": {"lr": "2"}, "mlp.skip": {"eps": "1e5"},
        "attn.q_norm.gain": {"lr": "5"}}, ada_ln=True, qk_norm=True, skip=factor("vector")),
}

# The catalogue's that set more than weights; params bring learning rates down to where rounding does not grow.
BASE = {"base_width": 32, "base_head_dim": 4}
PARAMS = {"mup": BASE, "completep": BASE, "depth_mup": BASE, "u_mup": {"eta": 16}}
CATALOGUE = {path.stem: json.loads(path.read_text()) for path in sorted(SCHEMES.glob("*.json"))}
CASES |= {f"scheme {name}": {"scheme": name, "params": PARAMS.get(name, {})}
          for name, scheme in CATALOGUE.items() if scheme.keys() & {"model", "optimizer", "output_std"}}


def selectors(part):
    """What an object of a scheme may call a part, the best match first: its role, its group, * for a matrix."""
    role = re.sub(r"^h\.\d+\.|\.weight$", "", part)
    branch, _, last = role.rpartition(".")
    if re.match(r"ln_|attn\.[qk]_norm", role):
        kind = "bias" if last == "bias" else "gain"
        return [role.removesuffix(".bias") + "." + kind, "norm." + kind]
    if role in ("skip", "gate"):
        return ["layer." + role, role]
    if role in ("wte", "wpe", "lm_head"):
        return [role, "*"]
    if last in ("q", "k", "v", "proj", "fc"):
        return [role, branch, "*"]
    if role.endswith(".ada.bias"):
        return [role, "ada"]
    return [role, last.partition("_")[0]]  # shift_in is of the group shift


def fans(part, parts):
    """fan_in and fan_out; a bias has its layer's, a vector its length."""
    shape = parts[re.sub(r"\.bias$", ".weight", part)].shape
    fan_in, fan_out = shape if len(shape) == 2 else shape * 2
    return {"fan_in": fan_out, "fan_out": fan_in} if part == "lm_head.weight" else {"fan_in": fan_in, "fan_out": fan_out}


def optimizer_factors(scheme, parts, names):
    """Of each part: the object that matches best, as a whole."""
    objects = scheme.get("optimizer", {})

    def of_part(part):
        known = names | fans(part, parts)
        if layer := re.match(r"h\.(\d+)\.", part):
            known["layer"] = int(layer[1]) + 1
        best = next((objects[selector] for selector in selectors(part) if selector in objects), {})
        return {key: evaluate(formula, known) for key, formula in best.items()}

    return of_part


class Reference:
    """What the reference makes of a case, from the weights in a checkpoint."""

    def __init__(self, case, checkpoint):
        self.scheme = case["scheme"] if isinstance(case["scheme"], dict) else CATALOGUE[case["scheme"]]
        self.rules = case.get("rules", {}).keys() | self.scheme["weights"].keys()
        self.params = self.scheme.get("params", {}) | case.get("params", {})
        self.model = SIZES | self.scheme.get("model", {})
        stored = split_parts(load_file(checkpoint / "model.safetensors"))
        if self.model_type() == "gpt2" and not self.model.get("bias", True):  # stored as 0, for transformers
            stored = {name: part for name, part in stored.items() if not name.endswith(".bias") or part.any()}
        self.parts = {name: part.double().requires_grad_() for name, part in stored.items()}
        self.gpt = GPT(self.model, self.parts, self.params)
        self.logits = self.gpt.logits

    def train(self, tokens):
        names = sizes(self.model, self.parts) | self.params
        return train(self.parts, self.logits, tokens, SETTINGS, optimizer_factors(self.scheme, self.parts, names))

    def default(self, part):
        """What a part is filled with where no rule names it; None: not a constant."""
        role, group = selectors(part)[:2]
        if self.rules & {role, group} or group in ("attn", "mlp", "*", "condition"):
            return None
        if group in ("skip", "gate"):
            return self.gpt.initial(group, int(part.split(".")[1]))
        return 1 if group == "norm.gain" else 0

    def model_type(self):
        plain = {"activation", "bias", "tie_embeddings"} | SIZES.keys()
        return "gpt2" if all(key in plain or self.model[key] == DEFAULTS[key] for key in self.model) else "step0"


def check_tensors(runner, name, reference, tokens):
    """The checkpoint holds what the reference takes, no less and no more."""
    try:
        gradients = torch.autograd.grad(reference.logits(tokens[None]).sum(), reference.parts.values(), allow_unused=True)
        wrong = [f"{part} is not used" for part, gradient in zip(reference.parts, gradients) if gradient is None]
    except (KeyError, AssertionError) as error:
        wrong = [f"{type(error).__name__} {error}"]
    runner.check(f"{name}: the checkpoint's tensors", not wrong, " ".join(wrong))
    return not wrong


def check_defaults(runner, name, reference):
    defaults = {part: value for part in reference.parts if (value := reference.default(part)) is not None}
    wrong = [part for part, value in defaults.items() if (reference.parts[part] - value).abs().max() > 1e-7 * abs(value)]
    runner.check(f"{name}: the defaults of {len(defaults)} parts without a rule", not wrong, " ".join(wrong))


def check_parts(runner, name, norms, expected):
    """Of the first row."""
    computed, total = expected["grad_norm_step0_by_tensor"], expected["grad_norm_before_clip"][0]
    others = sorted(norms.keys() ^ computed.keys())
    runner.check(f"{name}: one column a part", not others, " ".join(others))
    worst, part = max((abs(norms[part] - norm) / (NORM_TOLERANCE * norm + ROUNDING * total), part)
                      for part, norm in computed.items() if part in norms)
    runner.check(f"{name}: parts' grad_norm at step 0", worst <= 1, f"worst {worst:.1e} of what is allowed, of {part}")


def check_decoder(runner, name, reference, dump, run, tokens):
    """The logits of sampling, which computes one token at a time."""
    result = subprocess.run([dump, "logits", run, *map(str, tokens.tolist())], capture_output=True, text=True)
    if result.returncode:
        runner.check(f"{name}: the decoder's logits", False, result.stderr.strip())
        return
    ours = torch.tensor([[float(x) for x in line.split()] for line in result.stdout.splitlines()], dtype=torch.float64)
    with torch.no_grad():
        theirs = reference.logits(tokens[None])[0]
    worst = ((ours - theirs).abs().max() / theirs.abs().max()).item()
    runner.check(f"{name}: the decoder's logits", worst <= LOGIT_TOLERANCE, f"worst {worst:.1e} of the largest")


def write_text(path):
    words = "the cat sat on a mat, and looked at. Big dog ran over my hill; it fell.".split()
    path.write_text(" ".join(random.Random(1).choices(words, k=500)))


def write_config(path, init, model={}):
    write_text(path.parent / "text.txt")
    path.write_text(json.dumps({
        "data": {"text": "text.txt", "val_fraction": VAL_FRACTION, "order": "sequential"}, "model": SIZES | model, "init": init,
        "train": train_config(SETTINGS), "eval": {"every": 0}, "log": {"detail": "tensor"}}))


def check_case(runner, step0, dump, name, case, folder):
    text, config, start, run = (folder / file for file in ("text.txt", "config.json", "start", "run"))
    write_config(config, init=case)
    if not train_step0(runner, f"{name}: initial weights", step0, config, start, *ONE_THREAD, "train.steps=0",
                       "train.warmup_steps=0"):
        return
    rows = train_step0(runner, name, step0, config, run, *ONE_THREAD)
    if not rows:
        return
    tokens = read_tokens(text)
    reference = Reference(case, start / "checkpoint")
    if not check_tensors(runner, name, reference, tokens[: SETTINGS["T"]]):
        return
    check_defaults(runner, name, reference)
    expected = reference.train(tokens[: int(len(tokens) * (1 - VAL_FRACTION))])
    check_curves(runner, name, rows, SETTINGS, expected)
    check_parts(runner, name, part_norms(rows[0]), expected)
    model_type = json.loads((run / "checkpoint" / "config.json").read_text())["model_type"]
    runner.check(f"{name}: model_type {reference.model_type()}", model_type == reference.model_type(), model_type)
    if dump:
        check_decoder(runner, name, Reference(case, run / "checkpoint"), dump, run, tokens[-SETTINGS["T"] :])


def check_reference(runner):
    """The reference's blocks against PyTorch's own layer."""
    for norm in "pre", "post":
        layer = torch.nn.TransformerEncoderLayer(16, 2, 40, dropout=0, activation="gelu", norm_first=norm == "pre",
                                                 batch_first=True, dtype=torch.float64)
        torch.manual_seed(1)
        theirs = {name: torch.nn.init.normal_(tensor, std=0.5).detach() for name, tensor in layer.named_parameters()}
        parts = {"wte.weight": torch.zeros(2, 16), "wpe.weight": torch.zeros(12, 16)}
        for own, other in {"ln_1": "norm1.", "attn.c_attn": "self_attn.in_proj_", "attn.proj": "self_attn.out_proj.",
                           "ln_2": "norm2.", "mlp.fc": "linear1.", "mlp.proj": "linear2."}.items():
            parts |= {f"h.0.{own}.{kind}": theirs[other + kind].t() for kind in ("weight", "bias")}
        x = torch.randn(3, 12, 16, dtype=torch.float64)
        model = SIZES | {"n_layer": 1, "norm": norm, "activation": "gelu_exact"}
        ours = GPT(model, split_parts(parts)).blocks(x)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(12, dtype=torch.float64)
        worst = (ours - layer(x, mask, is_causal=True)).abs().max().item()
        runner.check(f"the reference: {norm} is TransformerEncoderLayer's", worst <= 1e-12, f"{worst:.1e}")


def check_config_keys(runner, step0, case, folder):
    """The same curve whether a scheme or the config sets the switches."""
    own = {"model": case["scheme"]["model"], "init": case | {"scheme": case["scheme"] | {"model": {}}}}
    curves = []
    for changes in {"init": case}, own:
        config, out = folder / f"{len(curves)}.json", folder / str(len(curves))
        write_config(config, **changes)
        name = "switches in the config" if curves else "switches in the scheme"
        rows = train_step0(runner, name, step0, config, out, *ONE_THREAD)
        curves.append([{key: row[key] for key in row if key != "seconds"} for row in rows])
    runner.check("switches in the config: the same numbers as in the scheme", curves[0] == curves[1])


def run_case(step0, dump, name):
    """In a process of its own."""
    torch.set_num_threads(1)
    runner, output = Runner(), io.StringIO()
    with contextlib.redirect_stdout(output), tempfile.TemporaryDirectory() as folder:
        check_case(runner, step0, dump, name, CASES[name], Path(folder))
    return runner, output.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step0", required=True, help="the built program")
    parser.add_argument("--only", default="", metavar="WORD", help="cases whose names contain it")
    arguments = parser.parse_args()
    step0 = shutil.which(Path(arguments.step0).resolve())
    if not step0:
        parser.error(f"--step0 {arguments.step0}: no such program")
    dump = shutil.which(Path(step0).parent / "build" / "tests" / "dump")
    torch.set_num_threads(1)
    runner = Runner()
    check_reference(runner)
    with tempfile.TemporaryDirectory() as folder:
        check_config_keys(runner, step0, CASES["many at once"], Path(folder))
    with ProcessPoolExecutor() as pool:
        names = [name for name in CASES if arguments.only in name]
        for of_case, output in pool.map(functools.partial(run_case, step0, dump), names):
            print(output, end="", flush=True)
            runner.passed += of_case.passed
            runner.failed += of_case.failed
    if not dump:
        print("skipped: the decoder's logits, no build/tests/dump beside the program")
    runner.finish()


if __name__ == "__main__":
    main()
