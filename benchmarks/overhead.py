"""
Say what a call of a small model costs beside its kernels, next to ONNX Runtime.

    python benchmarks/overhead.py --output benchmarks/OVERHEAD.md

The model is an MLP of two products, 784 -> 512 -> 10. What is no kernel is timed on the
same model with no rows, which makes the same calls and computes nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reporting import Page, today

import glow
from glow.tools.timing import Program, interleaved_medians

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

COMMAND = "python benchmarks/overhead.py --output benchmarks/OVERHEAD.md"
WIDTHS = (784, 512, 10)
CALLS = 100
"""How many calls are timed together."""
LIMIT_US = 15.0
"""The most that a call with bound arrays may cost beside the kernels."""

Array = NDArray[Any]


NAMES = ("arrays bound", "arrays by name, results into given ones", "fresh results")


def our_calls(path: Path, x: Array) -> list[Program]:
    net = glow.compile(path, threads=1)
    (given,), (wanted,) = net.inputs, net.outputs
    inputs = {given.name: x}
    out = {wanted.name: np.empty(wanted.shape, wanted.dtype)}
    bound = net.bind(inputs | out)
    return [bound.run, lambda: net.run(inputs, out=out), lambda: net(x)]


def their_calls(path: Path, x: Array) -> list[Program]:
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(path, options)
    (given,), (wanted,) = session.get_inputs(), session.get_outputs()
    y = np.empty((1, WIDTHS[-1]), np.float32)
    inputs = {given.name: x}

    def bound() -> Any:
        binding = session.io_binding()
        bind(binding)
        return binding

    def bind(binding: Any) -> None:
        binding.bind_cpu_input(given.name, x)
        address = y.ctypes.data
        binding.bind_output(wanted.name, "cpu", 0, np.float32, y.shape, address)

    kept = bound()
    return [
        lambda: session.run_with_iobinding(kept),
        lambda: session.run_with_iobinding(bound()),
        lambda: session.run(None, inputs),
    ]


def often(program: Program) -> Callable[[], None]:
    def run() -> None:
        for _ in range(CALLS):
            program()

    return run


def measure(folder: Path, seconds: float) -> list[tuple[float, float, float]]:
    """Return the medians of ours, of theirs, and of ours beside kernels, in us."""
    path, idle_path = folder / "mlp.onnx", folder / "idle.onnx"
    path.write_bytes(models.mlp(widths=WIDTHS).SerializeToString())
    idle_path.write_bytes(models.mlp(0, widths=WIDTHS).SerializeToString())
    x = np.random.default_rng(0).standard_normal((1, WIDTHS[0]), np.float32)
    idle, *_ = our_calls(idle_path, x[:0])
    programs = [idle, *our_calls(path, x), *their_calls(path, x)]
    found = interleaved_medians([often(each) for each in programs], 1, seconds)
    nothing, *times = [seconds * 1e6 / CALLS for seconds in found]
    ours, theirs = times[: len(NAMES)], times[len(NAMES) :]
    kernels = ours[0] - nothing
    return [(a, b, a - kernels) for a, b in zip(ours, theirs, strict=True)]


def header() -> str:
    widths = " -> ".join(map(str, WIDTHS))
    return f"""# Overhead of a call

Written by `{COMMAND}`
on {today()}. An MLP, {widths}, batch 1, one thread: microseconds of CPU time per
call, medians, all in turns of {CALLS} calls in one process. Beside the kernels: the
first row has what a call takes on the same model with no rows, which computes nothing;
the others what they take beyond the rest of the first. ONNX Runtime has its
`io_binding`, made once, then at each call, then `run`. A call with bound arrays may
take {LIMIT_US:.0f} us beside the kernels, and less than ONNX Runtime in all.

| call | Glow | ONNX Runtime | ratio | beside the kernels |
|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a call costs.")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--output", type=Path, help="write the table there too")
    args = parser.parse_args()
    page = Page(header())
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), args.seconds)
    for name, (ours, theirs, beside) in zip(NAMES, found, strict=True):
        cells = f"{ours:.1f}", f"{theirs:.1f}", f"{theirs / ours:.2f}", f"{beside:.1f}"
        page.add_row(name, *cells)
    page.write(args.output)
    ours, theirs, beside = found[0]
    if beside > LIMIT_US or ours > theirs:
        sys.exit("error: bound arrays take longer than they may")


if __name__ == "__main__":
    main()
