#!/usr/bin/env python3
"""Write the parity fixtures in tests/parity: tiny GPT-2 models, texts, and what PyTorch computes from them.

The reference is gpt.py, in float64. The script checks it against transformers' GPT2LMHeadModel (where GPT-2 expresses
the model) over the whole training, and that float32, and weights moved by noise of 1e-6, stay within the tolerances
that step0 is held to.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save

sys.dont_write_bytecode = True
from checks import LOSS_TOLERANCE, NORM_TOLERANCE, worst_difference
from gpt import GPT, split_parts
from training import read_tokens, train, train_config

PARITY = Path(__file__).resolve().parent.parent / "parity"
HF_ACTIVATION = {"gelu": "gelu_new", "gelu_exact": "gelu", "relu": "relu"}

COMMON = {"L": 2, "H": 2, "C": 16, "T": 8, "B": 4, "accum": 1, "steps": 16, "lr": 3e-3, "b1": 0.9, "b2": 0.99,
          "wd": 0.1, "clip": 1.0, "tied": True, "schedule": "constant", "eps": 1e-8,
          "decay": "tensors of two dimensions, embeddings included",
          "activation": "gelu", "bias": True, "n_inner": None}

# name: (seed, bytes of text, what differs from COMMON). The seeds are ones that amplify noise little: relu_wsd's
# keeps every hidden value about 1e-4 away from ReLU's kink over the whole training.
VARIANTS = {
    "tied_gelu_cosine": (8, 4000, {"schedule": "cosine", "min_lr": 3e-4, "warmup_steps": 3}),
    "untied_exact_linear": (4, 1200, {  # a multiple of T: one window less than n/T; the run wraps
        "tied": False, "activation": "gelu_exact", "C": 20, "H": 4, "T": 12, "accum": 2,
        "schedule": "linear", "min_lr": 5e-4, "warmup_steps": 2, "wd": 0.05}),
    "relu_wsd": (4, 3000, {
        "activation": "relu", "C": 18, "H": 3, "T": 10, "B": 2, "steps": 20, "lr": 2e-3,
        "schedule": "wsd", "min_lr": 1e-4, "warmup_steps": 4, "decay_steps": 5, "clip": 0.0}),
    "nobias_constant": (5, 3000, {"bias": False, "H": 4, "T": 12, "B": 3, "steps": 12, "b2": 0.999}),
    "odd_sizes": (5, 595, {  # 54 T + 1: the last window ends with the text; the run wraps
        "C": 15, "H": 3, "n_inner": 37, "T": 11, "B": 3, "steps": 20, "b2": 0.95, "eps": 1e-6, "clip": 0.05,
        "schedule": "linear", "min_lr": 0.0}),
}


def run_reference(folder, settings, dtype=torch.float64, noise=0.0):
    config = json.loads((folder / "config.json").read_text())
    stored = load_file(folder / "model.safetensors")
    random = torch.Generator().manual_seed(1)
    weights = {name: weight.to(dtype) * (1 + noise * torch.randn(weight.shape, dtype=dtype, generator=random))
               for name, weight in stored.items()}
    for weight in weights.values():
        weight.requires_grad_()
    model = {"n_layer": config["n_layer"], "n_head": config["n_head"], "tie_embeddings": config["tie_word_embeddings"],
             "activation": {hf: own for own, hf in HF_ACTIVATION.items()}[config["activation_function"]],
             "bias": settings.get("bias", True)}
    return train(weights, lambda inputs: GPT(model, split_parts(weights)).logits(inputs),
                 read_tokens(folder / "text.txt"), settings)


def run_transformers(folder, settings):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    model = transformers.GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")
    return train(dict(model.named_parameters()), lambda inputs: model(inputs).logits,
                 read_tokens(folder / "text.txt"), settings)


def word_salad(random, length):
    """Words of invented syllables, common ones first, in sentences with a capital, a comma and a full stop."""
    syllables = ["ba", "do", "ki", "lu", "mé", "nor", "pas", "ste", "wi", "zan"]
    words = ["".join(random.choice(syllables, random.randint(1, 4))) for _ in range(40)]
    sentences, size = [], 0
    while size < length:
        picked = [words[int(len(words) * random.uniform() ** 2)] for _ in range(random.randint(4, 10))]
        picked[1] += random.choice(["", ","])
        sentences.append(" ".join(picked).capitalize() + random.choice([". ", ".\n", "?\n"]))
        size += len(sentences[-1].encode())
    return "".join(sentences).encode()[:length]


def tensor_shapes(settings, vocab):
    C, inner = settings["C"], settings["n_inner"] or 4 * settings["C"]
    shapes = {"transformer.wte": [vocab, C], "transformer.wpe": [settings["T"], C], "transformer.ln_f": [C]}
    for layer in range(settings["L"]):
        block = {"ln_1": [C], "attn.c_attn": [C, 3 * C], "attn.c_proj": [C, C],
                 "ln_2": [C], "mlp.c_fc": [C, inner], "mlp.c_proj": [inner, C]}
        shapes |= {f"transformer.h.{layer}.{name}": shape for name, shape in block.items()}
    return shapes if settings["tied"] else shapes | {"lm_head": [vocab, C]}


def draw_weights(random, settings, vocab):
    """Large weights, spread gains and nonzero biases, so that each of them weighs in the loss."""
    weights = {}
    for name, shape in tensor_shapes(settings, vocab).items():
        weights[name + ".weight"] = random.normal(*((1, 0.2) if len(shape) == 1 else (0, 0.3)), shape)
        if settings["bias"] and not name.endswith(("wte", "wpe", "lm_head")):
            weights[name + ".bias"] = random.normal(0.05, 0.1, shape[-1:])
    return {name: torch.from_numpy(weight.astype(np.float32)) for name, weight in weights.items()}


def hf_config(settings, vocab):
    return {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": vocab,
            "n_positions": settings["T"], "n_ctx": settings["T"], "n_embd": settings["C"], "n_layer": settings["L"],
            "n_head": settings["H"], "n_inner": settings["n_inner"],
            "activation_function": HF_ACTIVATION[settings["activation"]], "layer_norm_epsilon": 1e-5,
            "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "tie_word_embeddings": settings["tied"],
            "bos_token_id": None, "eos_token_id": None, "torch_dtype": "float32"}


def step0_config(settings, folder=Path(".")):
    """The run that repeats a fixture; what the model's folder says is left to init.from."""
    return {"data": {"text": str(folder / "text.txt"), "val_fraction": 0, "order": "sequential"},
            "model": {"dropout": 0} | ({} if settings.get("bias", True) else {"bias": False}),
            "init": {"from": str(folder)},
            "train": train_config(settings),
            "eval": {"every": 0},
            "log": {"every": 1, "detail": "tensor"}}


def check(name, what, actual, expected, tolerances=(LOSS_TOLERANCE, NORM_TOLERANCE)):
    loss, norm, tensors = (worst_difference(actual[key], expected[key]) for key in expected)
    print(f"{name}: {what}: loss {loss:.1e}, norm {norm:.1e}, step 0 tensors {tensors:.1e}")
    assert loss <= tolerances[0] and max(norm, tensors) <= tolerances[1], (name, what)


def write_fixture(folder, seed, length, settings):
    random = np.random.RandomState(seed)  # its streams are frozen across numpy's versions
    folder.mkdir(parents=True, exist_ok=True)
    text = word_salad(random, length)
    vocab = len(set(text))
    (folder / "text.txt").write_bytes(text)
    (folder / "model.safetensors").write_bytes(save(draw_weights(random, settings, vocab), {"format": "pt"}))
    (folder / "config.json").write_text(json.dumps(hf_config(settings, vocab), indent=1) + "\n")
    (folder / "step0.json").write_text(json.dumps(step0_config(settings), indent=1) + "\n")
    write_expected(folder, settings)


def write_expected(folder, settings):
    expected = run_reference(folder, settings)
    check(folder.name, "float32", run_reference(folder, settings, torch.float32), expected)
    check(folder.name, "noise", run_reference(folder, settings, noise=1e-6), expected)
    if settings["bias"]:
        check(folder.name, "transformers", run_transformers(folder, settings), expected, (1e-10, 1e-10))
    about = {"settings": settings,
             "batches": "sequential: row b of micro-batch k reads T tokens from ((k*B + b) mod floor((n-1)/T))*T "
                        "of the whole text (n tokens), targets shifted by one",
             "tokenizer": "char: the distinct bytes of text.txt, sorted"}
    (folder / "expected.json").write_text(json.dumps(about | expected, indent=1) + "\n")


def main():
    for name, (seed, length, changes) in VARIANTS.items():
        write_fixture(PARITY / name, seed, length, COMMON | changes)


if __name__ == "__main__":
    main()
