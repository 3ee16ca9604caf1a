"""A transformer learns a text; character_transformer_torch.py has the same losses."""

from __future__ import annotations

from typing import Any

import numpy as np

import glow
from glow import nn, optim

TEXT = ("the quick brown fox jumps over the lazy dog and runs away from it. " * 40)[
    :2048
]
ALPHABET = sorted(set(TEXT))
LAYERS, WIDTH, HEADS, LENGTH, BATCH, RATE = 2, 64, 4, 32, 8, 3e-3


def initial(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)

    def weight(*shape: int) -> Any:
        return np.float32(rng.standard_normal(shape) / np.sqrt(shape[0]))

    def layer() -> dict[str, Any]:
        norms = [(np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32))] * 2
        mixing = weight(WIDTH, 3 * WIDTH), weight(WIDTH, WIDTH)
        dense = weight(WIDTH, 4 * WIDTH), weight(4 * WIDTH, WIDTH)
        return {"norms": norms, "mixing": mixing, "dense": dense}

    tables = [weight(rows, WIDTH) for rows in (len(ALPHABET), LENGTH)]
    out, layers = weight(WIDTH, len(ALPHABET)), [layer() for _ in range(LAYERS)]
    return {"tables": tables, "layers": layers, "out": out}


def batch(rng: np.random.Generator) -> tuple[Any, Any]:
    """Return pieces of the text as numbers, and what follows each character."""
    codes = np.array([ALPHABET.index(character) for character in TEXT])
    places = rng.integers(0, len(codes) - LENGTH - 1, (BATCH, 1)) + np.arange(LENGTH)
    return codes[places], codes[places + 1]


def scores(weights: Any, codes: Any) -> Any:
    shape = (len(codes), LENGTH, 3, HEADS, WIDTH // HEADS)
    hidden = nn.embedding(weights["tables"][0], codes) + weights["tables"][1]
    for layer in weights["layers"]:
        mixed = nn.layer_norm(hidden, *layer["norms"][0]) @ layer["mixing"][0]
        q, k, v = np.transpose(mixed.reshape(shape), (2, 0, 3, 1, 4))
        heads = np.transpose(nn.attention(q, k, v, causal=True), (0, 2, 1, 3))
        hidden = hidden + heads.reshape(hidden.shape) @ layer["mixing"][1]
        wide = nn.gelu(nn.layer_norm(hidden, *layer["norms"][1]) @ layer["dense"][0])
        hidden = hidden + wide @ layer["dense"][1]
    return hidden @ weights["out"]


def train(steps: int) -> list[float]:
    """Return the loss of each step."""
    weights, rng = optim.variables(initial()), np.random.default_rng(1)
    optimizer = optim.adamw(RATE)
    state = optim.variables(optimizer.init(weights))

    @glow.jit
    def step(codes: Any, following: Any) -> Any:
        def loss(weights: Any) -> Any:
            rows = scores(weights, codes).reshape(-1, len(ALPHABET))
            return nn.cross_entropy(rows, following.reshape(-1))

        value, gradients = glow.value_and_grad(loss)(weights)
        optim.assign((weights, state), optimizer.update(weights, gradients, state))
        return value

    return [float(step(*batch(rng))) for _ in range(steps)]


if __name__ == "__main__":
    print(*(f"{loss:.4f}" for loss in train(200)))
