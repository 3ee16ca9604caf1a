"""RNN, GRU and LSTM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from glow.dialects.graph.recurrent import GruOp, LstmOp, RnnOp
from glow.dialects.graph.recurrent_base import ACTIVATIONS, Activation, RecurrentOp
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op

# In any case of letters, as ONNX Runtime takes them.
_NAMES = {name.replace("_", ""): name for name in ACTIVATIONS}
_TITLES = {name: name.title().replace("_", "") for name in ACTIVATIONS}
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


@onnx_form(*CELLS.values())
def recurrent_node(op: RecurrentOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    """ONNX has parameters only of activations that are named and have them."""
    name = next(name for name, cell in CELLS.items() if cell is type(op))
    plain = _with_activations(op)
    given = {n: getattr(op, n) for n in ("activations", "alphas", "betas")}
    if plain != {n: values and tuple(values) for n, values in given.items()}:
        return out.function(op, _plain)
    names: Sequence[str] = op.activations or ()
    listed = {
        f"activation_{slot}": [
            value
            for name, value in zip(names, values, strict=True)
            if slot in Activation.defaults_of(name)
        ]
        for slot, values in (("alpha", op.alphas), ("beta", op.betas))
        if values is not None
    }
    listed |= {"alphas": None, "betas": None, "hidden_size": op.sizes.hidden}
    texts = [_TITLES[name] for name in names] or None
    return out.as_node(name, op, activations=texts, **listed)


def _with_activations(op: RecurrentOp) -> dict[str, tuple[Any, ...] | None]:
    """Return the parameters of the activations by name, 0 for what these lack."""
    if op.activations is None and op.alphas is None and op.betas is None:
        return {"activations": None, "alphas": None, "betas": None}
    walks = range(op.sizes.walks)
    chosen = [each for walk in walks for each in op.activations_of(walk)]
    found: dict[str, tuple[Any, ...] | None]
    found = {"activations": tuple(each.name for each in chosen)}
    for slot in ("alpha", "beta"):
        is_given = getattr(op, f"{slot}s") is not None
        is_used = any(slot in each.parameters for each in chosen)
        values = tuple(each.parameters.get(slot, 0.0) for each in chosen)
        found[f"{slot}s"] = values if is_given and is_used else None
    return found


def _plain(op: RecurrentOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    return out.insert(type(op)(*op.slots(), **op.parameters() | _with_activations(op)))
