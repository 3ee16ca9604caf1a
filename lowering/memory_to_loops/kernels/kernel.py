"""Kernels: functions of the library, each a value that its code follows from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, Self, TypeVar, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.codegen.atomics import raise_to
from glow.codegen.casts import convert
from glow.codegen.conditions import is_outside, select
from glow.codegen.functions import maximum, minimum
from glow.codegen.loops import Level, N, when
from glow.codegen.memory import Memory, flat
from glow.codegen.rows import read_row, zeros
from glow.codegen.values import INDEX, Value, index
from glow.codegen.writer import Writer, perform, writing_to
from glow.lowering.memory_to_loops.kernels.library_function import (
    PRIVATE,
    LibraryFunction,
)
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows, UnitSpans
from glow.support.costs import Costs
from glow.support.op_construction import build_op

T = TypeVar("T")
R = TypeVar("R", covariant=True)
"""The type of a row in a kernel."""


@dataclass(frozen=True)
class Kernel(LibraryFunction):
    """
    A function of the library that computes.

    Nothing of a model is in a key: shapes, strides and counts come in at run time as a
    row of integers: a frozen dataclass over N, whose fields are N, `Level[N]`, such
    dataclasses and tuples of these. Callers fill it with `int`, code reads it as
    `Value`. A call does a range of the outermost iterations, as its caller says.
    """

    passed: tuple[tuple[str, Operand], ...] = field(default=(), kw_only=True)
    """Arguments of the function before the row, by name, as in `called_with`."""
    like: Any = field(default=(), kw_only=True)
    """The structure of the row, with zeros for its numbers."""

    def per_ns(self, costs: Costs) -> float:
        """Return the cost of the work that is done in a nanosecond, roughly."""
        return costs.scalars_per_ns

    def called_with(self, arguments: Mapping[str, Argument], row: Any) -> Self:
        """Return the kernel for calls with such arguments and rows."""
        passed = tuple((name, argument.operand) for name, argument in arguments.items())
        return replace(self, passed=passed, like=zeros(row))

    @abstractmethod
    def write(self, call: Call[Any]) -> None:
        """Write the body: iterations `call.begin` to `call.end`, in any pieces."""

    def build(self) -> FuncOp:
        """Return the function, named `symbol`, without results."""
        operands = dict(self.passed)
        types: list[Attribute] = [flat(o.element) for o in operands.values()]
        types += [flat(INDEX), INDEX, INDEX, INDEX]
        names = [*operands, "rows", "at", "begin", "end"]
        unaliased = {n for n, o in operands.items() if o.noalias} | {"rows"}
        op = FuncOp(
            self.symbol,
            (types, []),
            visibility=PRIVATE,
            arg_attrs=ArrayAttr(
                [_NOALIAS if n in unaliased else _PLAIN for n in names]
            ),
        )
        block = op.body.block
        for arg, name in zip(block.args, names, strict=True):
            arg.name_hint = name
        with writing_to(Writer(block, block)) as writer:
            *buffers, rows, at, begin, end = block.args
            memories = {
                name: Memory(
                    buffer, operand.element, operand.compute or operand.element
                )
                for buffer, (name, operand) in zip(
                    buffers, operands.items(), strict=True
                )
            }
            start = Value((at,), INDEX)
            row = read_row(self.like, Memory.of(rows), start)
            bounds = (Value((v,), INDEX) for v in (begin, end))
            self.write(Call(memories, Memory.of(rows), start, row, *bounds))
            writer.add(func.ReturnOp())
        return op


@dataclass(frozen=True)
class Operand:
    """
    A flat memref that a kernel is passed.

    `compute` is what its elements are converted to where they are loaded; without it,
    they are computed on as they are stored. `noalias`: while the function runs, its
    bytes are reached through this alone. Constants are; buffers of the arena never.
    """

    element: Attribute
    compute: Attribute | None = None
    noalias: bool = False


class Argument(NamedTuple):
    """
    The argument of a call for an operand: a flat memref.

    `buffer` is what it points into, `lead` bytes behind the start of its root; None for
    tables, for a worker's own memory and where accesses need no order.
    """

    base: SSAValue
    operand: Operand
    buffer: SSAValue | None = None
    lead: int = 0
    is_own: bool = False
    """Whether each unit of work writes what it reads there."""
    is_around: bool = False
    """Whether the call touches what `buffer` stores around its elements, too."""


Bounds = tuple[Value, Value]
"""Where a loop begins and ends."""

FAULT = Operand(i32)
OFFSETS = Operand(i32, INDEX, noalias=True)
"""A table of offsets, which is a constant; they are loaded as indices."""


@dataclass(frozen=True)
class Work:
    """
    The outermost iterations of a call, which may be done in pieces and in any order.

    `rows` gives, by operand, the rows that iterations touch, where that is known;
    `spans` returns the range that each touches, where they may have rows in common.
    Units: `cost` in elements that one iteration loads, stores or multiplies, roughly.
    """

    units: int = 1
    cost: int = 1
    rows: Mapping[str, UnitRows] = field(default_factory=dict[str, UnitRows])
    spans: Callable[[], Mapping[str, UnitSpans]] = dict[str, UnitSpans]


@dataclass(frozen=True, eq=False)
class PreparedCall:
    """A call of a kernel without its arguments: one for ops that are alike."""

    symbol: str
    row: Sequence[int]
    work: Work
    per_ns: float = 1
    ordered: bool = False
    _found: dict[str, Any] = field(default_factory=dict[str, Any])

    def once(self, what: str, find: Callable[[], T]) -> T:
        """Return what `find` returns, which is equal for ops that are alike."""
        if what not in self._found:
            self._found[what] = find()
        return cast(T, self._found[what])


def work_of(loops: Sequence[Level[int]], cost: int) -> Work:
    """Return the work of calls that cut the outermost loop; `cost` is that of all."""
    units = loops[0].extent if loops else 1
    return Work(units, -(-cost // units))


@dataclass(frozen=True)
class Call(Generic[R]):
    """
    The arguments of a kernel while its code is written: operands, row, range of work.

    Only iterations from `begin` to `end` of the outermost loop are done.
    """

    operands: Mapping[str, Memory]
    rows: Memory
    at: Value
    """Where in `rows` the row begins."""
    row: R
    begin: Value
    end: Value

    def __getitem__(self, operand: str) -> Memory:
        return self.operands[operand]

    @property
    def range(self) -> tuple[Value, Value]:
        return self.begin, self.end

    def part_inside(self, levels: Sequence[Level[Value]]) -> Bounds | None:
        """Return the range of the loop inside `levels`, None if these are cut."""
        return None if levels else self.range

    def run(
        self,
        kernel: Kernel,
        operands: Iterable[str],
        at: Value,
        range: tuple[Value | int, Value | int],
    ) -> None:
        """Call another kernel with some of the operands, and the row at `at`."""
        memories = [*(self[name] for name in operands), self.rows]
        numbers = [at, *map(index, range)]
        arguments = [m.base for m in memories] + [number.ssa for number in numbers]
        callee: dict[str, Attribute] = {"callee": SymbolRefAttr(kernel.symbol)}
        perform(build_op(func.CallOp, operands=arguments, properties=callee))


@dataclass(frozen=True)
class Steps(Generic[N]):
    """
    A loop, and how many units of work each of its steps is; 0 if it is not cut.

    Loops that are cut lie in each other, so that units are numbered in the order in
    which they are done.
    """

    first: N
    last: N
    unit: N


def steps_within(steps: Steps[Value], units: Bounds) -> Bounds:
    """Return the steps that some units of work lie in: all, unless the loop is cut."""
    begin, end = units
    size = maximum(steps.unit, 1)
    first, last = begin // size, (end + size - 1) // size
    is_whole = steps.unit == 0
    return (
        select(is_whole, steps.first, steps.first + first),
        select(is_whole, steps.last, steps.first + last),
    )


def units_within(steps: Steps[Value], units: Bounds, step: Value) -> Bounds:
    """Return the units of work of one step: all, unless the loop is cut."""
    begin, end = units
    before = (step - steps.first) * steps.unit
    last = minimum(end - before, steps.unit)
    return maximum(begin - before, 0), select(steps.unit == 0, end, last)


def single_steps(steps: Steps[Value], units: Bounds) -> Bounds:
    """Return `steps_within` of a loop whose steps are one unit of work, if any."""
    begin, end = units
    last = minimum(steps.first + end * steps.unit, steps.last)
    return steps.first + begin * steps.unit, select(steps.unit == 0, steps.last, last)


_PLAIN, _NOALIAS = DictionaryAttr({}), DictionaryAttr({"llvm.noalias": UnitAttr()})


@dataclass(frozen=True)
class Fault:
    """
    The place where a kernel stores the opposite of `code` if data makes it fail.

    The least code stays, whichever thread comes first.
    """

    memory: Memory
    code: Value

    def report(self, condition: Value) -> None:
        """Store the opposite of the code where the condition holds."""
        with when(condition):  # as unsigned, the least code's opposite is the largest
            raise_to(self.memory, 0, convert(0 - self.code, i32))

    def checked(self, number: Value, extent: Value) -> Value:
        """Return an index counted from the front; reported and 0 if out of range."""
        place = convert(number, INDEX)
        place = select(place < 0, place + extent, place)
        is_wrong = is_outside(place, extent)
        self.report(is_wrong)
        return select(is_wrong, 0, place)
