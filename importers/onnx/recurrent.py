"""Recurrent networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from glow.dialects.graph.recurrent import GruOp, LstmOp, RnnOp
from glow.dialects.graph.recurrent_base import ACTIVATIONS, Activation, RecurrentOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import Outputs, onnx_op

# In any case of letters, as ONNX Runtime takes them.
_NAMES = {name.replace("_", ""): name for name in ACTIVATIONS}
CELLS: dict[str, type[RecurrentOp]] = {"GRU": GruOp, "LSTM": LstmOp, "RNN": RnnOp}


@onnx_op(*CELLS)
def recurrent(node: Node) -> Outputs:
    op = CELLS[node.record.op_type]
    node.ignore("output_sequence")  # of opset 1: whether the first output is wanted
    hidden = node.shape(2)[-1:]
    if node.has("hidden_size") and (node.integer("hidden_size"),) != hidden:
        node.invalid(
            f"expected recurrence weights for hidden_size={node.integer('hidden_size')}"
            f", got {node.input(2).type}"
        )
    return node.apply(op, direction=_direction(node), **_activations(node, op))


def _direction(node: Node) -> str:
    """Return the direction, whose default is misspelled in GRU-1."""
    direction = node.string("direction")
    return "forward" if direction == "foward" else direction


def _activations(node: Node, op: type[RecurrentOp]) -> dict[str, Any]:
    """Return the activations; alpha and beta are listed for those that have them."""
    texts: Sequence[str] = node.value("activations") if node.has("activations") else ()
    for text in texts:
        if text.lower() not in _NAMES:
            node.refuse(f"activation {text!r}")
    names = [_NAMES[text.lower()] for text in texts]
    walks = 2 if _direction(node) == "bidirectional" else 1
    given = {
        slot: node.value(f"activation_{slot}")
        for slot in ("alpha", "beta")
        if node.has(f"activation_{slot}")
    }
    if names and len(names) > len(op.ACTIVATIONS) * walks:
        names = names[: len(op.ACTIVATIONS) * walks]
    if not names:
        return {"activations": None}
    parameters: dict[str, Any] = {"activations": names}
    for slot, values in given.items():
        left, lined = iter(values), list[float]()
        for name in names:
            default = Activation.defaults_of(name).get(slot)
            lined.append(0.0 if default is None else float(next(left, default)))
        parameters[f"{slot}s"] = lined
    return parameters
