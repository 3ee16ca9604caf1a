"""Dialects and passes: those of this package, and of all that are installed."""

from functools import cache

from xdsl.universe import Universe

from glow.support.discovery import dialects_in, passes_in
from glow.support.extensions import UNIVERSE as GROUP
from glow.support.extensions import load_all

UNIVERSE = Universe(
    all_dialects=dialects_in("glow.dialects"),
    all_passes=passes_in("glow.passes.graph")
    | passes_in("glow.passes.layout")
    | passes_in("glow.passes.memory")
    | passes_in("glow.lowering"),
)
"""The dialects and passes of this package, for its entry point `xdsl.universe`."""


@cache
def universe() -> Universe:
    """
    Return the dialects and passes of all packages.

    Errors: ExtensionError for a package whose entry point does not load.
    """
    load_all(GROUP, Universe)
    return Universe.get_multiverse()
