"""Lower normalization over the last axes: on vectors along these, or across others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from glow.codegen.memory import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.normalization import LayerNormOp, RmsNormOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.layer_norm import Norm
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import compute_type, number_attribute


@lowers(LayerNormOp)
def lower_layer_norm(main: Main, op: LayerNormOp) -> None:
    parameters = {"scale": op.scale, "bias": op.bias}
    statistics = {"mean": op.mean, "inverse": op.inv_std_dev}
    if 0 in addressing_of(op.result).shape:
        given = [value for value in statistics.values() if value is not None]
        _describe_nothing(main, op, given)
        return
    _lower(main, op, parameters | statistics, centered=True)


@lowers(RmsNormOp)
def lower_rms_norm(main: Main, op: RmsNormOp) -> None:
    if 0 not in addressing_of(op.result).shape:
        _lower(main, op, {"scale": op.scale}, centered=False)


def _lower(
    main: Main,
    op: LayerNormOp | RmsNormOp,
    optional: dict[str, SSAValue | None],
    centered: bool,
) -> None:
    given = {name: value for name, value in optional.items() if value is not None}
    buffers = [op.input, op.result, *given.values()]
    shape, split = addressing_of(op.result).shape, op.axis.value.data
    axes = axes_of(shape, [addressing_of(value) for value in buffers])
    elements = tuple(buffer_type(value).element_type for value in buffers)
    compute = compute_type(elements[0])
    rule = Norm(elements, compute, op.epsilon.value.data, centered, tuple(given))
    along, apart = collapse(axes[split:], (0, 1)), collapse(axes[:split], (1, 0))
    count = math.prod(axis.extent for axis in axes[split:])
    still = frozenset({"scale", "bias", "mean", "inverse"})
    lines = LinesOf(rule, along, apart, (count,), still)
    strips = Strips.of(main.target, [*elements, compute], unroll=4)
    across = Strips.of(main.target, [*elements, compute], unroll=2)
    if along and lines.still_on(along[-1]) is not None:
        kernel, row, work = lines.plan(strips, None)
    else:
        kernel, row, work = lines.plan(Strips(0), across)
    main.call(kernel, [main.base(value) for value in buffers], row, work)


def _describe_nothing(
    main: Main, op: LayerNormOp, statistics: Sequence[SSAValue]
) -> None:
    """Append calls that say of no elements that their mean and variance are NaN."""
    for value in statistics:
        element = buffer_type(value).element_type
        nan = ScalarProgram.constant(number_attribute(math.nan, element), element)
        run_program(main, op, nan, [value], [addressing_of(value)])
