"""Products that write and read other orders, in networks: the cpu against `compute`."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from graph_code import Array, module_of, run
from products import TARGETS, Shape, seeded
from xdsl.ir import SSAValue

import glow
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.support.types import shape_of

pytestmark = pytest.mark.slow

Body = Callable[..., Sequence[SSAValue]]


def check(
    target: str, arguments: list[Array], constants: dict[str, Array], body: Body
) -> None:
    """Run `body` compiled and as it is meant."""
    constants = {
        name: array / np.float32(np.sqrt(array[0].size))
        for name, array in constants.items()
    }
    expected = run(module_of(arguments, constants, body), arguments)
    found = glow.compile(module_of(arguments, constants, body), target=target)(
        *arguments
    )
    for one, other in zip(
        found if isinstance(found, tuple) else (found,), expected, strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def shuffled(x: SSAValue, group: int) -> SSAValue:
    n, c, *spatial = shape_of(x)
    split = ReshapeOp(x, shape=(n, group, c // group, *spatial)).result
    order = (0, 2, 1, *range(3, 3 + len(spatial)))
    turned = TransposeOp(split, permutation=order).result
    return ReshapeOp(turned, shape=(n, c, *spatial)).result


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("image", "group", "columns"),
    [((1, 24, 9, 7), 4, 34), ((2, 18, 5, 5), 3, 16), ((1, 32, 4, 6), 8, 5)],
)
def test_channels_are_shuffled(
    image: Shape, group: int, columns: int, target: str
) -> None:
    outputs = group * columns
    constants = {
        "f": seeded((outputs, image[1] // group, 1, 1), 1),
        "b": seeded((outputs,), 2),
        "d": seeded((outputs, 1, 3, 3), 3),
    }

    def body(x: SSAValue, r: SSAValue, **w: SSAValue) -> list[SSAValue]:
        product = ConvOp(x, w["f"], w["b"], group=group).result
        first = ReluOp(product).result
        # What stands beside the product lies as it does.
        second = ReluOp(AddOp(product, r).result).result
        one, other = (shuffled(value, group) for value in (first, second))
        pads = {"group": outputs, "pads": (1, 1, 1, 1)}
        small = ConvOp(one, w["d"], **pads).result
        return [small, ConcatOp([other, one], axis=1).result, first]

    residual = seeded((image[0], outputs, *image[2:]), 4)
    check(target, [seeded(image, 0), residual], constants, body)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("is_read_with_border", [False, True])
def test_images_are_flattened(
    batch: int, is_transposed: bool, is_read_with_border: bool, target: str
) -> None:
    depth, columns = 20 * 5 * 7, 37
    matrix = (columns, depth) if is_transposed else (depth, columns)
    constants = {
        "f": seeded((20, 6, 1, 1), 1),
        "g": seeded((20, 20, 3, 3), 2),
        "m": seeded(matrix, 3),
    }

    def body(x: SSAValue, **w: SSAValue) -> list[SSAValue]:
        image = ReluOp(ConvOp(x, w["f"]).result).result
        flat = ReshapeOp(image, shape=(batch, depth)).result
        found = [MatMulOp(flat, w["m"], transpose_rhs=is_transposed).result]
        if is_read_with_border:
            found.append(ConvOp(image, w["g"], pads=(1, 1, 1, 1)).result)
        return found

    check(target, [seeded((batch, 6, 5, 7), 0)], constants, body)


@pytest.mark.parametrize("target", [*TARGETS, "reference-checked"])
@pytest.mark.parametrize(
    ("image", "outputs"),
    [((1, 16, 7, 9), 64), ((2, 5, 13, 8), 37), ((1, 24, 5, 5), 3)],
)
def test_images_have_channels_first(image: Shape, outputs: int, target: str) -> None:
    constants = {
        "f": seeded((outputs, image[1], 1, 1), 1),
        "g": seeded((outputs, image[1], 3, 3), 2),
        "b": seeded((outputs,), 3),
        "t": seeded((image[1], outputs, 2, 2), 4),
    }

    def body(x: SSAValue, r: SSAValue, **w: SSAValue) -> list[SSAValue]:
        first = ReluOp(AddOp(ConvOp(x, w["f"], w["b"]).result, r).result).result
        second = ConvOp(x, w["g"], w["b"], pads=(1, 1, 1, 1)).result
        return [
            first,
            ReluOp(AddOp(first, second).result).result,
            ConvTransposeOp(x, w["t"], strides=(2, 2)).result,
        ]

    residual = seeded((image[0], outputs, *image[2:]), 5)
    check(target, [seeded(image, 0), residual], constants, body)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("batch", "length"), [(1, 128), (2, 13), (3, 2), (2, 26)])
def test_keys_are_transposed(batch: int, length: int, target: str) -> None:
    heads, width = 2, 24
    constants = {
        "q": seeded((heads * width, heads * width), 1),
        "k": seeded((heads * width, heads * width), 2),
        "b": seeded((heads * width,), 3),
    }

    def body(x: SSAValue, **w: SSAValue) -> list[SSAValue]:
        rows = (batch, length, heads, width)
        keys = AddOp(MatMulOp(x, w["k"]).result, w["b"]).result
        queries = MatMulOp(x, w["q"]).result
        left, right = (
            TransposeOp(ReshapeOp(value, shape=rows).result, permutation=order).result
            for value, order in ((queries, (0, 2, 1, 3)), (keys, (0, 2, 3, 1)))
        )
        return [MatMulOp(left, right).result]

    check(target, [seeded((batch, length, heads * width), 0)], constants, body)
