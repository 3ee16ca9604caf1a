"""An empty virtual environment with this package, in which a role takes its steps."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "tutorials"
_LEFT_OUT = (".*", "build", "dist", "fuzz", "*.egg-info", "__pycache__")


class StepError(Exception):
    """A step that failed, with its output."""


@cache
def options() -> argparse.Namespace:
    """Return what the caller asks for."""
    parser = argparse.ArgumentParser()
    text = "run in the environment of this Python, and install nothing"
    parser.add_argument("--here", action="store_true", help=text)
    text = "where PyTorch lies, such as .../site-packages; installed otherwise"
    parser.add_argument("--torch", metavar="FOLDER", type=Path, help=text)
    return parser.parse_args()


class Environment:
    """A virtual environment below `folder`, and a folder to work in."""

    def __init__(self, folder: Path, name: str = "environment"):
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        self._is_here: bool = options().here
        self._folder = Path(sys.prefix) if self._is_here else folder / name
        self._variables = dict(os.environ)
        self._begin = time.monotonic()
        if not self._is_here:
            venv.create(self._folder, with_pip=True)
            self._empty_mb = self._mb()
        self._bin = self._folder / "bin"

    def _mb(self) -> float:
        files = (path for path in self._folder.rglob("*") if path.is_file())
        return sum(path.lstat().st_size for path in files) / 1e6

    def install(self, what: str, *packages: object) -> bool:
        """
        Install packages with pip, and say how much lies there besides pip itself.

        Options of pip may be among them. Return whether they are there: where nothing
        may be installed, each needs to be a module of this Python, or a path.
        """
        given = list(map(str, packages))
        if self._is_here:
            modules = (each for each in given if "/" not in each and each[0] != "-")
            names = [each.partition("[")[0] for each in modules]
            is_there = all(map(find_spec, names))
            print(f"--           {'there' if is_there else 'skipped'}: {what}")
            return is_there
        self._begin = time.monotonic()
        self.run(what, "python", "-m", "pip", "install", "--quiet", *given)
        print(f"            {self._mb() - self._empty_mb:.0f} MB installed by now")
        return True

    def first_result(self, what: str, code: str, seconds: int, mb: int) -> None:
        """Run lines of Python; say what they took with the installation before."""
        self.python(what, code)
        if self._is_here:
            return
        took, size = time.monotonic() - self._begin, self._mb() - self._empty_mb
        found = f"{took:.1f} s and {size:.0f} MB since pip began"
        print(f"            {found}; at most {seconds} s and {mb} MB are the aim")
        if size > mb:  # seconds depend on the machine, and on what pip has in its cache
            raise StepError(f"{what}: {found}, more than {mb} MB")

    def use_torch(self) -> bool:
        """Let steps import PyTorch; return whether they can."""
        if (given := options().torch) is not None:
            self._variables["PYTHONPATH"] = str(given.resolve())
            return True
        return self.install("pip install torch, which is large", "torch")

    def run(self, what: str, program: str, *arguments: object) -> str:
        """Run a program of the environment; print that it worked, and the seconds."""
        command = [str(self._bin / program), *map(str, arguments)]
        start = time.monotonic()
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self._variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise StepError(f"{what}: {' '.join(command)}\n{done.stdout}{done.stderr}")
        print(f"ok {time.monotonic() - start:6.1f} s  {what}", flush=True)
        return done.stdout

    def show(self, what: str, program: str, *arguments: object) -> None:
        """Run a program as `run` does, and show what it prints."""
        shown = self.run(what, program, *arguments)
        print("".join(f"            {line}\n" for line in shown.splitlines()), end="")

    def python(self, what: str, code: str) -> None:
        """Run lines of Python, and show what they print."""
        self.show(what, "python", "-c", code)

    def tutorial(self, page: str) -> None:
        """Run the cells of a page of docs/tutorials."""
        runner = ROOT / "test" / "support" / "tutorial.py"
        self.run(f"tutorial {page}", "python", runner, PAGES / f"{page}.md")


@contextmanager
def empty_folder() -> Generator[Path]:
    """Make a folder for a role, and end with code 1 and a message if a step fails."""
    options()  # refuses other arguments before anything is installed
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
