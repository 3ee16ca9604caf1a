"""Whether a model computes the rows of a batch apart from each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from glow.analysis.calls import entries_of
from glow.analysis.constants import Constant, constant_behind, tensor_of
from glow.analysis.directions import functions_of
from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.storage import LiteralOp, LoadOp, SaveOp
from glow.formats.onnx.counted_rows import CountedAxis, CountedRows
from glow.formats.onnx.problems import Unsupported
from glow.support.arrays import Array, has_same_bytes
from glow.support.types import shape_of
from glow.support.walking import block_ops

_OF_SHAPES: Mapping[type[Operation], str] = {
    LiteralOp: "value",
    SliceOp: "sizes",
    ExpandOp: "shape",
    ReshapeOp: "shape",
}
"""The property of each op that follows from shapes, or is compared separately."""


def computes_rows_apart(
    one: ModuleOp, other: ModuleOp, counts: tuple[int, int]
) -> bool:
    """
    Return whether one function gives each row of outputs from that row of inputs.

    `one` and `other` are a model, just imported, for two `counts` of rows, which are
    the parts along the first axis of inputs and outputs. Every op must go row by row,
    and be the same in both; values without inputs must be the same for all rows.
    Where this is unknown, the answer is no.
    """
    if any(len(functions_of(module)) != 1 for module in (one, other)):
        return False
    return _Comparison(counts).holds(one, other)


class _Comparison:
    def __init__(self, counts: tuple[int, int]):
        self._counts = counts
        self._rows = CountedRows(lambda _: set()), CountedRows(lambda _: set())
        self._others: dict[SSAValue, SSAValue] = {}
        """The values of the other module, by those of the one."""

    def holds(self, one: ModuleOp, other: ModuleOp) -> bool:
        ops = [block_ops(entries_of(m)[0].body.block) for m in (one, other)]
        return len(ops[0]) == len(ops[1]) and all(map(self._agrees, *ops))

    def _agrees(self, one: Operation, other: Operation) -> bool:
        """Note the rows of the results of an op; return False if it mixes rows."""
        if type(one) is not type(other) or one.regions:
            return False
        operands = [self._others.get(value) for value in one.operands]
        if operands != [*other.operands] or not _same_properties(one, other):
            return False
        self._others |= zip(one.results, other.results, strict=False)
        pairs = list(zip(self._rows, (one, other), strict=True))
        if isinstance(one, SaveOp):
            found = [rows.get(op.operands[0]) for rows, op in pairs]
            return all(each is not None and each.axis == 0 for each in found)
        if not any(value in self._rows[0] for value in one.operands):
            return all(map(self._starts_alike, one.results, other.results))
        try:
            for rows, op in pairs:
                rows.follow(op)
        except Unsupported:
            return False
        return all(map(self._go_on_alike, one.results, other.results))

    def _starts_alike(self, one: SSAValue, other: SSAValue) -> bool:
        """Note the rows, if any, of an input or of a value with equal rows."""
        shapes = shape_of(one), shape_of(other)
        axes = [n for n, (x, y) in enumerate(zip(*shapes, strict=False)) if x != y]
        if len(shapes[0]) != len(shapes[1]) or len(axes) > 1:
            return False
        constants = [constant_behind(value) for value in (one, other)]
        if any(constants):
            first, second = (_repeated(constant, axes) for constant in constants)
            if first is None or second is None or not has_same_bytes(first, second):
                return False
        if not axes:
            return True
        is_input = isinstance(one.owner, LoadOp) and axes == [0]
        if not (is_input or any(constants) or isinstance(one.owner, ExpandOp)):
            return False
        for rows, value in zip(self._rows, (one, other), strict=True):
            count = next((each.count for each in rows.values()), value)
            rows[value] = CountedAxis(axes[0], count)
        return self._go_on_alike(one, other)

    def _go_on_alike(self, one: SSAValue, other: SSAValue) -> bool:
        """Return whether values have all rows on one axis, and equal other axes."""
        axes = {rows[v].axis for rows, v in zip(self._rows, (one, other), strict=True)}
        shapes = [list(shape_of(value)) for value in (one, other)]
        if len(axes) > 1 or len(shapes[0]) != len(shapes[1]):
            return False
        (axis,) = axes
        return (shapes[0].pop(axis), shapes[1].pop(axis)) == self._counts and (
            shapes[0] == shapes[1]
        )


def _repeated(constant: Constant | None, axes: Sequence[int]) -> Array | None:
    """Return what a constant repeats along `axes`, at most one; None if it does not."""
    array = None if constant is None else tensor_of(constant)
    if array is None:
        return None
    array = np.ascontiguousarray(array)
    for axis in axes:
        words = array.view(f"u{array.itemsize}")
        first = words.take([0], axis)
        if (words != first).any():
            return None
        array = first
    return array


def _same_properties(one: Operation, other: Operation) -> bool:
    """Return whether ops have the same properties, except those in `_OF_SHAPES`."""
    own, others = dict(one.properties), dict(other.properties)
    for properties in (own, others):
        properties.pop(_OF_SHAPES.get(type(one), ""), None)
    return own == others
