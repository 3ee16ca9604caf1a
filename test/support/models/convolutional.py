"""Convolutional networks, built node by node as exporters write them, in NCHW."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from onnx import ModelProto

from models.builder import Graph
from models.calibration import calibrated

# Expansion, channels, blocks and first stride of each stage.
MOBILENET_STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
RESNET_DEPTHS = (3, 4, 6, 3)


def mobilenet_v2(
    width: float = 1.0,
    size: int = 224,
    classes: int = 1000,
    stages: Sequence[tuple[int, int, int, int]] = MOBILENET_STAGES,
) -> ModelProto:
    """
    Return MobileNet-v2: inverted residual blocks of depthwise convolutions, and relu6.

    `width` scales the channels, `size` is the height and width of the image.
    """
    net = Network()
    value = net.block("/stem", "input", 3, _even(32 * width), kernel=3, stride=2)
    channels = _even(32 * width)
    for s, (expansion, plain, blocks, first) in enumerate(stages):
        made = _even(plain * width)
        for b in range(blocks):
            stride = first if b == 0 else 1
            path = f"/stages.{s}/blocks.{b}"
            value = _inverted(net, path, value, channels, made, expansion, stride)
            channels = made
    last = _even(1280 * max(1.0, width))
    value = net.block("/head", value, channels, last)
    return net.classified("mobilenet_v2", value, last, size, classes)


def resnet50(
    width: int = 64,
    size: int = 224,
    classes: int = 1000,
    depths: Sequence[int] = RESNET_DEPTHS,
) -> ModelProto:
    """
    Return ResNet-50: stages of bottleneck blocks, normalized after each convolution.

    `width` is the channels of the first stage, `size` the height and width of the
    image, `depths` the blocks of each stage.
    """
    net = Network("Relu")
    value = net.block("/stem", "input", 3, width, kernel=7, stride=2)
    value = net.graph.add(
        "MaxPool", "/stem", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4
    )
    channels = width
    for s, blocks in enumerate(depths):
        for b in range(blocks):
            stride = 2 if s > 0 and b == 0 else 1
            path = f"/stages.{s}/blocks.{b}"
            value = _bottleneck(net, path, value, channels, width << s, stride)
            channels = 4 * width << s
    return net.classified("resnet50", value, channels, size, classes)


@dataclass
class Network:
    """What the convolutional networks are made of; weights get their values last."""

    activation: str = "Clip"
    graph: Graph = field(default_factory=lambda: Graph(0))

    def block(
        self,
        path: str,
        value: str,
        inputs: int,
        outputs: int,
        kernel: int = 1,
        stride: int = 1,
        groups: int = 1,
        active: bool = True,
    ) -> str:
        """Add a convolution, its normalization, and the activation if it is active."""
        weight = (outputs, inputs // groups, kernel, kernel)
        value = self.graph.add(
            "Conv",
            path,
            value,
            self.empty(f"{path}.weight", *weight),
            kernel_shape=[kernel] * 2,
            strides=[stride] * 2,
            pads=[kernel // 2] * 4,
            group=groups,
        )
        names = ("scale", "bias", "mean", "variance")
        statistics = [self.empty(f"{path}.norm.{name}", outputs) for name in names]
        value = self.graph.add("BatchNormalization", path, value, *statistics)
        return self.activated(path, value) if active else value

    def activated(self, path: str, value: str) -> str:
        if self.activation != "Clip":
            return self.graph.add(self.activation, path, value)
        low = self.graph.weight(f"{path}.low", np.zeros((), np.float32))
        high = self.graph.weight(f"{path}.high", np.array(6, np.float32))
        return self.graph.add("Clip", path, value, low, high)

    def classified(
        self, name: str, value: str, channels: int, size: int, classes: int
    ) -> ModelProto:
        """Return the model that averages `value`, flattens and classifies it."""
        value = self.graph.add("GlobalAveragePool", "/classifier", value)
        value = self.graph.add("Flatten", "/classifier", value, axis=1)
        weight = self.empty("/classifier.weight", classes, channels)
        bias = self.empty("/classifier.bias", classes)
        value = self.graph.add("Gemm", "/classifier", value, weight, bias, transB=1)
        inputs = {"input": (1, 3, size, size)}
        model = self.graph.model(name, value, inputs, (1, classes))
        return calibrated(model, seed=zlib.crc32(name.encode()))

    def empty(self, name: str, *shape: int) -> str:
        return self.graph.weight(name, np.zeros(shape, np.float32))


def _inverted(
    net: Network,
    path: str,
    value: str,
    inputs: int,
    outputs: int,
    expansion: int,
    stride: int,
) -> str:
    """Widen, convolve channel by channel, narrow; add what came in if it fits."""
    wide, before = inputs * expansion, value
    if expansion != 1:
        value = net.block(f"{path}/widen", value, inputs, wide)
    value = net.block(
        f"{path}/depthwise", value, wide, wide, kernel=3, stride=stride, groups=wide
    )
    value = net.block(f"{path}/narrow", value, wide, outputs, active=False)
    if stride != 1 or inputs != outputs:
        return value
    return net.graph.add("Add", path, before, value)


def _bottleneck(
    net: Network, path: str, value: str, inputs: int, width: int, stride: int
) -> str:
    """Narrow, convolve, widen four times; add what came in, projected to fit."""
    before, wide = value, 4 * width
    value = net.block(f"{path}/narrow", value, inputs, width)
    value = net.block(f"{path}/middle", value, width, width, kernel=3, stride=stride)
    value = net.block(f"{path}/widen", value, width, wide, active=False)
    if inputs != wide:
        before = net.block(
            f"{path}/project", before, inputs, wide, stride=stride, active=False
        )
    return net.activated(path, net.graph.add("Add", path, value, before))


def _even(channels: float) -> int:
    """Round to a multiple of eight, never below nine tenths."""
    rounded = max(8, int(channels + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded
