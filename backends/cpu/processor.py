"""
What the processor is that this process runs on, without loading LLVM where possible.

Linux says so in /proc/cpuinfo; where that is silent or says no, LLVM has the last word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

# LLVM's names of features that Linux calls by others.
_LINUX_NAMES = {
    "64bit": "lm",
    "avx512bf16": "avx512_bf16",
    "avx512bitalg": "avx512_bitalg",
    "avx512fp16": "avx512_fp16",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vnni": "avx512_vnni",
    "avx512vp2intersect": "avx512_vp2intersect",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "avxvnni": "avx_vnni",
    "bmi": "bmi1",
    "amx-bf16": "amx_bf16",
    "amx-int8": "amx_int8",
    "amx-tile": "amx_tile",
    "crc32": "sse4_2",
    "lzcnt": "abm",
    "pclmul": "pclmulqdq",
    "prfchw": "3dnowprefetch",
    "rdrnd": "rdrand",
    "sahf": "lahf_lm",
    "sha": "sha_ni",
    "shstk": "user_shstk",
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
}


def other_kind(triple: str) -> str | None:
    """Return what this machine is if it runs no code for `triple`, else None."""
    if _is_linux_on_x86_64() and triple.startswith("x86_64-") and "linux" in triple:
        return None
    from glow.backends.cpu.binding import llvm

    host: str = llvm.get_process_triple()
    return None if triple == host else host


def missing_features(needed: Iterable[str]) -> list[str]:
    """Return which of LLVM's feature names this processor lacks."""
    flags = _linux_flags()
    left = [name for name in needed if _LINUX_NAMES.get(name, name) not in flags]
    if not left:
        return []
    from glow.backends.cpu.binding import llvm

    has = llvm.get_host_cpu_features()
    return [name for name in left if not has.get(name, False)]


def _is_linux_on_x86_64() -> bool:
    return sys.platform == "linux" and os.uname().machine == "x86_64"


@cache
def _linux_flags() -> frozenset[str]:
    """Return what Linux says that the first core has; nothing on other machines."""
    if not _is_linux_on_x86_64():
        return frozenset()
    try:
        with Path("/proc/cpuinfo").open() as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == "flags":
                    return frozenset(value.split())
    except OSError:
        pass
    return frozenset()
