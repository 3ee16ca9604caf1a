"""
Machine code for processors, through LLVM.

`jit.compile_loops(module, target)` compiles a module of loops-level IR and hands out
addresses; kernels are tried with it. `BACKEND` compiles whole models.

No LLVM optimization runs, so code is as fast as it is written. Measured on Zen 5:
- A register tile of 12 x 32 reaches 99 % of the peak with one step per iteration; with
  two, LLVM loads everything first, spills, and reaches 44 %. On AVX2 two are fine.
- `arith.maximumf %x, %c fastmath<nsz>` with a constant is one instruction, NaN kept;
  without the flag it is five.
- `vector.reduction <add>` needs `fastmath<reassoc>`, or it goes lane after lane.
- Vectors of 512 bits need no function attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glow.support.targets import Backend, LayoutChoice, Layouts, Offers, Target

if TYPE_CHECKING:  # what is saved is loaded without xDSL
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from glow.runtime.image import Image


def _make_target(features: str) -> Target:
    from glow.backends.cpu.targets import cpu_target

    return cpu_target(features)


def _identity(features: str) -> str:
    from glow.backends.cpu.processor import identity

    known = identity()  # without loading LLVM
    return repr(_make_target(features)) if known is None else f"{features} {known}"


def _layout_choices(
    op: Operation, target: Target, offers: Offers
) -> Sequence[LayoutChoice]:
    from glow.backends.cpu.layouts import layout_choices

    return layout_choices(op, target, offers)


def _carry_cost(
    op: Operation, operands: Layouts, results: Layouts, target: Target
) -> float | None:
    from glow.backends.cpu.layouts import carry_cost

    return carry_cost(op, operands, results, target)


def _keeps(op: Operation, target: Target) -> bool:
    from glow.backends.cpu.whole_attention import keeps

    return keeps(op, target)


def _compile(module: ModuleOp, target: Target, *, cache_dir: Path | None = None) -> Any:
    from glow.backends.cpu.executable import compile_module

    return compile_module(module, target, cache_dir=cache_dir)


def _load(image: Image) -> Any:
    from glow.backends.cpu.linker import load_image

    return load_image(image)


def _emit(module: ModuleOp, target: Target, form: str) -> str | bytes:
    from glow.backends.cpu.emit import emit

    return emit(module, target, form)


BACKEND = Backend(
    "cpu",
    _make_target,
    identity=_identity,
    level="llvm",
    compile=_compile,
    links_kernels=True,
    emit=_emit,
    load=_load,
    layout_choices=_layout_choices,
    carry_cost=_carry_cost,
    keeps=_keeps,
)
