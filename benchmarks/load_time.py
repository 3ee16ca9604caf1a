"""
Say how long it takes until a model can be called, in every way to get there.

    python benchmarks/load_time.py --output benchmarks/LOAD_TIME.md

Each measurement has a process of its own, which begins with no more than Python. Files
have been read before, so that the disk does not count.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from reporting import chosen, json_of_python, today

import glow

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

COMMAND = "python benchmarks/load_time.py --output benchmarks/LOAD_TIME.md"
NAMES = ("resnet50", "squeezenet", "mlp", "encoder")

GLOW = """
import sys, time
start = time.process_time()
import glow
net = {make}
loaded = time.process_time() - start
import numpy as np
net(*(np.zeros(s.shape, s.dtype) for s in net.inputs))
print([loaded, time.process_time() - start])
"""
PEER = """
import sys, time
start = time.process_time()
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
{options}
net = onnxruntime.InferenceSession(sys.argv[1], options)
loaded = time.process_time() - start
import numpy as np
kinds = {{"tensor(float)": np.float32, "tensor(int64)": np.int64}}
net.run(None, {{i.name: np.zeros(i.shape, kinds[i.type]) for i in net.get_inputs()}})
print([loaded, time.process_time() - start])
"""
CALL = """
import os, sys, time
start = time.perf_counter()
import glow
ready = time.perf_counter()
net = glow.load_executable(sys.argv[1])
loaded = time.perf_counter()
import numpy as np
net(*(np.zeros(s.shape, s.dtype) for s in net.inputs))
run = time.perf_counter()
glow.load_executable(sys.argv[1])
again = time.perf_counter()
megabytes = os.path.getsize(sys.argv[1]) / 1e6
print([megabytes, ready - start, loaded - ready, run - loaded, again - run])
"""
AS_IT_IS = """
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
"""

WAYS: Mapping[str, tuple[str, str]] = {
    "compile": (GLOW.format(make="glow.compile(sys.argv[1], threads=1)"), "net.onnx"),
    "compile, kernels kept": (
        GLOW.format(
            make="glow.compile(sys.argv[1], threads=1, cache_dir=sys.argv[2],"
            " cache_bytes=0)"
        ),
        "net.onnx",
    ),
    "compile, found": (
        GLOW.format(make="glow.compile(sys.argv[1], threads=1, cache_dir=sys.argv[2])"),
        "net.onnx",
    ),
    "load_executable": (
        GLOW.format(make="glow.load_executable(sys.argv[1])"),
        "net.glow",
    ),
    "with verify": (
        GLOW.format(make="glow.load_executable(sys.argv[1], verify=True)"),
        "net.glow",
    ),
    "ORT, .onnx": (PEER.format(options=""), "net.onnx"),
    "ORT, optimized .onnx": (PEER.format(options=AS_IT_IS), "optimized.onnx"),
    "ORT, .ort": (PEER.format(options=""), "net.ort"),
}
"""The command to run, and its file."""


def write_files(name: str, folder: Path) -> None:
    """Write model `name` in all the forms that are loaded, and fill the cache."""
    path = folder / "net.onnx"
    path.write_bytes(models.build(name).SerializeToString())
    net = glow.compile(path, threads=1, cache_dir=folder / "cache")
    net.save(folder / "net.glow")
    del net
    runtime: Any = import_module("onnxruntime")
    for form, file in (("ONNX", "optimized.onnx"), ("ORT", "net.ort")):
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        options.optimized_model_filepath = str(folder / file)
        options.add_session_config_entry("session.save_model_format", form)
        runtime.InferenceSession(path, options)


def run_child(program: str, file: str, folder: Path) -> list[float]:
    """Return what `program` prints, in a process of its own."""
    command = ["-c", program, str(folder / file), str(folder / "cache")]
    return json_of_python(*command)


def medians(rows: Iterable[Sequence[float]]) -> list[float]:
    """Return the median of each column."""
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def measure(name: str, repeats: int) -> tuple[dict[str, list[float]], list[float]]:
    """Return the medians for each way, and those of the call alone."""
    taken: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    calls: list[list[float]] = []
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        # In a process of its own, so that none of its memory stays.
        command = [sys.executable, __file__, "--write", name, path]
        subprocess.run(command, check=True)
        for _ in range(repeats):
            for way, times in taken.items():
                program, file = WAYS[way]
                times.append(run_child(program, file, folder))
            calls.append(run_child(CALL, "net.glow", folder))
    return {way: medians(times) for way, times in taken.items()}, medians(calls)


def header(repeats: int) -> str:
    return f"""# Load time

Written by `{COMMAND}`
on {today()}. Medians of {repeats} processes, the ways in turn, files in memory, one
thread.

Kernels kept: `cache_dir` with machine code only. Found: the whole executable lies in
`cache_dir`; the model is hashed and the executable checked against its checksums.
`load_executable` checks constants before the first run, or at once (`verify`).
ONNX Runtime (ORT) opens the model, the graph that it optimized before, or that in
its own format.
"""


def tables(names: Sequence[str], repeats: int) -> str:
    """Measure, print each row of the first table when it is known, return both."""
    first = f"""
## From the start of a process

Seconds of CPU time from the start of a fresh process to a model that can be called / to
its first result; all imports count, NumPy's too.

| model | {" | ".join(WAYS)} |
|---|{"---|" * len(WAYS)}
"""
    second = """
## The call

Milliseconds on the clock in a fresh process: what `import glow` takes, most of it
NumPy; what `load_executable` then takes until it returns; the first run, with the
check of the constants; the same model once more.

| model | file MB | import glow | load_executable | first run | load_executable again |
|---|---|---|---|---|---|
"""
    print(first, end="")
    for name in names:
        ways, call = measure(name, repeats)
        cells = [f"{a:.2f} / {b:.2f}" for a, b in ways.values()]
        line = f"| {name} | {' | '.join(cells)} |\n"
        print(line, end="", flush=True)
        first += line
        megabytes, *seconds = call
        cells = [f"{megabytes:.1f}", *(f"{1e3 * s:.1f}" for s in seconds)]
        second += f"| {name} | {' | '.join(cells)} |\n"
    print(second, end="")
    return first + second


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure ways to load a model.")
    parser.add_argument("names", nargs="*", help="models; some of all kinds by default")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.write is not None:
        write_files(args.write[0], Path(args.write[1]))
        return
    names = chosen(parser, args, models.MODELS, NAMES)
    text = header(args.repeats)
    print(text, end="")
    text += tables(names, args.repeats)
    if args.output is not None:
        args.output.write_text(text)


if __name__ == "__main__":
    main()
