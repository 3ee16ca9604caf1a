"""Gradients of single ops by their rules, beside central differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from graph_code import run
from random_ops import GENERATORS
from random_ops.call import F64, Array, Call, Source
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from glow.dialects.graph.detection import RoiAlignOp
from glow.dialects.graph.linear import MOST_ROWS, DetOp
from glow.dialects.graph.resize import ResizeOp
from glow.dialects.graph.storage import LiteralOp
from glow.passes.graph.differentiate import DifferentiatePass
from glow.support.types import element_type_of, is_float, tensor

STEP, TOLERANCE = 1e-6, 1e-4
WITH_ROIS = ResizeOp, RoiAlignOp
"""Ops whose operand 1 says where they read the others."""


# Where functions of floats are smooth, if that is not near 0, and the ops that have it.
DOMAINS = {
    "graph.acos": (-0.9, 0.9),
    "graph.acosh": (1.1, 3.0),
    "graph.asin": (-0.9, 0.9),
    "graph.atanh": (-0.9, 0.9),
    "graph.batch_norm": (0.3, 2.0),
    "graph.log": (0.2, 3.0),
    "graph.mod": (0.5, 3.0),
    "graph.pow": (0.3, 2.0),
    "graph.reduce_log_sum": (0.2, 2.0),
    "graph.sqrt": (0.2, 3.0),
    "graph.tan": (-1.2, 1.2),
}


class SmoothSource(Source):
    """Random choices of finite floats, between bounds if there are any."""

    def __init__(self, name: str, seed: int):
        super().__init__(seed, *name.encode())
        self.bounds = DOMAINS.get(name)

    def array(
        self, shape: Sequence[int], dtype: Any, strange: float = 0.2, scale: float = 3
    ) -> Array:
        if np.dtype(dtype).kind != "f":
            return super().array(shape, dtype, 0, scale)
        if self.bounds is not None:
            return np.asarray(self.rng.uniform(*self.bounds, shape), dtype)
        return np.asarray(self.rng.normal(0, min(scale, 1), shape), dtype)


def backward_module(call: Call) -> ModuleOp:
    """
    Return a module whose main gives the gradients of all floats that `call` takes.

    It takes the arrays of the call, then a gradient for each result of floats. Rois are
    literals, as what decides in a run which elements are read has no gradient.
    """
    block = Block(arg_types=[_type_of(array) for array in call.arrays])
    operands: list[SSAValue] = list(block.args)
    if call.op in WITH_ROIS and len(operands) > 1:
        roi = LiteralOp(call.arrays[1])
        block.add_op(roi)
        operands[1] = roi.result
    op = call.build(operands)
    block.add_ops([op, ReturnOp(*op.results)])
    types = [arg.type for arg in block.args], [result.type for result in op.results]
    module = ModuleOp([FuncOp("main", types, Region(block))])
    DifferentiatePass().apply(Context(), module)
    original, gradient = [op for op in module.ops if isinstance(op, FuncOp)]
    original.detach()
    gradient.sym_name = original.sym_name
    module.verify()
    return module


def problems_of(call: Call, seed: int = 0) -> list[str] | None:
    """
    Compare the gradient of each operand with differences along a random line.

    Returns None where the call has a kink there: differences to both sides differ.
    """
    rng = np.random.default_rng(seed)
    arrays = call.arrays
    results = [r for r in call.expected() if r.dtype.kind == "f"]
    incoming = [
        np.where(np.isfinite(r), rng.standard_normal(r.shape), 0) for r in results
    ]

    def value(moved: Sequence[Array]) -> float:
        with np.errstate(all="ignore"):
            outputs = call.build().evaluate(moved)
        floats = [r for r in outputs if r.dtype.kind == "f"]
        return sum(_dot(r, g) for r, g in zip(floats, incoming, strict=True))

    gradient = run(backward_module(call), [*arrays, *incoming])
    floats = [i for i, a in enumerate(arrays) if a.dtype.kind == "f"]
    if call.op in WITH_ROIS:
        floats, gradient = floats[:1], gradient[:1]
    middle, problems = value(arrays), list[str]()
    for place, found in zip(floats, gradient, strict=True):
        assert found.shape == arrays[place].shape
        line = rng.standard_normal(found.shape)
        left, right = (
            value([*arrays[:place], arrays[place] + h * line, *arrays[place + 1 :]])
            for h in (-STEP, STEP)
        )
        slope, expected = _dot(found, line), (right - left) / (2 * STEP)
        scale = float(np.abs(found * line).sum()) + abs(middle) * 1e-4 + 1e-2
        bend = abs(right + left - 2 * middle) / STEP
        if not bend <= TOLERANCE * scale:
            return None
        if not abs(slope - expected) <= TOLERANCE * scale:
            problems.append(f"{call}: operand {place}: {slope}, expected {expected}")
    return problems


def _dot(one: Array, other: Array) -> float:
    finite = np.isfinite(one)
    return float((one[finite] * other[finite]).sum())


def smooth_calls(name: str, seed: int) -> Iterator[Call]:
    """Yield random calls of an op on floats of 64 bits, which have a meaning."""
    source = SmoothSource(name, seed)
    while True:
        call = GENERATORS[name](source).with_floats(F64)
        if "to" in call.parameters and is_float(call.parameters["to"]):
            call = replace(call, parameters=call.parameters | {"to": f64})
        is_large = call.op is DetOp and call.arrays[0].shape[-1] > MOST_ROWS
        has_floats = any(a.dtype.kind == "f" for a in call.arrays)
        is_adaptive = call.parameters.get("sampling_ratio") == 0
        if has_floats and call.has_meaning and not is_large and not is_adaptive:
            yield call


def checked_calls(name: str, count: int, seed: int = 0) -> tuple[list[Call], list[str]]:
    """Return `count` calls without a kink where they are, and what is wrong."""
    calls, problems = list[Call](), list[str]()
    for number, call in enumerate(smooth_calls(name, seed)):
        found = problems_of(call)
        if found is not None:
            calls.append(call)
            problems += found
        if len(calls) == count:
            break
        assert number < 20 * count, f"{name} is smooth almost nowhere"
    return calls, problems


def _type_of(array: Array) -> Any:
    return tensor(element_type_of(array.dtype), array.shape)
