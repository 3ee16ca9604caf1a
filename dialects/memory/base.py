"""Base of ops that read and write buffers: accesses, in-place pairs."""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    OperandDef,
    ParsePropInAttrDict,
    operand_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.parameters import to_attribute
from glow.support.attributes import numbers_of
from glow.support.op_construction import (
    SEVERAL_OPERANDS,
    RegionSlot,
    Slot,
    initialize,
)
from glow.support.types import type_of

Buffer = MemRefType[Attribute]
BUFFER = MemRefType.constr(AnyAttr())
"""The constraint on operands that are buffers."""


class Kind(Enum):
    """Access of an op to a buffer that it is given."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"

    @property
    def reads(self) -> bool:
        return self is not Kind.OUT

    @property
    def writes(self) -> bool:
        return self is not Kind.IN


def buffer_type(value: SSAValue | Attribute) -> Buffer:
    """Return the memref type of `value` (or `value`, if it is one)."""
    type_: Any = type_of(value)
    if type(type_) is not MemRefType:
        raise VerifyException(f"expected a memref, got {type_}")
    return type_


def extents_of(value: SSAValue | Attribute) -> tuple[int, ...]:
    """Return the logical shape of buffer `value`."""
    return buffer_type(value).get_shape()


def count_of(value: SSAValue | Attribute) -> int:
    """Return how many elements buffer `value` has."""
    return prod(extents_of(value))


_OPERAND: type[Any] = type(operand_def(BUFFER))


def _text_of(group: str, names: Sequence[str], kinds: Mapping[str, Any]) -> str:
    """
    Return the format of some operands, with their types.

    Operands that may be absent are named, unless one is alone in its group.
    """
    always = [name for name in names if kinds[name] is OperandDef]
    others = [name for name in names if name not in always]
    if not always and len(others) == 1:
        return f"(`{group}` `(` ${others[0]}^ `:` type(${others[0]}) `)`)?"
    text = " `,` ".join(f"${name} `:` type(${name})" for name in always)
    text += "".join(f" (`{name}` ${name}^ `:` type(${name}))?" for name in others)
    return f"`{group}` `(` {text} `)`"


@cache
def _kinds_of(op: type["MemoryOp"]) -> dict[str, Kind]:
    """Return what ops of a class do to the buffers of each of their slots."""
    names = [name for name, _ in op.get_irdl_definition().operands]
    writes = dict.fromkeys((*op.WRITES, *op.SCRATCH), Kind.OUT)
    changes = writes | dict.fromkeys(op.UPDATES, Kind.INOUT)
    return {name: changes.get(name, Kind.IN) for name in names}


def broadcasts_to(value: SSAValue, shape: Sequence[int]) -> bool:
    """Return whether buffer `value` broadcasts to `shape` by NumPy's rule."""
    own = extents_of(value)
    pairs = zip(reversed(own), reversed(shape), strict=False)
    return len(own) <= len(shape) and all(n in (1, m) for n, m in pairs)


class MemoryOp(IRDLOperation):
    """
    An op that computes into buffers it is given: destination-passing style.

    `WRITES` names the operand slots that it writes and does not read, `UPDATES` those
    it reads and writes, `SCRATCH` those that mean nothing before and after it; all
    others are read only. Nothing else may be touched. Its text has a group for each
    kind of operand, in their order, and ends in `TAIL`.
    """

    WRITES: ClassVar[tuple[str, ...]] = ("result",)
    UPDATES: ClassVar[tuple[str, ...]] = ()
    SCRATCH: ClassVar[tuple[str, ...]] = ("scratch",)
    TAIL: ClassVar[str] = "attr-dict"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Define the text of an op, unless it has one of its own."""
        super().__init_subclass__(**arguments)
        if "name" not in vars(cls):
            return
        fields = (f for base in reversed(cls.mro()) for f in vars(base).items())
        kinds: dict[str, Any]
        kinds = {name: each.cls for name, each in fields if isinstance(each, _OPERAND)}
        has_several = any(kind is not OperandDef for kind in kinds.values())
        options = SEVERAL_OPERANDS if has_several else (ParsePropInAttrDict(),)
        setattr(cls, "irdl_options", options)  # noqa: B010
        if {"parse", "assembly_format"} & vars(cls).keys():
            return
        groups: dict[str, list[str]] = {}
        for name in kinds:
            group = "outs" if name in cls.WRITES else "ins"
            group = "scratch" if name in cls.SCRATCH else group
            groups.setdefault(group, []).append(name)
        texts = [_text_of(group, names, kinds) for group, names in groups.items()]
        cls.assembly_format = " ".join([*texts, cls.TAIL])

    def __init__(self, *slots: Slot, regions: Sequence[RegionSlot] = (), **others: Any):
        """Build the op of operands, in order or by name, and properties, by name."""
        definition = self.get_irdl_definition()
        names = [name for name, _ in definition.operands]
        given = dict(zip(names, slots, strict=False)) | others
        unknown = given.keys() - {*names, *definition.properties}
        if unknown:
            raise TypeError(f"{self.name} takes no {', '.join(sorted(unknown))}")
        operands = [given.get(name) for name in names]
        properties = {
            name: to_attribute(value)
            for name, value in given.items()
            if name in definition.properties
        }
        initialize(self, operands, (), properties, regions)

    @property
    def title(self) -> str:
        """The name of the op in messages and reports."""
        return self.name

    def accesses(self) -> list[tuple[SSAValue, Kind]]:
        """Return each buffer operand and what happens to it, in operand order."""
        kinds = _kinds_of(type(self))
        sizes: Any = self.properties.get(AttrSizedOperandSegments.attribute_name)
        if sizes is not None:
            counts = zip(kinds.values(), numbers_of(sizes), strict=True)
            each = [kind for kind, count in counts for _ in range(count)]
            return list(zip(self.operands, each, strict=True))
        accesses: list[tuple[SSAValue, Kind]] = []
        for name, kind in kinds.items():
            slot: Slot = getattr(self, name)
            if isinstance(slot, SSAValue):
                accesses.append((slot, kind))
            elif slot is not None:
                accesses += [(value, kind) for value in slot]
        return accesses

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        """
        Return pairs (read, written) that may be one buffer.

        The op must read each element of the first before it writes that element of
        the second, which is addressed the same way.
        """
        return []

    def flops(self) -> int:
        """
        Return how many floating-point operations its definition takes.

        A multiply-add is two; a function such as exp, a comparison or an operation on
        integers is one. Padding is left out. What only moves takes none.
        """
        return 0
