"""
Networks that the benchmark of training steps compares, written once for all libraries.

A network is initial weights, a batch, and the loss of both; the loss is written with
functions `f` of a library: those of `training_steps.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Random = np.random.Generator
CLASSES = 10


@dataclass(frozen=True)
class Network:
    """Networks to train: f32 weights in nested lists and dicts, and their loss."""

    what: str
    initial: Callable[[Random], Any]
    batch: Callable[[Random], tuple[Any, Any]]
    loss: Callable[[Any, Any, Any, Any], Any]


def _weight(rng: Random, fan_in: int, *shape: int) -> Any:
    return np.float32(rng.standard_normal(shape) * np.sqrt(2 / fan_in))


def _linear(rng: Random, inputs: int, outputs: int) -> list[Any]:
    return [_weight(rng, inputs, inputs, outputs), np.zeros(outputs, np.float32)]


def _labeled(rng: Random, *shape: int) -> tuple[Any, Any]:
    labels = rng.integers(0, CLASSES, shape[0])
    return rng.standard_normal(shape).astype(np.float32), labels


MLP_WIDTHS = (784, 512, 512, CLASSES)


def _mlp_initial(rng: Random) -> Any:
    return [_linear(rng, *pair) for pair in pairwise(MLP_WIDTHS)]


def _mlp_loss(f: Any, weights: Any, x: Any, labels: Any) -> Any:
    for layer in weights[:-1]:
        x = f.relu(x @ layer[0] + layer[1])
    return f.cross_entropy(x @ weights[-1][0] + weights[-1][1], labels)


def _lenet_initial(rng: Random) -> Any:
    def filter(inputs: int, outputs: int) -> list[Any]:
        made = _weight(rng, inputs * 25, outputs, inputs, 5, 5)
        return [made, np.zeros(outputs, np.float32)]

    dense = [_linear(rng, *pair) for pair in ((400, 120), (120, 84), (84, CLASSES))]
    return {"filters": [filter(1, 6), filter(6, 16)], "dense": dense}


def _lenet_loss(f: Any, weights: Any, x: Any, labels: Any) -> Any:
    for (filter, bias), padding in zip(weights["filters"], (2, 0), strict=True):
        x = f.max_pool(f.relu(f.conv(x, filter, bias, 1, padding)), 2, 2, 0)
    return _mlp_loss(f, weights["dense"], x.reshape(-1, 400), labels)


BLOCKS = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
"""Channels and stride of each residual block of ResNet-18."""


def _normalized(rng: Random, outputs: int, inputs: int, kernel: int) -> dict[str, Any]:
    """Return a filter, and the scale and bias of the norm behind it."""
    return {
        "filter": _weight(rng, inputs * kernel**2, outputs, inputs, kernel, kernel),
        "scale": np.ones(outputs, np.float32),
        "bias": np.zeros(outputs, np.float32),
    }


def _resnet_initial(rng: Random) -> Any:
    blocks: list[Any] = []
    channels = 64
    for outputs, stride in BLOCKS:
        block = {
            "first": _normalized(rng, outputs, channels, 3),
            "second": _normalized(rng, outputs, outputs, 3),
        }
        if stride > 1:
            block["shortcut"] = _normalized(rng, outputs, channels, 1)
        blocks.append(block)
        channels = outputs
    stem = _normalized(rng, 64, 3, 7)
    return {"stem": stem, "blocks": blocks, "dense": _linear(rng, 512, CLASSES)}


def _resnet_loss(f: Any, weights: Any, x: Any, labels: Any) -> Any:
    def conv(x: Any, part: Any, stride: int) -> Any:
        padding = part["filter"].shape[-1] // 2
        y = f.conv(x, part["filter"], None, stride, padding)
        return f.batch_norm(y, part["scale"], part["bias"])

    x = f.max_pool(f.relu(conv(x, weights["stem"], 2)), 3, 2, 1)
    for block, (_, stride) in zip(weights["blocks"], BLOCKS, strict=True):
        y = conv(f.relu(conv(x, block["first"], stride)), block["second"], 1)
        x = conv(x, block["shortcut"], stride) if "shortcut" in block else x
        x = f.relu(x + y)
    return _mlp_loss(f, [weights["dense"]], f.mean(x, (2, 3)), labels)


LAYERS, WIDTH, HEADS, LENGTH, ALPHABET, BATCH = 4, 128, 4, 64, 256, 8


def _transformer_initial(rng: Random) -> Any:
    def layer() -> dict[str, Any]:
        norms = [[np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)]] * 2
        dense = [_linear(rng, WIDTH, 4 * WIDTH), _linear(rng, 4 * WIDTH, WIDTH)]
        mixing = [_linear(rng, WIDTH, 3 * WIDTH), _linear(rng, WIDTH, WIDTH)]
        return {"norms": norms, "mixing": mixing, "dense": dense}

    tables = [_weight(rng, WIDTH, rows, WIDTH) for rows in (ALPHABET, LENGTH)]
    layers = [layer() for _ in range(LAYERS)]
    return {"tables": tables, "layers": layers, "out": _linear(rng, WIDTH, ALPHABET)}


def _transformer_batch(rng: Random) -> tuple[Any, Any]:
    codes = rng.integers(0, ALPHABET, (BATCH, LENGTH + 1))
    return codes[:, :-1], np.ascontiguousarray(codes[:, 1:]).reshape(-1)


def _transformer_loss(f: Any, weights: Any, codes: Any, labels: Any) -> Any:
    shape = (BATCH, LENGTH, 3, HEADS, WIDTH // HEADS)
    hidden = f.embedding(weights["tables"][0], codes) + weights["tables"][1]

    def linear(x: Any, layer: Any) -> Any:
        return x @ layer[0] + layer[1]

    for layer in weights["layers"]:
        norm = f.layer_norm(hidden, *layer["norms"][0])
        mixed = linear(norm, layer["mixing"][0]).reshape(shape)
        q, k, v = f.transpose(mixed, (2, 0, 3, 1, 4))
        heads = f.transpose(f.attention(q, k, v), (0, 2, 1, 3))
        hidden = hidden + linear(heads.reshape(hidden.shape), layer["mixing"][1])
        norm = f.layer_norm(hidden, *layer["norms"][1])
        wide = f.gelu(linear(norm, layer["dense"][0]))
        hidden = hidden + linear(wide, layer["dense"][1])
    return _mlp_loss(f, [weights["out"]], hidden.reshape(-1, WIDTH), labels)


NETWORKS = {
    "mlp": Network(
        f"widths {'-'.join(map(str, MLP_WIDTHS))}, batch 64",
        _mlp_initial,
        lambda rng: _labeled(rng, 64, 784),
        _mlp_loss,
    ),
    "lenet": Network(
        "LeNet-5 with maximum pools, batch 64 at 28x28",
        _lenet_initial,
        lambda rng: _labeled(rng, 64, 1, 28, 28),
        _lenet_loss,
    ),
    "resnet18": Network(
        "batch norms of the batch, batch 8 at 64x64",
        _resnet_initial,
        lambda rng: _labeled(rng, 8, 3, 64, 64),
        _resnet_loss,
    ),
    "transformer": Network(
        f"{LAYERS} layers of width {WIDTH}, {HEADS} heads, causal, batch {BATCH} of "
        f"{LENGTH} tokens",
        _transformer_initial,
        _transformer_batch,
        _transformer_loss,
    ),
}
