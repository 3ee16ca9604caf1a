"""The transformer of `character_transformer.py` in PyTorch, trained as it is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from character_transformer import (
    ALPHABET,
    HEADS,
    LENGTH,
    RATE,
    WIDTH,
    batch,
    initial,
)
from torch.nn import functional


def scores(weights: Any, codes: Any) -> Any:
    shape = (len(codes), LENGTH, 3, HEADS, WIDTH // HEADS)
    hidden = weights["tables"][0][codes] + weights["tables"][1]
    for layer in weights["layers"]:
        norm = functional.layer_norm(hidden, (WIDTH,), *layer["norms"][0])
        mixed = (norm @ layer["mixing"][0]).reshape(shape).permute(2, 0, 3, 1, 4)
        heads = functional.scaled_dot_product_attention(*mixed, is_causal=True)
        heads = heads.permute(0, 2, 1, 3).reshape(hidden.shape)
        hidden = hidden + heads @ layer["mixing"][1]
        norm = functional.layer_norm(hidden, (WIDTH,), *layer["norms"][1])
        wide = functional.gelu(norm @ layer["dense"][0])
        hidden = hidden + wide @ layer["dense"][1]
    return hidden @ weights["out"]


def train(steps: int) -> list[float]:
    """Return the loss of each step."""
    leaves: list[Any] = []

    def tensors(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {key: tensors(each) for key, each in tree.items()}
        if isinstance(tree, list | tuple):
            return [tensors(each) for each in tree]
        leaves.append(torch.tensor(tree, requires_grad=True))
        return leaves[-1]

    weights, rng = tensors(initial()), np.random.default_rng(1)
    optimizer = torch.optim.AdamW(leaves, lr=RATE)
    losses: list[float] = []
    for _ in range(steps):
        codes, following = (torch.tensor(each) for each in batch(rng))
        rows = scores(weights, codes).reshape(-1, len(ALPHABET))
        loss = functional.cross_entropy(rows, following.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    print([round(value, 6) for value in train(50)])
