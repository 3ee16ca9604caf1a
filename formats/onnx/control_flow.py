"""
If, Loop and Scan.

A condition that is known at import selects the branch. Loops stay loops; the results
of a few known iterations are computed too, as shapes may depend on them. Only a loop
whose body changes types or parameters from iteration to iteration is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.records import MUST_END
from glow.formats.onnx.registry import onnx_op
from glow.formats.onnx.run_time_loops import (
    EndlessLoop,
    Iteration,
    Values,
    emit_choice,
    emit_loop,
)
from glow.support.arrays import Array
from glow.support.types import normalize_axis

WRITTEN_OUT = 1 << 12
"""The most iterations and ops of a loop for which its results are computed."""
MAX_OPS = 1 << 17
"""The ops of a model with loops written out: more would take minutes to compile."""


class _Undecided(Exception):
    """The number of iterations is known only at run time."""


class _TooLong(Unsupported):
    """A loop has more iterations and ops than are to be written out."""


@onnx_op("If")
def if_(node: Node) -> Values:
    """The branch that is taken; or both, if that depends on data."""
    bodies = node.body("then_branch"), node.body("else_branch")
    if node.constant(0) is None:
        return emit_choice(node, node.input(0).reshape(), bodies)
    if node.emitter.is_made(node.input(0).value):
        trial = node.trial()
        with suppress(Unsupported):
            made = emit_choice(node, node.input(0).reshape(), bodies)
            if not trial.has_failed:
                return made
        trial.undo()
    condition = node.known_scalar(0, "a condition")
    chosen, name = (bodies[0], "then") if condition else (bodies[1], "else")
    return _counted(node, chosen([]), node.output_count, f"{name}_branch")


@onnx_op("Loop")
def loop(node: Node) -> Values:
    """The body gets the iteration, the condition, and what the last one left."""
    body, state = node.body("body"), list(node.inputs[2:])
    scanned = max(node.output_count - len(state), 0)

    def run(iteration: Tensor, condition: Tensor, carried: Values) -> Iteration:
        outputs = body([iteration, condition, *carried])
        outputs = _counted(node, outputs, 1 + len(state) + scanned, "body")
        split = 1 + len(state)
        return Iteration(outputs[0], outputs[1:split], outputs[split:])

    def write_out(most: int) -> Values:
        limit, condition, goes_on = _start(node)
        carried, rows, iteration = state, list[Values](), 0
        budget = _Budget(node, most)
        while goes_on and (limit is None or iteration < limit):
            budget.count_iteration()
            done = run(node.literal(iteration, np.dtype(np.int64)), condition, carried)
            if done.condition is None:
                return [None] * node.output_count
            condition = done.condition
            known = node.emitter.array_of(condition.value)
            if known is None:
                raise _Undecided
            goes_on = bool(known.all())
            carried = _next_state(node, carried, done.carried)
            rows.append(done.rows)
            iteration += 1
        if scanned and not rows:
            raise _Undecided  # only the body tells the types of rows
        zeros = (0,) * scanned
        return [*carried, *_stacked(rows, scanned, zeros, zeros)]

    def keep() -> Values:
        limit, condition = node.optional(0), node.optional(1)
        known = None if condition is None else node.constant(1)
        if known is not None and not known.any():
            limit, condition = node.literal(0, np.dtype(np.int64)), None
        count = None if limit is None else node.emitter.array_of(limit.value)
        return emit_loop(
            node,
            state,
            run,
            limit=None if limit is None else limit.reshape(),
            condition=None if condition is None else condition.reshape(),
            iterations=None if count is None else max(int(count.reshape(-1)[0]), 0),
            must_end=must_end,
        )

    must_end = MUST_END in node.record.metadata
    if must_end:
        return keep()
    return _decide(node, write_out, keep)


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
    outputs = node.output_count - split
    at = node.integers("scan_output_axes") or (0,) * outputs
    flags = node.integers("scan_output_directions") or (0,) * outputs
    return _scanned(node, state, (scanned, axes, backward), (at, flags))


@onnx_op("Scan")
def scan_batches(node: Node) -> Values:
    """Every input has a first axis of batches, which are scanned one by one."""
    number = node.integer("num_scan_inputs")
    if node.optional(0) is not None:
        node.refuse("sequence_lens")
    values = node.given
    split = len(values) - number
    if split < 0:
        node.invalid(f"expected {number} inputs to scan, got {len(values)}")
    (batches, *others) = {value.shape[:1] for value in values}
    if others or not batches:
        node.invalid("expected inputs with as many batches each")
    backward = node.integers("directions") or (0,) * number
    zeros, flags = (0,) * number, (0,) * (node.output_count - split)
    made: list[Values] = []
    for batch in range(batches[0]):
        parts = [value[batch] for value in values]
        scanned = parts[split:], zeros, backward
        made.append(_scanned(node, list(parts[:split]), scanned, (flags, flags)))
    if not made:
        node.refuse("no batches")
    return [_joined(column, 0) for column in zip(*made, strict=True)]


def _scanned(
    node: Node,
    state: Values,
    inputs: tuple[Sequence[Tensor], Sequence[int], Sequence[int]],
    outputs: tuple[Sequence[int], Sequence[int]],
) -> Values:
    """
    Return the final `state`, then the outputs of the iterations.

    `inputs` are the scanned tensors, their axes, and whether each is read from the end;
    `outputs` are the axes of rows, and whether each is filled from the end.
    """
    (scanned, axes, backward), (at, flags) = inputs, outputs
    split = len(state)
    rows_made = node.output_count - split
    _check_rows(node, rows_made, at, flags)
    lengths = {v.shape[axis] for v, axis in zip(scanned, axes, strict=True)}
    if len(lengths) != 1 or len(backward) != len(scanned):
        node.invalid(f"expected one length of all scanned inputs, got {lengths}")
    (length,) = lengths
    body = node.body("body")

    def run(carried: Values, parts: Values) -> Iteration:
        made = _counted(node, body([*carried, *parts]), node.output_count, "body")
        return Iteration(None, made[:split], made[split:])

    def write_out(most: int) -> Values:
        carried, rows, budget = state, list[Values](), _Budget(node, most)
        for step in range(length):
            budget.count_iteration()
            places = [length - 1 - step if flag else step for flag in backward]
            parts: Values = [
                value[(slice(None),) * axis + (place,)]
                for value, axis, place in zip(scanned, axes, places, strict=True)
            ]
            done = run(carried, parts)
            carried = _next_state(node, carried, done.carried)
            rows.append(done.rows)
        if rows_made and not rows:
            raise _Undecided
        return [*carried, *_stacked(rows, rows_made, at, flags)]

    def iteration(number: Tensor, condition: Tensor, carried: Values) -> Iteration:
        parts: Values = [
            xp.take(value, length - 1 - number if flag else number, axis)
            for value, axis, flag in zip(scanned, axes, backward, strict=True)
        ]
        return run(carried, parts)

    def keep() -> Values:
        limit = node.literal(length, np.dtype(np.int64))
        made = emit_loop(
            node, state, iteration, limit=limit, iterations=length, backward=flags
        )
        rows = zip(made[split:], at, strict=True)
        moved = [None if row is None else _moved(row, axis) for row, axis in rows]
        return [*made[:split], *moved]

    return _decide(node, write_out, keep)


def _check_rows(node: Node, count: int, *lists: Sequence[int]) -> None:
    if {len(each) for each in lists} - {count}:
        node.invalid(f"expected an axis and a direction for {count} scanned outputs")


def _moved(rows: Tensor, axis: int) -> Tensor:
    """Return `rows` with their first axis as `axis`."""
    order = list(range(1, rows.ndim))
    order.insert(normalize_axis(axis, rows.ndim), 0)
    return xp.permute_dims(rows, order)


def _decide(
    node: Node, write_out: Callable[[int], Values], keep: Callable[[], Values]
) -> Values:
    """Keep a loop as an op, or else write its iterations out if they are known."""
    is_known, trial = True, node.trial()
    try:
        written = write_out(WRITTEN_OUT)
    except _TooLong:
        pass
    except _Undecided:
        is_known = False
    else:
        arrays = [
            None if v is None else node.emitter.array_of(v.value) for v in written
        ]
        if trial.has_failed or all(array is not None for array in arrays):
            return written
        trial.undo()
        return _kept(node, keep, arrays) or write_out(WRITTEN_OUT)
    trial.undo()
    problem = None
    try:
        made = keep()
        if not (is_known and trial.has_failed):
            return made
    except EndlessLoop:
        raise
    except Unsupported as error:
        problem = error
    if not is_known:
        assert problem is not None
        raise problem
    trial.undo()
    try:
        return write_out(MAX_OPS)
    except _Undecided:
        raise problem or Unsupported("a loop") from None


def _kept(
    node: Node, keep: Callable[[], Values], arrays: Sequence[Array | None]
) -> Values:
    """Return the results of a loop that stays an op; none if it cannot stay."""
    trial = node.trial()
    with suppress(Unsupported):
        made = keep()
        if not trial.has_failed:
            for value, array in zip(made, arrays, strict=True):
                if value is not None and array is not None:
                    node.emitter.know(value.value, array)
            return made
    trial.undo()
    return []


class _Budget:
    """A limit on the iterations and ops of a loop that are written out."""

    def __init__(self, node: Node, most: int):
        self._node, self._most = node, most
        self._first = node.emitter.written if most < MAX_OPS else 0
        self._iterations = 0

    def count_iteration(self) -> None:
        """Begin an iteration; raise if there is no room for one more."""
        if self._node.emitter.written - self._first + self._iterations > self._most:
            raise _TooLong(
                f"{self._node.record.operator} with more than {self._most} iterations "
                f"and ops written out, at iteration {self._iterations}"
            )
        self._iterations += 1


def _start(node: Node) -> tuple[int | None, Tensor, bool]:
    """Return the limit of iterations, the first condition and whether it holds."""
    limit, condition, goes_on = None, node.optional(1), True
    if node.optional(0) is not None:
        if node.constant(0) is None:
            raise _Undecided
        limit = int(node.known_scalar(0, "a trip count"))
    if condition is None:
        return limit, node.literal(True), True
    if node.constant(1) is None:
        raise _Undecided
    goes_on = bool(node.known_scalar(1, "a condition"))
    return limit, condition, goes_on


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
    rows: Sequence[Values],
    outputs: int,
    axes: Sequence[int],
    backward: Sequence[int],
) -> Values:
    """Return each output: the rows of all iterations, stacked along its axis."""
    columns = zip(*rows, strict=True)
    if not outputs:
        return []
    return [
        _joined(column[::-1] if flag else column, axis)
        for column, axis, flag in zip(columns, axes, backward, strict=True)
    ]


def _joined(parts: Sequence[Tensor | None], axis: int) -> Tensor | None:
    present = [part for part in parts if part is not None]
    return None if len(present) < len(parts) else xp.stack(present, axis)
