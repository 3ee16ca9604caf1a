"""Rules that lower ops to calls of kernels, by the class of the op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import prod
from types import ModuleType
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import Buffer, buffer_type
from glow.support.discovery import modules_in
from glow.support.extensions import KERNELS, load_all
from glow.support.locations import name_of

MemoryHandler = Callable[[Any, Any], None]
"""A function of a `Main` and the op that it lowers."""


@dataclass(frozen=True)
class KernelRule:
    """The lowering of an op to calls of kernels, and what these need of its buffers."""

    lower: MemoryHandler
    in_place: bool = False
    """Elements of the first operand are read before those of the result are written."""
    updates: bool = False
    """The result starts as a copy of the first operand; parts are overwritten."""
    contiguous: tuple[str, ...] = ()
    """Operands that are read in row-major order, without gaps."""
    scratch: Callable[[Any], Sequence[Buffer]] | None = None
    """The room that a graph op takes."""
    epilogue: int | None = None
    """
    The axis of the result of which neighbors are computed at once, and may pass through
    a region of scalar ops before they are stored; None: they may not.
    """


RULES: dict[type[Operation], KernelRule] = {}


def lowers(
    *ops: type[Operation],
    in_place: bool = False,
    updates: bool = False,
    contiguous: tuple[str, ...] = (),
    scratch: Callable[[Any], Sequence[Buffer]] | None = None,
    epilogue: int | None = None,
) -> Callable[[MemoryHandler], MemoryHandler]:
    """
    Register a function as the lowering of `ops` to calls of kernels.

    An op is one of the memory dialect, or of the graph: then the function gets the
    `memory.apply` of it.
    """

    def register(handler: MemoryHandler) -> MemoryHandler:
        needs = in_place, updates, contiguous, scratch, epilogue
        rule = KernelRule(handler, *needs)
        RULES.update(dict.fromkeys(ops, rule))
        return handler

    return register


def rule_of(op: type[Operation]) -> KernelRule | None:
    """Return what a kernel has registered for `op`, None if none has."""
    import_rules()
    return RULES.get(op)


def check_room(
    op: Operation, scratch: SSAValue, element: Attribute, count: int
) -> None:
    """Raise PassFailedException unless `scratch` has room for `count` elements."""
    type_ = buffer_type(scratch)
    if type_.element_type != element or prod(type_.get_shape()) < count:
        raise PassFailedException(
            f"{op.name} (from {name_of(op)}): expected scratch for {count} {element}, "
            f"got {type_}"
        )


def check_lines(op: Operation, *buffers: SSAValue) -> None:
    """Raise PassFailedException unless neighbors on the last axes are in memory too."""
    for buffer in buffers:
        addressing = addressing_of(buffer)
        if addressing.shape[-1] > 1 and addressing.strides[-1] != 1:
            raise PassFailedException(
                f"{op.name} (from {name_of(op)}): expected neighbors along the last "
                f"axis to lie beside each other, got {buffer_type(buffer)}"
            )


@cache
def import_rules() -> None:
    """
    Import the modules that register rules: those here, then those of other packages.

    Errors: ExtensionError for one of another package that does not load.
    """
    for module in modules_in("glow.lowering.memory_to_loops"):
        import_module(module)
    load_all(KERNELS, ModuleType)
