"""Modules of a form that is known, with other integers and constants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from xdsl.ir import Attribute

from glow.analysis.declarations import declaration_of
from glow.analysis.forms import BYTES, Integers, ModuleForm, number_of, parts_of
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.storage import ViewOp
from glow.support.attributes import unchecked
from glow.support.walking import operands_of, ops_in, ops_of


class ModuleTemplate:
    """A module at the memory level that is used for one shape after the other."""

    def __init__(self, module: ModuleOp, form: ModuleForm):
        self._module, self._form = module, form
        _share_attributes(module)

    def with_integers(
        self, integers: Integers, constants: Sequence[NDArray[Any]]
    ) -> ModuleOp:
        """
        Return the module, always the same one, with other integers and constants.

        Properties that are decided anew and places of buffers stay as they were.
        Errors: a ValueError for integers that an attribute does not take.
        """
        made: dict[tuple[int, Integers], Attribute] = {}
        for place in self._form.places:
            attribute, part = place.attribute, integers[place.begin : place.end]
            key = id(attribute), part
            if key not in made:
                made[key] = _rebuilt(attribute, iter(part))
            if isinstance(place.owner, dict):
                place.owner[place.name] = made[key]
            else:
                place.owner._type = made[key]  # pyright: ignore[reportPrivateUsage]
        for stored, array in zip(self._form.stored, constants, strict=True):
            name = BYTES[type(stored)]
            known = stored.properties[name]
            assert isinstance(known, ResourceAttr)
            if known.array is not array:
                stored.properties[name] = ResourceAttr.of(array)
        return self._module


def verify_integers(module: ModuleOp) -> None:
    """
    Raise VerifyException where an op of a known form refuses its integers.

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


def _share_attributes(module: ModuleOp) -> None:
    """Make equal attributes of ops one, so that ops alike are found by identity."""
    known: dict[Attribute, Attribute] = {}
    for op in ops_in(module.body):
        for own in (op.properties, op.attributes):
            for name, attribute in own.items():
                own[name] = known.setdefault(attribute, attribute)
        for result in op.results:
            shared = known.setdefault(result.type, result.type)
            result._type = shared  # pyright: ignore[reportPrivateUsage]


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
