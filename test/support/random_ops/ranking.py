"""Random calls of ops that put elements into an order, or rows into leaves."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import along_axis, detection, tree_ensemble
from random_ops.call import FLOATS, INDICES, NUMBERS, Call, Source


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


def _tree_ensemble(s: Source) -> Call:
    """Tables at random: rows go in circles, or beyond the last node."""
    nodes, features, shift = s.integer(1, 40), s.integer(1, 9), s.integer(0, 4)
    rows, trees = s.choose([0, 1, 9, 65, 300]), s.integer(0, 20)
    dtype = s.choose(FLOATS)
    links = s.rng.integers(0, nodes + 2, nodes) << shift
    links |= s.rng.integers(0, 1 << shift, nodes)
    slots = (
        s.array((rows, features), dtype),
        s.rng.integers(0, nodes + 2, trees).astype(np.int32),
        links.astype(s.choose(INDICES)),
        s.array((nodes,), dtype),
        s.finite((nodes, s.integer(0, 3)), s.choose(FLOATS)),
    )
    parameters = {
        "shift": shift,
        "depth": s.integer(1, 7),
        "aggregate": s.choose(["sum", "min", "max"] if trees else ["sum"]),
    }
    return Call(tree_ensemble.TreeEnsembleOp, slots, parameters, sums=True)


GENERATORS = {
    "graph.top_k": _top_k,
    "graph.non_max_suppression": _non_max_suppression,
    "graph.tree_ensemble": _tree_ensemble,
}
