"""The ops that take the place of one that a pattern matched."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from glow.dialects.graph.base import Array
from glow.dialects.graph.tensors import OpList, SourceOp, Tensor
from glow.passes.constants import Constants


class Replacement(OpList):
    """
    Where the ops that replace a matched one are written.

    They are kept aside until `finish` inserts them, so that a pattern may find out on
    the way that it does not fit, and `discard` them. Their location is that of the
    matched op, unless another is given.
    """

    def __init__(
        self,
        op: Operation,
        rewriter: PatternRewriter,
        constants: Constants | None = None,
        location: LocationAttr | None = None,
    ):
        super().__init__()
        self.location = location or op.location
        self._op, self._rewriter, self._constants = op, rewriter, constants

    def insert(self, op: SourceOp) -> Sequence[SSAValue]:
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        return super().insert(op)

    def constant(
        self,
        array: Array,
        name: str | None = None,
        location: LocationAttr | None = None,
    ) -> SSAValue:
        """Return a value with these elements; one by symbol is called `name`."""
        if self._constants is None:
            return super().constant(array)
        made = self._constants.make(array, name, location or self.location)
        return self.insert(made)[0]

    def finish(self, *results: Tensor | SSAValue | None) -> None:
        """Insert the ops, and let `results` take the place of the matched op's."""
        values = [r.value if isinstance(r, Tensor) else r for r in results]
        self._rewriter.replace(self._op, self.ops, values)

    def discard(self) -> None:
        """Forget the ops, so that they use nothing."""
        for op in reversed(self.ops):
            op.erase()
        self.ops.clear()
