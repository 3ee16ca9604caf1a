"""Integers of 2 and 4 bits: conversions, moves, files, and what refuses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_code import module_of
from grids import slow_but
from numpy.typing import NDArray
from onnx import TensorProto, helper
from xdsl.utils.exceptions import VerifyException

import glow
from glow.dialects.graph import movement, select, slicing
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.logic import EqualOp
from glow.dialects.graph.reduction import ReduceMaxOp
from glow.dialects.graph.storage import LiteralOp
from glow.model import debug_text
from glow.runtime.comparison import random_inputs
from glow.support.dtypes import NUMBER_TYPES, byte_type, dtype_named, is_small
from glow.support.element_conversion import convert
from glow.support.types import element_type_of, tensor
from glow.support.weights import save_weights

Array = NDArray[Any]

DTYPES = tuple(dtype_named(each.dtype) for each in NUMBER_TYPES)
SMALL = tuple(dtype for dtype in DTYPES if is_small(dtype))
IN_ONNX = [dtype_named(e.dtype) for e in NUMBER_TYPES if e.byte and e.onnx]
TARGETS = ("cpu", "cpu:sse2", "reference", "reference-checked")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN


def every(dtype: np.dtype[Any], count: int = 77) -> Array:
    """Return all numbers of a small type, again and again, in an array of two axes."""
    low, high = limits(dtype)
    numbers = np.resize(np.arange(low, high + 1), count)
    return numbers.astype(byte_type(dtype)).astype(dtype).reshape(7, -1)


def limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the least and the greatest number of a small type."""
    bits = int(dtype.name[-1])
    if dtype.name.startswith("u"):
        return 0, (1 << bits) - 1
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def results(target: str, arrays: list[Array], body: Any) -> list[Array]:
    found: Any = glow.compile(module_of(arrays, {}, body), target=target)(*arrays)
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_they_lie_in_bytes_as_numpy_has_them(dtype: np.dtype[Any]) -> None:
    low, high = limits(dtype)
    wide = np.arange(low - 20, high + 20).astype(np.int32)
    span = high - low + 1
    expected = (wide - low) % span + low
    found = convert(wide, dtype)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.astype(np.int32), expected)
    held = convert(wide.astype(np.float32), dtype, saturate=True)
    np.testing.assert_array_equal(held.astype(np.int32), np.clip(wide, low, high))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_casts_to_all_types(dtype: np.dtype[Any], target: str) -> None:
    x = every(dtype)
    others = [other for other in DTYPES if other != dtype]

    def casts(v: Any) -> list[Any]:
        return [select.CastOp(v, to=element_type_of(o)).result for o in others]

    for other, found in zip(others, results(target, [x], casts), strict=True):
        np.testing.assert_array_equal(found, convert(x, other), strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("saturate", [False, True])
@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_casts_from_all_types(
    dtype: np.dtype[Any], saturate: bool, target: str
) -> None:
    values = np.array([0, 1, 3, 4, 7, 8, 15, 16, 99, 1.5, 3.9, -1, -2, -8.5, -9, -99])
    strange = np.array([np.nan, np.inf, -np.inf, 1e30, -0.0, 2.5, 7.5])
    to = element_type_of(dtype)
    arrays = [
        np.resize(np.concatenate([values, strange]), 90).astype(other)
        if other.kind == "f" or other.name == "bfloat16"
        else convert(np.resize(values, 90), other)
        for other in DTYPES
        if other != dtype
    ]

    def casts(*vs: Any) -> list[Any]:
        return [select.CastOp(v, to=to, saturate=saturate).result for v in vs]

    for x, found in zip(arrays, results(target, arrays, casts), strict=True):
        np.testing.assert_array_equal(found, convert(x, dtype, saturate), strict=True)
        assert found.tobytes() == convert(x, dtype, saturate).tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", slow_but(SMALL, np.dtype("int4")), ids=str)
def test_moves(dtype: np.dtype[Any], target: str) -> None:
    x, mask = every(dtype), np.arange(77).reshape(7, 11) % 3 == 0
    places = np.array([4, -1, 0])

    def body(v: Any, m: Any, p: Any) -> list[Any]:
        turned = movement.TransposeOp(v, permutation=(1, 0)).result
        one = LiteralOp(np.ones((), np.int8).astype(dtype)).result
        ops: list[GraphOp] = [
            ConcatOp([v, v], axis=0),
            slicing.SliceOp(v, starts=(6, 1), sizes=(3, 5), steps=(-2, 2)),
            slicing.PadOp(v, one, pads=(1, 0, 0, 2)),
            slicing.PadOp(v, pads=(0, 1, 1, 0)),
            GatherOp(v, p, axis=0),
            movement.ReshapeOp(turned, shape=(77,)),
            movement.ExpandOp(v, shape=(2, 7, 11)),
            select.WhereOp(m, v, one),
        ]
        return [turned, *(op.results[0] for op in ops)]

    one = np.ones((), np.int8).astype(dtype)
    expected = [
        x.T,
        np.concatenate([x, x]),
        x[6:0:-2, 1:11:2],
        np.pad(x, [(1, 0), (0, 2)], constant_values=one),
        np.pad(x, [(0, 1), (1, 0)]),
        x[places],
        x.T.reshape(77),
        np.broadcast_to(x, (2, 7, 11)),
        np.where(mask, x, one),
    ]
    found = results(target, [x, mask, places], body)
    for one_found, want in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one_found, want, strict=True)


@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_nothing_computes_with_them(dtype: np.dtype[Any]) -> None:
    (x,) = [LiteralOp(every(dtype)).result]
    name = str(element_type_of(dtype))
    with pytest.raises(VerifyException, match=f"a float or integer element .*{name}$"):
        AddOp(x, x)
    for op, parameters in ((EqualOp, {}), (ReduceMaxOp, {"axes": (0,)})):
        operands = [x, x] if op is EqualOp else [x]
        with pytest.raises(VerifyException, match=f"supported element type.*{name}$"):
            op(*operands, **parameters)
    with pytest.raises(VerifyException, match=f"supported element type, got {name}"):
        select.BitcastOp(x, to=element_type_of(np.dtype(np.int8)))


@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_text_weights_and_executables_keep_them(
    dtype: np.dtype[Any], tmp_path: Path
) -> None:
    weight, small = every(dtype), every(dtype, 14)
    same = weight.view(np.uint8).view(SMALL[0] if dtype != SMALL[0] else SMALL[1])

    def body(w: Any, v: Any) -> list[Any]:
        return [w, v, LiteralOp(small).result]

    module = module_of([], {"w": weight, "v": same}, body)
    (tmp_path / "net.mlir").write_text(debug_text(module))
    save_weights(module, tmp_path / "net.weights.safetensors")
    expected = [weight, same, small]
    del module
    net = glow.compile(tmp_path / "net.mlir", target="cpu")
    net.save(tmp_path / "net.glow")
    for run in (net, glow.load_executable(tmp_path / "net.glow")):
        for found, want in zip(run(), expected, strict=True):
            np.testing.assert_array_equal(found, want, strict=True)


def model(dtype: np.dtype[Any], shape: tuple[int, ...], **fields: Any) -> Any:
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    initializer = TensorProto(name="w", data_type=kind, dims=shape, **fields)
    node = helper.make_node("Identity", ["w"], ["y"])
    outputs = [helper.make_tensor_value_info("y", kind, shape)]
    return helper.make_model(helper.make_graph([node], "g", [], outputs, [initializer]))


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("dtype", IN_ONNX, ids=str)
def test_onnx_has_several_in_a_byte(dtype: np.dtype[Any], raw: bool) -> None:
    x = every(dtype, 7).reshape(7)
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    made = helper.make_tensor("w", kind, (7,), x.astype(np.float32))
    packed = np.array(made.int32_data).astype(np.uint8).tobytes() or made.raw_data
    fields = {"raw_data": packed} if raw else {"int32_data": list(packed)}
    net = glow.compile(model(dtype, (7,), **fields), target="reference")
    np.testing.assert_array_equal(net(), x, strict=True)


def test_onnx_data_of_another_size_are_refused() -> None:
    int4 = dtype_named("int4")
    with pytest.raises(glow.InvalidModelError, match="3 bytes of data, expected 4"):
        glow.load(model(int4, (7,), raw_data=b"abc"))
    message = "an element in int32_data that is not an int4"
    with pytest.raises(glow.InvalidModelError, match=message):
        glow.load(model(int4, (2,), int32_data=[256]))


def test_networks_take_them(tmp_path: Path) -> None:
    b = glow.Builder()
    x = b.input("x", (2, 3), "uint2")
    b.output("y", b.cast(x, to="float32"))
    net = glow.compile(b.model())
    assert "x: uint2[2, 3]" in str(net.signature)
    drawn = random_inputs(net.signature, 0)["x"]
    np.testing.assert_array_equal(net(drawn), drawn.astype(np.float32))
    assert tensor(element_type_of(drawn.dtype), (2, 3)) == x.type
    with pytest.raises(glow.BindingError, match="uint2"):
        net(drawn.astype(np.uint8))
