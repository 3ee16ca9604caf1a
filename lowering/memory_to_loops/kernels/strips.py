"""How a kernel walks its innermost axis: in vectors, and what is left over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType, i1
from xdsl.ir import Attribute, SSAValue

from glow.dialects.llvm_ext.elementwise import SelectOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.builder import Body, vector_of
from glow.support.targets import Target
from glow.support.types import dtype_of


@dataclass(frozen=True)
class Piece:
    """
    What one step along the innermost axis handles: `count` vectors of `lanes` elements.

    With 0 lanes it is one scalar. With a mask, only those lanes are accessed.
    """

    lanes: int
    count: int = 1
    mask: SSAValue | None = None

    def load(
        self, b: Body, base: SSAValue, at: SSAValue, otherwise: float = 0
    ) -> list[SSAValue]:
        """Load neighbours from `at` on; lanes that are masked off are `otherwise`."""
        if not self.lanes:
            return [b.load(base, at)]
        if self.mask is None:
            return [
                b.load_vector(base, b.sum(at, i * self.lanes), lanes=self.lanes)
                for i in range(self.count)
            ]
        passed = b.scalar(otherwise, buffer_type(base).element_type, self.lanes)
        load = vector.MaskedLoadOp.create(
            operands=[base, at, self.mask, passed], result_types=[passed.type]
        )
        return [b.add(load)]

    def store(
        self, b: Body, values: Sequence[SSAValue], base: SSAValue, at: SSAValue
    ) -> None:
        """Store `values` as neighbours from `at` on."""
        if not self.lanes:
            b.store(values[0], base, at)
        elif self.mask is None:
            for i, value in enumerate(values):
                b.store_vector(value, base, b.sum(at, i * self.lanes))
        else:
            operands = [base, at, self.mask, values[0]]
            b.do(vector.MaskedStoreOp.create(operands=operands))

    def cleared(self, b: Body, value: SSAValue) -> SSAValue:
        """Return `value` with zero in the lanes that are masked off."""
        if self.mask is None:
            return value
        type_ = cast(VectorType[Attribute], value.type)
        operands = [self.mask, value, b.scalar(0, type_.element_type, self.lanes)]
        return b.add(SelectOp.create(operands=operands, result_types=[type_]))

    def spread(self, b: Body, value: SSAValue) -> SSAValue:
        """Return scalar `value` in every lane."""
        return b.splat(value, self.lanes) if self.lanes else value


Step = Callable[[Body, SSAValue, Piece], None]
Values = list[SSAValue]
Fold = Callable[[Body, SSAValue, Piece, Values], Values]


@dataclass(frozen=True)
class Strips:
    """
    Loops over an axis of unit stride: `unroll` vectors, single ones, then the rest.

    `masked`: what is left over goes through one masked vector, else through scalars.
    With 0 lanes there is one loop over scalars.
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

    def each(self, b: Body, extent: SSAValue, step: Step) -> None:
        """Append loops that call `step(b, i, piece)` for the elements from i on."""
        if not self.lanes:
            b.each(0, extent, lambda b, i: step(b, i, Piece(0)), nonempty=True)
            return
        done = b.const(0)
        sizes = [self.unroll] if self.masked or self.unroll == 1 else [self.unroll, 1]
        for count in sizes:
            piece, size = Piece(self.lanes, count), self.lanes * count
            upto = b.difference(extent, rest_of(b, extent, size))
            b.each(done, upto, lambda b, i, piece=piece: step(b, i, piece), step=size)
            done = upto
        if self.masked:
            b.each(done, extent, lambda b, i: self._last(b, i, extent, step),
                   step=self.lanes)  # fmt: skip
        else:
            b.each(done, extent, lambda b, i: step(b, i, Piece(0)))

    @property
    def carried(self) -> list[int]:
        """The lanes of each value that `fold` carries; 0 for a scalar."""
        if not self.lanes:
            return [0]
        return [self.lanes] * self.unroll + ([] if self.masked else [0])

    def fold(self, b: Body, extent: SSAValue, carried: Values, step: Fold) -> Values:
        """
        Append loops that call `step(b, i, piece, values)` and carry what it returns.

        There is a value per vector of a piece; lanes that are masked off must not
        change theirs.
        """
        if not self.lanes:
            return _carry(b, (b.const(0), extent), 1, carried, Piece(0), step)
        size, one = self.lanes * self.unroll, Piece(self.lanes)
        whole = b.difference(extent, rest_of(b, extent, size))
        piece, several = Piece(self.lanes, self.unroll), carried[: self.unroll]
        several = _carry(b, (b.const(0), whole), size, several, piece, step)
        if self.masked:

            def last(b: Body, i: SSAValue, _: Piece, values: Values) -> Values:
                mask = mask_of(b, b.difference(extent, i), self.lanes)
                return step(b, i, Piece(self.lanes, 1, mask), values)

            first = _carry(b, (whole, extent), self.lanes, several[:1], one, last)
            return [*first, *several[1:]]
        upto = b.difference(extent, rest_of(b, extent, self.lanes))
        first = several[:1]
        if self.unroll > 1:
            first = _carry(b, (whole, upto), self.lanes, first, one, step)
        single = _carry(b, (upto, extent), 1, carried[-1:], Piece(0), step)
        return [*first, *several[1:], *single]

    def joined(
        self,
        b: Body,
        carried: Values,
        join: Callable[[Body, SSAValue, SSAValue, int], SSAValue],
        across: Callable[[Body, SSAValue], SSAValue],
    ) -> SSAValue:
        """
        Return one scalar for what `fold` carried.

        `join(b, x, y, lanes)` makes one value of two, `across` a scalar of a vector.
        """
        if not self.lanes:
            return carried[0]
        vectors, rest = carried[: self.unroll], carried[self.unroll :]
        while len(vectors) > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [join(b, x, y, self.lanes) for x, y in pairs]
        found = across(b, vectors[0])
        return join(b, found, rest[0], 0) if rest else found

    def _last(self, b: Body, i: SSAValue, extent: SSAValue, step: Step) -> None:
        step(
            b, i, Piece(self.lanes, 1, mask_of(b, b.difference(extent, i), self.lanes))
        )


def _carry(
    b: Body,
    bounds: tuple[SSAValue, SSAValue],
    size: int,
    carried: Values,
    piece: Piece,
    step: Fold,
) -> Values:
    return b.loop(
        *bounds, size, carried, lambda b, i, values: step(b, i, piece, values)
    )


def rest_of(b: Body, extent: SSAValue, size: int) -> SSAValue:
    """Return what is left of `extent` after steps of `size`, a power of two."""
    return b.binary(arith.AndIOp, extent, b.const(size - 1))


def mask_of(b: Body, count: SSAValue, lanes: int) -> SSAValue:
    """Return a mask of the first `count` lanes; all, if there are fewer."""
    mask = vector.CreateMaskOp.create(
        operands=[count], result_types=[vector_of(i1, lanes)]
    )
    return b.add(mask)
