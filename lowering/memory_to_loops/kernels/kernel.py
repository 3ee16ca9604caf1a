"""What a kernel is: a value that says everything its code depends on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import sha256

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region


class Kernel(ABC):
    """
    A function of the kernel library.

    Subclasses are frozen dataclasses: equal keys are equal code, so a kernel is built
    once per process and its object code is cached by the key. Nothing of a model is in
    a key: shapes, strides and counts come in at run time as a row of integers.
    """

    @property
    @abstractmethod
    def prefix(self) -> str:
        """What the kernel does, in a word: the start of its symbol."""

    @cached_property
    def symbol(self) -> str:
        """The name of the function; equal for equal keys, in every process."""
        return f"{self.prefix}_{sha256(self.key.encode()).hexdigest()[:12]}"

    @cached_property
    def key(self) -> str:
        """The kernel as text: equal for equal kernels, in every process."""
        return f"{type(self).__module__}.{self!r}"

    @abstractmethod
    def build(self) -> FuncOp:
        """Return the function, named `symbol`, without results."""

    def declare(self, types: Sequence[Attribute]) -> FuncOp:
        """
        Return the function without a body; `types` are those of its arguments.

        From here on `declared_kernel` finds the kernel by its symbol.
        """
        _DECLARED[self.symbol] = self
        private = StringAttr("private")
        return FuncOp(self.symbol, (types, ()), Region(), visibility=private)

    def callees(self) -> tuple[Kernel, ...]:
        """Return the kernels that the function calls."""
        return ()


_DECLARED: dict[str, Kernel] = {}


def declared_kernel(symbol: str) -> Kernel | None:
    """Return the kernel that this process declared as `symbol`, if it did."""
    return _DECLARED.get(symbol)


def closure(kernels: Iterable[Kernel]) -> list[Kernel]:
    """Return `kernels` and all they call, callees first, each once."""
    found: dict[Kernel, None] = {}

    def visit(kernel: Kernel) -> None:
        if kernel in found:
            return
        for callee in kernel.callees():
            visit(callee)
        found[kernel] = None

    for kernel in kernels:
        visit(kernel)
    return list(found)
