"""Calls that threads share: their pieces, what they touch, memory of a worker."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from xdsl.ir import Operation, SSAValue

from glow.analysis.buffers import accesses_of
from glow.dialects.team.sections import CallOp
from glow.dialects.team.touches import Touch
from glow.lowering.memory_to_loops.kernels.kernel import Argument, PreparedCall
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows
from glow.lowering.memory_to_loops.storage import Storage
from glow.lowering.memory_to_loops.touched import bytes_behind, bytes_of_rows
from glow.support.arrays import ALIGNMENT
from glow.support.types import dtype_of


@dataclass
class SharedCalls:
    """The calls of a `main` that threads share, in the order of the memory level."""

    storage: Storage
    piece_ns: int
    """What a piece takes at least, in nanoseconds."""
    calls: list[CallOp] = field(default_factory=lambda: [])
    worker_bytes: int = 0
    """The memory that each worker needs for itself."""
    written: set[SSAValue] = field(default_factory=lambda: set())
    """The buffers that the current op writes."""
    _own_bytes: int = 0
    group: int | None = None
    """The number that marks the next call and those beside it, if there are such."""
    _groups: Iterator[int] = field(default_factory=count)

    def begin(self, op: Operation) -> None:
        """Go on with the calls of `op`."""
        self.written = {buffer for buffer, kind in accesses_of(op) if kind.writes}
        self._own_bytes = 0

    @contextmanager
    def beside(self) -> Generator[None]:
        """Mark calls in a `with` block as touching none of each other's elements."""
        outer = self.group
        if outer is None:
            self.group = next(self._groups)
        yield
        self.group = outer

    def own(self, size: int) -> int:
        """Return where `size` bytes begin in the memory of each worker."""
        first = self._own_bytes
        self._own_bytes += -(-size // ALIGNMENT) * ALIGNMENT
        self.worker_bytes = max(self.worker_bytes, self._own_bytes)
        return first

    def add(
        self,
        call: PreparedCall,
        operands: Sequence[SSAValue],
        passed: Mapping[str, Argument],
        cost: int,
    ) -> CallOp:
        """Add `call` on operands, the first of them those `passed`; return its op."""
        rows, units = call.work.rows, call.work.units
        op = CallOp(
            call.symbol,
            operands,
            call.once("touched", lambda: Touch.all_of(self._touches(passed, rows))),
            (units, units, cost),
            beside=self.group,
            ordered=call.ordered,
        )
        self.calls.append(op)
        return op

    def _touches(
        self, passed: Mapping[str, Argument], rows: Mapping[str, UnitRows]
    ) -> Iterator[Touch]:
        """Yield what a call does with buffers; nothing writes to constants."""
        for number, (name, argument) in enumerate(passed.items()):
            buffer = argument.buffer
            if buffer is None or self.storage.is_constant(buffer):
                continue
            writes = buffer in self.written
            if name in rows:
                size = dtype_of(argument.operand.element).itemsize
                yield Touch(number, writes, *bytes_of_rows(rows[name], size))
            else:
                yield Touch(number, writes, bytes_behind(argument, writes=writes))
