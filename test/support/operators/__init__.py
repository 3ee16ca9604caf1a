"""Cases for every operator that the importer knows, to run on any target."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from operators.case import Case


def all_cases() -> dict[str, list[Case]]:
    """Return the cases of each operator."""
    found: dict[str, list[Case]] = {}
    for info in iter_modules(__path__):
        module = import_module(f"operators.{info.name}")
        for case in getattr(module, "CASES", ()):
            found.setdefault(case.op, []).append(case)
    return dict(sorted(found.items()))
