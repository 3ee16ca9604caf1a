"""Storage at the loops level: where code finds what symbols of a module name."""

from __future__ import annotations

from functools import cached_property

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.buffers import size_bytes, symbol_of
from glow.dialects.graph.placeholder import RUN, ResourceAttr
from glow.dialects.memory.storage import AllocOp, ConstantOp, PlaceholderOp
from glow.support.arrays import ALIGNMENT


class Storage:
    """The placeholders and constants of a module at the memory level."""

    def __init__(self, module: ModuleOp):
        self.of_caller: dict[str, PlaceholderOp] = {}
        """The placeholders in the signature: those that callers pass, take or keep."""
        self.constants: dict[str, ResourceAttr] = {}
        """The bytes of constants and of bound placeholders."""
        self.scratch: dict[str, int] = {}
        """Where scratch placeholders lie in the arena, in bytes."""
        arena = module.attributes.get("glow.arena_bytes")
        self.arena_bytes = arena.value.data if isinstance(arena, IntegerAttr) else 0
        for op in module.ops:
            if isinstance(op, ConstantOp):
                self.constants[op.sym_name.data] = op.resource
            elif isinstance(op, PlaceholderOp):
                self._place(op)

    def _place(self, op: PlaceholderOp) -> None:
        name = op.sym_name.data
        match op.residency.data:
            case "bound":
                assert op.initial is not None, "the op's verifier sees to that"
                self.constants[name] = op.initial
            case "scratch":
                self.scratch[name] = self.arena_bytes
                self.arena_bytes += -(-size_bytes(op.type) // ALIGNMENT) * ALIGNMENT
            case _:
                self.of_caller[name] = op

    @cached_property
    def entries(self) -> dict[str, tuple[str, int | None]]:
        """By symbol, the argument of `main` that holds it, and the entry if a table."""
        entries: dict[str, tuple[str, int | None]]
        entries = dict.fromkeys(self.scratch, ("arena", None))
        for table, names in (("io", self.of_caller), ("constants", self.constants)):
            entries |= {name: (table, number) for number, name in enumerate(names)}
        return entries

    def place_of(
        self, root: SSAValue, is_called: bool = False
    ) -> tuple[str, int | None, int]:
        """
        Return the argument that holds `root`, which entry if a table, and the byte.

        A function that ops call sees constants alone.
        """
        op = root.owner
        if type(op) is AllocOp:  # by exact classes: those of xDSL are abstract
            if op.offset is None:
                raise PassFailedException(
                    "memory-to-loops needs placed buffers: run plan-memory first"
                )
            return "arena", None, op.offset.value.data
        symbol = symbol_of(root)
        if symbol is None:
            raise PassFailedException(f"expected a buffer of {root.type}'s module")
        if is_called and symbol not in self.constants:
            raise PassFailedException(
                f"expected functions that ops call to get constants, got @{symbol}"
            )
        return *self.entries[symbol], self.scratch.get(symbol, 0)

    def is_constant(self, buffer: SSAValue) -> bool:
        """Return whether `buffer` is a view of a constant."""
        return symbol_of(buffer) in self.constants

    @cached_property
    def outputs(self) -> dict[str, int]:
        """The numbers of the outputs that a run gives."""
        given = self.of_caller.items()
        names = [n for n, p in given if p.is_output and p.residency.data == RUN]
        return {name: number for number, name in enumerate(names)}

    def signature(self, constants: list[ResourceAttr]) -> ArrayAttr[Attribute]:
        """Return what callers pass; initial values are added to `constants`."""
        return ArrayAttr([_entry(p, constants) for p in self.of_caller.values()])


def _entry(p: PlaceholderOp, constants: list[ResourceAttr]) -> ArrayAttr[Attribute]:
    """
    Return name, direction, type and, where there are such, residency, the number of the
    initial value, which is added to `constants`, and the meaning of axes.
    """
    entry: list[Attribute] = [p.sym_name, p.direction, p.type]
    if p.residency.data != RUN:
        entry.append(p.residency)
    if p.initial is not None:
        entry.append(IntegerAttr(len(constants), i64))
        constants.append(p.initial)
    if p.axes is not None:
        entry.append(p.axes)
    return ArrayAttr(entry)
