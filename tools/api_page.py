"""The page of the library: what `import glow` offers, from its docstrings."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import glow
from glow.initializers import Initializer

_GROUPS = {
    "Load and compile": "load compile load_executable Model progress",
    "Run": "Executable DynamicExecutable InferenceSession udf StageReport",
    "Build": "Builder Value initializers",
    "Trace": "trace jit ShapeDtype Variable composite nn",
    "Control flow": "cond while_loop fori_loop scan",
    "Gradients and training": "grad value_and_grad vjp jvp optim",
}
_WIDTH = 88
_LABEL = re.compile(r"^(Shapes|Units|Errors|Source): ", re.MULTILINE)
_PAGE = re.compile(r"\bdocs/(\w+\.md)")


def api_page(note: str) -> str:
    """Return the page: the public names by what they are for, then the errors."""
    groups = {title: names.split() for title, names in _GROUPS.items()}
    grouped = {name for names in groups.values() for name in names}
    groups["Errors"] = [name for name in glow.__all__ if name not in grouped]
    lines = ["# The library", "", note, "", "What `import glow` offers.", ""]
    for title, names in groups.items():
        lines += [f"## {title}", ""]
        for name in names:
            lines += _entry(f"glow.{name}", getattr(glow, name))
    return "\n".join(lines).rstrip() + "\n"


def _entry(name: str, value: Any) -> Iterator[str]:
    """Yield the lines about a function, a class with its methods, or a module."""
    yield from (f"### `{name}`", "")
    if isinstance(value, ModuleType):
        yield from (_text(value), "", "| function | |", "|---|---|")
        for key, each in _functions(value):
            yield f"| `{key}{_signature(each)}` | {_first_line(each)} |"
        yield ""
        return
    if not (isinstance(value, type) and issubclass(value, Exception)):
        yield from ("```text", _wrapped(name, _signature(value)), "```", "")
    yield from (_text(value), "")
    methods = list(_members(value)) if isinstance(value, type) else []
    if methods:
        yield from ("| member | |", "|---|---|", *methods, "")


def _members(value: type) -> Iterator[str]:
    """Yield a row for each public member that a class of ours documents."""
    for key, each in inspect.getmembers(value):
        if key.startswith("_") or not inspect.getdoc(each):
            continue
        if isinstance(each, property):
            yield f"| `{key}` | {_first_line(each)} |"
        elif (getattr(each, "__module__", None) or "").startswith("glow"):
            yield f"| `{key}{_signature(each, method=True)}` | {_first_line(each)} |"


def _functions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the public functions and classes of a module of the package."""
    for key, each in inspect.getmembers(module, callable):
        if not key.startswith("_") and each.__module__.startswith(module.__name__):
            yield key, each


def _signature(value: Any, method: bool = False) -> str:
    """Return the parameters as they are called; types are those of the docstring."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [
        each.replace(annotation=each.empty, default=_Shown.of(each.default))
        for each in signature.parameters.values()
    ]
    if method and parameters and parameters[0].name in ("self", "cls"):
        del parameters[0]
    return str(inspect.Signature(parameters))


def _wrapped(name: str, signature: str) -> str:
    """Return a call in one line, or with a line for each few parameters."""
    indent = " " * (len(name) + 1)
    return textwrap.fill(
        name + signature, _WIDTH, subsequent_indent=indent, break_long_words=False
    )


class _Shown(str):
    """A default value as a signature shows it: types and initializers by name."""

    __repr__ = str.__str__

    @classmethod
    def of(cls, default: Any) -> Any:
        if default is inspect.Parameter.empty:
            return default
        if isinstance(default, type):
            return cls(default.__name__)
        return cls(default.name if isinstance(default, Initializer) else repr(default))


def _text(value: Any) -> str:
    """Return the docstring as Markdown, with a paragraph for each label."""
    text = _PAGE.sub(r"[docs/\1](\1)", inspect.getdoc(value) or "")
    return re.sub(r"\n{3,}", "\n\n", _LABEL.sub(r"\n**\1:** ", text))


def _first_line(value: Any) -> str:
    text = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(text.split()).replace("|", r"\|")
