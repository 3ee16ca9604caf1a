"""Number types at every level, those of 16 bits in particular: f16 and bf16."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from graph_code import module_of
from grids import slow_but
from numpy.typing import NDArray
from random_ops import GENERATORS, calls
from random_ops.call import Call
from random_ops.programs import program_of
from xdsl.dialects.builtin import FloatAttr, bf16, f16, i32
from xdsl.utils.exceptions import VerifyException

import glow
from glow.dialects.graph.activation import ShrinkOp, ThresholdedReluOp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.reduction import ReduceSumOp
from glow.dialects.graph.select import CastOp, ClipOp
from glow.dialects.graph.storage import LiteralOp
from glow.model import debug_text
from glow.runtime.comparison import random_inputs
from glow.support.dtypes import (
    NUMBER_TYPES,
    dtype_named,
    is_floating,
    limits_of,
    widened,
)
from glow.support.element_conversion import convert
from glow.support.types import dtype_of, element_type_of, number_attribute, tensor
from glow.support.weights import save_weights
from glow.tools.feeds import output_paths, read_arrays
from glow.tools.peers import onnxruntime_peer

Array = NDArray[Any]

F16, BF16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
NARROW = (F16, BF16)
DTYPES = tuple(dtype_named(each.dtype) for each in NUMBER_TYPES)
SHAPES = (("x", (2, 2)), ("y", (4,)))
# A rounding of each op, and of what a group of ops is computed by.
ERRORS = {F16: 2e-3, BF16: 2e-2}

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN


def sample(dtype: np.dtype[Any], shape: tuple[int, ...] = (3, 4)) -> Array:
    return np.random.default_rng(0).integers(0, 2, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_element_types_are_those_of_numpy(dtype: np.dtype[Any]) -> None:
    assert dtype_of(element_type_of(dtype)) == dtype


@pytest.mark.parametrize("name", ["float8_e5m2", "complex64", "longdouble", ">f4"])
def test_other_types_are_refused(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    with pytest.raises(VerifyException, match="expected an array of float16, bfloat16"):
        element_type_of(dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_constants_are_the_same_from_text_and_weights(
    dtype: np.dtype[Any], tmp_path: Path
) -> None:
    module = module_of([], {"w": sample(dtype)}, lambda w: [w])
    (tmp_path / "net.mlir").write_text(debug_text(module))
    save_weights(module, tmp_path / "net.weights.safetensors")
    del module
    gc.collect()  # so that no bytes are left but those of the file
    found: Any = glow.compile(tmp_path / "net.mlir", target="reference")()
    np.testing.assert_array_equal(found, sample(dtype), strict=True)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_literals_print_and_parse(dtype: np.dtype[Any], tmp_path: Path) -> None:
    values = [1.1, -0.0, np.inf, -np.inf, np.nan, 1e-6, 3e-40, 65504.0]
    array = np.array(values, np.float32).astype(dtype)
    module = module_of([], {}, lambda: [LiteralOp(array).result])
    (tmp_path / "net.mlir").write_text(debug_text(module))
    found: Any = glow.compile(tmp_path / "net.mlir", target="reference")()
    np.testing.assert_array_equal(found.view(np.uint16), array.view(np.uint16))


def test_attributes_are_rounded() -> None:
    assert number_attribute(1.0001, f16) == FloatAttr(1.0, f16)
    assert str(number_attribute(1e9, f16)) == "0x7c00 : f16"
    assert str(number_attribute(1e39, bf16)) == "0x7f80 : bf16"
    assert number_attribute(2.9, i32).value.data == 2


@pytest.mark.parametrize("target", ["reference", "cpu"])
@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_bounds_are_not_rounded(dtype: np.dtype[Any], target: str) -> None:
    x = np.array([1.125]).astype(dtype)
    bound = float(x[0]) - 1e-5  # which would be rounded to x
    module = module_of(
        [x],
        {},
        lambda x: [
            ThresholdedReluOp(x, alpha=bound).result,
            ShrinkOp(x, lambd=bound).result,
        ],
    )
    found = glow.compile(module, target=target)(x)
    np.testing.assert_array_equal(found, (x, x))


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_all_bits_widen_exactly(dtype: np.dtype[Any]) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    wide = convert(every, np.dtype(np.float32))
    expected = every.astype(np.float64)
    np.testing.assert_array_equal(wide, expected.astype(np.float32))
    back = convert(wide, dtype).view(np.uint16)
    is_number = ~np.isnan(wide)
    np.testing.assert_array_equal(back[is_number], every.view(np.uint16)[is_number])


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_casts_round_to_even_and_overflow_to_infinity(dtype: np.dtype[Any]) -> None:
    step = float(limits_of(dtype).eps)
    given = [1 + step / 2, 1 + 3 * step / 2, -1 - step / 2, 1e39, -1e39, np.nan]
    found = convert(np.array(given), dtype).astype(np.float64)
    expected = [1, 1 + 2 * step, -1, np.inf, -np.inf, np.nan]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize("saturate", [False, True])
def test_casts_to_integers_follow_float32(dtype: np.dtype[Any], saturate: bool) -> None:
    given = np.array([1.9, -1.9, 300, -7, np.inf, -np.inf, np.nan], np.float32)
    for name in ("int8", "uint8", "int32", "uint64", "bool"):
        want = convert(given.astype(dtype).astype(np.float32), np.dtype(name), saturate)
        found = convert(given.astype(dtype), np.dtype(name), saturate)
        np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_sums_are_rounded_once(dtype: np.dtype[Any], evaluate: Any) -> None:
    array = np.full((3000,), 1.0).astype(dtype)  # in 16 bits they stop at 256 or 2048
    (found,) = evaluate(ReduceSumOp, array, axes=(0,))
    assert found == np.array(3000.0, np.float32).astype(dtype)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_absent_bounds_are_those_of_the_type(
    dtype: np.dtype[Any], evaluate: Any
) -> None:
    array = np.array([np.inf, -np.inf, 2], np.float32).astype(dtype)
    (found,) = evaluate(ClipOp, array)
    limits = limits_of(dtype)
    assert found.tolist() == [float(limits.max), float(limits.min), 2]


def close(found: Array, expected: Array, error: float) -> bool:
    """Return whether floats differ by no more than `error` of the largest one."""
    a, b = (np.asarray(array, np.float64) for array in (found, expected))
    finite = np.abs(b[np.isfinite(b)])
    bound = error * max(1.0, finite.max(initial=0))
    return bool(np.isclose(a, b, error, bound, equal_nan=True).all())


def narrow_calls(name: str, dtype: np.dtype[Any], count: int = 3) -> list[Call]:
    """Return calls on floats of 16 bits, none where the op takes no floats."""
    drawn = [call.with_floats(dtype) for call in calls(name, count, seed=16)]
    drawn = [call for call in drawn if call.is_valid]
    return [call for call in drawn if any(a.dtype == dtype for a in call.arrays)]


@pytest.mark.parametrize("dtype", slow_but(NARROW, NARROW[-1]), ids=str)
@pytest.mark.parametrize("name", GENERATORS)
def test_ops_compute_in_f32_and_round_once(name: str, dtype: np.dtype[Any]) -> None:
    for call in narrow_calls(name, dtype):
        if call.op in (CastOp, AttentionOp) or "to" in call.parameters:
            continue
        wide = call.with_floats(np.dtype(np.float32))
        for found, expected in zip(call.expected(), wide.expected(), strict=True):
            if is_floating(found.dtype) and found.dtype != expected.dtype:
                assert found.dtype == dtype
                expected = expected.astype(dtype)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(widened(found), widened(expected))


def differences(dtype: np.dtype[Any], target: str, count: int) -> list[str]:
    """Return the calls of all ops whose results differ from what they mean."""
    chosen = [call for name in GENERATORS for call in narrow_calls(name, dtype, count)]
    wrong: list[str] = []
    for first in range(0, len(chosen), 40):
        some = chosen[first : first + 40]
        module, arrays = program_of(some)
        results = iter(glow.compile(module, target=target)(*arrays))
        for call in some:
            for expected in call.expected():
                result = next(results)
                assert result.dtype == expected.dtype, call
                if not close(result, expected, ERRORS[dtype]):
                    wrong.append(str(call))
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("target", ["reference", "reference-checked"])
@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_reference_targets_run_all_ops(dtype: np.dtype[Any], target: str) -> None:
    wrong = differences(dtype, target, 1)
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "count"),
    [
        ("cpu:sse2", 1),
        ("cpu", 1),
        pytest.param("cpu:sse2", 6, marks=pytest.mark.full),
        pytest.param("cpu:avx2", 6, marks=pytest.mark.full),
        pytest.param("cpu", 6, marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_cpu_runs_all_ops(dtype: np.dtype[Any], target: str, count: int) -> None:
    wrong = differences(dtype, target, count)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_arrays_of_another_type_are_refused(dtype: np.dtype[Any]) -> None:
    (other,) = set(NARROW) - {dtype}
    module = module_of([sample(dtype, (2,))], {}, lambda x: [x])
    net = glow.compile(module, target="reference")
    message = rf"expected {dtype}\[2\], got {other}\[2\]"
    with pytest.raises(glow.BindingError, match=message):
        net(np.zeros(2, other))


@pytest.mark.parametrize("dtype", [*NARROW, "float16", "bfloat16"], ids=str)
def test_networks_are_built_of_them(dtype: Any) -> None:
    builder = glow.Builder()
    x = builder.input("x", (2, 8), dtype)
    y = builder.relu(builder.linear(x, 4, name="layer"))
    builder.output("y", y)
    net = glow.compile(builder.model(), target="reference")
    found: Any = net(np.ones((2, 8), dtype_named(dtype)))
    assert found.dtype == dtype_named(dtype)
    assert found.shape == (2, 4)


def test_type_is_printed_in_signatures() -> None:
    module = module_of([sample(BF16)], {}, lambda x: [x])
    net = glow.compile(module, target="reference")
    assert "bfloat16[3, 4]" in str(net.signature)
    assert tensor(bf16, (3, 4)).element_type == element_type_of(BF16)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize("raw", [False, True])
def test_onnx_initializers_are_read(dtype: np.dtype[Any], raw: bool) -> None:
    helper = pytest.importorskip("onnx").helper
    weight = np.array([1.5, -0.0, np.inf, -3.25], np.float32).astype(dtype)
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    values = weight.tobytes() if raw else weight.tolist()
    initializer = helper.make_tensor("w", kind, (4,), values, raw=raw)
    node = helper.make_node("Identity", ["w"], ["y"])
    outputs = [helper.make_tensor_value_info("y", kind, (4,))]
    graph = helper.make_graph([node], "g", [], outputs, [initializer])
    net = glow.compile(helper.make_model(graph), target="reference")
    np.testing.assert_array_equal(net(), weight, strict=True)


def test_onnx_bits_that_are_no_f16_are_refused() -> None:
    onnx = pytest.importorskip("onnx")
    kind = onnx.TensorProto.FLOAT16
    tensor_ = onnx.TensorProto(name="w", data_type=kind, dims=[1], int32_data=[1 << 16])
    node = onnx.helper.make_node("Identity", ["w"], ["y"])
    outputs = [onnx.helper.make_tensor_value_info("y", kind, (1,))]
    graph = onnx.helper.make_graph([node], "g", [], outputs, [tensor_])
    with pytest.raises(glow.InvalidModelError, match="that is not a float16"):
        glow.load(onnx.helper.make_model(graph))


def test_npy_files_of_bfloat16_are_read(tmp_path: Path) -> None:
    array = sample(BF16)
    path = output_paths(["x"], tmp_path)["x"]
    np.save(path, array)
    found = read_arrays([f"x={path}"])["x"]
    np.testing.assert_array_equal(found, array, strict=True)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_onnxruntime_is_compared_with(dtype: np.dtype[Any], tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    helper = pytest.importorskip("onnx").helper
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    node = helper.make_node("Reshape", ["x", "s"], ["y"])
    shape = helper.make_tensor("s", 7, (1,), [4])
    infos = [helper.make_tensor_value_info(n, kind, s) for n, s in SHAPES]
    graph = helper.make_graph([node], "g", infos[:1], infos[1:], [shape])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    net = glow.compile(tmp_path / "net.onnx", target="reference")
    x = random_inputs(net.signature, 0)
    peer = onnxruntime_peer(str(tmp_path / "net.onnx"), 1, net.signature)
    np.testing.assert_array_equal(peer(x)["y"], net(x["x"]), strict=True)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_executables_are_saved(dtype: np.dtype[Any], tmp_path: Path) -> None:
    weight = np.random.default_rng(0).standard_normal((40, 24)).astype(dtype)
    x = np.random.default_rng(1).standard_normal((8, 40)).astype(dtype)
    module = module_of([x], {"w": weight}, lambda x, w: [MatMulOp(x, w).result])
    net = glow.compile(module, target="cpu")
    net.save(tmp_path / "net.glow")
    loaded = glow.load_executable(tmp_path / "net.glow")
    np.testing.assert_array_equal(net(x), loaded(x), strict=True)
    assert close(cast(Array, net(x)), widened(x) @ widened(weight), ERRORS[dtype])


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_packed_weights_take_half_the_memory(dtype: np.dtype[Any]) -> None:
    def packed(dtype: np.dtype[Any]) -> int:
        weight = np.ones((256, 256)).astype(dtype)
        x = np.ones((8, 256)).astype(dtype)
        module = module_of([x], {"w": weight}, lambda x, w: [MatMulOp(x, w).result])
        return glow.compile(module, target="cpu").constant_bytes

    assert packed(dtype) * 2 <= packed(np.dtype(np.float32)) + 4096
