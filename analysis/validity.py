"""Validity of modules: xDSL verifies ops, this also SSA form and branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from glow.analysis.declarations import CheckedModule, declaration_of
from glow.analysis.use_lists import broken_links
from glow.support.locations import name_of
from glow.support.walking import block_ops, operands_of, ops_in

_BRANCHES = {
    "cf.br": ("arguments",),
    "llvm.br": ("arguments",),
    "cf.cond_br": ("then_arguments", "else_arguments"),
    "llvm.cond_br": ("then_arguments", "else_arguments"),
}


class InvalidOpError(VerifyException):
    """An error in a module, and the op that it is about."""

    def __init__(self, message: str, op: Operation | None):
        super().__init__(message)
        self.op = op


def verify_module(module: ModuleOp) -> None:
    """
    Raise unless `module` is valid; the message begins with the op and its place.

    Errors, each an InvalidOpError: what an op refuses; an operand that is not defined
    before its use on every path; a branch that passes other values than its block
    takes; links that do not agree, such as a use by an op that is not in the module.
    """
    ops = ops_in(module.body)
    for op, message in broken_links(module, ops):
        _report(op, VerifyException(message))
    uses = _Uses(ops)
    for op, message in uses.undefined():
        _report(op, VerifyException(message))
    try:
        if not _is_valid(module, CheckedModule(uses.leaky())):
            module.verify()
    except Exception as error:
        _report(_first_invalid(module), _refusal(error))
    for op, message in uses.broken():
        _report(op, VerifyException(message))


def _is_valid(op: Operation, within: CheckedModule) -> bool:
    """
    Return whether `op` certainly is valid, and all that it contains.

    Errors: what an op refuses.
    """
    for region in op.regions:
        is_single = region.blocks.first is region.blocks.last
        may_end_anyhow = is_single and op.has_trait(NoTerminator)
        for block in region.blocks:
            last = block.last_op
            ends = last.has_trait(IsTerminator) if last is not None else not is_single
            if block.parent is not region or not (ends or may_end_anyhow):
                return False
            for inner in block_ops(block):
                if inner.parent is not block or not _is_valid(inner, within):
                    return False
    declaration = declaration_of(type(op))
    if declaration is None or not declaration.accepts(op, within):
        op.verify(verify_nested_ops=False)
    return True


def _first_invalid(module: ModuleOp) -> Operation | None:
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except Exception:
            return op
    return None


def _refusal(error: Exception) -> VerifyException:
    """Return what an op refuses; some of xDSL raise errors of no class of their own."""
    if isinstance(error, VerifyException):
        return error
    if type(error) is Exception or isinstance(error, ArithmeticError):
        return VerifyException(str(error))
    raise error


def _report(op: Operation | None, error: VerifyException) -> NoReturn:
    message = " ".join(str(error).split())
    if op is not None:
        message = f"{op.name} at {name_of(op)}: {message}"
    explained = InvalidOpError(message, op)
    for note in getattr(error, "__notes__", ()):
        explained.add_note(note)
    raise explained from None


class _Uses:
    """The uses of values in a module; nearly all lie in the block of their value."""

    def __init__(self, ops: Sequence[Operation]):
        self._ops = ops
        self._order = dict[int, int]()
        """The place of each op in the text, by its id: to hash an op calls Python."""
        self._others = list[tuple[Operation, int, SSAValue]]()
        """Uses of values that are not defined before the user in its own block."""
        order = self._order
        for number, op in enumerate(ops):
            block = op.parent
            for index, value in enumerate(operands_of(op)):
                if type(value) is OpResult:
                    is_beside = value.op.parent is block and id(value.op) in order
                else:
                    is_beside = (
                        isinstance(value, BlockArgument) and value.owner is block
                    )
                if not is_beside:
                    self._others.append((op, index, value))
            order[id(op)] = number

    def undefined(self) -> Iterator[tuple[Operation, str]]:
        """Yield operands that stand for values which a text never defined."""
        for op, index, operand in self._others:
            if not isinstance(operand, OpResult | BlockArgument):
                yield op, f"operand {index} is a value that nothing defines"

    def leaky(self) -> set[Operation]:
        """Return the ops that use values from outside in their regions."""
        found = set[Operation]()
        for user, _, value in self._others:
            block, ancestor = _block_of(value), user
            while ancestor is not None and ancestor.parent is not block:
                ancestor = ancestor.parent_op()
                found |= set() if ancestor is None else {ancestor}
        return found

    def broken(self) -> Iterator[tuple[Operation, str]]:
        """Yield what breaks SSA form, in the order of the text."""
        trees: dict[Region, Dominance] = {}
        broken = [
            (op, f"operand {index} is used before it is defined")
            for op, index, operand in self._others
            if not self._is_available(operand, op, trees)
        ]
        ends = (
            op
            for op in self._ops
            if op._successors  # pyright: ignore[reportPrivateUsage]
            and op.next_op is None
        )
        for op in ends:
            for block, passed in _branches(op):
                expected = [argument.type for argument in block.args]
                actual = [value.type for value in passed]
                if expected != actual:
                    names = [", ".join(map(str, each)) for each in (expected, actual)]
                    problem = f"expected to pass ({names[0]}), got ({names[1]})"
                    broken.append((op, problem))
        yield from sorted(broken, key=lambda each: self._order[id(each[0])])

    def _is_available(
        self, value: SSAValue, user: Operation, trees: dict[Region, Dominance]
    ) -> bool:
        """Return whether `value` is defined wherever `user` runs."""
        owner, block = value.owner, _block_of(value)
        region = None if block is None else block.parent
        ancestor: Operation | None = user
        while ancestor is not None and ancestor.parent_region() is not region:
            ancestor = ancestor.parent_op()
        if ancestor is None or block is None or region is None:
            return False
        if ancestor.parent is block:
            order = self._order
            return isinstance(owner, Block) or order[id(owner)] < order[id(ancestor)]
        if region not in trees:
            trees[region] = Dominance(region)
        return ancestor.parent is not None and (
            trees[region].dominates(block, ancestor.parent)
        )


def _block_of(value: SSAValue) -> Block | None:
    """Return the block that defines `value`."""
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


def _branches(op: Operation) -> Iterator[tuple[Block, Sequence[SSAValue]]]:
    groups = _BRANCHES.get(op.name, ())
    for successor, group in zip(op.successors, groups, strict=False):
        yield successor, getattr(op, group)


class Dominance:
    """
    The dominator tree of a region with a single entry, its first block.

    Blocks that no path reaches are dominated by every block.
    Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
    """

    def __init__(self, region: Region):
        order = _reverse_postorder(region)
        self._number = {block: number for number, block in enumerate(order)}
        self._parent: dict[Block, Block] = {}
        if order:
            self._parent[order[0]] = order[0]
            self._solve(order)
        self._below = self._spans(order)

    def _solve(self, order: list[Block]) -> None:
        predecessors: dict[Block, list[Block]] = {block: [] for block in order}
        for block in order:
            for successor in _successors(block):
                predecessors[successor].append(block)
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                known = [p for p in predecessors[block] if p in self._parent]
                parent = known[0]
                for other in known[1:]:
                    parent = self._meet(parent, other)
                if self._parent.get(block) is not parent:
                    self._parent[block] = parent
                    changed = True

    def _spans(self, order: list[Block]) -> dict[Block, tuple[int, int]]:
        """Return the range of numbers that each block and those below it have."""
        sizes = dict.fromkeys(order, 1)
        for block in reversed(order[1:]):
            sizes[self._parent[block]] += sizes[block]
        spans: dict[Block, tuple[int, int]] = {}
        free: dict[Block, int] = {}
        for block in order:
            first = free[self._parent[block]] if spans else 0
            if spans:
                free[self._parent[block]] += sizes[block]
            spans[block] = first, first + sizes[block]
            free[block] = first + 1
        return spans

    def _meet(self, a: Block, b: Block) -> Block:
        while a is not b:
            if self._number[a] < self._number[b]:
                b = self._parent[b]
            else:
                a = self._parent[a]
        return a

    def dominates(self, a: Block, b: Block) -> bool:
        """Return whether every path from the entry to `b` visits `a`."""
        if b not in self._number:
            return True
        if a not in self._number:
            return False
        first, last = self._below[a]
        return first <= self._below[b][0] < last


def _successors(block: Block) -> list[Block]:
    return list(block.last_op.successors) if block.last_op is not None else []


def _reverse_postorder(region: Region) -> list[Block]:
    entry = region.blocks.first
    if entry is None:
        return []
    seen, finished = {entry}, list[Block]()
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, remaining = stack[-1]
        successor = next((b for b in remaining if b not in seen), None)
        if successor is None:
            finished.append(block)
            stack.pop()
        else:
            seen.add(successor)
            stack.append((successor, iter(_successors(successor))))
    return finished[::-1]
