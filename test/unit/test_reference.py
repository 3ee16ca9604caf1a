"""The reference backend, with tensors and with physical bytes."""

import numpy as np
import pytest

import glow
from glow import CompilationError, ExecutionError
from glow.backends.reference.executable import ReferenceExecutable
from glow.backends.reference.physical import PhysicalStorage, poisoned, stored
from glow.graph_modules import context
from glow.model import parse_text
from glow.support.layout import pack, parse_layout

LAYOUTS = ["NCHW", "NHWC", "NCHW8c", "NHWC, halo = [0, 0, 1, 1]", "[1, 0, 3, 2]"]


def network(body: str, storage: str = "") -> ReferenceExecutable:
    text = f"{storage}\nfunc.func @main() {{ {body}\n func.return }}"
    chosen = [PhysicalStorage] if "#layout" in body else []
    return ReferenceExecutable(parse_text(context(), text, "test"), *chosen)


X_TO_Y = """
graph.placeholder @x "in" : tensor<1x3x4x5xf32>
graph.placeholder @y "out" : tensor<1x3x4x5xf32>"""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_survive_their_layout(layout: str) -> None:
    plain, laid = (
        "tensor<1x3x4x5xf32>",
        (f"tensor<1x3x4x5xf32, #layout.physical<{layout}>>"),
    )
    net = network(
        f"""
        %0 = graph.load @x : {plain}
        %1 = layout.transform %0 : {plain} -> {laid}
        %2 = graph.relu %1 : ({laid}) -> {laid}
        %3 = layout.transform %2 : {laid} -> {plain}
        graph.save @y, %3 : {plain}""",
        X_TO_Y,
    )
    x = np.random.default_rng(0).standard_normal((1, 3, 4, 5)).astype(np.float32)
    assert np.array_equal(net(x), np.maximum(x, 0))


@pytest.mark.parametrize(("layout", "is_right"), [("NHWC", True), ("NCHW8c", False)])
def test_a_pool_reads_channels_last_whatever_lies_there(
    layout: str, is_right: bool
) -> None:
    plain = "tensor<1x3x4x5xf32>"
    laid = f"tensor<1x3x4x5xf32, #layout.physical<{layout}>>"
    pooled = "tensor<1x3x1x1xf32, #layout.physical<NHWC>>"
    result = "tensor<1x3x1x1xf32>"
    net = network(
        f"""
        %0 = graph.load @x : {plain}
        %1 = layout.transform %0 : {plain} -> {laid}
        %2 = graph.global_max_pool %1 : ({laid}) -> {pooled}
        %3 = layout.transform %2 : {pooled} -> {result}
        graph.save @y, %3 : {result}""",
        X_TO_Y.replace('"out" : tensor<1x3x4x5', '"out" : tensor<1x3x1x1'),
    )
    x = np.arange(60, dtype=np.float32).reshape(1, 3, 4, 5)
    assert np.array_equal(net(x), x.max((2, 3), keepdims=True)) == is_right


@pytest.mark.parametrize(("layout", "is_right"), [("[1, 0]", True), ("[0, 1]", False)])
def test_a_transpose_moves_no_byte(layout: str, is_right: bool) -> None:
    laid = f"tensor<5x4xf32, #layout.physical<{layout}>>"
    net = network(
        f"""
        %0 = graph.load @x : tensor<4x5xf32>
        %1 = graph.transpose %0 {{permutation = array<i64: 1, 0>}}
          : (tensor<4x5xf32>) -> {laid}
        %2 = layout.transform %1 : {laid} -> tensor<5x4xf32>
        graph.save @y, %2 : tensor<5x4xf32>""",
        """
        graph.placeholder @x "in" : tensor<4x5xf32>
        graph.placeholder @y "out" : tensor<5x4xf32>""",
    )
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    assert np.array_equal(net(x), x.T) == is_right


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bytes_are_what_packing_makes_padding_aside(layout: str) -> None:
    text = f"tensor<1x3x4x5xf32, #layout.physical<{layout}>>"
    module = parse_text(context(), f'%0 = "test.op"() : () -> {text}', "test")
    (value,) = module.body.block.first_op.results
    array = np.arange(1, 61, dtype=np.float32).reshape(1, 3, 4, 5)
    packed = pack(parse_layout(layout), array).reshape(-1)
    flat = stored(value, parse_layout(layout), array)
    assert np.array_equal(flat[packed != 0], packed[packed != 0])
    assert np.isnan(flat[packed == 0]).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.bool_])
def test_padding_of_other_types_is_no_likely_value(dtype: type) -> None:
    assert set(poisoned(3, np.dtype(dtype)).tolist()) <= {-77, True}


def test_groups_run_as_one_op() -> None:
    net = network(
        """
        %0 = graph.load @x : tensor<1x3x4x5xf32>
        %1 = graph.fused(%0) {
        ^bb0(%2: tensor<1x3x4x5xf32>):
          %3 = graph.relu %2 : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
          graph.yield %3 : tensor<1x3x4x5xf32>
        } : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
        graph.save @y, %1 : tensor<1x3x4x5xf32>""",
        X_TO_Y,
    )
    assert net(np.full((1, 3, 4, 5), -1, np.float32)).max() == 0


def test_a_fault_names_op_and_node() -> None:
    net = network(
        """
        %0 = graph.load @t : tensor<3xf32>
        %1 = graph.load @i : tensor<1xi64>
        %2 = graph.gather %0, %1 {axis = 0 : i64} : (tensor<3xf32>, tensor<1xi64>)
          -> tensor<1xf32> loc("embedding")
        graph.save @y, %2 : tensor<1xf32>""",
        """
        graph.placeholder @t "in" : tensor<3xf32>
        graph.placeholder @i "in" : tensor<1xi64>
        graph.placeholder @y "out" : tensor<1xf32>""",
    )
    table = np.arange(3, dtype=np.float32)
    assert net(table, np.array([-1])).tolist() == [2]
    with pytest.raises(ExecutionError, match=r"3.*\(graph\.gather, from embedding\)$"):
        net(table, np.array([3]))


def test_two_candidates_for_the_entry_are_refused() -> None:
    text = "func.func @f() { func.return } func.func @g() { func.return }"
    with pytest.raises(CompilationError, match="@main, got @f, @g"):
        ReferenceExecutable(parse_text(context(), text, "test"))


def test_a_constant_without_bytes_is_refused_by_name() -> None:
    digest = "0" * 64
    with pytest.raises(CompilationError, match='constant "w" has no bytes'):
        network("", f'graph.constant @w #graph.resource<"{digest}"> : tensor<2xf32>')


def test_an_op_of_another_level_is_refused() -> None:
    with pytest.raises(CompilationError, match=r"reference cannot run test\.op"):
        network('"test.op"() : () -> ()')


def test_features_are_refused() -> None:
    text = "func.func @main() { func.return }"
    module = parse_text(context(), text, "test")
    with pytest.raises(ValueError, match="expected no features"):
        glow.compile(module, target="reference:avx2")
