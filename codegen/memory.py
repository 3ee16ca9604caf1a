"""Memory: loads and stores of scalars and vectors, the stack, hints to the cache."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import cast

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, i1
from xdsl.ir import Attribute, SSAValue

from glow.codegen.casts import convert
from glow.codegen.conditions import select
from glow.codegen.values import (
    INDEX,
    Value,
    broadcast,
    constant,
    index,
    joined,
    type_of,
)
from glow.codegen.writer import emit, perform
from glow.dialects.llvm_ext.memory import GatherLanesOp, PrefetchOp
from glow.support.op_construction import build_op
from glow.support.types import signless

_ALIGNMENT = 64

SECOND_LEVEL = 2
"""The locality of a prefetch into the second level of the cache."""


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
        """Return `number` in each lane of `count` vectors."""
        one = constant(number, element, self.lanes)
        return replace(one, parts=one.parts * self.count)

    def spread(self, value: Value) -> Value:
        """Return a scalar in each lane of `count` vectors."""
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
        """Return memory at `base`; `element` adds the sign that its type lacks."""
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
            op = build_op(
                memref.LoadOp, operands=[self.base, at.ssa], result_types=[kind]
            )
            return convert(Value((emit(op),), self.element), self.compute)
        starts = strip.starts(at)
        if strip.masks:
            passed = constant(otherwise, self.element, strip.lanes)
            parts = [
                build_op(
                    vector.MaskedLoadOp,
                    operands=[self.base, start.ssa, mask.ssa, passed.ssa],
                    result_types=[passed.type],
                )
                for start, mask in zip(starts, strip.masks, strict=True)
            ]
        else:
            type_ = type_of(self.element, strip.lanes)
            parts = [
                build_op(
                    vector.LoadOp, operands=[self.base, start.ssa], result_types=[type_]
                )
                for start in starts
            ]
        loaded = Value(tuple(map(emit, parts)), self.element, strip.lanes)
        return convert(loaded, self.compute)

    def gather(self, at: Value | int, offsets: Value) -> Value:
        """Load the elements at `at` plus each of `offsets`, integers of 32 bits."""
        at = index(at)
        if not offsets.lanes:
            places = (convert(offset, INDEX) for offset in offsets.split())
            return joined([self.load(at + place) for place in places])
        type_ = type_of(self.element, offsets.lanes)
        parts = (
            GatherLanesOp(self.base, at.ssa, part, type_) for part in offsets.parts
        )
        loaded = Value(tuple(map(emit, parts)), self.element, offsets.lanes)
        return convert(loaded, self.compute)

    def scatter(self, value: Value, at: Value, pitch: Value) -> None:
        """Store lanes `pitch` elements apart, the first at `at`."""
        lanes = range(value.lanes)
        type_ = type_of(value.element)
        for part in value.parts:
            for lane in lanes:
                op = vector.ExtractOp(part, [lane], type_)
                self.store(Value((emit(op),), value.element), at)
                at = at + pitch

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
            perform(build_op(memref.StoreOp, operands=operands))
            return
        masks = strip.masks if strip is not None else ()
        starts = Strip(value.lanes, len(value.parts)).starts(at)
        for i, (part, start) in enumerate(zip(value.parts, starts, strict=True)):
            if masks:
                operands = [self.base, start.ssa, masks[i].ssa, part]
                perform(build_op(vector.MaskedStoreOp, operands=operands))
            else:
                operands = [part, self.base, start.ssa]
                perform(build_op(vector.StoreOp, operands=operands))


def mask_of(count: Value, lanes: int) -> Value:
    """Return a mask of the first `count` lanes, or of all if there are fewer."""
    type_ = type_of(i1, lanes)
    op = build_op(vector.CreateMaskOp, operands=[count.ssa], result_types=[type_])
    return Value((emit(op),), i1, lanes)


def rest_of(extent: Value, size: int) -> Value:
    """Return the remainder of `extent` by `size`, a power of two."""
    return extent & (size - 1)


def on_stack(element: Attribute, size: int) -> Memory:
    """Return a buffer of `size` elements, the same one in each iteration of a loop."""
    room = emit(memref.AllocaOp.get(signless(element), _ALIGNMENT, [size]))
    return Memory.of(emit(memref.CastOp.get(room, flat(element))), element)


def prefetch(
    memory: Memory, at: Value, locality: int = 3, *, write: bool = False
) -> None:
    """
    Prefetch the cache line of an element, which need not exist.

    `locality` 3 is the first level of the cache, `SECOND_LEVEL` the second. With
    `write` other cores lose the line at once, not when it is written.
    """
    perform(PrefetchOp(memory.base, [at.ssa], locality, write=write))
