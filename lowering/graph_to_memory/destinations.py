"""Decide, before anything is lowered, where saved and concatenated values are made."""

from collections.abc import Container
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from glow.analysis.movements import keeps_bytes
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.storage import LiteralOp, LoadOp, SaveOp
from glow.support.types import normalize_axis, shape_of, tensor_type
from glow.support.walking import block_ops, ops_of


@dataclass(frozen=True)
class ConcatPart:
    """A value that lies in `whole`, from `start` along `axis`."""

    whole: SSAValue
    axis: int
    start: int


@dataclass
class Destinations:
    """Places for values that get no buffer of their own."""

    saved: dict[SSAValue, SaveOp] = field(default_factory=lambda: {})
    """By value, the save (maybe of a view) into whose placeholder it is computed."""
    parts: dict[SSAValue, ConcatPart] = field(default_factory=lambda: {})


def find_destinations(
    block: Block, outputs: Container[str], aliasing: Container[type[Operation]]
) -> Destinations:
    """
    Return the destinations of the values that ops of `block` compute.

    `outputs` are the placeholders that nothing reads; a value saved to one of them is
    computed there, also where it is transposed or reshaped before, if that keeps its
    bytes. Results of other `aliasing` ops and of loads are copied instead, and so are
    values that are also saved to a placeholder that is read: it may hold them in place.
    """
    destinations = Destinations()

    def is_computed(value: SSAValue) -> bool:
        owner = value.owner
        if not isinstance(owner, Operation) or isinstance(owner, LoadOp | LiteralOp):
            return False
        return type(owner) not in aliasing

    def is_free(value: SSAValue) -> bool:
        is_taken = value in destinations.saved or value in destinations.parts
        return is_computed(value) and not is_taken

    saves = ops_of(block.ops, SaveOp)
    kept = {op.value for op in saves if op.symbol.string_value() not in outputs}
    for op in saves:
        if op.symbol.string_value() in outputs:
            value = _origin_of(op.value)
            if is_free(value) and value not in kept:
                destinations.saved[value] = op
    for op in block_ops(block):
        if isinstance(op, ConcatOp):
            _place_parts(op, destinations, is_free)
    return destinations


def _origin_of(value: SSAValue) -> SSAValue:
    """Return the origin of the bytes of `value` if it has no other reader."""
    while isinstance(view := value.owner, TransposeOp | ReshapeOp):
        if not view.input.has_one_use() or not keeps_bytes(view):
            break
        value = view.input
    return value


def _place_parts(op: ConcatOp, destinations: Destinations, is_free: object) -> None:
    assert callable(is_free)
    axis = normalize_axis(op.axis, len(shape_of(op.result)))
    encoding = tensor_type(op.result).encoding
    start = 0
    for value in op.inputs:
        same = tensor_type(value).encoding == encoding
        if same and is_free(value):
            destinations.parts[value] = ConcatPart(op.result, axis, start)
        start += shape_of(value)[axis]
