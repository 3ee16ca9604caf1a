"""The programs and commands of docs/tutorial.md run as they stand there, in order."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def check_session(text: str, folder: Path) -> None:
    """Run the commands of a session, and compare outputs; `...` stands for any text."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        tool, *arguments = shlex.split(command)
        module = f"glow.tools.{tool.replace('-', '_')}"
        code = f"from {module} import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{command}:\n{done.stderr}"
        parts = re.split(r"^ *\.\.\.\n", expected, flags=re.M)
        pattern = "(?:.*\n)*?".join(map(re.escape, parts)).replace(r"\.\.\.", ".*")
        found = re.sub(" +$", "", done.stdout, flags=re.M).rstrip() + "\n"
        assert re.fullmatch(pattern, found), f"{command}:\n{found}"


@pytest.mark.slow
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "tutorial"}
    for kind, text in BLOCKS:
        if kind == "console":
            check_session(text, tmp_path)
        else:
            assert kind == "python"
            exec(compile(text, "tutorial.py", "exec"), names)
    assert names["losses"][-1] < names["losses"][0] / 4
    assert names["accuracy"] > 0.9
