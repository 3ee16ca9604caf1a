"""Products in plain loops: any strides, any element type, clipped windows."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Generic

from xdsl.ir import SSAValue

from glow.codegen.functions import maximum, minimum
from glow.codegen.loops import Level, N, Var, loop, moved, nest
from glow.codegen.values import Value, constant, index
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.products import ConvOp, MatMulOp
from glow.lowering.memory_to_loops._epilogue import epilogue_arguments, form_of, plain
from glow.lowering.memory_to_loops.kernels.finish import Epilogue
from glow.lowering.memory_to_loops.kernels.kernel import (
    Bounds,
    Call,
    Fault,
    Kernel,
    Work,
)
from glow.lowering.memory_to_loops.main import Main


@dataclass(frozen=True)
class WindowRow(Generic[N]):
    """
    A window that slides along an axis of the left factor and is clipped to it.

    At place i it begins at position `i * step - pad` and has `taps`, `dilation` apart.
    Units: strides in elements.
    """

    level: Level[N]
    step: N
    pad: N
    dilation: N
    taps: N
    limit: N
    """The positions that exist."""
    moves: tuple[N, ...]
    """How far the left and the right factor move per tap."""


def _clip(window: WindowRow[Value], place: Value) -> Bounds:
    """Return the first tap that reads an element, and the one after the last."""
    begin = place * window.step - window.pad
    first, last = (
        (maximum(distance, 0) + window.dilation - 1) // window.dilation
        for distance in (0 - begin, window.limit - begin)
    )
    return first, minimum(last, window.taps)


@dataclass(frozen=True)
class ContractionRow(Generic[N]):
    """
    The loops of a contraction.

    Those of `outer` and windows move left, right, bias, each extra and the result;
    those of `inner`, which are summed up, left and right.
    """

    outer: tuple[Level[N], ...]
    inner: tuple[Level[N], ...]
    windows: tuple[WindowRow[N], ...]
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

    @property
    def _names(self) -> list[str]:
        """Return the operands that loops move."""
        extras = [f"extra{i}" for i in range(len(self.epilogue.program.inputs) - 1)]
        return ["left", "right", "bias", *extras, "result"]

    def write(self, call: Call[ContractionRow[Value]]) -> None:
        row, names = call.row, self._names
        starts = [row.begin, *(index(0) for _ in names[1:])]
        part = call.part_inside(row.outer)
        inner = [(index(0), level.extent, level.strides) for level in row.inner]
        for outer in nest(row.outer, len(names), starts=starts, bounds=call.range):
            for offsets, clips in _slide(row.windows, outer, part):
                at = dict(zip(names, offsets, strict=True))
                taps = zip(clips, row.windows, strict=True)
                loops = [(*clip, window.moves) for clip, window in taps]
                total = Var(constant(0, self.epilogue.compute))
                if "bias" in call.operands:
                    total = Var(call["bias"][at["bias"]])
                self._sum(call, [*loops, *inner], at["left"], at["right"], total)
                call["result"][at["result"]] = self._finished(call, at, total)

    def _sum(
        self,
        call: Call[ContractionRow[Value]],
        loops: Sequence[tuple[Value, Value, Sequence[Value]]],
        left: Value,
        right: Value,
        total: Var,
    ) -> None:
        """Add the products that `loops` reach to `total`."""
        if not loops:
            total.value = total.value + call["left"][left] * call["right"][right]
            return
        (first, last, (x, y)), *rest = loops
        for i in loop(first, last, total):
            self._sum(call, rest, left + i * x, right + i * y, total)

    def _finished(
        self, call: Call[ContractionRow[Value]], at: Mapping[str, Value], total: Var
    ) -> Value:
        """Return what is stored for a sum."""
        report = None
        if self.epilogue.program.divides_integers:
            report = Fault(call["fault"], call.row.code).report
        extras = [call[name][at[name]] for name in self._names[3:-1]]
        return self.epilogue.finished([total.value, *extras], report)


def _slide(
    windows: Sequence[WindowRow[Value]], starts: list[Value], bounds: Bounds | None
) -> Generator[tuple[list[Value], list[Bounds]]]:
    """
    Write a loop per window; yield where operands stand, and the taps of each.

    `bounds` are those of the outermost loop, where it does not do all places.
    """
    if not windows:
        yield starts, []
        return
    window, *rest = windows
    for i in loop(*(bounds or (0, window.level.extent)), nonempty=True):
        own = _clip(window, i)
        for at, clips in _slide(rest, moved(starts, i, window.level), None):
            yield at, [own, *clips]


def call_contraction(
    main: Main,
    op: ConvOp | MatMulOp,
    factors: Sequence[SSAValue],
    row: ContractionRow[int],
) -> None:
    """Append the call that multiplies `factors`, with the epilogue of `op`."""
    form = form_of(op, buffer_type(factors[0]).element_type)
    arguments = {
        name: plain(main, factor)
        for name, factor in zip(("left", "right"), factors, strict=True)
    }
    arguments |= epilogue_arguments(main, op)
    arguments["result"] = main.stored(op.result)
    if form.program.divides_integers:
        arguments["fault"] = main.fault
        row = replace(row, code=main.message(op, "integer division by zero"))
    # The outermost loop is what is cut into pieces.
    outer = tuple(level for level in row.outer if level.extent > 1)
    row = replace(row, outer=outer)
    main.call(Contraction(form), arguments, row, _work(row))


def _work(row: ContractionRow[int]) -> Work:
    places: list[Level[int]] = [*row.outer, *(window.level for window in row.windows)]
    units, *others = [level.extent for level in places] or [1]
    taps = [window.taps for window in row.windows]
    return Work(units, prod(others) * prod(taps) * prod(n.extent for n in row.inner))
