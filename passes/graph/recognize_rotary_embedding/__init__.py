"""Recognize rotary embeddings that are written out."""

from collections.abc import Iterator
from itertools import product

from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.binary import AddOp, SubOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.graph.operands import factors_of, in_both_orders, unreshaped
from glow.passes.graph.recognize_rotary_embedding._pairs import (
    Halves,
    HeadSlice,
    Pairs,
    joined_pairs,
    pairs_of,
    part_of,
)
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.types import element_of, is_float, normalize_axis, shape_of


def recognize_rotated(op: AddOp, new: Replacement) -> Results:
    """
    x * cos + concat(-b, a) * sin -> rotary(x, cos, sin)

    for the halves a and b of x, or its even and odd elements, where cos and sin have
    one number for both of each pair.
    """
    if not is_float(element_of(op.result)):
        return None
    for x, cos, sin, pairs in _rotated(op):
        halves = Halves(new, pairs)
        cos, sin = halves.of(cos), halves.of(sin)
        if cos is not None and sin is not None:
            result = _rotary(new.tensor(x), cos, sin, pairs)
            if result is not None:
                return result
        new.discard()
    return None


def _rotated(op: AddOp) -> Iterator[tuple[SSAValue, SSAValue, SSAValue, Pairs]]:
    """Yield x, cos, sin and pairs for each way to read a sum as x rotated."""
    for one, other in in_both_orders(op):
        straight, across = factors_of(one), factors_of(other)
        for (x, cos), (rotated, sin) in product(straight, across):
            joined = joined_pairs(rotated)
            if joined is None or not x.type == rotated.type == op.result.type:
                continue
            second, first = part_of(joined[0]), part_of(joined[1])
            if first is None or second is None or first.source is not x:
                continue
            is_rotation = second.is_negative and not first.is_negative
            if is_rotation and pairs_of(first, second) == joined[2]:
                yield x, cos, sin, joined[2]


def recognize_pairs(op: ConcatOp | ReshapeOp, new: Replacement) -> Results:
    """
    concat(a * cos - b * sin, a * sin + b * cos) -> rotary(x, cos, sin)

    for the halves a and b of x; its even and odd elements if what is joined becomes
    neighbors.
    """
    (result,) = op.results
    joined = joined_pairs(result)
    if joined is None or not is_float(element_of(result)):
        return None
    real, imaginary = (_uncolumned(v, joined[2]) for v in joined[:2])
    if not isinstance(real, SubOp) or not isinstance(imaginary, AddOp):
        return None
    for parts, cos, sin in _rotated_parts(real, imaginary):
        x, half = parts[0].source, parts[0].count
        if pairs_of(*parts) != joined[2] or x.type != result.type:
            continue
        cos, sin = (_as_row(new.tensor(table), half) for table in (cos, sin))
        whole = _rotary(new.tensor(x), cos, sin, joined[2])
        if whole is not None:
            return whole
        new.discard()
    return None


def _uncolumned(value: SSAValue, pairs: Pairs) -> object:
    """Return the op of a part, before it got a last axis of one to join neighbors."""
    op = value.owner
    if not isinstance(op, ReshapeOp) or pairs == "halves":
        return op
    is_column = shape_of(value) == (*shape_of(op.input), 1)
    return op.input.owner if is_column else op


def _rotated_parts(
    real: SubOp, imaginary: AddOp
) -> Iterator[tuple[tuple[HeadSlice, HeadSlice], SSAValue, SSAValue]]:
    """Yield the parts, cos and sin for which both ops make up a rotated pair."""
    minuend, subtrahend = factors_of(real.lhs), factors_of(real.rhs)
    for (a, cos), (b, sin) in product(minuend, subtrahend):
        first, second = part_of(a), part_of(b)
        if first is None or second is None or first.is_negative or second.is_negative:
            continue
        wanted = {(first, sin), (second, cos)}
        one, other = factors_of(imaginary.lhs), factors_of(imaginary.rhs)
        for (c, by), (d, factor) in product(one, other):
            if {(part_of(c), by), (part_of(d), factor)} == wanted:
                yield (first, second), cos, sin


def _as_row(table: Tensor, half: int) -> Tensor:
    """Return angles along the last axis; a column has them along the one before."""
    return xp.squeeze(table, -1) if table.shape[-2:] == (half, 1) else table


def _rotary(x: Tensor, cos: Tensor, sin: Tensor, pairs: Pairs) -> Tensor | None:
    """Return x rotated by angles that broadcast to half of it, if they are by place."""
    shape = x.shape
    places = [_places(shape, table.shape) for table in (cos, sin)]
    if places[0] is None or places[0] != places[1]:
        return None
    by_head, batch, length = places[0]
    tables = _rows(cos.value, sin.value, (shape[0], length)) or [
        table.reshape(batch, length, shape[-1] // 2) for table in (cos, sin)
    ]
    heads = 1 if len(shape) == 3 else shape[2]
    result = emit(
        RotaryEmbeddingOp,
        x if by_head else x.reshape(shape[0], length, heads * shape[-1]),
        *tables,
        num_heads=None if by_head else heads,
        interleaved=pairs == "interleaved",
    )
    return result.reshape(*shape)


def _places(
    shape: tuple[int, ...], table: tuple[int, ...]
) -> tuple[bool, int, int] | None:
    """
    Return whether heads come before positions, and batch and length of a table.

    x is [batch, heads, length, elements], [batch, length, heads, elements] or [batch,
    length, elements]; the table broadcasts to half of it, and not along the length.
    """
    if len(table) > len(shape) or len(shape) not in (3, 4) or 0 in shape:
        return None
    batch, *middle, half = (1,) * (len(shape) - len(table)) + table
    if half * 2 != shape[-1] or batch not in (1, shape[0]):
        return None
    if len(shape) == 3:
        return (False, batch, shape[1]) if middle == [shape[1]] else None
    if middle == [1, shape[2]]:
        return True, batch, shape[2]
    return (False, batch, shape[1]) if middle == [shape[1], 1] else None


def _rows(
    cos: SSAValue, sin: SSAValue, places: tuple[int, int]
) -> tuple[SSAValue, SSAValue, SSAValue] | None:
    """Return tables by position and the positions, if both are gathered by those."""
    gathers: list[GatherOp] = []
    for table in (cos, sin):
        op = unreshaped(table).owner
        if not isinstance(op, GatherOp) or len(shape_of(op.data)) != 2:
            return None
        if normalize_axis(op.axis, 2) != 0:
            return None
        gathers.append(op)
    first, second = gathers
    if first.indices is not second.indices or shape_of(first.indices) != places:
        return None
    return first.data, second.data, first.indices


def recognize_partly_rotated(op: ConcatOp, new: Replacement) -> Results:
    """concat(rotary(x[..., :r]), x[..., r:]) -> rotary(x) of r elements of a head"""
    if len(op.operands) != 2:
        return None
    rotated, rest = op.operands
    rotary, rear = unreshaped(rotated).owner, part_of(rest)
    if not isinstance(rotary, RotaryEmbeddingOp) or rear is None:
        return None
    front = part_of(unreshaped(rotary.input))
    is_whole = rotary.rotary_embedding_dim == 0
    if not is_whole or front is None or rear.source.type != op.results[0].type:
        return None
    width, shape = front.count, shape_of(rear.source)
    expected = HeadSlice(rear.source, width, 1, shape[-1] - width)
    if front != HeadSlice(rear.source, 0, 1, width) or rear != expected:
        return None
    given, p = new.tensor(rear.source), rotary.parameters()
    if (heads := p["num_heads"]) is not None:
        given = given.reshape(*shape[:2], heads * shape[-1])
    p["rotary_embedding_dim"] = width
    whole = emit(RotaryEmbeddingOp, given, *rotary.operands[1:], **p)
    return whole.reshape(*shape)


class RecognizeRotaryEmbeddingPass(RewritePass):
    """
    Replace rotary embeddings that are written out by one op.

    Where angles are given for both elements of a pair, one half is used if the other is
    certainly equal: joined or repeated from one value, known, or gathered or computed
    elementwise from such values. The order of additions may change, so results may
    differ in the last bits.

    Level: graph -> graph. Needs: `fold-constants` before, for tables that are
    computed; `dce` afterwards.
    """

    name = "recognize-rotary-embedding"
    patterns = (recognize_rotated, recognize_pairs, recognize_partly_rotated)
