"""What ONNX leaves open about attention, and what of it cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto
from operators.case import draw
from operators.oracle import run_onnxruntime
from small_onnx import model, node

import glow
from glow.dialects.graph.attention import AttentionOp
from glow.formats.onnx import import_model
from glow.graph_modules import context
from glow.pass_manager import parse_passes, run_passes
from glow.support.errors import InvalidModelError, UnsupportedModelError

SHAPES = {"q": (1, 4, 3, 8), "k": (1, 2, 3, 8), "p": (1, 2, 5, 8)}


def attention(
    outputs: str = "y", inputs: str = "q k k - p p", **attributes: Any
) -> ModelProto:
    """Return a model of one Attention."""
    each = node("Attention", inputs, outputs, "n", **attributes)
    shapes = {name: SHAPES[name] for name in dict.fromkeys(each.input) if name}
    return model([each], shapes, [name for name in each.output if name], opset=24)


def imported(source: ModelProto) -> AttentionOp:
    found = [op for op in import_model(source).walk() if isinstance(op, AttentionOp)]
    return found[0]


def test_absent_slots_are_none() -> None:
    op = imported(attention(inputs="q k k"))
    absent = (op.mask, op.bias, op.past_key, op.past_value, op.valid_length)
    assert set(absent) == {op.present_key, op.present_value, op.scores} == {None}
    assert len(op.slots()) == 8


def test_what_no_one_reads_is_absent() -> None:
    op = imported(attention("y - v"))
    assert {op.present_key, op.scores, op.mask} == {None}
    assert op.present_value is not None
    assert op.past_key is not None


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_outputs_may_be_left_out_in_the_middle(target: str) -> None:
    feeds = {name: draw(shape) for name, shape in SHAPES.items()}
    found = glow.compile(attention("y - v"), target=target).run(feeds)
    whole = np.concatenate((feeds["p"], feeds["k"]), axis=2)
    np.testing.assert_array_equal(found["v"], whole)


def test_heads_of_rank_4_are_those_of_the_shape() -> None:
    op = imported(attention(q_num_heads=4, kv_num_heads=2))
    assert {op.q_num_heads, op.kv_num_heads} == {None}


def test_unknown_scores_are_refused() -> None:
    with pytest.raises(InvalidModelError, match="mode from 0 to 3, got 4"):
        import_model(attention(qk_matmul_output_mode=4))


def test_half_a_past_is_refused() -> None:
    with pytest.raises(InvalidModelError, match="got no past_value"):
        import_model(attention(inputs="q k k - p"))


def test_precision_that_is_lacking_is_refused() -> None:
    kind = TensorProto.FLOAT8E5M2
    with pytest.raises(UnsupportedModelError, match="element type FLOAT8E5M2"):
        import_model(attention(softmax_precision=kind))


def test_one_query_of_many_keys_is_right() -> None:
    nodes = [node("Attention", "q k v", "y", "n")]
    shapes = {"q": (1, 2, 1, 64), "k": (1, 2, 1100, 64), "v": (1, 2, 1100, 16)}
    feeds = {name: draw(shape) for name, shape in shapes.items()}
    source = model(nodes, shapes, ["y"], opset=23)
    expected = glow.compile(source, target="reference").run(feeds)["y"]
    found = glow.compile(source, target="cpu").run(feeds)["y"]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def grouped_by_hand() -> ModelProto:
    """Return attention as exporters write it, its keys and values repeated."""
    nodes = [node("Transpose", "q", "q1", perm=(0, 2, 1, 3))]
    for name in ("k", "v"):
        nodes += [
            node("Transpose", name, f"{name}1", perm=(0, 2, 1, 3)),
            node("Unsqueeze", f"{name}1 axis", f"{name}2"),
            node("Expand", f"{name}2 groups", f"{name}3"),
            node("Reshape", f"{name}3 heads", f"{name}4"),
        ]
    nodes += [
        node("Transpose", "k4", "k5", perm=(0, 1, 3, 2)),
        node("Mul", "q1 root", "q2"),
        node("Mul", "k5 root", "k6"),
        node("MatMul", "q2 k6", "s1"),
        node("Add", "s1 causal", "s2"),
        node("Softmax", "s2", "w", axis=-1),
        node("MatMul", "w v4", "y", "product"),
    ]
    weights = {
        "axis": np.array([2]),
        "groups": np.array([1, 2, 3, 5, 8]),
        "heads": np.array([1, 6, 5, 8]),
        "root": np.array(0.5, np.float32),
        "causal": np.triu(np.full((5, 5), -np.inf, np.float32), 1),
    }
    shapes = {"q": (1, 5, 6, 8), "k": (1, 5, 2, 8), "v": (1, 5, 2, 8)}
    return model(nodes, shapes, ["y"], weights)


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_attention_by_hand_is_one_op_and_right(target: str) -> None:
    source = grouped_by_hand()
    module = import_model(source)
    run_passes(parse_passes("fold-constants,recognize-attention"), context(), module)
    names = [op.name for op in module.walk()]
    assert names.count("graph.attention") == 1
    assert not {"graph.expand", "graph.softmax", "graph.matmul"} & set(names)
    feeds = {name: draw((1, 5, 6 if name == "q" else 2, 8)) for name in "qkv"}
    (expected,) = run_onnxruntime(source, feeds)
    found = glow.compile(source, target=target).run(feeds)["y"]
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.slow
def test_scores_are_never_in_memory_as_a_whole() -> None:
    shape, heads = (1, 512, 64), 4
    counts = {"q_num_heads": heads, "kv_num_heads": heads, "is_causal": 1}
    each = node("Attention", "q k v", "y", "n", **counts)
    proto = model([each], dict.fromkeys("qkv", shape), ["y"], opset=23)
    net = glow.compile(proto)
    assert net.arena_bytes < heads * shape[1] ** 2 * 4 / 16
    feeds = {name: draw(shape) for name in "qkv"}
    (expected,) = run_onnxruntime(proto, feeds)
    np.testing.assert_allclose(net.run(feeds)["y"], expected, atol=1e-5)
