"""Give every allocation its place in one arena."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i8, i64
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.buffers import Lifetime, largest_live_bytes, root_of, uses_of
from glow.analysis.calls import callees_first, calls_in, entries_of
from glow.analysis.directions import functions_of
from glow.dialects.memory.control_flow import ControlFlowOp
from glow.dialects.memory.storage import AllocOp, DeallocOp, GetOp, ViewOp
from glow.support.attributes import integer
from glow.support.targets import target_of
from glow.support.walking import block_ops

_PASSIVE = {AllocOp, DeallocOp, GetOp, ViewOp}


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """
    Set the arena offset of every allocation; allocations alive at once stay apart.

    A function that an op calls has an arena of its own, the `frame` of that op, which
    is an allocation of the caller.

    Small ones, by the target's costs, stay for `apart` more ops: threads then need not
    wait for each other where one reads what another would overwrite.

    Level: memory -> memory. Needs: insert-deallocs. The module keeps the size of the
    arena (`glow.arena_bytes`) and its lower bound, the most bytes alive at once
    (`glow.arena_lower_bound`).
    Source: greedy by size for offset calculation (Pisarchyk and Lee, 2020).
    """

    name = "plan-memory"

    target: str = "cpu"
    apart: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.apart < 0:
            raise PassFailedException(
                f"plan-memory expects apart of at least 0, got {self.apart}"
            )
        arena = bound = 0
        sizes: dict[str, int] = {}
        entries = entries_of(op)
        for function in callees_first(functions_of(op)):
            _add_frames(function, sizes)
            lifetimes = _lifetimes(function)
            offsets = plan(self._longer(lifetimes, function))
            for lifetime, offset in zip(lifetimes, offsets, strict=True):
                lifetime.alloc.properties["offset"] = integer(offset)
            size = _height(lifetimes, offsets)
            sizes[function.sym_name.data] = size
            if function in entries:
                arena = max(arena, size)
                bound = max(bound, largest_live_bytes(lifetimes))
        op.attributes["glow.arena_bytes"] = IntegerAttr(arena, i64)
        op.attributes["glow.arena_lower_bound"] = IntegerAttr(bound, i64)

    def _longer(
        self, lifetimes: list[Lifetime], function: FuncOp
    ) -> Sequence[Lifetime]:
        """Return lifetimes of which small ones end `apart` computing ops later."""
        if not self.apart:
            return lifetimes
        ops = enumerate(block_ops(function.body.block))
        most = target_of(self.target).costs.delayed_bytes
        computing = [at for at, op in ops if type(op) not in _PASSIVE]

        def longer(own: Lifetime) -> Lifetime:
            following = bisect_right(computing, own.last) - 1 + self.apart
            if own.bytes > most or not computing:
                return own
            last = computing[min(following, len(computing) - 1)]
            return Lifetime(own.alloc, own.first, max(own.last, last), own.bytes)

        return [longer(lifetime) for lifetime in lifetimes]


def _add_frames(function: FuncOp, sizes: Mapping[str, int]) -> None:
    """Give calling ops of `function` the room that their callees need."""
    for op in calls_in(function):
        size = max(sizes[name] for name in op.callees)
        if not isinstance(op, ControlFlowOp) or op.frame is not None or not size:
            continue
        frame = AllocOp(MemRefType(i8, (size,)))
        end = DeallocOp(frame.result)
        frame.location = end.location = op.location
        function.body.block.insert_op_before(frame, op)
        function.body.block.insert_op_after(end, op)
        op.set_frame(frame.result)


def _lifetimes(function: FuncOp) -> list[Lifetime]:
    """Return lifetimes that last until the dealloc, where there is one."""
    uses = uses_of(function.body.block)
    for at, op in enumerate(uses.ops):
        if type(op) is DeallocOp:
            lifetime = uses.lifetimes.get(root_of(op.buffer))
            if lifetime is not None:
                lifetime.last = max(lifetime.last, at)
    return list(uses.lifetimes.values())


def plan(lifetimes: Sequence[Lifetime]) -> list[int]:
    """Return an offset in bytes for each lifetime: the smaller of two greedy plans."""
    by_size = sorted(range(len(lifetimes)), key=lambda i: -lifetimes[i].bytes)
    by_birth = sorted(
        range(len(lifetimes)), key=lambda i: (lifetimes[i].first, -lifetimes[i].bytes)
    )
    plans = [_place(lifetimes, order) for order in (by_size, by_birth)]
    return min(plans, key=lambda offsets: _height(lifetimes, offsets))


def _height(lifetimes: Sequence[Lifetime], offsets: list[int]) -> int:
    ends = (o + lifetime.bytes for o, lifetime in zip(offsets, lifetimes, strict=True))
    return max(ends, default=0)


def _place(lifetimes: Sequence[Lifetime], order: list[int]) -> list[int]:
    """Place allocations in this order, each in the smallest gap that takes it."""
    # Columns of NumPy, one row per placed allocation: models have thousands.
    first, last, low, high = np.zeros((4, len(lifetimes)), np.int64)
    offsets = [0] * len(lifetimes)
    for n, i in enumerate(order):
        lifetime = lifetimes[i]
        together = (first[:n] <= lifetime.last) & (last[:n] >= lifetime.first)
        taken = sorted(
            zip(low[:n][together].tolist(), high[:n][together].tolist(), strict=True)
        )
        offsets[i] = _best_gap(taken, lifetime.bytes)
        first[n], last[n] = lifetime.first, lifetime.last
        low[n], high[n] = offsets[i], offsets[i] + lifetime.bytes
    return offsets


def _best_gap(taken: list[tuple[int, int]], size: int) -> int:
    best, best_size, end = -1, 0, 0
    for low, high in taken:
        gap = low - end
        if gap >= size and (best < 0 or gap < best_size):
            best, best_size = end, gap
        end = max(end, high)
    return end if best < 0 else best
