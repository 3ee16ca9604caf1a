"""
The reference backend: runs each op's own definition in NumPy.

`reference` computes whole tensors. `reference-checked` keeps every value as the bytes
that its layout for target cpu describes, and reads them as that target's kernels would.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from glow.support.errors import TargetError
from glow.support.targets import (
    Backend,
    LayoutChoice,
    Layouts,
    Offers,
    Target,
    TargetQueries,
)

TARGET = Target(
    name="reference",
    isa="numpy",
    triple="",
    cpu="",
    features="",
    vector_bits=32,
    registers=1,
    fma=False,
    l1_bytes=1 << 15,
    l2_bytes=1 << 18,
    tile_rows=1,
    panel_widths=(1,),
)


def reference_target(name: str) -> Callable[[str], Target]:
    """Return a function that makes the one target of a backend that runs on NumPy."""

    def make(features: str) -> Target:
        if features:
            raise TargetError(
                f"expected no features of target {name}, got {features!r}"
            )
        return replace(TARGET, name=name)

    return make


def _compile(module: ModuleOp, target: Target, **_: Any) -> Any:
    from glow.backends.reference.executable import ReferenceExecutable

    return ReferenceExecutable(module)


def checking(machine: str) -> Callable[..., Any]:
    """Return a `Backend.compile` that reads bytes as kernels of `machine` would."""

    def compile(module: ModuleOp, target: Target, **_: Any) -> Any:
        from glow.backends.reference.executable import ReferenceExecutable
        from glow.backends.reference.physical import PhysicalStorage

        return ReferenceExecutable(module, lambda: PhysicalStorage(machine))

    return compile


def _cpu_choices(
    op: Operation, target: Target, offers: Offers
) -> Sequence[LayoutChoice]:
    return TargetQueries.of("cpu").layout_choices(op, offers)


def _cpu_carry_cost(
    op: Operation, operands: Layouts, results: Layouts, target: Target
) -> float | None:
    return TargetQueries.of("cpu").carry_cost(op, operands, results)


BACKEND = Backend("reference", reference_target("reference"), "graph", _compile)
CHECKED = Backend(
    "reference-checked",
    reference_target("reference-checked"),
    "layout",
    checking("cpu"),
    layout_choices=_cpu_choices,
    carry_cost=_cpu_carry_cost,
)
