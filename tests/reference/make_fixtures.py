#!/usr/bin/env python3
"""Write the parity fixtures in tests/parity: tiny GPT-2 models, texts, and what PyTorch computes from them.

The reference is a GPT in plain PyTorch operations, in float64. The script checks it against transformers'
GPT2LMHeadModel (where GPT-2 expresses the model) over the whole training, and that float32, and weights moved
by noise of 1e-6, stay within the tolerances that step0 is held to.
"""

import json
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
import transformers
from safetensors.torch import load_file, save

PARITY = Path(__file__).resolve().parent.parent / "parity"
LOSS_TOLERANCE = 2e-6
NORM_TOLERANCE = 1e-5
HF_ACTIVATION = {"gelu": "gelu_new", "gelu_exact": "gelu", "relu": "relu"}
ACTIVATION = {"gelu_new": lambda x: F.gelu(x, approximate="tanh"), "gelu": F.gelu, "relu": F.relu}

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


class GPT:
    """GPT-2's forward pass; the weights have Hugging Face's names and shapes, biases may be absent."""

    def __init__(self, config, weights):
        self.config = config
        self.weights = {name.removeprefix("transformer."): weight for name, weight in weights.items()}

    def norm(self, x, name):
        gain, bias = self.weights[name + ".weight"], self.weights.get(name + ".bias")
        return F.layer_norm(x, gain.shape, gain, bias, self.config["layer_norm_epsilon"])

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"] + self.weights.get(name + ".bias", 0)

    def attention(self, x, name):
        B, T, C = x.shape
        qkv = self.linear(x, name + ".c_attn").split(C, dim=2)
        q, k, v = (part.view(B, T, self.config["n_head"], -1).transpose(1, 2) for part in qkv)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(future, -math.inf).softmax(dim=-1) @ v
        return self.linear(mixed.transpose(1, 2).reshape(B, T, C), name + ".c_proj")

    def mlp(self, x, name):
        hidden = ACTIVATION[self.config["activation_function"]](self.linear(x, name + ".c_fc"))
        return self.linear(hidden, name + ".c_proj")

    def logits(self, tokens):
        x = self.weights["wte.weight"][tokens] + self.weights["wpe.weight"][: tokens.shape[1]]
        for layer in range(self.config["n_layer"]):
            x = x + self.attention(self.norm(x, f"h.{layer}.ln_1"), f"h.{layer}.attn")
            x = x + self.mlp(self.norm(x, f"h.{layer}.ln_2"), f"h.{layer}.mlp")
        head = "wte.weight" if self.config["tie_word_embeddings"] else "lm_head.weight"
        return self.norm(x, "ln_f") @ self.weights[head].T


def learning_rate(settings, s):
    """Of update s, 0 to N-1."""
    lr, N, w, schedule = settings["lr"], settings["steps"], settings.get("warmup_steps", 0), settings["schedule"]
    if s < w:
        return lr * (s + 1) / w
    p = (s - w) / max(1, N - 1 - w)
    if schedule == "cosine":
        return settings["min_lr"] + (lr - settings["min_lr"]) * (1 + math.cos(math.pi * p)) / 2
    if schedule == "linear":
        return lr + (settings["min_lr"] - lr) * p
    if schedule == "wsd":  # the last decay_steps updates go down in equal steps, update N-1 has min_lr
        decay = settings["decay_steps"]
        return lr + (settings["min_lr"] - lr) * max(0, s + 1 - (N - decay)) / decay
    return lr


def read_tokens(path):
    """The text as indices into its sorted distinct bytes."""
    _, tokens = np.unique(np.frombuffer(path.read_bytes(), np.uint8), return_inverse=True)
    return torch.from_numpy(tokens.astype(np.int64))


def micro_batch(tokens, settings, k):
    B, T = settings["B"], settings["T"]
    starts = [(k * B + b) % ((len(tokens) - 1) // T) * T for b in range(B)]
    windows = torch.stack([tokens[start : start + T + 1] for start in starts])
    return windows[:, :-1], windows[:, 1:]


def accumulate_gradients(logits, tokens, settings, step):
    """Add the gradients of the step's mean loss; return that loss."""
    total = 0.0
    for j in range(settings["accum"]):
        inputs, targets = micro_batch(tokens, settings, step * settings["accum"] + j)
        loss = F.cross_entropy(logits(inputs).flatten(0, 1), targets.flatten()) / settings["accum"]
        loss.backward()
        total += loss.item()
    return total


def make_optimizer(parameters, settings):
    groups = [{"params": [p for p in parameters if p.dim() == 2], "weight_decay": settings["wd"]},
              {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=settings["lr"], betas=(settings["b1"], settings["b2"]), eps=settings["eps"])


def train(named_parameters, logits, tokens, settings):
    """Entry s of the lists belongs to the weights after s updates, 0 to steps."""
    parameters = list(named_parameters.values())
    optimizer = make_optimizer(parameters, settings)
    max_norm = settings["clip"] or math.inf
    losses, norms, tensor_norms = [], [], {}
    for step in range(settings["steps"] + 1):
        optimizer.zero_grad()
        losses.append(accumulate_gradients(logits, tokens, settings, step))
        if step == 0:
            tensor_norms = {name: p.grad.norm().item() for name, p in named_parameters.items()}
        norms.append(torch.nn.utils.clip_grad_norm_(parameters, max_norm).item())
        if step < settings["steps"]:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(settings, step)
            optimizer.step()
    return {"loss": losses, "grad_norm_before_clip": norms, "grad_norm_step0_by_tensor": tensor_norms}


def run_reference(folder, settings, dtype=torch.float64, noise=0.0):
    config = json.loads((folder / "config.json").read_text())
    stored = load_file(folder / "model.safetensors")
    random = torch.Generator().manual_seed(1)
    weights = {name: weight.to(dtype) * (1 + noise * torch.randn(weight.shape, dtype=dtype, generator=random))
               for name, weight in stored.items()}
    for weight in weights.values():
        weight.requires_grad_()
    return train(weights, GPT(config, weights).logits, read_tokens(folder / "text.txt"), settings)


def run_transformers(folder, settings):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    model = transformers.GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")
    return train(dict(model.named_parameters()), lambda inputs: model(inputs).logits,
                 read_tokens(folder / "text.txt"), settings)


def worst_difference(actual, expected):
    """Largest relative difference of two lists or dictionaries; infinite for other keys, lengths or a nan."""
    if isinstance(expected, list):
        actual, expected = dict(enumerate(actual)), dict(enumerate(expected))
    if actual.keys() != expected.keys():
        return math.inf
    differences = [abs(actual[key] - expected[key]) / max(abs(expected[key]), 1e-300) for key in expected]
    return max(math.inf if math.isnan(difference) else difference for difference in differences)


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
    train_keys = {"steps": "steps", "batch_size": "B", "grad_accum": "accum", "lr": "lr", "schedule": "schedule",
                  "min_lr": "min_lr", "warmup_steps": "warmup_steps", "decay_steps": "decay_steps", "beta1": "b1",
                  "beta2": "b2", "eps": "eps", "weight_decay": "wd", "grad_clip": "clip"}
    return {"data": {"text": str(folder / "text.txt"), "val_fraction": 0, "order": "sequential"},
            "model": {"dropout": 0} | ({} if settings.get("bias", True) else {"bias": False}),
            "init": {"from": str(folder)},
            "train": {key: settings[name] for key, name in train_keys.items() if name in settings},
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
