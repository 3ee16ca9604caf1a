"""Lower normalisation over the last axes: on vectors along these, or across others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, SSAValue

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.normalization import LayerNormOp, RmsNormOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.layer_norm import NormRows
from glow.lowering.memory_to_loops.kernels.layer_norm_columns import NormColumns
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import number_attribute

STATISTICS = ("mean", "inverse")


@dataclass(frozen=True)
class _Norm:
    """
    A normalisation: the axes apart and the axes together, with strides by buffer.

    Along the latter there are no strides of statistics, which come last.
    """

    element: Attribute
    epsilon: float
    buffers: dict[str, SSAValue]
    apart: list[Axis]
    together: list[Axis]
    count: int

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(self.buffers)[2:]

    def still_along(self, axis: Axis) -> tuple[str, ...] | None:
        """
        Return the parameters that stand still along `axis`, for vectors along it.

        None if some buffer moves by other strides than 1, or statistics stand still.
        """
        strides = dict(zip(self.buffers, axis.strides, strict=False))
        still = tuple(name for name, stride in strides.items() if stride == 0)
        moves = all(stride in (0, 1) for stride in strides.values())
        return still if moves and {"scale", "bias"}.issuperset(still) else None


@lowers(LayerNormOp)
def lower_layer_norm(main: Main, op: LayerNormOp) -> None:
    parameters = {"scale": op.scale, "bias": op.bias}
    statistics = {"mean": op.mean, "inverse": op.inv_std_dev}
    if 0 in addressing_of(op.result).shape:
        found = [value for value in statistics.values() if value is not None]
        _describe_nothing(main, op, found)
        return
    _lower(main, op, parameters | statistics, centred=True)


@lowers(RmsNormOp)
def lower_rms_norm(main: Main, op: RmsNormOp) -> None:
    if 0 not in addressing_of(op.result).shape:
        _lower(main, op, {"scale": op.scale}, centred=False)


def _lower(
    main: Main,
    op: LayerNormOp | RmsNormOp,
    optional: dict[str, SSAValue | None],
    centred: bool,
) -> None:
    norm = _norm_of(op, optional)
    *inner, fastest = norm.together
    still = norm.still_along(fastest)
    strips = Strips.of(main.target, [norm.element], unroll=4)
    arguments = [main.base(value) for value in norm.buffers.values()]
    common = (norm.epsilon, centred, norm.given)
    across = norm.still_along(norm.apart[-1]) if norm.apart else None
    if still is None and across is not None:
        *outer, columns = norm.apart
        strips = Strips.of(main.target, [norm.element], unroll=2)
        sizes = (len(outer), len(norm.together))
        kernel = NormColumns(norm.element, *sizes, *common, across, strips)
        row = [*nest_row([*outer, columns]), *nest_row(norm.together), norm.count]
        main.call(kernel, arguments, row)
        return
    if still is None:
        still, strips = (), Strips(0)
    sizes = (len(norm.apart), len(inner))
    kernel = NormRows(norm.element, *sizes, *common, still, strips)
    row = [*nest_row(norm.apart), *nest_row(norm.together), norm.count]
    main.call(kernel, arguments, row)


def _norm_of(
    op: LayerNormOp | RmsNormOp, optional: dict[str, SSAValue | None]
) -> _Norm:
    shape, split = addressing_of(op.result).shape, op.axis.value.data
    given = {name: value for name, value in optional.items() if value is not None}
    buffers = {"x": op.input, "y": op.result, **given}
    apart = [addressing_of(value) for value in buffers.values()]
    shared = [n for n, name in enumerate(buffers) if name not in STATISTICS]
    together = axes_of(shape, apart[: len(shared)])[split:]
    return _Norm(
        buffer_type(op.input).element_type,
        op.epsilon.value.data,
        buffers,
        collapse(axes_of(shape, apart)[:split], (1, 0)),
        collapse(together, (0, 1)) or [Axis(1, (1,) * len(shared))],
        math.prod(axis.extent for axis in together),
    )


def _describe_nothing(
    main: Main, op: LayerNormOp, statistics: Sequence[SSAValue]
) -> None:
    """Append calls that say of no elements that their mean and variance are NaN."""
    for value in statistics:
        element = buffer_type(value).element_type
        nan = ScalarProgram.constant(number_attribute(math.nan, element), element)
        run_program(main, op, nan, [value], [addressing_of(value)])
