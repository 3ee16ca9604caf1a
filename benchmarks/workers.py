"""
Measure worker processes that share a model: `python benchmarks/workers.py`.

A process compiles VGG-19 and pickles `glow.udf` of it. Workers get the pickle and then
rows of a job over a pipe; one is killed while it computes, and its row goes to the
next. Results must equal those of one process bit for bit. Workers are fresh
interpreters, or forks of a process that has imported glow; limits are for these. Fresh
interpreters that have NumPy alone, and no model, say what no package can go below.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import pickle
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
COMMAND = "python benchmarks/workers.py --output benchmarks/WORKERS.md"
WORKERS, ROWS = 8, 24
IMPORTED = ("glow.batches", "glow.runtime.saved", "glow.backends.cpu.linker")
"""What workers need to load a model, and forks share."""
WORKER_BYTES, READY_S = 40e6, 0.1
"""The limits of a worker: memory beside the weights, time until it is ready."""


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


def wait(folder: Path, pipe: Connection) -> None:
    """Say when ready, as an interpreter is that has imported NumPy and nothing more."""
    pipe.send("ready")
    pipe.recv()


def work(folder: Path, pipe: Connection) -> None:
    """Say when ready, then compute each row whose number comes in."""
    scored = pickle.loads((folder / "model.pickle").read_bytes())
    pipe.send("ready")
    (spec,) = scored.executable.inputs
    while True:
        number = pipe.recv()
        rows = np.load(folder / "rows.npy", mmap_mode="r")
        row = rows[number : number + 1].copy()
        del rows  # whose pages would count as the worker's
        (result,) = scored({spec.name: row})[scored.outputs[0]]
        np.save(folder / f"{number}.part.npy", result)
        (folder / f"{number}.part.npy").rename(folder / f"{number}.npy")
        pipe.send(number)


class Worker:
    """A process that computes rows of the job, or does something else."""

    def __init__(self, context: Any, folder: Path, job: Any = work):
        start = time.perf_counter()
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=job, args=(folder, theirs), daemon=True)
        self.process.start()
        theirs.close()  # or its end would not be seen
        self.pipe.recv()
        self.ready_s = time.perf_counter() - start

    def finish(self) -> bool:
        """Return whether the row was computed; not, if the process has ended."""
        with suppress(EOFError, ConnectionResetError):
            self.pipe.recv()
            return True
        return False


def pss_bytes(process: int) -> int:
    """Return the memory of a process; of pages that n share, an nth of each."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line[:4] == "Pss:")


def run_job(workers: list[Worker]) -> tuple[list[int], int]:
    """Compute all rows, kill a worker meanwhile; return bytes of each, and kills."""
    todo, busy, used, kills = deque(range(ROWS)), dict[int, int](), list[int](), 0
    while todo or busy:
        for i, worker in enumerate(workers):
            if todo and i not in busy and worker.process.is_alive():
                busy[i] = todo.popleft()
                worker.pipe.send(busy[i])
        if not kills and len(todo) < ROWS // 2:
            used = [pss_bytes(worker.process.pid) for worker in workers]
            victim = next(iter(busy))
            workers[victim].process.kill()
            workers[victim].process.join()
            kills += 1
        for i in list(busy):
            if not workers[i].finish():
                todo.append(busy[i])
            del busy[i]
    return used, kills


@dataclass(frozen=True)
class Found:
    """What workers that were started in one way were measured to take."""

    used_bytes: int
    ready_s: float
    kills: int
    is_same: bool


def measure_least(folder: Path) -> tuple[int, float]:
    """Return the bytes of as many fresh interpreters with NumPy, and until the next."""
    context = multiprocessing.get_context("spawn")
    workers = [Worker(context, folder, wait) for _ in range(WORKERS)]
    used = sum(pss_bytes(worker.process.pid) for worker in workers)
    for worker in workers:
        worker.process.kill()
    return used, _ready_s(workers)


def _ready_s(workers: list[Worker]) -> float:
    return float(np.median([worker.ready_s for worker in workers[1:]]))


def measure(method: str, folder: Path) -> Found:
    """Run the job in processes that `multiprocessing` starts by a method."""
    context: Any = multiprocessing.get_context(method)
    if method == "fork":  # processes share what is imported before
        for module in IMPORTED:
            import_module(module)
    workers = [Worker(context, folder) for _ in range(WORKERS)]
    used, kills = run_job(workers)
    for worker in workers:
        worker.process.kill()
    results = [folder / f"{i}.npy" for i in range(ROWS)]
    found = np.stack(list(map(np.load, results)))
    for each in results:
        each.unlink()
    is_same = np.array_equal(found, np.load(folder / "wanted.npy"))
    return Found(sum(used), _ready_s(workers), kills, is_same)


def main() -> None:
    # Not above, since fresh interpreters of `multiprocessing` import this module again.
    from reporting import Page, run_python

    parser = argparse.ArgumentParser(description="Measure workers of one model.")
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--compile", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.compile:
        compile_model(args.compile)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights, arena = json.loads(run_python(__file__, "--compile", folder))
        least, least_s = measure_least(folder)
        spawned = measure("spawn", folder)
        forked = measure("fork", folder)
    page = Page(_header(weights, arena))
    both = spawned, forked
    room = weights + WORKERS * WORKER_BYTES
    used = (least, *(each.used_bytes for each in both), room)
    page.add_row(f"memory of {WORKERS}, MB", *map(megabytes, used))
    shares = [(each.used_bytes - weights) / WORKERS for each in both]
    shares = map(megabytes, (least / WORKERS, *shares, WORKER_BYTES))
    page.add_row("of one, beside the weights, MB", *shares)
    times = (least_s, *(each.ready_s for each in both), READY_S)
    page.add_row("the next is ready, ms", *(f"{1e3 * each:.0f}" for each in times))
    page.add_row("workers killed", "", *(each.kills for each in both), "")
    same = ["yes" if each.is_same else "no" for each in both]
    page.add_row("results equal bit for bit", "", *same, "")
    page.write(args.output)
    is_slow = forked.used_bytes > room or forked.ready_s > READY_S
    if is_slow or not all(each.is_same for each in both):
        sys.exit("error: more than the last column has, or results differ")


def megabytes(size: float) -> str:
    return f"{size / 1e6:.0f}"


def _header(weights: int, arena: int) -> str:
    from reporting import processor, table_head, today

    titles = ["what", "NumPy alone", "fresh interpreters", "forks", "at most"]
    imported = ", ".join(f"`{each}`" for each in IMPORTED)
    return f"""# Worker processes that share a model

Written by `{COMMAND}`
on {today()}, {processor()}. VGG-19, a row at a time, {ROWS} rows, in
{WORKERS} processes that `multiprocessing` starts: by `spawn` as fresh interpreters, or
by `fork` from one that has imported {imported}.
They get a pickle of `glow.udf`, which refers to a file of the executable. It has
{megabytes(weights)} MB of weights, and each run works in {megabytes(arena)} MB. Memory
is the sum of proportional sets (PSS) while they compute. A worker is ready when it has
the model, from when it was asked for, the first worker left out; times are medians.
Limits are for forks. Fresh interpreters that import NumPy alone, and get no model, have
a column: with what a run works in, they are beyond the limit of memory.

{table_head(titles)}"""


if __name__ == "__main__":
    main()
