"""Walks over ops and what they read, which every pass takes for every op."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from xdsl.ir import Block, Operation, Region, SSAValue
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
        block = region.first_block
        while block is not None:
            op = block.first_op
            while op is not None:
                ops.append(op)
                if op.regions:
                    ops += ops_in(*op.regions)
                op = op._next_op  # pyright: ignore[reportPrivateUsage]
            block = block.next_block
    return ops


def block_ops(block: Block) -> list[Operation]:
    """Return the ops right in `block`; to list `block.ops` walks twice, and slower."""
    ops, op = list[Operation](), block.first_op
    while op is not None:
        ops.append(op)
        op = op._next_op  # pyright: ignore[reportPrivateUsage]
    return ops


class _Members(dict[type[Operation], bool]):
    """Membership of op classes in some kinds, computed once per class."""

    def __init__(self, kinds: tuple[type[Operation], ...]):
        super().__init__()
        self._kinds = kinds

    def __missing__(self, op_class: type[Operation]) -> bool:
        answer = self[op_class] = issubclass(op_class, self._kinds)
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
    return op._operands  # pyright: ignore[reportPrivateUsage]
