"""`glow-bench`: time a model, beside another runtime; print one JSON line."""

from __future__ import annotations

import argparse
import json
from typing import Any

from glow.tools import code_cache
from glow.tools.command_line import OneLineParser, run_tool
from glow.tools.feeds import random_inputs, read_inputs
from glow.tools.peers import PEERS, largest_error
from glow.tools.progress import progress
from glow.tools.session import Session, add_arguments, open_session
from glow.tools.timing import interleaved_medians


def _parser() -> OneLineParser:
    parser = OneLineParser(
        "glow-bench",
        description="Time a model on random inputs; print one JSON line. One thread is "
        "timed by the CPU time of the process, several by the wall clock.",
    )
    add_arguments(parser)
    code_cache.add_arguments(parser, by_default=False)  # compilation is timed
    add = parser.add_argument
    add("--vs", choices=sorted(PEERS), help="time this runtime too, turn by turn")
    add("--input", action="append", default=[], metavar="NAME=FILE.npy")
    add("--seconds", type=float, default=5.0, help="how long to measure at least")
    add("--seed", type=int, default=0, help="of the other inputs, which are random")
    return parser


def measure(session: Session, args: argparse.Namespace) -> dict[str, Any]:
    """
    Return medians, and where there is a peer, its median, the ratio and the error.

    Units: latencies in milliseconds; `ratio` is the peer's latency over ours.
    """
    net, vs, threads = session.net, args.vs, args.threads
    inputs = random_inputs(net.signature, args.seed) | read_inputs(args.input)
    programs = [lambda: net.run(inputs)]
    found: dict[str, Any] = {}
    if vs is not None:
        peer = PEERS[vs](args.model, threads, net.signature)
        theirs_in = net.signature.unpacked(inputs)
        expected = net.signature.packed(peer(theirs_in))
        found["max_error"] = float(f"{largest_error(net.run(inputs), expected):.3g}")
        programs.append(lambda: peer(theirs_in))
    ours, *theirs = interleaved_medians(programs, threads, args.seconds)
    found["glow_ms"] = round(ours * 1e3, 4)
    if vs is not None:
        found[f"{vs}_ms"] = round(theirs[0] * 1e3, 4)
        found["ratio"] = round(theirs[0] / ours, 4)
    found["compile_s"] = round(session.compile_s, 3)
    return found


def _run() -> None:
    args = _parser().parse_args()
    session = open_session(args, read_inputs(args.input))
    with progress(f"timing {args.model}"):
        found = measure(session, args)
    line = {"model": args.model, "target": args.target, "threads": args.threads}
    print(json.dumps(line | found))


def main() -> None:
    run_tool(_run)
