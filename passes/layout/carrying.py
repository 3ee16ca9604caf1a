"""Layouts of operands and results that go together, by the axis maps of ops."""

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.layout.attribute import LayoutAttr, same_bytes
from glow.support.layout import Layout, relabeled, row_major
from glow.support.targets import AnyOrder, Asked
from glow.support.types import itemsize_of, shape_of, tensor_type


def accepts(asked: Asked, layout: Layout, value: SSAValue) -> bool:
    """Return whether `value` in `layout` meets the request."""
    if isinstance(asked, AnyOrder):
        return asked.accepts(layout, shape_of(value), itemsize_of(value))
    return same_bytes(layout, asked_layout(asked, value), tensor_type(value))


def asked_layout(asked: Asked, value: SSAValue) -> Layout:
    """Return the requested layout, the first of several."""
    if isinstance(asked, LayoutAttr):
        return asked.data
    rank = len(shape_of(value))
    if asked is None:
        return row_major(rank)
    assert isinstance(asked, AnyOrder)
    return asked.default(rank)


def has_maps(op: Operation) -> bool:
    """Return whether `op` has axis maps from an operand to its results."""
    return isinstance(op, GraphOp) and any(
        op.axis_map(i) is not None for i in range(len(op.operands))
    )


class AxisMaps:
    """The correspondence of layouts of the operands and results of an op."""

    def __init__(self, op: GraphOp):
        self._operands = [shape_of(value) for value in op.operands]
        self._results = [shape_of(value) for value in op.results]
        pairs = [
            (i, r)
            for i in range(len(self._operands))
            for r in range(len(self._results))
        ]
        self._axes = {(i, r): op.axis_map(i, r) for i, r in pairs}
        self._sources = {pair: self._inverse(*pair) for pair in pairs}

    def leads(self, operand: int) -> bool:
        """Return whether the operand determines the layout of the first result."""
        axes = self._axes[operand, 0]
        if axes is None:
            return False
        return all(
            a is not None or n == 1 for a, n in zip(axes, self._results[0], strict=True)
        )

    def carried(self, operand: int, result: int, layout: Layout) -> Layout:
        """Return the layout of `result` if it follows `operand` in `layout`."""
        axes = self._axes[operand, result]
        if axes is None:
            return row_major(len(self._results[result]))
        return relabeled(layout, axes)

    def needed(self, operand: int, result: int, layout: Layout) -> Layout | None:
        """
        Return the layout of `operand` that goes with `layout` of `result`.

        None if the operand has axes that the result does not have.
        """
        if self._axes[operand, result] is None:
            return row_major(len(self._operands[operand]))
        sources = self._sources[operand, result]
        return None if sources is None else relabeled(layout, sources)

    def follows(self, operand: int, result: int) -> bool:
        """Return whether `result` runs along `operand` at all."""
        return self._axes[operand, result] is not None

    def leaders(
        self, operands: Sequence[Layout], results: Sequence[Layout]
    ) -> Iterator[tuple[int, Layout]]:
        """
        Yield the operands, and results by ~index, from whose layouts all others follow.

        An op with several of both has none: looking at all layouts from each value
        takes quadratic time, and there may be thousands.
        """
        if min(len(operands), len(results)) > 1 or any(
            self.needed(i, 0, results[0]) != layout for i, layout in enumerate(operands)
        ):
            return
        for i, layout in enumerate(operands):
            if self.leads(i) and self.carried(i, 0, layout) == results[0]:
                yield i, layout
        for r, layout in enumerate(results):
            if self.needed(0, r, layout) == operands[0]:
                yield ~r, layout

    def _inverse(self, operand: int, result: int) -> tuple[int | None, ...] | None:
        """Return the result's axis for each axis of the operand longer than 1."""
        axes, shape = self._axes[operand, result], self._operands[operand]
        if axes is None:
            return None
        sources = tuple(
            axes.index(axis) if axis in axes else None for axis in range(len(shape))
        )
        missing = any(s is None and n != 1 for s, n in zip(sources, shape, strict=True))
        return None if missing else sources
