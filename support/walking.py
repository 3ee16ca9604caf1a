"""Walks over ops and what they read, which every pass takes for every op."""

# pyright: reportPrivateUsage=false

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from xdsl.ir import Block, Operation, Region, SSAValue, SSAValues
from xdsl.ir.core import BlockOps

OpT = TypeVar("OpT", bound=Operation)


def ops_in(*regions: Region) -> list[Operation]:
    """
    Return the ops of `regions`, nested ones too, in the order of the text.

    To walk with xDSL takes ten times as long: each op passes through a generator for
    each op, region and block around it.
    """
    ops: list[Operation] = []
    for region in regions:
        _collect(region, ops)
    return ops


def _collect(region: Region, ops: list[Operation]) -> None:
    """Add the ops of `region`, nested ones too, to `ops`."""
    block = region._first_block
    while block is not None:
        op = block._first_op
        while op is not None:
            ops.append(op)
            if op.regions:
                for inner in op.regions:
                    if inner._first_block is not None:
                        _collect(inner, ops)
            op = op._next_op
        block = block._next_block


def ops_right_in(region: Region) -> list[Operation]:
    """Return the ops of the one block of `region`, none if it is empty."""
    block = region._first_block
    assert block is None or block is region._last_block
    return [] if block is None else block_ops(block)


def block_ops(block: Block) -> list[Operation]:
    """Return the ops right in `block`; to list `block.ops` walks twice, and slower."""
    ops: list[Operation] = []
    op = block._first_op
    while op is not None:
        ops.append(op)
        op = op._next_op
    return ops


class _Members(dict[type[Operation], bool]):
    """Membership of op classes in some kinds, computed once per class."""

    def __init__(self, kinds: tuple[type[Operation], ...]):
        super().__init__()
        self._kinds = frozenset(kinds)

    def __missing__(self, op_class: type[Operation]) -> bool:
        # `issubclass` asks all subclasses of an abstract class too.
        answer = self[op_class] = not self._kinds.isdisjoint(op_class.__mro__)
        return answer


_members = cache(_Members)


def ops_of(ops: Iterable[Operation], *kinds: type[OpT]) -> list[OpT]:
    """
    Return those of `ops` that are of one of these classes.

    Classes of xDSL are abstract: to ask `isinstance` for each op takes five times as
    long.
    """
    known = _members(kinds)
    if isinstance(ops, BlockOps):
        ops = block_ops(ops.block)
    return cast(list[Any], [op for op in ops if known[type(op)]])


def operands_of(op: Operation) -> Sequence[SSAValue]:
    """Return the operands of `op` as they are; xDSL makes a view of them first."""
    return op._operands


def free_ops(*regions: Region) -> None:
    """
    Take the ops of `regions` apart, so that they are freed at once; none is used again.

    Ops are part of cycles, with results, uses and neighbors, and so wait for Python's
    collector, which takes longer: 70 ms in all for the kernels of ResNet-50.
    """
    for op in ops_in(*regions):
        for use in op._operand_uses:
            use._prev_use = use._next_use = None
        for region in op.regions:
            if region._first_block is not None:
                _free_blocks(region)
            region.parent = None
        op._operands = op.results = _NO_VALUES
        op._operand_uses = ()
        op._prev_op = op._next_op = op.parent = None
    for region in regions:
        _free_blocks(region)


def _free_blocks(region: Region) -> None:
    """Let go of the uses and ops of the blocks of `region`."""
    block = region.first_block
    while block is not None:
        for argument in block.args:
            argument.first_use = None
        block._first_op = block._last_op = None
        block._args, block = (), block.next_block


_NO_VALUES: SSAValues[Any] = SSAValues(())
