"""
Measure worker processes that share a model: `python benchmarks/workers.py`.

A parent compiles VGG-19 and pickles `glow.udf` of it. Workers, fresh interpreters, get
the pickle and then rows of a job over a pipe; one is killed while it computes, and its
row goes to the next. Results must equal those of one process bit for bit.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import IO, cast

import numpy as np
from reporting import Page, processor, run_python, table_head, today

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
COMMAND = "python benchmarks/workers.py --output benchmarks/WORKERS.md"
WORKERS, ROWS = 8, 24
MEGABYTE = 1e6
ROOM_BYTES, READY_S = 40e6, 0.1
"""The limits of a worker: memory beside weights and arena, time until it is ready."""


def compile_model(folder: Path) -> None:
    """Write the pickle of VGG-19 and what one process computes for the rows."""
    import models

    import glow

    path = folder / "vgg19.glow"
    glow.compile(models.build("vgg19"), threads=1).save(path)
    scored = glow.udf(glow.load_executable(path))
    (folder / "model.pickle").write_bytes(pickle.dumps(scored))
    (spec,) = scored.executable.inputs
    rows = np.random.default_rng(0).random((ROWS, *spec.shape[1:]), np.float32)
    np.save(folder / "rows.npy", rows)
    np.save(folder / "wanted.npy", scored({spec.name: rows})[scored.outputs[0]])
    print(json.dumps([scored.executable.constant_bytes, scored.executable.arena_bytes]))


def work(folder: Path) -> None:
    """Say when ready, then compute each row whose number comes in."""
    start = time.perf_counter()
    import glow

    imported = time.perf_counter()
    scored = pickle.loads((folder / "model.pickle").read_bytes())
    ready = time.perf_counter()
    print(json.dumps([imported - start, ready - imported, glow.__name__]), flush=True)
    rows = np.load(folder / "rows.npy", mmap_mode="r")
    (spec,) = scored.executable.inputs
    for line in sys.stdin:
        number = int(line)
        (result,) = scored({spec.name: rows[number : number + 1]})[scored.outputs[0]]
        np.save(folder / f"{number}.part.npy", result)
        (folder / f"{number}.part.npy").rename(folder / f"{number}.npy")
        print(number, flush=True)


class Worker:
    """A process that computes rows of the job."""

    def __init__(self, folder: Path):
        command = [sys.executable, __file__, "--work", str(folder)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.times: list[float] = json.loads(self._output().readline())[:2]

    def _output(self) -> IO[str]:
        return cast(IO[str], self.process.stdout)

    def begin(self, number: int) -> None:
        input = cast(IO[str], self.process.stdin)
        input.write(f"{number}\n")
        input.flush()

    def finish(self) -> bool:
        """Return whether the row was computed; not, if the process has ended."""
        return bool(self._output().readline())

    def pss_bytes(self) -> int:
        """Return the memory of the process; of pages that n share, an nth of each."""
        text = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return 1024 * sum(
            int(line.split()[1]) for line in text.splitlines() if line[:4] == "Pss:"
        )


def run_job(workers: list[Worker]) -> tuple[int, int]:
    """Compute all rows, kill a worker meanwhile; return the bytes of all, and kills."""
    todo, busy, used, kills = deque(range(ROWS)), dict[int, int](), 0, 0
    while todo or busy:
        for i, worker in enumerate(workers):
            if todo and i not in busy and worker.process.poll() is None:
                busy[i] = todo.popleft()
                worker.begin(busy[i])
        if not kills and len(todo) < ROWS // 2:
            used = sum(worker.pss_bytes() for worker in workers)
            victim = next(iter(busy))
            workers[victim].process.kill()
            workers[victim].process.wait()
            kills += 1
        for i in list(busy):
            if not workers[i].finish():
                todo.append(busy[i])
            del busy[i]
    return used, kills


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure workers of one model.")
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--compile", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.compile or args.work:
        (compile_model if args.compile else work)(args.compile or args.work)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights, arena = json.loads(run_python(__file__, "--compile", folder))
        workers = [Worker(folder) for _ in range(WORKERS)]
        used, kills = run_job(workers)
        for worker in workers:
            worker.process.kill()
        found = np.stack([np.load(folder / f"{i}.npy") for i in range(ROWS)])
        same = np.array_equal(found, np.load(folder / "wanted.npy"))
    page = Page(_header() + table_head(["what", "found", "at most"]))
    imports, loads = zip(*(worker.times for worker in workers), strict=True)
    room = weights + WORKERS * (arena + ROOM_BYTES)
    page.add_row("weights, MB", f"{weights / MEGABYTE:.0f}", "")
    page.add_row("arena of one, MB", f"{arena / MEGABYTE:.0f}", "")
    page.add_row(f"memory of {WORKERS}, MB", f"{used / 1e6:.0f}", f"{room / 1e6:.0f}")
    median = float(np.median(loads))
    page.add_row("import glow, ms", f"{1e3 * float(np.median(imports)):.0f}", "")
    page.add_row("the pickle, ms", f"{1e3 * median:.0f}", f"{1e3 * READY_S:.0f}")
    page.add_row("workers killed", kills, "")
    page.add_row("results equal bit for bit", "yes" if same else "no", "")
    page.write(args.output)
    if not same or used > room or median > READY_S:
        sys.exit("error: more than there may be")


def _header() -> str:
    return f"""# Worker processes that share a model

Written by `{COMMAND}`
on {today()}, {processor()}. VGG-19, a row at a time, {ROWS} rows: fresh interpreters
get a pickle of `glow.udf`, which refers to a file of the executable. Memory is the sum
of their proportional sets (PSS) while they compute; times are medians.

"""


if __name__ == "__main__":
    main()
