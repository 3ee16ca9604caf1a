"""
Say how the time of a compilation grows with the model, for several shapes of graphs.

    python benchmarks/growth.py --output benchmarks/GROWTH.md

Each compilation has a process of its own, which first compiles a small model alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from reporting import Page, chosen, json_of_python, table_head, today

import glow

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import growing

COMMAND = "python benchmarks/growth.py --output benchmarks/GROWTH.md"
COUNTS = [500, 2000, 8000, 32000]
FOR_TWO = 2000
"""How many nodes the models have that are compiled for two threads, too."""
STEPS = ("import", "graph", "layout", "memory", "loops", "llvm", "machine")


def compile_once(name: str, count: int, threads: int) -> dict[str, float]:
    """Return the seconds of each step of a compilation for some threads."""
    # What else the machine does stretches the wall clock, by which stages are timed.
    time.perf_counter = time.process_time
    make = growing.SHAPES[name]
    glow.compile(glow.load(make(8).SerializeToString()), threads=threads)
    content = make(count).SerializeToString()
    start = time.perf_counter()
    stages = {
        each.name: each.seconds
        for each in glow.compile(content, threads=threads).stages
    }
    return {"import": time.perf_counter() - start - sum(stages.values())} | stages


def header(counts: list[int]) -> str:
    columns = [*map(str, counts), "ms a node", *STEPS, "2 threads"]
    given = "" if counts == COUNTS else " --counts " + " ".join(map(str, counts))
    return f"""# Growth of compile time

Written by `{COMMAND}{given}`
on {today()}. Seconds of CPU time from the bytes of a model to an executable, by the
number of nodes, or of operands of one node in the last rows; then, of the largest, the
milliseconds a node in all and in each step. `test/support/growing.py` has the models.
All this is for one thread; the last column is milliseconds a node for two threads, of
{FOR_TWO:,} nodes. No machine code is kept; who compiles the model again does not pay
for that step.

{table_head(("graph", *columns))}"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how compile time grows.")
    parser.add_argument("names", nargs="*", help="shapes of graphs; all by default")
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--compile", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.compile is not None:
        name, *numbers = args.compile
        print(json.dumps(compile_once(name, *map(int, numbers))))
        return
    names = chosen(parser, args, growing.SHAPES)
    page = Page(header(args.counts))
    for name in names:
        counts = [(n, 1) for n in args.counts]
        *runs, shared = [
            json_of_python(__file__, "--compile", name, *given)
            for given in (*counts, (FOR_TWO, 2))
        ]
        totals = [f"{sum(run.values()):.2f}" for run in runs]
        steps = [sum(runs[-1].values()), *(runs[-1][step] for step in STEPS)]
        each = [f"{1e3 * seconds / args.counts[-1]:.2f}" for seconds in steps]
        both = f"{1e3 * sum(shared.values()) / FOR_TWO:.2f}"
        page.add_row(name, *totals, *each, both)
    page.write(args.output)


if __name__ == "__main__":
    main()
