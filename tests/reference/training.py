"""The reference training: batches, learning rate, clipping and AdamW in PyTorch.

Settings are step0's under short names, see COMMON in make_fixtures.py.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F

TRAIN_KEYS = {"steps": "steps", "batch_size": "B", "grad_accum": "accum", "lr": "lr", "schedule": "schedule",
              "min_lr": "min_lr", "warmup_steps": "warmup_steps", "decay_steps": "decay_steps", "beta1": "b1",
              "beta2": "b2", "eps": "eps", "weight_decay": "wd", "grad_clip": "clip"}


def train_config(settings):
    """A config's `train`."""
    return {key: settings[name] for key, name in TRAIN_KEYS.items() if name in settings}


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


def make_optimizer(named_parameters, settings, factors):
    """`factors` gives, for a parameter's name, what its lr, weight_decay and eps are multiplied by."""
    groups = {}
    for name, parameter in named_parameters.items():
        own = {"lr": 1, "weight_decay": 1, "eps": 1} | factors(name)
        decay = settings["wd"] * own["weight_decay"] if parameter.dim() == 2 else 0.0
        groups.setdefault((own["lr"], decay, settings["eps"] * own["eps"]), []).append(parameter)
    return torch.optim.AdamW([{"params": parameters, "factor": factor, "weight_decay": decay, "eps": eps}
                              for (factor, decay, eps), parameters in groups.items()],
                             betas=(settings["b1"], settings["b2"]))


def train(named_parameters, logits, tokens, settings, factors=lambda name: {}):
    """Entry s of the lists belongs to the weights after s updates, 0 to steps."""
    parameters = list(named_parameters.values())
    optimizer = make_optimizer(named_parameters, settings, factors)
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
                group["lr"] = learning_rate(settings, step) * group["factor"]
            optimizer.step()
    return {"loss": losses, "grad_norm_before_clip": norms, "grad_norm_step0_by_tensor": tensor_norms}
