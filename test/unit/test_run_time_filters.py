"""Convolutions whose filters a run gives or computes: the cpu against `compute`."""

import ml_dtypes
import numpy as np
import pytest
from graph_code import module_of, run
from products import TARGETS, seeded
from xdsl.ir import SSAValue

import glow
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import TransposeOp

pytestmark = pytest.mark.slow

CONVOLUTIONS = {
    "one panel in part": ((1, 5, 9, 9), (10, 5, 3, 3), {"pads": (1, 1, 1, 1)}),
    "several panels": ((2, 48, 7, 7), (70, 48, 3, 3), {"pads": (1, 1, 1, 1)}),
    "one pixel of the filter": ((1, 48, 6, 7), (64, 48, 1, 1), {}),
    "whole panels of groups": ((1, 8, 6, 6), (64, 4, 3, 3), {"group": 2}),
    "panels of groups in part": ((1, 12, 6, 6), (72, 4, 3, 3), {"group": 3}),
    "a channel for each": ((2, 20, 8, 8), (20, 1, 3, 3), {"group": 20}),
    "channels for each": (
        *((2, 18, 7, 6), (36, 1, 3, 3)),
        {"group": 18, "pads": (1, 0, 2, 1), "strides": (1, 2)},
    ),
    "along a line": ((1, 6, 20), (17, 6, 4), {"strides": (2,), "dilations": (2,)}),
    "in a volume": ((1, 4, 5, 5, 5), (9, 4, 2, 2, 2), {}),
}
TRANSPOSED = {
    "of phases": ((1, 18, 5, 5), (18, 20, 4, 4), {"strides": (2, 2)}),
    "of groups": ((1, 12, 5, 5), (12, 5, 3, 3), {"strides": (2, 1), "group": 3}),
    "of channels": ((1, 18, 5, 5), (18, 2, 3, 3), {"strides": (2, 2), "group": 18}),
    "over spread inputs": ((1, 6, 5, 5), (6, 7, 2, 2), {"strides": (3, 3)}),
    "of dilations": ((1, 6, 5, 5), (6, 7, 3, 3), {"dilations": (2, 2)}),
}


NUMBERS = [(target, np.float32) for target in TARGETS]
NUMBERS += [(TARGETS[0], np.float16), (TARGETS[0], ml_dtypes.bfloat16)]


@pytest.mark.parametrize(("target", "dtype"), NUMBERS)
def test_filters_that_a_run_gives(target: str, dtype: type) -> None:
    cases = [
        (kind, *case)
        for kind, cases in ((ConvOp, CONVOLUTIONS), (ConvTransposeOp, TRANSPOSED))
        for case in cases.values()
    ]
    arguments = [
        (seeded(shape, seed) / np.sqrt(np.prod(shape[1:]) if seed else 1)).astype(dtype)
        for _, image, filter, _ in cases
        for seed, shape in enumerate((image, filter))
    ]

    def body(*values: SSAValue) -> list[SSAValue]:
        pairs = zip(values[::2], values[1::2], strict=True)
        return [
            kind(image, filter, **parameters).result
            for (kind, *_, parameters), (image, filter) in zip(
                cases, pairs, strict=True
            )
        ]

    expected = run(module_of(arguments, {}, body), arguments)
    found = glow.compile(module_of(arguments, {}, body), target=target)(*arguments)
    near = 1e-5 if dtype is np.float32 else 2e-2
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            one.astype(np.float32), other.astype(np.float32), rtol=near, atol=near
        )


@pytest.mark.parametrize("target", TARGETS)
def test_panels_are_packed_one_by_one(target: str) -> None:
    """A filter and matrices larger than caches, the last panel in part: same bits."""
    arguments = [
        seeded(shape, seed)
        for seed, shape in enumerate(
            ((1, 128, 6, 6), (600, 128, 3, 3), (20, 300), (300, 2100), (1500, 300))
        )
    ]

    def body(*values: SSAValue) -> list[SSAValue]:
        image, filter, x, y, z = values
        conv = ConvOp(image, filter, pads=(1, 1, 1, 1)).result
        turned = MatMulOp(x, z, transpose_rhs=True).result
        return [conv, ReluOp(MatMulOp(x, y).result).result, turned]

    module = module_of(arguments, {}, body)
    found, shared = (
        glow.compile(module_of(arguments, {}, body), target=target, threads=n)(
            *arguments
        )
        for n in (1, 2)
    )
    for one, other, expected in zip(found, shared, run(module, arguments), strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
def test_filters_that_a_run_computes(target: str) -> None:
    """The filter comes from an op, in another order, and two convolutions read it."""
    arguments = [seeded((1, 16, 8, 8), 0), seeded((3, 3, 16, 40), 1)]

    def body(image: SSAValue, weights: SSAValue) -> list[SSAValue]:
        order = (3, 2, 0, 1)
        filter = TransposeOp(ReluOp(weights).result, permutation=order).result
        strided = ConvOp(image, filter, strides=(2, 2)).result
        return [ConvOp(image, filter, pads=(1, 1, 1, 1)).result, strided]

    expected = run(module_of(arguments, {}, body), arguments)
    found = glow.compile(module_of(arguments, {}, body), target=target)(*arguments)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_a_filter_is_read_in_the_padded_panels_that_it_was_computed_in() -> None:
    # The gradient by the filter: 16 images of one channel, which fill half a panel.
    def loss(filter: np.ndarray, image: np.ndarray) -> np.ndarray:
        scores = glow.nn.relu(glow.nn.conv(image, filter, padding=1))
        return np.mean(scores.mean((2, 3)) ** 2)

    filter, image = seeded((16, 3, 3, 3), 1), seeded((2, 3, 32, 32), 2)
    gradient = glow.trace(glow.grad(loss), filter, image)
    found, expected = (
        glow.compile(gradient, target)(filter, image) for target in ("cpu", "reference")
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
