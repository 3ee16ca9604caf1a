"""Models written as ONNX: read back, checked, and run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import models
import numpy as np
import onnx
import pytest
from canonical import canonical
from graph_code import module_of
from onnx import ModelProto
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import glow
from glow.dialects.graph.activation import EluOp, ReluOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.control_flow import ControlFlowOp, composite_of
from glow.dialects.graph.embedding import EmbeddingOp
from glow.formats.onnx import import_model
from glow.formats.onnx.export import NEWEST_OPSET
from glow.graph_modules import context, exported
from glow.model import Model
from glow.passes.graph.tie_states import TieStatesPass
from glow.support.errors import GlowError, InvalidModelError, UnsupportedModelError
from glow.support.locations import name_of

Array = Any
F32 = np.float32


def check_round_trip(module: ModuleOp, opset: int | None = None) -> ModelProto:
    """Export a module; check the model, and that it is read as the same module."""
    proto = exported(module, "model", opset)
    onnx.checker.check_model(proto)
    assert canonical(import_model(proto)) == canonical(module)
    return proto


SMALL = ("decoder_step", "lstm", "mlp", "recommender", "squeezenet", "shufflenet")


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_model_is_read_back_and_computes_the_same(name: str) -> None:
    original = models.build(name)
    inputs = models.inputs_of(original)
    module = import_model(original)
    proto = check_round_trip(module)
    expected = run_onnxruntime(original, inputs)
    for found, wanted in zip(run_onnxruntime(proto, inputs), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.full
@pytest.mark.parametrize("name", models.MODELS)
def test_every_model_is_read_back(name: str) -> None:
    check_round_trip(import_model(models.build(name)))


def test_names_and_locations_are_kept() -> None:
    nodes = [
        node("Gemm", "x w b", "hidden", "first"),
        node("Relu", "hidden", "y", "second"),
    ]
    weights = {"w": np.ones((3, 4), F32), "b": np.ones(4, F32)}
    proto = exported(import_model(model(nodes, {"x": (2, 3)}, ["y"], weights)), "m")
    assert [each.name for each in proto.graph.node] == ["first", "second"]
    assert [each.output[0] for each in proto.graph.node] == ["hidden", "y"]
    assert proto.graph.name == "graph"
    assert [each.name for each in proto.graph.input] == ["x"]


def test_nodes_of_one_source_have_names_of_their_own_and_say_the_source() -> None:
    nodes = [node("Mean", "x x x", "y", "mean")]
    module = import_model(model(nodes, {"x": (2,)}, ["y"]))
    proto = exported(module, "m")
    names = [each.name for each in proto.graph.node]
    assert names == ["mean", "mean.1", "mean.2"]
    sources = {
        op.location for op in import_model(proto).walk() if op.name == "graph.add"
    }
    assert sources == {op.location for op in module.walk() if op.name == "graph.add"}


def test_floats_of_64_bits_are_exact_unless_the_attribute_changes() -> None:
    module = module_of([np.ones(3, F32)], {}, lambda x: [EluOp(x, alpha=0.1).result])
    proto = exported(module, "m")
    assert "alpha = 1.000000e-01 : f64" in str(import_model(proto))
    proto.graph.node[0].attribute[0].f = 0.5
    assert "alpha = 5.000000e-01 : f64" in str(import_model(proto))


def test_an_op_that_onnx_lacks_is_a_function() -> None:
    table, indices = np.arange(12, dtype=F32).reshape(4, 3), np.array([1, -1, 0])

    def twice(table: Any, indices: Any) -> list[Any]:
        first = EmbeddingOp(table, indices, padding_idx=0).result
        other = EmbeddingOp(table, indices, padding_idx=0).result
        return [AddOp(first, other).result, EmbeddingOp(table, indices).result]

    module = module_of([table, indices], {}, twice)
    proto = exported(module, "m")
    assert [(f.name, f.overload) for f in proto.functions] == [
        ("embedding", ""),
        ("embedding", "1"),
    ]
    found = run_onnxruntime(proto, {"input0": table, "input1": indices})
    expected = table[indices] * [[2], [2], [0]]
    np.testing.assert_array_equal(found[0], expected)
    np.testing.assert_array_equal(found[1], table[indices])
    ops = [op.name for op in import_model(proto).walk()]
    assert ops.count("graph.embedding") == 3


def check_traced(f: Callable[..., Any], *arrays: Array) -> ModelProto:
    """Export a traced function, and compare what ONNX Runtime and we compute."""
    traced = glow.trace(f, *arrays)
    proto = exported(traced.module, "traced")
    onnx.checker.check_model(proto, full_check=True)
    names = [each.name for each in proto.graph.input]
    found = run_onnxruntime(proto, dict(zip(names, arrays, strict=True)))
    for module in (traced.module, import_model(proto)):
        net = glow.compile(module, target="reference")
        np.testing.assert_allclose(found[0], net(*arrays), rtol=1e-5, atol=1e-6)
    return proto


def test_choices_and_loops_have_functions_as_bodies() -> None:
    def network(x: Any, w: Any) -> Any:
        y = glow.fori_loop(0, 3, lambda iteration, carried: carried @ w + iteration, x)
        return glow.cond(np.sum(y) > 0, lambda v: np.exp(-v) @ w, lambda v: v * 2, y)

    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((4, 4)).astype(F32) for _ in range(2))
    proto = check_traced(network, x, w)
    assert {"Loop", "If"} <= {each.op_type for each in proto.graph.node}
    check_traced(network, -x, w)


def test_a_composite_is_a_function_of_the_model() -> None:
    @glow.composite
    def swish(x: Any) -> Any:
        return x / (1 + np.exp(-x))

    x = np.linspace(-3, 3, 12, dtype=F32)
    proto = check_traced(lambda x: swish(swish(x)), x)
    assert [f.domain for f in proto.functions] == ["glow.functions"]
    assert [each.op_type for each in proto.graph.node] == [proto.functions[0].name] * 2


@glow.composite(name="mine.scaled")
def scaled(x: Any, factor: float = 1.0) -> Any:
    return np.tanh(x * factor)


@glow.composite
def scaled_and_summed(x: Any) -> Any:
    return scaled(x @ np.eye(12, dtype=F32)), scaled(x, factor=2.0).sum(axis=1)


def test_composites_are_read_back_as_they_are() -> None:
    def network(x: Any) -> Any:
        one, other = scaled_and_summed(x)
        return scaled(one), scaled(other)

    traced = glow.trace(network, np.ones((2, 12), F32))
    proto = check_round_trip(traced.module)
    functions = [op for op in import_model(proto).ops if isinstance(op, FuncOp)]
    names = sorted(map(composite_of, functions))
    assert names == ["", *["mine.scaled"] * 3, "scaled_and_summed"]
    kinds = GraphOp, ControlFlowOp
    ops = [op for f in functions[1:] for op in f.body.block.ops]
    made = [op for op in ops if isinstance(op, kinds) and op.operands]
    assert all("test_onnx_export.py" in name_of(op) for op in made)


def test_a_call_of_a_function_that_leaves_out_an_input_is_inlined() -> None:
    proto = exported(glow.trace(lambda x: scaled(x), np.ones(3, F32)).module, "m")
    proto.functions[0].input.append("bias")
    module = import_model(proto)
    assert not [op for op in module.walk() if op.name == "graph.call"]


def test_what_a_function_lacks_is_said_once() -> None:
    def network(x: Any) -> Any:
        return scaled(scaled(x))

    proto = exported(glow.trace(network, np.ones(3, F32)).module, "m")
    proto.functions[0].node[-1].op_type = "Unheard"
    with pytest.raises(GlowError, match="operator Unheard-") as raised:
        import_model(proto)
    assert str(raised.value).count("operator Unheard") == 1


def test_a_state_is_an_input_and_an_output_and_read_back_as_one() -> None:
    module = module_of(
        [np.ones(3, F32), np.ones(3, F32)],
        {},
        lambda x, past: [AddOp(x, past).result],
    )
    module = Model("m", module)
    graph = exported(module.module, "m")
    tied = import_model(graph)
    TieStatesPass(("output0",), ("input1",)).apply(context(), tied)
    proto = check_round_trip(tied)
    assert [each.name for each in proto.graph.input] == ["input0", "input1"]
    assert [each.name for each in proto.graph.output] == ["input1.next"]
    net = glow.compile(import_model(proto))
    bindings = net.bind()
    bindings["input0"] = np.ones(3, F32)
    for _ in range(3):
        bindings.run()
    np.testing.assert_array_equal(bindings["input1"], [3, 3, 3])


def test_a_bound_input_is_an_initializer() -> None:
    module = module_of(
        [np.ones(3, F32), np.ones(3, F32)], {}, lambda x, y: [MulOp(x, y).result]
    )
    bound = Model("m", module).bind({"input1": np.array([1, 2, 3], F32)})
    proto = check_round_trip(bound.module)
    (found,) = run_onnxruntime(proto, {"input0": np.ones(3, F32)})
    np.testing.assert_array_equal(found, [1, 2, 3])


def test_what_axes_mean_is_kept() -> None:
    image = info("x", (1, 3, 4, 4))
    for dim, meaning in zip(
        image.type.tensor_type.shape.dim, ("DATA_BATCH", "DATA_CHANNEL"), strict=False
    ):
        dim.denotation = meaning
    module = import_model(model([node("Relu", "x", "y")], {"x": image}, ["y"]))
    assert 'axes ["DATA_BATCH", "DATA_CHANNEL", "", ""]' in str(module)
    check_round_trip(module)


def test_an_output_that_is_an_input_is_copied() -> None:
    module = module_of([np.ones(3, F32)], {}, lambda x: [x, ReluOp(x).result, x])
    proto = exported(module, "m")
    onnx.checker.check_model(proto)
    x = np.array([-1, 0, 2], F32)
    found = run_onnxruntime(proto, {"input0": x})
    np.testing.assert_array_equal(found, [x, np.maximum(x, 0), x])


def test_weights_lie_beside_where_it_is_said(tmp_path: Path) -> None:
    loaded = glow.load(models.build("mlp"))
    for external in (None, True):
        loaded.export(tmp_path / "net.onnx", external_data=external)
        assert canonical(glow.load(tmp_path / "net.onnx").module) == canonical(
            loaded.module
        )
        assert (tmp_path / "net.onnx.data").exists() == bool(external)


def test_text_shows_digests_of_long_weights(tmp_path: Path) -> None:
    glow.load(models.build("mlp")).export(tmp_path / "net.onnx.txt")
    text = (tmp_path / "net.onnx.txt").read_text()
    assert "output = Softmax <axis: int = -1>" not in text
    assert "output = Softmax (fc2_Gemm_output)" in text
    assert '["sha256": "' in text


def test_older_opsets_say_the_same_or_what_they_lack() -> None:
    nodes = [node("ReduceMean", "x", "m", axes=[1]), node("Gelu", "m", "y")]
    module = import_model(model(nodes[:1], {"x": (2, 3)}, ["m"]))
    for opset in (13, 18, NEWEST_OPSET):
        proto = check_round_trip(module, opset)
        assert proto.opset_import[0].version == opset
    nodes[0] = node("Relu", "x", "m")
    module = import_model(model(nodes, {"x": (2, 3)}, ["y"], opset=20))
    with pytest.raises(
        UnsupportedModelError, match="Gelu, which ONNX has from opset 20 on"
    ):
        exported(module, "m", 17)


def test_one_error_lists_all_that_onnx_cannot_say() -> None:
    weights = np.ones((2, 2), np.uint64), np.ones((2, 2), F32)
    from glow.dialects.graph.binary import PowOp

    module = module_of(
        list(weights), {}, lambda x, y: [PowOp(x, x).result, PowOp(y, y).result]
    )
    with pytest.raises(
        UnsupportedModelError,
        match=r"cannot say: graph.pow: Pow of a tensor\(uint64\) \(output0\)$",
    ):
        exported(module, "m")


@pytest.mark.parametrize("opset", [12, 99])
def test_an_opset_out_of_range_is_refused(opset: int) -> None:
    module = module_of([np.ones(3, F32)], {}, lambda x: [ReluOp(x).result])
    with pytest.raises(
        ValueError, match=f"expected an opset from 13 to 28, got {opset}"
    ):
        exported(module, "m", opset)


def test_a_file_of_another_suffix_is_refused(tmp_path: Path) -> None:
    loaded = Model("m", module_of([np.ones(3, F32)], {}, lambda x: [ReluOp(x).result]))
    with pytest.raises(ValueError, match=r"expected a file ending in \.onnx or"):
        loaded.export(tmp_path / "net.pb")


def test_a_constant_without_bytes_is_refused() -> None:
    text = (
        '"graph.constant"() <{sym_name = "w", type = tensor<9xf32>, resource = '
        f'#graph.resource<"{"0" * 64}">}}> : () -> ()\n'
        'graph.placeholder @y "out" : tensor<9xf32>\n'
        "func.func @main() {\n  %w = graph.load @w : tensor<9xf32>\n"
        "  graph.save @y, %w : tensor<9xf32>\n  func.return\n}"
    )
    from glow.model import parse_text

    module = parse_text(context(), text, "m.mlir")
    with pytest.raises(InvalidModelError, match='constant "w" has no bytes here'):
        exported(module, "m")


def test_onnx_runtime_takes_the_newest_opset_and_none_above() -> None:
    import onnxruntime

    proto = model([node("Relu", "x", "y")], {"x": (2,)}, [info("y", (2,))])
    proto.ir_version = 10
    for opset in (NEWEST_OPSET, NEWEST_OPSET + 1):
        proto.opset_import[0].version = opset
        try:
            onnxruntime.InferenceSession(proto.SerializeToString())
        except Exception:
            assert opset > NEWEST_OPSET
        else:
            assert opset == NEWEST_OPSET
