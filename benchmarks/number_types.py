"""
Time networks in f32, f16 and bf16 beside other runtimes, and print a table.

    python benchmarks/number_types.py --output benchmarks/NUMBER_TYPES.md

The same network is made of each type by rounding its weights.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper
from reporting import Page, chosen, processor, table_head, today

import glow
from glow.tools.peers import Run, error_of, onnxruntime_peer, openvino_peer
from glow.tools.timing import interleaved_medians

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

NAMES = ("mlp", "resnet50", "encoder")
PRECISIONS = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}
"""The types, and what OpenVINO calls them; it computes the network of f32 in each."""
OPSET = 22
"""The first in which convolutions take bfloat16."""
TITLES = ("model", "type", "glow ms", "ONNX Runtime ms", "OpenVINO ms")
COMMAND = "python benchmarks/number_types.py --output benchmarks/NUMBER_TYPES.md"

Array = NDArray[Any]

KINDS = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
}


def dtype_named(name: str) -> np.dtype[Any]:
    """Return NumPy's type; onnx knows bfloat16, too."""
    return helper.tensor_dtype_to_np_dtype(KINDS[name])


def rounded(model: ModelProto, dtype: str) -> ModelProto:
    """Return `model` with all that is f32 as another type."""
    found = ModelProto()
    found.CopyFrom(model)
    kind = KINDS[dtype]
    graph = found.graph
    attributes = [a for node in graph.node for a in node.attribute]
    tensors = [a.t for a in attributes if a.type == AttributeProto.TENSOR]
    for tensor in (*graph.initializer, *tensors):
        if tensor.data_type == TensorProto.FLOAT:
            array = numpy_helper.to_array(tensor).astype(dtype_named(dtype))
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    for info in (*graph.input, *graph.output, *graph.value_info):
        if info.type.tensor_type.elem_type == TensorProto.FLOAT:
            info.type.tensor_type.elem_type = kind
    for attribute in attributes:
        if attribute.name == "to" and attribute.i == TensorProto.FLOAT:
            attribute.i = kind
    for opset in found.opset_import:
        opset.version = max(opset.version, OPSET) if not opset.domain else opset.version
    return found


def measure(page: Page, name: str, folder: Path, seconds: float) -> None:
    """Add a row for each type."""
    model = {**models.MODELS, **models.TWINS}[name]()
    feeds = models.inputs_of(model)
    exact: dict[str, Array] = {}
    for dtype in PRECISIONS:
        path = folder / f"{name}_{dtype}.onnx"
        path.write_bytes(rounded(model, dtype).SerializeToString())
        net = glow.compile(path, threads=1)
        given = {
            key: array.astype(dtype_named(dtype))
            if array.dtype == np.float32
            else array
            for key, array in feeds.items()
        }
        results = net.run(given)
        exact = exact or results
        error = max(error_of(results[key], exact[key]) for key in exact)
        plain = str(folder / f"{name}_float32.onnx")
        peers = [
            _program(onnxruntime_peer, str(path), net, given),
            _program(
                partial(openvino_peer, precision=PRECISIONS[dtype]), plain, net, feeds
            ),
        ]
        programs = [partial(net.run, given), *(peer for peer in peers if peer)]
        times = iter(interleaved_medians(programs, 1, seconds))
        ours = f"{next(times) * 1e3:.3f}"
        theirs = [f"{next(times) * 1e3:.3f}" if peer else "-" for peer in peers]
        weights = f"{net.constant_bytes / 1e6:.1f}"
        page.add_row(name, dtype, ours, *theirs, weights, f"{error:.1e}")


def _program(
    peer: Callable[..., Run], path: str, net: glow.Executable, feeds: dict[str, Array]
) -> Callable[[], object] | None:
    """Return a run of another runtime; None where it does not take the network."""
    try:
        return partial(peer(path, 1, net.signature), feeds)
    except (ImportError, ValueError):
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare number types.")
    parser.add_argument("names", nargs="*", help=f"models, by default {NAMES}")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--output", type=Path, help="write the page there too")
    args = parser.parse_args()
    names = chosen(parser, args, [*models.MODELS, *models.TWINS], NAMES)
    page = Page(
        f"# Number types\n\nWritten by `{COMMAND}` on {today()}: {processor()}, one "
        "thread.\n\nLatencies are medians of runs that take turns. The error is the "
        "largest difference from f32, as a fraction of the largest value. A dash "
        "stands where a runtime does not take the type; OpenVINO computes the network "
        "of f32 in the type.\n\n"
    )
    page.add(table_head((*TITLES, "constants MB", "error")))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            measure(page, name, Path(folder), args.seconds)
    page.write(args.output)


if __name__ == "__main__":
    main()
