"""The padding of convolutions and pools that ONNX implies instead of saying it."""

from __future__ import annotations

from collections.abc import Sequence

from glow.dialects.graph.parameters import check_word
from glow.dialects.graph.window import Ints, Window


def resolve_auto_pad(
    auto_pad: str,
    spatial: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
) -> Ints:
    """
    Return the explicit pads of a convolution or pool over axes `spatial`.

    Errors: an unknown auto_pad.
    Source: ONNX Conv-22, attribute auto_pad.
    """
    window = Window.of(kernel, strides, pads, dilations)
    if auto_pad == "NOTSET":
        return window.pads
    if auto_pad == "VALID":
        return (0,) * len(window.pads)
    missing: list[int] = []
    for axis, extent in enumerate(spatial):
        stride = window.strides[axis]
        reach = (-(-extent // stride) - 1) * stride + window.spans[axis]
        missing.append(max(reach - extent, 0))
    return _halved(auto_pad, missing)


def _halved(auto_pad: str, totals: Sequence[int]) -> Ints:
    """Split padding into before and after; the odd one goes where the name says."""
    check_word("auto_pad", auto_pad, ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"))
    less, more = [n // 2 for n in totals], [n - n // 2 for n in totals]
    return (*less, *more) if auto_pad == "SAME_UPPER" else (*more, *less)


def resolve_output_shape(
    auto_pad: str,
    spatial: Sequence[int],
    window: Window,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
) -> tuple[Ints, Ints]:
    """
    Return the explicit pads and output padding of a transposed convolution.

    `output_shape`, or SAME where it is absent, sets the result's extents; what cannot
    be reached by cropping is added after the end.
    Source: ONNX ConvTranspose-22, attributes auto_pad and output_shape.
    """
    axes = len(window.kernel)
    extra = (0,) * axes if output_padding is None else tuple(output_padding)
    if output_shape is None:
        if auto_pad == "NOTSET":
            return window.pads, extra
        if auto_pad == "VALID":
            return (0,) * (2 * axes), extra
        pairs = zip(spatial, window.strides, strict=True)
        output_shape = [extent * stride for extent, stride in pairs]
    surplus = [
        (extent - 1) * window.strides[axis]
        + window.spans[axis]
        + extra[axis]
        - output_shape[axis]
        for axis, extent in enumerate(spatial)
    ]
    side = "SAME_UPPER" if auto_pad == "SAME_UPPER" else "SAME_LOWER"
    pads = _halved(side, [max(each, 0) for each in surplus])
    pairs = zip(extra, surplus, strict=True)
    return pads, tuple(own + max(-each, 0) for own, each in pairs)
