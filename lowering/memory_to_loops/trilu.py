"""Lower parts of matrices: per row a copy and zeros, with a run-time border."""

from __future__ import annotations

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.scanning import TriluOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.kernels.trilu import Trilu
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(TriluOp)
def lower_trilu(main: Main, op: TriluOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.input).element_type
    *outer, rows, columns = axes_of(source.shape, [source, result])
    outer = collapse(outer, (1, 0))
    strips = Strips.of(main.target, [element], unroll=2)
    if columns.strides != (1, 1) or columns.extent < strips.lanes:
        strips = Strips(0)
    integer = None if op.k is None else buffer_type(op.k).element_type
    kernel = Trilu(element, integer, op.upper is not None, len(outer), strips)
    arguments = [main.base(op.input), main.base(op.result)]
    arguments += [] if op.k is None else [main.base(op.k)]
    main.call(kernel, arguments, nest_row([rows, columns, *outer]))
