"""Compute results as early as possible if they are only saved."""

from collections.abc import Sequence
from operator import is_

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from glow.analysis.directions import functions_of
from glow.analysis.value_lifetimes import ValueLifetimes
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.storage import LiteralOp, LoadOp, SaveOp

LEAST_SHARE = 1 / 16
"""The least share of memory that another order has to save."""


class HoistUpdatesPass(ModulePass):
    """
    Move elementwise ops up as far as possible if their results are only saved.

    A training step updates its weights at the end, one after the other, and until then
    all gradients take memory. Here each is used up where it was made. What is saved in
    place of a value is computed behind all ops that read the value. Ops stay where they
    are unless that lowers the peak memory of live values.

    Level: graph -> graph. Needs: nothing.
    """

    name = "hoist-updates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of(op):
            block = function.body.block
            before = list(block.ops)
            after = _hoisted(before)
            if all(map(is_, before, after)):
                continue
            bytes_of = (ValueLifetimes(ops).peak_bytes() for ops in (before, after))
            if next(bytes_of) * (1 - LEAST_SHARE) >= next(bytes_of) > 0:
                for each in after:
                    each.detach()
                    block.add_op(each)


def _hoisted(ops: Sequence[Operation]) -> list[Operation]:
    """Return ops in an order in which updates are as early as they can be."""
    updates = _only_saved(ops)
    places = {op: number for number, op in enumerate(ops)}
    read = _last_reads(ops, updates)
    anywhere: set[Operation] = {op for op in ops if isinstance(op, LiteralOp | LoadOp)}
    behind: list[list[Operation]] = [[] for _ in ops]
    moved = set[Operation]()

    def put(op: Operation, place: int) -> None:
        """Put an op behind number `place`, after sources that may be anywhere."""
        for source in _sources(op):
            if source in anywhere and places[source] > place:
                put(source, place)
        if op in moved:
            behind[places[op]].remove(op)
        behind[place].append(op)
        moved.add(op)
        places[op] = place

    for op in ops:
        if op in updates:
            needed = [places[each] for each in _sources(op) if each not in anywhere]
            needed += [read[symbol] for symbol in _saved_to(op) if symbol in read]
            if not needed:
                anywhere.add(op)
            elif max(needed) < places[op]:
                put(op, max(needed))
    return [
        each
        for op, others in zip(ops, behind, strict=True)
        for each in (*(() if op in moved else (op,)), *others)
    ]


def _sources(op: Operation) -> list[Operation]:
    return [v.owner for v in op.operands if isinstance(v.owner, Operation)]


def _only_saved(ops: Sequence[Operation]) -> set[Operation]:
    """Return the elementwise ops on whose results nothing but saves depends."""
    found = set[Operation]()
    for op in reversed(ops):
        if isinstance(op, ElementwiseOp | ReshapeOp):
            users = [use.operation for result in op.results for use in result.uses]
            if all(user in found or isinstance(user, SaveOp) for user in users):
                found.add(op)
    return found


def _saved_to(op: Operation) -> list[str]:
    """Return the symbols that results of `op` are saved to."""
    users = (use.operation for result in op.results for use in result.uses)
    return [each.symbol.string_value() for each in users if isinstance(each, SaveOp)]


def _last_reads(ops: Sequence[Operation], updates: set[Operation]) -> dict[str, int]:
    """Return the last op that reads each symbol's value, but for updates."""
    found: dict[str, int] = {}
    for number, op in enumerate(ops):
        if op not in updates:
            for value in op.operands:
                if isinstance(value.owner, LoadOp):
                    found[value.owner.symbol.string_value()] = number
    return found
