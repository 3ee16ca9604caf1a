"""Convolutions mean what ONNX Runtime computes."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.convolution import (
    ConvOp,
    ConvTransposeOp,
)
from glow.dialects.graph.window import Window, resolve_auto_pad, resolve_output_shape

RANDOM = np.random.default_rng(0)


def normal(*shape: int, dtype: Any = np.float32) -> Any:
    return RANDOM.standard_normal(shape).astype(dtype)


CONVOLUTIONS = [
    # input, filter, parameters
    ((2, 3, 9), (4, 3, 3), {}),
    ((2, 3, 9), (4, 3, 3), {"strides": (2,), "pads": (2, 0), "dilations": (2,)}),
    ((1, 3, 8, 7), (4, 3, 3, 3), {"pads": (1, 1, 1, 1)}),
    ((2, 3, 8, 7), (4, 3, 1, 1), {"strides": (2, 3)}),
    ((2, 3, 8, 7), (4, 3, 2, 3), {"pads": (0, 2, 1, 0), "strides": (1, 2)}),
    ((2, 6, 8, 7), (4, 3, 3, 3), {"group": 2}),
    ((2, 6, 8, 7), (6, 1, 3, 3), {"group": 6, "pads": (1, 1, 1, 1)}),
    ((2, 6, 8, 7), (12, 1, 3, 3), {"group": 6, "dilations": (2, 1)}),
    ((1, 2, 5, 6, 7), (4, 2, 2, 3, 3), {"pads": (1, 0, 1, 0, 1, 2)}),
    ((1, 4, 5, 6, 7), (4, 2, 2, 3, 3), {"group": 2, "strides": (2, 1, 2)}),
    ((0, 3, 8, 7), (4, 3, 3, 3), {}),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("shape", "kernel", "parameters"), CONVOLUTIONS)
def test_conv(
    shape: Any,
    kernel: Any,
    parameters: Any,
    bias: bool,
    dtype: Any,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    x, w = normal(*shape, dtype=dtype), normal(*kernel, dtype=dtype)
    b = normal(kernel[0], dtype=dtype) if bias else None
    unknown_to_runtime = dtype is np.float64
    (expected,) = run_onnx("Conv", x, w, b, reference=unknown_to_runtime, **parameters)
    (found,) = evaluate(ConvOp, x, w, b, **parameters)
    assert_close(found, expected)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("size", [2, 3])
def test_auto_pad(
    auto_pad: str,
    stride: int,
    size: int,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    dilations = [1] if auto_pad.startswith("SAME") else [1, 2]  # as the runtime can
    for extents, dilation in product([(7, 8), (9, 10)], dilations):
        x, w = normal(1, 2, *extents), normal(3, 2, size, size)
        movement = {"strides": (stride, stride), "dilations": (dilation, dilation)}
        (expected,) = run_onnx("Conv", x, w, auto_pad=auto_pad, **movement)
        pads = resolve_auto_pad(auto_pad, extents, (size, size), **movement)
        (found,) = evaluate(ConvOp, x, w, None, pads=pads, **movement)
        assert_close(found, expected)


TRANSPOSED = [
    ((2, 3, 5), (3, 4, 3), {}),
    ((2, 3, 5), (3, 4, 3), {"strides": (2,), "output_padding": (1,), "pads": (1, 0)}),
    ((2, 3, 5, 4), (3, 4, 3, 2), {"strides": (2, 3), "pads": (1, 0, 0, 1)}),
    ((2, 4, 5, 4), (4, 3, 3, 3), {"group": 2, "strides": (2, 2)}),
    ((2, 4, 5, 4), (4, 1, 3, 3), {"group": 4, "dilations": (2, 1)}),
    (
        (1, 2, 5, 4),
        (2, 3, 3, 3),
        {"strides": (3, 3), "dilations": (2, 2), "output_padding": (2, 1)},
    ),
    ((1, 2, 3, 4, 3), (2, 3, 2, 3, 2), {"strides": (2, 1, 2)}),
]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("shape", "kernel", "parameters"), TRANSPOSED)
def test_conv_transpose(
    shape: Any,
    kernel: Any,
    parameters: Any,
    bias: bool,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    x, w = normal(*shape), normal(*kernel)
    b = normal(kernel[1] * parameters.get("group", 1)) if bias else None
    (expected,) = run_onnx("ConvTranspose", x, w, b, **parameters)
    (found,) = evaluate(ConvTransposeOp, x, w, b, **parameters)
    assert_close(found, expected)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"])
@pytest.mark.parametrize(
    ("stride", "output_shape"),
    [
        (1, None),
        (1, (5, 4)),
        (2, None),
        (2, (8, 8)),
        (2, (10, 12)),
        (3, None),
        (3, (9, 10)),
        (3, (14, 16)),
    ],
)
def test_output_shape(
    auto_pad: str,
    output_shape: Any,
    stride: int,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    x, w = normal(1, 2, 4, 5), normal(2, 3, 3, 3)
    named = {} if output_shape is None else {"output_shape": output_shape}
    (expected,) = run_onnx(
        "ConvTranspose", x, w, auto_pad=auto_pad, strides=(stride, stride), **named
    )
    window = Window.of((3, 3), (stride, stride))
    pads, extra = resolve_output_shape(
        auto_pad, (4, 5), window, output_shape=output_shape
    )
    (found,) = evaluate(
        ConvTransposeOp,
        x,
        w,
        None,
        strides=(stride, stride),
        pads=pads,
        output_padding=extra,
    )
    assert_close(found, expected)


def test_unknown_auto_pad_is_refused() -> None:
    with pytest.raises(VerifyException, match="expected an auto_pad out of NOTSET"):
        resolve_auto_pad("SAME", (4, 4), (3, 3))


def test_large_convolutions_take_no_loop_over_elements(evaluate: Any) -> None:
    x = normal(1, 512, 28, 28)
    (dense,) = evaluate(ConvOp, x, normal(64, 512, 3, 3), None)
    (depthwise,) = evaluate(ConvOp, x, normal(512, 1, 3, 3), None, group=512)
    assert dense.shape == (1, 64, 26, 26)
    assert depthwise.shape == (1, 512, 26, 26)
