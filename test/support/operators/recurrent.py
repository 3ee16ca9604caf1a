"""Cases of recurrent networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from operators.case import F32, F64, I32, Array, Case, case, draw

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STEPS, BATCH, FEATURES = 4, 3, 5
LENGTHS = np.array([2, 4, 0], I32)


def recurrent(
    op: str,
    given: str = "",
    hidden: int = 18,
    dtype: np.dtype[Any] = F32,
    constants: str = "wr",
    **attributes: Any,
) -> Case:
    """
    Return a case with the optional inputs that letters stand for.

    b: bias, l: lengths, h and c: initial states, p: peepholes; w, r: weights.
    """
    walks = 2 if attributes.get("direction") == "bidirectional" else 1
    layout, rows = attributes.get("layout", 0), GATES[op] * hidden
    start, state = (STEPS, BATCH), (walks, BATCH)
    if layout:
        start, state = start[::-1], state[::-1]

    def drawn(letter: str, *shape: int, high: float = 1) -> Array | None:
        is_given = letter in given + "xwr"
        return draw(shape, dtype, -high, high, ord(letter)) if is_given else None

    inputs = [
        drawn("x", *start, FEATURES),
        drawn("w", walks, rows, FEATURES),
        drawn("r", walks, rows, hidden, high=hidden**-0.5),
        drawn("b", walks, 2 * rows),
        LENGTHS if "l" in given else None,
        drawn("h", *state, hidden),
    ]
    if op == "LSTM":
        inputs += [drawn("c", *state, hidden), drawn("p", walks, 3 * hidden)]
    while inputs[-1] is None:
        inputs.pop()
    fixed = [k for k, letter in enumerate("xwrblhcp") if letter in constants]
    outputs, opset = (3 if op == "LSTM" else 2), attributes.pop("opset", 14)
    return case(
        op,
        *inputs,
        constants=fixed,
        outputs=outputs,
        opset=opset,
        hidden_size=hidden,
        **attributes,
    )


def _common(op: str, own: str = "", alone: str = "") -> list[Case]:
    """Directions; optional inputs all, none, and some alone; weights known and not."""
    both: dict[str, Any] = {"direction": "bidirectional"}
    return [
        recurrent(op, constants="wrbp"),
        recurrent(op, "b", constants="wrb", **both),
        recurrent(op, "blh" + own, constants="", clip=0.4, **both),
        *(recurrent(op, letter, 16, direction="reverse") for letter in alone),
    ]


def _activations() -> list[Case]:
    scaled = {"activation_alpha": [0.7, 0.2], "activation_beta": [0.5, 1.5]}
    names = ["Sigmoid", "ScaledTanh", "HardSigmoid"]
    elus = ["Softsign", "LeakyRelu", "Elu"]
    both = {"direction": "bidirectional"}
    return [
        recurrent("LSTM", activations=names, **scaled),
        recurrent("LSTM", "b", activations=[*elus, *names], **both),
        recurrent("LSTM", input_forget=1, clip=0.3),
        recurrent(
            "GRU",
            activations=["Affine", "Softplus"],
            activation_alpha=[0.5],
            activation_beta=[0.25],
        ),
        recurrent("GRU", "bh", constants="wrb", linear_before_reset=1, clip=0.3),
        recurrent("GRU", "blh", constants="", linear_before_reset=1, **both),
        recurrent("RNN", activations=["Relu"]),
        recurrent("RNN", activations=["ThresholdedRelu"], activation_alpha=[0.2]),
        recurrent("RNN", "b", activations=["relu", "TANH"], **both),
    ]


CASES = [
    *_common("LSTM", "cp", alone="lcp"),
    *_common("GRU", alone="h"),
    *_common("RNN", alone="l"),
    *_activations(),
    recurrent("LSTM", "bh", layout=1),
    recurrent("LSTM", "bp", dtype=F64, opset=22),
]
