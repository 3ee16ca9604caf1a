"""Validity of modules: xDSL verifies ops, this also SSA form and branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.analysis.dominance import Dominance
from glow.support.locations import name_of

# Where branch ops keep what they pass to each successor.
_BRANCHES = {
    "cf.br": ("arguments",),
    "llvm.br": ("arguments",),
    "cf.cond_br": ("then_arguments", "else_arguments"),
    "llvm.cond_br": ("then_arguments", "else_arguments"),
}


def verify_module(module: ModuleOp) -> None:
    """
    Raise unless `module` is valid; the message begins with the op and its place.

    Errors: what an op refuses; an operand that is not defined before its use on every
    path; a branch that passes other values than its block takes.
    """
    try:
        module.verify()
    except VerifyException as error:
        _report(_first_invalid(module), error)
    for op, message in _broken_uses(module):
        _report(op, VerifyException(message))


def _first_invalid(module: ModuleOp) -> Operation | None:
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException:
            return op
    return None


def _report(op: Operation | None, error: VerifyException) -> NoReturn:
    message = " ".join(str(error).split())
    if op is not None:
        message = f"{op.name} at {name_of(op)}: {message}"
    explained = VerifyException(message)
    for note in getattr(error, "__notes__", ()):
        explained.add_note(note)
    raise explained from None


def _broken_uses(module: ModuleOp) -> Iterator[tuple[Operation, str]]:
    """Yield what breaks SSA form, in the order of the text."""
    order = {op: number for number, op in enumerate(module.walk())}
    trees: dict[Region, Dominance] = {}
    for op in order:
        for index, operand in enumerate(op.operands):
            if not _is_available(operand, op, order, trees):
                yield op, f"operand {index} is used before it is defined"
        for block, passed in _branches(op):
            expected = [argument.type for argument in block.args]
            actual = [value.type for value in passed]
            if expected != actual:
                names = [", ".join(map(str, types)) for types in (expected, actual)]
                yield op, f"expected to pass ({names[0]}), got ({names[1]})"


def _is_available(
    value: SSAValue,
    user: Operation,
    order: dict[Operation, int],
    trees: dict[Region, Dominance],
) -> bool:
    """Return whether `value` is defined wherever `user` runs."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    region = None if block is None else block.parent
    ancestor: Operation | None = user
    while ancestor is not None and ancestor.parent_region() is not region:
        ancestor = ancestor.parent_op()
    if ancestor is None or block is None or region is None:
        return False
    if ancestor.parent is block:
        return isinstance(owner, Block) or order[owner] < order[ancestor]
    if region not in trees:
        trees[region] = Dominance(region)
    return ancestor.parent is not None and (
        trees[region].dominates(block, ancestor.parent)
    )


def _branches(op: Operation) -> Iterator[tuple[Block, Sequence[SSAValue]]]:
    groups = _BRANCHES.get(op.name, ())
    for successor, group in zip(op.successors, groups, strict=False):
        yield successor, getattr(op, group)
