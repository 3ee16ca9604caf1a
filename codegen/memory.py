"""Memory: loads and stores of scalars, vectors and what is left over at an end."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import cast

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, i1
from xdsl.ir import Attribute, SSAValue

from glow.codegen.casts import convert
from glow.codegen.functions import Combination, across, combined
from glow.codegen.loops import Level, Var, loop, nest
from glow.codegen.values import (
    Value,
    broadcast,
    constant,
    index,
    joined,
    select,
    type_of,
)
from glow.codegen.writer import emit, perform
from glow.support.targets import Target
from glow.support.types import dtype_of, signless


@cache
def flat(element: Attribute) -> MemRefType[Attribute]:
    """Return `memref<?xT>`; T has no sign."""
    return MemRefType(signless(element), [DYNAMIC_INDEX])


@dataclass(frozen=True)
class Strip:
    """
    The neighbors that one step along an axis handles: vectors, or one scalar.

    Units: `count` vectors of `lanes` elements; 0 lanes are a scalar. With masks, one
    per vector, only those lanes are accessed.
    """

    lanes: int = 0
    count: int = 1
    masks: tuple[Value, ...] = ()

    @property
    def size(self) -> int:
        return max(1, self.lanes) * self.count

    @property
    def mask(self) -> Value:
        """The masks of all vectors."""
        return joined(self.masks)

    def starts(self, at: Value) -> list[Value]:
        """Return where each vector begins."""
        return [at + i * self.lanes for i in range(self.count)]

    def constant(self, number: float, element: Attribute) -> Value:
        """Return `number` in each lane of as many vectors."""
        one = constant(number, element, self.lanes)
        return replace(one, parts=one.parts * self.count)

    def spread(self, value: Value) -> Value:
        """Return a scalar in each lane of as many vectors."""
        one = broadcast(value, self.lanes)
        return replace(one, parts=(one.ssa,) * self.count)

    def cleared(self, value: Value) -> Value:
        """Return `value` with zero in the lanes that are masked off."""
        if not self.masks:
            return value
        return select(self.mask, value, 0)


SCALAR = Strip()


@dataclass(frozen=True)
class Memory:
    """
    A flat memref: elements stored as one type, and computed on as another.

    Loads convert from `element` to `compute`, and stores back, rounding to nearest
    even.
    """

    base: SSAValue
    element: Attribute
    compute: Attribute

    @staticmethod
    def of(
        base: SSAValue,
        element: Attribute | None = None,
        compute: Attribute | None = None,
    ) -> Memory:
        """Return memory at `base`; `element` says a sign, which its type does not."""
        type_ = cast(MemRefType[Attribute], base.type)
        known = element or type_.element_type
        return Memory(base, known, compute or known)

    def __getitem__(self, at: Value | int) -> Value:
        """Load a scalar."""
        return self.load(at)

    def __setitem__(self, at: Value | int, value: Value | float) -> None:
        """Store a scalar, or vectors as neighbors."""
        self.store(value, at)

    def load(
        self, at: Value | int, strip: Strip = SCALAR, otherwise: float = 0
    ) -> Value:
        """Load neighbors from `at` on; lanes that are masked off are `otherwise`."""
        at = index(at)
        if not strip.lanes:
            kind = signless(self.element)
            op = memref.LoadOp.create(operands=[self.base, at.ssa], result_types=[kind])
            return convert(Value((emit(op),), self.element), self.compute)
        starts = strip.starts(at)
        if strip.masks:
            passed = constant(otherwise, self.element, strip.lanes)
            parts = [
                vector.MaskedLoadOp.create(
                    operands=[self.base, start.ssa, mask.ssa, passed.ssa],
                    result_types=[passed.type],
                )
                for start, mask in zip(starts, strip.masks, strict=True)
            ]
        else:
            type_ = type_of(self.element, strip.lanes)
            parts = [
                vector.LoadOp.create(
                    operands=[self.base, start.ssa], result_types=[type_]
                )
                for start in starts
            ]
        loaded = Value(tuple(map(emit, parts)), self.element, strip.lanes)
        return convert(loaded, self.compute)

    def store(
        self, value: Value | float, at: Value | int, strip: Strip | None = None
    ) -> None:
        """Store a scalar, or vectors as neighbors, from `at` on, where masks allow."""
        at = index(at)
        if not isinstance(value, Value):
            value = constant(value, self.compute)
        value = convert(value, self.element)
        if not value.lanes:
            operands = [value.ssa, self.base, at.ssa]
            perform(memref.StoreOp.create(operands=operands))
            return
        masks = strip.masks if strip is not None else ()
        starts = Strip(value.lanes, len(value.parts)).starts(at)
        for i, (part, start) in enumerate(zip(value.parts, starts, strict=True)):
            if masks:
                operands = [self.base, start.ssa, masks[i].ssa, part]
                perform(vector.MaskedStoreOp.create(operands=operands))
            else:
                operands = [part, self.base, start.ssa]
                perform(vector.StoreOp.create(operands=operands))


def mask_of(count: Value, lanes: int) -> Value:
    """Return a mask of the first `count` lanes; all, if there are fewer."""
    type_ = type_of(i1, lanes)
    op = vector.CreateMaskOp.create(operands=[count.ssa], result_types=[type_])
    return Value((emit(op),), i1, lanes)


def rest_of(extent: Value, size: int) -> Value:
    """Return what is left of `extent` after steps of `size`, a power of two."""
    return extent & (size - 1)


@dataclass(eq=False)
class Total:
    """
    A value that is carried along an axis in strips: one per vector, or per scalar.

    `value` is, inside a loop of `Strips.along`, what the strip at hand adds to.
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
        """Return a total of each lane of `strip` by itself."""
        return Total([], Var(strip.constant(number, element)), [])

    @property
    def all(self) -> list[Var]:
        """The variables that loops around the loops along strips carry."""
        return self.vectors + ([] if self.scalar is None else [self.scalar])

    def enter(self, strip: Strip) -> list[Var]:
        """Return what a loop over such strips carries, and let `value` be that."""
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
        """Return one scalar for all that was carried; per lane, if lanes are apart."""
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

    `masked`: what is left over goes through one masked vector, else through scalars.
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

        The body of a Python `for` over this is written once per loop, with where a
        strip begins and the strip. Lanes that are masked off must not change totals.
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
