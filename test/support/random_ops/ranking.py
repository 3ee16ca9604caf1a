"""Random calls of ops that put elements into an order."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import ranking
from random_ops.call import NUMBERS, Call, Source


def _top_k(s: Source) -> Call:
    x = s.array(s.shape(1, 4), s.choose(NUMBERS))
    if s.flip():
        x = np.asarray(np.round(x))  # ties
    axis = s.integer(-x.ndim, x.ndim - 1)
    present = s.choose([(True, True), (True, False), (False, True)])
    flags = dict(zip(("with_values", "with_indices"), present, strict=True))
    k = s.integer(0, x.shape[axis])
    parameters = {"k": k, "axis": axis, "largest": s.flip(), **flags}
    return Call(ranking.TopKOp, (x,), parameters)


GENERATORS = {"graph.top_k": _top_k}
