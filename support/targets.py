"""What machines are like (`Target`) and who makes code for them (`Backend`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from glow.support.errors import TargetError

GROUP = "glow.backends"


@dataclass(frozen=True)
class Target:
    """
    The numbers of a machine that passes and kernels decide by.

    Units: vector_bits in bits; l1_bytes and l2_bytes per core; panel_widths in f32
    columns; tile_rows in rows of a register tile.
    """

    name: str
    """The backend that compiles for it, as in `target=NAME`."""
    isa: str
    """The instruction set that kernels are chosen by: sse2, avx2, avx512, neon."""
    triple: str
    cpu: str
    """The processor name that LLVM schedules for."""
    features: str
    """LLVM's feature string, such as `+avx2,+fma`; empty where `cpu` says it all."""
    vector_bits: int
    registers: int
    fma: bool
    l1_bytes: int
    l2_bytes: int
    tile_rows: int
    panel_widths: tuple[int, ...]
    """The widths of packed panels, widest first."""
    runs_here: bool = True
    """Whether this process can execute the code."""

    @property
    def f32_lanes(self) -> int:
        return self.vector_bits // 32

    @property
    def vector_bytes(self) -> int:
        return self.vector_bits // 8


@dataclass(frozen=True)
class LayoutChoice:
    """
    One way in which a target can run an op: its operands and results laid out so.

    An entry is a layout attribute, or None for row-major; there is one per operand
    and one per result. Costs only compare choices of one op.
    """

    operands: tuple[Attribute | None, ...]
    results: tuple[Attribute | None, ...]
    cost: float = 0.0


def _any_layout(op: Operation, target: Target) -> tuple[LayoutChoice, ...]:
    """Ask for nothing."""
    return ()


@dataclass(frozen=True)
class Backend:
    """
    What a package brings to become a target; an entry point names the value.

    Its functions import what they need when they are called, so that resolving a
    name costs nothing.
    """

    name: str
    make_target: Callable[[str], Target]
    """Return the target for a feature name; "" means the best for this host."""
    level: str
    """The level that `compile` takes: the name of a stage of the pipeline."""
    compile: Callable[..., Any]
    """`compile(module, target, *, cache_dir=None)` returns a runtime `Executable`."""
    links_kernels: bool = False
    """Whether `compile` has the code of kernels that the module only declares."""
    emit: Callable[[ModuleOp, Target, str], str | bytes] | None = None
    """`emit(module, target, form)` returns `llvm-ir`, `asm` or `object`."""
    layout_choices: Callable[[Operation, Target], Sequence[LayoutChoice]] = _any_layout
    """The layouts in which an op can run; none: the op runs in any, or row-major."""


@cache
def _entry_points() -> dict[str, EntryPoint]:
    found = {point.name: point for point in entry_points(group=GROUP)}
    return dict(sorted(found.items()))


def known_targets() -> tuple[str, ...]:
    """Return the names that `target=NAME` may have; load no backend."""
    return tuple(_entry_points())


def resolve(spec: str) -> Backend:
    """
    Return the backend of target `spec`: its name, or `name:features`.

    Errors: a name that no installed package provides.
    """
    name = spec.partition(":")[0]
    point = _entry_points().get(name)
    if point is None:
        known = ", ".join(known_targets())
        raise TargetError(f"expected a target out of {known}, got {name!r}")
    backend = point.load()
    assert isinstance(backend, Backend), f"{point.value} is not a Backend"
    return backend


@cache
def target_of(spec: str) -> Target:
    """
    Return the target that `spec` names: `cpu`, or narrowed as in `cpu:avx2`.

    Passes keep this text as their option. Errors: as `resolve`, and features that
    the backend does not know.
    """
    return resolve(spec).make_target(spec.partition(":")[2])
