"""
Plant faults one by one in a copy of the sources, and run the tests that must fail.

`python test/faults/plant.py [FILE...]` prints which test caught which fault, and ends
with code 1 if one was missed, or has no place any more.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from planted import FAULTS, Fault

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".*", "*.egg-info", "build", "fuzz", "__pycache__")


def problem_of(fault: Fault) -> str | None:
    """Return why a fault cannot be planted; None if it can."""
    count = (ROOT / fault.file).read_text().count(fault.right)
    if count != 1:
        return f"expected {fault.right!r} once in {fault.file}, got it {count} times"
    missing = [t for t in fault.tests if not (ROOT / "test" / t).exists()]
    return f"expected tests, got no {', '.join(missing)}" if missing else None


def catches(fault: Fault, copy: Path) -> str | None:
    """Return the first of its tests that fails on `copy`, where the fault is."""
    path = copy / fault.file
    right = path.read_text()
    path.write_text(right.replace(fault.right, fault.wrong))
    try:
        return next((test for test in fault.tests if not passes(test, copy)), None)
    finally:
        path.write_text(right)


def passes(test: str, copy: Path) -> bool:
    tools, path = Path(sys.executable).parent, str(copy / "test" / test)
    command = [str(tools / "lit"), "-q", "-j1", path]
    if test.startswith("unit/"):
        options = ["-q", "-x", "-n0", "-m", "not full"]
        command = [sys.executable, "-m", "pytest", *options, path]
    environment = {
        **os.environ,
        "PYTHONPATH": str(copy / ".links"),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
    }
    run = subprocess.run(command, cwd=copy, env=environment, capture_output=True)
    return not run.returncode


def copied(folder: Path) -> Path:
    """Return a copy of the repository, which its tests use instead of this one."""
    copy = folder / "copy"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    subprocess.run([sys.executable, copy / "tools" / "link_packages.py"], check=True)
    return copy


def main(files: Sequence[str]) -> int:
    chosen = [fault for fault in FAULTS if not files or fault.file in files]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        for number, fault in enumerate(chosen, 1):
            problem = problem_of(fault)
            caught = None if problem else catches(fault, copy)
            missed += caught is None
            outcome = caught or problem or f"MISSED by {', '.join(fault.tests)}"
            print(f"{number:2} {fault.file}: {fault.wrong!r}: {outcome}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} faults are caught")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
