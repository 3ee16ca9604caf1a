"""Convolutions."""

from __future__ import annotations

from glow.dialects.graph.auto_pad import resolve_auto_pad, resolve_output_shape
from glow.dialects.graph.convolution import (
    ConvOp,
    ConvTransposeOp,
)
from glow.dialects.graph.tensors import Tensor
from glow.dialects.graph.window import Window
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

Ints = tuple[int, ...]


@onnx_op("Conv")
def conv(node: Node) -> Tensor:
    kernel = _kernel(node)
    strides, dilations = node.integers("strides"), node.integers("dilations")
    pads = resolve_auto_pad(
        node.string("auto_pad"),
        node.shape(0)[2:],
        kernel,
        strides,
        dilations,
        node.integers("pads"),
    )
    return node.emit(
        ConvOp,
        node.input(0),
        node.input(1),
        node.optional(2),
        strides=strides,
        pads=pads,
        dilations=dilations,
        group=node.integer("group"),
    )


@onnx_op("ConvTranspose")
def conv_transpose(node: Node) -> Tensor:
    kernel = _kernel(node)
    strides, dilations = node.integers("strides"), node.integers("dilations")
    output_padding, output_shape = (
        node.integers("output_padding"),
        node.integers("output_shape"),
    )
    for name, values in (("padding", output_padding), ("shape", output_shape)):
        if values is not None and len(values) != len(kernel):
            node.invalid(
                f"expected output_{name} of {len(kernel)} entries, got {list(values)}"
            )
    pads, added = resolve_output_shape(
        node.choice("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"),
        node.shape(0)[2:],
        Window.of(kernel, strides, node.integers("pads"), dilations),
        output_padding,
        output_shape,
    )
    return node.emit(
        ConvTransposeOp,
        node.input(0),
        node.input(1),
        node.optional(2),
        strides=strides,
        pads=pads,
        dilations=dilations,
        group=node.integer("group"),
        output_padding=added,
    )


def _kernel(node: Node) -> Ints:
    """Return the extents of the filter, which kernel_shape may only repeat."""
    if len(node.shape(0)) < 3 or len(node.shape(0)) != len(node.shape(1)):
        node.invalid(
            "expected an input and a filter of one rank of at least 3, "
            f"got {node.input(0).type} and {node.input(1).type}"
        )
    kernel, said = node.shape(1)[2:], node.integers("kernel_shape")
    if said is not None and said != kernel:
        node.invalid(f"expected kernel_shape {list(kernel)}, got {list(said)}")
    return kernel
