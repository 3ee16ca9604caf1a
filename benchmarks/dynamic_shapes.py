"""
Compare models of a dynamic batch with ONNX Runtime, and print a table.

    python benchmarks/export_models.py FOLDER bert_4_open bert_base_open
    python benchmarks/dynamic_shapes.py --exported FOLDER \\
        --output benchmarks/DYNAMIC_SHAPES.md

All four variants take turns in one process: ours and theirs, from the model with a
symbolic batch and from the one with this batch written into it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from onnx import ModelProto
from reporting import Page, chosen, processor, today

import glow
from glow.tools.timing import interleaved_medians

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import exported
import models

COMMAND = (
    "python benchmarks/dynamic_shapes.py --exported FOLDER "
    "--output benchmarks/DYNAMIC_SHAPES.md"
)
BATCHES = (1, 4, 8)
MODELS: dict[str, Callable[[int], ModelProto]] = {
    "mlp": models.mlp,
    "squeezenet": lambda batch: _with_batch(models.build("squeezenet"), batch),
    "encoder": partial(models.encoder, layers=2),
}


def _with_batch(model: ModelProto, batch: int | str) -> ModelProto:
    """Return the model with another first extent of its inputs and outputs."""
    found = ModelProto()
    found.CopyFrom(model)
    weights = {tensor.name for tensor in found.graph.initializer}
    for info in (*found.graph.input, *found.graph.output):
        if info.name not in weights:
            extent = info.type.tensor_type.shape.dim[0]
            extent.Clear()
            if isinstance(batch, str):
                extent.dim_param = batch
            else:
                extent.dim_value = batch
    del found.graph.value_info[:]
    return found


def symbolic(name: str) -> ModelProto:
    if name == "encoder":
        return models.encoder(layers=2, symbolic=True)
    return _with_batch(MODELS[name](1), "batch")


def onnxruntime(model: ModelProto) -> Callable[[dict[str, Any]], Any]:
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return partial(session.run, None)


def rows(name: str, seconds: float) -> Iterator[str]:
    """Yield a row for each batch: latencies and their ratios."""
    source = symbolic(name)
    dynamic, theirs = glow.compile(source, threads=1), onnxruntime(source)
    for batch in BATCHES:
        fixed_source = MODELS[name](batch)
        fixed, their_fixed = (
            glow.compile(fixed_source, threads=1),
            onnxruntime(fixed_source),
        )
        feeds = models.inputs_of(fixed_source)
        programs: list[Callable[[], object]] = [
            partial(dynamic.run, feeds),
            partial(theirs, feeds),
            partial(fixed.run, feeds),  # which shares the weights: not right behind
            partial(their_fixed, feeds),
        ]
        ours, peer, ours_fixed, peer_fixed = interleaved_medians(programs, 1, seconds)
        (wanted, *_), (found, *_) = theirs(feeds), dynamic.run(feeds).values()
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
        cells = (
            name,
            str(batch),
            f"{ours * 1e3:.3f}",
            f"{ours / ours_fixed:.2f}",
            f"{peer * 1e3:.3f}",
            f"{peer / peer_fixed:.2f}",
            f"{peer / ours:.2f}",
        )
        yield f"| {' | '.join(cells)} |\n"


Shapes: TypeAlias = list[dict[str, int]]
NewShapes: TypeAlias = tuple[ModelProto | Path, Shapes, Shapes]
"""A model, extents that are compiled, and extents that are derived."""

_COMPARED = 3
"""How many of the derived shapes are compiled from the model too."""


def new_shapes(name: str, made: NewShapes, threads: int, seconds: float) -> str:
    """Return a row of what code for a new shape takes, compiled and derived."""
    source, known, new = made
    model = glow.load(source)
    net: Any = glow.compile(
        model, threads=threads, cache_size=len(known) + len(new) + 2
    )
    for dims in known:
        net.specialize(dims)
    derived, fastest = _cpu_ms(new, net.specialize)
    assert all(net.specialize(dims).stages[0].name == "memory" for dims in new)
    statics: list[Any] = []

    def compile(dims: dict[str, int]) -> None:
        statics.append(glow.compile(glow.load(source, dims=dims), threads=threads))

    whole, _ = _cpu_ms(new[-_COMPARED:], compile)
    ratios: list[str] = []
    for dims, static in zip(new[-_COMPARED:], statics, strict=True):
        one = net.specialize(dims)
        feeds = {s.name: np.ones(s.shape, s.dtype) for s in one.signature.inputs}
        programs = [partial(each.run, feeds) for each in (one, static, one, static)]
        a, b, c, d = interleaved_medians(programs, threads, seconds)
        ratios.append(f"{(a + c) / (b + d):.2f}")
    times = f"{whole:.0f}", f"{derived:.1f}", f"{fastest:.1f}"
    return f"| {' | '.join((name, str(threads), *times, ', '.join(ratios)))} |\n"


def _cpu_ms(
    shapes: Shapes, make: Callable[[dict[str, int]], object]
) -> tuple[float, float]:
    """Return the median and the least CPU time of `make`, in milliseconds."""
    times: list[float] = []
    for dims in shapes:
        start = time.process_time()
        make(dims)
        times.append(time.process_time() - start)
    return float(np.median(times)) * 1e3, min(times) * 1e3


def _encoder() -> NewShapes:
    source = models.encoder(layers=4, width=256, heads=4, symbolic=True)
    known, new = (3, 6, 16), (5, 7, 9, 10, 11, 13, 14)
    return source, [{"batch": n} for n in known], [{"batch": n} for n in new]


def _texts(source: ModelProto | Path, batches: Sequence[int] = (2,)) -> NewShapes:
    known = [{"batch": b, "sequence": n} for b in batches for n in (51, 81, 128)]
    lengths = (55, 60, 64, 67, 70, 75, 79, 84, 88, 90, 99, 103, 112, 120)
    return source, known, [{"batch": batches[-1], "sequence": n} for n in lengths]


def new_shapes_of(folder: Path | None) -> dict[str, NewShapes]:
    """Return the models of the second table, with those in `folder`."""
    found = {
        "encoder, 4 layers of 256, by batch": _encoder(),
        "BERT, 2 layers of 64, by length": _texts(exported.read("bert")),
    }
    if folder is not None:
        small, base = (folder / f"bert_{name}_open.onnx" for name in ("4", "base"))
        found["BERT, 4 layers of 256, by batch and length"] = _texts(small, (2, 5))
        found["BERT-base, by length"] = _texts(base)
    return found


NEW_SHAPES_HEADER = """
## A new shape

CPU time of code for a shape that is between others, in milliseconds, where the cache of
machine code has all kernels: compiled from the model, and derived from the other
shapes (medians). The fastest of these shapes is one that the host of a virtual machine
did not slow down. "/ static" is the latency of the derived code over that of the
compiled, for three shapes. `--exported` has what `export_models.py` wrote.

| model | threads | compiled | derived | fastest | / static |
|---|---|---|---|---|---|
"""


def _nothing(*_: object) -> None:
    """Stand for the kernels, so that the call alone is timed."""


def per_call(seconds: float) -> str:
    """Return what a call of a dynamic executable takes more than one of a static."""
    source = symbolic("mlp")
    dynamic: Any = glow.compile(source, target="reference")
    fixed = dynamic.specialize({"batch": 1})
    fixed.execute = _nothing
    x = np.zeros((1, 784), np.float32)
    dynamic(x)
    programs: list[Callable[[], object]] = [
        lambda: [dynamic(x) for _ in range(1000)],
        lambda: [fixed(x) for _ in range(1000)],
        lambda: [dynamic.run({"input": x}) for _ in range(1000)],
        lambda: [fixed.run({"input": x}) for _ in range(1000)],
    ]
    a, b, c, d = (t * 1e3 for t in interleaved_medians(programs, 1, seconds))
    return (
        f"\nA call takes {a - b:.2f} us more than that of a static executable,"
        f" `run` by name {c - d:.2f} us.\n"
    )


def header() -> str:
    return f"""# A dynamic batch beside a static one

Written by `{COMMAND}`
on {today()}: {processor()}, 1 thread, ONNX Runtime {version("onnxruntime")}.

Latencies are medians of runs that take turns in one process, by its CPU time.
"/ static" is the latency of a symbolic batch over that of a model with this batch
written into it. Speed is ONNX Runtime's latency over ours, both with a symbolic batch.

| model | batch | glow ms | / static | ONNX Runtime ms | / static | speed |
|---|---|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Time models of a dynamic batch.")
    parser.add_argument("names", nargs="*", help="models; all of them by default")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--exported", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, help="write the table there too")
    args = parser.parse_args()
    names = chosen(parser, args, MODELS)
    page = Page(header())
    for name in names:
        for line in rows(name, args.seconds):
            page.add(line)
    page.add(per_call(args.seconds))
    if not args.names:
        page.add(NEW_SHAPES_HEADER)
        for name, made in new_shapes_of(args.exported).items():
            for threads in (1, 2):
                page.add(new_shapes(name, made, threads, args.seconds / 4))
    page.write(args.output)


if __name__ == "__main__":
    main()
