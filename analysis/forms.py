"""Modules of one form: what differs between them is integers and some constants."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
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
"""Properties of which nothing is written but in which order ops first read them."""


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
        self.constants: list[StorageOp] = []
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
        if name in NAMED.get(type(op), ()):
            if isinstance(op, PlaceholderOp):
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
        structure, integers = split(attribute)
        self.structure.append(structure)
        self.integers += integers


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


def parts_of(attribute: Attribute) -> tuple[Hashable, Sequence[Attribute]] | None:
    """Return what has no integers, and the parts that may; None if there are none."""
    match attribute:
        case IntAttr():
            return None
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
