"""Prove that buffers are used within their lives and as ops declare."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from glow.analysis.buffers import accesses_of, may_overlap, root_of, size_bytes
from glow.analysis.directions import functions_of
from glow.dialects.layout.attribute import is_alike
from glow.dialects.memory.base import Kind, MemoryOp, buffer_type
from glow.dialects.memory.elementwise import ZeroHaloOp
from glow.dialects.memory.storage import (
    AllocOp,
    ConstantOp,
    DeallocOp,
    GetOp,
    PlaceholderOp,
    ReadyOp,
)
from glow.support.locations import name_of


class VerifyMemoryPass(ModulePass):
    """
    Check every use of every buffer, and list all problems at once.

    Level: memory -> memory. Needs: nothing; changes nothing.
    Errors: a use before the alloc or after the dealloc, a second dealloc, a read of
    what was never written, a write to a constant or to an input, an operand that
    overlaps a written one undeclared, a buffer of the arena that shares bytes with
    another one alive, an unknown symbol; of outputs that are marked as ready, one that
    is not or twice, or is written later.
    """

    name = "verify-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        problems: list[str] = []
        for function in functions_of(op):
            problems += _Checker(op).check(function)
        if problems:
            raise VerifyException("; ".join(problems))


class _Checker:
    """State of a walk over the ops of a function: what is alive, what is written."""

    def __init__(self, module: ModuleOp):
        storage = (
            op for op in module.ops if isinstance(op, PlaceholderOp | ConstantOp)
        )
        self.symbols = {op.sym_name.data: op for op in storage}
        self.problems: list[str] = []
        self.alive: dict[SSAValue, AllocOp] = {}
        self.dead: set[SSAValue] = set()
        self.written: set[SSAValue] = set()
        self.written_symbols: set[str] = set()
        self.ready: set[str] = set()

    def check(self, function: FuncOp) -> list[str]:
        for op in function.body.block.ops:
            match op:
                case AllocOp():
                    self._allocate(op)
                case DeallocOp():
                    self._deallocate(op)
                case GetOp():
                    self._get(op)
                case ReadyOp():
                    self._mark(op)
                case _:
                    self._access(op)
        if self.ready:
            self.problems += [
                f"memory.placeholder @{name}: nothing says when it is ready"
                for name, storage in self.symbols.items()
                if _is_output(storage) and name not in self.ready
            ]
        return self.problems

    def _report(self, op: Operation, problem: str) -> None:
        name = op.title if isinstance(op, MemoryOp) else op.name
        self.problems.append(f"{name} (from {name_of(op)}): {problem}")

    def _allocate(self, op: AllocOp) -> None:
        if op.offset is not None:
            start = op.offset.value.data
            end = start + size_bytes(buffer_type(op.result))
            for other in self.alive.values():
                if other.offset is None:
                    continue
                low = other.offset.value.data
                if start < low + size_bytes(buffer_type(other.result)) and low < end:
                    self._report(
                        op, f"bytes {start}..{end} belong to a buffer that is alive"
                    )
        self.alive[op.result] = op

    def _deallocate(self, op: DeallocOp) -> None:
        if op.buffer in self.dead:
            self._report(op, "the buffer was deallocated before")
        elif self.alive.pop(op.buffer, None) is None:
            self._report(op, "expected a buffer made by memory.alloc")
        self.dead.add(op.buffer)

    def _get(self, op: GetOp) -> None:
        symbol = op.symbol.string_value()
        storage = self.symbols.get(symbol)
        if storage is None:
            self._report(op, f"no placeholder or constant is named @{symbol}")
        elif not is_alike(storage.type, op.result.type):
            self._report(op, f"@{symbol} is {storage.type}, got {op.result.type}")

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
            root = root_of(value)
            if root in self.dead:
                self._report(op, "uses a buffer after its dealloc")
            if kind.reads:
                self._read(op, root)
        for value, kind in accesses:
            if kind.writes:
                self._write(op, root_of(value))
        if isinstance(op, MemoryOp):
            self._check_overlaps(op, accesses)

    def _placeholder(self, root: SSAValue) -> PlaceholderOp | ConstantOp | None:
        owner = root.owner
        if not isinstance(owner, GetOp):
            return None
        return self.symbols.get(owner.symbol.string_value())

    def _read(self, op: Operation, root: SSAValue) -> None:
        if 0 in buffer_type(root).get_shape():
            return  # there is nothing to write
        storage = self._placeholder(root)
        fresh = root in self.alive or (
            isinstance(storage, PlaceholderOp) and storage.direction.data == "out"
        )
        name = None if storage is None else storage.sym_name.data
        if fresh and root not in self.written and name not in self.written_symbols:
            self._report(op, "reads a buffer that nothing has written")

    def _write(self, op: Operation, root: SSAValue) -> None:
        storage = self._placeholder(root)
        if isinstance(storage, ConstantOp):
            self._report(op, f"writes to constant @{storage.sym_name.data}")
        elif isinstance(storage, PlaceholderOp):
            if storage.direction.data == "in":
                self._report(op, f"writes to input @{storage.sym_name.data}")
            if storage.sym_name.data in self.ready:
                self._report(op, f"writes to @{storage.sym_name.data}, which was ready")
            self.written_symbols.add(storage.sym_name.data)
        if not isinstance(op, ZeroHaloOp):
            self.written.add(root)

    def _check_overlaps(
        self, op: MemoryOp, accesses: list[tuple[SSAValue, Kind]]
    ) -> None:
        allowed = set(op.in_place_pairs())
        for i, (written, kind) in enumerate(accesses):
            if not kind.writes:
                continue
            for j, (other, other_kind) in enumerate(accesses):
                if i == j or root_of(written) is not root_of(other):
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


def _is_output(op: PlaceholderOp | ConstantOp | None) -> bool:
    return isinstance(op, PlaceholderOp) and op.is_output
