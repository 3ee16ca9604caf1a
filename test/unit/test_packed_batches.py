"""Filters of a model that is compiled for several batches: packed once for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from grids import slow_but
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node

import glow
from glow.lowering.convolution.winograd import F2, F4, Form, winograd_form
from glow.support.costs import MEASURED


def convolution(channels: int, extent: int | str, op: str = "Conv") -> Any:
    weight = np.random.default_rng(0).standard_normal((channels, channels, 3, 3))
    shape = ("batch", channels, extent, extent)
    return model(
        [node(op, "x w", "y", "conv", pads=[1, 1, 1, 1])],
        {"x": shape},
        [info("y", shape)],
        {"w": (weight / 30).astype(np.float32)},
    )


def packed(net: glow.Executable) -> list[int]:
    """Return the first extents of packed filters: places, or panels if direct."""
    return sorted(a.shape[0] for a in net.constants if a.nbytes > 1 << 16)


@pytest.mark.slow
@pytest.mark.parametrize("op", slow_but(["Conv", "ConvTranspose"], "ConvTranspose"))
@pytest.mark.parametrize(
    ("batches", "later", "expected"),
    [
        pytest.param([1, 8], (2, 32), [16], marks=pytest.mark.slow),
        pytest.param([8, 1], (2, 4), [16], marks=pytest.mark.slow),
        ([8], (1, 3), [36]),
        ([], (2, 8, 1), [16]),
    ],
)
def test_form_is_chosen_once_for_known_batches(
    op: str, batches: list[int], later: Sequence[int], expected: list[int]
) -> None:
    source = convolution(128, 8, op)
    net = glow.compile(source, target="cpu:avx2", shapes={"batch": batches})
    for batch in later:
        shape = (batch, 128, 8, 8)
        x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        y = net(x)
        assert packed(net) == expected
        (wanted,) = run_onnxruntime(source, {"x": x})
        np.testing.assert_allclose(y, wanted, atol=2e-3)


def test_second_form_is_for_batches_it_is_twice_as_fast_for() -> None:
    source = convolution(64, 4)
    net = glow.compile(source, target="cpu:avx2", shapes={"batch": 1})
    assert packed(net) == [1]  # the direct sum
    net(np.zeros((2, 64, 4, 4), np.float32))
    assert packed(net) == [1]
    net(np.zeros((32, 64, 4, 4), np.float32))
    assert packed(net) == [1, 36]


def test_batch_along_no_one_dimension_changes_nothing() -> None:
    net = glow.compile(convolution(128, "side"), target="cpu:avx2")
    net(np.zeros((1, 128, 8, 8), np.float32))
    net(np.zeros((1, 128, 64, 64), np.float32))
    assert packed(net) == [16, 36]


@pytest.mark.parametrize(
    ("batch", "known", "form"),
    [
        (1, [], F2),
        (8, [], F4),
        (8, [1], F2),
        (1, [8], F4),
        (8, [1, 8], F2),
        (1, [1, 64, 64, 64, 64], F4),
    ],
)
def test_form_for_known_batches(batch: int, known: list[int], form: Form) -> None:
    shapes = [(each, 512, 7, 7) for each in known]
    filter, result = (512, 512, 3, 3), (batch, 512, 7, 7)
    assert winograd_form(MEASURED, filter, result, 4, shapes) == form
