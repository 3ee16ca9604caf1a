"""The layering that docs/architecture.md promises, read from the imports."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import glow
from glow.pipeline import STAGES
from glow.support.errors import InternalError
from glow.tools.architecture_page import (
    NOTES,
    picture_of_layers,
    picture_of_levels,
    worked_example,
)

ROOT = Path(__file__).parents[2]

# A folder may import itself and the folders named here, all of which lie below it.
MAY_IMPORT: dict[str, set[str]] = {
    "support": set(),
    "runtime": {"support"},
    "dialects": {"support"},
    "analysis": {"support", "dialects"},
    "codegen": {"support", "dialects"},
    "passes": {"support", "dialects", "analysis"},
    "lowering": {"support", "dialects", "analysis", "codegen"},
    "tracing": {"support", "dialects", "analysis", "passes"},
    "formats": {
        *("support", "dialects", "analysis", "passes", "lowering", "tracing"),
    },
    "backends": {
        *("support", "dialects", "analysis", "passes", "lowering", "runtime"),
        "codegen",
    },
}
MAY_IMPORT["api"] = set(MAY_IMPORT)
MAY_IMPORT["tools"] = set(MAY_IMPORT)

# What is not a part of the package: it uses the package, nothing uses it.
OUTSIDE = {"test", "benchmarks", "examples"}

# Packages from outside that only these folders, or modules, may import, lazily or not.
OWNERS = {
    "llvmlite": {"backends", "runtime"},
    "onnx": {"formats", "api/onnx_backend.py"},
    "onnxruntime": {"tools"},
    "torch": {
        f"api/torch_{part}.py" for part in ("backend", "modules", "tensors", "views")
    },
    "xdsl": set(MAY_IMPORT) - {"runtime"},
}

# Names that two classes or types have, each with the reason why that does not mislead.
# An op of the graph and one of buffers may have the same name, as MLIR's dialects do.
TWO_MEANINGS = {
    "Value": "a tensor to who writes models; a register to who writes kernels",
}


# Functions that import the module named by their first argument.
_IMPORTING = ("import_module", "imported")


@cache
def package_folders() -> dict[str, str]:
    """Map each dotted package that `pyproject.toml` places to its folder."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return settings["tool"]["setuptools"]["package-dir"]


def python_folders() -> set[str]:
    """Return the top-level folders that hold Python which git would keep."""
    ignored = {"build", "dist"}
    return {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir()
        and not path.name.startswith(".")
        and path.name not in ignored
        and any(path.rglob("*.py"))
    }


def statements_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements within a node; to look at expressions takes most time."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements_of(child)


@cache
def imported_modules(source: str) -> frozenset[str]:
    """Return the dotted name of everything that `source` imports, lazily or not."""
    names: set[str] = set()
    calls = any(name in source for name in _IMPORTING)
    walk = ast.walk if calls else statements_of
    for node in walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and _name(node.func) in _IMPORTING:
            names.add(_text(node.args[0]))
    return frozenset(names - {""})


def _text(name: ast.expr) -> str:
    """Return a literal, of a formatted one the part before what is filled in."""
    match name:
        case ast.Constant(value=str(text)) | ast.JoinedStr(
            [ast.Constant(str(text)), *_]
        ):
            return text.rstrip(".")
        case _:
            return ""


def _name(function: ast.expr) -> str:
    return getattr(function, "id", None) or getattr(function, "attr", "")


def folder_of(module: str) -> str | None:
    """Return the folder that defines `glow.x.y`; None for other packages."""
    if module.split(".")[0] != "glow":
        return None
    return package_folders().get(".".join(module.split(".")[:2]), "api")


def place_of(module: str) -> Path | None:
    """Return where `glow.x.y` would be, without a suffix; None for other packages."""
    if (folder := folder_of(module)) is None:
        return None
    package = next(p for p, f in package_folders().items() if f == folder)
    return ROOT.joinpath(folder, *module.removeprefix(package).split(".")[1:])


def source_of(module: str) -> Path | None:
    """Return the file of what an import names: a module, a package, or a name in it."""
    place = place_of(module)
    for path in (place, place.parent) if place is not None else ():
        for source in (path.with_suffix(".py"), path / "__init__.py"):
            if source.is_file():
                return source
    return None


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def test_every_folder_has_a_place() -> None:
    assert python_folders() - OUTSIDE <= set(MAY_IMPORT), "place it in MAY_IMPORT"


def test_every_folder_is_packaged() -> None:
    assert set(package_folders().values()) == python_folders() - OUTSIDE


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_folder_imports_only_what_lies_below(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        modules = imported_modules(path.read_text())
        found = {name for name in map(folder_of, modules) if name is not None}
        extra = found - MAY_IMPORT[folder] - {folder}
        assert not extra, f"{path.relative_to(ROOT)} imports {sorted(extra)}"


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_folder_imports_only_its_outside_packages(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        found = {name.split(".")[0] for name in imported_modules(path.read_text())}
        places = {folder, path.relative_to(ROOT).as_posix()}
        extra = {name for name in found & set(OWNERS) if not places & OWNERS[name]}
        assert not extra, f"{path.relative_to(ROOT)} imports {sorted(extra)}"


def test_private_modules_are_used_in_their_folder_only() -> None:
    problems: list[str] = []
    for path in python_files(*python_folders()):
        where = path.relative_to(ROOT).as_posix()
        for module in imported_modules(path.read_text()):
            source = source_of(module)
            is_private = source is not None and source.stem.startswith("_")
            if source is None or source.stem == "__init__" or not is_private:
                continue
            if source.parent != path.parent:
                problems.append(f"{where} imports {module}")
    assert not problems, "\n".join(problems)


def test_only_backends_know_instruction_sets() -> None:
    for path in python_files(*(set(MAY_IMPORT) - {"backends"})):
        assert not re.search(r"\.isa\b", path.read_text()), path.relative_to(ROOT)


def defined_types(path: Path) -> Iterator[str]:
    """Yield the names of the classes and the aliases of types in a file."""
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.ClassDef(name=name):
                yield name
            case (
                ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name))
            ) if re.match("_?[A-Z]", name) and not name.isupper():
                yield name


def test_a_name_of_a_type_has_one_meaning() -> None:
    places: dict[str, list[str]] = {}
    for path in python_files(*MAY_IMPORT):
        for name in defined_types(path):
            places.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    twice = {name: where for name, where in places.items() if len(where) > 1}
    levels = ["dialects/graph", "dialects/memory"]
    problems = {
        name: where
        for name, where in twice.items()
        if not name.endswith("Op")
        or sorted(Path(each).parent.as_posix() for each in where) != levels
    }
    assert set(problems) == set(TWO_MEANINGS), problems


def test_imports_have_no_circles() -> None:
    """Imports inside functions count, as do those for types only."""
    graph: dict[str, set[str]] = {}
    for path in python_files(*MAY_IMPORT):
        name = path.relative_to(ROOT).as_posix()
        sources = map(source_of, imported_modules(path.read_text()))
        used = {s.relative_to(ROOT).as_posix() for s in sources if s is not None}
        graph[name] = used - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_examples_use_only_the_public_interface() -> None:
    public = {f"glow.{name}" for name in glow.__all__}
    for path in sorted((ROOT / "examples").rglob("*.py")):
        modules = imported_modules(path.read_text())
        deep = {name for name in modules if name.startswith("glow.")} - public
        assert not deep, f"{path.relative_to(ROOT)} imports {sorted(deep)}"


@pytest.mark.parametrize("folder", ["benchmarks"])
def test_programs_use_only_the_public_interface_and_tools(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        modules = imported_modules(path.read_text())
        deep = {name for name in modules if name.startswith("glow.")}
        tools = {name for name in deep if name.startswith("glow.tools.")}
        extra = {name for name in deep - tools if name.count(".") > 1}
        assert not extra, f"{path.relative_to(ROOT)} imports {sorted(extra)}"


def test_the_picture_of_layers_has_arrows_that_run_down() -> None:
    arrows = re.findall(r"(\w+) --> (\w+)", picture_of_layers(ROOT))
    assert {folder for arrow in arrows for folder in arrow} == set(MAY_IMPORT)
    assert all(below in MAY_IMPORT[folder] for folder, below in arrows)


def test_the_picture_of_levels_has_all_stages_in_order() -> None:
    names = re.findall(r'class="name">([\w ]+)<', picture_of_levels())
    assert names == ["import", *(stage.name for stage in STAGES), "machine code"]


def test_each_note_of_the_worked_example_has_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, notes in NOTES.items():
        level = worked_example().partition(f"### Level {name}\n")[2].split("###")[0]
        marks = [
            int(mark) for mark in re.findall(r"// \((\d+)\)$", level, re.MULTILINE)
        ]
        assert sorted(marks) == list(range(1, len(notes) + 1))
    monkeypatch.setitem(NOTES, "loops", {"no such line": "A note."})
    with pytest.raises(InternalError, match="no 'no such line' at level loops"):
        worked_example()
