"""Loops and conditions: Python's `for` and `with` write them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Region, SSAValue

from glow.codegen.values import INDEX, Value, index
from glow.codegen.writer import inside, perform
from glow.support.op_construction import build_op

N = TypeVar("N", int, Value)
"""The type of a row's entries: `int` at its caller, `Value` in a kernel."""


@dataclass(eq=False)
class Var:
    """
    A variable that loops carry: `value` is what it holds where code is written.

    A loop that carries it starts with its value, and sets it to that of the last step.
    """

    value: Value


def loop(
    lower: Value | int,
    upper: Value | int,
    *carried: Var,
    step: Value | int = 1,
    name: str = "i",
    nonempty: bool = False,
) -> Generator[Value]:
    """
    Write `scf.for`: the body of a Python `for` over this is the body of the loop.

    It is run once, with the induction variable, and must not be left early.
    `nonempty` promises that the loop runs at least once.
    """
    low, high, by = (index(bound).ssa for bound in (lower, upper, step))
    starts = [part for var in carried for part in var.value.parts]
    block = Block(arg_types=[INDEX, *(part.type for part in starts)])
    block.args[0].name_hint = name
    for arg, start in zip(block.args[1:], starts, strict=True):
        arg.name_hint = start.name_hint
    _hold(carried, block.args[1:])
    with inside(block):
        yield Value((block.args[0],), INDEX)
        ends = [part for var in carried for part in var.value.parts]
        perform(build_op(scf.YieldOp, operands=ends))
    types = [start.type for start in starts]
    op = build_op(scf.ForOp, operands=[low, high, by, *starts], result_types=types)
    op.add_region(Region(block))
    if nonempty:
        op.attributes["nonempty"] = UnitAttr()
    perform(op)
    _hold(carried, op.results)


def _hold(carried: Sequence[Var], ssas: Sequence[SSAValue]) -> None:
    """Let variables hold `ssas`: one for each part of each variable."""
    rest = iter(ssas)
    for var in carried:
        parts = tuple(next(rest) for _ in var.value.parts)
        var.value = replace(var.value, parts=parts)


@dataclass(eq=False)
class Repetition:
    """An iteration of a loop by `repeated`; `again` is whether another one follows."""

    again: Value | None = None


def repeated(*carried: Var) -> Generator[Repetition]:
    """
    Write `scf.while`: the body of a Python `for` over this is the body of the loop.

    It is run once, sets `again` of the repetition it is given, and must not be left
    early.
    """
    starts = [part for var in carried for part in var.value.parts]
    types = [part.type for part in starts]
    body, back = Block(arg_types=types), Block(arg_types=types)
    _hold(carried, body.args)
    repetition = Repetition()
    with inside(body):
        yield repetition
        assert repetition.again is not None, (
            "expected the body to say whether it is repeated"
        )
        ends = [part for var in carried for part in var.value.parts]
        perform(scf.ConditionOp(repetition.again.ssa, *ends))
    back.add_op(build_op(scf.YieldOp, operands=back.args))
    op = scf.WhileOp(starts, types, [body], [back])
    perform(op)
    _hold(carried, op.results)


@contextmanager
def when(condition: Value) -> Generator[None]:
    """Write `scf.if`: ops of the `with` block run where the condition holds."""
    block = Block()
    with inside(block):
        yield
        perform(scf.YieldOp())
    perform(scf.IfOp(condition.ssa, [], Region(block)))


def branches(condition: Value) -> Generator[bool]:
    """
    Write `scf.if` with both branches.

    The body of a Python `for` over this is written for each: with True for where the
    condition holds, with False for elsewhere.
    """
    blocks = Block(), Block()
    for holds, block in zip((True, False), blocks, strict=True):
        with inside(block):
            yield holds
            perform(scf.YieldOp())
    then, otherwise = map(Region, blocks)
    perform(scf.IfOp(condition.ssa, [], then, otherwise))


def value_if(
    condition: Value,
    compute: Callable[[], Value],
    otherwise: Value | Callable[[], Value],
) -> Value:
    """Write `scf.if` whose result is the value of `compute`, or else of `otherwise`."""
    then, other = Block(), Block()
    with inside(then):
        value = compute()
        perform(scf.YieldOp(*value.parts))
    with inside(other):
        rest = otherwise if isinstance(otherwise, Value) else otherwise()
        perform(scf.YieldOp(*rest.parts))
    types = [part.type for part in value.parts]
    op = scf.IfOp(condition.ssa, types, Region(then), Region(other))
    perform(op)
    return replace(value, parts=tuple(op.results))


@dataclass(frozen=True)
class Level(Generic[N]):
    """
    A loop of a nest: its extent, at least 1, and how far each operand moves per step.

    Units: strides in elements.
    """

    extent: N
    strides: tuple[N, ...]


def moved(starts: Sequence[Value] | None, i: Value, level: Level[Value]) -> list[Value]:
    """Return where operands stand at step i of a loop, counted from `starts` or 0."""
    moves = [i * stride for stride in level.strides]
    if starts is None:
        return moves
    return [start + move for start, move in zip(starts, moves, strict=True)]


def nest(
    levels: Sequence[Level[Value]],
    operands: int,
    *carried: Var,
    starts: Sequence[Value] | None = None,
    bounds: tuple[Value, Value] | None = None,
    nonempty: bool = True,
) -> Generator[list[Value]]:
    """
    Write a loop per level, the outermost first; yield where each operand stands.

    Offsets count from `starts`, or from 0. `bounds` are those of the outermost loop, by
    default 0 and its extent.
    """
    if not levels:
        yield list(starts) if starts is not None else [index(0)] * operands
        return
    outermost, *inner = levels
    first, last = bounds or (0, outermost.extent)
    for i in loop(first, last, *carried, nonempty=nonempty):
        at = moved(starts, i, outermost)
        yield from nest(inner, operands, *carried, starts=at, nonempty=nonempty)


def flattened(
    levels: Sequence[Level[Value]], operands: int, bounds: tuple[Value, Value]
) -> Generator[list[Value]]:
    """
    Write one loop over all iterations of a nest; yield where each operand stands.

    `bounds` are the first iteration and the one beyond the last.
    """
    for i in loop(*bounds, nonempty=True):
        at, left = [index(0)] * operands, i
        for level in reversed(levels[1:]):
            at, left = moved(at, left % level.extent, level), left // level.extent
        yield moved(at, left, levels[0]) if levels else at
