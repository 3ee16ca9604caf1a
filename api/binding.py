"""Binding placeholders of a model when it is compiled, as constants are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from glow.analysis.symbols import Uses, uses_of_symbols
from glow.backends.signature import spec_of
from glow.dialects.graph.resource import ResourceAttr
from glow.dialects.graph.storage import PlaceholderOp
from glow.levels import level_of
from glow.model import context
from glow.passes.graph.arguments_to_placeholders import ArgumentsToPlaceholdersPass
from glow.support.errors import BindingError


def bound(module: ModuleOp, arrays: Mapping[str, object]) -> ModuleOp:
    """
    Return a copy of `module` whose placeholders have these values; see `Model.bind`.

    Errors: BindingError with every name that is unknown or written, and every array
    that does not fit; ValueError for a module past the graph level.
    """
    level = level_of(module)
    if level not in ("import", "graph"):
        raise ValueError(
            "expected a model at the graph level to bind its inputs, "
            f"got one at level {level}"
        )
    module = module.clone()
    ArgumentsToPlaceholdersPass().apply(context(), module)
    placeholders = {
        op.sym_name.data: op for op in module.body.ops if isinstance(op, PlaceholderOp)
    }
    problems = list(_problems(placeholders, uses_of_symbols(module), arrays))
    if problems:
        raise BindingError("; ".join(problems))
    for name, array in arrays.items():
        op = placeholders[name]
        op.direction, op.residency = StringAttr("in"), StringAttr("bound")
        op.initial = ResourceAttr.of(np.array(cast(Any, array)))
    return module


def _problems(
    placeholders: Mapping[str, PlaceholderOp],
    uses: Mapping[str, Uses],
    arrays: Mapping[str, object],
) -> Iterator[str]:
    def is_read_only(name: str) -> bool:
        written = name in uses and uses[name].saves
        return not written and placeholders[name].direction.data in ("in", "infer")

    known = [name for name in placeholders if is_read_only(name)]
    listed = ", ".join(f'"{name}"' for name in known) or "none"
    for name, array in arrays.items():
        if name not in placeholders:
            yield f'no input is called "{name}", expected {listed}'
        elif name not in known:
            yield f'cannot bind "{name}", which the model writes, expected {listed}'
        else:
            op = placeholders[name]
            problem = spec_of(name, op.type, op.axes).problem_with(array)
            if problem is not None:
                yield f'input "{name}": {problem}'
