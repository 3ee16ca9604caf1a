"""What a memory op that resizes computes, by the graph op."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.resize import ResizeOp as GraphResizeOp
from glow.dialects.memory.base import extents_of
from glow.dialects.memory.resize import ResizeOp

Array = np.ndarray[Any, Any]


def resized(x: Array, op: ResizeOp, region: Array | None = None) -> Array:
    """Return what `op` makes of `x`; `region` is what it has as operand."""
    if op.region is not None:
        region = np.array(op.region.get_values())
    axes, how, shape = op.axes.get_values(), op.how, extents_of(op.result)
    return GraphResizeOp.compute(
        x,
        region,
        sizes=[shape[axis] for axis in axes],
        scales=op.scales.get_values(),
        axes=axes,
        mode=how.mode,
        coordinate_transformation_mode=how.coordinates,
        nearest_mode=how.rounding,
        cubic_coeff_a=how.cubic_coeff_a,
        exclude_outside=how.exclude_outside,
        antialias=how.antialias,
        extrapolation_value=op.extrapolation_value.value.data,
    )


class Resizing(ABC):
    """Runs the op on the buffers of a machine."""

    @abstractmethod
    def read(self, buffer: SSAValue) -> Array: ...

    @abstractmethod
    def write(self, buffer: SSAValue, array: Array) -> None: ...

    def run_resize(self, op: Any) -> None:
        region = None if op.roi is None else self.read(op.roi)
        self.write(op.result, resized(self.read(op.input), op, region))
