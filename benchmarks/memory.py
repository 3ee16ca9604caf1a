"""
Measure the most memory that a process takes to load, compile and run a model once.

    python benchmarks/memory.py --output benchmarks/MEMORY.md

Each measurement has a process of its own, which reads the model from one file, or from
one with its weights beside it, as the onnx package writes both.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np
from reporting import Page, chosen, json_of_python, peak_bytes, table_head, today

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
COMMAND = "python benchmarks/memory.py --output benchmarks/MEMORY.md"
NAMES = ("vgg19", "zfnet512", "alexnet", "resnet50", "encoder", "recommender", "mlp")
FORMS = ("one file", "external data")
MEGABYTE = 1e6
FILTERS = ((512, 7), (256, 4))
BATCHES: tuple[tuple[list[int], list[int]], ...] = (
    ([1, 8], [32]),
    ([1, 8, 32], [2]),
    ([8], [1]),
    ([], [1, 8, 32]),
)
BATCHES_TEXT = """
## Several batches

A 3x3 filter of a model with a symbolic batch is packed once (here for AVX2), in the
form that is best for the known batches together, or for the first one. A later batch
gets a second form where the first would take twice as long as the best
(`Costs.second_form`).
"""

Array = np.ndarray[Any, Any]


def run_glow(path: str, inputs: dict[str, Array]) -> dict[str, float]:
    """Run the model once; return what the executable holds, in bytes."""
    import glow

    net = glow.compile(path, threads=1)
    net.run(inputs)
    return {"constants": net.constant_bytes, "arena": net.arena_bytes}


def run_onnxruntime(path: str, inputs: dict[str, Array]) -> dict[str, float]:
    peer: Any = import_module("onnxruntime")
    options = peer.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = peer.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    session.run(None, inputs)
    return {}


RUNNERS = {"glow": run_glow, "onnxruntime": run_onnxruntime}


def measure_here(runner: str, path: str, inputs: str) -> dict[str, float]:
    with np.load(inputs) as arrays:
        found = RUNNERS[runner](path, dict(arrays))
    return found | {"peak": peak_bytes()}


def measure(runner: str, path: Path, inputs: Path) -> dict[str, float]:
    """Return what `measure_here` says in a process of its own."""
    return json_of_python(__file__, "--measure", runner, path, inputs)


@dataclass(frozen=True)
class Files:
    """A model in each of the forms, and what it is run on."""

    paths: dict[str, Path]
    inputs: Path
    weights_bytes: int

    @staticmethod
    def of(name: str, folder: Path) -> Files:
        """Write model `name` to `folder`; afterwards none of it is in memory."""
        import models
        import onnx

        save = cast(Any, onnx).save_model
        model = models.build(name)
        paths = {"one file": folder / "one.onnx", "external data": folder / "two.onnx"}
        save(model, paths["one file"])
        inputs: dict[str, Any] = models.inputs_of(model)
        np.savez(folder / "inputs.npz", **inputs)
        save(
            model,
            paths["external data"],
            save_as_external_data=True,
            location="two.data",
        )
        size = paths["one file"].stat().st_size
        return Files(paths, folder / "inputs.npz", size)


def limit_of(weights: float, arena: float) -> float:
    """Return the most that we allow ourselves, in bytes."""
    return 1.3 * weights + arena + 200 * MEGABYTE


def rows(name: str) -> Iterator[Sequence[str]]:
    """Yield the cells of a row per form of model `name`."""
    with tempfile.TemporaryDirectory() as folder:
        files = Files.of(name, Path(folder))
        for form in FORMS:
            path = files.paths[form]
            ours = measure("glow", path, files.inputs)
            theirs = measure("onnxruntime", path, files.inputs)["peak"]
            limit = limit_of(files.weights_bytes, ours["arena"])
            sizes = (
                *(files.weights_bytes, ours["constants"], ours["arena"]),
                *(ours["peak"], limit, theirs),
            )
            cells = [f"{size / MEGABYTE:.0f}" for size in sizes]
            yield name, form, *cells, f"{theirs / ours['peak']:.2f}"


def add_batches(page: Page) -> None:
    """Add a row per 3x3 filter that is packed for batches as they come."""
    from small_onnx import info, model, node

    import glow

    page.add(f"{BATCHES_TEXT}\n")
    page.add(table_head(("filter", "known", "later", "weights", "constants")))
    for channels, extent in FILTERS:
        shape = ("batch", channels, extent, extent)
        weights = np.ones((channels, channels, 3, 3), np.float32)
        conv = node("Conv", "x w", "y", "conv", pads=[1, 1, 1, 1])
        source = model([conv], {"x": shape}, [info("y", shape)], {"w": weights})
        for known, later in BATCHES:
            net = glow.compile(source, target="cpu:avx2", shapes={"batch": known})
            for batch in later:
                net(np.zeros((batch, *shape[1:]), np.float32))
            sizes = (each / MEGABYTE for each in (weights.nbytes, net.constant_bytes))
            listed = (", ".join(map(str, batches)) for batches in (known, later))
            name = f"{channels} channels, {extent}x{extent}"
            page.add_row(name, *listed, *(f"{size:.1f}" for size in sizes))


def header() -> str:
    return f"""# Memory

Written by `{COMMAND}`
on {today()}, ONNX Runtime {version("onnxruntime")}.

The most memory that a process takes to load a model, compile it with nothing cached
and run it once, in MB (10^6 bytes); pages of mapped files count. Constants are what
the executable keeps for its runs: weights as kernels read them. The limit is what we
ask of ourselves: 1.3 times the weights, the arena and 200 MB. The ratio is ONNX
Runtime's peak over ours: above 1 we take less.

The smallest model shows what interpreter, compiler and LLVM take, about 165 MB. The
rest is constants and arena: what is read of the file on the way is given back. Filters
of 3x3 for Winograd's F(4x4, 3x3) take four times their size, and for F(2x2, 3x3) 1.8
times; docs/decisions/0007 says which convolutions take which.

| model | from | weights | constants | arena | glow | limit | ONNX Runtime | ratio |
|---|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure peaks of memory.")
    parser.add_argument("names", nargs="*", help=f"models; {', '.join(NAMES)}")
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure is not None:
        print(json.dumps(measure_here(*args.measure)))
        return
    import models

    names = chosen(parser, args, models.MODELS, NAMES)
    page = Page(header())
    for name in names:
        for cells in rows(name):
            page.add_row(*cells)
    add_batches(page)
    page.write(args.output)


if __name__ == "__main__":
    main()
