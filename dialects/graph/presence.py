"""Optional operands and results: which an op has, and the same op with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import OptOperandDef, OptResultDef, VarResultDef
from xdsl.rewriter import Rewriter

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.declaration import BinaryOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.optional import NOTHING, Neutral, Outside
from glow.support.arrays import Array
from glow.support.op_construction import Slot
from glow.support.types import shape_of


@dataclass(frozen=True)
class Slots:
    """The names of an op's optional operands, and of its optional results."""

    operands: tuple[str, ...]
    results: tuple[str, ...]

    def __iter__(self):
        return iter((*self.operands, *self.results))


@cache
def optional_slots(op: type[GraphOp]) -> Slots:
    """
    Return the optional operands and results of `op`, in order.

    Several results that one flag asks for, such as `with_statistics`, are one slot.
    """
    definition = op.get_irdl_definition()
    flags = op.declared()
    return Slots(
        tuple(n for n, each in definition.operands if isinstance(each, OptOperandDef)),
        tuple(
            name
            for name, each in definition.results
            if isinstance(each, OptResultDef)
            or (isinstance(each, VarResultDef) and f"with_{name}" in flags)
        ),
    )


def presence_of(op: GraphOp) -> frozenset[str]:
    """Return the names of the optional operands and results that `op` has."""
    return frozenset(name for name in optional_slots(type(op)) if getattr(op, name))


def results_of(op: GraphOp, name: str) -> Sequence[SSAValue]:
    """Return the values of result `name`: one, several, or none where it is absent."""
    result = cast(Slot, getattr(op, name))
    if result is None or not isinstance(result, SSAValue):
        return result or ()
    return (result,)


def with_presence(
    op: GraphOp,
    operands: Mapping[str, SSAValue | None],
    results: Mapping[str, bool] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> GraphOp:
    """Return `op` with some operands and results given or left out, or parameters."""
    pairs = zip(op.operand_names(), op.slots(), strict=True)
    slots = {name: operands.get(name, slot) for name, slot in pairs}
    wanted: dict[str, Any] = {f"with_{n}": v for n, v in (results or {}).items()}
    wanted |= parameters or {}
    new = type(op)(*slots.values(), **op.parameters() | wanted)
    _keep_properties(op, new, wanted)
    new.attributes.update(op.attributes)
    new.location = op.location
    for name in op.result_names():
        pairs = zip(results_of(op, name), results_of(new, name), strict=False)
        for old, result in pairs:  # its type has the layout
            Rewriter.replace_value_with_new_type(
                result, old.type
            ).name_hint = old.name_hint
    return new


def _keep_properties(op: GraphOp, new: GraphOp, changed: Mapping[str, Any]) -> None:
    """Let `new` have the properties that `op` has, and defaults for the others."""
    for name in op.declared().keys() - changed.keys():
        if name in op.properties:
            new.properties[name] = op.properties[name]
        else:
            new.properties.pop(name, None)


def replacement(op: GraphOp, new: GraphOp) -> list[SSAValue | None]:
    """Return the replacement in `new` of each result of `op`, None if it has none."""
    values: list[SSAValue | None] = []
    for name in op.result_names():
        old = results_of(op, name)
        values += [*results_of(new, name), *[None] * len(old)][: len(old)]
    return values


def is_optional(op: Operation) -> bool:
    """Return whether some operand or result of `op` may be absent."""
    return isinstance(op, GraphOp) and any(optional_slots(type(op)))


def _apply(op: type[BinaryOp], is_per_channel: bool = False) -> Outside:
    """Return how to apply an operand, which broadcasts or is a vector per channel."""

    def write(_: Any, result: SSAValue, operand: SSAValue) -> Sequence[Operation]:
        if not is_per_channel:
            return (op(result, operand),)
        ones = (1,) * (len(shape_of(result)) - 2)
        column = ReshapeOp(operand, shape=(*shape_of(operand), *ones))
        return column, op(result, column.result)

    return write


def _channels(op: Any) -> Sequence[int]:
    return shape_of(op.result)[1:2]


added = _apply(AddOp)
multiplied = _apply(MulOp)
PER_CHANNEL_BIAS = Neutral(NOTHING, _channels, outside=_apply(AddOp, True))
PER_CHANNEL_SCALE = Neutral(1, _channels, outside=_apply(MulOp, True))


def per_channel(vector: Array, like: Array) -> Array:
    """Return a vector with its elements along axis 1 of another array."""
    return vector.reshape(-1, *(1,) * (like.ndim - 2))
