"""Cases of losses of classifications."""

from __future__ import annotations

import numpy as np

from operators.case import F32, F64, I32, I64, Array, Case, case, draw


def _cases() -> list[Case]:
    found: list[Case] = []
    scores, target = draw((3, 5)), np.array([1, 0, 4], I64)
    weights = draw((5,), F32, 0.5, 2)
    for reduction in ("none", "sum", "mean"):
        for given in ((), (weights,)):
            for ignored in ({}, {"ignore_index": 4}, {"ignore_index": -1}):
                attributes = {"reduction": reduction, **ignored}
                marked = np.where(target == 4, ignored.get("ignore_index", 4), target)
                found += _both(scores, marked.astype(I64), *given, **attributes)
    wide = draw((2, 4, 3, 2), F64), draw((2, 3, 2), I32, 0, 3)
    found += [*_both(*wide), *_both(*wide, draw((4,), F64, 0.5, 2), reduction="none")]
    op = "SoftmaxCrossEntropyLoss"
    found.append(case(op, scores, target, outputs=2))
    found.append(case(op, scores, target, weights, outputs=2, reduction="none"))
    return found


def _both(scores: Array, *rest: Array, **attributes: object) -> list[Case]:
    return [
        case(op, scores, *rest, **attributes)
        for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
    ]


CASES = _cases()
