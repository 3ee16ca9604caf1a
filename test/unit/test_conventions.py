"""Conventions of CONTRIBUTING.md that a machine can check."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.reduction import ReductionOp
from glow.registry import UNIVERSE

ROOT = Path(__file__).parents[2]
FILE_LINES = 400
FUNCTION_LINES = 60

# A to-do without an issue is nobody's; the others are notes to oneself.
UNFINISHED = re.compile(r"\bTODO(?!\(#\d+\): )|\b(FIXME|XXX|HACK)\b")
MERGE_MARKS = re.compile(r"^(<<<<<<<|>>>>>>>)", re.MULTILINE)


@cache
def tracked(*patterns: str) -> tuple[Path, ...]:
    """Return the files that git keeps or would keep, and that exist."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (ROOT / line for line in listed.stdout.splitlines())
    return tuple(sorted(path for path in paths if path.is_file()))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.slow
def test_files_and_functions_are_short() -> None:
    long: list[str] = []
    for path in tracked("*.py"):
        name, text = path.relative_to(ROOT), path.read_text()
        if (lines := text.count("\n")) > FILE_LINES:
            long.append(f"{name} has {lines} lines")
        for function in functions(_parsed(path)):
            lines = (function.end_lineno or 0) - function.lineno + 1
            if lines > FUNCTION_LINES:
                long.append(f"{name}: {function.name} has {lines} lines")
    assert not long, "\n".join(long)


@pytest.mark.slow
def test_every_module_of_the_package_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in tracked("*.py")
        if path.name != "__init__.py" and not ast.get_docstring(_parsed(path))
    ]
    assert not silent, f"no docstring: {', '.join(silent)}"


def _parsed(path: Path) -> ast.Module:
    """Parse a file; to keep all trees would let the garbage collector walk them."""
    return ast.parse(path.read_text())


def test_nothing_is_left_unfinished() -> None:
    found: list[str] = []
    for path in tracked("*.py", "*.md", "*.mlir", "Makefile", "*.toml"):
        if path == Path(__file__):
            continue
        text = path.read_text()
        for match in [*UNFINISHED.finditer(text), *MERGE_MARKS.finditer(text)]:
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: {match.group()}")
    assert not found, "\n".join(found)


def pass_files() -> list[str]:
    """Return the path of each pass below the root, without `.py`."""
    defining = [
        path.parent if path.name == "__init__.py" else path.with_suffix("")
        for path in tracked("passes/*/*.py", "lowering/*.py")
        if re.search(r"^class \w+\(\w+Pass\)", path.read_text(), re.MULTILINE)
    ]
    return sorted(path.relative_to(ROOT).as_posix() for path in defining)


def test_every_pass_is_found() -> None:
    names = {name.split("/")[-1].replace("_", "-") for name in pass_files()}
    assert names == set(UNIVERSE.all_passes)


@pytest.mark.parametrize("name", pass_files())
def test_every_pass_has_a_lit_test(name: str) -> None:
    test = ROOT / "test" / name
    files = [test.with_suffix(".mlir"), *test.glob("*.mlir")]
    assert any(path.exists() for path in files), f"missing test/{name}.mlir"


@pytest.mark.parametrize("name", sorted(UNIVERSE.all_dialects))
def test_every_op_appears_in_a_lit_test_of_its_dialect(name: str) -> None:
    text = "".join(path.read_text() for path in tracked(f"test/dialects/{name}/*"))
    operations = UNIVERSE.all_dialects[name]().operations
    # What one class statement declares, test_declared_ops.py prints and parses.
    tested = (UnaryOp, BinaryOp, ReductionOp)
    known = {op.name for op in operations if not issubclass(op, tested)}
    missing = {op for op in known if not re.search(rf"{re.escape(op)}\b", text)}
    assert not missing, f"no lit test names {sorted(missing)}"


@pytest.mark.parametrize("name", sorted(UNIVERSE.all_dialects))
def test_every_op_has_a_docstring_of_its_own(name: str) -> None:
    dialect = UNIVERSE.all_dialects[name]()
    silent = [op.name for op in dialect.operations if not vars(op).get("__doc__")]
    assert not silent, f"no docstring: {silent}"


@pytest.mark.parametrize("name", sorted(UNIVERSE.all_passes))
def test_every_pass_says_its_level(name: str) -> None:
    assert "Level:" in (UNIVERSE.all_passes[name]().__doc__ or "")


LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
NAMED = re.compile(r"`((?:\w+/)+\w+\.(?:py|md))`")


def test_pages_name_files_that_there_are() -> None:
    top = {path.name for path in ROOT.iterdir() if path.is_dir()}
    missing: list[str] = []
    for page in tracked("*.md"):
        text = page.read_text()
        named = [name for name in NAMED.findall(text) if name.split("/")[0] in top]
        paths = [page.parent / link for link in LINK.findall(text)]
        # Recipes name files to write, decisions those of their time.
        if page.name != "CONTRIBUTING.md" and "decisions" not in page.parts:
            paths += [ROOT / name for name in named]
        missing += [f"{page.name}: {path}" for path in paths if not path.exists()]
    assert not missing


def test_decisions_are_numbered() -> None:
    numbers = [int(page.name[:4]) for page in tracked("docs/decisions/*.md")]
    assert numbers == list(range(1, len(numbers) + 1))
