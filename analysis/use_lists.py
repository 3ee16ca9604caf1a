"""Checks that the links of a module agree: owners, results, and uses of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from glow.support.walking import block_ops, operands_of

BrokenLink = tuple[Operation, str]


def broken_links(module: ModuleOp, within: Sequence[Operation]) -> Iterator[BrokenLink]:
    """
    Yield what does not agree in the links between ops, blocks and values of a module.

    `within` are the ops in it, in the order of the text.

    Each result and argument knows its owner and its number; each op, block and region
    its parent. The uses of a value are the operands of the module's ops that are this
    value, each once: a use by another op was left behind when that op was taken out.
    """
    ops = [module, *within]
    # By number: to hash an op or a value calls Python.
    # A plain tuple is quicker to index than xDSL's sequence of operands.
    operands = {id(op): tuple(operands_of(op)) for op in ops}
    reads = Counter(map(id, chain.from_iterable(operands.values())))
    links = _Links(operands, reads)
    for op in ops:
        for number, result in enumerate(op.results):
            if result.op is not op or result.index != number:
                yield op, f"result {number} does not know that it is that"
            if not links.agree(result):
                yield from links.faults(op, result, f"result {number}")
        for region in op.regions:
            if region.parent is not op:
                yield op, "a region does not know that it is of this op"
            for block in region.blocks:
                yield from _faults_of_block(op, block, links)


def _faults_of_block(
    op: Operation, block: Block, links: _Links
) -> Iterator[BrokenLink]:
    if not _knows_its_ops(block):
        yield op, "an op does not know that it is in a block of this op"
    for number, argument in enumerate(block.args):
        if argument.owner is not block or argument.index != number:
            yield op, f"argument {number} does not know that it is that"
        yield from links.faults(op, argument, f"argument {number}")


def _knows_its_ops(block: Block) -> bool:
    """Return whether each op of `block` has it as its parent."""
    return {op.parent for op in block_ops(block)} <= {block}


@dataclass(frozen=True)
class _Links:
    """The reads of values in a module."""

    operands: Mapping[int, tuple[SSAValue, ...]]
    """The operands of each op, by its id."""
    reads: Mapping[int, int]
    """How many operands each value is, by its id."""

    def agree(self, value: SSAValue) -> bool:
        """Return whether nothing is wrong with the list of uses of a value."""
        count, use = 0, value.first_use
        while use is not None:
            op, index = use._operation, use._index  # pyright: ignore[reportPrivateUsage]
            operands = self.operands.get(id(op), ())
            if len(operands) <= index or operands[index] is not value:
                return False
            count, use = count + 1, use._next_use  # pyright: ignore[reportPrivateUsage]
        return count >= self.reads.get(id(value), 0)

    def faults(self, op: Operation, value: SSAValue, name: str) -> Iterator[BrokenLink]:
        """Yield what is wrong with the list of uses of a value of `op`."""
        count = 0
        for use in value.uses:
            user, count = use.operation, count + 1
            operands = self.operands.get(id(user))
            if operands is None:
                yield op, f"{name} is used by {user.name}, which is not in the module"
            elif len(operands) <= use.index or operands[use.index] is not value:
                yield op, f"{name} lists {user.name} as a user, which does not use it"
        if count < self.reads.get(id(value), 0):
            yield op, f"{name} does not list all of its uses"
