"""Products in plain loops: any strides, any element type, clipped windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.codegen.loops import Level, N, Var, nest
from glow.codegen.values import Value, constant, index
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.products import ConvOp, MatMulOp
from glow.lowering.memory_to_loops._epilogue import epilogue_arguments, form_of, plain
from glow.lowering.memory_to_loops.kernels.finish import Epilogue
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Fault,
    Kernel,
    Work,
)
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.windows import SpatialAxis, WindowPlace, slide


@dataclass(frozen=True)
class ContractionRow(Generic[N]):
    """
    The loops of a contraction.

    Loops of `outer` and over windows move left, right, bias, each extra and the result;
    those of `inner`, over the terms of a sum, move left and right.
    """

    outer: tuple[Level[N], ...]
    inner: tuple[Level[N], ...]
    windows: tuple[SpatialAxis[N], ...]
    begin: N
    """Where the left factor begins."""
    code: N
    """The fault of a division of integers, if the program has one."""


@dataclass(frozen=True)
class Contraction(Kernel):
    """
    `result = epilogue(bias + sum of left * right)`, an element at a time.

    Unit: an iteration of the outermost loop over results.
    """

    epilogue: Epilogue

    def write(self, call: Call[ContractionRow[Value]]) -> None:
        row, count = call.row, len(self.epilogue.program.inputs) - 1
        extras = [f"extra{i}" for i in range(count)]
        names = ["left", "right", "bias", *extras, "result"]
        starts = [row.begin, *(index(0) for _ in names[1:])]
        part, report = call.part_inside(row.outer), None
        if self.epilogue.program.divides_integers:
            report = Fault(call["fault"], row.code).report
        for outer in nest(row.outer, len(names), starts=starts, bounds=call.range):
            for window in slide(call, row.windows, WindowPlace(outer), part):
                at = dict(zip(names, window.offsets, strict=True))
                total = Var(constant(0, self.epilogue.compute))
                if "bias" in call.operands:
                    total = Var(call["bias"][at["bias"]])
                loops, factors = (*window.taps, *row.inner), window.offsets[:2]
                for x, y in nest(loops, 2, total, starts=factors, nonempty=False):
                    total.value = total.value + call["left"][x] * call["right"][y]
                inputs = [total.value, *(call[name][at[name]] for name in extras)]
                value = self.epilogue.finished(inputs, report)
                call["result"][at["result"]] = value


def call_contraction(
    main: Main,
    op: ConvOp | MatMulOp,
    factors: Sequence[SSAValue],
    row: ContractionRow[int],
    windows: NDArray[np.int64] | None = None,
    taps: int = 1,
) -> None:
    """
    Append the call that multiplies `factors`, with the epilogue of `op`.

    `windows` is the table of windows, and `taps` the most taps that one has.
    """
    form = form_of(op, buffer_type(factors[0]).element_type)
    arguments = {
        name: plain(main, factor)
        for name, factor in zip(("left", "right"), factors, strict=True)
    }
    arguments |= epilogue_arguments(main, op)
    arguments["result"] = main.stored(op.result)
    if windows is not None:
        arguments["windows"] = main.offsets(windows)
    if form.program.divides_integers:
        arguments["fault"] = main.fault
        row = replace(row, code=main.message(op, "integer division by zero"))
    # The outermost loop is what is cut into pieces.
    row = replace(row, outer=tuple(each for each in row.outer if each.extent > 1))
    places = (*row.outer, *(axis.places for axis in row.windows))
    units, *others = [level.extent for level in places] or [1]
    cost = prod(others) * taps * prod(level.extent for level in row.inner)
    main.call(Contraction(form), arguments, row, Work(units, cost))
