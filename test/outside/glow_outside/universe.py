"""What this package adds to xDSL; the `xdsl.universe` entry point reads it."""

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe


def _dialect() -> Dialect:
    from glow_outside.scaled_shift import ScaledShiftOp

    return Dialect("outside", [ScaledShiftOp])


def _drop_whole_turns() -> type[ModulePass]:
    from glow_outside.whole_turns import DropWholeTurnsPass

    return DropWholeTurnsPass


UNIVERSE = Universe(
    all_dialects={"outside": _dialect},
    all_passes={"drop-whole-turns": _drop_whole_turns},
)
