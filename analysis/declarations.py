"""
Quick checks of ops against their declarations, made once for each class of ops.

xDSL goes through all of a declaration again for each op. These only accept: other ops
are left to the checks of xDSL, which know more constraints and have the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from inspect import getclosurevars
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.core import ErasedSSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    EqIntConstraint,
    IRDLOperation,
    OpDef,
    OperandDef,
    OptionalDef,
    RangeLengthConstraint,
    RangeOf,
    RegionDef,
    ResultDef,
    SingleBlockRegionDef,
    VariadicDef,
)
from xdsl.irdl.operations import AttrSizedSegments
from xdsl.traits import (
    HasAncestor,
    IsolatedFromAbove,
    IsTerminator,
    OpTrait,
    SymbolUserOpInterface,
)

from glow.analysis.constraints import Test, Variables, refuses_any, test_of
from glow.support.attributes import numbers_of
from glow.support.walking import operands_of, ops_in


class _UnknownError(Exception):
    """A declaration has something that only xDSL checks."""


def _slot_test(slot: OperandDef | ResultDef) -> Test:
    """Return the test of the type of each value in `slot`."""
    range_ = slot.constr
    match range_:
        case RangeLengthConstraint(constraint=each, length=EqIntConstraint(value=1)):
            range_ = None if isinstance(slot, VariadicDef) else each
        case _:
            pass
    test = test_of(range_.constr) if isinstance(range_, RangeOf) else refuses_any
    if test is refuses_any:  # which would accept a slot without values
        raise _UnknownError
    return test


class _Slots:
    """Operands or results as a class of ops declares them."""

    def __init__(
        self,
        slots: Sequence[tuple[str, OperandDef | ResultDef]],
        sizes: AttrSizedSegments | None,
    ):
        self._tests = [_slot_test(slot) for _, slot in slots]
        self._variadic = [
            i for i, (_, slot) in enumerate(slots) if isinstance(slot, VariadicDef)
        ]
        self._optional = {
            i for i, (_, slot) in enumerate(slots) if isinstance(slot, OptionalDef)
        }
        self._sizes = sizes
        if sizes is None and len(self._variadic) > 1:
            raise _UnknownError

    def accept(
        self, op: Operation, values: Sequence[SSAValue], variables: Variables
    ) -> bool:
        tests: Sequence[Test] = self._tests
        if self._variadic:
            sizes = self._sizes_in(op, len(values))
            if sizes is None:
                return False
            pairs = zip(tests, sizes, strict=True)
            tests = [test for test, size in pairs for _ in range(size)]
        if len(tests) != len(values):
            return False
        for test, value in zip(tests, values, strict=True):
            type_ = value._type  # pyright: ignore[reportPrivateUsage]
            if not test(type_, variables) or type(value) is ErasedSSAValue:
                return False
        return True

    def _sizes_in(self, op: Operation, count: int) -> Sequence[int] | None:
        """Return how many values each slot has; None where that may be wrong."""
        sizes: Sequence[int]
        if self._sizes is None:
            sizes = [1] * len(self._tests)
            sizes[self._variadic[0]] += count - len(sizes)
        else:
            stored = self._sizes.container(op).get(self._sizes.attribute_name)
            if not isinstance(stored, DenseArrayBase) or stored.elt_type != i32:  # pyright: ignore[reportUnknownMemberType]
                return None
            sizes = numbers_of(stored)
            if len(sizes) != len(self._tests):
                return None
        for i, size in enumerate(sizes):
            most = 1 if i in self._optional or i not in self._variadic else size
            if not (0 if i in self._variadic else 1) <= size <= most:
                return None
        return sizes


class _Named:
    """The properties, or the attributes, that a class of ops declares."""

    def __init__(self, declared: dict[str, Any]):
        self._tests: list[tuple[str, bool, Test]] = [
            (name, isinstance(each, OptionalDef), test_of(each.constr))
            for name, each in declared.items()
        ]

    def count(self, present: dict[str, Attribute], variables: Variables) -> int:
        """Return how many are present, -1 where one is wrong or absent."""
        count = 0
        for name, is_optional, test in self._tests:
            attribute = present.get(name)
            if attribute is None:
                if not is_optional:
                    return -1
            elif not test(attribute, variables):
                return -1
            else:
                count += 1
        return count


@dataclass
class CheckedModule:
    """Facts about a module, gathered while its ops are checked one after the other."""

    leaky: Set[Operation]
    """Ops that use values from outside in their regions."""
    accepted: set[Hashable] = field(default_factory=lambda: set())
    """The likenesses of accepted ops, as `Declaration` computes them."""


class Declaration:
    """The declaration of a class of ops, and the checks that it adds."""

    def __init__(self, op_class: type[IRDLOperation]):
        definition = op_class.get_irdl_definition()
        if definition.successors:
            raise _UnknownError
        self._operands = _Slots(
            definition.operands, _sizes_of(definition, AttrSizedOperandSegments)
        )
        self._results = _Slots(
            definition.results, _sizes_of(definition, AttrSizedResultSegments)
        )
        self._properties = _Named(definition.properties)
        self._attributes = _Named(definition.attributes)
        self._regions = [_is_single(region) for _, region in definition.regions]
        self._traits = [trait for trait in definition.traits if _verifies(type(trait))]
        self._is_isolated = IsolatedFromAbove() in definition.traits
        self._verify = _own_check(op_class, definition)
        self._is_local = _is_local(self._verify) and not any(
            isinstance(trait, IsTerminator | HasAncestor) for trait in self._traits
        )
        """Whether its checks look only at the types, properties and parent of an op."""
        self._uses_symbols = any(
            isinstance(trait, SymbolUserOpInterface) for trait in self._traits
        )
        self._names_itself = "sym_name" in definition.properties
        """Whether each op has a symbol of its own, so that no two are alike."""

    def accepts(self, op: Operation, within: CheckedModule | None = None) -> bool:
        """
        Return whether `op` is certainly valid; ops inside it are not checked.

        `within` has the facts known of the module, which must not change meanwhile: an
        op that is like an accepted one is not checked again.
        """
        operands = operands_of(op)
        likeness = None
        if within is not None and self._is_local and not self._names_itself:
            likeness = self._likeness_of(op, operands)
            if likeness in within.accepted:
                return True
        if not self._accepts_new(op, operands, within):
            return False
        if within and likeness is not None:
            within.accepted.add(likeness)
        return True

    def _likeness_of(
        self, op: Operation, operands: Sequence[SSAValue]
    ) -> Hashable | None:
        """Return a key that only equally valid ops of a module share, if any."""
        if op._successors or (  # pyright: ignore[reportPrivateUsage]
            op.regions and any(region.first_block for region in op.regions)
        ):
            return None
        if operands and ErasedSSAValue in map(type, operands):
            return None
        block = op.parent
        region = None if block is None else block.parent
        properties, attributes = op.properties, op.attributes
        # Attributes by id: hashing them takes longer than checking them.
        return (
            id(self),
            id(block) if self._uses_symbols else type(region and region.parent),
            *[id(value._type) for value in operands],  # pyright: ignore
            None,
            *[id(value._type) for value in op.results],  # pyright: ignore
            *properties,
            *map(id, properties.values()),
            *attributes,
            *map(id, attributes.values()),
        )

    def _accepts_new(
        self,
        op: Operation,
        operands: Sequence[SSAValue],
        within: CheckedModule | None,
    ) -> bool:
        variables: Variables = {}
        accepted = (
            len(op.regions) == len(self._regions)
            and not op._successors  # pyright: ignore[reportPrivateUsage]
            and self._operands.accept(op, operands, variables)
            and self._results.accept(op, op.results, variables)
        )
        if not accepted:
            return False
        for region, is_single in zip(op.regions, self._regions, strict=True):
            if is_single and len(region.blocks) != 1:
                return False
        if self._properties.count(op.properties, variables) != len(op.properties):
            return False
        if self._attributes.count(op.attributes, variables) < 0:
            return False
        if self._is_isolated and not (
            _uses_only_own(op) if within is None else op not in within.leaky
        ):
            return False
        try:
            for trait in self._traits:
                trait.verify(op)
            if self._verify is not None:
                self._verify(op)
        except Exception:  # which xDSL's own check raises again, with more to say
            return False
        return True


def _sizes_of(
    definition: OpDef, kind: type[AttrSizedSegments]
) -> AttrSizedSegments | None:
    return next((o for o in definition.options if isinstance(o, kind)), None)


def _is_single(region: RegionDef) -> bool:
    """Return whether `region` must be one block."""
    if isinstance(region, VariadicDef) or region.entry_args != RangeOf(AnyAttr()):
        raise _UnknownError
    return isinstance(region, SingleBlockRegionDef)


def _verifies(trait: type[OpTrait]) -> bool:
    return trait.verify not in (OpTrait.verify, IsolatedFromAbove.verify)


def _uses_only_own(op: Operation) -> bool:
    """Return whether what `op` contains uses only values that are defined in it."""
    for inner in ops_in(*op.regions):
        block = inner.parent
        for operand in inner.operands:
            owner = operand.owner
            if owner is block or owner.parent is block:  # nearly always
                continue
            if owner is op or not op.is_ancestor(owner):
                return False
    return True


def _own_check(
    op_class: type[IRDLOperation], definition: OpDef
) -> Callable[[Operation], None] | None:
    """Return what `op_class` checks besides its declaration, if anything."""
    # What xDSL makes of an own `verify_` checks the declaration, then calls that.
    made_of = getclosurevars(op_class.verify_).nonlocals
    is_usual = op_class.verify is Operation.verify
    if not is_usual or made_of.get("op_def") is not definition:
        raise _UnknownError
    return made_of.get("custom_verify")


def _is_local(verify: Callable[..., None] | None) -> bool:
    if verify is None or verify.__module__.startswith("xdsl."):
        return True
    return getattr(verify, "is_local", False)


@cache
def declaration_of(op_class: type[Operation]) -> Declaration | None:
    """Return the checks of ops of `op_class`, None where only xDSL has them."""
    try:
        return Declaration(op_class) if issubclass(op_class, IRDLOperation) else None
    except _UnknownError:
        return None
