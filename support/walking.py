"""Walks over ops and what they read, which every pass takes for every op."""

from collections.abc import Sequence

from xdsl.ir import Operation, Region, SSAValue


def ops_in(*regions: Region) -> list[Operation]:
    """
    Return the ops of `regions`, nested ones too, in the order of the text.

    To walk with xDSL takes ten times as long: each op passes through a generator for
    each op, region and block around it.
    """
    ops: list[Operation] = []
    for region in regions:
        for block in region.blocks:
            op = block.first_op
            while op is not None:
                ops.append(op)
                if op.regions:
                    ops += ops_in(*op.regions)
                op = op._next_op  # pyright: ignore[reportPrivateUsage]
    return ops


def operands_of(op: Operation) -> Sequence[SSAValue]:
    """Return the operands of `op` as they are; xDSL makes a view of them first."""
    return op._operands  # pyright: ignore[reportPrivateUsage]
