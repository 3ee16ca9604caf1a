"""
Time steps of a decoder block with a cache on the cpu, and print a table.

    python benchmarks/kv_cache.py --output benchmarks/KV_CACHE.md

Each row is a capacity of the cache and a number of tokens in it: a step that appends
one in place, beside ONNX Runtime, which takes that many and gives back one more.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from reporting import Page, processor

import glow

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
from models.decoder import STATES, decoder, decoder_cached

COMMAND = "python benchmarks/kv_cache.py --output benchmarks/KV_CACHE.md"
ROWS = ((256, 128), (512, 128), (512, 496), (2048, 128), (2048, 1024), (2048, 2032))
"""Capacities, and how many tokens are in the cache."""
WIDTH, KV_HEADS, HEAD = 512, 2, 64


def measure(capacity: int, tokens: int, rounds: int) -> tuple[float, float, float]:
    """Return the seconds of a step, ONNX Runtime's, and the largest difference."""
    draw = np.random.default_rng(0).standard_normal
    x, length = draw((1, 1, WIDTH), np.float32), np.array([tokens])
    past = [draw((1, KV_HEADS, tokens, HEAD), np.float32) for _ in STATES]
    net = glow.compile(decoder_cached(capacity), threads=1, states=STATES)
    bound = net.bind({"input": x, "length": length})
    for name, array in zip(STATES.values(), past, strict=True):
        cache = np.zeros((1, KV_HEADS, capacity, HEAD), np.float32)
        cache[:, :, :tokens] = array
        bound[name] = cache
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    growing = decoder(1, "past", positions=capacity).SerializeToString()
    session = runtime.InferenceSession(growing, options)
    feeds = {"input": x, "positions": length.reshape(1, 1)}
    feeds |= dict(zip(STATES.values(), past, strict=True))
    error = np.abs(bound.run()["output"] - session.run(None, feeds)[0]).max()
    ours, theirs = _medians(rounds, bound.run, lambda: session.run(None, feeds))
    return ours, theirs, float(error)


def _medians(rounds: int, *programs: Callable[[], object]) -> list[float]:
    """Return the median CPU time of each program in seconds; they take turns."""
    times: list[list[float]] = [[] for _ in programs]
    for _ in range(rounds):
        for program, taken in zip(programs, times, strict=True):
            start = time.process_time()
            for _ in range(5):
                program()
            taken.append((time.process_time() - start) / 5)
    return [statistics.median(taken) for taken in times]


def table(rounds: int) -> str:
    runtime: Any = import_module("onnxruntime")
    lines = [
        "# Steps of a decoder with a cache\n",
        f"Made by `{COMMAND}`",
        f"on {processor()}, one thread, CPU time, beside ONNX Runtime",
        f"{runtime.__version__}. A block of width {WIDTH} with 8 heads of queries and",
        f"{KV_HEADS} of keys and values, one token per step. The cache keeps its",
        "capacity and is updated in place, and one executable serves all lengths; ONNX",
        "Runtime takes as many past keys and values as there are and returns one more.",
        "",
        "| capacity | tokens in it | us | ONNX Runtime, us | ratio | max error |",
        "|---|---|---|---|---|---|",
    ]
    for capacity, tokens in ROWS:
        ours, theirs, error = measure(capacity, tokens, rounds)
        lines.append(
            f"| {capacity} | {tokens} | {ours * 1e6:.0f} | {theirs * 1e6:.0f} | "
            f"{theirs / ours:.2f} | {error:.0e} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--rounds", type=int, default=200)
    args = parser.parse_args()
    Page(table(args.rounds)).write(args.output)


if __name__ == "__main__":
    main()
