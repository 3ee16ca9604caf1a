"""
Strengths of processor cores, beside their instruction sets.

docs/processors.md has where each number is from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from glow.backends.cpu.processor import family_and_model, maker, missing_features

_AMD, _INTEL = "AuthenticAMD", "GenuineIntel"
_Numbers = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Core:
    """
    A microarchitecture, by what the CPUID instruction says of it.

    `numbers` are fields of `Target`, for each instruction set.
    """

    name: str
    maker: str
    family: int
    models: tuple[range, ...]
    """Its models; if empty, all of the family that no other core has."""
    numbers: _Numbers = field(default_factory=dict[str, Mapping[str, Any]])
    feature: str = ""
    """One that identifies the core where a virtual machine reports another model."""


_WIDE = {"wide_panel": 64, "sums_in_flight": 8}
CORES = (
    Core(
        "Zen 3",
        _AMD,
        0x19,
        (range(0x10), range(0x20, 0x60)),
        {"avx2": {"sums_in_flight": 8}},
    ),
    Core(
        "Zen 4",
        _AMD,
        0x19,
        (range(0x10, 0x20), range(0x60, 0x80), range(0xA0, 0xB0)),
        {
            "avx512": {"sums_in_flight": 4, "narrow_lanes": 8, "tile_rows": 8},
            "avx2": {"sums_in_flight": 8},
        },
    ),
    Core("Zen 5", _AMD, 0x1A, (range(0x80),), {"avx512": {"sums_in_flight": 8}}),
    Core(
        "Sapphire Rapids",
        _INTEL,
        6,
        (range(0x8F, 0x90), range(0xCF, 0xD0)),
        {"avx512": {**_WIDE, "multiplies_bf16": False}},
        feature="amx-tile",
    ),
    Core(
        "Ice Lake", _INTEL, 6, (range(0x6A, 0x6B), range(0x6C, 0x6D)), {"avx512": _WIDE}
    ),
    Core("Intel", _INTEL, 6, (), {"avx512": {**_WIDE, "multiplies_bf16": False}}),
)
"""The known cores; the first that fits is taken."""


def core_of(
    maker: str, family: int, model: int, has: Callable[[str], bool]
) -> Core | None:
    """Return the core of a processor, which `has` features; None if it is unknown."""
    own = [core for core in CORES if core.maker == maker and core.family == family]
    fits = [core for core in own if any(model in models for models in core.models)]
    fits += [core for core in own if core.feature and has(core.feature)]
    return next(iter(fits + [core for core in own if not core.models]), None)


@cache
def core_here() -> Core | None:
    """Return the core of this processor; None if it is unknown."""

    def has(feature: str) -> bool:
        return not missing_features([feature])

    return core_of(maker(), *family_and_model(), has)
