"""Modules of a form that is known, with other integers and constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from glow.analysis.declarations import declaration_of
from glow.analysis.forms import (
    BYTES,
    NAMED,
    Integers,
    attributes_of,
    constants_of,
    number_of,
    parts_of,
    scratch_of,
    split,
)
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.storage import ConstantOp, GetOp, StorageOp, ViewOp
from glow.support.attributes import unchecked
from glow.support.op_construction import append_op, build_op
from glow.support.walking import operands_of, ops_in, ops_of


class ModuleTemplate:
    """A module at the memory level, and what copies of it are made of."""

    def __init__(self, module: ModuleOp):
        self._module = module

    @cached_property
    def _plans(self) -> list[_OpPlan]:
        planner = _Planner(self._module)
        others = (op for op in self._module.ops if not isinstance(op, ConstantOp))
        return [planner.plan(op) for op in others]

    def with_integers(
        self, integers: Integers, constants: Sequence[NDArray[Any]]
    ) -> ModuleOp:
        """
        Return a module of this form with other integers and constants.

        What is decided anew is as in this one. Errors: a ValueError for integers that
        an attribute does not take.
        """
        copier = _FormCopier(integers)
        ops = [copier.operation(plan) for plan in self._plans]
        for stored, array in zip(copier.constants, constants, strict=True):
            name = BYTES[type(stored)]
            known = stored.properties[name]
            assert isinstance(known, ResourceAttr)
            if known.array is not array:
                stored.properties[name] = ResourceAttr.of(array)
        stored = [op for op in copier.constants if isinstance(op, ConstantOp)]
        return ModuleOp([*stored, *ops])


def verify_integers(module: ModuleOp) -> None:
    """
    Raise VerifyException where an op of a copied module refuses its integers.

    Ops of equal types and properties are asked once. Ops that no integer
    changes are not verified again.
    """
    asked: set[tuple[object, ...]] = set()
    for op in ops_of(ops_in(module.body), MemoryOp, ViewOp):
        types = [value.type for value in (*operands_of(op), *op.results)]
        key = (type(op), *map(id, types), *map(id, op.properties.values()))
        if key not in asked:
            asked.add(key)
            # Most are valid, and this says so in half of the time of `verify_`.
            declaration = declaration_of(type(op))
            if declaration is None or not declaration.accepts(op):
                op.verify_()


@dataclass(frozen=True, slots=True)
class _WithIntegers:
    """An attribute, one for all equal ones, and its integers."""

    attribute: Attribute
    integers: Integers


@dataclass(frozen=True, slots=True)
class _OpPlan:
    """What a copy of an op is made of, in the order in which integers are written."""

    op: Operation
    is_constant: bool
    """Whether it holds a constant's bytes."""
    results: Sequence[_WithIntegers]
    constant: _OpPlan | None
    """The constant that the op is the first to read."""
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    changed: Sequence[tuple[bool, str, _WithIntegers]]
    """Those that have integers: whether it is a property, its name."""
    regions: Sequence[
        Sequence[tuple[Block, Sequence[_WithIntegers], Sequence[_OpPlan]]]
    ]
    """The blocks of each region, with the types of their arguments and their ops."""


class _Planner:
    """Plans copies of the ops of a module."""

    def __init__(self, module: ModuleOp):
        self._stored = constants_of(module)
        self._scratch = scratch_of(module)
        self._known: dict[Attribute, _WithIntegers] = {}

    def plan(self, op: Operation) -> _OpPlan:
        results = [
            _WithIntegers(r.type, ()) if r in self._scratch else self._found(r.type)
            for r in op.results
        ]
        constant = None
        if isinstance(op, GetOp):
            constant = self._stored.pop(op.symbol.string_value(), None)
        properties, attributes = dict(op.properties), dict(op.attributes)
        changed: list[tuple[bool, str, _WithIntegers]] = []
        for kind, name, attribute in attributes_of(op):
            if name in NAMED.get(type(op), ()):
                continue
            each, is_property = self._found(attribute), kind == "property"
            if each.integers:
                changed.append((is_property, name, each))
            else:
                own = properties if is_property else attributes
                own[name] = each.attribute
        return _OpPlan(
            op,
            BYTES.get(type(op)) in op.properties,
            results,
            constant and self.plan(constant),
            properties,
            attributes,
            changed,
            [[self._block(block) for block in region.blocks] for region in op.regions],
        )

    def _block(self, block: Block) -> tuple[Block, list[_WithIntegers], list[_OpPlan]]:
        types = [self._found(argument.type) for argument in block.args]
        return block, types, [self.plan(op) for op in block.ops]

    def _found(self, attribute: Attribute) -> _WithIntegers:
        if attribute not in self._known:
            self._known[attribute] = _WithIntegers(attribute, split(attribute)[1])
        return self._known[attribute]


class _FormCopier:
    """Copies ops, with the next integers in place of those that they have."""

    def __init__(self, integers: Integers):
        self.constants: list[StorageOp] = []
        self._integers, self._at = integers, 0
        self._values: dict[SSAValue, SSAValue] = {}
        self._made: dict[tuple[int, Integers], Attribute] = {}

    def operation(self, plan: _OpPlan) -> Operation:
        op, values = plan.op, self._values
        types = [self._next(each) for each in plan.results]
        if plan.constant is not None:
            self.operation(plan.constant)
        operands = [values[value] for value in operands_of(op)]
        given = types, plan.properties, plan.attributes, op.location
        copy = build_op(type(op), operands, *given)
        for is_property, name, each in plan.changed:
            own = copy.properties if is_property else copy.attributes
            own[name] = self._next(each)
        for blocks in plan.regions:
            copy.add_region(Region([self._block(*each) for each in blocks]))
        if plan.is_constant:
            assert isinstance(copy, StorageOp)
            self.constants.append(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            values[old] = new
            if (name := old.name_hint) is not None:  # which is valid
                new._name = name  # pyright: ignore[reportPrivateUsage]
        return copy

    def _block(
        self, block: Block, types: Sequence[_WithIntegers], ops: Sequence[_OpPlan]
    ) -> Block:
        copy = Block(arg_types=[self._next(each) for each in types])
        self._values |= zip(block.args, copy.args, strict=True)
        for op in ops:
            append_op(copy, self.operation(op))
        return copy

    def _next(self, each: _WithIntegers) -> Attribute:
        """Return the attribute with as many of the next integers as it has."""
        known = each.integers
        if not known:
            return each.attribute
        begin, self._at = self._at, self._at + len(known)
        integers = self._integers[begin : self._at]
        if integers == known:
            return each.attribute
        key = (id(each), integers)
        if key not in self._made:
            self._made[key] = _rebuilt(each.attribute, iter(integers))
        return self._made[key]


def _rebuilt(attribute: Attribute, integers: Iterator[int]) -> Attribute:
    """Return `attribute` with these integers."""
    if number_of(attribute) is not None:
        return unchecked(IntAttr, data=next(integers))
    parts = parts_of(attribute)
    if parts is None:
        return attribute
    inside: list[Any] = [_rebuilt(part, integers) for part in parts[1]]
    match attribute:
        case MemRefType():
            shape, layout = inside
            own = {**vars(attribute), "shape": shape, "layout": layout}
            return unchecked(MemRefType, **own)
        case ArrayAttr():
            return unchecked(ArrayAttr, data=tuple(inside))
        case IntegerAttr():
            return IntegerAttr(inside[0], attribute.type)
        case StridedLayoutAttr():
            return StridedLayoutAttr(*inside)
        case DenseArrayBase():
            numbers = [number.data for number in inside]
            return DenseArrayBase.from_list(attribute.elt_type, numbers)
        case _:
            assert isinstance(attribute, DictionaryAttr)
            return DictionaryAttr(dict(zip(attribute.data, inside, strict=True)))
