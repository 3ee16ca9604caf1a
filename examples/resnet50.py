"""
Compile ResNet-50 from ONNX, run it, and run ONNX Runtime beside it.

`make demo` starts this; with the name of a file it only writes the network there. It
is the one that the onnx package ships, its weights drawn from a seed and scaled layer
by layer.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import glow

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

Inputs = dict[str, NDArray[Any]]

SECONDS = 5.0


def main() -> None:
    if names := sys.argv[1:]:
        folder = Path(names[0]).parent
        if not folder.is_dir():
            sys.exit(f"error: {names[0]}: no folder {folder}; create it first")
        Path(names[0]).write_bytes(models.build("resnet50").SerializeToString())
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "resnet50.onnx"
        print("writing resnet50.onnx with seeded weights ...")
        network = models.build("resnet50")
        path.write_bytes(network.SerializeToString())
        inputs = models.inputs_of(network)
        del network

        start = time.perf_counter()
        model = glow.load(path)
        loaded = time.perf_counter() - start
        net = glow.compile(model, target="cpu", threads=1)
        ops = sum(1 for _ in model.module.walk())
        stages = (glow.StageReport("import", loaded, ops), *net.stages)
        show_interface(net, model)
        show_stages(stages)
        show_speed(net, path, inputs)


def show_interface(net: glow.Executable, model: glow.Model) -> None:
    print(f"\n{model.name}, compiled for target cpu")
    for spec in net.signature.inputs:
        print(f"  input   {spec}")
    for spec in net.signature.outputs:
        print(f"  output  {spec}")


def show_stages(stages: tuple[glow.StageReport, ...]) -> None:
    print("\n  stage         time       ops")
    for stage in stages:
        ops = "" if stage.ops is None else str(stage.ops)
        print(f"  {stage.name:8} {stage.seconds * 1e3:7.0f} ms {ops:>9}")
    total = sum(stage.seconds for stage in stages)
    print(f"  {'total':8} {total * 1e3:7.0f} ms")


def show_speed(net: glow.Executable, path: Path, inputs: Inputs) -> None:
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(path, options)
    (expected,), (actual,) = session.run(None, inputs), net.run(inputs).values()
    error = np.abs(actual - expected).max() / np.abs(expected).max()
    ours, theirs = medians(lambda: net.run(inputs), lambda: session.run(None, inputs))
    print(f"\n  latency       {ours * 1e3:7.1f} ms   one thread, median")
    print(f"  ONNX Runtime  {theirs * 1e3:7.1f} ms   same process, turn by turn")
    print(f"  speed         {theirs / ours:7.2f} of ONNX Runtime's")
    print(f"  max error     {error:7.1e}      of the largest output\n")


def medians(*programs: Callable[[], object]) -> list[float]:
    """Return the median CPU time of each program in seconds; they take turns."""
    times: list[list[float]] = [[] for _ in programs]
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for program, taken in zip(programs, times, strict=True):
            start = time.process_time()
            program()
            taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in times]


if __name__ == "__main__":
    main()
