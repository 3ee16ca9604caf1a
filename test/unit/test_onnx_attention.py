"""What ONNX leaves open about attention, and what of it cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto
from operators.case import draw
from small_onnx import model, node

import glow
from glow.dialects.graph.attention import AttentionOp
from glow.importers.onnx import import_model
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
    kind = TensorProto.FLOAT16
    with pytest.raises(UnsupportedModelError, match="element type FLOAT16"):
        import_model(attention(softmax_precision=kind))
