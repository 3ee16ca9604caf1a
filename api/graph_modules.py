"""Modules at the graph level, for what models do: bound to values, exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp
from xdsl.utils.exceptions import VerifyException

from glow.analysis.directions import functions_of
from glow.analysis.levels import level_of
from glow.analysis.symbols import Uses, uses_of_symbols
from glow.analysis.validity import verify_module
from glow.backends.signature import spec_of
from glow.dialects.graph.control_flow import composite_of, gradient_of
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import PlaceholderOp
from glow.passes.graph.arguments_to_placeholders import ArgumentsToPlaceholdersPass
from glow.passes.graph.infer_io import InferIoPass
from glow.passes.graph.inline_functions import InlineFunctionsPass
from glow.registry import universe
from glow.support.arguments import check_by_name
from glow.support.errors import BindingError, InvalidModelError
from glow.support.walking import ops_in


def context() -> Context:
    """Return a context that knows every dialect; each loads when it is met."""
    ctx = Context()
    for name, load in universe().all_dialects.items():
        ctx.register_dialect(name, load)
    return ctx


def graph_module(
    module: ModuleOp,
    purpose: str,
    keeps_calls: bool = False,
    has_gradients: bool = True,
) -> ModuleOp:
    """
    Return a copy of a graph-level module: calls inlined, arguments as placeholders.

    With `keeps_calls`, calls stay if all are ops of the graph dialect, not MLIR's. With
    `has_gradients`, composites that have a gradient of their own stay.

    Errors: ValueError for another level, which names the `purpose`.
    """
    level = level_of(module)
    if level not in ("import", "graph"):
        raise ValueError(
            f"expected a model at the graph level to {purpose}, "
            f"got one at level {level}"
        )
    module = module.clone()
    if not keeps_calls or any(isinstance(op, CallOp) for op in ops_in(module.body)):
        functions = functions_of(module) if has_gradients else []
        keep = tuple(composite_of(each) for each in functions if gradient_of(each))
        InlineFunctionsPass(keep).apply(context(), module)
    ArgumentsToPlaceholdersPass().apply(context(), module)
    return module


def exported(
    module: ModuleOp, name: str, opset: int | None = None, keeps_calls: bool = True
) -> Any:
    """Return the ONNX model of a graph-level module; see `Model.export`."""
    from glow.formats.onnx import export_model

    try:
        verify_module(module)
    except VerifyException as error:
        raise InvalidModelError(f"the module to export: {error}") from None
    module = graph_module(module, "export", keeps_calls, has_gradients=False)
    InferIoPass().apply(context(), module)
    return export_model(module, name, opset)


def bound(module: ModuleOp, arrays: Mapping[str, object]) -> ModuleOp:
    """Return a copy of `module` whose placeholders have these values; see `bind`."""
    check_by_name("arrays", arrays)
    module = graph_module(module, "bind its inputs")
    placeholders = {
        op.sym_name.data: op for op in module.body.ops if isinstance(op, PlaceholderOp)
    }
    uses = uses_of_symbols(module)
    if problems := list(_problems(placeholders, uses, arrays)):
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
            if problem := spec_of(name, op.type, op.axes).problem_with(array):
                yield f'input "{name}": {problem}'
