"""Compiled code touches no byte beside its buffers, nor reads one that is unwritten."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"
pytest.importorskip("onnx")

from glow.backends.cpu.targets import cpu_target  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="guards pages by mprotect"),
]

ISAS = ("sse2", "avx2", "avx512", "neon")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in another process: a fault must not end this one."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=SUPPORT, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    "isa",
    # Kernels of others differ in width, and in what takes two instructions, only.
    [
        pytest.param(n, marks=pytest.mark.full) if n in ("sse2", "avx2") else n
        for n in ISAS
    ],
)
def test_every_family_stays_inside(isa: str) -> None:
    if not cpu_target(isa).runs_here:
        pytest.skip(f"this host cannot run {isa} code")
    found = run("guarded_networks.py", f"cpu:{isa}")
    assert found.returncode == 0, found.stdout[-200:] + found.stderr[-2000:]
    assert found.stdout.endswith("done\n")


@pytest.mark.parametrize(("at_end", "index"), [(True, 5), (False, -1)])
def test_a_guard_ends_the_process(at_end: bool, index: int) -> None:
    code = (
        "import ctypes, numpy, guarded;"
        f"x = guarded.guarded(numpy.ones(5, 'f4'), at_end={at_end});"
        f"ctypes.c_float.from_address(x.ctypes.data + 4 * {index}).value"
    )
    assert run("-c", code).returncode < 0
