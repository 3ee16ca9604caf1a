"""Handlers of ONNX operators and ONNX forms of graph ops, found by location."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Operation

from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.nodes import OnnxForm
from glow.formats.onnx.records import DEFAULT_DOMAIN, operator_name
from glow.support.discovery import modules_in
from glow.support.errors import ExtensionError
from glow.support.extensions import ONNX, load_all

if TYPE_CHECKING:
    from glow.formats.onnx.node import Node

Outputs = Tensor | Sequence[Tensor | None]
NodeHandler = Callable[["Node"], Outputs]
_Handler = TypeVar("_Handler", bound=NodeHandler)

_Form = TypeVar("_Form", bound=OnnxForm)

MARK = "onnx_operators"
FORM_MARK = "onnx_forms"


def onnx_op(
    *names: str, since: int = 1, domains: Sequence[str] = (DEFAULT_DOMAIN,)
) -> Callable[[_Handler], _Handler]:
    """
    Make a function import the ONNX operators `names` from opset `since` on.

    `domains` are those that they are in. Nodes of operators that ONNX does not define
    are not checked, and their attributes have no defaults.

    The function returns the node's output, or its outputs without missing ones at the
    end; None stands for one that nothing reads.
    A later version of an operator that means something else has its own function; one
    function does for versions whose difference the node's accessors already hide.
    """

    def mark(handler: _Handler) -> _Handler:
        marks: list[tuple[str, int]] = getattr(handler, MARK, [])
        keys = [operator_name(domain, name) for domain in domains for name in names]
        setattr(handler, MARK, [*marks, *((key, since) for key in keys)])
        return handler

    return mark


def onnx_form(*ops: type[Operation]) -> Callable[[_Form], _Form]:
    """
    Make a function write graph ops of the types `ops` as nodes of ONNX.

    The function takes an op and a `NodeWriter`, and returns the results: a value, or
    one for each result, None for an optional one that is absent. It stands beside the
    function that imports these nodes, which must make the same op of them again.
    """

    def mark(form: _Form) -> _Form:
        marks: list[type[Operation]] = getattr(form, FORM_MARK, [])
        setattr(form, FORM_MARK, [*marks, *ops])
        return form

    return mark


def _modules() -> tuple[ModuleType, ...]:
    """Return the modules of this package, and those of others that extend it."""
    own = [import_module(name) for name in modules_in("glow.formats.onnx")]
    return (*own, *load_all(ONNX, ModuleType))


def _marked(mark: str) -> Iterator[tuple[Any, Any]]:
    """Yield the functions that have a mark, once for each that it lists."""
    for module in _modules():
        for value in vars(module).values():
            if getattr(value, "__module__", None) == module.__name__:
                yield from ((value, each) for each in getattr(value, mark, ()))


@cache
def forms() -> dict[type[Operation], OnnxForm]:
    """Map each graph op that ONNX has to what writes it."""
    by_op: dict[type[Operation], OnnxForm] = {}
    for form, op in _marked(FORM_MARK):
        if op in by_op:
            raise ExtensionError(
                f"expected one module to write {op.name} as ONNX, "
                f"got {by_op[op].__module__} and {form.__module__}"
            )
        by_op[op] = form
    return by_op


@cache
def handlers() -> dict[str, dict[int, NodeHandler]]:
    """Map each operator, with its domain, to its handlers by the first opset."""
    by_operator: dict[str, dict[int, NodeHandler]] = {}
    for value, (name, since) in _marked(MARK):
        if since in by_operator.setdefault(name, {}):
            other = by_operator[name][since].__module__
            raise ExtensionError(
                f"expected one module to import {name}-{since}, "
                f"got {other} and {value.__module__}"
            )
        by_operator[name][since] = value
    return by_operator


def find_handler(operator: str, opset: int) -> NodeHandler | None:
    """Return the function that imports `operator` as `opset` defines it."""
    versions = [v for v in handlers().get(operator, {}) if v <= opset]
    return handlers()[operator][max(versions)] if versions else None


def has_handler(operator: str, since: int) -> bool:
    """Return whether a handler is for `operator` as exactly opset `since` has it."""
    return since in handlers().get(operator, {})
