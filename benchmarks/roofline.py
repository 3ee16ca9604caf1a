"""
How near each model of the test suite is to what a core of this machine can do.

    python benchmarks/roofline.py --output benchmarks/ROOFLINE.md

Each model runs in a process of its own, which measures the machine too. Models that
`export_models.py` wrote to a folder are added with `--exported FOLDER`. What was
measured is kept with `--results FILE`: models that it has are not measured again, so
that a page can be made a few models at a time.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from reporting import Page, chosen_models, kept_json, processor, table_head, today

import glow
from glow.tools.roofline import (
    LOW,
    Peaks,
    Standing,
    lanes_here,
    measured,
    read_measured,
    reason_for,
    share_of,
    standings,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

HEAD = """# Models beside the limits of the machine

Written by `python benchmarks/roofline.py --output benchmarks/ROOFLINE.md`
on {date}: {processor}, one thread.

The limit of a group is the larger of two times: its arithmetic by the fastest algorithm
known here, at the peak of multiply-adds, and its bytes, each moved once, from where
they lie after the run before. [docs/profiling.md](../docs/profiling.md) says how both
are found. Times are medians, and so is the peak, in GFLOP/s, which is measured between
the runs of a model: it is what a core does at the clock that these have. Groups of less
than 0.2 us are left out. Where the best group is above 105 %, others used the machine
while its memory was measured.

"""
SLOW = """All of them, and why: a row for groups of a model whose reasons differ in
numbers only. It has the node, kernel and reason of the group that loses most time, how
many more there are, and the time and share of all. What loses most comes first."""


def measure(name: str, seconds: float, exported: Path) -> dict[str, Any]:
    """Return the time of each group of a model, and what the machine did meanwhile."""
    if name in models.MODELS:
        model = models.build(name)
        inputs = models.inputs_of(model)
    else:
        model = exported / f"{name}.onnx"
        inputs = np.load(model.with_suffix(".npz"))
    net = glow.compile(model, threads=1, profile=True)
    times, peaks = measured(net, inputs, seconds)
    return {"times": list(map(asdict, times)), "peaks": asdict(peaks)}


def slow_ones(
    found: Sequence[Standing], peaks: Peaks
) -> list[tuple[list[Standing], str]]:
    """
    Return groups below `LOW` with their reason, those together that differ in numbers.

    The first of each has the reason, and loses most time.
    """
    slow = sorted((s for s in found if s.share < LOW), key=Standing.lost)
    lanes = lanes_here()
    alike: dict[str, tuple[list[Standing], str]] = {}
    for each in reversed(slow):
        reason = reason_for(each, peaks, lanes)
        key = re.sub(r"\d+", "", f"{each.time.kernels[0]} {reason}")
        alike.setdefault(key, ([], reason))[0].append(each)
    return sorted(alike.values(), key=lambda pair: -sum(map(Standing.lost, pair[0])))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare models with the machine.")
    parser.add_argument("names", nargs="*", help="models; all of them by default")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--exported", type=Path, default=Path(), metavar="FOLDER")
    parser.add_argument("--results", type=Path, metavar="FILE", help="kept figures")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help="write the tables there too")
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one, args.seconds, args.exported)))
        return
    found: dict[str, Any] = {}
    for name in chosen_models(parser, args, models.MODELS):
        print(name, file=sys.stderr)
        command = (__file__, "--one", name, "--seconds", args.seconds)
        command += ("--exported", args.exported)
        found[name] = kept_json(args.results, name, *command)
    page = Page(HEAD.format(date=today(), processor=processor()))
    page.add(table_head(("model", "ms", "limit ms", "share", "best group", "peak")))
    read = {name: read_measured(each) for name, each in found.items()}
    peaks = {name: each for name, (_, each) in read.items()}
    stand = {name: standings(*each) for name, each in read.items()}
    for name, each in stand.items():
        sums = (sum(s.time.ns for s in each), sum(s.limit.ns for s in each))
        best = max((s.share for s in each), default=0.0)
        row = (f"{ns / 1e6:.3f}" for ns in sums)
        page.add_row(
            name,
            *row,
            f"{share_of(each):.0%}",
            f"{best:.0%}",
            f"{peaks[name].flops:.0f}",
        )
    page.add(f"\n## Groups below {LOW:.0%}\n\n{SLOW}\n\n")
    titles = ("model", "node", "more", "kernel", "us", "share", "reason")
    page.add(table_head(titles))
    for name, each in stand.items():
        for alike, reason in slow_ones(each, peaks[name]):
            time = alike[0].time
            node, kernels = time.group.name.partition(" + ")[0], ", ".join(time.kernels)
            us = sum(s.time.ns for s in alike) / 1e3
            row = (f"{us:.1f}", f"{share_of(alike):.0%}", reason)
            page.add_row(name, node, len(alike) - 1, kernels, *row)
    page.write(args.output)


if __name__ == "__main__":
    main()
