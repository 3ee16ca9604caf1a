"""Lower `memory` to the loops level: kernels, and a `main` that calls them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.rows import table_of
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import MemoryOp, extents_of
from glow.dialects.memory.storage import AllocOp, DeallocOp, GetOp, ViewOp
from glow.lowering.memory_to_loops.kernels.library_function import closure
from glow.lowering.memory_to_loops.main import ROWS, Main
from glow.lowering.memory_to_loops.profile import ProfileWriter
from glow.lowering.memory_to_loops.rules import check_room, rule_of
from glow.lowering.memory_to_loops.storage import Storage
from glow.lowering.team import team_functions
from glow.support.targets import target_of

# These only say where bytes lie; `Main.base` reads them off.
PASSIVE = (AllocOp, DeallocOp, GetOp, ViewOp, ReturnOp)


@dataclass(frozen=True)
class MemoryToLoopsPass(ModulePass):
    """
    Replace `@main` by calls of kernels with rows of integers.

    The module keeps, as attributes, what a run needs: `glow.signature`,
    `glow.constants`, `glow.arena_bytes`, `glow.messages`. Placeholders that are bound
    become constants, and those that are scratch a part of the arena, behind the rest.
    With `profile`, `@main` notes when each call begins and ends, in an array that `io`
    has last, and the module which op each is of: `glow.groups` (name, op, floating-
    point operations, extents of the result and what is summed, bytes and from how far,
    the same of other algorithms), `glow.records` (group, kernel, piece).
    With `piece_ns` threads share `main`: its calls are in sections, in pieces that take
    as many nanoseconds or more, and `glow.sections`, `glow.strands` and
    `glow.worker_bytes` say how many there are and what each thread needs for itself.
    Where a second thread would not save the time of four pieces, it is as without.
    With `kernels=declared` it has no bodies of kernels: a backend of this process
    brings their code.

    Level: memory -> loops. Needs: plan-memory.
    """

    name = "memory-to-loops"

    target: str = "cpu"
    kernels: Literal["defined", "declared"] = "defined"
    profile: bool = False
    piece_ns: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.piece_ns < 0:
            raise PassFailedException(
                f"memory-to-loops expects piece_ns of at least 0, got {self.piece_ns}"
            )
        if self.piece_ns and self.profile:
            raise PassFailedException(
                "memory-to-loops profiles calls that no threads share: expected a "
                f"piece_ns of 0, got {self.piece_ns}"
            )
        functions = [f for f in op.ops if isinstance(f, FuncOp)]
        if len(functions) != 1:
            raise PassFailedException(
                f"memory-to-loops expects one function, got {len(functions)}"
            )
        main = self._main(op, functions[0], self.piece_ns)
        if main.piece_ns and not main.is_shared:
            main = self._main(op, functions[0], 0)
        if self.kernels == "declared":
            library = [kernel.declare(types) for kernel, types in main.kernels.items()]
        else:
            library = [kernel.build() for kernel in closure(main.kernels)]
        if main.piece_ns:
            library += team_functions(self.kernels)
        _replace(op, main, library)

    def _main(self, module: ModuleOp, function: FuncOp, piece_ns: int) -> Main:
        """Return the `main` that calls kernels for the ops of `function`."""
        target, storage = target_of(self.target), Storage(module)
        ops = [op for op in function.body.block.ops if not isinstance(op, PASSIVE)]
        profile = ProfileWriter(ops, target) if self.profile else None
        main = Main(target, storage, profile=profile, piece_ns=piece_ns)
        for op in ops:
            main.begin(op)
            _lower(main, op)
        main.finish()
        return main


def _lower(main: Main, op: Operation) -> None:
    if isinstance(op, ApplyOp) and _computes_nothing(op):
        return
    rule = rule_of(op.graph_class if isinstance(op, ApplyOp) else type(op))
    if rule is None:
        name = op.title if isinstance(op, MemoryOp) else op.name
        raise PassFailedException(f"memory-to-loops cannot lower {name}")
    if isinstance(op, ApplyOp) and rule.scratch is not None:
        rooms = rule.scratch(op.graph_op())
        if len(rooms) != len(op.scratch):
            raise PassFailedException(
                f"{op.title} expects {len(rooms)} scratch buffers, "
                f"got {len(op.scratch)}"
            )
        for room, buffer in zip(rooms, op.scratch, strict=True):
            check_room(op, buffer, room.element_type, prod(room.get_shape()))
    rule.lower(main, op)


def _computes_nothing(op: ApplyOp) -> bool:
    """Whether no result has an element; indices of an update are checked anyway."""
    return not op.inouts and all(0 in extents_of(result) for result in op.outs)


def _replace(module: ModuleOp, main: Main, library: list[FuncOp]) -> None:
    """Fill the module with what `main` needs; keep what a run needs as attributes."""
    block = module.body.block
    for old in reversed(list(block.ops)):
        old.detach()
        old.erase()
    storage = main.storage
    block.add_ops([table_of(ROWS, main.rows or [0]), *library, main.function])
    tables = [ResourceAttr.of(table) for table in main.tables]
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
