"""`glow-bench`: time a model, beside other runtimes; print one JSON line."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from functools import partial
from typing import Any

from glow.progress_display import progress
from glow.runtime.comparison import random_inputs
from glow.runtime.interface import Executable
from glow.support.thread_count import allowed_threads
from glow.tools.command_line import OneLineParser, run_tool
from glow.tools.feeds import feeds_of_peers, read_arrays
from glow.tools.options import add_cache_options, add_inputs
from glow.tools.peers import PEERS, largest_error
from glow.tools.session import Session, add_arguments, open_session
from glow.tools.timing import Program, interleaved_medians

_MOST_THREADS = 1024
"""The most threads to simulate; each takes time."""


def _parser() -> OneLineParser:
    parser = OneLineParser(
        "glow-bench",
        description="Time a model on random inputs; print one JSON line, or one for "
        "each of --shapes. One thread is timed by the CPU time of the process, several "
        "by the wall clock.",
    )
    add_arguments(parser)
    add_cache_options(parser, by_default=False)  # compilation is timed
    add = parser.add_argument
    add(
        "--vs",
        action="append",
        choices=sorted(PEERS),
        default=[],
        help="time this runtime too, turn by turn; may be given again; "
        "`ratio` is the latency of the fastest over ours",
    )
    add_inputs(parser)
    add(
        "--seconds",
        type=float,
        default=5.0,
        help="how long to measure at least (default: 5)",
    )
    text = "show how near each group is to what a core of this machine can do"
    add("--roofline", action="store_true", help=text)
    text = "say how long a run would take with so many threads, by the times of pieces"
    add("--simulate-threads", type=int, metavar="N", help=text)
    add(
        "--seed",
        type=int,
        default=0,
        help="fill other inputs with random numbers of this seed (default: 0)",
    )
    return parser


def measure(session: Session, args: argparse.Namespace) -> dict[str, Any]:
    """
    Return medians, and where there are peers, theirs, the ratio and the error.

    Units: latencies in milliseconds; `ratio` is the fastest peer's latency over ours,
    `max_error` the largest difference from any.
    """
    net, threads = session.net, args.threads
    inputs = random_inputs(net.signature, args.seed) | read_arrays(args.input)
    # States stay where they are from run to run, as they do in real use.
    run = net.bind(inputs).run if net.signature.states else partial(net.run, inputs)
    programs: list[Program] = [run]
    peers = list(dict.fromkeys(args.vs))
    figures: dict[str, Any] = {}
    if peers:
        actual = net.run(inputs)
        feeds, error = feeds_of_peers(net.signature, inputs, session.bound), 0.0
        for name in peers:
            peer = PEERS[name](args.model, threads, net.signature)
            expected = net.signature.packed(peer(feeds))
            error = max(error, largest_error(actual, expected))
            programs.append(partial(peer, feeds))
        figures["max_error"] = float(f"{error:.3g}")
    ours, *theirs = interleaved_medians(programs, threads, args.seconds)
    figures["glow_ms"] = round(ours * 1e3, 4)
    for name, median in zip(peers, theirs, strict=True):
        figures[f"{name}_ms"] = round(median * 1e3, 4)
    if theirs:
        figures["ratio"] = round(min(theirs) / ours, 4)
    figures["compile_s"] = round(session.compile_s, 3)
    return figures


def _roofline(net: Executable, args: argparse.Namespace) -> str:
    """Return the table of a model's groups and their limits."""
    from glow.tools.roofline import lanes_here, measured, roofline_table, standings

    inputs = random_inputs(net.signature, args.seed) | read_arrays(args.input)
    with progress(f"profiling {args.model}"):
        times, peaks = measured(net, inputs, args.seconds)
    return roofline_table(standings(times, peaks), peaks, lanes_here())


def _simulated(net: Executable, args: argparse.Namespace) -> dict[str, Any]:
    """Return what a model would take with more threads than there are cores."""
    from glow.tools.simulation import simulated

    inputs = random_inputs(net.signature, args.seed) | read_arrays(args.input)
    return simulated(net, inputs, args.simulate_threads, args.seconds)


def _check_simulation(args: argparse.Namespace) -> None:
    if not 1 <= args.simulate_threads <= _MOST_THREADS:
        limits, got = f"1 to {_MOST_THREADS}", args.simulate_threads
        raise ValueError(f"expected --simulate-threads of {limits}, got {got}")
    if args.roofline or args.vs or args.target != "cpu":
        raise ValueError(
            "expected --simulate-threads for cpu, and without --vs and --roofline"
        )


def _run() -> None:
    args = _parser().parse_args()
    if args.threads is None:
        args.threads = 1 if args.roofline else allowed_threads()
    if args.simulate_threads is not None:
        _check_simulation(args)
        args.threads = 2  # for code that threads share; runs set how many
    if args.roofline and (args.vs or args.threads != 1 or args.target != "cpu"):
        raise ValueError("expected --roofline for one thread of cpu, and without --vs")
    if not 0 <= args.seconds < float("inf"):
        raise ValueError(f"expected 0 seconds or more to measure, got {args.seconds}")
    session = open_session(args, read_arrays(args.input))
    line = {"model": args.model, "target": args.target}
    if args.simulate_threads is None:
        line["threads"] = args.threads
    for shape, net in session.by_shape():
        if args.roofline:
            print(f"for {shape}\n" * bool(shape), end="")
            print(_roofline(net, args), end="")
            continue
        with progress(f"timing {args.model} {shape}".rstrip()):
            if args.simulate_threads is None:
                figures = measure(replace(session, net=net), args)
            else:
                figures = _simulated(net, args)
        print(json.dumps(line | ({"shape": shape} if shape else {}) | figures))


def main() -> None:
    run_tool(_run)
