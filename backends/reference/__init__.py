"""
The reference backend: runs each op's own definition in NumPy.

`reference` computes whole tensors. `reference-checked` runs behind layout assignment
for target cpu, keeps every value as the bytes that its layout describes, and reads them
as the kernels of that target would.
"""

from collections.abc import Sequence
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
    resolve,
    target_of,
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


def _make_target(features: str) -> Target:
    if features:
        raise TargetError(f"expected no features of target reference, got {features!r}")
    return TARGET


def _compile(module: ModuleOp, target: Target, **_: Any) -> Any:
    from glow.backends.reference.executable import ReferenceExecutable

    return ReferenceExecutable(module)


def _compile_checked(module: ModuleOp, target: Target, **_: Any) -> Any:
    from glow.backends.reference.executable import ReferenceExecutable
    from glow.backends.reference.physical import PhysicalStorage

    return ReferenceExecutable(module, PhysicalStorage)


def _cpu_choices(
    op: Operation, target: Target, offers: Offers
) -> Sequence[LayoutChoice]:
    return resolve("cpu").layout_choices(op, target_of("cpu"), offers)


def _cpu_carry_cost(
    op: Operation, operands: Layouts, results: Layouts, target: Target
) -> float | None:
    return resolve("cpu").carry_cost(op, operands, results, target_of("cpu"))


BACKEND = Backend("reference", _make_target, "graph", _compile)
CHECKED = Backend(
    "reference-checked",
    _make_target,
    "layout",
    _compile_checked,
    layout_choices=_cpu_choices,
    carry_cost=_cpu_carry_cost,
)
