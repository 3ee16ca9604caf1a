"""Lower `memory` to the loops level: kernels, and a `main` that calls them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.calls import entries_of
from glow.analysis.directions import functions_of
from glow.codegen.rows import table_of
from glow.dialects.graph.placeholder import ResourceAttr
from glow.lowering.memory_to_loops._ops import active_ops, lower_op
from glow.lowering.memory_to_loops.kernels.library_function import closure
from glow.lowering.memory_to_loops.main import ROWS, Main
from glow.lowering.memory_to_loops.profile import ProfileWriter
from glow.lowering.memory_to_loops.storage import Storage
from glow.lowering.team import team_functions
from glow.support.targets import target_of
from glow.support.walking import block_ops, free_ops


@dataclass(frozen=True)
class MemoryToLoopsPass(ModulePass):
    """
    Replace `@main` by calls of kernels with rows of integers.

    The module keeps, as attributes, what a run needs: `glow.signature`,
    `glow.constants`, `glow.arena_bytes`, `glow.messages`. Placeholders that are bound
    become constants, and those that are scratch a part of the arena, behind the rest.
    With `profile`, `@main` notes when each call begins and ends, in an array that `io`
    has last, and the module says which op each call is of: `glow.groups` (name, op,
    floating-point operations, extents of the result and what is summed, bytes and from
    how far, the same of other algorithms), `glow.records` (group, kernel, piece,
    section, strand).
    With `piece_ns` threads share `main`: its calls are in sections, in pieces that take
    as many nanoseconds or more, and `glow.sections`, `glow.strands` and
    `glow.worker_bytes` say how many there are and what each thread needs for itself.
    Where a second thread would not save enough time, `main` is as without threads.
    Without threads, calls that pass on more than `near_bytes` (0: half of the second-
    level cache) take turns, so that what one writes is read while a cache holds it.
    With `kernels=declared` it has no bodies of kernels: a backend of this process
    brings their code.

    Level: memory -> loops. Needs: plan-memory.
    """

    name = "memory-to-loops"

    target: str = "cpu"
    kernels: Literal["defined", "declared"] = "defined"
    profile: bool = False
    piece_ns: int = 0
    near_bytes: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.piece_ns < 0:
            raise PassFailedException(
                f"memory-to-loops expects piece_ns of at least 0, got {self.piece_ns}"
            )
        if self.near_bytes < 0:
            raise PassFailedException(
                "memory-to-loops expects near_bytes of at least 0, got "
                f"{self.near_bytes}"
            )
        lowered = self.lower(op)
        for old in reversed(block_ops(op.body.block)):
            old.detach()  # nothing else refers to a function or to what is in it
            free_ops(*old.regions)
        new = block_ops(lowered.body.block)
        for each in reversed(new):
            each.detach()
        op.body.block.add_ops(new)
        op.attributes.update(lowered.attributes)

    def lower(self, module: ModuleOp) -> ModuleOp:
        """Return what `apply` makes of `module`, and leave this as it is."""
        entries = entries_of(module)
        if len(entries) != 1:
            raise PassFailedException(
                f"memory-to-loops expects one function, got {len(entries)}"
            )
        main = self._main(module, entries[0], self.piece_ns)
        if main.piece_ns and not main.is_shared:
            main = self._main(module, entries[0], 0)
        if self.kernels == "declared":
            called = main.kernels.values()
            library = [kernel.declare(types) for kernel, types in called]
        else:
            called = (kernel for kernel, _ in main.kernels.values())
            library = [kernel.build() for kernel in closure(called)]
        if main.piece_ns:
            library += team_functions(self.kernels)
        table = table_of(ROWS, main.rows or [0])
        lowered = ModuleOp([table, *library, *main.functions, main.function])
        lowered.attributes |= module.attributes
        _describe(lowered, main)
        return lowered

    def _main(self, module: ModuleOp, function: FuncOp, piece_ns: int) -> Main:
        """Return the `main` that calls kernels for the ops of `function`."""
        target, storage = target_of(self.target), Storage(module)
        ops = active_ops(function.body.block)
        profile = ProfileWriter(ops, target) if self.profile else None
        callees = {f.sym_name.data: f for f in functions_of(module)}
        near = self.near_bytes or target.l2_bytes // 2
        main = Main(
            target,
            storage,
            profile=profile,
            callees=callees,
            piece_ns=piece_ns,
            near_bytes=near,
        )
        for op in ops:
            lower_op(main, op)
        main.finish()
        return main


def _describe(module: ModuleOp, main: Main) -> None:
    """Note what a run of `main` needs as attributes of its module."""
    storage = main.storage
    tables = [ResourceAttr.of(table) for table in main.tables.arrays]
    constants = [*storage.constants.values(), *tables]
    module.attributes["glow.signature"] = storage.signature(constants)
    module.attributes["glow.constants"] = ArrayAttr(constants)
    if storage.scratch:
        module.attributes["glow.arena_bytes"] = IntegerAttr(storage.arena_bytes, i64)
    if main.piece_ns:
        strands = sum(len(section.strands) for section in main.sections)
        counts = ("strands", strands), ("sections", len(main.sections))
        for name, number in (*counts, ("worker_bytes", main.shared.worker_bytes)):
            module.attributes[f"glow.{name}"] = IntegerAttr(number, i64)
    module.attributes["glow.messages"] = ArrayAttr(
        [StringAttr(message) for message in main.messages]
    )
    if main.profile is not None:
        module.attributes.update(main.profile.attributes())
