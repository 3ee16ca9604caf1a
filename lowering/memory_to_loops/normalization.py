"""Lower softmax and normalization: on vectors along the axes, or across others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from glow.codegen.casts import convert, lowest
from glow.codegen.functions import exponential, fma, larger, log, sqrt
from glow.codegen.strips import Strips
from glow.codegen.values import Value
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.normalization import GroupNormOp, InstanceNormOp
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type, extents_of
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.kernel import Kernel, Work
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule, Spot
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.costs import Costs
from glow.support.types import compute_type, normalize_axis, number_attribute


@dataclass(frozen=True)
class Softmax(Rule):
    """Softmax of a line; with `log`, its logarithm."""

    log: bool

    def line(self, line: Line) -> None:
        compute, least = line.compute, lowest(line.compute)
        # Exponentials wait in the result, unless a narrow type would round them.
        is_stored = not self.log and line.call["x"].element == compute
        peaks = line.total(least, compute)
        for at in line.along(peaks):
            peaks.value = larger(peaks.value, at.load("x", least))
        peak = peaks.result("larger")

        powers = line.total(0, compute)
        for at in line.along(powers):
            power = exponential(at.load("x", least) - peak)
            if is_stored:
                at.store(power)
            powers.value += power
        # An infinite or undefined maximum makes it NaN, as ONNX Runtime has it.
        total = powers.result("add") + (peak - peak)

        if self.log:
            whole = log(total)
            for at in line.along():
                at.store(at.load("x") - peak - whole)
            return
        factor = 1 / total
        for at in line.along():
            power = at.load("y") if is_stored else exponential(at.load("x") - peak)
            at.store(power * factor)


@lowers(SoftmaxOp, LogSoftmaxOp, in_place=True)
def lower_softmax(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    source, result = addressing_of(x), addressing_of(y)
    axes = axes_of(result.shape, [source, result])
    axis = axes.pop(graph_op.parameters()["axis"])
    rule = Softmax(isinstance(graph_op, LogSoftmaxOp))
    strips, across = Strips(0), None
    if compute_type(buffer_type(x).element_type) == f32:
        # Exponentials of f64 are calls of the C library.
        strips = main.strips(x, unroll=2)
        across = main.strips(x) if axis.extent > 1 else None
    lines = LinesOf(rule, [axis], collapse(axes, (1, 0)))
    kernel, row, work = lines.plan(strips, across)
    main.call(kernel, {"x": x, "y": y}, row, work)


@dataclass(frozen=True)
class Norm(Rule):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias; uncentered, the mean is 0.

    `given` are the operands after input and result, out of scale, bias, mean and
    inverse (one over the standard deviation) in this order.
    """

    NUMBERS: ClassVar = ("count",)

    epsilon: float
    centered: bool
    given: tuple[str, ...]

    def per_ns(self, costs: Costs) -> float:
        return costs.normalized_per_ns

    @property
    def moving(self) -> tuple[str, ...]:
        return ("x", "y", *self.given)

    def line(self, line: Line) -> None:
        count = convert(line.numbers["count"], line.compute)
        mean = self._mean(line, count) if self.centered else None
        squares = line.total(0, line.compute)
        for at in line.along(squares):
            x = at.load()
            if mean is not None:
                x = at.strip.cleared(x - mean)
            squares.value = fma(x, x, squares.value)
        inverse = 1 / sqrt(squares.result("add") / count + self.epsilon)
        for name, value in (("mean", mean), ("inverse", inverse)):
            if name in self.given and value is not None:
                line.store(value, name)
        for at in line.along(hoist=("scale", "bias")):
            x = at.load() if mean is None else at.load() - mean
            at.store(self._shifted(at, x * inverse))

    def _mean(self, line: Line, count: Value) -> Value:
        total = line.total(0, line.compute)
        for at in line.along(total):
            total.value += at.load()
        return total.result("add") / count

    def _shifted(self, at: Spot, x: Value) -> Value:
        """Return x times scale plus bias, where there are such."""
        if "scale" not in self.given:
            return x + at.load("bias") if "bias" in self.given else x
        if "bias" not in self.given:
            return x * at.load("scale")
        return fma(x, at.load("scale"), at.load("bias"))


STATISTICS = ("mean", "inverse")

Operands = dict[str, tuple[SSAValue, Addressing]]
"""Buffers, and as what they are seen: x and y, scale and bias, then statistics."""


@lowers(LayerNormOp, RmsNormOp, in_place=True)
def lower_last_axes_norm(main: Main, op: ApplyOp) -> None:
    shape = extents_of(op.buffer("result"))
    statistics = op.several("statistics")
    if 0 in shape:
        _describe_nothing(main, op, statistics)
        return
    buffers = _buffers(op) | dict(zip(STATISTICS, statistics, strict=False))
    operands = {name: (each, addressing_of(each)) for name, each in buffers.items()}
    graph_op = op.graph_op()
    split = normalize_axis(graph_op.parameters()["axis"], len(shape))
    is_centered = isinstance(graph_op, LayerNormOp)
    kernel, row, work = _plan(main, op, operands, split, is_centered)
    main.call(kernel, buffers, row, work)


@lowers(InstanceNormOp, GroupNormOp, in_place=True)
def lower_channel_norm(main: Main, op: ApplyOp) -> None:
    """Lower to what normalizes [N, groups, channels of each, ...] from axis 2 on."""
    shape = extents_of(op.buffer("result"))
    groups = op.graph_op().parameters().get("num_groups", shape[1])
    operands: Operands = {}
    buffers = _buffers(op)
    for name, value in buffers.items():
        is_vector = name in ("scale", "bias")
        places = len(shape) - 2 if is_vector else 0
        seen = _grouped(addressing_of(value), 0 if is_vector else 1, groups, places)
        operands[name] = value, seen
    kernel, row, work = _plan(main, op, operands, 2, True)
    main.call(kernel, buffers, row, work)


def _buffers(op: ApplyOp) -> dict[str, SSAValue]:
    slots = {"x": "input", "y": "result", "scale": "scale", "bias": "bias"}
    buffers = {name: op.find(slot) for name, slot in slots.items()}
    return {name: value for name, value in buffers.items() if value is not None}


def _grouped(a: Addressing, axis: int, groups: int, places: int) -> Addressing:
    """Return `a` with `axis` as groups and members, and `places` axes after."""
    size = a.shape[axis] // groups
    shape, strides = list(a.shape), list(a.strides)
    shape[axis : axis + 1] = groups, size
    strides[axis : axis + 1] = size * a.strides[axis], a.strides[axis]
    shape, strides = (*shape, *(1,) * places), (*strides, *(0,) * places)
    return Addressing(shape, strides, a.offset)


def _plan(
    main: Main, op: ApplyOp, operands: Operands, split: int, centered: bool
) -> tuple[Kernel, Any, Work]:
    """Return the call that normalizes over the axes from `split` on."""
    buffers, seen = zip(*operands.values(), strict=True)
    axes = axes_of(seen[1].shape, seen)
    epsilon = op.graph_op().parameters()["epsilon"]
    rule = Norm(epsilon, centered, tuple(operands)[2:])
    along, apart = collapse(axes[split:], (0, 1)), collapse(axes[:split], (1, 0))
    count = math.prod(axis.extent for axis in axes[split:])
    still = frozenset({"scale", "bias", *STATISTICS})
    lines = LinesOf(rule, along, apart, (count,), still)
    strips = main.strips(*buffers, unroll=4)
    across = main.strips(*buffers, unroll=2)
    if along and lines.still_on(along[-1]) is not None:
        return lines.plan(strips, None)
    return lines.plan(Strips(0), across)


def _describe_nothing(main: Main, op: ApplyOp, statistics: Sequence[SSAValue]) -> None:
    """Append calls that say of no elements that their mean and variance are NaN."""
    for value in statistics:
        element = buffer_type(value).element_type
        nan = ScalarProgram.constant(number_attribute(math.nan, element), element)
        run_program(main, op, nan, [value], [addressing_of(value)])
