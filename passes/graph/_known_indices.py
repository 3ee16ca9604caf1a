"""Indices of gathers and scatters that are known when compiling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.base import Array
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ExpandOp
from glow.passes.constants import Constants
from glow.support.types import has_layout, normalize_axis, shape_of


@dataclass
class Places:
    """Reads indices that are known, without making the copies that they stand for."""

    constants: Constants

    def of_axis(self, indices: SSAValue) -> Array | None:
        """Return `indices`, or None where nothing says what they are."""
        if isinstance(indices.owner, ExpandOp) and not has_layout(indices):
            inner = self.of_axis(indices.owner.input)
            return None if inner is None else np.broadcast_to(inner, shape_of(indices))
        return self.constants.array_of(indices)

    def of_axes(self, indices: SSAValue) -> list[Array | None]:
        """Return each coordinate of tuples of indices, as far as it is known."""
        rank = len(shape_of(indices))
        join = indices.owner
        if isinstance(join, ConcatOp):
            if normalize_axis(join.axis, rank) != rank - 1:
                return [None]
            return [self._coordinate(each) for each in join.inputs]
        array = self.of_axis(indices)
        if array is None:
            return [None]
        return [array[..., k] for k in range(array.shape[-1])]

    def _coordinate(self, value: SSAValue) -> Array | None:
        array = self.of_axis(value)
        return array[..., 0] if array is not None and array.shape[-1] == 1 else None
