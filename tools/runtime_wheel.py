"""
Build the wheel that only runs saved executables: `tools/runtime_wheel.py FOLDER`.

It has the modules of `glow` that reading and running a .glow file can reach without a
compiler, and needs NumPy alone. Other modules that these name are replaced by ones that
say what to install. It takes the place of glow-xdsl, and is not installed beside it.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROOTS = ("glow", "glow.targets", "glow.backends.cpu", "glow.runtime.saved")
COMPILERS = frozenset({"xdsl", "llvmlite", "onnx", "torch"})
"""Packages whose importers are left out, unless they import them only when needed."""

MISSING = '''"""Not in this package."""

raise ImportError(
    "glow-xdsl-runtime only runs saved executables; pip install glow-xdsl for the rest"
)
'''


@cache
def _settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def _path_of(module: str) -> Path | None:
    """Return the file of a module of `glow`, None if there is none."""
    folders: dict[str, str] = _settings()["tool"]["setuptools"]["package-dir"]
    package = module
    while package not in folders:
        package = package.rpartition(".")[0]
    rest = module.removeprefix(package).lstrip(".").replace(".", "/")
    base = ROOT / folders[package] / rest
    found = (base / "__init__.py", base.with_suffix(".py"))
    return next((path for path in found if path.is_file()), None)


def _imports(tree: ast.AST, only_at_once: bool) -> Iterator[str]:
    """
    Yield what a module imports, unless only for type checkers.

    With `only_at_once`, leave out what it imports later.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # Possibly a module's name: imported at once only by `import_module`.
            is_call = isinstance(tree, ast.Call) and "import_module" in ast.dump(tree)
            yield from [node.value] if is_call or not only_at_once else []
        elif not (
            only_at_once and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ):
            yield from _imports(node, only_at_once)


@cache
def _used_by(module: str, only_at_once: bool) -> tuple[str, ...]:
    """Return the modules of `glow`, and other packages, that a module imports."""
    path = _path_of(module)
    assert path is not None, module
    found: list[str] = []
    for name in _imports(ast.parse(path.read_text()), only_at_once):
        if name.partition(".")[0] != "glow":
            found.append(name.partition(".")[0])
        elif all(map(str.isidentifier, name.split("."))) and _path_of(name):
            found.append(name)
    parents = [module.rsplit(".", n)[0] for n in range(1, module.count(".") + 1)]
    return tuple(dict.fromkeys([*parents, *found]))


@cache
def _needs_compiler(module: str) -> bool:
    """Return whether importing a module imports one of `COMPILERS`."""
    seen, todo = set[str](), [module]
    while todo:
        each = todo.pop()
        if each in COMPILERS:
            return True
        if each.partition(".")[0] == "glow" and each not in seen:
            seen.add(each)
            todo += _used_by(each, only_at_once=True)
    return False


def modules() -> tuple[set[str], set[str]]:
    """Return the modules of the wheel, and those that they name and it lacks."""
    kept, missing = set[str](), set[str]()
    todo: list[str] = [*ROOTS]
    while todo:
        each = todo.pop()
        if each.partition(".")[0] != "glow" or each in kept | missing:
            continue
        if _needs_compiler(each):
            missing.add(each)
        else:
            kept.add(each)
            todo += _used_by(each, only_at_once=False)
    return kept, missing


def write_project(folder: Path) -> None:
    """Write the source of the wheel, with settings of its own, into `folder`."""
    kept, missing = modules()
    for module in sorted(kept | missing):
        source = _path_of(module)
        assert source is not None
        name = module.replace(".", "/")
        if source.name == "__init__.py":
            name += "/__init__"
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.read_text() if module in kept else MISSING)
    (folder / "glow" / "py.typed").touch()
    shutil.copy(ROOT / "LICENSE", folder)
    project = _settings()["project"]
    (folder / "pyproject.toml").write_text(f"""
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "glow-xdsl-runtime"
version = "{project["version"]}"
description = "Runs executables that glow-xdsl saved"
requires-python = "{project["requires-python"]}"
license = "{project["license"]}"
license-files = ["LICENSE"]
dependencies = ["numpy>=2"]

[project.optional-dependencies]
bf16 = ["ml_dtypes>=0.5"]

[project.entry-points."glow.backends"]
cpu = "glow.backends.cpu:BACKEND"

[tool.setuptools.packages.find]
include = ["glow*"]

[tool.setuptools.package-data]
glow = ["py.typed"]
""")


def build_wheel(folder: Path) -> None:
    """Write the wheel into `folder`."""
    with tempfile.TemporaryDirectory() as name:
        write_project(Path(name))
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        subprocess.run([*command, "--wheel-dir", folder, name], check=True)


if __name__ == "__main__":
    build_wheel(Path(sys.argv[1]))
