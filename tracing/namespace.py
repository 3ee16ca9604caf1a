"""
The namespace of traced arrays: what `x.__array_namespace__()` returns.

It has the functions of the Python array API standard and those of NumPy, its types and
its constants; `docs/array_api.md` lists the former.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from glow.support.discovery import modules_in
from glow.support.types import MAX_AXES
from glow.tracing.registry import FUNCTIONS

for _module in modules_in("glow.tracing.functions"):
    import_module(_module)

__array_api_version__ = "2024.12"

e, inf, nan, newaxis, pi = np.e, np.inf, np.nan, None, np.pi
bool = np.bool_
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
finfo, iinfo = np.finfo, np.iinfo


def _functions_of(part: str) -> SimpleNamespace:
    """Return the functions of a part of the namespace."""
    pairs = ((name.partition("."), function) for name, function in FUNCTIONS.items())
    return SimpleNamespace(
        **{n: function for (own, _, n), function in pairs if own == part and n}
    )


linalg, fft = _functions_of("linalg"), _functions_of("fft")


class NamespaceInfo:
    """The capabilities of the namespace, in the words of the standard."""

    def capabilities(self) -> dict[str, Any]:
        return {
            "boolean indexing": False,
            "data-dependent shapes": False,
            "max dimensions": MAX_AXES,
        }

    def default_device(self) -> str:
        return "cpu"

    def devices(self) -> list[str]:
        return ["cpu"]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        integers = np.dtype(np.int64)
        real = np.dtype(np.float64)
        return {"real floating": real, "integral": integers, "indexing": integers}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        kinds = ("bool", "integral", "real floating") if kind is None else kind
        known: Any = np.__array_namespace_info__().dtypes(kind=kinds)
        found = {name: np.dtype(each) for name, each in known.items()}
        return {name: each for name, each in found.items() if each.kind != "c"}


__array_namespace_info__ = NamespaceInfo


def __getattr__(name: str) -> Callable[..., Any]:
    if name in FUNCTIONS and not name.startswith("_"):
        return FUNCTIONS[name]
    raise AttributeError(
        f"the namespace of traced arrays has no {name!r}; docs/array_api.md lists what "
        "it has"
    )


def __dir__() -> list[str]:
    return [*globals(), *FUNCTIONS]
