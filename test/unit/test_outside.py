"""A package from outside brings ops, passes and targets; nothing here knows them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import models
import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper
from operators.oracle import run_onnxruntime
from outside import PACKAGE, installed, metadata_of
from random_models import networks
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

import glow
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.layout.attribute import layout_of, same_bytes
from glow.graph_modules import context
from glow.lowering.memory_to_loops.rules import RULES, rule_of
from glow.model import parse_text
from glow.options import Options
from glow.pass_manager import parse_passes, pipeline_text, plan, run_passes
from glow.pipeline import stages_between
from glow.runtime.comparison import error_of
from glow.support.layout import parse_layout
from glow.support.targets import resolve
from glow.support.types import shape_of
from glow.targets import known_targets

TARGETS = ("nchw8c", "mixed")
TOLERANCE = 1e-4
LONG = (
    *("alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "vgg19"),
    *("zfnet512", "encoder_b4"),
)
SMALL = {
    "mobilenet_v2": {"width": 0.25, "size": 96},
    "resnet50": {"width": 8, "size": 64},
}

Array = NDArray[Any]


@pytest.fixture(autouse=True, scope="module")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with installed(PACKAGE, tmp_path_factory.mktemp("outside")):
        yield


def lowered(source: object, target: str) -> ModuleOp:
    """Return the module of `source` with the layouts that `target` gets."""
    module = glow.load(source).module if not isinstance(source, ModuleOp) else source
    stages = stages_between("import", "layout")
    text = pipeline_text(stages, target).removesuffix(",group-ops")
    run_passes(parse_passes(text), context(), module)
    return module


def is_in(value: SSAValue, text: str) -> bool:
    return same_bytes(layout_of(value), parse_layout(text), value.type)


@lru_cache(maxsize=1)
def case(name: str) -> tuple[ModelProto, dict[str, Array], list[Array]]:
    proto = models.build(name)
    inputs = models.inputs_of(proto)
    return proto, inputs, run_onnxruntime(proto, inputs)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.full] if name in LONG else [])
        for name in models.MODELS
    ],
)
def test_every_model_is_right(name: str, target: str) -> None:
    proto, inputs, expected = case(name)
    found = glow.compile(proto, target=target).run(inputs)
    for array, wanted in zip(found.values(), expected, strict=True):
        assert error_of(array, wanted) <= TOLERANCE


@lru_cache(maxsize=1)
def small_case(
    name: str, order: str
) -> tuple[ModelProto, dict[str, Array], dict[str, Array]]:
    """Return a network in one order of axes, inputs, and what it computes."""
    proto = models.TWINS[name](**SMALL[name])
    inputs = models.inputs_of(proto)
    if order == "last":
        proto, inputs = models.channels_last(proto), models.twin_inputs(inputs)
    return proto, inputs, glow.compile(proto, target="reference").run(inputs)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("name", SMALL)
def test_small_networks_are_right_in_both_orders(
    name: str, order: str, target: str
) -> None:
    proto, inputs, expected = small_case(name, order)
    found = glow.compile(proto, target=target).run(inputs)
    assert all(error_of(found[k], expected[k]) <= TOLERANCE for k in expected)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(networks())
def test_random_networks_are_right(proto: ModelProto) -> None:
    rng = np.random.default_rng(3)
    inputs = {
        spec.name: rng.standard_normal(spec.shape).astype(spec.dtype)
        for spec in glow.compile(proto, target="reference").inputs
    }
    expected = glow.compile(proto, target="reference").run(inputs)
    for target in TARGETS:
        found = glow.compile(proto, target=target).run(inputs)
        for key, array in expected.items():
            assert error_of(found[key], array) <= TOLERANCE, target


@pytest.mark.slow
def test_channels_are_in_blocks_of_8_wherever_that_is_wanted() -> None:
    module = lowered(models.TWINS["resnet50"](**SMALL["resnet50"]), "nchw8c")
    convolutions = [op for op in module.walk() if isinstance(op, ConvOp)]
    assert len(convolutions) == 53
    assert all(is_in(v, "NCHW8c") for op in convolutions for v in (op.input, op.result))
    assert all(is_in(op.filter, "OIHW8i8o") for op in convolutions)
    first = convolutions[0].input
    assert shape_of(first)[1] == 3, "channels that 8 does not divide are padded"


def test_each_kernel_size_gets_its_own_order_where_it_pays() -> None:
    module = lowered(models.build("squeezenet"), "mixed")
    found: dict[tuple[int, ...], list[ConvOp]] = {}
    for op in module.walk():
        if isinstance(op, ConvOp):
            found.setdefault(shape_of(op.filter)[2:], []).append(op)
    assert all(is_in(op.result, "NHWC") for op in found[3, 3])
    blocked = [op for op in found[1, 1] if is_in(op.result, "NCHW16c")]
    assert len(blocked) >= len(found[1, 1]) // 2
    filters = [op.filter for op in (*found[3, 3], *blocked)]
    small = [f for f in filters if np.prod(shape_of(f)) < 4096]
    assert small
    assert all(layout_of(f) is None for f in small)
    assert any(is_in(f, "HWIO") for f in filters)
    assert any(is_in(f, "OIHW16i16o") for f in filters)


@pytest.mark.slow
def test_layouts_of_one_target_are_refused_for_another() -> None:
    module = lowered(models.TWINS["resnet50"](**SMALL["resnet50"]), "nchw8c")
    run_passes(parse_passes("verify-layouts{target=nchw8c}"), context(), module)
    for other in ("mixed", "cpu"):
        passes = parse_passes(f"verify-layouts{{target={other}}}")
        with pytest.raises(VerifyException, match=r"graph\.conv at .*: expected"):
            run_passes(passes, context(), module)


SHIFTED = """
func.func @main(%x: tensor<1x12x5x5xf32>, %w: tensor<12x12x1x1xf32>, %s: tensor<12xf32>)
    -> tensor<1x12x5x5xf32> {
  %0 = graph.conv %x, %w {pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x12x5x5xf32>, tensor<12x12x1x1xf32>) -> tensor<1x12x5x5xf32>
  %1 = outside.scaled_shift %0 by %s {axis = 1 : i64, places = 5 : i64}
      : (tensor<1x12x5x5xf32>, tensor<12xf32>) -> tensor<1x12x5x5xf32>
  %2 = graph.conv %1, %w {pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x12x5x5xf32>, tensor<12x12x1x1xf32>) -> tensor<1x12x5x5xf32>
  func.return %2 : tensor<1x12x5x5xf32>
}
"""


def parsed(text: str) -> ModuleOp:
    return parse_text(context(), text, "test")


def test_an_op_from_outside_prints_and_parses() -> None:
    text = str(parsed(SHIFTED))
    assert "outside.scaled_shift %0 by %s {axis = 1 : i64, places = 5 : i64}" in text
    assert str(parsed(text)) == text


@pytest.mark.parametrize("target", ["reference", "reference-checked", "cpu", *TARGETS])
def test_an_op_from_outside_computes(target: str) -> None:
    rng = np.random.default_rng(0)
    x, w, s = (
        rng.standard_normal(shape, np.float32)
        for shape in ((1, 12, 5, 5), (12, 12, 1, 1), (12,))
    )
    inner = np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0])
    inner = np.roll(inner, 5, 1) * s[:, None, None]
    expected = np.einsum("nchw,oc->nohw", inner, w[:, :, 0, 0])
    found: Any = glow.compile(parsed(SHIFTED), target=target)(x, w, s)
    assert error_of(found, expected) <= TOLERANCE


@pytest.mark.parametrize(
    ("target", "layout"), [("nchw8c", "NCHW8c"), ("reference-checked", "NHWC")]
)
def test_an_op_from_outside_carries_layouts(target: str, layout: str) -> None:
    module = lowered(parsed(SHIFTED), target)
    (op,) = (op for op in module.walk() if op.name == "outside.scaled_shift")
    assert isinstance(op, GraphOp)
    assert is_in(op.operands[0], layout)
    assert is_in(op.results[0], layout)
    neighbors = [op.operands[0].owner, *(use.operation for use in op.results[0].uses)]
    assert [type(each) for each in neighbors] == [ConvOp, ConvOp], "nothing is moved"


def test_an_op_from_outside_folds() -> None:
    text = """
    func.func @main() -> tensor<3xf32> {
      %x = graph.literal dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
      %0 = outside.scaled_shift %x by %x {axis = 0 : i64}
          : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      func.return %0 : tensor<3xf32>
    }
    """
    module = lowered(parsed(text), "nchw8c")
    assert not [op for op in module.walk() if op.name == "outside.scaled_shift"]
    assert np.asarray(glow.compile(parsed(text), target="cpu")()).tolist() == [3, 2, 6]


def shifted_twice(places: int) -> ModelProto:
    """Return an ONNX model with a node of the package's own domain."""
    node = helper.make_node(
        "ScaledShift", ["x", "s"], ["y"], domain="test.outside", axis=1, places=places
    )
    value = partial(helper.make_tensor_value_info, elem_type=TensorProto.FLOAT)
    graph = helper.make_graph(
        [node],
        "shifted",
        [value("x", shape=(2, 3)), value("s", shape=(3,))],
        [value("y", shape=(2, 3))],
    )
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("test.outside", 1)]
    return helper.make_model(graph, opset_imports=domains)


@pytest.mark.parametrize("places", [1, 3])
@pytest.mark.parametrize("target", ["reference", "nchw8c"])
def test_an_operator_of_a_domain_from_outside_is_imported(
    places: int, target: str
) -> None:
    x, s = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 2, 3], np.float32)
    found = glow.compile(shifted_twice(places), target=target)(x, s)
    np.testing.assert_array_equal(found, np.roll(x, places, 1) * s)


def test_a_pass_from_outside_runs_in_the_default_pipeline() -> None:
    def names(**given: Any) -> list[str]:
        parts = plan("import", "graph", "reference", Options(**given))
        return [each.name for part in parts for each in part.passes]

    at = names().index("drop-whole-turns")
    assert names()[at - 1] == "recognize-functions"
    assert "drop-whole-turns" not in names(disable=("drop-whole-turns",))
    source, x = shifted_twice(3), np.ones((2, 3), np.float32)
    for disable in ((), ("drop-whole-turns",)):
        found = glow.compile(source, target="cpu", disable=disable)(x, x[0])
        np.testing.assert_array_equal(found, x)


def test_what_an_op_from_outside_refuses_is_reported() -> None:
    wrong = SHIFTED.replace("tensor<12xf32>", "tensor<11xf32>")
    with pytest.raises(VerifyException, match=r"a scale of shape \[12\], got"):
        parsed(wrong).verify()


@pytest.mark.parametrize("target", ["squashing", "mixed", "cpu"])
def test_a_composite_stays_whole_for_a_target_that_keeps_it(target: str) -> None:
    @glow.composite(name="outside.squash")
    def squash(x: Any, scale: float) -> Any:
        return np.tanh(double(x) * scale)

    @glow.composite(name="double")
    def double(x: Any) -> Any:
        return x + x

    def network(x: Any, w: Any) -> Any:
        return squash(glow.nn.conv(double(x), w), scale=3.0)

    x = np.arange(50, dtype=np.float32).reshape(1, 2, 5, 5)
    w = np.full((16, 2, 3, 3), 1e-3, np.float32)
    model = glow.trace(network, x, w)
    found: Any = glow.compile(model, target=target)(x, w)
    assert error_of(found, glow.compile(model, target="reference")(x, w)) <= TOLERANCE
    calls = model.ir("layout", target).count("graph.call")
    assert calls == (target == "squashing")


def test_an_op_without_a_kernel_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = parsed(SHIFTED)
    (op,) = {type(op) for op in module.walk() if op.name == "outside.scaled_shift"}
    assert rule_of(op)
    monkeypatch.delitem(RULES, op)
    with pytest.raises(glow.CompilationError, match=r"outside\.scaled_shift"):
        glow.compile(module, target="cpu")


def shift(shape: tuple[int, ...], axis: int, places: int, element: str) -> ModuleOp:
    x = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    s = f"tensor<{shape[axis]}x{element}>"
    return parsed(f"""
    func.func @main(%x: {x}, %s: {s}) -> {x} {{
      %y = outside.scaled_shift %x by %s
          {{axis = {axis} : i64, places = {places} : i64}} : ({x}, {s}) -> {x}
      func.return %y : {x}
    }}""")


@pytest.mark.parametrize("element", ["f32", "f64", "i32"])
@pytest.mark.parametrize(
    ("shape", "axis", "places"),
    [((7,), 0, 3), ((2, 3, 5), 1, -1), ((4, 1, 6), -1, 17), ((3, 0), 0, 1)],
)
def test_a_kernel_from_outside_computes(
    shape: tuple[int, ...], axis: int, places: int, element: str
) -> None:
    module = shift(shape, axis, places, element)
    rng = np.random.default_rng(1)
    (dtype,) = {spec.dtype for spec in glow.compile(module, "reference").inputs}
    x = rng.integers(-9, 9, shape).astype(dtype)
    s = rng.integers(-9, 9, shape[axis]).astype(dtype)
    expected = glow.compile(module, "reference")(x, s)
    for target in ("cpu", "cpu:sse2"):
        np.testing.assert_array_equal(glow.compile(module, target)(x, s), expected)


def test_targets_from_outside_are_known_as_long_as_they_are_installed() -> None:
    assert set(TARGETS) <= set(known_targets())
    assert resolve("nchw8c").name == "nchw8c"
    with pytest.raises(glow.TargetError, match="no features of target mixed"):
        glow.compile(parsed(SHIFTED), target="mixed:avx2")


@pytest.mark.slow
def test_tools_know_what_is_installed(tmp_path: Path) -> None:
    metadata_of(PACKAGE, tmp_path)
    onnx.save(models.TWINS["resnet50"](**SMALL["resnet50"]), tmp_path / "net.onnx")
    path = os.pathsep.join([str(tmp_path), str(PACKAGE), *sys.path])
    program = "from glow.tools.glow_run import main; main()"
    for target in TARGETS:
        arguments = ["net.onnx", "--target", target, "--random-inputs", "0"]
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments, "--vs", "onnxruntime"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "error" in done.stdout
