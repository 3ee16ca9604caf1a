"""Parameters and slots of graph ops, as `compute` declares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from inspect import CO_VARKEYWORDS, signature
from inspect import Parameter as Argument
from types import FunctionType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Required,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.support.arrays import Array
from glow.support.attributes import integer, numbers_of, string
from glow.support.names import with_article

_STORED: dict[Any, Any] = {
    bool: UnitAttr,
    int: IntegerAttr.constr(i64),
    float: FloatAttr.constr(f64),
    str: StringAttr,
    Sequence[int]: DenseArrayBase.constr(i64),
    Sequence[float]: DenseArrayBase.constr(f64),
    Sequence[str]: ArrayAttr.constr(StringAttr),
}
"""The constraint on the property that stores a type; an attribute stores itself."""


@dataclass(frozen=True)
class OpParameter:
    """
    A keyword argument of `compute`.

    `kinds` are the types that its annotation allows, and `words`, if not empty, all
    strings; `default` is `Argument.empty` where it must be given. A bool is a unit
    property: it is false where that is absent, whatever the default of a call.
    """

    name: str
    kinds: tuple[Any, ...]
    default: Any
    words: tuple[str, ...] = ()

    @property
    def has_default(self) -> bool:
        return self.default is not Argument.empty

    def definition(self) -> Any:
        """Return the definition of the property for xDSL."""
        kind = self.kinds[0]
        stored = _STORED.get(kind, kind)
        if kind is bool or NoneType in self.kinds:
            return opt_prop_def(stored, prop_name=self.name)
        default = to_attribute(self.default) if self.has_default else None
        return prop_def(stored, default, prop_name=self.name)

    def value_of(self, op: Operation) -> Any:
        """Return the value that `op` has, as a Python value."""
        stored = op.properties.get(self.name)
        if stored is not None:
            return from_attribute(stored)
        return False if self.kinds[0] is bool else self.default


def check_word(name: str, value: str, words: Iterable[str]) -> None:
    """Raise unless `value` is one of some words."""
    if value not in words:
        raise VerifyException(
            f'expected {with_article(name)} out of {", ".join(words)}, got "{value}"'
        )


@cache
def parameters_of(compute: Callable[..., Any]) -> dict[str, OpParameter]:
    """
    Return what `compute` takes by keyword; a function of NumPy takes nothing.

    `**sliding: Unpack[Sliding]` is a list of parameters that several ops share: they
    come first, and have no default where they are `Required`.
    """
    function = getattr(compute, "__func__", compute)
    if not isinstance(function, FunctionType) or not _takes_keywords(function):
        return {}
    own: dict[str, OpParameter] = {}
    shared: dict[str, OpParameter] = {}
    for name, argument in signature(function, eval_str=True).parameters.items():
        if argument.kind is Argument.KEYWORD_ONLY:
            own[name] = _parameter(name, argument.annotation, argument.default)
        elif get_origin(argument.annotation) is Unpack:
            (table,) = get_args(argument.annotation)
            hints = get_type_hints(table, include_extras=True).items()
            shared = {name: _shared_parameter(name, hint) for name, hint in hints}
    return shared | own


def _takes_keywords(function: FunctionType) -> bool:
    code = function.__code__
    return bool(code.co_kwonlyargcount or code.co_flags & CO_VARKEYWORDS)


def _parameter(name: str, annotation: Any, default: Any) -> OpParameter:
    if get_origin(annotation) is Literal:
        return OpParameter(name, (str,), default, get_args(annotation))
    return OpParameter(name, _kinds_in(annotation), default)


def _shared_parameter(name: str, hint: Any) -> OpParameter:
    """Return an entry of a typed dictionary; `Annotated[int, 0]` has the default 0."""
    if get_origin(hint) is Required:
        return _parameter(name, get_args(hint)[0], Argument.empty)
    if get_origin(hint) is Annotated:
        return _parameter(name, *get_args(hint))
    return _parameter(name, hint, False if hint is bool else None)


def _kinds_in(annotation: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the one; a tuple of integers is a sequence."""
    if get_origin(annotation) in (Union, UnionType):
        return tuple(kind for each in get_args(annotation) for kind in _kinds_in(each))
    if get_origin(annotation) is tuple:
        return (Sequence[get_args(annotation)[0]],)
    return (annotation,)


_TRUE = UnitAttr()


def to_attribute(value: Any) -> Attribute | None:
    """
    Return the property that stores `value`.

    Those are integers, floats, strings, lists of them, booleans and types.
    """
    match value:
        case None | False:
            return None
        case Attribute():
            return value
        case True:
            return _TRUE
        case int() | np.integer():
            return integer(int(cast(int, value)))
        case float() | np.floating():
            return FloatAttr(float(cast(float, value)), f64)
        case str():
            return string(value)
        case [str(), *_]:
            return ArrayAttr([StringAttr(v) for v in value])
        case [float(), *_]:
            return DenseArrayBase.from_list(f64, [float(v) for v in value])
        case _:
            return _integers(tuple(int(v) for v in value))


@lru_cache(1 << 10)
def _integers(values: tuple[int, ...]) -> Attribute:
    """Return a property that ops share: strides and pads are much the same in all."""
    return DenseArrayBase.from_list(i64, values)


def from_attribute(attribute: Attribute) -> Any:
    """Return the value that `to_attribute` was given."""
    read = _READERS.get(type(attribute))
    return attribute if read is None else read(attribute)


_READERS: dict[type[Attribute], Callable[[Any], Any]] = {
    UnitAttr: lambda _: True,
    IntegerAttr: lambda number: number.value.data,
    FloatAttr: lambda number: number.value.data,
    StringAttr: lambda string: string.data,
    DenseArrayBase: numbers_of,
    ArrayAttr: lambda array: tuple(map(from_attribute, array.data)),
}
"""How to read each class of attributes: asking for them in turn takes longer."""


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
