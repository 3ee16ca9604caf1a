"""Lower `memory` to the loops level: kernels, and a `main` that calls them."""

from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.resource import ResourceAttr
from glow.dialects.memory.storage import (
    AllocOp,
    ConstantOp,
    DeallocOp,
    GetOp,
    PlaceholderOp,
    ViewOp,
)
from glow.lowering.memory_to_loops.kernels.kernel import closure
from glow.lowering.memory_to_loops.main import HANDLERS, Main
from glow.support.discovery import modules_in
from glow.support.targets import target_of

# These only say where bytes lie; `Main.base` reads them off.
PASSIVE = (AllocOp, DeallocOp, GetOp, ViewOp, ReturnOp)


@dataclass(frozen=True)
class MemoryToLoopsPass(ModulePass):
    """
    Replace `@main` by calls of kernels with rows of integers.

    The module keeps, as attributes, what a run needs: `glow.signature`,
    `glow.constants`, `glow.arena_bytes`, `glow.messages`. With `kernels=declared` it
    has no bodies of kernels: a backend of this process brings their code.

    Level: memory -> loops. Needs: plan-memory.
    """

    name = "memory-to-loops"

    target: str = "cpu"
    kernels: Literal["defined", "declared"] = "defined"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for module in modules_in(__name__):
            import_module(module)
        placeholders = [p for p in op.ops if isinstance(p, PlaceholderOp)]
        constants = [c for c in op.ops if isinstance(c, ConstantOp)]
        functions = [f for f in op.ops if isinstance(f, FuncOp)]
        if len(functions) != 1:
            raise PassFailedException(
                f"memory-to-loops expects one function, got {len(functions)}"
            )
        main = Main(
            target_of(self.target),
            {p.sym_name.data: i for i, p in enumerate(placeholders)},
            {c.sym_name.data: i for i, c in enumerate(constants)},
        )
        for inner in functions[0].body.block.ops:
            if isinstance(inner, PASSIVE):
                continue
            handler = HANDLERS.get(type(inner))
            if handler is None:
                raise PassFailedException(f"memory-to-loops cannot lower {inner.name}")
            main.location = inner.location
            handler(main, inner)
        if self.kernels == "declared":
            library = [kernel.declare(types) for kernel, types in main.kernels.items()]
        else:
            library = [kernel.build() for kernel in closure(main.kernels)]
        _replace(op, main, library, placeholders, constants)


def _replace(
    module: ModuleOp,
    main: Main,
    library: list[FuncOp],
    placeholders: list[PlaceholderOp],
    constants: list[ConstantOp],
) -> None:
    """Fill the module with what `main` needs; keep what a run needs as attributes."""
    block = module.body.block
    for old in reversed(list(block.ops)):
        old.detach()
        old.erase()
    rows, function = main.finish()
    block.add_ops([rows, *library, function])
    tables = [ResourceAttr.of(table) for table in main.tables]
    module.attributes["glow.signature"] = ArrayAttr(
        [
            ArrayAttr([p.sym_name, p.direction, p.type, *([p.axes] if p.axes else [])])
            for p in placeholders
        ]
    )
    module.attributes["glow.constants"] = ArrayAttr(
        [*(c.resource for c in constants), *tables]
    )
    module.attributes["glow.messages"] = ArrayAttr(
        [StringAttr(message) for message in main.messages]
    )
