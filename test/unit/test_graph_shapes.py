"""For random shapes, what `infer` promises is what `compute` delivers."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes
from xdsl.dialects.builtin import TensorType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.along_axis import AlongAxisOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.normalization import (
    BatchNormOp,
    GroupNormOp,
    InstanceNormOp,
    LrnOp,
)
from glow.dialects.graph.reduction import ArgReductionOp, ReductionOp
from glow.dialects.graph.select import CastOp, ClipOp, WhereOp
from glow.registry import UNIVERSE
from glow.support.types import ANY, FLOAT, NUMBER, dtype_of, element_type_of, shape_of

OPS = [
    op for op in UNIVERSE.all_dialects["graph"]().operations if issubclass(op, GraphOp)
]
ELEMENTS = (f32, f64, i32, i64, i1)
SHAPES = array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def subclasses_of(base: type[GraphOp]) -> st.SearchStrategy[type[Any]]:
    found = [op for op in OPS if issubclass(op, base)]
    assert found
    return st.sampled_from(sorted(found, key=lambda op: op.name))


def value_of(element: Attribute, shape: tuple[int, ...]) -> SSAValue:
    return create_ssa_value(TensorType(element, shape))


def array_of(value: SSAValue) -> np.ndarray[Any, Any]:
    """Return an array of the type of `value`; integers are small and not 0."""
    assert isinstance(value.type, TensorType)
    numbers = np.random.default_rng(0).integers(1, 5, shape_of(value))
    return numbers.astype(dtype_of(value.type.element_type))


def check(op: GraphOp) -> None:
    """Raise unless `op` verifies, computes its result types and maps its axes."""
    op.verify()
    found = op.evaluate([array_of(value) for value in op.operands])
    for array, result in zip(found, op.results, strict=True):
        assert TensorType(element_type_of(array.dtype), array.shape) == result.type
    for index, operand in enumerate(op.operands):
        for position, result in enumerate(op.results):
            check_axis_map(op.axis_map(index, position), operand, result)


def check_axis_map(
    axes: tuple[int | None, ...] | None, operand: SSAValue, result: SSAValue
) -> None:
    assert axes is not None
    assert len(axes) == len(shape_of(result))
    used = [axis for axis in axes if axis is not None]
    assert len(set(used)) == len(used)
    for axis, extent in zip(axes, shape_of(result), strict=True):
        assert axis is None or shape_of(operand)[axis] == extent


@given(subclasses_of(UnaryOp), SHAPES, st.data())
def test_unary(op: type[UnaryOp], shape: tuple[int, ...], data: st.DataObject) -> None:
    element = data.draw(st.sampled_from(op.ELEMENTS.members))
    check(op(value_of(element, shape)))


BROADCAST = mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4)


@given(subclasses_of(BinaryOp), BROADCAST, st.data())
def test_binary(op: type[BinaryOp], shapes: Any, data: st.DataObject) -> None:
    element = data.draw(st.sampled_from(op.ELEMENTS.members))
    lhs, rhs = (value_of(element, shape) for shape in shapes.input_shapes)
    parameters: dict[str, Any] = {}
    if op.name == "graph.mod":
        parameters["fmod"] = element in FLOAT.members or data.draw(st.booleans())
    if op.name == "graph.bit_shift":
        parameters["direction"] = data.draw(st.sampled_from(["LEFT", "RIGHT"]))
    if op.name == "graph.pow":
        rhs = value_of(data.draw(st.sampled_from(NUMBER.members)), shape_of(rhs))
    built = op(lhs, rhs, **parameters)
    assert shape_of(built.result) == shapes.result_shape
    check(built)


@given(
    mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=4),
    st.sampled_from(ANY.members),
)
def test_where(shapes: Any, element: Attribute) -> None:
    condition, lhs, rhs = shapes.input_shapes
    check(
        WhereOp(value_of(i1, condition), value_of(element, lhs), value_of(element, rhs))
    )


@given(SHAPES, st.sampled_from(ELEMENTS), st.sampled_from(ELEMENTS), st.booleans())
def test_cast(
    shape: tuple[int, ...], source: Attribute, target: Attribute, saturate: bool
) -> None:
    check(CastOp(value_of(source, shape), to=target, saturate=saturate))


@given(SHAPES, st.sampled_from(NUMBER.members), st.booleans(), st.booleans())
def test_clip(
    shape: tuple[int, ...], element: Attribute, low: bool, high: bool
) -> None:
    bound = value_of(element, ())
    check(
        ClipOp(
            value_of(element, shape), bound if low else None, bound if high else None
        )
    )


@given(subclasses_of(ReductionOp), SHAPES, st.booleans(), st.data())
def test_reduction(
    op: type[ReductionOp], shape: tuple[int, ...], keep: bool, data: st.DataObject
) -> None:
    elements = FLOAT.members if 0 in shape else op.ELEMENTS.members
    element = data.draw(st.sampled_from(elements))
    axes = data.draw(st.permutations(range(-len(shape), 0)))
    axes = axes[: data.draw(st.integers(0, len(axes)))]
    check(op(value_of(element, shape), axes=axes, keepdims=keep))


FILLED = array_shapes(min_dims=1, max_dims=4, max_side=4)


@given(subclasses_of(ArgReductionOp), FILLED, st.data())
def test_arg_reduction(
    op: type[ArgReductionOp], shape: tuple[int, ...], data: st.DataObject
) -> None:
    element = data.draw(st.sampled_from(NUMBER.members))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    keep, last = data.draw(st.booleans()), data.draw(st.booleans())
    value = value_of(element, shape)
    check(op(value, axis=axis, keepdims=keep, select_last_index=last))


@given(subclasses_of(AlongAxisOp), FILLED, st.sampled_from(FLOAT.members), st.data())
def test_along_axis(
    op: type[AlongAxisOp], shape: tuple[int, ...], element: Attribute, data: Any
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    check(op(value_of(element, shape), axis=axis))


@given(
    array_shapes(min_dims=2, max_dims=5, min_side=0, max_side=4),
    st.sampled_from(FLOAT.members),
    st.integers(1, 6),
)
def test_across_channels(shape: tuple[int, ...], element: Attribute, size: int) -> None:
    value = value_of(element, shape)
    check(BatchNormOp(value, *[value_of(element, shape[1:2])] * 4))
    check(LrnOp(value, size=size))


@given(
    array_shapes(min_dims=2, max_dims=5, min_side=1, max_side=4),
    st.sampled_from(FLOAT.members),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_groups_of_channels(
    shape: tuple[int, ...],
    element: Attribute,
    with_scale: bool,
    with_bias: bool,
    data: st.DataObject,
) -> None:
    value, channels = value_of(element, shape), value_of(element, shape[1:2])
    given = (channels if with_scale else None, channels if with_bias else None)
    groups = [n for n in range(1, shape[1] + 1) if shape[1] % n == 0]
    check(InstanceNormOp(value, *given))
    check(GroupNormOp(value, *given, num_groups=data.draw(st.sampled_from(groups))))


@given(
    FILLED,
    st.sampled_from(FLOAT.members),
    *[st.booleans()] * 3,
    st.data(),
)
def test_layer_norm(
    shape: tuple[int, ...],
    element: Attribute,
    with_scale: bool,
    with_bias: bool,
    with_statistics: bool,
    data: st.DataObject,
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    suffix = shape[data.draw(st.integers(0, len(shape))) :]
    small = tuple(data.draw(st.sampled_from([1, n])) for n in suffix)
    scale = value_of(element, small) if with_scale else None
    bias = value_of(element, suffix) if with_bias else None
    value = value_of(element, shape)
    check(LayerNormOp(value, scale, bias, axis=axis, with_statistics=with_statistics))
    check(RmsNormOp(value, scale, axis=axis))
