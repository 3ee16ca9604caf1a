"""What this package adds to xDSL; the `xdsl.universe` entry point reads it."""

from xdsl.ir import Dialect
from xdsl.universe import Universe


def _dialect() -> Dialect:
    from glow_outside.scaled_shift import ScaledShiftOp

    return Dialect("outside", [ScaledShiftOp])


UNIVERSE = Universe(all_dialects={"outside": _dialect})
