"""Discovery of dialects, ops and passes by the folders they are in."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from xdsl.ir import Attribute, Dialect, Operation
from xdsl.passes import ModulePass


def defined_in(module: ModuleType, base: type) -> list[type[Any]]:
    """Return the named subclasses of `base` that `module` itself defines."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and isinstance(vars(value).get("name"), str)
        and issubclass(value, base)  # last, as abstract classes take long to ask
    ]


def modules_in(package: str) -> list[str]:
    """Return the dotted names of the modules and packages right below `package`."""
    path = import_module(package).__path__
    return [f"{package}.{info.name}" for info in iter_modules(path)]


def ops_named(dialect: Dialect, names: str) -> list[type[Operation]]:
    """Return the ops of `dialect` with these names, which blanks separate."""
    known = {op.name: op for op in dialect.operations}
    return [known[f"{dialect.name}.{name}"] for name in names.split()]


def mnemonic(op: Operation | type[Operation]) -> str:
    """Return the name of `op` without its dialect."""
    return op.name.rpartition(".")[2]


def dialect_in(name: str, package: str) -> Dialect:
    """Build dialect `name` from every op and attribute that `package` defines."""
    modules = [import_module(module) for module in modules_in(package)]
    return Dialect(
        name,
        [op for m in modules for op in defined_in(m, Operation)],
        [attr for m in modules for attr in defined_in(m, Attribute)],
    )


def dialects_in(package: str) -> dict[str, Callable[[], Dialect]]:
    """Map the name of each dialect, a package below `package`, to its builder."""

    names = {module.rpartition(".")[2]: module for module in modules_in(package)}
    return {name: partial(dialect_in, name, module) for name, module in names.items()}


def _pass_in(module: str) -> type[ModulePass]:
    (each,) = defined_in(import_module(module), ModulePass)
    return each


def passes_in(package: str) -> dict[str, Callable[[], type[ModulePass]]]:
    """
    Map the name of each pass in `package` to a loader; import no pass yet.

    `fold-bias` is in `fold_bias.py`, or its package, in a folder of `package`.
    """

    return {
        module.rpartition(".")[2].replace("_", "-"): partial(_pass_in, module)
        for folder in import_module(package).__path__
        for module in _passes_below(Path(folder), package)
    }


_PASS = re.compile(r"^class \w+\((Module|Rewrite)Pass\):", re.MULTILINE)


def _passes_below(folder: Path, package: str) -> Iterator[str]:
    """Yield the dotted names of the passes in `folder`, recognized by their text."""
    for path in sorted(folder.iterdir()):
        name, own = f"{package}.{path.stem}", path / "__init__.py"
        source = own if own.is_file() else path
        if source.suffix == ".py" and _PASS.search(source.read_text("utf-8")):
            yield name
        elif source is own:
            yield from _passes_below(path, name)
