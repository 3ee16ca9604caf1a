"""
Fuzz for some minutes: `python test/fuzz/campaign.py --minutes 10 --output fuzz`.

A process runs cases one after the other, another one watches it: a case that ends the
process, hangs or fails leaves a folder with what it ran on. `--case KIND:NUMBER` runs
one again. Each campaign adds a row to `figures.json`, and begins with numbers that none
before it had; `--figures` is another file than that beside this one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "test" / "support"), str(ROOT / "test" / "fuzz")]

HANG_S = 120
"""How much processor time a case may take."""

STUCK_S = 1800
"""How long a case may take, though the machine be busy."""

MEMORY_BYTES = 12 << 30
FIGURES = Path(__file__).with_name("figures.json")

# How many of 100 turns a kind has, and how many cases a turn of it is.
TURNS = {
    "graph": (26, 4),
    "operator": (13, 4),
    "networks": (6, 1),
    "shapes": (10, 1),
    "onnx-bytes": (8, 60),
    "onnx-fields": (8, 60),
    "onnx-operators": (8, 60),
    "text": (12, 30),
    "weights": (3, 150),
    "executable": (3, 100),
    "cache": (3, 1),
}
EXAMPLES = {"networks": 10, "shapes": 48}
"""How many models one case of a kind is, where it is more than one."""

GRAPHS = ("graph", "operator", "networks", "shapes")
"""The kinds that are compiled, run and compared; others are mutated inputs."""

LIFE = 10_000_000
"""How many numbers a process has of each kind."""


def checks() -> dict[str, Callable[[int, dict[str, object]], None]]:
    """Return what runs a case of each kind, by its number."""
    import broken
    import graphs
    import onnx_models
    import texts

    return {
        "graph": graphs.check_graph,
        "operator": onnx_models.check_operator,
        "networks": onnx_models.check_networks,
        "shapes": onnx_models.check_shapes,
        "onnx-bytes": broken.check_onnx_bytes,
        "onnx-fields": broken.check_onnx_fields,
        "onnx-operators": broken.check_onnx_operators,
        "text": texts.check_text,
        "weights": broken.check_weights,
        "executable": broken.check_executable,
        "cache": broken.check_cache,
    }


def work(folder: Path, start: int, deadline: float) -> None:
    """Run cases until the deadline; note the current one before it runs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    warnings.simplefilter("ignore")
    every, counts, numbers = checks(), Counter[str](), Counter[str]()
    order = [kind for kind, (turns, _) in TURNS.items() for _ in range(turns)]
    current = os.open(folder / "current", os.O_CREAT | os.O_RDWR)
    for turn in count():
        kind = order[turn * 37 % len(order)]  # kinds alternate
        for _ in range(TURNS[kind][1]):
            number = start + numbers[kind]
            numbers[kind] += 1
            os.pwrite(current, f"{kind}:{number}".ljust(60).encode(), 0)
            os.utime(folder / "current")
            run_case(every[kind], kind, number, folder)
            counts[kind] += EXAMPLES.get(kind, 1)
        partial = folder / "counts.partial"
        partial.write_text(json.dumps(counts))
        partial.replace(folder / "counts.json")
        if time.time() > deadline:
            return


def run_case(check: Callable[..., None], kind: str, number: int, folder: Path) -> bool:
    """Return whether a case is fine; write what it ran on if it is not."""
    notes: dict[str, object] = {}

    def hangs(*_: Any) -> None:
        raise TimeoutError(f"a case took more than {HANG_S // 2} s of a processor")

    signal.signal(signal.SIGPROF, hangs)
    signal.setitimer(signal.ITIMER_PROF, HANG_S // 2)
    try:
        check(number, notes)
        return True
    except (Exception, ExceptionGroup):
        save_fault(folder, kind, number, traceback.format_exc(), notes)
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def save_fault(
    folder: Path, kind: str, number: int, report: str, notes: dict[str, object]
) -> None:
    import numpy as np

    place = folder / "faults" / f"{kind}-{number}"
    place.mkdir(parents=True, exist_ok=True)
    again = f"python test/fuzz/campaign.py --case {kind}:{number}"
    (place / "error.txt").write_text(f"{again}\n\n{report}")
    for name, content in notes.items():
        path = place / name.replace("/", "_")
        match content:
            case bytes():
                path.write_bytes(content)
            case str():
                path.write_text(content)
            case _:
                np.save(path, np.asarray(content))
    print(f"{kind}:{number}: {report.strip().splitlines()[-1][:160]}", flush=True)


def watch(folder: Path, minutes: float, figures: Path = FIGURES) -> int:
    """Start workers until the time is over; return how many faults they left."""
    started = time.time()
    deadline = started + 60 * minutes
    rows = json.loads(figures.read_text()) if figures.exists() else []
    start = int(rows[-1]["next"]) if rows else 0
    before, totals = len(list(folder.glob("faults/*"))), Counter[str]()
    row: dict[str, Any] = {"version": _version(), "first": start}

    def note(next_start: int) -> None:
        counts = totals + Counter(_read(folder / "counts.json"))
        row["cases"] = dict(sorted(counts.items()))
        row["minutes"] = round((time.time() - started) / 60, 2)
        row["faults"] = len(list(folder.glob("faults/*"))) - before
        row["next"] = next_start
        partial = figures.with_suffix(".partial")
        partial.write_text(json.dumps([*rows, row], indent=1) + "\n")
        partial.replace(figures)

    (folder / "counts.json").unlink(missing_ok=True)
    note(start)
    while time.time() < deadline - 1:
        (folder / "counts.json").unlink(missing_ok=True)
        command = [sys.executable, __file__, "--output", str(folder)]
        command += ["--work", str(start), str(deadline)]
        process = subprocess.Popen(command, cwd=ROOT)
        start += LIFE
        ended = _wait(process, folder / "current", lambda at=start: note(at))
        if ended:
            kind, _, number = (folder / "current").read_text().strip().partition(":")
            save_fault(folder, kind, int(number), ended, {})
        note(start)
        totals.update(_read(folder / "counts.json"))
    print(summary([*rows, row]))
    return len(list(folder.glob("faults/*")))


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return what all campaigns ran, and the last one."""
    lines: list[str] = []
    for what, part in (("last", rows[-1:]), ("all", rows)):
        cases: Counter[str] = sum((Counter(row["cases"]) for row in part), Counter())
        graphs = sum(cases[kind] for kind in GRAPHS)
        minutes = sum(row["minutes"] for row in part)
        faults = sum(row["faults"] for row in part)
        lines.append(
            f"{what}: {graphs:,} graphs and {cases.total() - graphs:,} mutated inputs "
            f"in {minutes:,.0f} minutes, {faults} faults: {dict(cases)}"
        )
    return "\n".join(lines)


def _version() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return run.stdout.strip() or "unknown"


def _wait(
    process: subprocess.Popen[bytes], current: Path, note: Callable[[], None]
) -> str:
    """Return how a worker came to an end that it should not; "" if it is done."""
    stamp = time.time()
    spent, noted = 0.0, stamp
    while process.poll() is None:
        time.sleep(0.5)
        if current.exists() and current.stat().st_mtime > stamp:
            stamp, spent = current.stat().st_mtime, _processor_s(process.pid)
        if time.time() > noted + 30:
            noted = time.time()
            note()
        is_hanging = _processor_s(process.pid) > spent + HANG_S
        if is_hanging or time.time() > stamp + STUCK_S:
            process.kill()
            process.wait()
            return f"it hung for {HANG_S} s"
    if process.returncode == 0:
        return ""
    return f"the process ended with {process.returncode}"


def _processor_s(process: int) -> float:
    """Return how much time of processors a process and its threads took."""
    try:
        line = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0
    user, system = map(int, line.rpartition(")")[2].split()[11:13])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def _read(path: Path) -> dict[str, int]:
    return json.loads(path.read_text()) if path.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--output", type=Path, default=ROOT / "fuzz")
    parser.add_argument("--figures", type=Path, default=FIGURES)
    parser.add_argument("--case", help="KIND:NUMBER, run again")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    os.environ["GLOW_CACHE_DIR"] = ""  # kernels of random models would fill it
    args.output.mkdir(parents=True, exist_ok=True)
    if args.work:
        work(args.output, int(args.work[0]), float(args.work[1]))
    elif args.case:
        kind, _, number = args.case.partition(":")
        fine = run_case(checks()[kind], kind, int(number), args.output)
        sys.exit(0 if fine else 1)
    else:
        sys.exit(1 if watch(args.output, args.minutes, args.figures) else 0)


if __name__ == "__main__":
    main()
