"""Scripts of roles, in the environment of the tests."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "roles"
ROLES = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem != "environment")


def run(role: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, FOLDER / f"{role}.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.full
@pytest.mark.parametrize("role", ROLES)
def test_every_step_of_a_role_works(role: str) -> None:
    if role == "data_engineer":
        pytest.importorskip("skl2onnx")
    if role == "pytorch_user":
        pytest.importorskip("torch")
    done = run(role, "--here")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("\nok ") >= 3


@pytest.mark.parametrize("role", ROLES)
def test_a_role_begins_and_refuses_what_it_does_not_know(role: str) -> None:
    done = run(role, "--nowhere")
    assert done.returncode == 2
    assert "unrecognized arguments: --nowhere" in done.stderr
    assert not done.stdout
