"""Networks that give every pixel of an image a class."""

from __future__ import annotations

import zlib

import numpy as np
from onnx import ModelProto

from models.calibration import calibrated
from models.convolutional import Network

# As exporters write what is upsampled by its neighbors, and on lines between them.
NEAREST = {
    "mode": "nearest",
    "coordinate_transformation_mode": "asymmetric",
    "nearest_mode": "floor",
}
LINEAR = {"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"}


def unet(width: int = 16, size: int = 128, levels: int = 4) -> ModelProto:
    """
    Return a U-Net: images get smaller and deeper, then are resized and joined again.

    `width` is the channels of the first level, `size` the height and width of the
    image. Where it grows again, levels take turns: the nearest element, then linear.
    """
    net = Network("Relu")
    value, channels = "input", 3
    skipped: list[str] = []
    for level in range(levels):
        if level > 0:
            value = net.graph.add(
                "MaxPool",
                f"/down.{level}",
                value,
                kernel_shape=[2] * 2,
                strides=[2] * 2,
            )
        value = _twice(net, f"/down.{level}", value, channels, width << level)
        channels = width << level
        skipped.append(value)
    scales = net.graph.weight("/scales", np.array([1, 1, 2, 2], np.float32))
    for level in reversed(range(levels - 1)):
        path, how = f"/up.{level}", LINEAR if level % 2 else NEAREST
        value = net.graph.add("Resize", path, value, "", scales, **how)
        value = net.graph.add("Concat", path, skipped[level], value, axis=1)
        channels += width << level
        value = _twice(net, path, value, channels, width << level)
        channels = width << level
    weight, bias = (
        net.empty("/head.weight", 1, channels, 1, 1),
        net.empty("/head.bias", 1),
    )
    value = net.graph.add("Conv", "/head", value, weight, bias, kernel_shape=[1, 1])
    value = net.graph.add("Sigmoid", "/head", value)
    shape = (1, 1, size, size)
    model = net.graph.model("unet", value, {"input": (1, 3, size, size)}, shape)
    return calibrated(model, seed=zlib.crc32(b"unet"))


def _twice(net: Network, path: str, value: str, inputs: int, outputs: int) -> str:
    """Add two convolutions over neighbors."""
    value = net.block(f"{path}/first", value, inputs, outputs, kernel=3)
    return net.block(f"{path}/second", value, outputs, outputs, kernel=3)
