"""
Say where the time of a compilation goes, for every model of the test suite.

    python benchmarks/compile_time.py --output benchmarks/COMPILE_TIME.md

Each compilation has a process of its own, which first imports what compilers need. Cold
ones find no machine code, the warm one kernels that the cold one left on disk. Then
the warm one compiles the model again. In a third process ONNX Runtime opens the model.
`--exported FOLDER` adds what benchmarks/export_models.py wrote there.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reporting import (
    Page,
    chosen_models,
    json_of_python,
    peak_bytes,
    processor,
    table_head,
    today,
)

import glow

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

COMMAND = "python benchmarks/compile_time.py --output benchmarks/COMPILE_TIME.md"
STAGES = ("import", "graph", "layout", "memory", "loops", "llvm", "machine")
COLUMNS = (
    *STAGES,
    *("cold", "warm machine", "warm", "of it system", "again", "ONNX Runtime"),
    *("peak MB", "weights MB"),
)
MEGABYTE = 1 << 20
TINY = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""

Seconds = dict[str, float]


def compile_once(path: Path, cache: Path) -> dict[str, Any]:
    """Return the seconds of each step, and the largest size of this process in MB."""
    # What else the machine does stretches the wall clock, by which stages are timed.
    time.perf_counter = time.process_time
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(TINY)
        file.flush()
        glow.compile(file.name, threads=1)  # imports, and LLVM's tables
    glow.load(models.mlp().SerializeToString())  # imports, too
    gc.collect()  # else a compilation pays for what imports leave to the collector
    before = os.times().system
    found = _steps(path, cache)
    system = os.times().system - before
    peak = peak_bytes() / MEGABYTE
    again = sum(_steps(path, cache).values())
    return {"seconds": found, "system": system, "again": again, "peak": peak}


def open_once(path: Path) -> float:
    """Return the seconds in which ONNX Runtime opens the model, for one thread."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    runtime.InferenceSession(models.mlp().SerializeToString(), options)
    start = time.process_time()
    runtime.InferenceSession(path, options)
    return time.process_time() - start


def _steps(path: Path, cache: Path) -> Seconds:
    start = time.perf_counter()
    net = glow.compile(path, threads=1, cache_dir=cache, cache_bytes=0)
    stages = {stage.name: stage.seconds for stage in net.stages}
    return {"import": time.perf_counter() - start - sum(stages.values())} | stages


def measure(path: Path, repeats: int) -> dict[str, Any]:
    """Return what the columns say, each step of a compilation at its fastest."""
    cold: list[Seconds] = []
    warm: list[Seconds] = []
    system: list[float] = []
    peaks: list[float] = []
    seconds_again: list[float] = []
    opened: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(repeats):
            cache = Path(folder) / f"cache{number}"
            child = __file__, "--compile", path, cache
            first, second = json_of_python(*child), json_of_python(*child)
            cold.append(first["seconds"])
            warm.append(second["seconds"])
            system.append(second["system"])
            peaks.append(first["peak"])
            seconds_again.append(second["again"])
            opened.append(json_of_python(__file__, "--open", path))
    steps = {step: min(each[step] for each in cold) for step in STAGES}
    again = {step: min(each[step] for each in warm) for step in STAGES}
    return steps | {
        "cold": sum(steps.values()),
        "warm machine": again["machine"],
        "warm": sum(again.values()),
        "of it system": min(system),
        "again": min(seconds_again),
        "ONNX Runtime": min(opened),
        "peak MB": min(peaks),
        "weights MB": path.stat().st_size / MEGABYTE,
    }


def cells(found: dict[str, Any]) -> list[str]:
    return [
        f"{found[column]:.0f}" if column.endswith("MB") else f"{found[column]:.2f}"
        for column in COLUMNS
    ]


def header(repeats: int) -> str:
    best = f"the fastest of {repeats} processes" if repeats > 1 else "of one process"
    return f"""# Compile time

Written by `{COMMAND}`
on {today()}: {processor()}.
Seconds of CPU time, each step {best}; `docs/compile_time.md`
says what they are spent on. Cold: no machine code is kept. Warm: it lies on disk, from
another process. System: what the system takes of that, mostly to find new memory for
weights. Again: the same model once more in that process. ONNX Runtime: it opens the
same file for one thread, by version {version("onnxruntime")}. The peak is the largest
size of the process; it holds the model, its weights as they are and packed, and the
compiler.

{table_head(("model", *COLUMNS))}"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure compilations step by step.")
    parser.add_argument("names", nargs="*", help="models; all of them by default")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--exported", type=Path, help="a folder with further models")
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--compile", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.open is not None:
        print(open_once(args.open))
        return
    if args.compile is not None:
        print(json.dumps(compile_once(*args.compile)))
        return
    page = Page(header(args.repeats))
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen_models(parser, args, models.MODELS):
            if name not in models.MODELS:
                path = args.exported / f"{name}.onnx"
                page.add_row(name, *cells(measure(path, args.repeats)))
                continue
            path = Path(folder) / f"{name}.onnx"
            path.write_bytes(models.build(name).SerializeToString())
            page.add_row(name, *cells(measure(path, args.repeats)))
            path.unlink()
    page.write(args.output)


if __name__ == "__main__":
    main()
