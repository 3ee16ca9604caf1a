"""Construction of ops, in less time than by xDSL's constructors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    OpResult,
    Region,
    SSAValue,
    SSAValues,
    Use,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    OperandDef,
    OptionalDef,
    ParsePropInAttrDict,
    ResultDef,
    VariadicDef,
    VarOperandDef,
    VarResultDef,
)

from glow.support.attributes import segment_sizes

SEVERAL_OPERANDS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
"""Options of ops that note which operands are present in an unprinted property."""

Slot = SSAValue | Sequence[SSAValue] | None
RegionSlot = Region | Sequence[Region]

_VALUES = {OpResult, BlockArgument}

OperationT = TypeVar("OperationT", bound=Operation)
_Attributes = Mapping[str, Attribute]
_NONE: _Attributes = {}
_NO_VALUES: SSAValues[Any] = SSAValues(())


def build_op(
    kind: type[OperationT],
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: _Attributes = _NONE,
    attributes: _Attributes = _NONE,
    location: LocationAttr = UNKNOWN_LOC,
) -> OperationT:
    """Return a new op as `Operation.create` does, in a third of the time."""
    op = object.__new__(kind)
    fill_op(op, operands, result_types, properties, attributes, location)
    return op


def fill_op(
    op: Operation,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: _Attributes = _NONE,
    attributes: _Attributes = _NONE,
    location: LocationAttr = UNKNOWN_LOC,
) -> None:
    """Initialize `op`, which has no regions, as `Operation.__init__` does."""
    values, results = _NO_VALUES, _NO_VALUES
    uses: list[Use] = []  # a call of `list[Use]` takes as long as four uses
    if operands:
        values = SSAValues(operands)
        for i, value in enumerate(values):
            first = value.first_use
            use = value.first_use = Use(op, i, None, first)
            if first is not None:
                first._prev_use = use  # pyright: ignore[reportPrivateUsage]
            uses.append(use)
    if result_types:
        types = enumerate(result_types)
        results = SSAValues([OpResult(type_, op, i) for i, type_ in types])
    op._operands = values  # pyright: ignore[reportPrivateUsage]
    op._operand_uses = tuple(uses)  # pyright: ignore[reportPrivateUsage]
    op.results = results
    op.properties = {**properties}
    op.attributes = {**attributes}
    op.location = location
    defaults = _defaults_of(type(op))
    if defaults is not None:
        for name, default in defaults[0]:
            op.properties.setdefault(name, default)
        for name, default in defaults[1]:
            op.attributes.setdefault(name, default)
    Operation.__post_init__(op)  # by which xDSL's builders learn of ops


def append_op(block: Block, op: Operation) -> None:
    """Append a new `op` as `Block.add_op` does, without looking for it in itself."""
    assert op.parent is None
    last = block._last_op  # pyright: ignore[reportPrivateUsage]
    op.parent, op._prev_op = block, last  # pyright: ignore[reportPrivateUsage]
    if last is None:
        block._first_op = op  # pyright: ignore[reportPrivateUsage]
    else:
        last._next_op = op  # pyright: ignore[reportPrivateUsage]
    block._last_op = op  # pyright: ignore[reportPrivateUsage]


def result_of(op: Operation) -> SSAValue:
    """Return the first result; xDSL, which also slices, takes longer to index them."""
    return _item(op.results, 0)


_item = tuple[Any, ...].__getitem__


_Defaults = Sequence[tuple[str, Attribute]]


@cache
def _defaults_of(kind: type[Operation]) -> tuple[_Defaults, _Defaults] | None:
    """Return the default properties and attributes of a class of ops, if it has any."""
    if not issubclass(kind, IRDLOperation):
        return None
    definition = kind.get_irdl_definition()
    properties, attributes = (
        [
            (name, each.default_value)
            for name, each in declared.items()
            if each.default_value is not None and not isinstance(each, OptionalDef)
        ]
        for declared in (definition.properties, definition.attributes)
    )
    return (properties, attributes) if properties or attributes else None


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
    bodies = [region for region in regions if isinstance(region, Region)]
    counts = len(slots), len(result_types), len(bodies)
    split = results = None
    if form is not None and counts == form.counts and len(bodies) == len(regions):
        split = _split(form.kinds, slots)
        results = _split_types(form.result_kinds, result_types)
    if form is None or split is None or results is None:
        IRDLOperation.__init__(
            op,
            operands=slots,
            result_types=result_types,
            properties=properties,
            regions=regions,
        )
        return
    (operands, sizes), (types, counted) = split, results
    present = {name: each for name, each in properties.items() if each is not None}
    if form.has_sizes:
        present[AttrSizedOperandSegments.attribute_name] = segment_sizes(sizes)
    if form.has_result_sizes:
        present[AttrSizedResultSegments.attribute_name] = segment_sizes(counted)
    fill_op(op, operands, types, present)
    for region in bodies:
        op.add_region(region)


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


def _split_types(
    kinds: Sequence[type[ResultDef]],
    slots: Sequence[Attribute | Sequence[Attribute] | None],
) -> tuple[list[Attribute], list[int]] | None:
    """Return the types of results and how many each slot has, None where unusual."""
    types, sizes = list[Attribute](), list[int]()
    for kind, slot in zip(kinds, slots, strict=True):
        if isinstance(slot, Attribute):
            own: Sequence[Attribute] = (slot,)
        elif slot is None and kind is not ResultDef:
            own = ()
        elif isinstance(slot, list | tuple) and kind is VarResultDef:
            own = slot
        else:
            return None
        types += own
        sizes.append(len(own))
    return types, sizes


@dataclass(frozen=True)
class _SlotForm:
    """Slots of a class of ops: operands and results of some kinds, single regions."""

    kinds: tuple[type[OperandDef], ...]
    result_kinds: tuple[type[ResultDef], ...]
    counts: tuple[int, int, int]
    """Of operands, results and regions."""
    has_sizes: bool
    has_result_sizes: bool


@cache
def _form_of(op_class: type[IRDLOperation]) -> _SlotForm | None:
    """Return what ops of a class are built of; None where only xDSL can build them."""
    definition = op_class.get_irdl_definition()
    sized = [o for o in definition.options if isinstance(o, AttrSizedOperandSegments)]
    counted = [o for o in definition.options if isinstance(o, AttrSizedResultSegments)]
    plain = [o for o in definition.options if isinstance(o, ParsePropInAttrDict)]
    is_usual = len(sized) + len(counted) + len(plain) == len(definition.options)
    if not is_usual or definition.successors:
        return None
    if not all(each.as_property for each in (*sized, *counted)):
        return None
    if any(isinstance(each, VariadicDef) for _, each in definition.regions):
        return None
    kinds = tuple(type(each) for _, each in definition.operands)
    results = tuple(type(each) for _, each in definition.results)
    counts = len(kinds), len(results), len(definition.regions)
    return _SlotForm(kinds, results, counts, bool(sized), bool(counted))
