"""Right factors that a run puts into panels: a panel is packed, then multiplied by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.ir import SSAValue

from glow.analysis.buffers import holder_of, root_of, size_bytes
from glow.codegen.loops import Level
from glow.dialects.memory.address import is_blocked
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.elementwise import CopyOp
from glow.dialects.memory.products import ConvOp, MatMulOp
from glow.dialects.memory.storage import AllocOp, DeallocOp, GetOp, ViewOp
from glow.lowering.memory_to_loops.axes import LoopAxes
from glow.lowering.memory_to_loops.copy import call_copy, copy_whole
from glow.lowering.memory_to_loops.kernels.kernel import Argument, Steps, Work
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.product import F32_BYTES, Planned
from glow.lowering.memory_to_loops.segments import Segment, segments_of

_NEAR = 2
"""Panels are packed as they are used if they exceed 1 / `_NEAR` of `near_bytes`."""


@lowers(CopyOp)
def lower_copy(main: Main, op: CopyOp) -> None:
    """Append a call per strided part, unless the product that follows packs it."""
    if _product_after(main, op) is None:
        copy_whole(main, op)


def packing_of(main: Main, op: ConvOp | MatMulOp) -> CopyOp | None:
    """Return the copy that `lower_copy` left to `op`, None if there is none."""
    right = root_of(op.rhs if isinstance(op, MatMulOp) else op.filter)
    if not _is_packed_and_large(main, right):
        return None
    copies = (use.operation for use in right.uses)
    for copy in copies:
        if isinstance(copy, CopyOp) and copy.result is right:
            return copy if _product_after(main, copy) is op else None
    return None


def _product_after(main: Main, op: CopyOp) -> ConvOp | MatMulOp | None:
    """
    Return the product that comes next and alone reads what `op` packs.

    None if the panels stay near anyway, or if threads share calls: they would wait for
    each other at each panel.
    """
    packed = op.result
    if not _is_packed_and_large(main, packed):
        return None
    after, source = op.next_op, root_of(op.source)
    while isinstance(after, AllocOp | GetOp | ViewOp | DeallocOp):
        if source in after.operands and isinstance(after, DeallocOp):
            return None  # what comes next may lie there
        after = after.next_op
    match after:
        case MatMulOp():
            right = after.rhs
        case ConvOp() if after.algorithm.data == "direct":
            right = after.filter
        case _:
            return None
    users = {op, after, right.owner}
    is_alone = all(
        use.operation in users or isinstance(use.operation, DeallocOp)
        for value in {packed, right}
        for use in value.uses
    )
    roots = [root_of(each) for each in after.operands]
    written = [each for each, kind in after.accesses() if kind.writes]
    is_kept = holder_of(source) not in map(holder_of, written)
    return after if is_alone and is_kept and roots.count(packed) == 1 else None


def _is_packed_and_large(main: Main, packed: SSAValue) -> bool:
    """
    Return whether a run packs `packed`, and it is too large to stay in the cache.

    If so, its lowering depends on the ops around, and its calls are not repeated.
    """
    if main.piece_ns or not is_blocked(packed) or main.storage.is_constant(packed):
        return False
    if size_bytes(buffer_type(packed)) * _NEAR <= main.near_bytes:
        return False
    main.repeats.refuse()
    return isinstance(packed.owner, AllocOp)


def call_by_panels(
    main: Main,
    op: ConvOp | MatMulOp,
    copy: CopyOp,
    planned: Sequence[Planned],
    arguments: Mapping[str, Argument],
) -> None:
    """
    Append calls that pack some panels and multiply by them, until all are done.

    All lie where the first ones lie, and so stay in the cache: panels, which are read
    once, need not go to memory and back. A panel whose source lies in one piece is
    prefetched during the products of the one before; where panels share rows of the
    source, long parts of these are read at a time.
    """
    (_, first, _), parts = planned[0], list(segments_of([copy.source, copy.result]))
    stride, count = first.panel_stride, -(-first.columns // first.width)
    is_by_rows = any(axis.strides == (1, 1) for axis in parts[0].axes)
    together = max(1, main.near_bytes // (2 * F32_BYTES * stride)) if is_by_rows else 1
    for number in range(count):
        slot = number % together
        if slot == 0:
            main.begin(copy)
            for source, result, axes in _parts_of(parts, number, together, stride):
                places = (copy.source, source), (copy.result, result)
                call_copy(main, *places, axes, (0, 1) if is_by_rows else (1, 0))
            main.begin(op)
        passed = {**arguments, "right": main.base(copy.result, slot * stride)}
        if not is_by_rows:
            after, *_ = _parts_of(parts, min(number + 1, count - 1), 1, stride)
            passed["ahead"] = main.stored(copy.source, after[0])
        for kernel, row, work in planned:
            if row.panels.first <= number < row.panels.last:
                row = replace(
                    row,
                    panels=Steps(number, number + 1, 0),
                    batches=replace(row.batches, unit=0),
                    tiles=replace(row.tiles, unit=1),
                    panel_stride=0,
                )
                cost = work.units * work.cost // (row.tiles.last * count)
                main.call(kernel, passed, row, Work(row.tiles.last, cost))


def can_call_by_panels(planned: Sequence[Planned]) -> bool:
    """Return whether a product has one batch, of no more rows than columns."""
    return all(
        row.batches.last == 1
        and row.tiles.last * kernel.tile.rows <= row.columns
        and not (kernel.in_pairs or kernel.is_depthwise)
        for kernel, row, _ in planned
    )


def _parts_of(
    parts: Sequence[Segment], number: int, count: int, stride: int
) -> Iterator[tuple[int, int, LoopAxes]]:
    """Yield the starts, in the source and behind the first panel, and axes of parts."""
    for part in parts:
        source, result = part.starts
        first, begin = divmod(result, stride)
        panels = next((a for a in part.axes if a.strides[1] == stride), None)
        panels = panels or Level(1, (0, stride))
        low, high = max(first, number), min(first + panels.extent, number + count)
        if low < high:
            axes = [axis for axis in part.axes if axis.strides[1] != stride]
            axes.append(replace(panels, extent=high - low))
            source += (low - first) * panels.strides[0]
            yield source, begin + (low - number) * stride, axes
