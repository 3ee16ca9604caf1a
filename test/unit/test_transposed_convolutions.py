"""Transposed convolutions by known filters, in phases, against what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_code import module_of
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

import glow
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.lowering.graph_to_memory.phases import phases_of
from glow.support.types import element_type_of, shape_of, tensor

CASES = 40
Array = np.ndarray[Any, Any]


def value(array: Array) -> SSAValue:
    return create_ssa_value(tensor(element_type_of(array.dtype), array.shape))


def drawn(rng: np.random.Generator, axes: int) -> tuple[list[Array], dict[str, Any]]:
    """Return input, filter and bias, and parameters that may not go together."""
    group = int(rng.choice([1, 1, 2, 4]))
    inner, outer = (int(rng.choice([1, 3, 8])) for _ in range(2))
    spatial, kernel = (rng.integers(1, most, axes) for most in (9, 6))
    parameters = {
        "group": group,
        "strides": rng.integers(1, 4, axes).tolist(),
        "dilations": rng.integers(1, 3, axes).tolist(),
        "pads": rng.integers(0, 3, 2 * axes).tolist(),
        "output_padding": rng.integers(0, 2, axes).tolist(),
    }
    shapes = (2, group * inner, *spatial), (group * inner, outer, *kernel)
    arrays = [rng.standard_normal(shape, np.float32) for shape in shapes]
    return [*arrays, rng.standard_normal(group * outer, np.float32)], parameters


def cases(seed: int) -> list[tuple[list[Array], dict[str, Any]]]:
    rng = np.random.default_rng(seed)
    found: list[tuple[list[Array], dict[str, Any]]] = []
    while len(found) < CASES:
        arrays, parameters = drawn(rng, int(rng.choice([1, 2, 2, 3])))
        try:
            ConvTransposeOp(*map(value, arrays), **parameters)
        except VerifyException:
            continue
        found.append((arrays, parameters))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 9))]
)
def test_known_filters(seed: int) -> None:
    """All kinds of windows, borders and groups, with phases or without."""
    chosen = cases(seed)
    inputs = [arrays[0] for arrays, _ in chosen]
    constants = {
        f"{name}{k}": array
        for k, (arrays, _) in enumerate(chosen)
        for name, array in zip("wb", arrays[1:], strict=True)
    }

    def body(*given: SSAValue, **known: SSAValue) -> list[SSAValue]:
        return [
            ConvTransposeOp(x, known[f"w{k}"], known[f"b{k}"], **parameters).result
            for k, (x, (_, parameters)) in enumerate(zip(given, chosen, strict=True))
        ]

    results = glow.compile(module_of(inputs, constants, body))(*inputs)
    for found, (arrays, parameters) in zip(results, chosen, strict=True):
        expected = ConvTransposeOp.compute(*arrays, **parameters)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_phases_write_each_place_once() -> None:
    for arrays, parameters in cases(0):
        op = ConvTransposeOp(*map(value, arrays), **parameters)
        written = np.zeros(shape_of(op.result)[2:], int)
        phases = phases_of(op)
        for phase in phases or ():
            steps = list(zip(phase, written.shape, parameters["strides"], strict=True))
            for axis, extent, stride in steps:
                assert axis.places == len(range(axis.first, extent, stride))
            written[tuple(slice(axis.first, None, s) for axis, _, s in steps)] += 1
        assert phases is None or (written == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu", "cpu:sse2", "reference-checked"])
def test_between_convolutions_no_border_is_copied(target: str) -> None:
    """What reads a border finds it where it is made."""
    rng = np.random.default_rng(0)
    shapes = {"f": (16, 3, 3, 3), "t": (16, 24, 4, 4), "g": (8, 24, 3, 3)}
    constants = {k: rng.standard_normal(s, np.float32) / 9 for k, s in shapes.items()}
    x = rng.standard_normal((1, 3, 9, 7), np.float32)

    def body(x: SSAValue, **w: SSAValue) -> list[SSAValue]:
        first = ConvOp(x, w["f"], pads=(1, 1, 1, 1)).result
        larger = ConvTransposeOp(first, w["t"], strides=(2, 2), pads=(1, 1, 1, 1))
        return [ConvOp(larger.result, w["g"], pads=(1, 1, 1, 1)).result]

    found = glow.compile(module_of([x], constants, body), target)(x)
    first = ConvOp.compute(x, constants["f"], pads=(1, 1, 1, 1))
    larger = ConvTransposeOp.compute(
        first, constants["t"], strides=(2, 2), pads=(1, 1, 1, 1)
    )
    expected = ConvOp.compute(larger, constants["g"], pads=(1, 1, 1, 1))
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
