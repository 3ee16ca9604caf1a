"""
Choices and loops: what is known at import decides them there.

A loop is written out, one copy of its body for each iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import normalize_axis

MAX_ITERATIONS = 1 << 12
MAX_OPS = 1 << 17
"""The ops of a model with loops written out: more would take minutes to compile."""

Values = list[Tensor | None]  # None: what the importer has noted that it lacks


@onnx_op("If")
def if_(node: Node) -> Values:
    """The branch that is taken."""
    condition = node.known_scalar(0, "a condition")
    branch = "then_branch" if condition else "else_branch"
    node.ignore("then_branch", "else_branch")
    return _counted(node, node.body(branch)([]), node.output_count, branch)


@onnx_op("Loop")
def loop(node: Node) -> Values:
    """The body gets the iteration, the condition, and what the last one left."""
    condition, goes_on, limit = node.optional(1), True, MAX_ITERATIONS + 1
    if node.optional(0) is not None:
        limit = int(node.known_scalar(0, "a trip count"))
    if condition is None:
        condition = node.literal(True)
    else:
        goes_on = bool(node.known_scalar(1, "a condition"))
    body, state = node.body("body"), list(node.inputs[2:])
    scanned = node.output_count - len(state)
    rows: list[Values] = []
    while goes_on and len(rows) < limit:
        iteration = len(rows)
        _check_iterations(node, iteration)
        number = node.literal(iteration, np.dtype(np.int64))
        outputs = body([number, condition, *state])
        outputs = _counted(node, outputs, 1 + len(state) + max(scanned, 0), "body")
        if outputs[0] is None:
            return [None] * node.output_count
        condition = outputs[0]
        goes_on = bool(node.known(condition, "a condition").all())
        state = _next_state(node, state, outputs[1 : 1 + len(state)])
        rows.append(outputs[1 + len(state) :])
    return [*state, *_stacked(node, rows, scanned, (0,) * scanned, (0,) * scanned)]


@onnx_op("Scan", since=9)
def scan(node: Node) -> Values:
    """The body gets what the last iteration left, and a part of each scanned input."""
    number = node.integer("num_scan_inputs")
    split = len(node.inputs) - number
    if split < 0:
        node.invalid(f"expected {number} inputs to scan, got {len(node.inputs)}")
    state, scanned = list(node.inputs[:split]), node.given[split:]
    zeros = (0,) * number
    given = zip(node.integers("scan_input_axes") or zeros, scanned, strict=True)
    axes = [normalize_axis(axis, value.ndim) for axis, value in given]
    backward = node.integers("scan_input_directions") or zeros
    lengths = {v.shape[axis] for v, axis in zip(scanned, axes, strict=True)}
    if len(lengths) != 1 or len(backward) != number:
        node.invalid(f"expected one length of all scanned inputs, got {lengths}")
    (length,) = lengths
    _check_iterations(node, length - 1)
    body, rows = node.body("body"), list[Values]()
    for step in range(length):
        places = [length - 1 - step if flag else step for flag in backward]
        parts = [
            value[(slice(None),) * axis + (place,)]
            for value, axis, place in zip(scanned, axes, places, strict=True)
        ]
        made = _counted(node, body([*state, *parts]), node.output_count, "body")
        state = _next_state(node, state, made[:split])
        rows.append(made[split:])
    outputs = node.output_count - split
    at = node.integers("scan_output_axes") or (0,) * outputs
    flags = node.integers("scan_output_directions") or (0,) * outputs
    return [*state, *_stacked(node, rows, outputs, at, flags)]


def _check_iterations(node: Node, iteration: int) -> None:
    if iteration >= MAX_ITERATIONS:
        node.refuse(f"more than {MAX_ITERATIONS} iterations")
    if node.emitter.written > MAX_OPS:
        node.refuse(f"more than {MAX_OPS} ops written out, at iteration {iteration}")


def _counted(node: Node, outputs: Values, expected: int, body: str) -> Values:
    if len(outputs) != expected:
        node.invalid(f"{body} has {len(outputs)} outputs, expected {expected}")
    return outputs


def _next_state(node: Node, old: Values, new: Values) -> Values:
    for before, after in zip(old, new, strict=True):
        if before is None or after is None:
            continue
        if before.element != after.element:
            node.invalid(f"the body makes {after.type} of {before.type}")
    return new


def _stacked(
    node: Node,
    rows: Sequence[Values],
    outputs: int,
    axes: Sequence[int],
    backward: Sequence[int],
) -> Values:
    """Return each output with what the iterations made of it along its axis."""
    if outputs and not rows:
        node.refuse("no iterations")
    if {len(axes), len(backward)} - {outputs}:
        node.invalid(f"expected an axis and a direction for {outputs} scanned outputs")
    columns = zip(*rows, strict=True)
    return [
        _joined(column[::-1] if flag else column, axis)
        for column, axis, flag in zip(columns, axes, backward, strict=True)
    ]


def _joined(parts: Sequence[Tensor | None], axis: int) -> Tensor | None:
    present = [part for part in parts if part is not None]
    return None if len(present) < len(parts) else xp.stack(present, axis)
