"""Modules of one form: what differs between them is integers and some constants."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
from xdsl.ir import Attribute, Operation, SSAValue

from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.memory.attention import AttentionOp
from glow.dialects.memory.storage import (
    AllocOp,
    ConstantOp,
    GetOp,
    PlaceholderOp,
    StorageOp,
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


@dataclass(frozen=True, slots=True)
class FormPlace:
    """An attribute with integers of a module, and where it is."""

    owner: SSAValue | dict[str, Attribute]
    """A value, whose type it is, or the properties or attributes of an op."""
    name: str
    attribute: Attribute
    """The same object for all equal attributes."""
    begin: int
    """The index of its first integer among those of the form."""
    end: int


@dataclass(frozen=True)
class ModuleForm:
    """The form of a memory-level module: all of it but integers and constants."""

    structure: tuple[Hashable, ...]
    """All else, which is equal for modules of one form; names of constants are not."""
    integers: Integers
    """Extents, strides and so on, in the order of the text; none of `SPECIAL`."""
    places: Sequence[FormPlace]
    """Where these integers are."""
    stored: Sequence[StorageOp]
    """Constants and states that have bytes at first, in the order of use."""

    @property
    def constants(self) -> tuple[NDArray[Any] | None, ...]:
        """The bytes of what is stored."""
        return tuple(map(_array_of, self.stored))


def form_of(module: ModuleOp) -> ModuleForm:
    """Return the form of a module at the memory level."""
    writer = _FormWriter(module)
    for op in module.ops:
        if not isinstance(op, ConstantOp):
            writer.operation(op)
    structure, integers = tuple(writer.structure), tuple(writer.integers)
    return ModuleForm(structure, integers, writer.places, writer.constants)


def scratch_of(module: ModuleOp) -> set[SSAValue]:
    """Return the buffers whose size is decided with the blocks of attention."""
    ops = ops_in(module.body)
    return {op.scratch for op in ops if isinstance(op, AttentionOp)}


def attributes_of(op: Operation) -> Iterator[tuple[str, str, Attribute]]:
    """Yield the attributes of a form: kind, name and attribute, in one order."""
    decided = DECIDED.get(type(op), ())
    for name in sorted(op.properties):
        if name not in decided:
            yield "property", name, op.properties[name]
    for name in sorted(op.attributes):
        yield "attribute", name, op.attributes[name]


BYTES: Mapping[type[Operation], str] = {
    ConstantOp: "resource",
    PlaceholderOp: "initial",
}
"""The property of ops that has bytes."""

NAMED: Mapping[type[Operation], tuple[str, ...]] = {
    ConstantOp: ("resource", "sym_name"),
    PlaceholderOp: ("initial",),
}
"""Properties left out of a form, but for the order in which ops first read them."""


def _array_of(op: StorageOp) -> NDArray[Any] | None:
    resource = op.properties[BYTES[type(op)]]
    assert isinstance(resource, ResourceAttr)
    return resource.array


def constants_of(module: ModuleOp) -> dict[str, ConstantOp]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, ConstantOp)}


class _FormWriter:
    """Collects structure and integers."""

    def __init__(self, module: ModuleOp):
        self.structure: list[Hashable] = []
        self.integers: list[int] = []
        self.places: list[FormPlace] = []
        self.constants: list[StorageOp] = []
        self._attributes: dict[Attribute, Attribute] = {}
        self._scratch = scratch_of(module)
        self._values: dict[SSAValue, int] = {}
        self._stored = constants_of(module)

    def operation(self, op: Operation) -> None:
        operands = tuple(self._values[value] for value in op.operands)
        self.structure.append((op.name, operands, len(op.results), len(op.regions)))
        for result in op.results:
            self._value(result)
        for kind, name, attribute in attributes_of(op):
            self.structure.append((kind, name))
            owner = op.properties if kind == "property" else op.attributes
            self._attribute(op, owner, name, attribute)
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
            self._add(value.type, value)

    def _attribute(
        self,
        op: Operation,
        owner: dict[str, Attribute],
        name: str,
        attribute: Attribute,
    ) -> None:
        if name in NAMED.get(type(op), ()):
            if isinstance(op, PlaceholderOp):
                self.constants.append(op)
            return
        constant = None
        if isinstance(op, GetOp) and name == "symbol":
            constant = self._stored.get(op.symbol.string_value())
        if constant is None:
            self._add(attribute, owner, name)
            return
        if constant not in self.constants:
            self.constants.append(constant)
            self.operation(constant)
        self.structure.append(self.constants.index(constant))

    def _add(
        self,
        attribute: Attribute,
        owner: SSAValue | dict[str, Attribute],
        name: str = "",
    ) -> None:
        structure, integers = split(attribute)
        self.structure.append(structure)
        if integers:
            attribute = self._attributes.setdefault(attribute, attribute)
            begin, end = len(self.integers), len(self.integers) + len(integers)
            self.places.append(FormPlace(owner, name, attribute, begin, end))
            self.integers += integers


_Inside = tuple[Hashable, Sequence[Attribute]]


@lru_cache(1 << 12)
def split(attribute: Attribute) -> tuple[Hashable, Integers]:
    """Return an attribute without the integers that extents decide, and these."""
    number = number_of(attribute)
    if number is not None:
        return IntAttr, (number,)
    parts = parts_of(attribute)
    if parts is None:
        return attribute, ()
    outside, inside = parts
    split_parts = [split(part) for part in inside]
    structure = type(attribute), outside, tuple(each for each, _ in split_parts)
    return structure, tuple(n for _, numbers in split_parts for n in numbers)


def number_of(attribute: Attribute) -> int | None:
    """Return an integer that is no part of a structure."""
    if type(attribute) is not IntAttr:  # by its exact class: xDSL's are abstract
        return None
    number = attribute.data
    return None if number in SPECIAL else number


def parts_of(attribute: Attribute) -> _Inside | None:
    """Return the part without integers and the parts that may have some, or None."""
    find = _PARTS.get(type(attribute))  # by exact classes: those of xDSL are abstract
    return None if find is None else find(attribute)


def _parts_of_integer(attribute: Any) -> _Inside | None:
    return None if attribute.type == i1 else (attribute.type, (attribute.value,))


def _parts_of_array(attribute: Any) -> _Inside | None:
    element: Attribute = attribute.elt_type
    if not isinstance(element, IntegerType):
        return None
    return cast(Attribute, element), tuple(map(IntAttr, attribute.get_values()))


_PARTS: Mapping[type[Attribute], Callable[[Any], _Inside | None]] = {
    IntegerAttr: _parts_of_integer,
    MemRefType: lambda t: ((t.element_type, t.memory_space), (t.shape, t.layout)),
    StridedLayoutAttr: lambda layout: (None, (layout.strides, layout.offset)),
    DenseArrayBase: _parts_of_array,
    ArrayAttr: lambda array: (None, array.data),
    DictionaryAttr: lambda given: (tuple(given.data), tuple(given.data.values())),
}
