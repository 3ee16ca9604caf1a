"""Which orders axes take: those of reshaped tensors; none if they have a meaning."""

import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.normalization import BatchNormOp, InstanceNormOp, LrnOp
from glow.dialects.graph.reordering import reshaped_order
from glow.dialects.graph.slicing import PadOp

Shape = tuple[int, ...]


def value(element: Attribute, shape: Shape) -> SSAValue:
    return create_ssa_value(TensorType(element, shape))


@pytest.mark.parametrize(
    ("shape", "new", "order", "expected"),
    [
        ((2, 3, 4, 5), (2, 12, 5), (0, 3, 1, 2), (0, 2, 1)),  # merged ones together
        ((2, 3, 4, 5), (2, 12, 5), (0, 1, 3, 2), None),  # parted
        ((2, 3, 4, 5), (2, 12, 5), (0, 2, 1, 3), None),  # swapped
        ((2, 12, 5), (2, 3, 4, 5), (0, 2, 1), (0, 3, 1, 2)),  # split ones together
        ((6, 4), (3, 8), (1, 0), None),  # neither merged nor split
        ((2, 1, 3), (2, 3), (1, 2, 0), (1, 0)),  # what has one position is anywhere
        ((2, 3), (1, 2, 1, 3), (1, 0), (0, 3, 1, 2)),  # new ones follow
        ((2, 0), (0, 2), (1, 0), None),
    ],
)
def test_order_of_a_reshaped_tensor(
    shape: Shape, new: Shape, order: Shape, expected: Shape | None
) -> None:
    assert reshaped_order(shape, new, order) == expected


@pytest.mark.parametrize(
    ("op", "operand", "order"),
    [
        (BatchNormOp(value(f32, (2, 3, 4)), *[value(f32, (3,))] * 4), 0, (0, 2, 1)),
        (BatchNormOp(value(f32, (2, 3, 4)), *[value(f32, (3,))] * 4), 1, (0,)),
        (LrnOp(value(f32, (2, 3, 4)), size=3), 0, (0, 2, 1)),
        (LayerNormOp(value(f32, (2, 3)), value(f32, (3,))), 0, (1, 0)),
        (LayerNormOp(value(f32, (2, 3)), value(f32, (3,)), axis=0), 1, (0,)),
        (RmsNormOp(value(f32, (2, 3))), 0, (1, 0)),
        (InstanceNormOp(value(f32, (2, 3, 4))), 0, (0, 2, 1)),
        (InstanceNormOp(value(f32, (2, 3, 4))), 0, (1, 0, 2)),
        (InstanceNormOp(value(f32, (2, 3)), None, value(f32, (3,))), 1, (0,)),
        (PadOp(value(f32, (2,)), value(f32, (1,)), pads=(1, 1)), 1, (0,)),
    ],
)
def test_axes_with_a_meaning_stay(op: GraphOp, operand: int, order: Shape) -> None:
    assert op.reordered(operand, order) is None
