"""Tensors to compute with: operators and indices append ops of the graph dialect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NoReturn, cast

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from glow.dialects.graph import base, binary, logic
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.elements import Index, Selection, element_for, number_of
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.storage import LiteralOp, LoadOp
from glow.dialects.graph.unary import AbsOp, NegOp
from glow.support.arrays import Array
from glow.support.types import (
    FLOAT,
    dtype_of,
    element_of,
    is_bool,
    is_float,
    shape_of,
    tensor_type,
)

SourceOp = GraphOp | LiteralOp | LoadOp
"""An op whose results are tensors to compute with."""


class GraphWriter(ABC):
    """A place to write ops: the end of a block, a matched op, a model to be."""

    @abstractmethod
    def insert(self, op: SourceOp) -> Sequence[SSAValue]:
        """Append `op`; return its results, or values that they are known to be."""

    def constant(self, array: Array) -> SSAValue:
        """Return a value with the elements of `array`."""
        return self.insert(LiteralOp(array))[0]

    def value(self, operand: TensorLike, like: AnyTensorType | None = None) -> SSAValue:
        """
        Return an operand as a value; a Python number gets the element type of `like`.

        Errors: VerifyException for a number that this type cannot hold.
        """
        if isinstance(operand, Tensor | SSAValue):
            return operand.value if isinstance(operand, Tensor) else operand
        if like is None or isinstance(operand, np.ndarray | np.generic):
            return self.constant(np.asarray(operand))
        return self.constant(number_of(operand, like.element_type))

    def tensor(self, operand: TensorLike) -> Tensor:
        """Return an operand as a tensor, to compute with here."""
        return Tensor(self.value(operand), self)

    def like(self, number: float, other: Tensor) -> Tensor:
        """Return a number as a tensor, with the element type of another one."""
        return self.tensor(self.value(number, other.type))

    def emit(self, op: type[GraphOp], *slots: SlotLike, **parameters: Any) -> Tensor:
        """Append an op with one result, and return that."""
        (result,) = self.emit_all(op, *slots, **parameters)
        return result

    def emit_all(
        self, op: type[GraphOp], *slots: SlotLike, **parameters: Any
    ) -> tuple[Tensor, ...]:
        """
        Append an op; return its results. Numbers get the first tensor's element type.

        Errors: VerifyException for operands and parameters that do not go together.
        """
        typed: list[TensorLike] = [
            each for each in _flat(slots) if isinstance(each, Tensor | SSAValue)
        ]
        like = tensor_type(self.value(typed[0])) if typed else None
        results = self.insert(op(*(self._slot(s, like) for s in slots), **parameters))
        return tuple(Tensor(result, self) for result in results)

    def _slot(self, slot: SlotLike, like: AnyTensorType | None) -> base.Slot:
        if isinstance(slot, list | tuple):
            return [self.value(each, like) for each in cast(Sequence[TensorLike], slot)]
        return None if slot is None else self.value(cast(TensorLike, slot), like)


class OpList(GraphWriter):
    """Ops in a list, which are in no block yet."""

    def __init__(self) -> None:
        self.ops: list[Operation] = []

    def insert(self, op: SourceOp) -> Sequence[SSAValue]:
        self.ops.append(op)
        return op.results


def _flat(slots: Sequence[SlotLike]) -> list[Any]:
    """Return the operands in `slots`; some slots hold lists."""
    lists = (slot if isinstance(slot, list | tuple) else (slot,) for slot in slots)
    return [each for several in lists for each in cast(Sequence[Any], several)]


def emit(op: type[GraphOp], *slots: SlotLike, **parameters: Any) -> Tensor:
    """Append an op with one result where the first of its tensors was written."""
    return writer_of(*_flat(slots)).emit(op, *slots, **parameters)


def writer_of(*operands: object) -> GraphWriter:
    """Return where the first of `operands` that is a tensor was written."""
    for operand in operands:
        if isinstance(operand, Tensor):
            return operand.writer
    raise TypeError("expected a tensor among the operands, got none")


_Operator = Callable[["Tensor", "TensorLike"], "Tensor"]


def _operator(op: type[GraphOp]) -> _Operator:
    """Return the method for `tensor op other`."""
    return lambda self, other: self.combined(op, self, other)


def _operators(op: type[GraphOp]) -> tuple[_Operator, _Operator]:
    """Return the method for `tensor op other`, and that for `other op tensor`."""
    return _operator(op), lambda self, other: self.combined(op, other, self)


def _logical(
    of_bools: type[GraphOp], of_integers: type[GraphOp]
) -> tuple[_Operator, _Operator]:
    def write(self: Tensor, other: TensorLike) -> Tensor:
        op = of_bools if is_bool(self.element) else of_integers
        return self.combined(op, self, other)

    return write, write


@dataclass(frozen=True, eq=False)
class Tensor:
    """
    A tensor of a program that is being written; operators and indices write more.

    They are those of NumPy: operands broadcast, and a Python number takes the element
    type of the tensor beside it. Two tensors must have one element type.
    Errors: VerifyException for types that do not go together; TypeError where Python
    asks for a truth value, which is not known before a run.
    """

    value: SSAValue
    writer: GraphWriter

    __array_ufunc__ = None  # so that operators of NumPy's arrays leave it to ours
    __hash__ = object.__hash__

    @property
    def type(self) -> AnyTensorType:
        return tensor_type(self.value)

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.value)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def element(self) -> Attribute:
        """The element type, as the IR has it."""
        return element_of(self.value)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, as NumPy has it."""
        return dtype_of(self.element)

    def __repr__(self) -> str:
        return f"Tensor({self.type})"

    def __bool__(self) -> NoReturn:
        raise TypeError(f"expected a truth value, got a tensor {self.type}")

    def combined(self, op: type[GraphOp], lhs: Any, rhs: Any) -> Tensor:
        """Apply a binary operator to this tensor and another operand."""
        if not all(isinstance(each, _OPERANDS) for each in (lhs, rhs)):
            return NotImplemented
        return self.writer.emit(op, lhs, rhs)

    __add__, __radd__ = _operators(binary.AddOp)
    __sub__, __rsub__ = _operators(binary.SubOp)
    __mul__, __rmul__ = _operators(binary.MulOp)
    __pow__, __rpow__ = _operators(binary.PowOp)
    __matmul__, __rmatmul__ = _operators(MatMulOp)
    __and__, __rand__ = _logical(logic.AndOp, logic.BitwiseAndOp)
    __or__, __ror__ = _logical(logic.OrOp, logic.BitwiseOrOp)
    __xor__, __rxor__ = _logical(logic.XorOp, logic.BitwiseXorOp)
    __lt__ = _operator(logic.LessOp)
    __le__ = _operator(logic.LessOrEqualOp)
    __gt__ = _operator(logic.GreaterOp)
    __ge__ = _operator(logic.GreaterOrEqualOp)

    def __eq__(self, other: TensorLike) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.combined(logic.EqualOp, self, other)

    def __ne__(self, other: TensorLike) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        equal = self.combined(logic.EqualOp, self, other)
        return equal if equal is NotImplemented else ~equal

    def __truediv__(self, other: TensorLike) -> Tensor:
        FLOAT.check(self.value)  # of integers, DivOp drops the remainder
        return self.combined(binary.DivOp, self, other)

    def __rtruediv__(self, other: TensorLike) -> Tensor:
        FLOAT.check(self.value)
        return self.combined(binary.DivOp, other, self)

    def __mod__(self, other: TensorLike) -> Tensor:
        """Return the remainder, with the sign of the divisor."""
        if not is_float(self.element):
            return self.combined(binary.ModOp, self, other)
        y = self.writer.tensor(self.writer.value(other, self.type))
        rest = self.writer.emit(binary.ModOp, self, y, fmod=True)
        differs = ((rest < 0) & (y > 0)) | ((rest > 0) & (y < 0))
        return self.writer.emit(WhereOp, differs, rest + y, rest)

    def __rmod__(self, other: TensorLike) -> Tensor:
        return self.writer.tensor(self.writer.value(other, self.type)) % self

    def __neg__(self) -> Tensor:
        return self.writer.emit(NegOp, self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return self.writer.emit(AbsOp, self)

    def __invert__(self) -> Tensor:
        op = logic.NotOp if is_bool(self.element) else logic.BitwiseNotOp
        return self.writer.emit(op, self)

    @property
    def T(self) -> Tensor:
        return self.transpose()

    def transpose(self, *axes: int) -> Tensor:
        """Return this with its axes in another order, the opposite one by default."""
        order = axes or tuple(reversed(range(self.ndim)))
        if order == tuple(range(self.ndim)):
            return self
        return self.writer.emit(TransposeOp, self, permutation=order)

    def reshape(self, *shape: int) -> Tensor:
        """Return the same elements in another shape; -1 is what remains."""
        if -1 in shape:
            rest = -prod(shape)
            known = self.size // rest if rest else 0
            shape = tuple(known if extent == -1 else extent for extent in shape)
        if shape == self.shape:
            return self
        return self.writer.emit(ReshapeOp, self, shape=shape)

    def astype(self, dtype: Any) -> Tensor:
        """Return this with elements of another type, given as such or as in NumPy."""
        element = element_for(dtype)
        if element == self.element:
            return self
        return self.writer.emit(CastOp, self, to=element)

    def __getitem__(self, key: Index | tuple[Index, ...]) -> Tensor:
        """Return a part: integers, slices, None and ... mean what they do in NumPy."""
        part = Selection.of(self.shape, key if isinstance(key, tuple) else (key,))
        sliced = self
        if part.sizes != self.shape or set(part.steps) - {1}:
            sliced = self.writer.emit(
                SliceOp, self, starts=part.starts, sizes=part.sizes, steps=part.steps
            )
        return sliced.reshape(*part.shape)


TensorLike = Tensor | SSAValue | Array | np.generic | float
_OPERANDS = (Tensor, SSAValue, np.ndarray, np.generic, int, float)
SlotLike = TensorLike | Sequence[TensorLike] | None
