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

from onnx import ModelProto
from reporting import Page, json_of_python, processor, today

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
            net = glow.compile(path, target=target)
            peer = PEERS[PEER](str(path), 1, net.signature)
            inputs = models.inputs_of(model)
            programs += [partial(net.run, inputs), partial(peer, inputs)]
    found = interleaved_medians(programs, 1, seconds)
    return list(zip(found[::2], found[1::2], strict=True))


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
                row["name"],
                f"{row['glow_ms']:.2f}",
                f"{row['peer_ms']:.2f}",
                f"{row['peer_ms'] / row['glow_ms']:.2f}",
            )
            for row in rows
            if "glow_ms" in row
        ],
    )


def report(rows: Sequence[Row], target: str) -> str:
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

{solver_table(rows)}{latencies_text(rows)}"""


def latencies_text(rows: Sequence[Row]) -> str:
    """Return what the order of axes costs, if it was measured."""
    if not any("glow_ms" in row for row in rows):
        return ""
    return f"""
## Axis order

Medians of runs that take turns in one process. Speed is ONNX Runtime's latency over
ours: above 1 we are faster.

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
        print(json.dumps(measure(args.measure, args.target, args.seconds)))
        return
    rows: list[Row] = []
    for name in args.names or NETWORKS:
        rows += measured(name, args)
        print(f"measured {name}", file=sys.stderr, flush=True)
    Page(report(rows, args.target)).write(args.output)


if __name__ == "__main__":
    main()
