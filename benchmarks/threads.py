"""
Measure what a second thread is worth, beside other runtimes, and print a table.

    python benchmarks/threads.py --output benchmarks/THREADS.md

Each runtime runs in a process of its own, one after the other, several times. Two
processes with one thread each, at the same time, show what the machine's cores allow.
Models that `export_models.py` wrote to a folder are added with `--exported FOLDER`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from compare_models import PEERS, found, milliseconds, version_of, versions, written
from reporting import (
    Page,
    chosen_models,
    json_of_python,
    processor,
    table_head,
    table_row,
    today,
)
from thread_costs import round_trip_us, table

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

COMMAND = "python benchmarks/threads.py --output benchmarks/THREADS.md"
NAMES = ("resnet50", "encoder", "squeezenet", "shufflenet", "decoder_step", "mlp")
"""The models of the test suite that are measured by default."""

BUSY = ("resnet50", "encoder")
"""Those that are measured beside busy processes, too."""

BESIDE_BUSY = """
## Beside busy processes

The same while as many other processes as threads compute all the time. Where threads
wait long for processors, runs take one thread for a while
([docs/threads.md](../docs/threads.md)).

"""

COSTS = """
## Beside computing

Medians over processes of lower quartiles of runs that take turns. Small models in turn
find less of their weights in caches; memory gives these to two threads no faster than
to one, so two threads lose as much time, of half as much. Large models lose nothing.
Where others want the cores, one thread does runs, and a barrier is not measured.

"""


_TRIP_SECONDS = 0.05


def child(
    program: str, path: str, threads: int, seconds: float, *, is_alone: bool
) -> dict[str, Any]:
    """
    Return the median of a program's runs on arrays beside the model, in ms.

    `trip_us` is what a line of the caches takes to another core and back meanwhile, if
    nothing else runs: two threads that share a core would take minutes for that.
    """
    import glow
    from glow.tools.peers import PEERS as RUNTIMES
    from glow.tools.timing import interleaved_medians

    with np.load(Path(path).with_suffix(".npz")) as arrays:
        inputs = {name: arrays[name] for name in arrays.files}
    net = glow.compile(path, threads=threads)
    figures: dict[str, Any] = {}
    if program == "glow":
        team = net.image().team
        figures["sections"] = 0 if team is None else team.sections
        run = net.bind(inputs).run if net.signature.states else lambda: net.run(inputs)
    else:
        peer = RUNTIMES[program](path, threads, net.signature)
        run = lambda: peer(inputs)  # noqa: E731
    # Medians of the wall clock, as of several threads.
    figures["ms"] = interleaved_medians([run], 2, seconds)[0] * 1e3
    if program == "glow" and threads > 1 and is_alone:
        figures["trip_us"] = round_trip_us(_TRIP_SECONDS)
    return figures


def start(
    program: str, path: Path, threads: int, seconds: float, *, is_alone: bool = False
) -> subprocess.Popen[str]:
    """Start a process that measures `program`, which may be the only one that runs."""
    command = [sys.executable, __file__, "--child", program, str(path)]
    command += ["--threads", str(threads), "--seconds", str(seconds)]
    command += ["--alone"] if is_alone else []
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def result_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return what a process measured; none where it refuses the model."""
    text, _ = process.communicate()
    return json.loads(text) if process.returncode == 0 else {}


def measure(name: str, path: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Return the median over rounds of each program's median, in milliseconds."""
    times: dict[str, list[float]] = {}
    sections, trips = 0, list[float]()
    for _ in range(args.rounds):
        for program, threads in (("glow", 1), *jobs_of(args)):
            process = start(program, path, threads, args.seconds, is_alone=True)
            result = result_of(process)
            sections = max(sections, result.get("sections", 0))
            trips += [result["trip_us"]] if "trip_us" in result else []
            if result:
                times.setdefault(f"{program}{threads}", []).append(result["ms"])
        both = [start("glow", path, 1, args.seconds) for _ in range(args.threads)]
        together = [result_of(process)["ms"] for process in both]
        times.setdefault("together", []).append(max(together))
    middle = {key: median(values) for key, values in times.items()}
    return {"name": name, "sections": sections, "trips": trips, **middle}


def jobs_of(args: argparse.Namespace) -> list[tuple[str, int]]:
    """Return what runs with several threads: programs and how many threads."""
    peers = [peer for peer in PEERS if version_of(peer) is not None]
    return [(program, args.threads) for program in ("glow", *peers)]


@contextmanager
def busy(count: int) -> Generator[list[subprocess.Popen[bytes]]]:
    """Let so many processes compute all the time in a `with` block."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def beside_busy(path: Path, args: argparse.Namespace) -> dict[str, float]:
    """Return each program's median while others compute, in milliseconds."""
    times: dict[str, list[float]] = {}
    with busy(args.threads):
        for _ in range(args.rounds):
            for program, threads in jobs_of(args):
                result = result_of(start(program, path, threads, args.seconds))
                times.setdefault(program, []).append(result.get("ms", float("nan")))
    return {program: median(values) for program, values in times.items()}


def busy_row(name: str, times: Mapping[str, float]) -> str:
    """Return a line of the table of times beside busy processes; ours are first."""
    ours, *theirs = times.values()
    shares = [f"{ours / ms:.2f}" for ms in theirs]
    return table_row([name, *map(milliseconds, (ours, *theirs)), *shares])


def ratio(figures: dict[str, Any], threads: int) -> float | None:
    """Return the latency of the faster peer over ours; None where there is none."""
    theirs = [figures.get(f"{peer}{threads}") for peer in PEERS]
    known = [ms for ms in theirs if ms is not None]
    return min(known) / figures[f"glow{threads}"] if known else None


def summary(measured: Sequence[dict[str, Any]], threads: int) -> str:
    """Return the mean of the speeds, and how far apart the cores were."""
    text = ""
    if speeds := [each for m in measured if (each := ratio(m, threads)) is not None]:
        text = (
            f"\nGeometric mean of {len(speeds)} speeds: {geometric_mean(speeds):.2f}."
        )
    if trips := [trip for m in measured for trip in m["trips"]]:
        least, middle, most = min(trips), median(trips), max(trips)
        text += f"""
A line of the caches took {middle:.2f} us to the other core and back in these runs, from
{least:.2f} to {most:.2f}: where it varies, the host moves its virtual processors.
"""
    return text


def row(figures: dict[str, Any], threads: int) -> str:
    """Return a line of the table."""
    one, several = figures["glow1"], figures[f"glow{threads}"]
    theirs = [figures.get(f"{peer}{threads}") for peer in PEERS]
    speed = ratio(figures, threads)
    cells = [figures["name"], milliseconds(one), milliseconds(several)]
    cells += [f"{one / several:.2f}", f"{threads * one / figures['together']:.2f}"]
    cells += ["-" if ms is None else milliseconds(ms) for ms in theirs]
    cells += ["-" if speed is None else f"{speed:.2f}", str(figures["sections"])]
    return table_row(cells)


def header(args: argparse.Namespace) -> str:
    count = f"{args.threads} threads"
    titles = ["model", "1 thread ms", f"{count} ms", "scaling", "apart"]
    titles += [*(f"{title} ms" for title in PEERS.values()), "speed", "sections"]
    return f"""# {count}

Written by `{COMMAND}`
on {today()}: {processor()}.
{versions()}

Medians of the wall clock, each program in a process of its own, in turn,
{args.rounds} times. Scaling is the latency with one thread over that with
{args.threads}; apart is how much {args.threads} processes with one thread each, at the
same time, do of what one does: what the machine allows. Speed is the latency of the
faster of the others, with as many threads, over ours. Sections are how often the
threads of a run wait for each other; 0: it is compiled for one.

{table_head(titles)}"""


def files_of(
    names: Iterable[str], args: argparse.Namespace, folder: Path
) -> Sequence[tuple[str, Path]]:
    """Write models of the test suite; return the files, with arrays beside each."""
    files: list[tuple[str, Path]] = []
    for name in names:
        if name not in models.MODELS:
            files.append((name, found(name, args)[0]))
            continue
        path, inputs = written(name, folder)
        np.savez(path.with_suffix(".npz"), **inputs)
        files.append((name, path))
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what threads are worth.")
    parser.add_argument("names", nargs="*", help="models; some of them by default")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--exported", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--child", metavar="PROGRAM", help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        (path,) = args.names
        limits = args.threads, args.seconds
        figures = child(args.child, path, *limits, is_alone=args.alone)
        print(json.dumps(figures))
        return
    names = chosen_models(parser, args, models.MODELS, NAMES)
    page = Page(header(args))
    with tempfile.TemporaryDirectory() as folder:
        files = files_of(names, args, Path(folder))
        measured = list[dict[str, Any]]()
        for name, path in files:
            measured.append(measure(name, path, args))
            page.add(row(measured[-1], args.threads))
        page.add(summary(measured, args.threads))
        peers = [PEERS[program] for program, _ in jobs_of(args)[1:]]
        titles = ["model", f"{args.threads} threads ms", *(f"{p} ms" for p in peers)]
        page.add(BESIDE_BUSY + table_head([*titles, *(f"of {p}" for p in peers)]))
        for name, path in files:
            if name in BUSY:
                page.add(busy_row(name, beside_busy(path, args)))
    page.add(COSTS)
    options = ("--threads", args.threads, "--seconds", args.seconds)
    script = Path(__file__).with_name("thread_costs.py")
    costs = [json_of_python(script, *options) for _ in range(args.rounds)]
    middle = {key: median(each[key] for each in costs) for key in costs[0]}
    page.add(table(middle, args.threads))
    page.write(args.output)


if __name__ == "__main__":
    main()
