"""What graph ops compute, against ONNX Runtime, at ordinary and at strange values."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType, f32, f64, i1, i32, i64
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.base import GraphOp
from glow.registry import UNIVERSE
from glow.support.types import element_type_of

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

Array = NDArray[Any]

INF, NAN = np.inf, np.nan
SIZES = np.array([0, 1.5, 2.5, 0.5, 1e-8, 0.3, 0.99, 7, 88, 100, 3e38, INF])
STRANGE = np.concatenate([SIZES, -SIZES, [NAN]])
WHOLE = np.array([0, 1, -1, 2, -2, 3, 7, -7, 63, -100, 2**31 - 1, -(2**31)])
# A zero may have either sign in what these compute at -0.0.
ANY_ZERO = {"relu", "selu", "celu"}
TOLERANCE = {np.float32: 2e-6, np.float64: 1e-12}


@cache
def ops() -> dict[str, type[GraphOp]]:
    dialect = UNIVERSE.all_dialects["graph"]()
    return {op.name: op for op in dialect.operations if issubclass(op, GraphOp)}


@dataclass
class Case:
    """One call of an ONNX operator and of the graph op that stands for it."""

    onnx_name: str
    name: str
    arrays: list[Array | None]
    parameters: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] | None = None
    extra: tuple[Array, ...] = ()
    opset: int = 20

    def __str__(self) -> str:
        dtypes = "-".join(str(a.dtype) for a in self.arrays if a is not None)
        values = "-".join(f"{k}={v}" for k, v in self.parameters.items())
        return f"{self.name}-{dtypes}-{values}"


def from_graph(case: Case) -> tuple[Array, ...]:
    """Build the op, verify it, and return what it computes."""
    values = [None if a is None else create_ssa_value(type_of(a)) for a in case.arrays]
    op = ops()[f"graph.{case.name}"](*values, **case.parameters)
    op.verify()
    found = op.evaluate([a for a in case.arrays if a is not None])
    for array, result in zip(found, op.results, strict=True):
        assert type_of(array) == result.type
    return found


def type_of(array: Array) -> TensorType[Any]:
    return TensorType(element_type_of(array.dtype), array.shape)


def from_onnx(case: Case, results: tuple[Array, ...]) -> list[Array]:
    """Return what ONNX Runtime computes; `results` tell element types."""
    helper = onnx.helper
    arrays = [*case.arrays, *case.extra]
    names = ["" if a is None else f"i{k}" for k, a in enumerate(arrays)]
    attributes = case.parameters if case.attributes is None else case.attributes
    outputs = [f"o{k}" for k in range(len(results))]
    node = helper.make_node(case.onnx_name, names, outputs, **attributes)
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in [
            *zip(names, arrays, strict=True),
            *zip(outputs, results, strict=True),
        ]
        if array is not None
    ]
    split = len(infos) - len(outputs)
    graph = helper.make_graph([node], "case", infos[:split], infos[split:])
    opsets = [helper.make_opsetid("", case.opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    feeds = {n: a for n, a in zip(names, arrays, strict=True) if a is not None}
    return session.run(None, feeds)


def compare(case: Case) -> None:
    found = from_graph(case)
    for actual, expected in zip(found, from_onnx(case, found), strict=True):
        assert actual.dtype == expected.dtype
        tolerance = TOLERANCE.get(actual.dtype.type, 0)
        np.testing.assert_allclose(
            actual, expected, rtol=20 * tolerance, atol=tolerance, strict=True
        )
        if case.name not in ANY_ZERO:
            zero = (actual == 0) & (expected == 0)
            signs = np.signbit(actual[zero]), np.signbit(expected[zero])
            np.testing.assert_array_equal(*signs)


def title(name: str) -> str:
    return "".join(word.title() for word in name.split("_"))


def floats(dtype: type, *shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0, 2, shape).astype(dtype)


def integers(dtype: type, *shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(dtype)


# Those after the first row ONNX Runtime has in f32 alone, or in few types.
UNARY = """
abs neg exp log sqrt reciprocal floor ceil round sign sin cos tanh relu sigmoid
asin acos atan sinh cosh asinh acosh atanh tan erf leaky_relu elu selu celu mish
thresholded_relu hard_sigmoid hard_swish softplus softsign shrink gelu
"""


def unary_cases() -> Iterator[Case]:
    for row in UNARY.split("\n"):
        for name in row.split():
            yield Case(title(name), name, [STRANGE.astype(np.float32)])
    for name in UNARY.split("\n")[1].split():
        yield Case(title(name), name, [STRANGE])
    whole = WHOLE.astype(np.int32)
    for name in ("abs", "neg", "sign", "relu"):
        yield Case(title(name), name, [whole])
    for negative in (False, True):
        for positive in (False, True):
            flags = {"detect_negative": negative, "detect_positive": positive}
            yield Case("IsInf", "is_inf", [STRANGE], flags)
    yield Case("IsNaN", "is_nan", [STRANGE.astype(np.float32)])
    yield Case("Not", "not", [np.array([True, False])])
    yield Case("BitwiseNot", "bitwise_not", [whole])
    x = STRANGE.astype(np.float32)
    yield Case("LeakyRelu", "leaky_relu", [x], {"alpha": 0.3})
    yield Case("Elu", "elu", [x], {"alpha": 0.7})
    yield Case("Celu", "celu", [x], {"alpha": 2.0})
    yield Case("Selu", "selu", [x], {"alpha": 2.0, "gamma": 1.5})
    yield Case("ThresholdedRelu", "thresholded_relu", [x], {"alpha": 0.4})
    yield Case("HardSigmoid", "hard_sigmoid", [x], {"alpha": 0.3, "beta": 0.4})
    yield Case("Shrink", "shrink", [x], {"bias": 0.25, "lambd": 0.4})
    yield Case("Shrink", "shrink", [whole[:10]], {"bias": 1.5, "lambd": 1.5})
    yield Case("Gelu", "gelu", [x], {"approximate": "tanh"})


def binary_cases() -> Iterator[Case]:
    for name in ("add", "sub", "mul", "div", "pow", "max", "min"):
        for dtype in (np.float32, np.float64):
            table = np.meshgrid(STRANGE.astype(dtype), STRANGE.astype(dtype))
            yield Case(title(name), name, table)
            yield Case(
                title(name), name, [floats(dtype, 2, 1, 3), floats(dtype, 4, 1, seed=1)]
            )
        for dtype in (np.int32, np.int64):
            left, right = integers(dtype, 3, 4), integers(dtype, 4, seed=1)
            right[right == 0] = 5
            yield Case(title(name), name, [left, right])
    for dtype in (np.int32, np.int64):
        table = np.meshgrid(np.arange(-9, 9, dtype=dtype), np.array([-4, -1, 3], dtype))
        yield Case("Div", "div", table)
        yield Case("Mod", "mod", table)
        yield Case("Mod", "mod", table, {"fmod": True})
        yield Case("BitwiseAnd", "bitwise_and", table)
        yield Case("BitwiseOr", "bitwise_or", table)
        yield Case("BitwiseXor", "bitwise_xor", table)
    edge = [np.array([-(2**31)] * 2, np.int32), np.array([3, -3], np.int32)]
    yield Case("Div", "div", edge)
    yield Case("Mod", "mod", np.meshgrid(STRANGE, STRANGE), {"fmod": True})
    table = np.meshgrid([True, False], [True, False])
    for name in ("and", "or", "xor", "equal"):
        yield Case(title(name), name, table)


def comparison_cases() -> Iterator[Case]:
    for name in ("equal", "less", "less_or_equal", "greater", "greater_or_equal"):
        onnx_name = title(name)
        yield Case(onnx_name, name, np.meshgrid(STRANGE, STRANGE))
        yield Case(onnx_name, name, [integers(np.int32, 5, 4), integers(np.int32, 4)])


def power_cases() -> Iterator[Case]:
    x, k = STRANGE.astype(np.float32), np.array([0, 1, -1, 2, 3, -3], np.int64)
    yield Case("Pow", "pow", np.meshgrid(x, k))
    yield Case("Pow", "pow", np.meshgrid(x, k.astype(np.int32)))
    yield Case("Pow", "pow", np.meshgrid(integers(np.int32, 9), np.array([0.5, 2.0])))
    edge = np.array([2, 10, 0, -1], np.int32), np.array([31, 12, -1, -3], np.int32)
    yield Case("Pow", "pow", list(edge))
    edge = np.array([3, 2], np.int64), np.array([39, 63], np.int64)
    yield Case("Pow", "pow", list(edge))


def select_cases() -> Iterator[Case]:
    condition = np.array([[True], [False]])
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        left, right = integers(dtype, 3), integers(dtype, 4, 1, 3, seed=1)
        yield Case("Where", "where", [condition, left, right])
    far = [2.0**31, -(2.0**31), -(2.0**31) - 1, 2.0**63, -(2.0**63), 1e30, 1.9, -1.9]
    reals = np.concatenate([STRANGE, far])
    types = {np.float32: f32, np.float64: f64, np.int32: i32, np.int64: i64, bool: i1}
    for source in (np.float32, np.float64, np.int32, np.int64, np.bool_):
        array = reals if np.dtype(source).kind == "f" else WHOLE
        with np.errstate(all="ignore"):
            array = array.astype(source)
        for target, element in types.items():
            to = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(target))
            yield Case("Cast", "cast", [array], {"to": element}, {"to": to})
    for dtype in map(np.dtype, ("i1", "i2", "u1", "u2", "u4", "u8")):
        # Of u32, ONNX Runtime converts the last elements of a tensor another way.
        array = np.resize(reals[np.abs(reals) < 2**31] if dtype == "u4" else reals, 64)
        to = onnx.helper.np_dtype_to_tensor_dtype(dtype)
        element = element_type_of(dtype)
        for real in (array.astype(np.float32), array):
            yield Case("Cast", "cast", [real], {"to": element}, {"to": to})
    wide = np.array([2**31, 2**40 + 5, -(2**33) - 1])
    yield Case("Cast", "cast", [wide], {"to": i32}, {"to": onnx.TensorProto.INT32})


def clip_cases() -> Iterator[Case]:
    for dtype in (np.float32, np.float64, np.int32):
        array = (WHOLE if dtype is np.int32 else STRANGE).astype(dtype)
        low, high = np.array(-1, dtype), np.array(2, dtype)
        for bounds in ([low, high], [high, low], [None, high], [low], []):
            yield Case("Clip", "clip", [array, *bounds])
    array, nan = STRANGE.astype(np.float32), np.array(NAN, np.float32)
    yield Case("Clip", "clip", [array, nan, np.array(1, np.float32)])
    yield Case("Clip", "clip", [array, np.array(1, np.float32), nan])


SUMS = ("sum", "prod", "mean", "sum_square", "log_sum", "log_sum_exp")
REDUCTIONS = {"reduce_l1": "ReduceL1", "reduce_l2": "ReduceL2"} | {
    f"reduce_{name}": f"Reduce{title(name)}" for name in (*SUMS, "max", "min")
}


def reduction_case(name: str, array: Array, axes: tuple[int, ...], keep: bool) -> Case:
    attributes = {"keepdims": keep, "noop_with_empty_axes": 1}
    parameters = {"axes": axes, "keepdims": keep}
    extra = (np.array(axes, np.int64),)
    return Case(REDUCTIONS[name], name, [array], parameters, attributes, extra)


def reduction_cases() -> Iterator[Case]:
    for name in REDUCTIONS:
        for axes in ((1,), (-1,), (0, 2), (0, 1, 2), ()):
            for keep in (False, True):
                yield reduction_case(name, floats(np.float32, 2, 3, 4) + 3, axes, keep)
        yield reduction_case(name, integers(np.int32, 2, 3, 4), (0, 2), True)
        yield reduction_case(name, floats(np.float64, 5, 6) + 3, (1,), True)
    infinite = np.array([[INF, 1, 2], [-INF, -INF, -INF], [INF, -INF, 1]], np.float32)
    for name in ("reduce_log_sum_exp", "reduce_sum", "reduce_max", "reduce_l2"):
        yield reduction_case(name, infinite, (1,), True)
    for name in sorted(set(REDUCTIONS) - {"reduce_mean"}):
        yield reduction_case(name, np.zeros((2, 0), np.float32), (1,), True)
    large = np.array([[1000, 1001], [-1000, -1001]], np.float32)
    yield reduction_case("reduce_log_sum_exp", large, (1,), False)
    for name in ("reduce_max", "reduce_min"):
        yield reduction_case(name, np.array([[True, False], [True, True]]), (1,), False)


def arg_cases() -> Iterator[Case]:
    ties = np.array(
        [[1, 3, 3, 1], [NAN, 1, 2, 0], [0, NAN, 5, NAN], [-0.0, 0.0, -0.0, 0.0]],
        np.float32,
    )
    for name in ("arg_max", "arg_min"):
        for array in (ties, ties.T.copy(), integers(np.int32, 3, 4)):
            for axis in (0, -1):
                for last in (False, True):
                    for keep in (False, True):
                        yield Case(
                            title(name),
                            name,
                            [array],
                            {"axis": axis, "keepdims": keep, "select_last_index": last},
                        )


def normalization_cases() -> Iterator[Case]:
    for dtype in (np.float32, np.float64):
        x = floats(dtype, 2, 5, 3, 4)
        for axis in (0, 1, -1):
            yield Case("Softmax", "softmax", [x], {"axis": axis})
            yield Case("LogSoftmax", "log_softmax", [x * 50], {"axis": axis})
        scale, bias = floats(dtype, 3, 4, seed=1), floats(dtype, 3, 4, seed=2)
        norm = "LayerNormalization"
        yield Case(norm, "layer_norm", [x, scale, bias], {"axis": 2})
        yield Case(norm, "layer_norm", [x, scale[0]], {"axis": -1, "epsilon": 2**-6})
    x = floats(np.float32, 2, 5, 3, 4)
    scale = floats(np.float32, 3, 4, seed=1)
    yield Case(
        "LayerNormalization",
        "layer_norm",
        [x, scale, scale],
        {"axis": 2, "with_statistics": True},
        {"axis": 2},
    )
    for size in (1, 3, 5):
        yield Case("LRN", "lrn", [x], {"size": size, "alpha": 0.2, "bias": 2.0})
    strange = np.array([[1, INF, 2], [-INF] * 3, [NAN, 1, 2], [-INF, 1, 2]], np.float32)
    yield Case("Softmax", "softmax", [strange])
    yield Case("LogSoftmax", "log_softmax", [strange])


CASES = [
    *unary_cases(),
    *binary_cases(),
    *comparison_cases(),
    *power_cases(),
    *select_cases(),
    *clip_cases(),
    *reduction_cases(),
    *arg_cases(),
    *normalization_cases(),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning_is_that_of_onnx_runtime(case: Case) -> None:
    compare(case)


def evaluate(name: str, *arrays: Array, **parameters: Any) -> Array:
    (found,) = from_graph(Case("", name, list(arrays), parameters))
    return found


@pytest.mark.parametrize("name", ["div", "mod"])
def test_integer_division_by_zero_is_an_error(name: str) -> None:
    one, zero = np.array([1, 2], np.int32), np.array([1, 0], np.int32)
    with pytest.raises(ZeroDivisionError):
        evaluate(name, one, zero)
    assert evaluate(name, one[:0], zero[:0]).size == 0


def test_integer_mean_of_nothing_is_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        evaluate("reduce_mean", np.zeros((2, 0), np.int32), axes=(1,))
    assert np.isnan(evaluate("reduce_mean", np.zeros((2, 0)), axes=(1,))).all()


@pytest.mark.parametrize("name", ["max", "min"])
def test_nan_wins_whatever_broadcasts(name: str) -> None:
    """ONNX Runtime drops NaN where one side is a scalar; ONNX does not."""
    found = evaluate(name, np.array([NAN, 1.0]), np.array(0.5))
    assert np.isnan(found).tolist() == [True, False]
    assert np.isnan(evaluate(f"reduce_{name}", np.array([1, NAN]), axes=(0,)))


def test_right_shifts_keep_the_sign() -> None:
    bits = np.array([1, -1, 3, -1, 5, 5], np.int32)
    places = np.array([31, 28, 1, 32, 40, -1], np.int32)
    left = evaluate("bit_shift", bits, places, direction="LEFT")
    right = evaluate("bit_shift", bits, places, direction="RIGHT")
    assert left.tolist() == [-(2**31), -(2**28), 6, 0, 0, 0]
    assert right.tolist() == [0, -1, 1, -1, 0, 0]


def test_saturating_cast_keeps_order() -> None:
    reals = np.array([NAN, INF, -INF, 2.0**31, -(2.0**31) - 1, 2.0**31 - 0.5, -1.9])
    found = evaluate("cast", reals, to=i32, saturate=True)
    top, bottom = 2**31 - 1, -(2**31)
    assert found.tolist() == [0, top, bottom, top, bottom, top, -1]
    found = evaluate("cast", np.array([2.0**63, -(2.0**63)]), to=i64, saturate=True)
    assert found.tolist() == [2**63 - 1, -(2**63)]


def test_swish_is_x_times_sigmoid() -> None:
    x = floats(np.float32, 9)
    expected = x / (1 + np.exp(-1.5 * x))
    np.testing.assert_allclose(evaluate("swish", x, alpha=1.5), expected, rtol=1e-5)
    assert evaluate("swish", np.array([-1e4, 1e4])).tolist() == [0, 1e4]


def test_where_takes_bools() -> None:
    flags = np.array([True, False])
    assert evaluate("where", flags, ~flags, flags).tolist() == [False, False]
