"""Random calls of ops that put elements into an order."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import along_axis, detection
from random_ops.call import FLOATS, NUMBERS, Call, Source


def _top_k(s: Source) -> Call:
    x = s.array(s.shape(1, 4), s.choose(NUMBERS))
    if s.flip():
        x = np.asarray(np.round(x))  # ties
    axis = s.integer(-x.ndim, x.ndim - 1)
    present = s.choose([(True, True), (True, False), (False, True)])
    flags = dict(zip(("with_values", "with_indices"), present, strict=True))
    k = s.integer(0, x.shape[axis])
    parameters = {"k": k, "axis": axis, "largest": s.flip(), **flags}
    return Call(along_axis.TopKOp, (x,), parameters)


def _non_max_suppression(s: Source) -> Call:
    images, classes, count = s.integer(0, 2), s.integer(0, 3), s.integer(0, 40)
    dtype = s.choose(FLOATS)
    boxes = s.rng.uniform(0, 9, (images, count, 4)).astype(dtype)
    scores = s.array((images, classes, count), dtype)
    if s.flip():
        scores = np.asarray(np.round(scores))  # ties
    parameters = {
        "max_output": s.integer(0, 9),
        "iou_threshold": s.choose([0.0, 0.25, 1.0]),
        "score_threshold": s.choose([None, 0.5]),
        "center_point_box": s.flip(),
    }
    return Call(detection.NonMaxSuppressionOp, (boxes, scores), parameters)


GENERATORS = {
    "graph.top_k": _top_k,
    "graph.non_max_suppression": _non_max_suppression,
}
