"""Progress of a compilation on stderr: a bar of rich, or a line where that lacks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import Event, Thread
from typing import Any

from glow.support.progress import StepCount, counted

_PATIENCE_S = 1.0
_PERIOD_S = 0.2


@contextmanager
def progress(what: str = "compiling") -> Generator[None]:
    """
    Show on stderr which step of `what` runs, and the share of steps that are done.

    It shows what the calling thread compiles in a `with glow.progress():`, once that
    takes over a second, in a terminal or a notebook; a bar if rich is installed
    (`pip install 'glow-xdsl[progress]'`), else a line.
    """
    if not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield
        return
    show = _show_bar if find_spec("rich") else _show_line
    done = Event()
    with counted() as steps:
        thread = Thread(target=_show_late, args=(show, what, steps, done), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


Show = Callable[[str, StepCount, Event], None]


def _show_late(show: Show, what: str, steps: StepCount, done: Event) -> None:
    if not done.wait(_PATIENCE_S):
        show(what, steps, done)


def _show_bar(what: str, steps: StepCount, done: Event) -> None:
    rich: Any = import_module("rich.progress")
    console: Any = import_module("rich.console").Console(stderr=True)
    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(bar_width=24),
        rich.TextColumn("{task.fields[step]}", markup=False),
        rich.TimeElapsedColumn(),
    )
    with rich.Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task(what, total=None, step="")
        while not done.wait(_PERIOD_S):
            total = 1.0 if steps.total else None
            bar.update(task, total=total, completed=steps.share, step=_text(steps))


def _show_line(what: str, steps: StepCount, done: Event) -> None:
    start, shown = time.monotonic() - _PATIENCE_S, 0
    while not done.wait(_PERIOD_S):
        seconds = f"{time.monotonic() - start:.0f} s"
        line = " ".join(filter(None, (what, "...", _text(steps), seconds)))
        sys.stderr.write(f"\r{line.ljust(shown)}")
        sys.stderr.flush()
        shown = len(line)
    sys.stderr.write("\r" + " " * shown + "\r")
    sys.stderr.flush()


def _text(steps: StepCount) -> str:
    return f"{steps.share:.0%} {steps.name}" if steps.total else steps.name
