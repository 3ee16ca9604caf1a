"""The code of a `main` whose calls are numbers, which it reads from a constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from glow.lowering.loops_to_llvm.numbers_of_main import (
    ARGUMENT,
    BYTES,
    NUMBER,
    OF_ROWS,
)
from glow.lowering.loops_to_llvm.sections import CLAIM, WAIT
from glow.runtime.image import ENTRY
from glow.support.team_words import END

_ALONE, _SHARED = 4, 6
"""Arguments of a `main`: arena, io, constants and fault; then team and scratch."""

_CONSTANTS, _TEAM = "%a2", "%a4"

CallKind = tuple[str, ...]
"""A kernel, and how each of its operands is found."""


@lru_cache(64)
def code_of(kinds: tuple[CallKind, ...], is_shared: bool, entry: int, rows: int) -> str:
    """
    Return `main` as LLVM IR: loops around one call of each kind.

    The numbers are constant `entry`; the first `rows` of them are rows of kernels.
    """
    return "\n".join(_lines(kinds, is_shared, entry, rows))


def _lines(
    kinds: tuple[CallKind, ...], is_shared: bool, entry: int, rows: int
) -> Iterator[str]:
    bounds = ("i64", "i64") if is_shared else ()
    types = {symbol: [*map(_type_of, ways), *bounds] for symbol, *ways in kinds}
    for symbol in sorted(types):
        yield f"declare void @{symbol}({', '.join(types[symbol])})"
    if is_shared:
        yield f"declare i64 @{CLAIM}(ptr, i64, i64, i64)"
        yield f"declare i64 @{WAIT}(ptr, i64)"
    count = _SHARED if is_shared else _ALONE
    given = ", ".join(f"ptr %a{number}" for number in range(count))
    yield f"define void @{ENTRY}({given}) nounwind {{"
    yield "start:"
    yield f"  %entry = getelementptr ptr, ptr {_CONSTANTS}, i64 {entry}"
    yield "  %rows = load ptr, ptr %entry, align 8"
    yield f"  %first = getelementptr i64, ptr %rows, i64 {rows}"
    yield from _SECTIONS if is_shared else ("  br label %next",)
    begin, come_from = ("%calls", "piece") if is_shared else ("%first", "start")
    after = "".join(f", [%after{k}, %call{k}]" for k in range(len(kinds)))
    yield "next:"
    yield f"  %at = phi ptr [{begin}, %{come_from}]{after}"
    yield "  %kind = load i64, ptr %at, align 8"
    cases = " ".join(f"i64 {k}, label %call{k}" for k in range(len(kinds)))
    yield f"  switch i64 %kind, label %{'done' if is_shared else 'end'} [{cases}]"
    for number, (symbol, *ways) in enumerate(kinds):
        yield from _Call(number).lines_of(symbol, ways, is_shared)
    yield from ("end:", "  ret void", "}", "")


def _words(pointer: str, *names: str) -> list[str]:
    """Return lines that load consecutive words."""
    return [
        line
        for number, name in enumerate(names)
        for line in (
            f"  %{name}.place = getelementptr i64, ptr {pointer}, i64 {number}",
            f"  %{name} = load i64, ptr %{name}.place, align 8",
        )
    ]


_SECTIONS = [
    "  br label %section",
    "section:",
    "  %here = phi ptr [%first, %start], [%strand.end, %wait]",
    *_words("%here", "strands", "pieces"),
    "  %strand.first = getelementptr i64, ptr %here, i64 2",
    "  %is_end = icmp eq i64 %strands, 0",
    "  br i1 %is_end, label %end, label %strand",
    "strand:",
    "  %there = phi ptr [%strand.first, %section], [%strand.first, %wait],"
    " [%strand.end, %over]",
    "  %left = phi i64 [%strands, %section], [%strands, %wait], [%fewer, %over]",
    *_words("%there", "number", "order", "its_pieces", "together", "length"),
    "  %calls = getelementptr i64, ptr %there, i64 5",
    "  br label %claim",
    "claim:",
    f"  %piece.first = call i64 @{CLAIM}(ptr {_TEAM}, i64 %number, i64 %order,"
    " i64 %its_pieces)",
    "  %is_none = icmp slt i64 %piece.first, 0",
    "  br i1 %is_none, label %over, label %claimed",
    "claimed:",
    f"  %end.place = getelementptr i64, ptr {_TEAM}, i64 {END}",
    "  %piece.end = load i64, ptr %end.place, align 8",
    "  br label %piece",
    "piece:",
    "  %low = phi i64 [%piece.first, %claimed], [%high, %done]",
    "  %following = add i64 %low, %together",
    "  %is_inside = icmp slt i64 %following, %piece.end",
    "  %high = select i1 %is_inside, i64 %following, i64 %piece.end",
    "  br label %next",
    "done:",
    "  br i1 %is_inside, label %piece, label %claimed_all",
    "claimed_all:",
    "  %is_one = icmp eq i64 %its_pieces, 1",
    "  br i1 %is_one, label %over, label %claim",
    "over:",
    "  %strand.end = getelementptr i64, ptr %calls, i64 %length",
    "  %fewer = sub i64 %left, 1",
    "  %is_last = icmp eq i64 %fewer, 0",
    "  br i1 %is_last, label %wait, label %strand",
    "wait:",
    f"  %is_late = call i64 @{WAIT}(ptr {_TEAM}, i64 %pieces)",
    "  %is_over = icmp slt i64 %is_late, 1",
    "  br i1 %is_over, label %section, label %strand",
]
"""The sections of a shared `main`, around the calls of pieces from `low` to `high`."""


def _type_of(way: str) -> str:
    return "i64" if way == NUMBER else "ptr"


class _Call:
    """Writes the call of one kind; its numbers follow the number of the kind."""

    def __init__(self, kind: int):
        self._kind = kind
        self._lines = [f"call{kind}:"]
        self._numbers = 1

    def lines_of(self, symbol: str, ways: Iterable[str], is_shared: bool) -> list[str]:
        passed = [f"{_type_of(way)} {self._found(way)}" for way in ways]
        passed += [f"i64 {bound}" for bound in self._bounds()] if is_shared else []
        end = f"  %after{self._kind} = getelementptr i64, ptr %at, i64 {self._numbers}"
        call = f"  call void @{symbol}({', '.join(passed)})"
        return [*self._lines, call, end, "  br label %next"]

    def _bounds(self) -> tuple[str, str]:
        """Write the range of units of the pieces; the last piece may have fewer."""
        units, step = self._number(), self._number()
        low, high = (self._named(f"mul i64 %{n}, {step}") for n in ("low", "high"))
        is_whole = self._named(f"icmp slt i64 {high}, {units}")
        return low, self._named(f"select i1 {is_whole}, i64 {high}, i64 {units}")

    def _found(self, way: str) -> str:
        """Write how an operand is found; return its name."""
        if way == NUMBER:
            return self._number()
        if way == OF_ROWS:
            return "%rows"
        kind, argument = way.split()
        pointer = f"%a{argument}"
        if kind == ARGUMENT:
            return pointer
        if kind != BYTES:
            index = self._number()
            place = self._named(f"getelementptr ptr, ptr {pointer}, i64 {index}")
            pointer = self._named(f"load ptr, ptr {place}, align 8")
        return self._named(f"getelementptr i8, ptr {pointer}, i64 {self._number()}")

    def _number(self) -> str:
        place = self._named(f"getelementptr i64, ptr %at, i64 {self._numbers}")
        self._numbers += 1
        return self._named(f"load i64, ptr {place}, align 8")

    def _named(self, text: str) -> str:
        name = f"%v{self._kind}.{len(self._lines)}"
        self._lines.append(f"  {name} = {text}")
        return name
