"""Optional slots by name, and literals for absent operands."""

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.movements import whole_layout_of
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import optional_slots, replacement, with_presence
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.layout.attribute import with_layout
from glow.passes.layout.carrying import AxisMaps
from glow.passes.patterns import Replacement, Results
from glow.support.types import tensor_type


def is_chosen(slots: Sequence[str], op: GraphOp, name: str) -> bool:
    """Return whether `slots` has slot `name` of `op`, or `op`; none means all."""
    return not slots or op.name in slots or f"{op.name}.{name}" in slots


def check_slots(ctx: Context, slots: Sequence[str]) -> None:
    """
    Raise unless each of `slots` is an op that has optional slots, or one of those.

    Errors: PassFailedException, with the name.
    """
    for slot in slots:
        whole, _, name = slot.rpartition(".")
        if not _has_optional(ctx, slot) and not _has_optional(ctx, whole, name):
            raise PassFailedException(
                f'expected an op with optional slots, or one of these, got "{slot}"'
            )


def _has_optional(ctx: Context, op: str, slot: str | None = None) -> bool:
    """Return whether there is op `op` with optional `slot`, or with any."""
    op_class = ctx.get_optional_op(op)
    if op_class is None or not issubclass(op_class, GraphOp):
        return False
    names = tuple(optional_slots(op_class))
    return bool(names) if slot is None else slot in names


def has_neutral(op: GraphOp, name: str) -> bool:
    """Return whether operand `name`, absent, stands for something."""
    neutral = type(op).neutrals().get(name)
    return neutral is not None and neutral.shape(op) is not None


def neutral_operand(op: GraphOp, name: str) -> LiteralOp:
    """
    Return what operand `name`, absent, stands for.

    Its layout goes with that of the first result, if the op says how axes run.
    """
    array = type(op).neutrals()[name].array(op)
    assert array is not None, f"nothing stands for {name} of {op.name}"
    literal = LiteralOp(array)
    probe = with_presence(op, {name: literal.result})
    index = list(probe.operands).index(literal.result)
    layout = AxisMaps(probe).needed(index, 0, whole_layout_of(op.results[0]))
    probe.erase()
    if layout is None or layout.is_row_major:
        return literal
    return LiteralOp(array, with_layout(tensor_type(literal.result), layout))


def write_given(new: Replacement, op: GraphOp, names: Sequence[str]) -> Results:
    """Write `op` with `names`, absent results or operands that stand for something."""
    results = [name for name in names if name in optional_slots(type(op)).results]
    literals = {n: neutral_operand(op, n) for n in names if n not in results}
    operands = {n: new.insert(literal)[0] for n, literal in literals.items()}
    return write_with(new, op, operands, dict.fromkeys(results, True))


def write_with(
    new: Replacement,
    op: GraphOp,
    operands: Mapping[str, SSAValue | None],
    results: Mapping[str, bool] | None = None,
) -> Results:
    """Write `op` with some operands and results given or left out."""
    other = with_presence(op, operands, results)
    new.insert(other)
    return replacement(op, other)
