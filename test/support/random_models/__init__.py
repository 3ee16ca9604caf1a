"""
Random ONNX models: small networks of everything that the importer knows.

Float, integer and boolean values mix; outputs are values that nothing reads, and some
that others read, inputs as they are, weights, and one value under two names.
"""

from __future__ import annotations

from hypothesis import strategies as st
from onnx import ModelProto, ValueInfoProto, helper

from random_models import elementwise, movement, reductions, windows
from random_models.network import F32, I64, Draw, Network, Value

OPSET, IR_VERSION = 17, 8

IMAGES = (windows.conv, windows.conv, windows.depthwise, windows.conv_transpose)
IMAGES += (windows.pool, windows.pool_with_indices, windows.global_pool)
IMAGES += (windows.batch_norm, windows.lrn, windows.rearrange)
MATHS = (elementwise.unary, elementwise.unary, elementwise.clip, elementwise.binary)
MATHS += (elementwise.binary, elementwise.outer, elementwise.divide)
MATHS += (elementwise.integers, elementwise.compare, elementwise.logic)
MATHS += (elementwise.where, elementwise.cast)
MOVES = (movement.concat, movement.split, movement.transpose, movement.reshape)
MOVES += (movement.squeeze, movement.unsqueeze, movement.slice_, movement.pad)
MOVES += (movement.expand, movement.tile, movement.gather)
WHOLES = (reductions.reduce, reductions.sum_, reductions.arg_reduce)
WHOLES += (reductions.softmax, reductions.layer_norm, reductions.matmul)
WHOLES += (reductions.product, reductions.gemm)
STEPS = (*IMAGES, *MATHS, *MOVES, *WHOLES)


@st.composite
def networks(draw: Draw, most: int = 12) -> ModelProto:
    """A model of up to about `most` nodes, with inputs `x`, an image, and `k`."""
    net = Network(draw)
    spatial = net.choose([(9,), (9, 9), (9, 9), (9, 9), (5, 4, 5)])
    shape = tuple(net.integer(1, top) for top in (2, 8, *spatial))
    x = Value("x", shape, F32, exact=True)
    k = Value("k", net.choose([(), (3,), (2, 4), shape[-2:]]), I64, exact=True)
    net.add(x)
    net.add(k)
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=most)):
        step(net)
    outputs = _outputs(net)
    inputs = [value.info() for value in (x, k)]
    graph = helper.make_graph(net.nodes, "random", inputs, outputs, net.weights)
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


def _outputs(net: Network) -> list[ValueInfoProto]:
    """Choose the outputs; some nodes may be added that only give a value a name."""
    read = {name for node in net.nodes for name in node.input}
    inner = [v for v in net.values.values() if v.name not in ("x", "k")]
    found = [v for v in inner if v.name not in read]
    found += [v for v in inner if v.name in read and net.integer(0, 5) == 0]
    for other in (*inner[:1], *net.values.values()):
        if not found or net.integer(0, 7) == 0:
            found += net.like("Identity", other)
    if net.integer(0, 7) == 0:
        array = net.rng.standard_normal((2, 3)).astype(F32)
        found += net.emit("Identity", [net.constant(array)], array.shape)
    return [value.info() for value in found]
