"""Order of ops: readers of a placeholder come before the op that updates it."""

from collections.abc import Container, Iterator
from graphlib import TopologicalSorter
from heapq import heappop, heappush

from xdsl.ir import Block, Operation, SSAValue

from glow.dialects.graph.storage import LoadOp, SaveOp


def ordered(block: Block, aliasing: Container[type[Operation]]) -> list[Operation]:
    """
    Return the ops of `block` in an order that lets placeholders be updated in place.

    The op that computes the new value of a placeholder comes after all ops that read
    the old one, also through `aliasing` ops, unless it cannot. Otherwise ops keep their
    order.
    """
    ops = list(block.ops)
    saves = [op for op in ops if isinstance(op, SaveOp)]
    loads: dict[str, list[LoadOp]] = {op.symbol.string_value(): [] for op in saves}
    for op in ops:
        if isinstance(op, LoadOp) and op.symbol.string_value() in loads:
            loads[op.symbol.string_value()].append(op)
    before: dict[Operation, set[Operation]] = {}
    for save in saves:
        update = _maker_of(save.value, aliasing)
        its_loads = loads[save.symbol.string_value()]
        readers = {r for load in its_loads for r in _readers_of(load.result, aliasing)}
        readers -= {update, save}
        if isinstance(update, LoadOp) or not readers:
            continue
        if not readers & _depending_on(update, before):
            before.setdefault(update, set()).update(readers)
    return _sorted(ops, before) if before else ops


def _maker_of(value: SSAValue, aliasing: Container[type[Operation]]) -> Operation:
    """Return the op that writes the bytes of `value`."""
    owner = value.owner
    assert isinstance(owner, Operation)
    while type(owner) in aliasing and isinstance(owner.operands[0].owner, Operation):
        owner = owner.operands[0].owner
    return owner


def _readers_of(
    value: SSAValue, aliasing: Container[type[Operation]]
) -> Iterator[Operation]:
    for use in value.uses:
        yield use.operation
        if type(use.operation) in aliasing:
            for result in use.operation.results:
                yield from _readers_of(result, aliasing)


def _depending_on(
    op: Operation, before: dict[Operation, set[Operation]]
) -> set[Operation]:
    """Return the ops that must follow `op`, as they use its results or by `before`."""
    behind: dict[Operation, list[Operation]] = {}
    for later, readers in before.items():
        for reader in readers:
            behind.setdefault(reader, []).append(later)
    dependents: set[Operation] = set()
    waiting = [op]
    while waiting:
        each = waiting.pop()
        users = [use.operation for result in each.results for use in result.uses]
        for user in (*users, *behind.get(each, ())):
            if user not in dependents:
                dependents.add(user)
                waiting.append(user)
    return dependents


def _sorted(
    ops: list[Operation], before: dict[Operation, set[Operation]]
) -> list[Operation]:
    """Return `ops`, each after its operands and `before`, the earliest first."""
    position = {op: at for at, op in enumerate(ops)}
    sorter = TopologicalSorter[Operation]()
    for op in ops:
        owners = (value.owner for each in op.walk() for value in each.operands)
        above = {o for o in owners if isinstance(o, Operation) and o in position}
        sorter.add(op, *(above | before.get(op, set())) - {op})
    sorter.prepare()
    ready: list[int] = []
    in_order: list[Operation] = []
    while sorter.is_active():
        for op in sorter.get_ready():
            heappush(ready, position[op])
        in_order.append(ops[heappop(ready)])
        sorter.done(in_order[-1])
    return in_order
