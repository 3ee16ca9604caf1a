"""Random calls of ops that go along lines."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import along_axis, slicing
from random_ops.call import ALL, INDICES, WIDE, Call, Source


def _cumsum(s: Source) -> Call:
    x = s.finite(s.shape(1, 4), s.choose(WIDE))
    axis = s.integer(-x.ndim, x.ndim - 1)
    flags = {"exclusive": s.flip(), "reverse": s.flip()}
    return Call(along_axis.CumsumOp, (x,), {"axis": axis, **flags}, sums=True)


def _trilu(s: Source) -> Call:
    x = s.array(s.shape(2, 4), s.choose(ALL))
    rows, columns = x.shape[-2:]
    low, high = s.choose([(-rows - 1, columns + 2), (-(2**31), 2**31)])
    shape = s.choose([(), (1,)])
    k = np.asarray(s.rng.integers(low, high, shape), s.choose(INDICES))
    slots = (x, k if s.flip(0.8) else None)
    return Call(slicing.TriluOp, slots, {"upper": s.flip()})


GENERATORS = {
    "graph.cumsum": _cumsum,
    "graph.trilu": _trilu,
}
