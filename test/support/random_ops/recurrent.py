"""Random calls of recurrent ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glow.dialects.graph import recurrent
from glow.dialects.graph.recurrent_base import RecurrentOp
from random_ops.call import F32, F64, I32, Call, Source

# With others, what differs a little may differ a lot some steps later.
BOUNDED = ("hard_sigmoid", "scaled_tanh", "sigmoid", "softsign", "tanh")


def _recurrent(op: type[RecurrentOp]) -> Callable[[Source], Call]:
    names = [name for name, _ in op.get_irdl_definition().operands]

    def draw(s: Source) -> Call:
        dtype = F64 if s.flip(0.15) else F32
        steps, batch = s.integer(0 if s.flip(0.1) else 1, 6), s.choose((1, 1, 2, 3, 8))
        features, hidden = s.integer(1, 9), s.choose((1, 3, 8, 16, 17, 24, 33))
        parameters: dict[str, Any] = {
            "direction": s.choose(op.declared()["direction"].words),
            "layout": s.integer(0, 1),
            "clip": 0.5 if s.flip(0.3) else None,
        }
        walks = 2 if parameters["direction"] == "bidirectional" else 1
        if s.flip(0.4):
            count = walks * len(op.ACTIVATIONS)
            parameters["activations"] = [s.choose(BOUNDED) for _ in range(count)]
            parameters["alphas"] = [s.choose((0.25, 0.5)) for _ in range(count)]
        flags = {"input_forget", "linear_before_reset"}
        for flag in flags & op.declared().keys():
            parameters[flag] = s.flip()
        wanted = [s.flip(0.7) for _ in op.RESULTS]
        wanted[s.integer(0, len(wanted) - 1)] = True
        flagged = zip(op.RESULTS, wanted, strict=True)
        parameters |= {f"with_{name}": flag for name, flag in flagged}
        rows = op.GATES * hidden
        state = (
            (batch, walks, hidden) if parameters["layout"] else (walks, batch, hidden)
        )
        shapes = {
            "input": (batch, steps) if parameters["layout"] else (steps, batch),
            "weights": (walks, rows, features),
            "recurrence": (walks, rows, hidden),
            "bias": (walks, 2 * rows),
            "initial_h": state,
            "initial_c": state,
            "peepholes": (walks, 3 * hidden),
        }
        shapes["input"] = (*shapes["input"], features)
        slots: list[Any] = []
        for number, name in enumerate(names):
            if number > 2 and s.flip(0.6):
                slots.append(None)
            elif name == "sequence_lens":
                slots.append(s.rng.integers(0, steps + 1, batch).astype(I32))
            else:
                scale = hidden**-0.5 if name == "recurrence" else 1
                slots.append(s.finite(shapes[name], dtype, scale))
        return Call(op, tuple(slots), parameters, sums=True)

    return draw


OPS: tuple[type[RecurrentOp], ...] = (
    recurrent.LstmOp,
    recurrent.GruOp,
    recurrent.RnnOp,
)
GENERATORS: dict[str, Callable[[Source], Call]] = {
    op.name: _recurrent(op) for op in OPS
}
