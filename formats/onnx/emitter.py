"""The ops of an imported function; those whose operands are known and small fold."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyTensorType, ArrayAttr, LocationAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.outlining import OutlinedFunction, outlined
from glow.dialects.graph.select import CastOp
from glow.dialects.graph.storage import (
    INLINE_ELEMENTS,
    ConstantOp,
    LiteralOp,
    LoadOp,
)
from glow.dialects.graph.tensors import GraphWriter, SourceOp
from glow.formats.onnx.counted_rows import CountedRows
from glow.formats.onnx.tensors import check_extents
from glow.support.errors import GlowError
from glow.support.names import Names
from glow.support.types import dtype_of, element_type_of, tensor, tensor_type

FOLDED_ELEMENTS = 1 << 16

_ROUNDING = frozenset(
    f"graph.{name}"
    for name in ("div", "mod", "bit_shift", "bitwise_and", "bitwise_or", "bitwise_xor")
)
"""Ops whose integers are not polynomials in extents, but go up in steps or repeat."""

_SMALL = 16
"""The most elements of an array that may be a shape or the like."""

_Op = TypeVar("_Op", bound=Operation)

_NOT_IN_HINTS = re.compile(r"[^A-Za-z0-9_$.-]+")


class Emitter:
    """
    Writes the ops of one function, and the constants that they turn out to use.

    A constant enters the IR before its first reader; one that only shape arithmetic
    reads never does.
    """

    def __init__(
        self,
        block: Block,
        names: Iterable[str],
        note: Callable[[Hashable], None] | None = None,
    ):
        """`note` is called for each rounding of small integers that is folded."""
        self.block = block
        self._note = note
        self.constants: list[ConstantOp] = []
        self.functions: list[FuncOp] = []
        """The bodies of choices and loops that depend on data."""
        self.written = 0
        """The number of ops so far, folded ones included."""
        self._inner = list[Block]()
        """The blocks opened for functions so far, also those that became none."""
        self.rows = CountedRows(self.inputs_behind)
        self._depth = 0
        """How many blocks of functions are open."""
        self._names = Names(names)
        self._arrays: dict[SSAValue, NDArray[Any]] = {}
        self._pending: dict[Operation, ConstantOp] = {}

    def array_of(self, value: SSAValue) -> NDArray[Any] | None:
        """Return the constant value of `value`, or None if unknown at import."""
        return self._arrays.get(value)

    def know(self, value: SSAValue, array: NDArray[Any]) -> None:
        """Note the value of an op's result; the op and its readers stay."""
        self._arrays[value] = array

    def is_made(self, value: SSAValue) -> bool:
        """Return whether `value` is anything but a literal or a loaded constant."""
        return value not in self._arrays or not isinstance(
            value.owner, LiteralOp | LoadOp
        )

    def inputs_behind(self, value: SSAValue) -> set[str]:
        """Return the names of the inputs that `value` is computed from."""
        names: set[str] = set()
        seen: set[SSAValue] = set()
        rest = [value]
        while rest:
            value = rest.pop()
            if value in seen or value in self._arrays:
                continue
            seen.add(value)
            if isinstance(value.owner, LoadOp):
                names.add(value.owner.symbol.string_value())
            elif isinstance(value.owner, Operation):
                rest += value.owner.operands
        return names

    def constant(
        self,
        array: NDArray[Any],
        name: str,
        location: LocationAttr,
        axes: ArrayAttr[StringAttr] | None = None,
    ) -> SSAValue:
        """Return the value `array`, as a literal if that is small, else by symbol."""
        splat = bool(array.size) and not any(array.strides)
        if splat or array.size <= INLINE_ELEMENTS:
            source: Operation = LiteralOp(array)
        else:
            type_ = tensor(element_type_of(array.dtype), array.shape)
            symbol = self._names.fresh(name)
            source = LoadOp(symbol, type_)
            self._pending[source] = _placed(
                ConstantOp(symbol, array, axes=axes), location
            )
        (result,) = _placed(source, location).results
        result.name_hint = hint_of(name)
        self._arrays[result] = array
        return result

    def at(self, name: str, location: LocationAttr) -> GraphWriter:
        """Return the writer for ops of a node; `name` is for constants that arise."""
        return _NodeWriter(self, name, location)

    def emit(
        self, op: SourceOp, name: str, location: LocationAttr
    ) -> tuple[SSAValue, ...]:
        """Insert `op`, or what it folds to; `name` is for constants that arise."""
        self.written += 1
        for result in op.results:
            type_ = tensor_type(result)
            itemsize = dtype_of(type_.element_type).itemsize
            check_extents(type_.get_shape(), itemsize, "the result")
        folded = self._folded(op)
        if folded is None or any(map(self.is_made, op.operands)):
            self.insert(_placed(op, location))
            self._arrays |= zip(op.results, folded or (), strict=False)
            return tuple(op.results)
        op.drop_all_references()
        return tuple(self.constant(array, name, location) for array in folded)

    def insert(self, op: Operation) -> None:
        """
        Append `op`, preceded by the constants that it is the first to read.

        A function gets the constants that it reads when it is outlined.
        """
        for operand in op.operands:
            owner = operand.owner
            if self._depth or not isinstance(owner, Operation):
                continue
            if owner.parent is None:
                self.block.add_op(owner)
                self._declare(owner)
        self.block.add_op(op)
        if self.rows:
            self.rows.follow(op)

    def _declare(self, source: Operation) -> None:
        """Add the constant that `source` loads to the module."""
        if source in self._pending:
            self.constants.append(self._pending.pop(source))

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Append to `block`, which may read the values around it."""
        around, self.block = self.block, block
        self._inner.append(block)
        self._depth += 1
        try:
            yield
        finally:
            self.block = around
            self._depth -= 1

    def outline(
        self,
        name: str,
        block: Block,
        results: Sequence[SSAValue],
        location: LocationAttr,
    ) -> OutlinedFunction:
        """Make `block` a function of the module, called `name` if that is free."""
        if any(value in self.rows for value in results):
            raise self.rows.refusal("a body that returns a tensor", results)
        made = outlined(
            self._names.fresh(name), block, results, location, self._copy_of
        )
        self.functions.append(made.function)
        return made

    def _copy_of(self, value: SSAValue) -> Operation | None:
        """Return a new op that makes `value` if it is constant."""
        source = value.owner
        if self.is_made(value) or not isinstance(source, Operation):
            return None
        copy = _placed(source.clone(), source.location)
        self._arrays[copy.results[0]] = self._arrays[value]
        self._declare(source)
        return copy

    def mark(self) -> Mark:
        """Return the present end of the block, for `go_back`."""
        counts = len(self.functions), len(self._inner), self.written
        return Mark(self.block.last_op, *counts)

    def go_back(self, mark: Mark) -> None:
        """Undo what was emitted since `mark`, except constants: others may use them."""
        self.written = mark.written
        del self.functions[mark.functions :]
        for op in (op for block in self._inner[mark.inner :] for op in block.ops):
            op.drop_all_references()
        del self._inner[mark.inner :]
        op = self.block.last_op
        while op is not None and op is not mark.last:
            before = op.prev_op
            if not isinstance(op, LiteralOp | LoadOp):
                op.detach()
                op.drop_all_references()
            op = before

    def _folded(self, op: SourceOp) -> tuple[NDArray[Any], ...] | None:
        """Return the results if all operands are known and everything is small."""
        if not isinstance(op, GraphOp):
            return None
        arrays = [self._arrays.get(operand) for operand in op.operands]
        types: list[AnyTensorType] = [tensor_type(result) for result in op.results]
        sizes = [array.size for array in arrays if array is not None]
        sizes += [int(np.prod(t.get_shape(), dtype=object)) for t in types]
        if len(sizes) < len(arrays) + len(types) or max(sizes) > FOLDED_ELEMENTS:
            return None
        known = [array for array in arrays if array is not None]
        try:
            found = op.evaluate(known)
        except (ArithmeticError, GlowError, IndexError, ValueError):
            return None  # a run raises this fault
        if self._note is not None and _rounds(op, known, found):
            self._note((op.name, *(array.tobytes() for array in known)))
        return found


def _rounds(
    op: GraphOp, operands: Sequence[NDArray[Any]], results: Sequence[NDArray[Any]]
) -> bool:
    """Return whether small integers of `op` might not be polynomials in extents."""
    makes = any(a.dtype.kind in "iu" and a.size <= _SMALL for a in results)
    is_cut = isinstance(op, CastOp) and operands[0].dtype.kind == "f"
    return makes and (is_cut or op.name in _ROUNDING)


@dataclass(frozen=True)
class Mark:
    """A place in what an emitter writes."""

    last: Operation | None
    functions: int
    inner: int
    written: int


@dataclass(frozen=True)
class _NodeWriter(GraphWriter):
    emitter: Emitter
    name: str
    location: LocationAttr

    def insert(self, op: SourceOp) -> Sequence[SSAValue]:
        return self.emitter.emit(op, self.name, self.location)

    def constant(self, array: NDArray[Any]) -> SSAValue:
        return self.emitter.constant(array, self.name, self.location)


def hint_of(name: str) -> str | None:
    """Return `name` as a hint for the printer, which takes fewer characters."""
    hint = _NOT_IN_HINTS.sub("_", name).strip("_")
    if not hint:
        return None
    return hint if hint[0].isalpha() else f"v{hint}"


def _placed(op: _Op, location: LocationAttr) -> _Op:
    op.location = location
    return op
