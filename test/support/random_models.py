"""Random ONNX models: small networks of convolutions, movement and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 17, 8
Shape = tuple[int, ...]
Draw = Callable[[Any], Any]


class Network:
    """A model while it grows: nodes, weights, and the shape of each value."""

    def __init__(self, draw: Draw):
        self.draw = draw
        self.rng = np.random.default_rng(draw(st.integers(0, 2**16)))
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        self.shapes: dict[str, Shape] = {}

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        array = self.rng.standard_normal(shape).astype(np.float32) * 0.5
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def ints(self, *values: int) -> str:
        name = f"w{len(self.weights)}"
        array = np.array(values, np.int64)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def emit(
        self, kind: str, inputs: list[str], shape: Shape, **attributes: Any
    ) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(
                kind, inputs, [name], name=f"n{len(self.nodes)}", **attributes
            )
        )
        self.shapes[name] = shape
        return name

    def pick(self, condition: Callable[[Shape], bool]) -> str | None:
        fitting = [v for v, shape in self.shapes.items() if condition(shape)]
        return self.draw(st.sampled_from(fitting)) if fitting else None


def is_image(shape: Shape) -> bool:
    return len(shape) == 4


def conv(net: Network) -> None:
    x = net.pick(is_image)
    if x is None:
        return
    n, c, h, w = net.shapes[x]
    group = net.draw(st.sampled_from([g for g in (1, 1, 2, c) if c % g == 0]))
    outputs = group * net.draw(st.integers(1, 9))
    k = net.draw(st.sampled_from([1, 1, 3, 3, 5]))
    stride = net.draw(st.integers(1, 2))
    pads = [net.draw(st.integers(0, k // 2)) for _ in range(4)]
    out_h = (h + pads[0] + pads[2] - k) // stride + 1
    out_w = (w + pads[1] + pads[3] - k) // stride + 1
    if min(h + pads[0] + pads[2], w + pads[1] + pads[3]) < k:
        return
    inputs = [x, net.weight(outputs, c // group, k, k)]
    if net.draw(st.booleans()):
        inputs.append(net.weight(outputs))
    net.emit(
        "Conv",
        inputs,
        (n, outputs, out_h, out_w),
        group=group,
        strides=[stride] * 2,
        pads=pads,
    )


def pool(net: Network) -> None:
    x = net.pick(lambda s: is_image(s) and min(s[2:]) >= 3)
    if x is None:
        return
    n, c, h, w = net.shapes[x]
    kind = net.draw(st.sampled_from(["MaxPool", "AveragePool"]))
    k, stride, pad = (net.draw(st.integers(*r)) for r in ((2, 3), (1, 2), (0, 1)))
    out = [(e + 2 * pad - k) // stride + 1 for e in (h, w)]
    attributes: dict[str, Any] = {"kernel_shape": [k, k], "strides": [stride] * 2}
    net.emit(kind, [x], (n, c, out[0], out[1]), pads=[pad] * 4, **attributes)


def batch_norm(net: Network) -> None:
    x = net.pick(is_image)
    if x is None:
        return
    c = net.shapes[x][1]
    variance = numpy_helper.from_array(
        np.full(c, 0.7, np.float32), f"var{len(net.nodes)}"
    )
    net.weights.append(variance)
    inputs = [x, *(net.weight(c) for _ in range(3)), variance.name]
    net.emit("BatchNormalization", inputs, net.shapes[x])


def unary(net: Network) -> None:
    x = net.pick(lambda s: True)
    assert x is not None
    kinds = ["Relu", "Sigmoid", "Tanh", "Neg", "Abs", "LeakyRelu", "HardSigmoid", "Erf"]
    net.emit(net.draw(st.sampled_from(kinds)), [x], net.shapes[x])


def binary(net: Network) -> None:
    x = net.pick(lambda s: True)
    assert x is not None
    shape = net.shapes[x]
    kind = net.draw(st.sampled_from(["Add", "Sub", "Mul", "Max", "Min"]))
    other = net.pick(lambda s: s == shape)
    if net.draw(st.booleans()):
        ones = net.draw(
            st.lists(st.booleans(), min_size=len(shape), max_size=len(shape))
        )
        small = [1 if one else e for one, e in zip(ones, shape, strict=True)]
        other = net.weight(*small[net.draw(st.integers(0, len(shape))) :])
    assert other is not None
    inputs = [x, other] if net.draw(st.booleans()) else [other, x]
    net.emit(kind, inputs, shape)


def concat(net: Network) -> None:
    x = net.pick(lambda s: len(s) > 1)
    if x is None:
        return
    shape = net.shapes[x]
    axis = net.draw(st.integers(0, len(shape) - 1))

    def rest(s: Shape) -> Shape:
        return (*s[:axis], *s[axis + 1 :])

    others = [
        v
        for v, s in net.shapes.items()
        if len(s) == len(shape) and rest(s) == rest(shape)
    ]
    chosen = net.draw(st.lists(st.sampled_from(others), min_size=1, max_size=3))
    total = sum(net.shapes[v][axis] for v in chosen)
    if total > 40:
        return
    net.emit("Concat", chosen, (*shape[:axis], total, *shape[axis + 1 :]), axis=axis)


def transpose(net: Network) -> None:
    x = net.pick(lambda s: len(s) > 1)
    if x is None:
        return
    shape = net.shapes[x]
    order = net.draw(st.permutations(range(len(shape))))
    net.emit("Transpose", [x], tuple(shape[i] for i in order), perm=list(order))


def reshape(net: Network) -> None:
    x = net.pick(lambda s: len(s) > 1)
    if x is None:
        return
    shape = net.shapes[x]
    at = net.draw(st.integers(0, len(shape) - 2))
    merged = (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])
    net.emit("Reshape", [x, net.ints(*merged)], merged)


def slice_(net: Network) -> None:
    x = net.pick(lambda s: max(s, default=0) > 1)
    if x is None:
        return
    shape = net.shapes[x]
    axis = net.draw(st.sampled_from([i for i, e in enumerate(shape) if e > 1]))
    step = net.draw(st.sampled_from([1, 2, -1]))
    start = net.draw(st.integers(0, shape[axis] - 1))
    stop = -(2**31) if step < 0 else shape[axis]
    size = len(range(shape[axis])[start : None if step < 0 else stop : step])
    inputs = [x, net.ints(start), net.ints(stop), net.ints(axis), net.ints(step)]
    net.emit("Slice", inputs, (*shape[:axis], size, *shape[axis + 1 :]))


def reduce(net: Network) -> None:
    x = net.pick(lambda s: len(s) > 1)
    if x is None:
        return
    shape = net.shapes[x]
    axes = sorted(net.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    kind = net.draw(st.sampled_from(["ReduceMean", "ReduceMax", "ReduceL2"]))
    kept = tuple(1 if i in axes else e for i, e in enumerate(shape))
    net.emit(kind, [x], kept, axes=axes, keepdims=1)


def softmax(net: Network) -> None:
    x = net.pick(lambda s: len(s) > 0)
    if x is None:
        return
    axis = net.draw(st.integers(-len(net.shapes[x]), len(net.shapes[x]) - 1))
    net.emit("Softmax", [x], net.shapes[x], axis=axis)


def matmul(net: Network) -> None:
    x = net.pick(lambda s: len(s) > 1)
    if x is None:
        return
    *batch, rows, depth = net.shapes[x]
    columns = net.draw(st.integers(1, 20))
    net.emit("MatMul", [x, net.weight(depth, columns)], (*batch, rows, columns))


STEPS = (conv, conv, conv, pool, batch_norm, unary, unary, binary, binary, concat)
STEPS += (transpose, reshape, slice_, reduce, softmax, matmul)


@st.composite
def networks(draw: Draw) -> ModelProto:
    """A model of up to a dozen nodes; values that nothing reads are its outputs."""
    net = Network(draw)
    shape = tuple(draw(st.integers(1, top)) for top in (2, 8, 9, 9))
    net.shapes["x"] = shape
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=12)):
        step(net)
    read = {name for node in net.nodes for name in node.input}
    ends = [v for v in net.shapes if v not in read]
    if ends == ["x"] or not ends:
        ends = [net.emit("Relu", ["x"], shape)]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    outputs = [
        helper.make_tensor_value_info(v, TensorProto.FLOAT, net.shapes[v])
        for v in ends
        if v != "x"
    ]
    graph = helper.make_graph(net.nodes, "random", inputs, outputs, net.weights)
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
