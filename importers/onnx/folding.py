"""Col2Im and MaxUnpool: scattering elements back into an image."""

from __future__ import annotations

from math import prod

import numpy as np

from glow.dialects.graph.convolution import ConvTransposeOp
from glow.dialects.graph.scattering import ScatterElementsOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.importers.onnx.tensors import check_extents
from glow.support.dtypes import is_floating


@onnx_op("Col2Im")
def col2im(node: Node) -> Tensor:
    """A transposed convolution whose filter is 1 where a row of a column belongs."""
    columns = node.input(0)
    image = node.known_ints(1, "an image shape") or ()
    block = node.known_ints(2, "a block shape") or ()
    rank = len(block)
    strides = node.integers("strides") or (1,) * rank
    dilations = node.integers("dilations") or (1,) * rank
    pads = node.integers("pads") or (0,) * (2 * rank)
    lengths = (len(image), len(strides), len(dilations), len(pads) / 2)
    if set(lengths) != {rank} or min(*block, *strides, *dilations) < 1:
        node.invalid(f"expected {rank} positive entries for each axis of the image")
    if not is_floating(columns.dtype):
        node.refuse(f"elements of {columns.dtype}")
    room = [
        image[i] + pads[i] + pads[rank + i] - dilations[i] * (block[i] - 1) - 1
        for i in range(rank)
    ]
    places = [space // stride + 1 for space, stride in zip(room, strides, strict=True)]
    size, batch = prod(block), columns.shape[0]
    if len(columns.shape) != 3 or columns.shape[2] != prod(places):
        node.invalid(
            f"expected columns of [N, C, {prod(places)}], got {list(columns.shape)}"
        )
    channels, rest = divmod(columns.shape[1], size)
    if rest or min(places) < 1:
        node.invalid(f"expected a multiple of {size} rows, got {columns.shape[1]}")
    ones = np.tile(np.eye(size, dtype=columns.dtype), (channels, 1))
    spread = columns.reshape(batch, channels * size, *places)
    return node.emit(
        ConvTransposeOp,
        spread,
        ones.reshape(channels * size, 1, *block),
        strides=strides,
        pads=pads,
        dilations=dilations,
        group=channels,
        output_padding=[s % stride for s, stride in zip(room, strides, strict=True)],
    )


@onnx_op("MaxUnpool")
def max_unpool(node: Node) -> Tensor:
    """Zeros, and each maximum where its index in the whole result says."""
    maxima, rank = node.input(0), len(node.shape(0)) - 2
    kernel = node.integers("kernel_shape") or ()
    strides = node.integers("strides") or (1,) * rank
    pads = node.integers("pads") or (0,) * (2 * rank)
    if {len(kernel), len(strides), len(pads) / 2} != {rank}:
        node.invalid(f"expected {rank} entries of kernel_shape, strides and pads")
    shape = list(maxima.shape[:2])
    for axis in range(rank):
        taken = pads[axis] + pads[rank + axis]
        extent = (maxima.shape[2 + axis] - 1) * strides[axis] + kernel[axis] - taken
        shape.append(extent)
    check_extents(tuple(shape), maxima.dtype.itemsize, "the result")
    zeros = np.broadcast_to(np.zeros((), maxima.dtype), (prod(shape),))
    flat = node.emit(
        ScatterElementsOp,
        node.literal(zeros),
        node.input(1).reshape(maxima.size),
        maxima.reshape(maxima.size),
        axis=0,
    )
    whole = node.known_ints(2, "an output shape") or tuple(shape)
    if len(whole) != len(shape):
        node.invalid(f"expected an output shape of {rank + 2} entries, got {whole}")
    behind = [new - old for new, old in zip(whole, shape, strict=True)]
    pads = (*(0,) * len(shape), *behind)
    return node.emit(PadOp, flat.reshape(*shape), 0, pads=pads)
