"""Symbolic dimensions: names, and the arithmetic on them that exporters write."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

_LONGEST = 200  # characters; what is longer is a name

AT_MOST = "<= "
"""In the meaning of an axis, before the name of the output that holds its extent."""

Dims = Mapping[str, int]
Expression = Callable[[Dims], Any]
"""The value of arithmetic for given dimensions, a Fraction or an int."""


def _quotient(a: Fraction, b: Fraction) -> int:
    return a // b


_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: Fraction.__truediv__,
    ast.FloorDiv: _quotient,
    ast.Mod: operator.mod,
}
# By the names that SymPy and Python write, with their numbers of arguments.
_FUNCTIONS: dict[str, tuple[Callable[..., Any], int | None]] = {
    "floor": (floor, 1),
    "ceil": (ceil, 1),
    "ceiling": (ceil, 1),
    "max": (max, None),
    "min": (min, None),
    "mod": (operator.mod, 2),
    "floordiv": (_quotient, 2),
}


@dataclass(frozen=True)
class Relation:
    """A dimension that follows from others, such as `past + 1`."""

    text: str
    names: tuple[str, ...]
    """The names that it is computed from."""
    value: Expression

    def extent(self, dims: Dims) -> int:
        """
        Return its value for `dims`, which has all of its names.

        Errors: a ValueError where that is not an extent.
        """
        values = self.described(dims)
        try:
            extent = Fraction(self.value(dims))
        except ZeroDivisionError:
            raise ValueError(f'"{self.text}" divides by 0 for {values}') from None
        if extent.denominator != 1 or extent < 0:
            raise ValueError(f'"{self.text}" is {extent} for {values}')
        return int(extent)

    def described(self, dims: Dims) -> str:
        """Return `past = 3` and so on, for the names that it is computed from."""
        return ", ".join(f"{name} = {dims[name]}" for name in self.names)


def relations(texts: Iterable[str], known: Collection[str] = ()) -> dict[str, Relation]:
    """
    Return those of `texts` that are arithmetic on others of them, or on `known`.

    All others are names, of any form: "batch-size" is one unless there are a "batch"
    and a "size".
    """
    parsed = {text: _parsed(text) for text in texts}
    names = {text for text, relation in parsed.items() if relation is None}
    names |= set(known) - set(parsed)
    return {
        text: relation
        for text, relation in parsed.items()
        if relation is not None and names.issuperset(relation.names)
    }


def _parsed(text: str) -> Relation | None:
    """Return `text` as arithmetic on at least one name; None if it is not."""
    if len(text) > _LONGEST:
        return None
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    names: dict[str, None] = {}
    value = None if isinstance(tree, ast.Name) else _expression(tree, names)
    return Relation(text, tuple(names), value) if value and names else None


def _expression(tree: ast.expr, names: dict[str, None]) -> Expression | None:
    """Return what computes `tree`, None if it is not arithmetic; add to `names`."""
    match tree:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(number)):
            return lambda dims: Fraction(number)
        case ast.Name(id=name):
            names[name] = None
            return lambda dims: Fraction(dims[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _applied(operator.neg, [operand], names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _applied(_OPERATORS[type(op)], [left, right], names)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if args:
            function, arity = _FUNCTIONS.get(name.lower(), (None, None))
            if function is not None and arity in (None, len(args)):
                return _applied(function, args, names)
        case _:
            pass
    return None


def _applied(
    function: Callable[..., Any], trees: Sequence[ast.expr], names: dict[str, None]
) -> Expression | None:
    parts = [part for tree in trees if (part := _expression(tree, names)) is not None]
    if len(parts) < len(trees):
        return None
    return lambda dims: function(*(Fraction(part(dims)) for part in parts))
