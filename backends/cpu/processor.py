"""
Features and caches of this processor, without loading LLVM where possible.

They come from /proc/cpuinfo on Linux; LLVM is asked where a feature is missing there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

# LLVM's feature names that differ from Linux's, apart from dots and dashes.
_LINUX_NAMES = {
    "64bit": "lm",
    "bmi": "bmi1",
    "crc32": "sse42",
    "lzcnt": "abm",
    "pclmul": "pclmulqdq",
    "prfchw": "3dnowprefetch",
    "rdrnd": "rdrand",
    "sahf": "lahflm",
    "sha": "shani",
    "shstk": "usershstk",
    "sse3": "pni",
}

# The facts by which LLVM tells processors apart, as Linux calls them.
_IDENTITY = ("vendor_id", "cpu family", "model", "stepping", "flags")

DEFAULT_CACHE_SIZES = (32 << 10, 512 << 10)
DEFAULT_WAYS = 8
_DEFAULT_L3 = 8 << 20
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def other_kind(triple: str) -> str | None:
    """Return the triple of this machine if it runs no code for `triple`, else None."""
    if _is_linux_on_x86_64() and triple.startswith("x86_64-") and "linux" in triple:
        return None
    from glow.backends.cpu.llvmlite_binding import llvm

    host: str = llvm.get_process_triple()
    return None if triple == host else host


def missing_features(needed: Iterable[str]) -> list[str]:
    """Return which of LLVM's feature names this processor lacks."""
    flags = _linux_flags()
    left = [n for n in needed if (_LINUX_NAMES.get(n) or _plain(n)) not in flags]
    if not left:
        return []
    from glow.backends.cpu.llvmlite_binding import llvm

    has = llvm.get_host_cpu_features()
    return [name for name in left if not has.get(name, False)]


@cache
def _plain(names: str) -> str:
    return names.translate(str.maketrans("", "", "._-"))


@cache
def _linux_flags() -> frozenset[str]:
    return frozenset(_plain(_linux_facts().get("flags", "")).split())


def _is_linux_on_x86_64() -> bool:
    return sys.platform == "linux" and os.uname().machine == "x86_64"


@cache
def _linux_facts() -> dict[str, str]:
    """Return the facts of /proc/cpuinfo about the first core; none on other systems."""
    if not _is_linux_on_x86_64():
        return {}
    facts: dict[str, str] = {}
    with suppress(OSError), Path("/proc/cpuinfo").open() as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if not name.strip():
                break
            facts[name.strip()] = value.strip()
    return facts


@cache
def all_cache_sizes() -> tuple[int, int, int]:
    """Return the sizes of the first core's L1 data, L2 and L3 caches in bytes."""
    sizes: dict[tuple[str, str], int] = {}
    for index in _CACHES.glob("index*"):
        try:
            level = (index / "level").read_text().strip()
            kind = (index / "type").read_text().strip()
            size = (index / "size").read_text().strip()
        except OSError:
            continue
        if size.endswith("K") and size[:-1].isdigit():
            sizes[level, kind] = int(size[:-1]) << 10
    l1, l2 = DEFAULT_CACHE_SIZES
    kinds = (("1", "Data"), l1), (("2", "Unified"), l2), (("3", "Unified"), _DEFAULT_L3)
    first, second, third = (sizes.get(*kind) for kind in kinds)
    return first, second, third


def cache_sizes() -> tuple[int, int]:
    """Return the sizes of the first core's L1 data and L2 caches in bytes."""
    return all_cache_sizes()[:2]


@cache
def l1_ways() -> int:
    """Return how many lines one place of the first core's L1 data cache holds."""
    for index in _CACHES.glob("index*"):
        with suppress(OSError, ValueError):
            level, kind = ((index / n).read_text().strip() for n in ("level", "type"))
            if (level, kind) == ("1", "Data"):
                return (
                    int((index / "ways_of_associativity").read_text()) or DEFAULT_WAYS
                )
    return DEFAULT_WAYS


@cache
def maker() -> str:
    """Return who made this processor, as Linux says: `GenuineIntel`; "" elsewhere."""
    return _linux_facts().get("vendor_id", "")


@cache
def family_and_model() -> tuple[int, int]:
    """Return the family and the model of this processor; -1 where nothing says."""
    facts = _linux_facts()
    family, model = (facts.get(name, "") for name in ("cpu family", "model"))
    if not (family.isdigit() and model.isdigit()):
        return -1, -1
    return int(family), int(model)


def identity() -> str | None:
    """Return text that identifies processors with the same code; None: ask LLVM."""
    facts = _linux_facts()
    if any(name not in facts for name in _IDENTITY):
        return None
    return f"{[facts[name] for name in _IDENTITY]} {cache_sizes()} {l1_ways()}"
