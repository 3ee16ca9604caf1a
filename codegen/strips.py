"""Loops over neighbors in vectors, and totals that they carry."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute

from glow.codegen.functions import Combination, across, combined
from glow.codegen.loops import Level, Var, loop, nest
from glow.codegen.memory import SCALAR, Strip, mask_of, rest_of
from glow.codegen.values import Value, constant, index, joined
from glow.support.targets import Target
from glow.support.types import dtype_of


@dataclass(eq=False)
class Total:
    """
    A value that is carried along an axis in strips: one per vector, or per scalar.

    Inside a loop of `Strips.along`, `value` is the total that its strip adds to.
    """

    vectors: list[Var]
    scalar: Var | None
    current: list[Var]

    @staticmethod
    def of(strips: Strips, number: float, element: Attribute) -> Total:
        """Return totals that start as `number`."""
        if not strips.lanes:
            return Total([], Var(constant(number, element)), [])
        start = constant(number, element, strips.lanes)
        rest = None if strips.masked else Var(constant(number, element))
        return Total([Var(start) for _ in range(strips.unroll)], rest, [])

    @staticmethod
    def across(strip: Strip, number: float, element: Attribute) -> Total:
        """Return a separate total for each lane of `strip`."""
        return Total([], Var(strip.constant(number, element)), [])

    @property
    def all(self) -> list[Var]:
        """The variables that loops around those of `Strips.along` carry."""
        return self.vectors + ([] if self.scalar is None else [self.scalar])

    def enter(self, strip: Strip) -> list[Var]:
        """Return what a loop over such strips carries, which is then `current`."""
        if self.vectors and strip.lanes:
            self.current = self.vectors[: strip.count]
        else:
            assert self.scalar is not None
            self.current = [self.scalar]
        return self.current

    @property
    def value(self) -> Value:
        return joined([var.value for var in self.current])

    @value.setter
    def value(self, value: Value) -> None:
        if len(self.current) == 1:
            self.current[0].value = value
            return
        for var, part in zip(self.current, value.split(), strict=True):
            var.value = part

    def result(self, kind: Combination) -> Value:
        """Return the total as one scalar, or one per lane if `across` made it."""
        if not self.vectors:
            assert self.scalar is not None
            return self.scalar.value
        parts = [var.value for var in self.vectors]
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [combined(kind, x, y) for x, y in pairs]
        one = across(kind, parts[0])
        return one if self.scalar is None else combined(kind, one, self.scalar.value)


@dataclass(frozen=True)
class Strips:
    """
    Loops over an axis of unit stride: `unroll` vectors, single ones, then the rest.

    `masked`: the rest goes through masked vectors, otherwise through scalars.
    With 0 lanes there is one loop over scalars, of any stride.
    """

    lanes: int
    unroll: int = 1
    masked: bool = False

    @staticmethod
    def of(target: Target, elements: Sequence[Attribute], unroll: int = 1) -> Strips:
        """Return how `target` walks along buffers of these element types."""
        sizes = [dtype_of(element).itemsize for element in elements]
        masked = target.masks(*sizes)
        # Vectors of the widest type fill a register; of f64, it takes two.
        lanes = max(target.f32_lanes, target.vector_bytes // max(sizes))
        return Strips(lanes, unroll, masked)

    def along(
        self,
        extent: Value,
        *totals: Total,
        start: Value | int = 0,
        nonempty: bool = False,
    ) -> Generator[tuple[Value, Strip]]:
        """
        Write the loops over elements from `start` to `extent`.

        The body of a Python `for` over this is written once per loop; it gets the start
        of a strip and the strip. Lanes that are masked off must not change totals.
        `nonempty` promises that there are elements.
        """
        done = index(start)
        if not self.lanes:
            yield from self._over(done, extent, SCALAR, totals, nonempty)
            return
        length = extent if isinstance(start, int) else extent - start
        counts = [self.unroll, 1] if self.unroll > 1 else [1]
        for count in counts[:1] if self.masked else counts:
            strip = Strip(self.lanes, count)
            upto = extent - rest_of(length, strip.size)
            yield from self._over(done, upto, strip, totals)
            done = upto
        if not self.masked:
            yield from self._over(done, extent, SCALAR, totals)
            return
        carried = [var for total in totals for var in total.enter(Strip(self.lanes))]
        for i in loop(done, extent, *carried, step=self.lanes):
            yield i, Strip(self.lanes, 1, (mask_of(extent - i, self.lanes),))

    def _over(
        self,
        lower: Value,
        upper: Value,
        strip: Strip,
        totals: Sequence[Total],
        nonempty: bool = False,
    ) -> Generator[tuple[Value, Strip]]:
        carried = [var for total in totals for var in total.enter(strip)]
        for i in loop(lower, upper, *carried, step=strip.size, nonempty=nonempty):
            yield i, strip


def nest_strips(
    levels: Sequence[Level[Value]], strips: Strips, starts: Sequence[Value]
) -> Generator[tuple[list[Value], Strip]]:
    """
    Write a loop per level, the innermost in strips; yield where operands stand.

    On vectors, every operand has unit stride along the innermost level.
    """
    if not strips.lanes:
        for at in nest(levels, len(starts), starts=starts):
            yield at, SCALAR
        return
    *outer, line = levels
    for at in nest(outer, len(starts), starts=starts):
        for i, strip in strips.along(line.extent):
            yield [start + i for start in at], strip
