"""
Write the pages of ops and passes under `docs/`, and parts of other pages.

With `--check` write nothing and fail if a page is not in step.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    OptOperandDef,
    OptResultDef,
    VarOperandDef,
    VarResultDef,
)
from xdsl.passes import ModulePass, get_pass_option_infos

from glow.pipeline import STAGES, Stage
from glow.registry import UNIVERSE
from glow.support.discovery import defined_in, modules_in
from glow.tools.api_page import api_page
from glow.tools.architecture_page import (
    ARCHITECTURE,
    LEVELS,
    README,
    architecture_page,
    picture_of_levels,
    readme_page,
)
from glow.tools.array_api_page import array_api_page
from glow.tools.aten_page import aten_page
from glow.tools.gradients_page import gradients_page
from glow.tools.onnx_forms import onnx_form_of
from glow.tools.onnx_page import onnx_page
from glow.tools.slots_page import slots_page

ROOT = Path(__file__).parents[1]
_NOTE = "<!-- Written by `make docs` from docstrings; edit those. -->"
_PIPELINE = """The default pipeline runs these stages in order. A step that is optional
may be left out with `--disable` and `disable=`; one with an option runs only where the
caller of `glow.compile` gives that option."""
_LABELS = ("Shapes", "Units", "Errors", "Level", "Needs", "Source")
_SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")


def pages() -> dict[Path, str]:
    """Return the text of every generated page."""
    texts = {
        Path(f"docs/ops/{name}.md"): _dialect_page(name)
        for name in sorted(UNIVERSE.all_dialects)
    }
    texts[Path("docs/ops/slots.md")] = slots_page(_NOTE)
    texts[Path("docs/ops/gradients.md")] = gradients_page(_NOTE)
    texts[Path("docs/ops/aten.md")] = aten_page(_NOTE)
    texts[Path("docs/ops/onnx.md")] = onnx_page(_NOTE)
    texts[Path("docs/array_api.md")] = array_api_page(_NOTE)
    texts[Path("docs/api.md")] = api_page(_NOTE)
    texts[ARCHITECTURE] = architecture_page(ROOT)
    texts[README] = readme_page(ROOT)
    texts[LEVELS] = picture_of_levels()
    return texts | {Path("docs/passes.md"): _passes_page()}


def _dialect_page(dialect: str) -> str:
    package = f"glow.dialects.{dialect}"
    parts = [f"# Dialect `{dialect}`", _NOTE, _docstring(import_module(package))]
    for name in sorted(modules_in(package)):
        module = import_module(name)
        ops = defined_in(module, Operation)
        attributes = defined_in(module, Attribute)
        if not ops and not attributes:
            continue
        parts.append(f"## {name.rpartition('.')[2]}")
        parts.append(_docstring(module))
        parts += [_attribute_entry(each) for each in attributes]
        parts += [_op_entry(each) for each in ops]
    return _page(parts)


def _attribute_entry(attribute: type) -> str:
    return _page([f"### `#{vars(attribute)['name']}`", _docstring(attribute)])


def _op_entry(op: type[Operation]) -> str:
    signature = _signature(op) if issubclass(op, IRDLOperation) else ""
    return _page([f"### `{op.name}`", _docstring(op), signature + onnx_form_of(op)])


def _signature(op: type[IRDLOperation]) -> str:
    """Return a line each for operands, properties and results; `?` optional."""
    definition = op.get_irdl_definition()
    properties = [name for name in definition.properties if name not in _SEGMENTS]
    rows = [
        ("Operands", [_marked(*item) for item in definition.operands]),
        ("Properties", [f"`{name}`" for name in properties]),
        ("Results", [_marked(*item) for item in definition.results]),
    ]
    lines = [f"- {title}: {', '.join(names)}" for title, names in rows if names]
    return "\n".join([*lines, ""])


def _marked(name: str, definition: object) -> str:
    if isinstance(definition, OptOperandDef | OptResultDef):
        return f"`{name}`?"
    if isinstance(definition, VarOperandDef | VarResultDef):
        return f"`{name}`..."
    return f"`{name}`"


def _passes_page() -> str:
    parts = ["# Passes", _NOTE, _PIPELINE, *map(_pipeline_table, STAGES)]
    groups: dict[str, list[type[ModulePass]]] = {}
    for _, load in sorted(UNIVERSE.all_passes.items()):
        pass_ = load()
        module = pass_.__module__.removeprefix("glow.").split(".")
        group = "/".join(module[:2]) if module[0] == "passes" else module[0]
        groups.setdefault(group, []).append(pass_)
    for group, passes in groups.items():
        parts.append(f"## Passes of {group}")
        parts += [_pass_entry(each) for each in passes]
    return _page(parts)


def _pipeline_table(stage: Stage) -> str:
    dialects = ", ".join(sorted(stage.dialects))
    lines = [f"## Stage {stage.name}", "", f"Ops that may remain: {dialects}.", ""]
    lines += ["| step | why | |", "|---|---|---|"]
    for step in stage.steps:
        note = "optional" if step.optional else ""
        note = f"with `{step.option}`" if step.option else note
        lines.append(f"| `{step.text}` | {step.reason} | {note} |")
    return "\n".join(lines)


def _pass_entry(each: type[ModulePass]) -> str:
    parts = [f"### `{each.name}`", _docstring(each)]
    options: list[str] = []
    for option in get_pass_option_infos(each) if dataclasses.fields(each) else ():
        default = f" = {option.default_value}" if option.default_value else ""
        options.append(f"- `{option.name}`: {option.expected_type}{default}")
    return _page([*parts, "\n".join(options)])


def _docstring(value: object) -> str:
    """Return the docstring as Markdown: its labels become the items of a list."""
    lines: list[str] = []
    in_item = in_code = False
    for line in inspect.cleandoc(value.__doc__ or "").splitlines():
        in_code = in_code != line.startswith("```")
        label, _, text = line.partition(": ")
        if label in _LABELS and not in_code:
            if lines and lines[-1] and not in_item:
                lines.append("")
            in_item = True
            lines.append(f"- **{label}:** {text}")
            continue
        in_item = in_item and bool(line)
        lines.append(f"  {line}" if in_item else line)
    return "\n".join(lines)


def _page(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def main() -> None:
    expected = pages()
    known = {ROOT / path for path in expected}
    stray = [path for path in (ROOT / "docs/ops").glob("*.md") if path not in known]
    if "--check" in sys.argv[1:]:
        stale = [
            path
            for path, text in expected.items()
            if not (ROOT / path).exists() or (ROOT / path).read_text() != text
        ]
        names = ", ".join(map(str, stale + stray))
        sys.exit(f"error: run `make docs`, out of step: {names}" if names else 0)
    for path, text in expected.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)
    for path in stray:
        path.unlink()


if __name__ == "__main__":
    main()
