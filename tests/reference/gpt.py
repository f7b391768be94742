"""The reference model: step0's GPT with every switch, in plain PyTorch operations.

`model` is the object of that name in a config. A weight is a part, named as metrics.csv names it: h.0.attn.q.weight;
a linear layer's is [in, out]. What dropout does is left out.
"""

import math
import re

import torch
import torch.nn.functional as F

ACTIVATION = {"gelu": lambda x: F.gelu(x, approximate="tanh"), "gelu_exact": F.gelu, "relu": F.relu}
FUNCTIONS = {"sqrt": math.sqrt, "ln": math.log, "exp": math.exp, "min": min, "max": max, "pi": math.pi}
DEFAULTS = {"activation": "gelu", "bias": True, "tie_embeddings": True,
            "norm": "pre", "norm_scale": 1, "skip": 1, "gate": 1, "fixup_scalars": False, "ada_ln": False, "qk_norm": False,
            "embd_scale": 1, "logit_scale": 1, "attn_scale": "1/sqrt(head_dim)"}


def evaluate(formula, names):
    return eval(str(formula).replace("^", "**"), {"__builtins__": {}} | FUNCTIONS, names)


def split_parts(tensors):
    """A checkpoint's tensors as parts: without Hugging Face's prefixes, and the fused q, k, v one by one."""
    parts = {}
    for name, tensor in tensors.items():
        name = re.sub(r"^transformer\.|(?<=\.)c_(?!attn)", "", name)
        if "c_attn" in name:
            parts |= {name.replace("c_attn", part): block for part, block in zip("qkv", tensor.chunk(3, dim=-1))}
        else:
            parts[name] = tensor
    return parts


def sizes(model, parts):
    """What formulas know, beside a scheme's params and, inside the blocks, the layer, from 1."""
    vocab, width = parts["wte.weight"].shape
    return {"n_layer": model["n_layer"], "n_head": model["n_head"], "n_embd": width, "head_dim": width // model["n_head"],
            "n_inner": parts["h.0.mlp.fc.weight"].shape[1], "block_size": parts["wpe.weight"].shape[0], "vocab_size": vocab}


def layer_norm(x):
    return F.layer_norm(x, x.shape[-1:], eps=1e-5)


class GPT:
    def __init__(self, model, parts, params=None):
        self.model = DEFAULTS | model
        self.parts = parts
        self.names = sizes(model, parts) | (params or {})

    def number(self, key, layer=None):
        return evaluate(self.model[key], self.names | ({} if layer is None else {"layer": layer + 1}))

    def vector(self, name, size):
        assert self.parts[name].shape == (size,), f"{name} has the shape {list(self.parts[name].shape)}, not [{size}]"
        return self.parts[name]

    def linear(self, x, name):
        weight = self.parts[name + ".weight"]
        return x @ weight + (self.vector(name + ".bias", weight.shape[1]) if self.model["bias"] else 0)

    def gained(self, x, name):
        """LayerNorm with a gain."""
        return layer_norm(x) * self.vector(name + ".weight", x.shape[-1])

    def norm(self, x, name):
        return self.gained(x, name) + (self.vector(name + ".bias", x.shape[-1]) if self.model["bias"] else 0)

    def block_norm(self, x, layer, name):
        return self.number("norm_scale", layer) * self.norm(x, f"h.{layer}.{name}")

    def shift(self, name):
        return self.vector(name, 1) if self.model["fixup_scalars"] else 0

    def coefficient(self, key, layer, branch):
        """skip or gate: a formula's number, or trained, of the branch or the layer."""
        given = self.factor(key)
        shape = given.get("shape", "number")
        if key == "gate" and shape == "number" and self.model["fixup_scalars"]:
            shape = "scalar"
        if shape == "number" or not given.get("trained", True):
            return self.initial(key, layer)
        name = f"h.{layer}.{key}" if shape == "layer" else f"h.{layer}.{branch}.{key}"
        return self.vector(name, self.names["n_embd"] if shape == "vector" else 1)

    def factor(self, key):
        return self.model[key] if isinstance(self.model[key], dict) else {"value": self.model[key]}

    def initial(self, key, layer):
        """skip's or gate's formula."""
        return evaluate(self.factor(key).get("value", 1), self.names | {"layer": layer + 1})

    def attention(self, u, layer, name):
        B, T, C = u.shape
        q, k, v = (self.linear(u, f"{name}.{part}").view(B, T, self.model["n_head"], -1).transpose(1, 2) for part in "qkv")
        if self.model["qk_norm"]:
            q, k = self.gained(q, name + ".q_norm"), self.gained(k, name + ".k_norm")
        scores = self.number("attn_scale", layer) * q @ k.transpose(2, 3)
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(future, -math.inf).softmax(dim=-1) @ v
        return mixed.transpose(1, 2).reshape(B, T, C)

    def mlp(self, u, name):
        hidden = self.linear(u, name + ".fc") + self.shift(name + ".shift_hidden")
        return ACTIVATION[self.model["activation"]](hidden) + self.shift(name + ".shift_mixed")

    def adaptive(self, x, layer, name):
        """adaLN: the norm on entry, and the gate, from the learned condition."""
        shift, scale, gate = self.linear(F.silu(self.parts["condition"]), name + ".ada").chunk(3)
        return self.number("norm_scale", layer) * (layer_norm(x) * (1 + scale) + shift), gate

    def branch(self, x, layer, branch):
        name, ln, norm = f"h.{layer}.{branch}", {"attn": "ln_1", "mlp": "ln_2"}[branch], self.model["norm"]
        if self.model["ada_ln"]:
            u, gate = self.adaptive(x, layer, name)
        else:
            u = self.block_norm(x, layer, ln) if norm in ("pre", "sandwich", "sub") else x
            gate = self.coefficient("gate", layer, branch)
        u = u + self.shift(name + ".shift_in")
        mixed = self.attention(u, layer, name) if branch == "attn" else self.mlp(u, name)
        if norm == "sub":
            mixed = self.block_norm(mixed, layer, ln + "_mid")
        p = self.linear(mixed, name + ".proj")
        if norm == "sandwich":
            p = self.block_norm(p, layer, ln + "_out")
        z = self.coefficient("skip", layer, branch) * x + gate * p
        return self.block_norm(z, layer, ln) if norm == "post" else z

    def blocks(self, x):
        for layer in range(self.model["n_layer"]):
            for branch in "attn", "mlp":
                x = self.branch(x, layer, branch)
        return x

    def logits(self, tokens):
        x = self.parts["wte.weight"][tokens] + self.parts["wpe.weight"][: tokens.shape[1]]
        x = self.blocks(self.number("embd_scale") * x)
        if self.model["norm"] in ("pre", "sandwich", "sub"):
            x = self.norm(x, "ln_f")
        head = "wte.weight" if self.model["tie_embeddings"] else "lm_head.weight"
        return self.number("logit_scale") * x @ self.parts[head].T
