"""
Machine code for processors, through LLVM.

No LLVM optimization runs, so code is as fast as it is written. Measured on Zen 5:
- A register tile of 12 x 32 reaches 99 % of the peak with one step per iteration; with
  two, LLVM loads everything first, spills, and reaches 44 %. On AVX2 two are fine.
- `arith.maximumf %x, %c fastmath<nsz>` with a constant is one instruction, NaN kept;
  without the flag it is five.
- `vector.reduction <add>` needs `fastmath<reassoc>`, or it goes lane after lane.
- Vectors of 512 bits need no function attribute.
"""

from glow.support.targets import Backend, imported

_make_target = imported("glow.backends.cpu.targets", "cpu_target")


def _identity(features: str) -> str:
    from glow.backends.cpu.processor import identity

    known = identity()  # without loading LLVM
    return repr(_make_target(features)) if known is None else f"{features} {known}"


# What is saved is loaded without xDSL, and without LLVM where possible.
BACKEND = Backend(
    "cpu",
    _make_target,
    identity=_identity,
    level="llvm",
    compile=imported("glow.backends.cpu.executable", "compile_module"),
    links_kernels=True,
    emit=imported("glow.backends.cpu.llvm_ir", "emit"),
    c_files=imported("glow.backends.cpu.c_files", "c_files"),
    load=imported("glow.backends.cpu.linker", "load_image"),
    layout_choices=imported("glow.backends.cpu.layouts", "layout_choices"),
    carry_cost=imported("glow.backends.cpu.layouts", "carry_cost"),
    keeps=imported("glow.backends.cpu.layouts", "keeps"),
)
