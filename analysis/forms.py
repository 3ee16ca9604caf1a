"""Modules of one form: what differs between them is integers and some constants."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.memory.attention import AttentionOp
from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.storage import (
    AllocOp,
    ConstantOp,
    GetOp,
    PlaceholderOp,
    StorageOp,
    ViewOp,
)
from glow.support.walking import ops_in

Integers = tuple[int, ...]

SPECIAL = (0, 1)
"""Integers of the structure: an extent of 1 is broadcast, nothing is done 0 times."""

DECIDED: Mapping[type[Operation], tuple[str, ...]] = {
    AllocOp: ("offset",),
    AttentionOp: ("query_block", "key_block", "joins_heads"),
}
"""Properties that are decided anew for other extents, and not part of a form."""


@dataclass(frozen=True)
class ModuleForm:
    """The form of a memory-level module: all of it but integers and constants."""

    structure: tuple[Hashable, ...]
    """All else, which is equal for modules of one form; names of constants are not."""
    integers: Integers
    """Extents, strides and so on, in the order of the text; none of `SPECIAL`."""
    constants: tuple[NDArray[Any] | None, ...]
    """The bytes of constants and of what states start as, in the order of use."""


def form_of(module: ModuleOp) -> ModuleForm:
    """Return the form of a module at the memory level."""
    writer = _FormWriter(module)
    for op in module.ops:
        if not isinstance(op, ConstantOp):
            writer.operation(op)
    constants = tuple(map(_array_of, writer.constants))
    return ModuleForm(tuple(writer.structure), tuple(writer.integers), constants)


class ModuleTemplate:
    """A module at the memory level, and what is found once of its attributes."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self._equal: dict[Attribute, Attribute] = {}
        self._found: dict[int, tuple[Attribute, Integers]] = {}

    def integers_of(self, attribute: Attribute) -> tuple[Attribute, Integers]:
        """Return an attribute that stands for all equal ones, and its integers."""
        found = self._found.get(id(attribute))
        if found is None:
            equal = self._equal.setdefault(attribute, attribute)
            found = self._found[id(attribute)] = equal, _split(equal)[1]
        return found

    def with_integers(
        self, integers: Integers, constants: Mapping[int, NDArray[Any]]
    ) -> ModuleOp:
        """
        Return a module of this form with other integers and some constants.

        What is decided anew is as in this one. Errors: a ValueError for integers that
        an attribute does not take.
        """
        copier = _FormCopier(self, iter(integers))
        others = (op for op in self.module.ops if not isinstance(op, ConstantOp))
        ops = [copier.operation(op) for op in others]
        for number, array in constants.items():
            stored = copier.constants[number]
            stored.properties[_BYTES[type(stored)]] = ResourceAttr.of(array)
        stored = [op for op in copier.constants if isinstance(op, ConstantOp)]
        return ModuleOp([*stored, *ops])


def verify_integers(module: ModuleOp) -> None:
    """
    Raise VerifyException where an op of a copied module refuses its integers.

    Ops of equal types and properties are asked once. Ops that no integer
    changes are not verified again.
    """
    asked: set[tuple[object, ...]] = set()
    for op in ops_in(module.body):
        if isinstance(op, MemoryOp | ViewOp):
            types = (value.type for value in (*op.operands, *op.results))
            key = (type(op), *map(id, types), *map(id, op.properties.values()))
            if key not in asked:
                asked.add(key)
                op.verify_()


def _scratch_of(module: ModuleOp) -> set[SSAValue]:
    """Return the buffers whose size is decided with the blocks of attention."""
    ops = ops_in(module.body)
    return {op.scratch for op in ops if isinstance(op, AttentionOp)}


def _attributes_of(op: Operation) -> Iterator[tuple[str, str, Attribute]]:
    """Yield the attributes of a form: kind, name and attribute, in one order."""
    decided = DECIDED.get(type(op), ())
    for name in sorted(op.properties):
        if name not in decided:
            yield "property", name, op.properties[name]
    for name in sorted(op.attributes):
        yield "attribute", name, op.attributes[name]


_OF_CONSTANTS = ("resource", "sym_name")

_BYTES: Mapping[type[Operation], str] = {
    ConstantOp: "resource",
    PlaceholderOp: "initial",
}
"""The property of ops that has bytes."""


def _array_of(op: StorageOp) -> NDArray[Any] | None:
    resource = op.properties[_BYTES[type(op)]]
    assert isinstance(resource, ResourceAttr)
    return resource.array


def _constants_of(module: ModuleOp) -> dict[str, ConstantOp]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, ConstantOp)}


class _FormWriter:
    """Collects structure and integers."""

    def __init__(self, module: ModuleOp):
        self.structure: list[Hashable] = []
        self.integers: list[int] = []
        self.constants: list[StorageOp] = []
        self._scratch = _scratch_of(module)
        self._values: dict[SSAValue, int] = {}
        self._stored = _constants_of(module)

    def operation(self, op: Operation) -> None:
        operands = tuple(self._values[value] for value in op.operands)
        self.structure.append((op.name, operands, len(op.results), len(op.regions)))
        for result in op.results:
            self._value(result)
        for kind, name, attribute in _attributes_of(op):
            self.structure.append((kind, name))
            self._attribute(op, name, attribute)
        for region in op.regions:
            for block in region.blocks:
                self.structure.append(("block", len(block.args)))
                for argument in block.args:
                    self._value(argument)
                for inner in block.ops:
                    self.operation(inner)

    def _value(self, value: SSAValue) -> None:
        self._values[value] = len(self._values)
        if value not in self._scratch:
            self._add(value.type)

    def _attribute(self, op: Operation, name: str, attribute: Attribute) -> None:
        if isinstance(op, ConstantOp) and name in _OF_CONSTANTS:
            return
        if isinstance(op, PlaceholderOp) and name == "initial":
            self.constants.append(op)
            return
        constant = None
        if isinstance(op, GetOp) and name == "symbol":
            constant = self._stored.get(op.symbol.string_value())
        if constant is None:
            self._add(attribute)
            return
        if constant not in self.constants:
            self.constants.append(constant)
            self.operation(constant)
        self.structure.append(self.constants.index(constant))

    def _add(self, attribute: Attribute) -> None:
        structure, integers = _split(attribute)
        self.structure.append(structure)
        self.integers += integers


class _FormCopier:
    """Copies ops, with the next integers in place of those that they have."""

    def __init__(self, template: ModuleTemplate, integers: Iterator[int]):
        self.constants: list[StorageOp] = []
        self._stored = _constants_of(template.module)
        self._integers = integers
        self._template = template
        self._scratch = _scratch_of(template.module)
        self._values: dict[SSAValue, SSAValue] = {}
        self._made: dict[tuple[int, Integers], Attribute] = {}

    def operation(self, op: Operation) -> Operation:
        types = [
            r.type if r in self._scratch else self._next(r.type) for r in op.results
        ]
        properties, attributes = dict(op.properties), dict(op.attributes)
        for kind, name, attribute in _attributes_of(op):
            if isinstance(op, ConstantOp) and name in _OF_CONSTANTS:
                continue
            if isinstance(op, PlaceholderOp) and name == "initial":
                continue
            if isinstance(op, GetOp) and name == "symbol":
                constant = self._stored.pop(op.symbol.string_value(), None)
                if constant is not None:
                    copy = self.operation(constant)
                    assert isinstance(copy, ConstantOp)
                    self.constants.append(copy)
                continue
            own = properties if kind == "property" else attributes
            own[name] = self._next(attribute)
        copy = type(op).create(
            operands=[self._values[value] for value in op.operands],
            result_types=types,
            properties=properties,
            attributes=attributes,
            regions=[self._region(region) for region in op.regions],
        )
        copy.location = op.location
        if isinstance(copy, PlaceholderOp) and copy.initial is not None:
            self.constants.append(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self._values[old] = new
            new.name_hint = old.name_hint
        return copy

    def _region(self, region: Region) -> Region:
        blocks: list[Block] = []
        for block in region.blocks:
            copy = Block(arg_types=[self._next(arg.type) for arg in block.args])
            self._values |= zip(block.args, copy.args, strict=True)
            copy.add_ops([self.operation(op) for op in block.ops])
            blocks.append(copy)
        return Region(blocks)

    def _next(self, attribute: Attribute) -> Attribute:
        """Return `attribute` with as many of the next integers as it has."""
        equal, known = self._template.integers_of(attribute)
        if not known:
            return equal
        integers = tuple(islice(self._integers, len(known)))
        if integers == known:
            return equal
        key = (id(equal), integers)
        if key not in self._made:
            self._made[key] = _rebuilt(equal, iter(integers))
        return self._made[key]


@lru_cache(1 << 12)
def _split(attribute: Attribute) -> tuple[Hashable, Integers]:
    """Return an attribute without the integers that extents decide, and these."""
    number = _number(attribute)
    if number is not None:
        return IntAttr, (number,)
    parts = _parts(attribute)
    if parts is None:
        return attribute, ()
    outside, inside = parts
    split = [_split(part) for part in inside]
    structure = (type(attribute), outside, tuple(each for each, _ in split))
    return structure, tuple(number for _, numbers in split for number in numbers)


def _number(attribute: Attribute) -> int | None:
    """Return an integer that is no part of a structure."""
    if not isinstance(attribute, IntAttr):
        return None
    number = cast(int, attribute.data)
    return None if number in SPECIAL else number


def _parts(attribute: Attribute) -> tuple[Hashable, Sequence[Attribute]] | None:
    """Return what has no integers, and the parts that may; None if there are none."""
    match attribute:
        case IntegerAttr() if attribute.type != i1:
            return attribute.type, (attribute.value,)
        case MemRefType():
            others = (attribute.element_type, attribute.memory_space)
            return others, (attribute.shape, attribute.layout)
        case StridedLayoutAttr():
            return None, (attribute.strides, attribute.offset)
        case DenseArrayBase() if isinstance(attribute.elt_type, IntegerType):
            numbers = cast("DenseArrayBase[IntegerType]", attribute).get_values()
            return attribute.elt_type, tuple(map(IntAttr, numbers))
        case ArrayAttr():
            return None, attribute.data
        case DictionaryAttr():
            return tuple(attribute.data), tuple(attribute.data.values())
        case _:
            return None


def _rebuilt(attribute: Attribute, integers: Iterator[int]) -> Attribute:
    """Return `attribute` with these integers."""
    if _number(attribute) is not None:
        return IntAttr(next(integers))
    parts = _parts(attribute)
    if parts is None:
        return attribute
    inside: list[Any] = [_rebuilt(part, integers) for part in parts[1]]
    match attribute:
        case IntegerAttr():
            return IntegerAttr(inside[0], attribute.type)
        case MemRefType():
            shape, layout = inside
            element, space = attribute.element_type, attribute.memory_space
            return MemRefType(element, shape, layout, space)
        case StridedLayoutAttr():
            return StridedLayoutAttr(*inside)
        case DenseArrayBase():
            numbers = [number.data for number in inside]
            return DenseArrayBase.from_list(attribute.elt_type, numbers)
        case ArrayAttr():
            return ArrayAttr(inside)
        case _:
            assert isinstance(attribute, DictionaryAttr)
            return DictionaryAttr(dict(zip(attribute.data, inside, strict=True)))
