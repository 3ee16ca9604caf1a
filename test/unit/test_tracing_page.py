"""The programs of docs/tracing.md run as they stand there, in order."""

import re
import runpy
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tracing.md"


@pytest.mark.slow
def test_the_programs_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    (tmp_path / "page.py").write_text("\n".join(programs))
    runpy.run_path(str(tmp_path / "page.py"))
    text = capsys.readouterr().out
    for name in ("params.w1", "params.b1", "params.w2", "x", "result"):
        assert f"graph.placeholder @{name} " in text
    assert re.search(r"page.py:\d+: expected a truth value that is known", text)
    assert text.count("graph.call @squash") == 2
