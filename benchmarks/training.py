"""
Time training steps of networks on the cpu beside PyTorch, and print tables.

    python benchmarks/training.py --output benchmarks/TRAINING.md

A step is the loss, its gradient and AdamW. Each library has a process of its own; they
take turns. `--torch` is a Python that has PyTorch, if this one has not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reporting import Page, processor, table_head, today
from training_networks import NETWORKS
from training_steps import step_function

import glow

COMMAND = "python benchmarks/training.py --output benchmarks/TRAINING.md"
LIBRARIES = ("glow", "torch", "torch.compile")
STEPS = Path(__file__).with_name("training_steps.py")
TEXT = f"""# Training steps

Made by `{COMMAND}` on {{processor}}, {{date}},
beside PyTorch {{version}}: the loss, its gradient and AdamW, in f32 on one thread.
Times are medians of processor time in ms, of steps that take turns. The ratio is of the
better of PyTorch's two to ours. The last column compares the losses of the first three
steps, of the largest difference to either.

"""
MEMORY_TEXT = """
## Memory

The arena of a step in MB, which holds all but inputs, weights and the state of the
optimizer: as compiled; without `recompute-values`, which computes some values again
instead of keeping them for the gradient; and without `hoist-updates` too, which updates
weights as soon as their gradients are there.

"""
MEMORY_HEAD = ("network", "as compiled", "all kept", "all kept, updates last")
PASSES = ("recompute-values", "hoist-updates")
HEAD = ("network", "Glow", "eager", "torch.compile", "ratio", "losses differ by")


class Worker:
    """A process that runs steps of a network by a library."""

    def __init__(self, library: str, network: str, python: str):
        command = [python, STEPS, "--library", library, "--network", network]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.library = library

    def read(self) -> Any:
        """Return the next line of the process. Errors: SystemExit if it has ended."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            *_, last = self._process.stderr.read().splitlines() or [""]
            raise SystemExit(f"error: {self.library} ended: {last}")
        return json.loads(line)

    def seconds(self, steps: int) -> list[float]:
        """Return the seconds of each of the next steps."""
        assert self._process.stdin is not None
        print(steps, file=self._process.stdin, flush=True)
        return self.read()

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def started(network: str, torch: str) -> Generator[tuple[list[Worker], Any]]:
    """Start a worker per library, one after the other; give their first lines too."""
    workers: list[Worker] = []
    try:
        first: list[Any] = []
        for library in LIBRARIES:
            python = sys.executable if library == "glow" else torch
            workers.append(Worker(library, network, python))
            first.append(workers[-1].read())
        yield workers, first
    finally:
        for worker in workers:
            worker.end()


def medians(workers: Sequence[Worker], rounds: int, steps: int) -> list[float]:
    """Return the median seconds of a step of each worker."""
    times: list[list[float]] = [[] for _ in workers]
    for _ in range(rounds):
        for worker, taken in zip(workers, times, strict=True):
            taken += worker.seconds(steps)
    return [statistics.median(taken) for taken in times]


def row(network: str, torch: str, rounds: int, steps: int) -> tuple[list[str], str]:
    """Return the cells of a network, and the version of PyTorch."""
    with started(network, torch) as (workers, first):
        times = medians(workers, rounds, steps)
    ours, *theirs = (each["losses"] for each in first)
    pairs = (pair for other in theirs for pair in zip(ours, other, strict=True))
    error = max(abs(a - b) / max(abs(b), 1) for a, b in pairs)
    cells = [f"{network}: {NETWORKS[network].what}"]
    cells += [f"{time * 1e3:.2f}" for time in times]
    cells += [f"{min(times[1:]) / times[0]:.2f}", f"{error:.0e}"]
    return cells, first[-1]["version"]


def memory_row(network: str) -> list[str]:
    """Return the cells of the table of memory for a network."""
    function, batch = step_function(NETWORKS[network])
    model = glow.trace(function, *batch)
    nets = (
        glow.compile(model, threads=1, disable=PASSES[:count]) for count in range(3)
    )
    return [network, *(f"{net.arena_bytes / 1e6:.2f}" for net in nets)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="write the table there too")
    parser.add_argument("--torch", default=sys.executable, help="a Python with PyTorch")
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=NETWORKS)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=5, help="steps of a round")
    args = parser.parse_args()
    page: Page | None = None
    for network in args.networks:
        cells, version = row(network, args.torch, args.rounds, args.steps)
        if page is None:
            made = {"processor": processor(), "date": today(), "version": version}
            page = Page(TEXT.format(**made) + table_head(HEAD))
        page.add_row(*cells)
    assert page is not None
    page.add(MEMORY_TEXT + table_head(MEMORY_HEAD))
    for network in args.networks:
        page.add_row(*memory_row(network))
    page.write(args.output)


if __name__ == "__main__":
    main()
