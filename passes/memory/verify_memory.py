"""Prove that buffers are used within their lives and as ops declare."""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from glow.analysis.buffers import (
    accesses_of,
    may_overlap,
    root_of,
    size_bytes,
    symbol_of,
)
from glow.analysis.directions import functions_of
from glow.analysis.written import Written
from glow.dialects.layout.attribute import is_alike
from glow.dialects.memory.base import Kind, MemoryOp, buffer_type
from glow.dialects.memory.control_flow import kinds_of_arguments
from glow.dialects.memory.elementwise import ZeroHaloOp
from glow.dialects.memory.products import ConvOp
from glow.dialects.memory.storage import (
    AllocOp,
    ConstantOp,
    DeallocOp,
    GetOp,
    PlaceholderOp,
    ReadyOp,
    StorageOp,
)
from glow.passes.memory._calls import at, problems_of_calls, rooms_of_callees
from glow.support.walking import ops_of


class VerifyMemoryPass(ModulePass):
    """
    Check every use of every buffer, and list all problems at once.

    Writes are tracked per element: a read of a buffer that was written in part is
    refused unless it reads only that part.
    Level: memory -> memory. Needs: insert-deallocs; changes nothing.
    Errors: a use before the alloc or after the dealloc, a second dealloc or none, a
    read of elements that were never written, a border that is read and is not zero, a
    write to a constant or to an input, an output that is not written, an operand that
    overlaps a written one undeclared, a buffer beyond the end of the arena or one that
    shares bytes with another one alive, an unknown symbol; of outputs that are marked
    as ready, one that is not or twice, or is written later; a call of a function that
    takes other buffers or does something else to them than the op says.
    """

    name = "verify-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        symbols = _storage_of(op)
        arena = op.attributes.get("glow.arena_bytes")
        bytes_ = arena.value.data if isinstance(arena, IntegerAttr) else None
        if arena is not None and (bytes_ is None or bytes_ < 0):
            raise VerifyException(
                f"glow.arena_bytes: expected an integer of at least 0, got {arena}"
            )
        functions = functions_of(op)
        outside = {name for name, each in symbols.items() if not _is_constant(each)}
        problems = list(problems_of_calls(functions, outside))
        rooms = {f.sym_name.data: bytes_ for f in functions}
        if bytes_ is not None:
            rooms |= rooms_of_callees(functions)
        checkers = [
            _MemoryChecker(f, symbols, rooms[f.sym_name.data]) for f in functions
        ]
        problems += [problem for checker in checkers for problem in checker.check()]
        for name, storage in symbols.items():
            if not (
                isinstance(storage, PlaceholderOp)
                and storage.is_output
                and storage.direction.data == "out"
            ):
                continue
            is_empty = 0 in storage.type.get_shape()
            if not is_empty and not any(each.completes(name) for each in checkers):
                problems.append(
                    f"memory.placeholder @{name}: expected a function that writes "
                    "each element"
                )
        if problems:
            raise VerifyException("; ".join(problems))


def verify_gets(module: ModuleOp) -> None:
    """Raise VerifyException unless each `memory.get` is of what its symbol names."""
    symbols = _storage_of(module)
    gets = (op for op in module.walk() if isinstance(op, GetOp))
    found = ((op, _problem_of_get(op, symbols)) for op in gets)
    problems = [at(op, problem) for op, problem in found if problem is not None]
    if problems:
        raise VerifyException("; ".join(problems))


def _storage_of(module: ModuleOp) -> dict[str, StorageOp]:
    return {
        op.sym_name.data: op for op in ops_of(module.ops, ConstantOp, PlaceholderOp)
    }


def _problem_of_get(op: GetOp, symbols: Mapping[str, StorageOp]) -> str | None:
    symbol = op.symbol.string_value()
    storage = symbols.get(symbol)
    if storage is None:
        return f"no placeholder or constant is named @{symbol}"
    if not is_alike(storage.type, op.result.type):
        return f"@{symbol} is {storage.type}, got {op.result.type}"
    return None


class _MemoryChecker:
    """State of a walk over the ops of a function: what is alive, what is written."""

    def __init__(
        self, function: FuncOp, symbols: dict[str, StorageOp], arena_bytes: int | None
    ):
        self.function = function
        self.symbols = symbols
        self.arena_bytes = arena_bytes
        self.problems: list[str] = []
        self.alive: dict[SSAValue, AllocOp] = {}
        self.placed: list[tuple[int, int]] = []
        self.dead: set[SSAValue] = set()
        self.written: dict[SSAValue | str, Written] = {}
        self.ready: set[str] = set()
        self.arguments: dict[SSAValue, Kind] = {}
        """How the function may access its arguments, where declared."""
        if function.arg_attrs is not None:
            kinds = kinds_of_arguments(function)
            self.arguments |= zip(function.body.block.args, kinds, strict=True)

    def check(self) -> Sequence[str]:
        """Return the problems of the function."""
        if len(self.function.body.blocks) > 1:
            self._report(self.function, "expected one block")
            return self.problems
        for op in self.function.body.block.ops:
            match op:
                case AllocOp():
                    self._allocate(op)
                case DeallocOp():
                    self._deallocate(op)
                case GetOp():
                    if (problem := _problem_of_get(op, self.symbols)) is not None:
                        self._report(op, problem)
                case ReadyOp():
                    self._mark(op)
                case _:
                    try:
                        self._access(op)
                    except MemoryError as error:
                        self._report(op, f"its buffers are too large: {error}")
        for op in self.alive.values():
            self._report(op, f"{buffer_type(op.result)} is never deallocated")
        for number, (argument, kind) in enumerate(self.arguments.items()):
            if kind is Kind.OUT and not self._written(argument).holds(
                buffer_type(argument)
            ):
                self._report(self.function, f"argument {number} is not written whole")
        if self.ready:
            self.problems += [
                f"memory.placeholder @{name}: nothing says when it is ready"
                for name, storage in self.symbols.items()
                if _is_output(storage) and name not in self.ready
            ]
        return self.problems

    def completes(self, name: str) -> bool:
        """Return whether each element of placeholder `name` has a value at the end."""
        written, storage = self.written.get(name), self.symbols[name]
        return written is not None and written.holds(buffer_type(storage.type))

    def _report(self, op: Operation, problem: str) -> None:
        self.problems.append(at(op, problem))

    def _allocate(self, op: AllocOp) -> None:
        self.alive[op.result] = op
        self.written[op.result] = Written(buffer_type(op.result))
        if op.offset is None:
            if self.arena_bytes is not None:
                self._report(op, "expected an offset, as there is an arena")
            return
        start, end = _bytes_of(op, op.offset)
        if end > (self.arena_bytes or 0):
            self._report(
                op,
                f"bytes {start}..{end} lie outside the arena, whose size is "
                f"glow.arena_bytes = {self.arena_bytes or 0}",
            )
        if start == end:
            return
        at = bisect_left(self.placed, (start, end))
        neighbors = self.placed[max(at - 1, 0) : at + 1]
        if any(low < end and start < high for low, high in neighbors):
            self._report(op, f"bytes {start}..{end} belong to a buffer that is alive")
        insort(self.placed, (start, end))

    def _deallocate(self, op: DeallocOp) -> None:
        if op.buffer in self.dead:
            self._report(op, "the buffer was deallocated before")
        elif (alloc := self.alive.pop(op.buffer, None)) is None:
            self._report(op, "expected a buffer made by memory.alloc")
        elif alloc.offset is not None:
            place = _bytes_of(alloc, alloc.offset)
            if place in self.placed:
                self.placed.remove(place)
        self.dead.add(op.buffer)
        self.written.pop(op.buffer, None)

    def _mark(self, op: ReadyOp) -> None:
        symbol = op.symbol.string_value()
        if not _is_output(self.symbols.get(symbol)):
            self._report(op, f"expected an output, got @{symbol}")
        elif symbol in self.ready:
            self._report(op, f"@{symbol} was ready before")
        self.ready.add(symbol)

    def _access(self, op: Operation) -> None:
        accesses = accesses_of(op)
        for value, kind in accesses:
            if root_of(value) in self.dead:
                self._report(op, "uses a buffer after its dealloc")
            if kind.reads:
                self._read(op, value)
        if isinstance(op, ConvOp) and not self._written(op.input).has_zeros_around(
            buffer_type(op.input), op.border()
        ):
            self._report(op, "expected zeros around the input, as wide as the op reads")
        for value, kind in accesses:
            if kind.writes:
                self._write(op, value)
        if isinstance(op, MemoryOp):
            self._check_overlaps(op, accesses)

    def _storage(self, buffer: SSAValue) -> StorageOp | None:
        symbol = symbol_of(buffer)
        return None if symbol is None else self.symbols.get(symbol)

    def _written(self, buffer: SSAValue) -> Written:
        """Return what is written of the storage that `buffer` is a view of."""
        root = root_of(buffer)
        storage = self._storage(root)
        key = root if storage is None else storage.sym_name.data
        if key not in self.written:
            out = isinstance(storage, PlaceholderOp) and storage.direction.data == "out"
            out |= self.arguments.get(root) is Kind.OUT
            self.written[key] = Written(buffer_type(root), whole=not out)
        return self.written[key]

    def _read(self, op: Operation, buffer: SSAValue) -> None:
        if not self._written(buffer).holds(buffer_type(buffer)):
            self._report(op, "reads elements of a buffer that nothing has written")

    def _write(self, op: Operation, buffer: SSAValue) -> None:
        storage = self._storage(buffer)
        if isinstance(storage, ConstantOp):
            self._report(op, f"writes to constant @{storage.sym_name.data}")
        elif isinstance(storage, PlaceholderOp):
            if storage.direction.data == "in":
                self._report(op, f"writes to input @{storage.sym_name.data}")
            if storage.sym_name.data in self.ready:
                self._report(op, f"writes to @{storage.sym_name.data}, which was ready")
        elif self.arguments.get(root_of(buffer)) is Kind.IN:
            self._report(op, "writes to an argument that the function only reads")
        if isinstance(op, ZeroHaloOp):
            self._written(buffer).zero_border()
        else:
            self._written(buffer).write(buffer_type(buffer))

    def _check_overlaps(
        self, op: MemoryOp, accesses: list[tuple[SSAValue, Kind]]
    ) -> None:
        allowed = set(op.in_place_pairs())
        for i, (written, kind) in enumerate(accesses):
            if not kind.writes:
                continue
            for j, (other, other_kind) in enumerate(accesses):
                if i == j or not self._share_storage(written, other):
                    continue
                if other_kind.writes and j < i:
                    continue
                if (other, written) in allowed:
                    continue
                if may_overlap(written, other):
                    self._report(
                        op,
                        f"operand {j} overlaps operand {i}, which is written; "
                        "the op declares no such pair",
                    )

    def _share_storage(self, one: SSAValue, other: SSAValue) -> bool:
        """Return whether both are views of one allocation, placeholder or constant."""
        first, second = root_of(one), root_of(other)
        storage = self._storage(first)
        return first is second or (
            storage is not None and storage is self._storage(second)
        )


def _bytes_of(op: AllocOp, offset: IntegerAttr[Any]) -> tuple[int, int]:
    """Return the bytes of the arena that `op` takes, from the first up to an end."""
    start = offset.value.data
    return start, start + size_bytes(buffer_type(op.result))


def _is_output(op: StorageOp | None) -> bool:
    return isinstance(op, PlaceholderOp) and op.is_output


def _is_constant(op: StorageOp) -> bool:
    """Return whether nothing writes to what `op` declares, and all see it."""
    return isinstance(op, ConstantOp) or op.residency.data == "bound"
