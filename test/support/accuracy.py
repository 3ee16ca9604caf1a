"""Errors of elementwise functions, against long doubles, over all exponents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import models
import numpy as np
import onnxruntime
from convolutions import Case, reference
from doubles import run_in_double
from numpy.typing import NDArray
from small_onnx import info, model, node

import glow
import glow.lowering.convolution.algorithm as choice
from glow.dialects.graph.activation import SELU_ALPHA, SELU_GAMMA
from glow.lowering.convolution.winograd import F2, F4
from glow.runtime.comparison import error_of

Array = NDArray[Any]
Long = np.longdouble
PI = Long("3.14159265358979323846264338327950288")
LONG_ENOUGH = np.finfo(Long).nmant >= 63
"""Whether long doubles have digits beyond those of f64."""


def _erf_near(x: Array) -> Array:
    """Return erf(x) for 0 <= x <= 2.5, by a series whose terms are all positive."""
    total = term = x
    for n in range(1, 80):
        term = term * (2 * x * x / (2 * n + 1))
        total = total + term
    return 2 / np.sqrt(PI) * np.exp(-x * x) * total


def _erfc_far(x: Array) -> Array:
    """Return 1 - erf(x) for x >= 2.5, by a continued fraction."""
    fraction = np.zeros_like(x)
    for n in range(200, 0, -1):
        fraction = Long(n) / 2 / (x + fraction)
    return np.exp(-x * x) / np.sqrt(PI) / (x + fraction)


def erfc(x: Array) -> Array:
    """Return 1 - erf(x) without cancellation."""
    size = np.abs(x)
    near = 1 - np.copysign(_erf_near(np.minimum(size, 2.5)), x)
    far = _erfc_far(np.maximum(size, 2.5))
    return np.where(size < 2.5, near, np.where(x < 0, 2 - far, far))


def erf(x: Array) -> Array:
    size = np.abs(x)
    near = _erf_near(np.minimum(size, 2.5))
    far = 1 - _erfc_far(np.maximum(size, 2.5))
    return np.copysign(np.where(size < 2.5, near, far), x)


def sigmoid(x: Array) -> Array:
    decay = np.exp(-np.abs(x))
    return np.where(x < 0, decay, 1) / (1 + decay)


def softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def elu(x: Array, alpha: float = 1, gamma: float = 1) -> Array:
    return np.where(x < 0, np.expm1(np.minimum(x, 0)) * Long(alpha), x) * Long(gamma)


def _gate(x: Array, alpha: Any, beta: float) -> Array:
    return np.clip(x * Long(alpha) + Long(beta), 0, 1)


def _gelu_of_tanh(x: Array) -> Array:
    return x * sigmoid(2 * np.sqrt(2 / PI) * (x + Long(0.044715) * x**3))


def _one(x: Array) -> Array:
    return np.ones_like(x)


def _least(x: Array) -> Array:
    """Return the number whose unit in the last place is the least normal number."""
    info = np.finfo(x.dtype)
    return np.full_like(x, info.tiny / info.eps)


def _least_of_gate(x: Array) -> Array:
    return np.abs(x) * _least(x)


@dataclass(frozen=True)
class Function:
    """
    An elementwise function of one tensor: its exact values, and the error allowed.

    Errors are in units in the last place of the result, or of `scale` where that is
    larger: of a term that cancels, or of a number so small that what is denormal may
    be left out.
    """

    exact: Callable[[Array], Array]
    f32: float
    f64: float
    scale: Callable[[Array], Array] | None = None
    scale_text: str = "the result"
    parameters: tuple[tuple[str, Any], ...] = ()

    def bound(self, dtype: type[np.floating[Any]]) -> float:
        return self.f32 if dtype is np.float32 else self.f64


_TANH = (("approximate", "tanh"),)
FUNCTIONS = {
    "acos": Function(np.arccos, 1, 1),
    "acosh": Function(np.arccosh, 2, 2),
    "asin": Function(np.arcsin, 1, 1),
    "asinh": Function(np.arcsinh, 2, 2),
    "atan": Function(np.arctan, 1, 1),
    "atanh": Function(np.arctanh, 2, 2),
    "celu": Function(elu, 2, 2),
    "cos": Function(np.cos, 1, 1),
    "cosh": Function(np.cosh, 2, 2),
    "elu": Function(elu, 2, 2),
    "erf": Function(erf, 6, 1),
    "exp": Function(np.exp, 2, 1),
    "gelu": Function(lambda x: x / 2 * erfc(-x / np.sqrt(Long(2))), 6, 2,
        np.abs, "the input"),
    "gelu, tanh": Function(_gelu_of_tanh, 6, 2, np.abs, "the input", _TANH),
    "hard_sigmoid": Function(lambda x: _gate(x, 0.2, 0.5), 1, 1, _one, "1"),
    "hard_swish": Function(lambda x: x * _gate(x, Long(1) / 6, 0.5), 2, 2,
        np.abs, "the input"),
    "leaky_relu": Function(lambda x: np.where(x < 0, x * Long(0.01), x), 1, 1),
    "log": Function(np.log, 2, 1),
    "mish": Function(lambda x: x * np.tanh(softplus(x)), 6, 4,
        _least_of_gate, "the input times 1e-31 (f32), 1e-292 (f64)"),
    "reciprocal": Function(lambda x: 1 / x, 0.5, 0.5),
    "selu": Function(lambda x: elu(x, SELU_ALPHA, SELU_GAMMA), 3, 3),
    "sigmoid": Function(sigmoid, 3, 2, _least, "1e-31 (f32), 1e-292 (f64)"),
    "sin": Function(np.sin, 1, 1),
    "sinh": Function(np.sinh, 2, 2),
    "softplus": Function(softplus, 2, 2),
    "softsign": Function(lambda x: x / (1 + np.abs(x)), 2, 2),
    "sqrt": Function(np.sqrt, 0.5, 0.5),
    "swish": Function(lambda x: x * sigmoid(x), 3, 3,
        _least_of_gate, "the input times 1e-31 (f32), 1e-292 (f64)"),
    "tan": Function(np.tan, 1, 1),
    "tanh": Function(np.tanh, 6, 2),
}  # fmt: skip
EXACT = {"abs", "ceil", "floor", "neg", "relu", "round", "shrink", "sign",
         "thresholded_relu"}  # fmt: skip
"""Functions whose results NumPy has bit by bit."""
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]


def inputs(dtype: type[np.floating[Any]], seed: int = 0) -> Array:
    """Return numbers of all exponents and both signs, and more of those in use."""
    info = np.finfo(dtype)
    count = 300 if dtype is np.float32 else 30
    random = np.random.default_rng(seed)
    exponents = np.arange(info.minexp - info.nmant - 1, info.maxexp)
    mantissas = random.uniform(1, 2, (len(exponents), count)).astype(dtype)
    mantissas[:, 0], mantissas[:, 1] = 1, np.nextafter(dtype(2), dtype(1))
    each = np.ldexp(mantissas, exponents[:, None].astype(np.int32)).ravel()
    near = [random.uniform(-size, size, 20000) for size in (1, 20, 110, 750)]
    return np.concatenate([each, -each, *near], dtype=dtype, casting="same_kind")


def computed(names: Iterable[str], *arrays: Array) -> dict[str, Array]:
    """Return what machine code makes of arrays by each of some functions."""
    b, given = glow.Builder("net"), {f"x{i}": x for i, x in enumerate(arrays)}
    values = [b.input(name, x.shape, x.dtype) for name, x in given.items()]
    for name in names:
        parameters = FUNCTIONS[name].parameters if name in FUNCTIONS else ()
        op = f"graph.{name.split(',')[0]}"
        b.output(name, b.op(op, *values, **dict(parameters)))
    return glow.compile(b.model(), "cpu").run(given)


def errors(name: str, x: Array, y: Array) -> Array:
    """Return the errors of `y` in units; infinite where NaN or infinity is wrong."""
    function = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        exact = function.exact(x.astype(Long))
        scale = 0 if function.scale is None else function.scale(x)
        return distances(y, exact, scale)


def distances(y: Array, exact: Array, scale: Any = 0) -> Array:
    """Return how far `y` is from exact values, in units of these or of `scale`."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(y.dtype)
        size = np.maximum(np.abs(rounded), scale).astype(y.dtype)
        unit = np.spacing(np.minimum(size, np.finfo(y.dtype).max)).astype(Long)
        distance = np.abs(y.astype(Long) - exact) / unit
    is_same = (y == rounded) | (np.isnan(y) & np.isnan(exact))
    return np.where(is_same & ~np.isfinite(rounded), 0, np.where(
        np.isfinite(rounded) & np.isfinite(y), distance, np.inf)
    )  # fmt: skip


FORMS = {"direct sum": None, "F(2x2, 3x3)": F2, "F(4x4, 3x3)": F4}
DRAWS: dict[str, Callable[[np.random.Generator, Any], Array]] = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "behind a relu": lambda random, shape: np.maximum(random.standard_normal(shape), 0),
    "spread of 1e4": lambda random, shape: (
        random.standard_normal(shape) * 10 ** random.uniform(-2, 2, shape)
    ),
    "long tails": lambda random, shape: random.laplace(0, 1, shape),
}


def drawn(data: str, case: Case) -> tuple[Array, Array]:
    """Return an image and a filter; behind a relu, a filter with long tails."""
    return _pair(data, case.input, case.filter, case.outputs)


def _pair(data: str, first: Any, second: Any, seed: int) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    weights = "long tails" if data == "behind a relu" else data
    x, w = DRAWS[data](random, first), DRAWS[weights](random, second)
    return x.astype(np.float32), w.astype(np.float32)


def errors_of_convolution(data: str, channels: int, side: int) -> list[float]:
    """Return those of ONNX Runtime, of strict sums and of each form."""
    case = Case((1, channels, side, side), channels, (3, 3), (), (1,) * 4)
    x, w = drawn(data, case)
    conv = node("Conv", "x w", "y", pads=case.pads)
    net = model([conv], {"x": case.input}, [info("y", case.result)], {"w": w})
    content = net.SerializeToString()
    results = [_of_peer(content, x), glow.compile(net, accuracy="strict")(x)]
    chosen = choice.winograd_form
    for form in FORMS.values():
        choice.winograd_form = lambda *_, form=form: form
        choice.choose_algorithm.cache_clear()
        results.append(glow.compile(net)(x))
    choice.winograd_form = chosen
    choice.choose_algorithm.cache_clear()
    return _errors(results, reference(case, x, w))


def errors_of_product(data: str, depth: int) -> list[float]:
    """Return those of ONNX Runtime, of strict sums and of fast ones."""
    x, w = _pair(data, (32, depth), (depth, 256), depth)
    result = info("y", (32, 256))
    net = model([node("MatMul", "x w", "y")], {"x": x.shape}, [result], {"w": w})
    nets = [glow.compile(net, accuracy=each) for each in ("strict", "fast")]
    results = [_of_peer(net.SerializeToString(), x), *(each(x) for each in nets)]
    return _errors(results, x.astype(np.float64) @ w)


def errors_of_model(name: str) -> list[float]:
    """
    Return those of ONNX Runtime, of strict sums and of fast ones.

    Errors: a GlowError where ONNX defines an operator of the model for f32 alone.
    """
    net = models.build(name)
    inputs = models.inputs_of(net)
    exact, session = run_in_double(net, inputs), _session(net.SerializeToString())
    names = [output.name for output in session.get_outputs()]
    results = [dict(zip(names, session.run(None, inputs), strict=True))]
    for accuracy in ("strict", "fast"):
        results.append(glow.compile(net, accuracy=accuracy).run(inputs))
    floats = [key for key, array in exact.items() if array.dtype == np.float64]
    return [max(error_of(y[key], exact[key]) for key in floats) for y in results]


def _of_peer(content: bytes, x: Array) -> Array:
    return _session(content).run(None, {"x": x})[0]


def _session(content: bytes) -> Any:
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(content, providers=providers)


def _errors(results: list[Array], exact: Array) -> list[float]:
    """Return the largest errors, as fractions of the largest result."""
    return [np.abs(y - exact).max() / np.abs(exact).max() for y in results]
