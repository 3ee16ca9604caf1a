"""Check the arguments of a builder's calls, and bring them into one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from inspect import Parameter, Signature
from types import NoneType
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import Attribute
from xdsl.irdl import OptOperandDef, VarOperandDef
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.elements import number_of
from glow.dialects.graph.tensors import Tensor
from glow.support.dtypes import dtype_named
from glow.support.errors import InvalidModelError
from glow.support.names import did_you_mean
from glow.support.types import check_extents, dtype_of, element_type_of, tensor

_WORDS: Mapping[Any, str] = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a string",
    Attribute: "an element type",
    NoneType: "None",
}
_TAKEN: Mapping[Any, Any] = {
    bool: bool | np.bool_,
    int: int | np.integer,
    float: int | float | np.integer | np.floating,
    str: str,
    Attribute: Attribute,
    NoneType: NoneType,
}
_SEVERAL = {int: "integers", float: "numbers", str: "strings"}


def described(given: Any) -> str:
    """Return a few words for what a caller passed."""
    if isinstance(given, Tensor):
        return f"a value {given.type}"
    if isinstance(given, np.ndarray):
        return f"an array of {cast(NDArray[Any], given).dtype}"
    if isinstance(given, list | tuple):
        count = sum(isinstance(v, Tensor) for v in cast(Sequence[Any], given))
        if count:
            return f"{count} values"
    text = " ".join(repr(cast(object, given)).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def array_of(given: Any, what: str) -> NDArray[Any]:
    """Return a copy of numbers as an array, or raise TypeError."""
    try:
        array = np.array(given)
        element_type_of(array.dtype)
    except (ValueError, TypeError, VerifyException):
        raise TypeError(
            f"{what}: expected a value, an array or a number, got {described(given)}"
        ) from None
    try:
        check_extents(array.shape)
    except VerifyException as error:
        raise ValueError(f"{what}: {error}") from None
    return array


def name_of(given: object) -> str:
    """Return the name of an input, output, constant or state."""
    if not isinstance(given, str) or not given:
        raise TypeError(f"expected a name, got {described(given)}")
    return given


def type_of(name: str, shape: Any, dtype: Any) -> AnyTensorType:
    """Return the type of the tensor `name`, of known extents."""
    name_of(name)
    try:
        extents: Any = _converted(shape, Sequence[int])
    except TypeError:
        raise TypeError(
            f'expected a list of integers as shape of "{name}", got {described(shape)}'
        ) from None
    if min(extents, default=0) < 0:
        raise ValueError(f'expected extents from 0 on of "{name}", got {list(extents)}')
    try:
        return tensor(_element_of(dtype), extents)
    except TypeError as error:
        raise TypeError(f'type of "{name}": {error}') from None
    except VerifyException as error:
        raise ValueError(f'shape of "{name}": {error}') from None


def integers(what: str, least: int, **given: Any) -> None:
    """Raise TypeError or ValueError unless sizes are integers from `least` on."""
    for name, value in given.items():
        text = f"{what}: expected an integer from {least} on as {name}, got"
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            raise TypeError(f"{text} {described(value)}")
        if value < least:
            raise ValueError(f"{text} {value}")


def parameters_of(op: type[GraphOp], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters in the types that `op` declares, or raise one TypeError."""
    declared, converted, wrong = op.declared(), dict(given), list[str]()
    for name, value in given.items():
        if name not in declared:
            continue  # binding to the signature says so
        kinds = declared[name].kinds
        try:
            converted[name] = _converted(value, *kinds)
        except TypeError:
            words = f"{_words(kinds)} as {name}, got {described(value)}"
            wrong.append(f"expected {words}")
    if wrong:
        raise TypeError("; ".join(wrong))
    return converted


def _words(kinds: Iterable[Any]) -> str:
    words = [
        f"a list of {_SEVERAL[get_args(kind)[0]]}" if get_args(kind) else _WORDS[kind]
        for kind in kinds
    ]
    return " or ".join(words)


def _converted(value: Any, *kinds: Any) -> Any:
    """Return `value` as the first of `kinds` that it fits; raise TypeError if none."""
    for kind in kinds:
        with suppress(TypeError):
            if not get_args(kind):
                return _one(value, kind)
            if isinstance(value, list | tuple | range | np.ndarray):
                items = cast(Sequence[Any], value)
                return tuple(_one(item, *get_args(kind)) for item in items)
    raise TypeError


def _one(value: Any, kind: Any) -> Any:
    """Return `value` as type `kind`; raise TypeError if it does not fit."""
    if kind == Attribute and value is not None:  # NumPy takes None for f64
        return value if isinstance(value, Attribute) else _element_of(value)
    is_bool = isinstance(value, bool | np.bool_)
    if is_bool != (kind is bool) or not isinstance(value, _TAKEN[kind]):
        raise TypeError
    return None if kind is NoneType else kind(value)


def _element_of(dtype: Any) -> Attribute:
    try:
        return element_type_of(dtype_named(dtype))
    except VerifyException as error:
        raise TypeError(str(error)) from None


def type_in(operand: Any) -> AnyTensorType | None:
    """Return the type of an operand, or of the first value in a list of several."""
    is_several = isinstance(operand, list | tuple)
    values = cast(Sequence[Any], operand) if is_several else (operand,)
    return next((each.type for each in values if isinstance(each, Tensor)), None)


def operands_of(
    op: type[GraphOp], operands: Sequence[Any], named: dict[str, Any]
) -> list[tuple[str, object, Any]]:
    """Return each slot with its operand; those by name are taken out of `named`."""
    slots = op.get_irdl_definition().operands
    given = dict(zip((name for name, _ in slots), operands, strict=False))
    if len(operands) > len(slots):
        several = [name for name, kind in slots if is_variadic(kind)]
        hint = f"; {several[0]} are one list" if several else ""
        raise TypeError(
            f"{op.name}: expected at most {len(slots)} operands, "
            f"got {len(operands)}{hint}"
        )
    for name, _ in slots[len(operands) :]:
        if name in named:
            given[name] = named.pop(name)
    last = max((i for i, (name, _) in enumerate(slots) if name in given), default=-1)
    return [(name, kind, given.get(name)) for name, kind in slots[: last + 1]]


def typed(what: str, array: NDArray[Any], element: Attribute) -> NDArray[Any]:
    """Return numbers with elements of a type; a single number must fit it."""
    if array.ndim:
        return array.astype(dtype_of(element))
    try:
        return number_of(array.item(), element)
    except VerifyException as error:
        raise InvalidModelError(f"{what}: {error}") from None


def is_variadic(definition: object) -> bool:
    """Return whether an operand slot takes a list."""
    is_optional = isinstance(definition, OptOperandDef)
    return isinstance(definition, VarOperandDef) and not is_optional


@cache
def ops_of(dialect: str) -> Mapping[str, type[GraphOp]]:
    """Return the tensor ops of a dialect by name, without the dialect's prefix."""
    load = Universe.get_multiverse().all_dialects.get(dialect)
    ops = load().operations if load is not None else ()
    return {op.name.partition(".")[2]: op for op in ops if issubclass(op, GraphOp)}


def call_signature(op: type[GraphOp]) -> Signature:
    """Return how a builder's function of an op is called, for help and editors."""
    slots = op.get_irdl_definition().operands
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=None if isinstance(slot, OptOperandDef) else Parameter.empty,
        )
        for name, slot in slots
    ]
    named = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=each.default)
        for name, each in op.declared().items()
    ]
    return Signature([*parameters, *named])


def op_class(name: str) -> type[GraphOp]:
    """Return the op called `name`; without a dialect, one of graph."""
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected the name of an op on tensors, got {described(name)}")
    dialect, _, kind = name.rpartition(".")
    ops = ops_of(dialect or "graph")
    if kind not in ops:
        hint = did_you_mean(kind, ops)
        raise ValueError(f'expected the name of an op on tensors, got "{name}"{hint}')
    return ops[kind]
