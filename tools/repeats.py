"""Runs of ops that compute the same several times in a row, as blocks of a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, OpResult, SSAValue

_Source = int | SSAValue | None
_LONGEST = 100
"""The most ops of one repetition that are looked for."""


@dataclass(frozen=True)
class Repeat:
    """`count` repetitions of `period` ops each, from place `start` on."""

    start: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        return self.start + self.period * self.count

    @property
    def saved(self) -> int:
        """How many ops need not be drawn."""
        return self.period * (self.count - 1)


@dataclass(frozen=True)
class _Numbered:
    """An op: what it computes, and where each operand comes from."""

    key: int
    sources: tuple[_Source, ...]
    """The place of the op that makes it, an argument, or None for a constant."""


def repeats_in(ops: Sequence[Operation]) -> Iterator[Repeat]:
    """
    Yield the repeats in `ops`, which are some of a block, from front to back.

    Repetitions compute the same from values of the same types: values of the repetition
    itself, of the same place in the one before, or of an op before all repetitions,
    which they share. Constants, which are not among `ops`, may differ; so may the
    inputs of the first repetition.
    """
    places = _numbered(ops)
    start = 0
    while start < len(places):
        longest = min(_LONGEST, (len(places) - start) // 2)
        found = [_repeat(places, start, period) for period in range(1, longest + 1)]
        best = max(found, key=lambda each: each.saved, default=None)
        if best is None or best.count == 1:
            start += 1
            continue
        yield best
        start = best.stop


def _repeat(places: Sequence[_Numbered], start: int, period: int) -> Repeat:
    """Return how often the `period` ops from `start` on repeat."""
    same = 0
    while start + same + period < len(places):
        if not _agree(places, start, start + same, period):
            break
        same += 1
    return Repeat(start, period, 1 + same // period)


def _agree(places: Sequence[_Numbered], start: int, at: int, period: int) -> bool:
    """Return whether the op at a place does what the one `period` later does."""
    a, b = places[at], places[at + period]
    if a.key != b.key:
        return False
    for x, y in zip(a.sources, b.sources, strict=True):
        if not isinstance(y, int):
            agree = x == y
        elif isinstance(x, int) and x >= start:
            agree = y == x + period
        else:  # from before all repetitions, to all of them or to the first
            enters = at < start + period and start <= y < start + period
            agree = x == y or enters
        if not agree:
            return False
    return True


def _numbered(ops: Sequence[Operation]) -> list[_Numbered]:
    numbers = {op: number for number, op in enumerate(ops)}
    keys: dict[object, int] = {}
    places: list[_Numbered] = []
    for op in ops:
        key = keys.setdefault(_text_of(op), len(keys))
        places.append(_Numbered(key, _sources_of(op, numbers)))
    return places


def _sources_of(op: Operation, numbers: Mapping[Operation, int]) -> tuple[_Source, ...]:
    return tuple(
        numbers.get(value.op) if isinstance(value, OpResult) else value
        for value in op.operands
    )


def _text_of(op: Operation) -> tuple[object, ...]:
    """Return what `op` computes: its name, parameters, types, and the same inside."""
    types = tuple(str(value.type) for value in (*op.operands, *op.results))
    inner = tuple(_inside(block) for region in op.regions for block in region.blocks)
    return op.name, str(op.properties), types, inner


def _inside(block: Block) -> tuple[object, ...]:
    """Return what the ops of a group compute; arguments have numbers below 0."""
    numbers: dict[SSAValue, int] = {arg: ~arg.index for arg in block.args}
    texts: list[object] = []
    for op in block.ops:
        texts.append((_text_of(op), tuple(map(numbers.get, op.operands))))
        numbers |= {result: len(numbers) for result in op.results}
    return tuple(texts)
