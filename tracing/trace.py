"""Traces: where ops of a function go while it runs, and the module around them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import (
    INLINE_ELEMENTS,
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.dialects.graph.tensors import GraphWriter, SourceOp, Tensor
from glow.support.arrays import Array, repeated_element
from glow.support.locations import location_of, name_of
from glow.support.names import Names
from glow.support.types import element_type_of, tensor
from glow.tracing.memory_views import owner_of, view_of
from glow.tracing.user_code import error_here, user_place

_CURRENT: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace(what: str = "this") -> Trace:
    """Return the innermost trace that runs; TracingError if none does."""
    trace = _CURRENT.get()
    if trace is None:
        raise error_here(
            f"{what}: expected a call inside a function that is traced, got one "
            "outside; call it in a function given to glow.jit or glow.trace"
        )
    return trace


def is_tracing() -> bool:
    """Return whether a function is traced in this thread, or task, at the moment."""
    return _CURRENT.get() is not None


class Trace(GraphWriter):
    """
    A block that is written while a function runs: a function's, or one of a region.

    `parent` is the trace around it. Where the parent's values cannot be used, as in
    another function, they become arguments of the block, in the order of `captured`.
    """

    def __init__(
        self, program: TracedModule, parent: Trace | None = None, isolated: bool = True
    ):
        self.program = program
        self.parent = parent
        self.block = Block()
        self.captured: dict[SSAValue, Tensor] = {}
        """The argument for each value of `parent` that it uses."""
        self.is_open = True
        self._isolated = isolated
        self._loads: dict[str, Tensor] = {}

    @contextmanager
    def entered(self) -> Generator[Trace]:
        """Make this the current trace; it is closed afterwards."""
        token = _CURRENT.set(self)
        try:
            yield self
        finally:
            _CURRENT.reset(token)
            self.is_open = False

    def insert(self, op: SourceOp) -> Sequence[SSAValue]:
        op.location = user_place().location()
        self.block.add_op(op)
        return op.results

    def constant(self, array: Array) -> SSAValue:
        return self.program.constant(array, self).value

    def argument(self, type_: Any, name: str = "") -> Tensor:
        """Add an argument to the block, and return it."""
        added = self.block.insert_arg(type_, len(self.block.args))
        added.name_hint = name if name.isidentifier() else None
        return Tensor(added, self)

    def adopt(self, value: Tensor) -> Tensor:
        """
        Return a tensor of this trace, or of one around it, as one to use here.

        Errors: TracingError for one of a trace that has ended.
        """
        if value.writer is self:
            return value
        if self.parent is None or not isinstance(value.writer, Trace):
            raise _strange(value)
        outer = self.parent.adopt(value)
        if not self._isolated:
            return Tensor(outer.value, self)
        if outer.value not in self.captured:
            self.captured[outer.value] = self.argument(outer.type)
        return self.captured[outer.value]

    def load(self, storage: PlaceholderOp | ConstantOp) -> Tensor:
        """Return what a symbol held before the run; it is loaded once."""
        name = storage.sym_name.data
        trace: Trace | None = self
        while trace is not None:
            if name in trace._loads:
                return Tensor(trace._loads[name].value, self)
            trace = None if trace._isolated else trace.parent
        op = LoadOp(name, storage.type)
        op.location = storage.location
        op.result.name_hint = name if name.isidentifier() else None
        self.block.add_op(op)
        self._loads[name] = Tensor(op.result, self)
        return self._loads[name]

    def function(self, name: str, results: Sequence[Tensor]) -> FuncOp:
        """Return the block as a function that returns these, which are adopted."""
        values = [self.adopt(result).value for result in results]
        end = ReturnOp(*values)
        end.location = user_place().location()
        self.block.add_op(end)
        types = FunctionType.from_lists(
            [each.type for each in self.block.args], [each.type for each in values]
        )
        made = FuncOp(name, types, Region(self.block))
        made.location = end.location
        return made


def _strange(value: Tensor) -> Exception:
    owner = value.value.owner
    place = name_of(owner) if isinstance(owner, Operation) else "an argument"
    return error_here(
        f"expected an array of the function that is traced, got one made at {place} "
        "by a trace that has ended; return it instead of keeping it in a variable"
    )


class TracedModule:
    """The module that a function becomes: its storage, functions and `@main`."""

    def __init__(self) -> None:
        self.symbols = Names(["main"], separator="_")
        self.main = Trace(self)
        self.made: dict[Any, Any] = {}
        """Objects made once per program, such as functions, by key."""
        self.variables: dict[int, tuple[Any, PlaceholderOp, Tensor]] = {}
        """Each variable, its storage and the value that it has by now, by identity."""
        self.names: Mapping[int, str] = {}
        """Names of arrays that the function may meet, by the arrays' identities."""
        self._storage: list[Operation] = []
        self._functions: list[Operation] = []
        self._known: dict[int, list[tuple[Array, Callable[[Trace], Tensor]]]] = {}

    def placeholder(
        self, name: str, dtype: Any, shape: Sequence[int], direction: str = "in"
    ) -> PlaceholderOp:
        """Declare an array that the caller passes or takes at each run."""
        type_ = tensor(element_type_of(np.dtype(dtype)), tuple(shape))
        return self.declare(PlaceholderOp(self.symbols.fresh(name), direction, type_))

    def state(self, name: str, array: Array) -> PlaceholderOp:
        """Declare an array that stays from run to run, and starts as this one."""
        type_ = tensor(element_type_of(array.dtype), array.shape)
        return self.declare(
            PlaceholderOp(
                self.symbols.fresh(name),
                "in",
                type_,
                residency="resident",
                initial=ResourceAttr.of(array),
            )
        )

    def declare(self, op: Any) -> Any:
        """Add storage to the module, with its name as its location."""
        op.location = location_of(op.sym_name.data)
        self._storage.append(op)
        return op

    @property
    def functions(self) -> dict[str, FuncOp]:
        """The functions of the module so far, by name."""
        functions = (op for op in self._functions if isinstance(op, FuncOp))
        return {op.sym_name.data: op for op in functions}

    def constant_named(self, name: str) -> ConstantOp | None:
        """Return the constant that a symbol is, None for a placeholder."""
        constants = (op for op in self._storage if isinstance(op, ConstantOp))
        return next((op for op in constants if op.sym_name.data == name), None)

    def add_function(self, function: FuncOp) -> FuncOp:
        """Add a function to the module, under a name that is free."""
        function.sym_name = StringAttr(self.symbols.fresh(function.sym_name.data))
        function.sym_visibility = StringAttr("private")
        self._functions.append(function)
        return function

    def know(self, array: Array, find: Callable[[Trace], Tensor]) -> None:
        """Remember how to find the elements of `array` where its memory is met."""
        known = self._known.setdefault(id(owner_of(array)), [])
        known.append((array, find))  # which keeps the memory, and so its identity

    def constant(self, array: Array, trace: Trace) -> Tensor:
        """
        Return the elements of an array that the function uses but is not passed.

        An array that was met before, or a view of such, is the same symbol.
        """
        for base, find in self._known.get(id(owner_of(array)), ()):
            if view := view_of(base, array):
                return view.of(find(trace))
        if array.size <= INLINE_ELEMENTS or repeated_element(array) is not None:
            return Tensor(trace.insert(LiteralOp(array))[0], trace)
        name = self.names.get(id(array)) or "constant"
        made = self.declare(ConstantOp(self.symbols.fresh(name), array.copy()))
        self.know(array, lambda where: where.load(made))
        return trace.load(made)

    def save(self, placeholder: PlaceholderOp, value: Tensor) -> None:
        """Write, at the end of `@main`, what a placeholder holds after the run."""
        op = SaveOp(placeholder.sym_name.data, value.value)
        op.location = placeholder.location
        self.main.block.add_op(op)

    def module(self) -> ModuleOp:
        """Return the finished module; this must not be used any more."""
        for _, storage, value in self.variables.values():
            owner = value.value.owner
            if not isinstance(owner, LoadOp) or owner.symbol.string_value() != (
                storage.sym_name.data
            ):
                storage.direction = StringAttr("inout")
                self.save(storage, value)
        main = self.main.function("main", [])
        return ModuleOp([*self._storage, *self._functions, main])
