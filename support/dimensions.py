"""Symbolic dimensions: names, and the arithmetic on them that exporters write."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

_LONGEST = 200  # characters; what is longer is a name

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


def _quotient(a: Fraction, b: Fraction) -> int:
    return a // b


def _rest(a: Fraction, b: Fraction) -> Fraction:
    return a % b


# As SymPy and Python spell them, which write these texts.
_FUNCTIONS: dict[str, Callable[..., Fraction | int]] = {
    "floor": floor,
    "ceil": ceil,
    "ceiling": ceil,
    "max": max,
    "min": min,
    "mod": _rest,
    "floordiv": _quotient,
}
_ARITIES = {"floor": 1, "ceil": 1, "ceiling": 1, "mod": 2, "floordiv": 2}


@dataclass(frozen=True)
class Relation:
    """A dimension that follows from others, such as `past + 1`."""

    text: str
    names: tuple[str, ...]
    """The names that it is computed from."""
    tree: ast.expr

    def extent(self, dims: Mapping[str, int]) -> int:
        """
        Return its value for `dims`, which has all of its names.

        Errors: a ValueError where that is no extent.
        """
        values = self.described(dims)
        try:
            extent = _value(self.tree, dims)
        except ZeroDivisionError:
            raise ValueError(f'"{self.text}" divides by 0 for {values}') from None
        if extent.denominator != 1 or extent < 0:
            raise ValueError(f'"{self.text}" is {extent} for {values}')
        return int(extent)

    def described(self, dims: Mapping[str, int]) -> str:
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
    if isinstance(tree, ast.Name) or not _is_arithmetic(tree, names) or not names:
        return None
    return Relation(text, tuple(names), tree)


def _is_arithmetic(tree: ast.expr, names: dict[str, None]) -> bool:
    """Return whether `_value` can compute `tree`; add what it reads to `names`."""
    match tree:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int()):
            return True
        case ast.Name(id=name):
            names[name] = None
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_arithmetic(operand, names)
        case ast.BinOp(left=left, op=op, right=right):
            known = isinstance(op, _OPERATORS)
            return known and all(_is_arithmetic(each, names) for each in (left, right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            arity = _ARITIES.get(name.lower(), len(args))
            known = name.lower() in _FUNCTIONS and len(args) == arity > 0
            return known and all(_is_arithmetic(each, names) for each in args)
        case _:
            return False


def _value(tree: ast.expr, dims: Mapping[str, int]) -> Fraction:
    match tree:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.Name(id=name):
            return Fraction(dims[name])
        case ast.UnaryOp(operand=operand):
            return -_value(operand, dims)
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(op, _value(left, dims), _value(right, dims))
        case ast.Call(func=ast.Name(id=name), args=args):
            values = [_value(each, dims) for each in args]
            return Fraction(_FUNCTIONS[name.lower()](*values))
        case _:
            raise AssertionError(f"no arithmetic: {ast.dump(tree)}")


def _combined(op: ast.operator, a: Fraction, b: Fraction) -> Fraction:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div():
            return a / b
        case ast.FloorDiv():
            return Fraction(a // b)
        case _:
            return a % b
