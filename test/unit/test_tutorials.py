"""The pages of docs/tutorials run as they stand there, also as notebooks."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from repository import ROOT
from tutorial import blocks_of

PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
RUNNER = ROOT / "test" / "support" / "tutorial.py"
NEEDS = {"pytorch": "torch"}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_runs(page: Path, tmp_path: Path) -> None:
    if find_spec(needed := NEEDS.get(page.stem, "glow")) is None:
        pytest.skip(f"{needed} is not installed")
    command = [sys.executable, str(RUNNER), str(page)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_has_all_that_runs(page: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    from glow.tools.notebooks import notebook_of

    notebook = notebook_of(page.read_text())
    nbformat.validate(notebook)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    blocks = [text.rstrip() for kind, text in blocks_of(page) if kind == "python"]
    assert [cell for cell in cells if not cell.startswith("!")] == blocks
    assert notebook.cells[0].source.startswith("# ")
