"""Images of another size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
    f64,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.interpolation import Interpolation, Line
from glow.dialects.memory.base import MemoryOp, extents_of
from glow.dialects.memory.compute import ints
from glow.support.operand_segments import SEVERAL_OPERANDS


@irdl_op_definition
class ResizeOp(MemoryOp):
    """
    Resize the input along `axes` by `scales` to what the result has; as `graph.resize`.

    Where coordinates follow the part that is seen, its starts and ends are in `region`,
    or in `roi`; what lies outside of the input becomes `extrapolation_value`.
    Shapes: input any, result with other extents along `axes`, roi [2 * axes]; with it
    alone positions (i32) and weights, if any, of what is summed up per place.
    Errors: a region and a roi, a roi without positions, or positions without it.

    ```mlir
    memory.resize ins(%x : memref<1x8x4x4xf32>) outs(%y : memref<1x8x8x8xf32>)
        {axes = array<i64: 2, 3>, scales = array<f64: 2.0, 2.0>, mode = "nearest",
         coordinates = "half_pixel", rounding = "floor", cubic_coeff_a = -0.75 : f64,
         extrapolation_value = 0.0 : f64}
    ```
    """

    name = "memory.resize"

    input = operand_def(MemRefType.constr(AnyAttr()))
    roi = opt_operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))
    positions = opt_operand_def(MemRefType.constr(i32))
    weights = opt_operand_def(MemRefType.constr(AnyAttr()))

    axes = prop_def(DenseArrayBase.constr(i64))
    scales = prop_def(DenseArrayBase.constr(f64))
    region = opt_prop_def(DenseArrayBase.constr(f64))
    mode = prop_def(StringAttr)
    coordinates = prop_def(StringAttr)
    rounding = prop_def(StringAttr)
    cubic_coeff_a = prop_def(FloatAttr.constr(f64))
    exclude_outside = opt_prop_def(UnitAttr)
    antialias = opt_prop_def(UnitAttr)
    extrapolation_value = prop_def(FloatAttr.constr(f64))

    WRITES: ClassVar = ("result", "positions", "weights")

    irdl_options = SEVERAL_OPERANDS

    assembly_format = (
        "`ins` `(` $input `:` type($input) (`roi` $roi^ `:` type($roi))? `)` "
        "`outs` `(` $result `:` type($result) `)` (`positions` $positions^ `:` "
        "type($positions))? (`weights` $weights^ `:` type($weights))? attr-dict"
    )

    def __init__(
        self,
        input: SSAValue,
        roi: SSAValue | None,
        result: SSAValue,
        positions: SSAValue | None = None,
        weights: SSAValue | None = None,
        *,
        axes: Sequence[int],
        scales: Sequence[float],
        region: Sequence[float] | None = None,
        how: Interpolation,
        extrapolation_value: float = 0.0,
    ):
        super().__init__(
            operands=[input, roi, result, positions, weights],
            properties={
                "axes": ints(axes),
                "scales": DenseArrayBase.from_list(f64, list(scales)),
                "region": None
                if region is None
                else DenseArrayBase.from_list(f64, list(region)),
                "mode": StringAttr(how.mode),
                "coordinates": StringAttr(how.coordinates),
                "rounding": StringAttr(how.rounding),
                "cubic_coeff_a": FloatAttr(how.cubic_coeff_a, f64),
                "exclude_outside": UnitAttr() if how.exclude_outside else None,
                "antialias": UnitAttr() if how.antialias else None,
                "extrapolation_value": FloatAttr(extrapolation_value, f64),
            },
        )

    def verify_(self) -> None:
        if self.roi is not None and self.region is not None:
            raise VerifyException("expected a region or a roi, got both")
        if (self.roi is None) != (self.positions is None):
            wanted = "positions" if self.positions is None else "no positions"
            given = "without a roi" if self.roi is None else "with a roi"
            raise VerifyException(f"expected {wanted} {given}")
        has_weights = self.roi is not None and self.mode.data != "nearest"
        if (self.weights is not None) != has_weights:
            wanted = "weights" if has_weights else "no weights"
            raise VerifyException(f"expected {wanted} beside these positions")

    @property
    def how(self) -> Interpolation:
        """How elements between elements are found."""
        return Interpolation(
            self.mode.data,
            self.coordinates.data,
            self.rounding.data,
            self.cubic_coeff_a.value.data,
            self.exclude_outside is not None,
            self.antialias is not None,
        )

    @property
    def lines(self) -> dict[int, Line]:
        """The axes that are resized."""
        axes, scales = self.axes.get_values(), self.scales.get_values()
        seen = (0.0,) * len(axes) + (1.0,) * len(axes)
        if self.region is not None:
            seen = self.region.get_values()
        source, result = extents_of(self.input), extents_of(self.result)
        return {
            axis: Line(
                source[axis], result[axis], scales[i], seen[i], seen[len(axes) + i]
            )
            for i, axis in enumerate(axes)
        }
