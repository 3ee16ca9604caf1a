"""What this package adds to xDSL; the `xdsl.universe` entry point reads it."""

from xdsl.universe import Universe

from glow.support.discovery import dialects_in, passes_in

UNIVERSE = Universe(
    all_dialects=dialects_in("glow.dialects"),
    all_passes=passes_in("glow.passes.graph")
    | passes_in("glow.passes.layout")
    | passes_in("glow.passes.memory")
    | passes_in("glow.lowering"),
)
