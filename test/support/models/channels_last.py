"""The same network as converters from TensorFlow write it: images in NHWC."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper

Array = NDArray[Any]

TO_NCHW = (0, 3, 1, 2)
TO_NHWC = (0, 2, 3, 1)
# Ops that mean the same in any order, once their operands are in one.
ELEMENTWISE = ("Add", "Clip", "Dropout", "LeakyRelu", "Mul", "Relu", "Sigmoid", "Sum")


def channels_last(model: ModelProto, affine: bool = False) -> ModelProto:
    """
    Return `model`, a network over NCHW images, in the way of tf2onnx.

    Images are NHWC, those that go in and out too. What ONNX defines for NCHW only has
    a transpose before and behind it, each time; anything elementwise has none. With
    `affine`, normalization is a product and a sum with constants of each channel, and
    a global average a mean over axes, both in NHWC.
    """
    return _Converter(model, affine).run()


class _Converter:
    """Rewrites node after node; a name of rank 4 is an image in NHWC."""

    def __init__(self, model: ModelProto, affine: bool):
        self._model = model
        self._affine = affine
        self._weights = {
            t.name: numpy_helper.to_array(t) for t in model.graph.initializer
        }
        self._ranks = _ranks_of(model, self._weights)
        self._nodes: list[NodeProto] = []

    def run(self) -> ModelProto:
        graph = self._model.graph
        for node in graph.node:
            self._visit(node)
        read = {name for node in self._nodes for name in node.input}
        made = helper.make_graph(
            self._nodes,
            graph.name,
            [_channels_last_info(info) for info in graph.input],
            [_channels_last_info(info) for info in graph.output],
            [
                numpy_helper.from_array(array, name)
                for name, array in self._weights.items()
                if name in read
            ],
        )
        return helper.make_model(
            made,
            ir_version=self._model.ir_version,
            opset_imports=self._model.opset_import,
        )

    def _visit(self, node: NodeProto) -> None:
        visitors: dict[str, Callable[[NodeProto], None]] = {"Concat": self._concat}
        visitors |= dict.fromkeys(ELEMENTWISE, self._elementwise)
        if self._affine:
            visitors["BatchNormalization"] = self._scale_and_shift
            visitors["GlobalAveragePool"] = self._mean
        is_image = self._ranks[node.output[0]] == 4
        visit = visitors.get(node.op_type, self._wrap) if is_image else self._wrap
        visit(node)

    def _wrap(self, node: NodeProto) -> None:
        """Compute the node in NCHW, between transposes."""
        inputs = [
            self._transposed(name, f"{node.name}/input{k}", TO_NCHW)
            if name not in self._weights and self._ranks.get(name) == 4
            else name
            for k, name in enumerate(node.input)
        ]
        images = [name for name in node.output if self._ranks.get(name) == 4]
        inside = {name: f"{name}/nchw" for name in images}
        outputs = [inside.get(name, name) for name in node.output]
        self._nodes.append(_copy(node, inputs, outputs))
        for name in images:
            self._transposed(inside[name], f"{node.name}/output", TO_NHWC, name)

    def _elementwise(self, node: NodeProto) -> None:
        inputs = [self._aligned(name, node) for name in node.input]
        self._nodes.append(_copy(node, inputs, node.output))

    def _aligned(self, name: str, node: NodeProto) -> str:
        """Return an operand as it broadcasts over NHWC."""
        array = self._weights.get(name)
        if array is not None and array.ndim in (3, 4):
            self._weights[f"{name}/nhwc"] = np.moveaxis(array, -3, -1).copy()
            return f"{name}/nhwc"
        if array is None and self._ranks.get(name) == 3:
            return self._transposed(name, f"{node.name}/{name}", (1, 2, 0))
        assert array is None or array.size == 1, f"{name} runs along the width"
        return name

    def _concat(self, node: NodeProto) -> None:
        (axis,) = (attribute.i for attribute in node.attribute)
        outputs = list(node.output)
        made = helper.make_node(
            "Concat", node.input, outputs, node.name, axis=TO_NHWC.index(axis)
        )
        self._nodes.append(made)

    def _scale_and_shift(self, node: NodeProto) -> None:
        """scale * (x - mean) / sqrt(variance + epsilon) + bias -> x * a + b"""
        epsilon = next((a.f for a in node.attribute if a.name == "epsilon"), 1e-5)
        scale, bias, mean, variance = (self._weights[name] for name in node.input[1:])
        factor = scale / np.sqrt(variance + np.float32(epsilon))
        names = [f"{node.name}/{part}" for part in ("factor", "shift")]
        self._weights |= dict(zip(names, (factor, bias - mean * factor), strict=True))
        product = f"{node.output[0]}/scaled"
        self._nodes += [
            helper.make_node("Mul", [node.input[0], names[0]], [product], names[0]),
            helper.make_node("Add", [product, names[1]], node.output, names[1]),
        ]

    def _mean(self, node: NodeProto) -> None:
        self._nodes.append(
            helper.make_node(
                "ReduceMean", node.input, node.output, node.name, axes=[1, 2]
            )
        )

    def _transposed(
        self, name: str, path: str, permutation: tuple[int, ...], output: str = ""
    ) -> str:
        """Add a transpose of `name`, and return its output."""
        output = output or f"{path}/transposed"
        node = helper.make_node(
            "Transpose", [name], [output], f"{path}/Transpose", perm=permutation
        )
        self._nodes.append(node)
        return output


def _ranks_of(model: ModelProto, weights: Iterable[str]) -> dict[str, int]:
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    known = (*inferred.value_info, *inferred.input, *inferred.output)
    return {
        info.name: len(info.type.tensor_type.shape.dim)
        for info in known
        if info.name not in set(weights)
    }


def _copy(node: NodeProto, inputs: Iterable[str], outputs: Iterable[str]) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(node)
    del copy.input[:], copy.output[:]
    copy.input.extend(inputs)
    copy.output.extend(outputs)
    return copy


def _channels_last_info(info: ValueInfoProto) -> ValueInfoProto:
    tensor = info.type.tensor_type
    shape = [dim.dim_value for dim in tensor.shape.dim]
    if len(shape) == 4:
        shape = [shape[axis] for axis in TO_NHWC]
    return helper.make_tensor_value_info(info.name, tensor.elem_type, shape)
