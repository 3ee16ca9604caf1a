"""What a kernel is: a value that says everything its code depends on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import sha256

from xdsl.dialects.func import FuncOp


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

    @property
    def symbol(self) -> str:
        """The name of the function; equal for equal keys, in every process."""
        return f"{self.prefix}_{sha256(repr(self).encode()).hexdigest()[:12]}"

    @abstractmethod
    def build(self) -> FuncOp:
        """Return the function, named `symbol`, without results."""

    def callees(self) -> tuple[Kernel, ...]:
        """Return the kernels that the function calls."""
        return ()


def closure(kernels: list[Kernel]) -> list[Kernel]:
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
