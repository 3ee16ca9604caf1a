"""Pictures of the architecture as Mermaid text: levels, and layers of folders."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from glow.pipeline import STAGES

_IMPORT = re.compile(r"^\s*(?:from|import) glow\.(\w+)", re.MULTILINE)


def picture_of_levels() -> str:
    """Return the levels in order, with the dialects of each."""
    lines = ["flowchart LR", '  level0["import"]']
    for number, stage in enumerate(STAGES):
        dialects = ", ".join(sorted(stage.dialects - {"builtin"}))
        label = f"{stage.name}<br/><small>{dialects}</small>"
        lines.append(f'  level{number} --> level{number + 1}["{label}"]')
    lines.append(f'  level{len(STAGES)} -- LLVM --> machine["machine code"]')
    return _mermaid(lines)


def picture_of_layers(root: Path) -> str:
    """Return the folders, with arrows to those that they import, as few as will do."""
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    folders = settings["tool"]["setuptools"]["package-dir"]
    imports = {name: _imported(root, name) - {name} for name in folders.values()}
    lines = ["flowchart TD"]
    for folder in sorted(imports):
        behind = {far for near in imports[folder] for far in _reached(near, imports)}
        for near in sorted(imports[folder] - behind):
            lines.append(f"  {folder} --> {near}")
    return _mermaid(lines)


def _imported(root: Path, folder: str) -> set[str]:
    """Return the folders that one imports, inside functions as well."""
    paths = sorted((root / folder).rglob("*.py"))
    names = {name for path in paths for name in _IMPORT.findall(path.read_text())}
    return {name if (root / name).is_dir() else "api" for name in names}


def _reached(folder: str, imports: Mapping[str, set[str]]) -> set[str]:
    """Return the folders that `folder` imports, directly or through others."""
    near = imports.get(folder, set[str]())
    return near | {far for each in near for far in _reached(each, imports)}


def _mermaid(lines: list[str]) -> str:
    return "\n".join(["```mermaid", *lines, "```"])
