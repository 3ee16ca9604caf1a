"""An empty virtual environment with this package, in which a role takes its steps."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "tutorials"
_LEFT_OUT = (".*", "build", "dist", "fuzz", "*.egg-info", "__pycache__")


class StepError(Exception):
    """A step that failed, with its output."""


@cache
def is_here() -> bool:
    """Return whether the steps run where this script does, as the caller asks."""
    parser = argparse.ArgumentParser()
    text = "run in the environment of this Python, and install nothing"
    parser.add_argument("--here", action="store_true", help=text)
    return parser.parse_args().here


class Environment:
    """A virtual environment below `folder`, and a folder to work in."""

    def __init__(self, folder: Path, name: str = "environment"):
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        self._folder = Path(sys.prefix) if is_here() else folder / name
        if not is_here():
            venv.create(self._folder, with_pip=True)
            self._empty_mb = self._mb()
        self._bin = self._folder / "bin"

    def _mb(self) -> float:
        files = (path for path in self._folder.rglob("*") if path.is_file())
        return sum(path.lstat().st_size for path in files) / 1e6

    def install(self, what: str, *packages: object) -> None:
        """Install packages with pip, and say how much lies there besides pip itself."""
        if is_here():
            print(f"--           skipped: {what}")
            return
        given = list(map(str, packages))
        self.run(what, "python", "-m", "pip", "install", "--quiet", *given)
        print(f"            {self._mb() - self._empty_mb:.0f} MB installed by now")

    def run(self, what: str, program: str, *arguments: object) -> str:
        """Run a program of the environment; print that it worked, and the seconds."""
        command = [str(self._bin / program), *map(str, arguments)]
        start = time.monotonic()
        done = subprocess.run(command, cwd=self.work, capture_output=True, text=True)
        if done.returncode:
            raise StepError(f"{what}: {' '.join(command)}\n{done.stdout}{done.stderr}")
        print(f"ok {time.monotonic() - start:6.1f} s  {what}", flush=True)
        return done.stdout

    def python(self, what: str, code: str) -> None:
        """Run lines of Python, and show what they print."""
        shown = self.run(what, "python", "-c", code)
        print("".join(f"            {line}\n" for line in shown.splitlines()), end="")

    def tutorial(self, page: str) -> None:
        """Run the cells of a page of docs/tutorials."""
        runner = ROOT / "test" / "support" / "tutorial.py"
        self.run(f"tutorial {page}", "python", runner, PAGES / f"{page}.md")


@contextmanager
def empty_folder() -> Generator[Path]:
    """Make a folder for a role, and end with code 1 and a message if a step fails."""
    is_here()  # refuses other arguments before anything is installed
    with tempfile.TemporaryDirectory(prefix="glow-role-") as folder:
        try:
            yield Path(folder)
        except StepError as error:
            sys.exit(f"FAILED {error}")


def sources(folder: Path, extras: str = "") -> str:
    """Return what pip installs: a copy of the repository, since building writes."""
    copy = folder / "source"
    if not copy.exists():
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    return f"{copy}{extras}"
