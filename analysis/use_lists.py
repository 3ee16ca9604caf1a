"""Whether the links of a module agree: owners, results, and who uses which value."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from glow.support.walking import ops_in

BrokenLink = tuple[Operation, str]


def broken_links(module: ModuleOp) -> Iterator[BrokenLink]:
    """
    Yield what does not agree in the links between ops, blocks and values of a module.

    Each result and argument knows its owner and its number; each op, block and region
    what it is in. The uses of a value are the operands of ops of the module that are
    this value, each once: one that an op outside still makes is a fault of whoever took
    that op out.
    """
    ops = [module, *ops_in(module.body)]
    inside = set(ops)
    read = dict[SSAValue, int]()
    for op in ops:
        for operand in op.operands:
            read[operand] = read.get(operand, 0) + 1
    for op in ops:
        for number, result in enumerate(op.results):
            if result.owner is not op or result.index != number:
                yield op, f"result {number} does not know that it is that"
            yield from _faults_of_uses(op, result, f"result {number}", inside, read)
        for region in op.regions:
            if region.parent is not op:
                yield op, "a region does not know that it is of this op"
            for block in region.blocks:
                yield from _faults_of_block(op, block, inside, read)


def _faults_of_block(
    op: Operation, block: Block, inside: set[Operation], read: dict[SSAValue, int]
) -> Iterator[BrokenLink]:
    if any(each.parent is not block for each in block.ops):
        yield op, "an op does not know that it is in a block of this op"
    for number, argument in enumerate(block.args):
        if argument.owner is not block or argument.index != number:
            yield op, f"argument {number} does not know that it is that"
        yield from _faults_of_uses(op, argument, f"argument {number}", inside, read)


def _faults_of_uses(
    op: Operation,
    value: SSAValue,
    name: str,
    inside: set[Operation],
    read: dict[SSAValue, int],
) -> Iterator[BrokenLink]:
    """Yield what is wrong with the list of uses of a value."""
    count = 0
    for use in value.uses:
        user, count = use.operation, count + 1
        if user not in inside:
            yield op, f"{name} is used by {user.name}, which is not in the module"
        elif len(user.operands) <= use.index or user.operands[use.index] is not value:
            yield op, f"{name} lists {user.name} as a user, which does not use it"
    if count < read.get(value, 0):
        yield op, f"{name} does not list all of its uses"
