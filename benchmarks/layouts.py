"""
Measure layouts: what still moves, how good the solver is, what axis order costs.

    python benchmarks/layouts.py --output benchmarks/LAYOUTS.md

Each model runs in a process of its own, in the axis order that it comes in and, where
it is over images, also with channels last, as converters from TensorFlow write it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from onnx import ModelProto, NodeProto, TensorProto, helper
from reporting import Page, chosen, json_of_python, processor, today

import glow
from glow.tools.layout_figures import layout_figures
from glow.tools.peers import PEERS
from glow.tools.timing import interleaved_medians

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

PEER = "onnxruntime"
COMMAND = "python benchmarks/layouts.py --output benchmarks/LAYOUTS.md"

# Built node by node, so that they can be timed in both axis orders.
TIMED = {"mobilenet_v2": models.mobilenet_v2, "resnet50_v1.5": models.resnet50}
# About 2,000 ops, to see how the solver grows.
DEEP = partial(models.mobilenet_v2, 0.25, 32, 10, ((6, 32, 222, 1),))
NETWORKS: dict[str, Callable[[], ModelProto]] = {
    **{name: partial(models.light, name) for name in models.FILES},
    **TIMED,
    "mlp": models.mlp,
    "encoder": models.encoder,
    "mobilenet_v2 of 222 blocks": DEEP,
}
IMAGES = frozenset((*models.FILES, *TIMED))

Row = dict[str, Any]
Shape = tuple[int, ...]

FILTERS = "filters"
"""The name of the convolutions whose filters a run gives."""
_SAME, _HALF = {"pads": (1, 1, 1, 1)}, {"strides": (2, 2)}
CONVOLUTIONS: dict[str, tuple[str, Shape, Shape, dict[str, Any]]] = {
    "3x3": ("Conv", (1, 256, 14, 14), (256, 256, 3, 3), _SAME),
    "3x3, batch 8": ("Conv", (8, 256, 14, 14), (256, 256, 3, 3), _SAME),
    "1x1": ("Conv", (1, 256, 14, 14), (256, 256, 1, 1), {}),
    "1x1, few pixels": ("Conv", (1, 512, 7, 7), (2048, 512, 1, 1), {}),
    "3x3, few pixels": ("Conv", (1, 512, 7, 7), (512, 512, 3, 3), _SAME),
    "depthwise": ("Conv", (1, 256, 28, 28), (256, 1, 3, 3), _SAME | {"group": 256}),
    "10 groups": ("Conv", (1, 240, 28, 28), (240, 24, 3, 3), _SAME | {"group": 10}),
    "transposed": (
        *("ConvTranspose", (1, 128, 28, 28), (128, 64, 4, 4), _SAME | _HALF),
    ),
}


def forms_of(name: str) -> dict[str, ModelProto]:
    """Return model `name` in each axis order; "" is the one that it has."""
    model = NETWORKS[name]()
    if name not in IMAGES:
        return {"": model}
    return {"NCHW": model, "NHWC": models.channels_last(model)}


def measure(name: str, target: str, seconds: float) -> list[Row]:
    """Return what is found of each form of model `name`."""
    forms = forms_of(name)
    rows = [
        {"name": f"{name} {form}".strip()} | layout_figures(model, target)
        for form, model in forms.items()
    ]
    if name in TIMED:
        times = latencies(forms, target, seconds)
        for row, (ours, theirs) in zip(rows, times, strict=True):
            row |= {"glow_ms": ours * 1e3, "peer_ms": theirs * 1e3}
    return rows


def latencies(
    forms: dict[str, ModelProto], target: str, seconds: float
) -> list[tuple[float, float]]:
    """Return our latency and the peer's of each form, all run turn by turn."""
    programs: list[Callable[[], object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for form, model in forms.items():
            path = Path(folder) / f"{form}.onnx"
            path.write_bytes(model.SerializeToString())
            net = glow.compile(path, target=target, threads=1)
            peer = PEERS[PEER](str(path), 1, net.signature)
            inputs = models.inputs_of(model)
            programs += [partial(net.run, inputs), partial(peer, inputs)]
    found = interleaved_medians(programs, 1, seconds)
    return list(zip(found[::2], found[1::2], strict=True))


def filter_models() -> dict[str, ModelProto]:
    """Return convolutions whose filters are inputs, and a network of four."""
    found = {
        name: _model([helper.make_node(kind, ["x", "w0"], ["y"], **given)], [x, w])
        for name, (kind, x, w, given) in CONVOLUTIONS.items()
    }
    filters = (32, 3, 3, 3), (64, 32, 3, 3), (128, 64, 3, 3), (128, 128, 1, 1)
    nodes: list[NodeProto] = []
    value = "x"
    for i, (shape, step) in enumerate(zip(filters, (1, 2, 2, 1), strict=True)):
        given: dict[str, Any] = {"pads": (shape[-1] // 2,) * 4, "strides": (step, step)}
        nodes += [
            helper.make_node("Conv", [value, f"w{i}"], [f"c{i}"], **given),
            helper.make_node("Relu", [f"c{i}"], [f"r{i}"]),
        ]
        value = f"r{i}"
    nodes.append(helper.make_node("GlobalAveragePool", [value], ["y"]))
    return found | {"network of 4": _model(nodes, [(1, 3, 64, 64), *filters])}


def _model(nodes: Sequence[NodeProto], shapes: Sequence[Shape]) -> ModelProto:
    """Return the model of `nodes`: inputs x, w0, w1... of `shapes` to y."""
    value, f32 = helper.make_tensor_value_info, TensorProto.FLOAT
    names = ["x", *(f"w{i}" for i in range(len(shapes) - 1))]
    inputs = [value(name, f32, s) for name, s in zip(names, shapes, strict=True)]
    graph = helper.make_graph(nodes, "filters", inputs, [value("y", f32, None)])
    opsets = [helper.make_opsetid("", 18)]
    return helper.make_model(graph, ir_version=9, opset_imports=opsets)


def measure_filters(target: str, seconds: float) -> list[Row]:
    """Return the latency of each convolution whose filter is an input."""
    rows: list[Row] = []
    for name, model in filter_models().items():
        ((ours, theirs),) = latencies({name: model}, target, seconds)
        rows.append({"filters": name, "glow_ms": ours * 1e3, "peer_ms": theirs * 1e3})
    return rows


def table(titles: str, rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; `titles` are separated by bars."""
    lines = [f"| {titles} |", "|---" * len(titles.split("|")) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def movement_table(rows: Sequence[Row]) -> str:
    return table(
        "model | transforms | copies of inputs | inside | of outputs",
        [
            (
                row["name"],
                row["transforms"],
                *(_counted(*row[key]) for key in ("in", "within", "out")),
            )
            for row in rows
        ],
    )


def _counted(count: int, bytes_: int) -> str:
    return f"{count} ({bytes_:,} B)" if count else "0"


def solver_table(rows: Sequence[Row]) -> str:
    return table(
        "model | ops | with a choice | method | width | state s | solve s | cost"
        " | greedy cost | saved",
        [
            (
                row["name"],
                row["ops"],
                row["free"],
                row["method"],
                row["width"],
                f"{row['state_s']:.3f}",
                f"{row['solve_s']:.3f}",
                f"{row['cost']:,.0f}",
                f"{row['greedy']:,.0f}",
                _saved(row["greedy"], row["cost"]),
            )
            for row in rows
        ],
    )


def _saved(greedy: float, cost: float) -> str:
    return f"{1 - cost / greedy:.1%}" if greedy > 0 else "0.0%"


def latency_table(rows: Sequence[Row]) -> str:
    return table(
        "model | glow ms | ONNX Runtime ms | speed",
        [
            (
                row.get("name") or row["filters"],
                f"{row['glow_ms']:.2f}",
                f"{row['peer_ms']:.2f}",
                f"{row['peer_ms'] / row['glow_ms']:.2f}",
            )
            for row in rows
            if "glow_ms" in row
        ],
    )


def report(found: Sequence[Row], target: str) -> str:
    rows = [row for row in found if "name" in row]
    return f"""# Layouts

Written by `{COMMAND}`
on {today()}: {processor()}, 1 thread, target {target}, ONNX Runtime {version(PEER)}.
A model named NHWC is the one named NCHW as converters from TensorFlow write it: images
come in with channels last, and each convolution stands between two transposes.

## What still moves

Transforms are what `glow-opt --layout-report` lists, copies are what runs. An input
with channels last is copied where a convolution wants zeros around it.

{movement_table(rows)}
## The solver

Costs are bytes of memory traffic. Greedy takes the cheapest layout op by op, then
changes one op at a time while that helps. Seconds are of the process: to state the
problem, and to solve it.

{solver_table(rows)}{latencies_text(rows)}{filters_text(found)}"""


def latencies_text(rows: Sequence[Row]) -> str:
    """Return what the order of axes costs, if it was measured."""
    if not any("glow_ms" in row for row in rows):
        return ""
    return f"""
## Axis order

Medians of runs that take turns in one process. Speed is ONNX Runtime's latency over
ours: above 1 we are faster.

{latency_table(rows)}"""


def filters_text(found: Sequence[Row]) -> str:
    """Return what filters cost that a run packs, if it was measured."""
    rows = [row for row in found if "filters" in row]
    if not rows:
        return ""
    return f"""
## Filters that a run gives

Filters are inputs, which each run packs. `python benchmarks/layouts.py {FILTERS}`
measures these alone. Few pixels read each weight so seldom that packing counts.

{latency_table(rows)}"""


def measured(name: str, args: argparse.Namespace) -> list[Row]:
    """Measure model `name` in a process of its own."""
    options = "--target", args.target, "--seconds", args.seconds
    return json_of_python(__file__, "--measure", name, *options)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure layouts.")
    parser.add_argument("names", nargs="*", help="models; all of them by default")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--cpu-features")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--output", type=Path, help="write the tables there too")
    parser.add_argument("--measure", metavar="NAME", help="print one model's as JSON")
    args = parser.parse_args()
    if args.cpu_features is not None:
        args.target += f":{args.cpu_features}"
    if args.measure:
        if args.measure == FILTERS:
            rows = measure_filters(args.target, args.seconds / 10)
        else:
            rows = measure(args.measure, args.target, args.seconds)
        print(json.dumps(rows))
        return
    rows: list[Row] = []
    for name in chosen(parser, args, (*NETWORKS, FILTERS)):
        rows += measured(name, args)
        print(f"measured {name}", file=sys.stderr, flush=True)
    Page(report(rows, args.target)).write(args.output)


if __name__ == "__main__":
    main()
