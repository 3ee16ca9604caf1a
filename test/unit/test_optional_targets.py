"""Targets that lack or need optional operands get ops as they take them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from graph_code import run
from optionals import after, module_with, variants
from outside import PACKAGE, installed
from random_ops import calls

import glow
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import optional_slots, presence_of
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, run_passes
from glow.registry import UNIVERSE
from glow.runtime.comparison import error_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of no elements

TARGETS = ("biased", "bare")
OPS: list[type[GraphOp]] = [
    op
    for op in UNIVERSE.all_dialects["graph"]().operations
    if issubclass(op, GraphOp) and {"bias", "scale", "weights"} & {*optional_slots(op)}
]


@pytest.fixture(autouse=True, scope="module")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with installed(PACKAGE, tmp_path_factory.mktemp("outside")):
        yield


def legalized(text: str, target: str) -> str:
    module = parse_text(context(), text, "test")
    run_passes(
        parse_passes(f"legalize-optionals{{target={target}}}"), context(), module
    )
    module.verify()
    return str(module)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_every_presence_runs_and_is_right(op: type[GraphOp], target: str) -> None:
    chosen = variants(op)
    assert len(chosen) >= 2, "with and without"
    net = glow.compile(module_with(chosen), target=target)
    found = net(*(array for call in chosen for array in call.arrays))
    expected = [array for call in chosen for array in call.expected()]
    for one, other in zip(found, expected, strict=True):
        assert error_of(np.asarray(one), other) <= 1e-5


CONVOLUTIONS = """
func.func @main(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x1x1xf32>, %b: tensor<3xf32>)
    -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) {
  %0 = graph.conv %x, %w bias %b {pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.conv %x, %w {pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  func.return %0, %1 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>
}
"""


def test_an_absent_bias_is_given_only_where_the_target_needs_it() -> None:
    text = legalized(CONVOLUTIONS, "biased")
    assert text.count("graph.literal dense<-0.000000e+00> : tensor<3xf32>") == 1
    assert text.count(" bias ") == 2
    assert "graph.add" not in text


def test_a_bias_is_added_only_where_the_target_does_not_take_it() -> None:
    text = legalized(CONVOLUTIONS, "bare")
    assert " bias " not in text
    assert text.count("graph.add") == 1
    assert "graph.reshape %b {shape = array<i64: 3, 1, 1>}" in text


@pytest.mark.parametrize("target", ["cpu", "reference", "reference-checked"])
def test_nothing_changes_for_a_target_that_takes_everything(target: str) -> None:
    module = parse_text(context(), CONVOLUTIONS, "test")
    assert legalized(CONVOLUTIONS, target) == str(module)


def test_scale_and_bias_go_behind_in_the_order_in_which_they_act() -> None:
    text = legalized(
        """
        func.func @main(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>)
            -> tensor<2x4xf32> {
          %0 = graph.layer_norm %x scale %s : tensor<4xf32> bias %b : tensor<4xf32>
              : (tensor<2x4xf32>) -> tensor<2x4xf32>
          func.return %0 : tensor<2x4xf32>
        }
        """,
        "bare",
    )
    names = ["graph.layer_norm %x", "graph.mul", "graph.add"]
    assert sorted(map(text.index, names)) == [text.index(name) for name in names]


def test_an_absent_result_is_made_where_the_target_cannot_do_without() -> None:
    text = legalized(
        """
        func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
          %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>}
              : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
          func.return %0 : tensor<1x2x3x3xf32>
        }
        """,
        "unbounded",
    )
    assert "with_indices" in text


BOUNDED = """
func.func @main(%x: tensor<4xf32>, %a: tensor<f32>) -> tensor<4xf32> {
  %0 = graph.clip %x min %a : tensor<f32> : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
"""


def test_an_op_that_a_target_takes_in_no_form_is_an_error() -> None:
    expected = (
        r"graph\.clip at .*: target unbounded supports it neither as it is "
        r"\(with min, no max\) nor in another form"
    )
    with pytest.raises(glow.CompilationError, match=expected):
        glow.compile(parse_text(context(), BOUNDED, "test"), target="unbounded")


def test_neutral_operands_are_gone_before_the_target_is_asked() -> None:
    known = BOUNDED.replace(", %a: tensor<f32>", "").replace(
        "  %0",
        "  %a = graph.literal dense<-3.40282347e+38> : tensor<f32> : tensor<f32>\n  %0",
    )
    net = glow.compile(parse_text(context(), known, "test"), target="unbounded")
    x = np.array([-np.inf, 1, np.nan, 3], np.float32)
    expected = glow.compile(parse_text(context(), known, "test"), target="cpu")(x)
    np.testing.assert_array_equal(net(x), expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graph.embedding_bag", "graph.sparse_lengths_sum"])
def test_weights_of_bags_go_to_their_rows(name: str) -> None:
    weighted = [
        call
        for call in calls(name, 60, seed=1)
        if "weights" in presence_of(call.build()) and call.arrays[0].size
    ]
    kinds = {
        (call.parameters["mode"], call.parameters["padding_idx"] is None)
        for call in weighted
    }
    assert len(kinds) == 6
    for call in weighted:
        module = module_with([call])
        after(module, "legalize-optionals{target=bare}")
        assert "weights" not in str(module)
        found = run(module, call.arrays)
        for one, other in zip(found, call.expected(), strict=True):
            assert error_of(one, other) <= 1e-5, str(call)
