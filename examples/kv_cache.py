"""
Generate tokens with a cache of keys and values that stays where it is.

A block of a decoder (grouped attention, rotary embedding, gated feed-forward) is
compiled once. Each step appends to a cache of fixed capacity in place, and says how
many tokens are in it; ONNX Runtime runs the same block beside it in its usual form, in
which each step takes the past and gives it back, one token longer.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import glow

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
from models.decoder import STATES, decoder, decoder_cached

Array = NDArray[Any]

WIDTH = 512
CAPACITY = 256
TOKENS = 128
VOCABULARY = 1000


class Cached:
    """The block with a cache of fixed capacity: one executable for all steps."""

    def __init__(self) -> None:
        net = glow.compile(decoder_cached(CAPACITY), threads=1, states=STATES)
        self.signature = net.signature
        self.x = np.empty((1, 1, WIDTH), np.float32)
        self.length = np.zeros(1, np.int64)
        self.bound = net.bind({"input": self.x, "length": self.length})

    def step(self, x: Array) -> Array:
        self.x[...] = x
        found = self.bound.run()["output"]
        self.length += 1  # the next token comes behind this one
        return found


class Growing:
    """The block as ONNX Runtime runs it: the past goes in, and comes out longer."""

    def __init__(self) -> None:
        runtime: Any = import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        model = decoder(1, "past", positions=CAPACITY).SerializeToString()
        self.session = runtime.InferenceSession(model, options)
        self.past = [np.zeros((1, 2, 0, 64), np.float32)] * 2

    def step(self, x: Array) -> Array:
        position = np.array([[self.past[0].shape[2]]])
        feeds = {"input": x, "positions": position}
        feeds |= dict(zip(STATES.values(), self.past, strict=True))
        found, *self.past = self.session.run(None, feeds)
        return found


def main() -> None:
    ours, theirs = Cached(), Growing()
    print(f"\ndecoder block {ours.signature}\n")
    draw = np.random.default_rng(0).standard_normal
    table, head = (draw((VOCABULARY, WIDTH), np.float32) for _ in range(2))
    token, tokens, error = 0, list[int](), 0.0
    seconds = [0.0, 0.0]
    for _ in range(TOKENS):
        x = table[token].reshape(1, 1, WIDTH)
        found: list[Array] = []
        for i, block in enumerate((ours, theirs)):
            start = time.process_time()
            found.append(block.step(x))
            seconds[i] += time.process_time() - start
        error = max(error, float(np.abs(found[0] - found[1]).max()))
        token = int(np.argmax(head @ found[0].reshape(-1)))
        tokens.append(token)
    np.testing.assert_allclose(error, 0, atol=1e-3)
    print(f"  tokens        {' '.join(map(str, tokens[:8]))} ...")
    print(f"  ours          {TOKENS / seconds[0]:7.0f} tokens/s, one thread")
    print(f"  ONNX Runtime  {TOKENS / seconds[1]:7.0f} tokens/s, turn by turn")
    print(f"  max error     {error:7.1e}\n")


if __name__ == "__main__":
    main()
