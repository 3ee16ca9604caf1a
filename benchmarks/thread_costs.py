"""
Measure what threads cost beside computing: barriers, models in turn, idle threads.

    python benchmarks/thread_costs.py

prints one line of JSON. `threads.py` runs it in a process of its own, and makes rows of
it. All times are least or lower quartiles: whoever else wants a core only adds to them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from reporting import table_head, table_row

import glow
from glow.tools.peers import onnxruntime_peer

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models
from teams import PIECES, SECTIONS, bouncing, inputs, pool_of, program

SMALL = ("squeezenet", "shufflenet", "decoder_step")
"""Models that run in turn; the last one reads 11 MB of weights in 0.1 ms."""
LARGE = ("resnet50", "inception_v1", "encoder")
"""Models that find few of their weights in caches, even when they run alone."""

_PAUSE, _LOOKED_AT = 0.002, 0.05
"""How long after a run its process is looked at, and for how long, in seconds."""
_LEAST_RUNS = 20

_BATCH, _SHARE = 50, 0.97
"""
Runs that are timed together, and the share of as many cores as threads that the process
must have had in them: else a thread was missing.
"""

_SECTIONS = 6 * SECTIONS
"""The sections of a longer run: the difference does not contain the start of one."""

_TURNS = 20_000
"""How often a line goes from core to core and back in one measurement."""


def quartiles(
    runs: Sequence[Callable[[], object]], seconds: float, before: int = 1
) -> list[float]:
    """
    Return the lower quartile of the times that each takes, in microseconds.

    They take turns; each runs `before` times before it is timed.
    """
    taken: list[list[int]] = [[] for _ in runs]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken[-1]) < _LEAST_RUNS:
        for run, times in zip(runs, taken, strict=True):
            for _ in range(before):
                run()
            start = time.perf_counter_ns()
            run()
            times.append(time.perf_counter_ns() - start)
    return [float(np.percentile(times, 25)) / 1e3 for times in taken]


def round_trip_us(seconds: float) -> float:
    """Return what a line of the caches takes to another core and back."""
    with bouncing(_TURNS) as play:
        return quartiles([play], seconds)[0] / _TURNS


def section_us(
    threads: int, seconds: float, *, passes_on: bool = False
) -> tuple[float, float]:
    """
    Return what a section takes beyond the work of the worker that does most of it.

    Its pieces take 0.05 us or so; some read what another worker wrote if it `passes_on`
    results. What one thread does between pieces is part of them. The second number is
    what a run takes beside its sections, until workers have come. Both are NaN where
    threads never had a core each.
    """
    counts = SECTIONS, _SECTIONS
    each, rest = dict[int, float](), dict[int, float]()
    for workers in (1, threads):
        with pool_of(workers - 1):
            taken: list[list[float]] = [[] for _ in counts]
            runs = [program(int(passes_on), count) for count in counts]
            calls = [run.bind(inputs(0)).run for run in runs]
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                for run, times in zip(calls, taken, strict=True):
                    start, used = time.perf_counter_ns(), time.process_time_ns()
                    for _ in range(_BATCH):
                        run()
                    ns = time.perf_counter_ns() - start
                    if time.process_time_ns() - used > _SHARE * workers * ns:
                        times.append(ns / _BATCH / 1e3)
        few, many = (float(np.median(t)) if t else float("nan") for t in taken)
        each[workers] = (many - few) / (counts[1] - counts[0])
        rest[workers] = few - counts[0] * each[workers]
    most = -(-PIECES // threads)
    return each[threads] - each[1] * most / PIECES, rest[threads]


def runs_of(names: Sequence[str], threads: int) -> list[Callable[[], object]]:
    """Return what runs each of the models."""
    built = [models.build(name) for name in names]
    return [
        glow.compile(model, threads=threads).bind(models.inputs_of(model)).run
        for model in built
    ]


def peer_runs_of(threads: int) -> list[Callable[[], object]]:
    """Return what runs each of the small models by ONNX Runtime."""
    found: list[Callable[[], object]] = []
    with TemporaryDirectory() as folder:
        for name in SMALL:
            model, path = models.build(name), Path(folder) / f"{name}.onnx"
            path.write_bytes(model.SerializeToString())
            signature = glow.compile(path, threads=1).signature
            run = onnxruntime_peer(str(path), threads, signature)
            found.append(partial(run, models.inputs_of(model)))
    return found


def in_turn(
    runs: Sequence[Callable[[], object]], seconds: float
) -> tuple[float, float]:
    """Return what runs in turn take, and the sum of each by itself, in us."""

    def turn() -> None:
        for run in runs:
            run()

    *alone, together = quartiles([*runs, turn], seconds)
    return together, sum(alone)


def idle_share(run: Callable[[], object], rounds: int = 20) -> float:
    """Return the share of a core that the process takes from 2 ms after a run on."""
    taken = 0.0
    for _ in range(rounds):
        run()
        time.sleep(_PAUSE)
        start = time.process_time()
        time.sleep(_LOOKED_AT)
        taken += time.process_time() - start
    return taken / (rounds * _LOOKED_AT)


def measure(threads: int, seconds: float) -> dict[str, float]:
    """Return the costs: in us, as multiples, and as a share of a core."""
    several = runs_of(SMALL, threads)
    turns = {
        "several": several,
        "one": runs_of(SMALL, 1),
        "peer": peer_runs_of(threads),
        "large": runs_of(LARGE, threads),
    }
    found = {name: in_turn(runs, seconds) for name, runs in turns.items()}
    barrier, start = section_us(threads, seconds)
    return {
        "round_trip_us": round_trip_us(seconds),
        "barrier_us": barrier,
        "start_us": start,
        "passing_on_us": section_us(threads, seconds, passes_on=True)[0],
        **{f"{name}_in_turn_us": both for name, (both, _) in found.items()},
        **{f"{name}_alone_us": alone for name, (_, alone) in found.items()},
        "idle": idle_share(several[0]),
    }


def table(costs: dict[str, float], threads: int) -> str:
    """Return the costs as a table."""
    trip, wait = costs["round_trip_us"], costs["barrier_us"]
    passing, start = costs["passing_on_us"], costs["start_us"]

    def turns(runs: str) -> str:
        both, alone = costs[f"{runs}_in_turn_us"], costs[f"{runs}_alone_us"]
        return f"{both / alone:.2f}, {both - alone:.0f} us more"

    rows = (
        ("a line of the caches to another core and back", f"{trip:.2f} us"),
        (
            f"a barrier of {threads} threads",
            f"{wait:.2f} us, {wait / trip:.1f} times that",
        ),
        ("the same, and lines that one wrote go to the other", f"{passing:.2f} us"),
        (f"a run of {threads} threads beside its sections", f"{start:.1f} us"),
        (f"{', '.join(SMALL)} in turn, of the sum of each alone", turns("several")),
        ("the same with one thread", turns("one")),
        (f"the same with {threads} threads of ONNX Runtime", turns("peer")),
        (f"{', '.join(LARGE)} in turn, of the sum of each alone", turns("large")),
        ("of a core, from 2 ms after a run on", f"{costs['idle']:.2%}"),
    )
    return table_head(("cost", "measured")) + "".join(map(table_row, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what threads cost.")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    print(json.dumps(measure(args.threads, args.seconds)))


if __name__ == "__main__":
    main()
