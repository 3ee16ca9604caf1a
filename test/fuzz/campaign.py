"""
Fuzz for some minutes: `python test/fuzz/campaign.py --minutes 10 --output fuzz`.

A process runs cases one after the other, another one watches it: a case that ends the
process, hangs or fails leaves a folder with what it ran on. `--case KIND:NUMBER` runs
one again. `figures.json` in the output folder adds up what all campaigns there ran.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "test" / "support"), str(ROOT / "test" / "fuzz")]

HANG_S = 120
MEMORY_BYTES = 12 << 30

# How many of 100 turns a kind has, and how many cases a turn of it is.
TURNS = {
    "graph": (30, 4),
    "operator": (15, 4),
    "networks": (10, 1),
    "onnx-bytes": (8, 200),
    "onnx-fields": (8, 100),
    "onnx-operators": (8, 100),
    "text": (12, 50),
    "weights": (3, 200),
    "executable": (3, 50),
    "cache": (3, 1),
}
EXAMPLES = {"networks": 10}
"""How many models one case of a kind is, where it is more than one."""


def checks() -> dict[str, Callable[[int, dict[str, object]], None]]:
    """Return what runs a case of each kind, by its number."""
    import broken
    import graphs

    return {
        "graph": graphs.check_graph,
        "operator": graphs.check_operator,
        "networks": graphs.check_networks,
        "onnx-bytes": broken.check_onnx_bytes,
        "onnx-fields": broken.check_onnx_fields,
        "onnx-operators": broken.check_onnx_operators,
        "text": broken.check_text,
        "weights": broken.check_weights,
        "executable": broken.check_executable,
        "cache": broken.check_cache,
    }


def work(folder: Path, start: int, deadline: float) -> None:
    """Run cases until the deadline; note the current one before it runs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    warnings.simplefilter("ignore")
    every, counts = checks(), Counter[str]()
    order = [kind for kind, (turns, _) in TURNS.items() for _ in range(turns)]
    current = os.open(folder / "current", os.O_CREAT | os.O_RDWR)
    turn = 0
    while time.time() < deadline:
        kind = order[turn * 37 % len(order)]  # kinds alternate
        for k in range(TURNS[kind][1]):
            number = start + turn * 1000 + k
            os.pwrite(current, f"{kind}:{number}".ljust(60).encode(), 0)
            os.utime(folder / "current")
            run_case(every[kind], kind, number, folder)
            counts[kind] += EXAMPLES.get(kind, 1)
        turn += 1
        (folder / "counts.json").write_text(json.dumps(counts))


def run_case(check: Callable[..., None], kind: str, number: int, folder: Path) -> bool:
    """Return whether a case is fine; write what it ran on if it is not."""
    notes: dict[str, object] = {}

    def hangs(*_: Any) -> None:
        raise TimeoutError(f"a case took more than {HANG_S // 2} s")

    signal.signal(signal.SIGALRM, hangs)
    signal.alarm(HANG_S // 2)
    try:
        check(number, notes)
        return True
    except (Exception, ExceptionGroup):
        save_fault(folder, kind, number, traceback.format_exc(), notes)
        return False
    finally:
        signal.alarm(0)


def save_fault(
    folder: Path, kind: str, number: int, told: str, notes: dict[str, object]
) -> None:
    import numpy as np

    place = folder / "faults" / f"{kind}-{number}"
    place.mkdir(parents=True, exist_ok=True)
    again = f"python test/fuzz/campaign.py --case {kind}:{number}"
    (place / "error.txt").write_text(f"{again}\n\n{told}")
    for name, content in notes.items():
        path = place / name.replace("/", "_")
        match content:
            case bytes():
                path.write_bytes(content)
            case str():
                path.write_text(content)
            case _:
                np.save(path, np.asarray(content))
    print(f"{kind}:{number}: {told.strip().splitlines()[-1][:160]}", flush=True)


def watch(folder: Path, minutes: float) -> int:
    """Start workers until the time is over; return how many faults they left."""
    deadline, totals, lives = time.time() + 60 * minutes, Counter[str](), 0
    started = time.time()
    before = _read(folder / "figures.json")
    start = int(before.get("next", 0))
    while time.time() < deadline - 1:
        (folder / "counts.json").unlink(missing_ok=True)
        command = [sys.executable, __file__, "--output", str(folder)]
        command += ["--work", str(start), str(deadline)]
        process = subprocess.Popen(command, cwd=ROOT)
        ended = _wait(process, folder / "current", deadline + HANG_S)
        if ended:
            kind, _, number = (folder / "current").read_text().strip().partition(":")
            save_fault(folder, kind, int(number), ended, {})
        totals.update({k: int(v) for k, v in _read(folder / "counts.json").items()})
        lives += 1
        start += 10_000_000
    faults = len(list(folder.glob("faults/*")))
    counts = Counter({k: int(v) for k, v in before.get("cases", {}).items()}) + totals
    spent = before.get("minutes", 0.0) + (time.time() - started) / 60
    figures = {"cases": counts, "minutes": round(spent, 1), "faults": faults}
    figures |= {"next": start}
    (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures))
    return faults


def _wait(process: subprocess.Popen[bytes], current: Path, limit: float) -> str:
    """Return how a worker came to an end that it should not; "" if it is done."""
    while process.poll() is None:
        time.sleep(0.5)
        stamp = current.stat().st_mtime if current.exists() else time.time()
        if time.time() - stamp > HANG_S or time.time() > limit:
            process.kill()
            process.wait()
            return f"it hung for {HANG_S} s"
    if process.returncode == 0:
        return ""
    return f"the process ended with {process.returncode}"


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--output", type=Path, default=ROOT / "fuzz")
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
        sys.exit(1 if watch(args.output, args.minutes) else 0)


if __name__ == "__main__":
    main()
