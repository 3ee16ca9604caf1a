"""
Compile ResNet-50 from ONNX, run it, and run ONNX Runtime beside it.

`make demo` starts this. The network is the one that the onnx package ships, its
weights drawn from a seed and scaled layer by layer.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import glow
from glow.tools.peers import Array, largest_error, onnxruntime_peer
from glow.tools.timing import interleaved_medians

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

SECONDS = 5.0


def main() -> None:
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
        net = glow.compile(model, target="cpu")
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


def show_speed(net: glow.Executable, path: Path, inputs: Mapping[str, Array]) -> None:
    peer = onnxruntime_peer(str(path), 1, net.signature)
    error = largest_error(net.run(inputs), peer(inputs))
    ours, theirs = interleaved_medians(
        [lambda: net.run(inputs), lambda: peer(inputs)], threads=1, seconds=SECONDS
    )
    print(f"\n  latency       {ours * 1e3:7.1f} ms   one thread, median")
    print(f"  ONNX Runtime  {theirs * 1e3:7.1f} ms   same process, turn by turn")
    print(f"  speed         {theirs / ours:7.2f} of ONNX Runtime's")
    print(f"  max error     {error:7.1e}      of the largest output\n")


if __name__ == "__main__":
    main()
