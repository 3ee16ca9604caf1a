"""Slots of graph ops, and their text, as `compute` declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter as Argument
from inspect import signature
from types import FunctionType
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_result_def,
    result_def,
    var_operand_def,
)

from glow.dialects.graph.parameters import parameters_of

Array = NDArray[Any]

TENSOR = TensorType.constr(AnyAttr())
"""The constraint on operands and results; `infer` says the rest."""

_OPERAND = type(operand_def(TENSOR))

_DEFINITIONS: dict[Any, Any] = {
    Array: operand_def,
    Array | None: opt_operand_def,
    Sequence[Array]: var_operand_def,
}


def declare_slots(op: type[IRDLOperation], compute: Any) -> None:
    """
    Give `op` the operands and results that `compute` declares, and its text.

    A flag `with_X` declares an optional result X; an array that is returned, a
    `result`. An op that defines operands in its class body, or in that of a base, is
    left as it is.
    """
    function = getattr(compute, "__func__", compute)
    fields = (field for each in op.mro() for field in vars(each).values())
    is_defined = any(isinstance(field, _OPERAND) for field in fields)
    if is_defined or not isinstance(function, FunctionType):
        return
    declared = signature(function, eval_str=True)
    kinds = {
        name: argument.annotation
        for name, argument in declared.parameters.items()
        if argument.kind is Argument.POSITIONAL_OR_KEYWORD
    }
    flags = (name for name in parameters_of(compute) if name.startswith("with_"))
    names = (flag.removeprefix("with_") for flag in flags)
    results = [name for name in names if not hasattr(op, name)]
    for name, kind in kinds.items():
        setattr(op, name, _DEFINITIONS[kind](TENSOR))
    for name in results:
        setattr(op, name, opt_result_def(TENSOR))
    if declared.return_annotation == Array:
        setattr(op, "result", result_def(TENSOR))  # noqa: B010
    options = vars(op).get("irdl_options", ())
    if sum(kind != Array for kind in kinds.values()) > 1:
        options += (AttrSizedOperandSegments(as_property=True),)
    if len(results) > 1:
        options += (AttrSizedResultSegments(as_property=True),)
    setattr(op, "irdl_options", options)  # noqa: B010
    if op.assembly_format is None:
        op.assembly_format = _format(kinds)


def _format(kinds: Mapping[str, Any]) -> str:
    """Return the text of an op: optional operands have their name before them."""
    required = [name for name, kind in kinds.items() if kind != Array | None]
    optional = [name for name in kinds if name not in required]
    text = " `,` ".join(f"${name}" for name in required)
    types = "functional-type(operands, results)"
    if len(optional) > 1:  # types in one list would not tell which are there
        operands = " `,` ".join(f"type(${name})" for name in required)
        types = f"`(` {operands} `)` `->` type($result)"
        if len(required) == 1:
            types = f"functional-type(${required[0]}, results)"
    for name in optional:
        own = f" `:` type(${name})" if len(optional) > 1 else ""
        text += f" (`{name}` ${name}^{own})?"
    return f"{text} attr-dict `:` {types}"
