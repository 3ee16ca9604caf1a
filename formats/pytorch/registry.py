"""The operators of ATen that have a function of traced arrays, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from glow.dialects.graph.base import GraphOp
from glow.tracing.operands import tensor_of
from glow.tracing.trace import current_trace
from glow.tracing.tracers import Tracer

ATEN: dict[str, Callable[..., Any]] = {}
"""
Functions by the operator's name and overload, such as `add.Tensor`, `relu`.

They take what the operator does, with traced arrays for tensors and NumPy's types for
element types, and return traced arrays, or tuples of such.
"""

AtenRule = TypeVar("AtenRule", bound=Callable[..., Any])


def aten(*names: str) -> Callable[[AtenRule], AtenRule]:
    """Register a function for the operators with these names."""

    def register(function: AtenRule) -> AtenRule:
        for name in names:
            assert name not in ATEN, f"{name} has two functions"
            ATEN[name] = function
        return function

    return register


def name_of_target(target: object) -> str:
    """Return an operator's name as `ATEN` has it: `relu` for `aten.relu.default`."""
    return str(target).removeprefix("aten.").removesuffix(".default")


def emit(op: type[GraphOp], *operands: Any, **parameters: Any) -> Any:
    """Return the result of an op; numbers among `operands` are as its first array."""
    return emit_all(op, *operands, **parameters)[0]


def emit_all(op: type[GraphOp], *operands: Any, **parameters: Any) -> tuple[Any, ...]:
    """Return the results of an op."""
    slots = [
        each if each is None or isinstance(each, int | float) else tensor_of(each)
        for each in operands
    ]
    results = current_trace().emit_all(op, *slots, **parameters)
    return tuple(Tracer(each) for each in results)
