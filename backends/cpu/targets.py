"""The `cpu` targets: instruction sets, and the numbers of each."""

import warnings
from functools import cache
from typing import Any

from glow.backends.cpu.cores import core_here
from glow.backends.cpu.llvmlite_binding import llvm
from glow.backends.cpu.processor import (
    DEFAULT_CACHE_SIZES,
    DEFAULT_WAYS,
    cache_sizes,
    l1_ways,
    missing_features,
)
from glow.support.costs import Costs
from glow.support.errors import CompilationError, TargetError
from glow.support.targets import Target

# What passes and kernels decide by, per instruction set.
_SHAPES: dict[str, dict[str, Any]] = {
    "sse2": {
        "vector_bits": 128,
        "registers": 16,
        "fma": False,
        "tile_rows": 6,
        "panel_widths": (8,),
    },
    "avx2": {
        "vector_bits": 256,
        "registers": 16,
        "fma": True,
        "tile_rows": 6,
        "panel_widths": (16,),
        "wide_panel": 24,
        "masked_sizes": (4, 8),
        "converts_f16": True,
        "costs": Costs(interleaved_groups=2, product_unroll=4, winograd_spill=28),
    },
    "avx512": {
        "vector_bits": 512,
        "registers": 32,
        "fma": True,
        "tile_rows": 12,
        "panel_widths": (32, 16),
        "masked_sizes": (1, 2, 4, 8),
        "converts_f16": True,
        "costs": Costs(interleaved_groups=1.0),
    },
    "neon": {
        "vector_bits": 128,
        "registers": 32,
        "fma": True,
        "tile_rows": 6,
        "panel_widths": (16,),
        "converts_f16": True,
    },
}
_NEEDS = {
    "avx512": ("avx512f", "avx512dq", "avx512bw", "avx512vl", "avx2", "fma", "f16c"),
    "avx2": ("avx2", "fma", "f16c"),
    "sse2": ("sse2",),
}
_GENERIC_CPU = {
    "sse2": "x86-64",
    "avx2": "x86-64-v3",
    "avx512": "x86-64-v4",
    "neon": "generic",
}
_ALIASES = {"aarch64": "neon"}
# Features that code runs without: their instructions are for the system, or are
# intrinsics that nothing here calls. AVX10.1 names features that have other names too.
_UNUSED = {
    *("avx10.1", "avx10.1-256", "avx10.1-512", "prefetchi"),
    *("clflushopt", "clwb", "clzero", "fsgsbase", "fxsr", "invpcid", "mwaitx", "pku"),
    *("ptwrite", "rdpid", "rdpru", "rdrnd", "rdseed", "serialize", "shstk", "uintr"),
    *("waitpkg", "wbnoinvd", "xsave", "xsavec", "xsaveopt", "xsaves"),
}


@cache
def _host_isa() -> str:
    """Return the best instruction set that this process can execute."""
    triple = llvm.get_process_triple()
    if triple.startswith(("aarch64", "arm64")):
        return "neon"
    has = llvm.get_host_cpu_features()
    for isa, needed in _NEEDS.items():
        if all(has.get(feature, False) for feature in needed):
            return isa
    raise TargetError(f"expected an x86-64 or AArch64 host, got {triple}")


def _triple_of(isa: str) -> str:
    host = llvm.get_process_triple()
    is_arm_host = host.startswith(("aarch64", "arm64"))
    if (isa == "neon") == is_arm_host:
        return host
    return f"{'aarch64' if isa == 'neon' else 'x86_64'}-unknown-linux-gnu"


@cache
def _warn_untested_host(triple: str) -> None:
    """Warn once per process that this is untested on such a machine."""
    if not (triple.startswith("x86_64") and "linux" in triple):
        warnings.warn(f"glow is untested on {triple} hosts", stacklevel=4)


def _runs_here(isa: str) -> bool:
    order = ("sse2", "avx2", "avx512")
    host = _host_isa()
    if isa == "neon" or host == "neon":
        return isa == host
    return order.index(isa) <= order.index(host)


def features_of(target: Target) -> tuple[str, ...]:
    """Return the features that a processor needs to run code for `target`."""
    flags = target.features.split(",") if target.features else ()
    named = tuple(f[1:] for f in flags if f.startswith("+")) or _NEEDS.get(
        target.isa, ()
    )
    return tuple(name for name in named if name not in _UNUSED)


def expect_host(target: Target) -> None:
    """Raise a CompilationError where `target` is not what this process runs on."""
    if not target.runs_here:
        raise CompilationError(
            f"expected a target that runs here, got {target.isa} code for"
            f" {target.triple}; only its assembly and object code can be written"
        )


def _native(isa: str) -> dict[str, Any]:
    """Return what this processor has beyond its instruction set."""
    core = core_here()
    known = {} if core is None else dict(core.numbers.get(isa, {}))
    if isa != "avx512":
        return known
    found = {
        "adds_f16": not missing_features(["avx512fp16"]),
        "multiplies_bf16": not missing_features(["avx512bf16"]),
    }
    return found | known


def cpu_target(features: str = "") -> Target:
    """
    Return the target for an instruction set; "" is the best that the host has.

    Errors: a name that is none of sse2, avx2, avx512, neon, aarch64.
    """
    isa = _ALIASES.get(features, features) or _host_isa()
    if isa not in _SHAPES:
        known = ", ".join([*_SHAPES, *_ALIASES])
        raise TargetError(f"expected cpu-features out of {known}, got {features!r}")
    runs_here = _runs_here(isa)
    if runs_here:
        _warn_untested_host(llvm.get_process_triple())
    is_native = isa == _host_isa()
    caches = cache_sizes() if runs_here else DEFAULT_CACHE_SIZES
    return Target(
        name="cpu",
        isa=isa,
        triple=_triple_of(isa),
        cpu=llvm.get_host_cpu_name() if is_native else _GENERIC_CPU[isa],
        features=llvm.get_host_cpu_features().flatten() if is_native else "",
        l1_bytes=caches[0],
        l1_ways=l1_ways() if runs_here else DEFAULT_WAYS,
        l2_bytes=caches[1],
        runs_here=runs_here,
        **_SHAPES[isa] | (_native(isa) if is_native else {}),
    )
