"""
Time changes of physical order on the cpu, and print a table.

    python benchmarks/movement.py --output benchmarks/MOVEMENT.md

Each row is one `layout.transform`, compiled and run beside NumPy's copy of the same
permutation, ONNX Runtime's Transpose and a plain copy of as many bytes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper
from reporting import Page, processor, table_row

import glow

Array = NDArray[Any]
DTYPES = {"f32": np.float32, "f64": np.float64, "i1": np.bool_}
COMMAND = "python benchmarks/movement.py --output benchmarks/MOVEMENT.md"


@dataclass(frozen=True)
class Case:
    """
    A change of order, and how NumPy sees it.

    The array that stores the source has the shape `split`, that of the result its axes
    in `order`, the last one lengthened to `padded` if that is not 0.
    """

    name: str
    shape: tuple[int, ...]
    before: str
    after: str
    split: tuple[int, ...]
    order: tuple[int, ...]
    padded: int = 0
    element: str = "f32"

    @property
    def text(self) -> str:
        """The module that reads `x` in one layout and writes `y` in the other."""
        dims = "x".join(map(str, (*self.shape, self.element)))
        source = f"tensor<{dims}, #layout.physical<{self.before}>>"
        result = f"tensor<{dims}, #layout.physical<{self.after}>>"
        return f"""
graph.placeholder @x "in" : {source}
graph.placeholder @y "out" : {result}
func.func @main() {{
  %0 = graph.load @x : {source}
  %1 = layout.transform %0 : {source} -> {result}
  graph.save @y, %1 : {result}
  func.return
}}"""

    @property
    def reverse(self) -> Case:
        """The way back."""
        split = tuple(self.split[axis] for axis in self.order)
        order = tuple(int(axis) for axis in np.argsort(self.order))
        return replace(
            self, before=self.after, after=self.before, split=split, order=order
        )


def cases() -> Iterator[Case]:
    for c, h, w in ((3, 224, 224), (64, 56, 56), (256, 56, 56), (2048, 7, 7)):
        shape, name = (1, c, h, w), f"{c}x{h}x{w}"
        case = Case(name, shape, "NCHW", "NHWC", (c, h * w), (1, 0))
        yield from (case, case.reverse)
    for n, k in ((128, 768), (1024, 1024), (3136, 64), (1000, 1000), (12, 3136)):
        yield Case(f"{n}x{k}", (n, k), "NC", "NK", (n, k), (1, 0))
    for c, h, b in ((64, 56, 8), (64, 56, 16), (512, 14, 16)):
        shape, name = (1, c, h, h), f"{c}x{h}x{h}"
        split = (c // b, b, h * h)
        case = Case(name, shape, "NCHW", f"NCHW{b}c", split, (0, 2, 1))
        yield from (case, case.reverse)
        split = (h * h, c // b, b)
        case = Case(name, shape, "NHWC", f"NCHW{b}c", split, (1, 0, 2))
        yield from (case, case.reverse)
    for o, i, k in ((64, 64, 3), (256, 256, 3), (512, 256, 1)):
        split = (o // 16, 16, i, k * k)
        yield Case(
            f"{o}x{i}x{k}x{k}", (o, i, k, k), "OIHW", "OHWI16o", split, (0, 3, 2, 1)
        )
    yield from _attention()
    for c, h, w in ((64, 56, 56), (256, 14, 14)):
        stored = -(-w // 16) * 16
        yield Case(
            f"{c}x{h}x{w}", (1, c, h, w), "NCHW", "NCH[a=64]W", (c, h, w), (0, 1, 2),
            stored,
        )  # fmt: skip
    for groups, c, h in ((3, 240, 28), (4, 272, 28), (8, 384, 28)):
        split = (h * h, groups, c // groups)
        shape = (1, groups, c // groups, h, h)
        yield Case(
            f"shuffle {groups} of {c}x{h}x{h}", shape, "[0, 3, 4, 1, 2]",
            "[0, 3, 4, 2, 1]", split, (0, 2, 1),
        )  # fmt: skip


def _attention() -> Iterator[Case]:
    s, h, d = 128, 12, 64
    name, shape = f"{s}x{h}x{d}", (1, s, h, d)
    heads = Case(name, shape, "[0, 1, 2, 3]", "[0, 2, 1, 3]", (s, h, d), (1, 0, 2))
    turned = Case(name, shape, "[0, 2, 1, 3]", "[0, 2, 3, 1]", (h, s, d), (0, 2, 1))
    direct = Case(name, shape, "[0, 1, 2, 3]", "[0, 2, 3, 1]", (s, h, d), (1, 2, 0))
    for case in (heads, turned, direct):
        yield from (case, case.reverse)


def timed(functions: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the seconds of the fastest call of each, taking turns."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            for _ in range(5):
                start = time.perf_counter()
                function()
                best[i] = min(best[i], time.perf_counter() - start)
    return best


def aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return zeros that start at a cache line, as buffers between ops do."""
    size = prod(shape) * np.dtype(dtype).itemsize
    block = np.zeros(size + 64, np.uint8)
    start = -block.ctypes.data % 64
    return block[start : start + size].view(dtype).reshape(shape)


@cache
def compiled(text: str, target: str) -> glow.Executable:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.mlir"
        path.write_text(text)
        return glow.compile(path, target=target, threads=1)


def peer(x: Array, order: tuple[int, ...]) -> Callable[[], object]:
    """Return a call of ONNX Runtime that transposes `x`, bound to its buffers."""
    y = aligned(x.transpose(order).shape, x.dtype)
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node("Transpose", ["x"], ["y"], perm=order)],
        "transpose",
        [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info("y", kind, y.shape)],
    )
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, ir_version=10, opset_imports=opsets)
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    for bind, name, array in (
        (binding.bind_input, "x", x),
        (binding.bind_output, "y", y),
    ):
        bind(name, "cpu", 0, x.dtype.type, array.shape, array.ctypes.data)

    def run(_: Array = y) -> None:  # which lives as long as the binding
        session.run_with_iobinding(binding)

    return run


def measure(case: Case, target: str, rounds: int) -> tuple[float, float, float, float]:
    """
    Return GB/s, and the speed relative to NumPy's, the peer's and a plain copy's.

    The peer's is 0 where there is padding, which it cannot add.
    """
    dtype = DTYPES[case.element]
    x = aligned(case.split, dtype)
    x[...] = np.arange(prod(case.split)).reshape(case.split)
    want = x.transpose(case.order)
    whole = aligned((*want.shape[:-1], case.padded or want.shape[-1]), dtype)
    inside = whole[..., : want.shape[-1]]
    plain, flat = aligned(x.shape, dtype).reshape(-1), x.reshape(-1)
    tiny = Case("", (1, 1), "NC", "NC", (1, 1), (0, 1))
    one, none = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
    nothing, net = compiled(tiny.text, target), compiled(case.text, target)
    y = aligned(net.signature.outputs[0].shape, dtype)
    inputs = {"x": x.reshape(net.signature.inputs[0].shape)}

    def by_numpy() -> None:
        np.copyto(inside, want)
        whole[..., want.shape[-1] :] = 0

    functions = (
        lambda: nothing.run({"x": one}, out={"y": none}),
        lambda: net.run(inputs, out={"y": y}),
        by_numpy,
        lambda: np.copyto(plain, flat),
        peer(np.zeros((1, 1), dtype), (1, 0)),
        peer(x, case.order),
    )
    overhead, own, numpy, copy, call, theirs = timed(functions, rounds)
    assert np.array_equal(y.reshape(-1), whole.reshape(-1)), case
    own = max(own - overhead, own / 10)  # of a copy too short to tell
    theirs = 0.0 if case.padded else max(theirs - call, theirs / 10)
    return 2 * x.nbytes / own / 1e9, numpy / own, theirs / own, copy / own


def header(target: str) -> str:
    return f"""# Changes of order beside NumPy

Written by `{COMMAND}`
on {processor()}, target {target}, one thread.

GB/s count each byte read and written once. The next columns are our speed over that of
`np.copyto` of the same permutation, of ONNX Runtime's Transpose (where nothing is
padded), and of a plain copy of as many bytes; the fastest of calls that take turns, in
one process, caches warm.

What stays far from a plain copy, and why:
- Bools: a plain copy moves 64 bytes an instruction; a transpose shuffles them in four
  steps and stores 16. In blocks of 8 channels, and in turns, lines are 8 bytes.
- 1024x1024: lines are 4096 bytes apart on both sides, and 8 to 12 of those fit into the
  first-level cache. Blocks of f32 go by way of the stack. Measured too, and no faster:
  prefetching sources or results, other blocks, the stack for f64 and bools.
- 7x7, 14x14 and 3x3: the last vector of such a line overlaps the one before.
- Up to 1 MB: a plain copy stays in the second-level cache at 150 GB/s and more, twice
  what shuffles and stores of single lines reach there.

| shape | element | from | to | GB/s | NumPy | ONNX Runtime | plain copy |
|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Time changes of physical order.")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--elements", default="f32,f64,i1")
    parser.add_argument("--only", default="", help="rows whose text contains this")
    parser.add_argument("--output", type=Path, help="write the table there too")
    args = parser.parse_args()
    page = Page(header(args.target))
    for element in args.elements.split(","):
        for case in cases():
            title = case.name, element, case.before, case.after
            if args.only not in table_row(title):
                continue
            if case.padded and element != "f32":
                continue
            found = measure(replace(case, element=element), args.target, args.rounds)
            speed, numpy, theirs, copy = found
            beside = f"{theirs:.1f}" if theirs else "-"
            cells = f"{speed:.1f}", f"{numpy:.1f}", beside, f"{copy:.2f}"
            page.add_row(*title, *cells)
    page.write(args.output)


if __name__ == "__main__":
    main()
