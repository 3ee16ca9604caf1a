"""Operand slots of ops: optional and variadic ones, and how ops are built of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    OperandDef,
    ParsePropInAttrDict,
    VariadicDef,
    VarOperandDef,
)

from glow.support.attributes import segment_sizes

SEVERAL_OPERANDS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
"""The operands that are present are a property, which is not printed."""

Slot = SSAValue | Sequence[SSAValue] | None
RegionSlot = Region | Sequence[Region]

_VALUES = {OpResult, BlockArgument}


def initialize(
    op: IRDLOperation,
    slots: Sequence[Slot],
    result_types: Sequence[Attribute | Sequence[Attribute] | None],
    properties: Mapping[str, Attribute | None],
    regions: Sequence[RegionSlot] = (),
) -> None:
    """
    Initialize `op` as `IRDLOperation.__init__` does, in half the time where it can.

    Errors: a ValueError for a slot that is given what it does not take.
    """
    form = _form_of(type(op))
    types = [type_ for type_ in result_types if isinstance(type_, Attribute)]
    bodies = [region for region in regions if isinstance(region, Region)]
    counts = len(slots), len(types), len(bodies)
    given = len(slots), len(result_types), len(regions)
    split = None
    if form is not None and counts == given == form.counts:
        split = _split(form.kinds, slots)
    if form is None or split is None:
        IRDLOperation.__init__(
            op,
            operands=slots,
            result_types=result_types,
            properties=properties,
            regions=regions,
        )
        return
    operands, sizes = split
    present = {name: each for name, each in properties.items() if each is not None}
    if form.has_sizes:
        present[AttrSizedOperandSegments.attribute_name] = segment_sizes(sizes)
    Operation.__init__(
        op, operands=operands, result_types=types, properties=present, regions=bodies
    )


def _split(
    kinds: Sequence[type[OperandDef]], slots: Sequence[Slot]
) -> tuple[list[SSAValue], list[int]] | None:
    """Return the operands and how many each slot has, None where that is unusual."""
    operands, sizes = list[SSAValue](), list[int]()
    for kind, slot in zip(kinds, slots, strict=True):
        if type(slot) in _VALUES:
            values: Sequence[SSAValue] = (slot,)  # pyright: ignore[reportAssignmentType]
        elif slot is None and kind is not OperandDef:
            values = ()
        elif isinstance(slot, list | tuple) and kind is VarOperandDef:
            values = slot
        else:
            return None
        operands += values
        sizes.append(len(values))
    return (operands, sizes) if all(type(v) in _VALUES for v in operands) else None


@dataclass(frozen=True)
class _SlotForm:
    """Slots of a class of ops: operands of some kinds, single results, regions."""

    kinds: tuple[type[OperandDef], ...]
    counts: tuple[int, int, int]
    """Of operands, results and regions."""
    has_sizes: bool


@cache
def _form_of(op_class: type[IRDLOperation]) -> _SlotForm | None:
    """Return what ops of a class are built of; None where only xDSL can build them."""
    definition = op_class.get_irdl_definition()
    sized = [o for o in definition.options if isinstance(o, AttrSizedOperandSegments)]
    plain = [o for o in definition.options if isinstance(o, ParsePropInAttrDict)]
    is_usual = len(sized) + len(plain) == len(definition.options)
    others = [each for _, each in (*definition.results, *definition.regions)]
    if not is_usual or definition.successors or not all(s.as_property for s in sized):
        return None
    if any(isinstance(each, VariadicDef) for each in others):
        return None
    kinds = tuple(type(each) for _, each in definition.operands)
    counts = len(kinds), len(definition.results), len(definition.regions)
    return _SlotForm(kinds, counts, bool(sized))
