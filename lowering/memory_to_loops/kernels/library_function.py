"""Functions of the kernel library, each a value that its code follows from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, Self, cast

from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region

from glow.dialects.graph.base import snake_case
from glow.support.op_construction import build_op

PRIVATE = StringAttr("private")


@dataclass(frozen=True)
class LibraryFunction(ABC):
    """
    A function of the library.

    Subclasses are frozen dataclasses: equal keys are equal code, so a function is built
    once per process and its object code is cached by the key.
    """

    @property
    def prefix(self) -> str:
        """The start of the function's symbol: words for what it does."""
        return in_words(self)

    @cached_property
    def symbol(self) -> str:
        """The name of the function; equal for equal keys, in every process."""
        return f"{self.prefix}_{self.digest[:12]}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the function as text; the same in every process."""
        return sha256(f"{type(self).__module__}.{self!r}".encode()).hexdigest()

    def interned(self) -> Self:
        """Return the equal function that was interned first, and knows its symbol."""
        return cast(Self, _KNOWN.setdefault(self, self))

    @abstractmethod
    def build(self) -> FuncOp:
        """Return the function, named `symbol`."""

    def declare(
        self, inputs: Sequence[Attribute], outputs: Sequence[Attribute] = ()
    ) -> FuncOp:
        """
        Return the function without a body, for arguments and results of these types.

        From here on `declared_function` finds it by its symbol.
        """
        _DECLARED[self.symbol] = self
        properties = {
            "sym_name": StringAttr(self.symbol),
            "function_type": _function_type(tuple(inputs), tuple(outputs)),
            "sym_visibility": PRIVATE,
        }
        op = build_op(FuncOp, properties=properties)
        op.add_region(Region())
        return op

    def callees(self) -> tuple[LibraryFunction, ...]:
        """Return the functions that it calls."""
        return ()


@lru_cache(1 << 10)
def _function_type(
    inputs: Sequence[Attribute], outputs: Sequence[Attribute]
) -> FunctionType:
    """Return the type of functions; shapes of a model declare the same ones."""
    return FunctionType.from_lists(inputs, outputs)


def in_words(record: Any) -> str:
    """Return the class of a frozen dataclass and its words: `reduce_mean`."""
    values = (getattr(record, each.name) for each in fields(record))
    words = (value for value in values if isinstance(value, str) and value)
    return "_".join([snake_case(type(record).__name__), *words])


_KNOWN: dict[LibraryFunction, LibraryFunction] = {}
_DECLARED: dict[str, LibraryFunction] = {}


def declared_function(symbol: str) -> LibraryFunction | None:
    """Return the function that this process declared as `symbol`, if it did."""
    return _DECLARED.get(symbol)


def closure(functions: Iterable[LibraryFunction]) -> list[LibraryFunction]:
    """Return `functions` and all they call, callees first, each once."""
    found = (each for function in functions for each in _with_callees(function))
    return list({each.symbol: each for each in found}.values())


def _with_callees(function: LibraryFunction) -> Iterator[LibraryFunction]:
    for callee in function.callees():
        yield from _with_callees(callee)
    yield function
