"""How many instructions the definition of an op takes at least, lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation, Region

from glow.analysis.traffic import is_skipping
from glow.codegen.values import Value
from glow.codegen.writer import Writer, writing_to
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp
from glow.dialects.graph.layer_norm import LastAxesNormOp
from glow.dialects.graph.normalization import ImageNormOp, LrnOp
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.attention import HeadsOp
from glow.dialects.memory.base import MemoryOp, count_of, extents_of
from glow.dialects.memory.elementwise import ElementwiseOp
from glow.dialects.memory.products import EpilogueOp
from glow.dialects.memory.recurrent import RecurrentOp
from glow.lowering.expand_math import EXPANSIONS
from glow.support.types import dtype_of

_NORMS = (LastAxesNormOp, ImageNormOp)
_FREE = (arith.ConstantOp, arith.BitcastOp)
_ESTIMATED = (arith.DivfOp, math.SqrtOp, math.RsqrtOp)
_ESTIMATE = 4
"""Instructions of a quotient or root: an estimate, and a step of Newton's method."""


def lane_steps(op: MemoryOp) -> int:
    """
    Return how many instructions on one f32 of a vector the definition takes at least.

    Multiplying and adding is one of them, and so is a maximum; exp and the like are as
    many as their polynomials. Padding is left out; what only moves takes none.
    """
    match op:
        case EpilogueOp():
            after = _of_region(op.epilogue) if op.epilogue.blocks else 0
            return int(count_of(op.result) * (op.depth + after))
        case ElementwiseOp():
            return int(count_of(op.results_[0]) * _of_region(op.body))
        case HeadsOp():
            batch, heads, _, elements = extents_of(op.query)
            width = extents_of(op.value)[-1]
            score = elements + width + 2 + _of_function(math.ExpOp)  # largest, and sum
            return batch * heads * op.seen() * score
        case RecurrentOp():
            steps, batch, _, gates, _ = extents_of(op.rows)
            depth = extents_of(op.recurrence)[1]
            first, *rest = map(_of_region, op.activations)
            each = gates * depth + (gates - 1)  # the new state of the gates
            each += max(1, gates - 1) * first + sum(rest)
            return int(steps * batch * depth * each)
        case ApplyOp() if op.graph_class in (SoftmaxOp, LogSoftmaxOp):
            return count_of(op.outs[0]) * (4 + _of_function(math.ExpOp))
        case ApplyOp() if issubclass(op.graph_class, _NORMS):
            return count_of(op.outs[0]) * _NORM
        case ApplyOp() if op.graph_class is LrnOp:
            size = op.graph_op().parameters()["size"]
            return count_of(op.outs[0]) * (size + 3 * _ESTIMATE)  # two roots
        case ApplyOp() if op.epilogue.blocks:
            after = count_of(op.outs[0]) * _of_region(op.epilogue)
            return op.flops_before() + int(after)
        case ApplyOp() if is_skipping(op):
            return sum(map(count_of, op.outs))
        case _:
            return op.flops()


_NORM = 4
"""A sum, one of squares, and twice a product and a sum."""


def _of_region(region: Region) -> float:
    """Return the steps of a scalar region, as parts of one on f32."""
    ops = list(region.block.ops)[:-1]
    steps = sum(map(_of_op, ops))
    types = [value.type for op in ops for value in op.results]
    widest = max((dtype_of(type_).itemsize for type_ in types), default=4)
    return steps * widest / 4


def _of_op(op: Operation) -> int:
    if isinstance(op, _FREE) or _is_multiplied_and_added(op):
        return 0
    if isinstance(op, _ESTIMATED):
        return _ESTIMATE
    return _of_function(type(op)) if type(op) in EXPANSIONS else 1


def _is_multiplied_and_added(op: Operation) -> bool:
    """Return whether an instruction multiplies, and adds to that, in one step."""
    uses = list(op.results[0].uses)
    adds = arith.AddfOp, arith.SubfOp
    return (
        isinstance(op, arith.MulfOp)
        and len(uses) == 1
        and isinstance(uses[0].operation, adds)
    )


@cache
def _of_function(op: type[Operation]) -> int:
    """Return the steps of the polynomial for `op`."""
    expansion: Callable[[Value], Value] = EXPANSIONS[op]
    block = Block(arg_types=[f32])
    with writing_to(Writer(block)):
        expansion(Value.of(block.args[0]))
    return sum(map(_of_op, block.ops))
