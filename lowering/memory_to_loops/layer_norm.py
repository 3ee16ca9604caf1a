"""Lower layer normalisation: the normalised axes merged, on vectors along them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.normalization import LayerNormOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.layer_norm import LayerNorm
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import number_attribute


@lowers(LayerNormOp)
def lower_layer_norm(main: Main, op: LayerNormOp) -> None:
    shape = addressing_of(op.result).shape
    split, element = op.axis.value.data, buffer_type(op.input).element_type
    operands = [op.input, op.result, *filter(None, (op.scale, op.bias))]
    statistics = [value for value in (op.mean, op.inv_std_dev) if value is not None]
    if 0 in shape:
        _describe_nothing(main, op, statistics)
        return
    together = [addressing_of(value) for value in operands]
    apart = [*together, *(addressing_of(value) for value in statistics)]
    outer = collapse(axes_of(shape, apart)[:split], (1, 0))
    normalised = axes_of(shape, together)[split:]
    count = 1
    for axis in normalised:
        count *= axis.extent
    *inner, fastest = collapse(normalised, (0, 1)) or [Axis(1, (1,) * len(together))]
    runs = all(stride == 1 for stride in fastest.strides)
    kernel = LayerNorm(
        element,
        len(outer),
        len(inner),
        op.epsilon.value.data,
        scale=op.scale is not None,
        bias=op.bias is not None,
        mean=op.mean is not None,
        inverse=op.inv_std_dev is not None,
        strips=Strips.of(main.target, [element], unroll=4) if runs else Strips(0),
    )
    row = [*nest_row(outer), *nest_row([*inner, fastest]), count]
    main.call(kernel, [main.base(v) for v in (*operands, *statistics)], row)


def _describe_nothing(
    main: Main, op: LayerNormOp, statistics: Sequence[SSAValue]
) -> None:
    """Append calls that say of no elements that their mean and variance are NaN."""
    for value in statistics:
        element = buffer_type(value).element_type
        nan = ScalarProgram.constant(number_attribute(math.nan, element), element)
        run_program(main, op, nan, [value], [addressing_of(value)])
