"""What is written out is recognized in parts of splits, and beside unread ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from grids import slow_but
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import glow
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.unary import NegOp
from glow.graph_modules import context
from glow.pass_manager import plan, run_passes
from glow.runtime.comparison import error_of
from glow.support.types import element_of, is_float

F32 = np.float32
RNG = np.random.default_rng(0)
W = RNG.standard_normal((8, 8), F32)
SCALE = np.linspace(0.5, 2, 8, dtype=F32)
ANGLES = RNG.standard_normal((4, 4), F32)
PLACES = RNG.integers(0, 4, (3, 5))


def erf_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + glow.nn.erf(x / F32(np.sqrt(2))))


def tanh_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(F32(np.sqrt(2 / np.pi)) * (x + 0.044715 * x**3)))


def swish(x: Any) -> Any:
    return x * glow.nn.sigmoid(1.5 * x)


def rms_norm(x: Any) -> Any:
    return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5) * SCALE


def layer_norm(x: Any) -> Any:
    d = x - np.mean(x, -1, keepdims=True)
    return d / np.sqrt(np.mean(d * d, -1, keepdims=True) + 1e-5) * SCALE + SCALE


def cross_entropy(x: Any) -> Any:
    s, t = glow.nn.sigmoid(x), SCALE > 1
    t = np.asarray(t, F32) + 0 * x
    return np.mean(SCALE * -(t * np.log(s) + (1 - t) * np.log(1 - s)))


def attention(x: Any) -> Any:
    scores = x @ np.swapaxes(x, -1, -2) * F32(0.3) + np.tri(4, dtype=F32)
    return glow.nn.softmax(scores) @ x


def rotated(x: Any) -> Any:
    cos, sin = (np.concatenate([f(ANGLES)] * 2, -1) for f in (np.cos, np.sin))
    a, b = np.split(x, 2, -1)
    return x * cos + np.concatenate([-b, a], -1) * sin


def bag(x: Any) -> Any:
    return np.sum(np.take(np.reshape(x, (-1, 8)), PLACES, 0), 1)


def biased(x: Any) -> Any:
    return x @ W + SCALE


RECOGNIZED: dict[Callable[[Any], Any], tuple[str, str]] = {
    erf_gelu: ("recognize-functions", "graph.gelu"),
    tanh_gelu: ("recognize-functions", "graph.gelu"),
    swish: ("recognize-functions", "graph.swish"),
    rms_norm: ("recognize-functions", "graph.rms_norm"),
    layer_norm: ("recognize-functions", "graph.layer_norm"),
    cross_entropy: (
        "recognize-functions",
        "graph.binary_cross_entropy_with_logits_loss",
    ),
    attention: ("recognize-attention", "graph.attention"),
    rotated: ("recognize-rotary-embedding", "graph.rotary_embedding"),
    bag: ("form-embedding-bags", "graph.embedding_bag"),
    biased: ("fold-bias", "graph.matmul"),
}
SHAPE = (2, 3, 4, 8)


def halves(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """It is computed of a half; an elementwise function before is moved behind."""

    def network(x: Any) -> Any:
        one, two = np.split(np.tanh(x), 2, 0)
        return function(np.reshape(one, SHAPE[1:])), np.exp(two)

    return network


def chunks(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """It is computed of each part, as of one product for several."""

    def network(x: Any) -> Any:
        wide = np.concatenate([x, x + 1, x * 2], -1)
        return tuple(function(part) for part in np.split(wide, 3, -1))

    return network


def add_unread(module: ModuleOp) -> None:
    """Let an op that nothing reads, and one of that, read each value of floats."""
    for function in (op for op in module.ops if isinstance(op, FuncOp)):
        for op in list(function.body.block.ops):
            for value in op.results:
                if isinstance(op, GraphOp) and is_float(element_of(value)):
                    first = NegOp(value)
                    ops = [first, NegOp(first.result)]
                    function.body.block.insert_ops_after(ops, op)


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", slow_but(["halves", "chunks", "chunks, beside unread ops"], "chunks")
)
@pytest.mark.parametrize("function", RECOGNIZED, ids=lambda f: f.__name__)
def test_parts_are_recognized(function: Callable[[Any], Any], form: str) -> None:
    name, wanted = RECOGNIZED[function]
    x = RNG.standard_normal(SHAPE, F32)
    network = (halves if form == "halves" else chunks)(function)
    model = glow.trace(network, x)
    if "unread" in form:
        add_unread(model.module)
    expected = glow.compile(model, target="reference", disable=(name,)).run([x])
    found = glow.compile(model).run([x])
    for key, array in expected.items():
        assert error_of(found[key], array) <= 1e-5
    passes = [each for part in plan("import", "graph", "cpu") for each in part.passes]
    last = next(n for n, each in enumerate(passes) if each.name == name)
    run_passes(passes[: last + 1], context(), model.module)
    made = [op for op in model.module.walk() if op.name == wanted]
    assert len(made) == (1 if form == "halves" else 3)
    if wanted == "graph.matmul":
        assert all(len(op.operands) == 3 for op in made)
