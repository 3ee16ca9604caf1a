"""
Notebooks of the tutorials: `python tools/notebooks.py FOLDER` writes them.

The pages of `docs/tutorials` are the sources. Blocks of Python and commands become
cells; what they show is left out, as a notebook shows it when it runs.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

nbformat: Any = import_module("nbformat")  # which has no types


TUTORIALS = Path("docs/tutorials")
_ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def notebook_of(page: str) -> Any:
    """Return the notebook of a page."""
    make = nbformat.v4
    cells: list[Any] = []
    start = 0
    for block in _BLOCK.finditer(page):
        if text := page[start : block.start()].strip():
            cells.append(make.new_markdown_cell(text))
        language, code = block.groups()
        if language == "console":
            commands = re.findall(r"^\$ (.*)", code, re.MULTILINE)
            code = "\n".join(f"!{command}" for command in commands)
        if language != "text":
            cells.append(make.new_code_cell(code.rstrip()))
        start = block.end()
    if text := page[start:].strip():
        cells.append(make.new_markdown_cell(text))
    for number, cell in enumerate(cells):
        cell.id = str(number)  # the same each time
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return make.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def write_notebooks(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted((_ROOT / TUTORIALS).glob("*.md")):
        path = folder / f"{page.stem}.ipynb"
        nbformat.write(notebook_of(page.read_text()), path)


if __name__ == "__main__":
    write_notebooks(Path(sys.argv[1]))
