"""Cases of optimizers, for one tensor and for several."""

from __future__ import annotations

import numpy as np

from operators.case import FLOATS, Case, case, draw

DOMAIN = "ai.onnx.preview.training"
COMMON = {"norm_coefficient": 0.01}
STEPS = {
    "Momentum": (3, {"alpha": 0.9, "beta": 0.8, "mode": "standard", **COMMON}),
    "Adagrad": (3, {"decay_factor": 0.1, "epsilon": 1e-5, **COMMON}),
    "Adam": (4, {"alpha": 0.9, "beta": 0.7, "norm_coefficient_post": 0.1, **COMMON}),
}


def _cases() -> list[Case]:
    found: list[Case] = []
    for op, (kinds, attributes) in STEPS.items():
        # onnx.reference computes Adam in f32.
        for dtype in FLOATS[:1] if op == "Adam" else FLOATS:
            for count, shapes in ((0, [(3,)]), (4, [(2, 3), (2,)])):
                start = (np.array(0.1, dtype), np.array(count))
                rest = [
                    abs(draw(shape, dtype, seed=kind))
                    for kind in range(kinds)
                    for shape in shapes
                ]
                name, outputs = f"{DOMAIN}.{op}", len(shapes) * (kinds - 1)
                each = {"outputs": outputs, "opset": 17, **attributes}
                found.append(case(name, *start, *rest, **each))
    nesterov = {**STEPS["Momentum"][1], "mode": "nesterov"}
    given = (np.float32(0.1), np.array(2), *(draw((3,), seed=k) for k in range(3)))
    inputs = [np.asarray(each) for each in given]
    found.append(case(f"{DOMAIN}.Momentum", *inputs, outputs=2, **nesterov))
    return found


CASES = _cases()
