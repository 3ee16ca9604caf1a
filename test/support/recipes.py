"""The recipes of CONTRIBUTING.md: their sections, and the files in them."""

from __future__ import annotations

import re
from pathlib import Path

from repository import ROOT

SECTION = re.compile(r"^## (.+?)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    """Return the text of one section of CONTRIBUTING.md."""
    parts = SECTION.split((ROOT / "CONTRIBUTING.md").read_text())
    return dict(zip(parts[1::2], parts[2::2], strict=True))[title]


def blocks_of(text: str) -> list[tuple[str, str]]:
    """Return the language and the body of each block of code."""
    return BLOCK.findall(text)


def write_block(body: str, folder: Path) -> Path:
    """Write a block to the file that its first line names."""
    first, _, rest = body.partition("\n")
    path = folder / first.lstrip("#/ ")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rest)
    return path
