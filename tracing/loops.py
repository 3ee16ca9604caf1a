"""Loops that are traced: an iteration becomes a function, which the loop calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1

from glow.dialects.graph.control_flow import COUNT, LoopOp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.tensors import Tensor
from glow.tracing.operands import tensor_of, weak_type
from glow.tracing.pytrees import Structure, flatten, is_array
from glow.tracing.trace import Trace, current_trace
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import blamed_on_caller, error_here, user_place

TraceIteration = Callable[
    [Tracer, list[Tracer]], tuple[Tensor | None, list[Any], list[Any]]
]
"""Traces an iteration: returns the next condition, what is carried on, and rows."""


def is_operand(value: object) -> bool:
    return isinstance(value, Tracer) or is_array(value)


def condition_of(predicate: Any, what: str) -> Tensor:
    tensor = tensor_of(predicate)
    if tensor.shape or tensor.element != i1:
        raise error_here(
            f"{what}: expected a condition that is a scalar of bools, got "
            f"{tensor.dtype}{list(tensor.shape)}"
        )
    return tensor


def leaves_of(what: str, state: Any, expected: Structure) -> list[Any]:
    with blamed_on_caller(what):
        leaves, structure = flatten(state, is_operand)
    if structure != expected:
        raise error_here(
            f"{what}: expected a body that returns what it is given, {expected}, got "
            f"{structure}"
        )
    return [leaf.value for leaf in leaves]


def insert_loop(
    what: str,
    values: list[Any],
    names: Sequence[str],
    step: TraceIteration,
    *,
    limit: Tensor | None = None,
    condition: Tensor | None = None,
    iterations: int = 0,
    reverse: bool = False,
    must_end: bool = False,
) -> tuple[list[Tracer], list[Tracer]]:
    """
    Insert a loop into the current trace; return its last state, and its rows.

    There are `iterations` rows, 0 where there was no iteration; with `reverse` the
    first iteration writes the last row.
    """
    trace = current_trace()
    body = _body(what, values, names, step)
    while body is None:  # numbers have become arrays of the types that they get
        body = _body(what, values, names, step)
    initial = [tensor_of(value) for value in values]
    inner, results = body.trace, body.results
    with inner.entered():
        number = iterations - 1 - body.iteration if reverse else body.iteration
        for row in body.rows:
            zeros = np.broadcast_to(np.zeros((), row.dtype), (iterations, *row.shape))
            at = 1 + len(initial)
            initial.append(Tensor(trace.constant(zeros), trace))
            buffer = inner.block.insert_arg(initial[-1].type, at)
            place = number.reshape(1)
            results.append(inner.emit(ScatterNdOp, buffer, place, row))
        if body.condition is not None:
            results.insert(0, body.condition)
        function = trace.program.add_function(inner.function("body", results))
    op = LoopOp(
        function.sym_name.data,
        [each.value for each in initial],
        list(inner.captured),
        limit=None if limit is None else limit.value,
        condition=None if condition is None else condition.value,
        must_end=must_end,
    )
    op.location = user_place().location()
    trace.block.add_op(op)
    made = [Tracer(Tensor(result, trace)) for result in op.results]
    return made[: len(values)], made[len(values) :]


@dataclass(frozen=True)
class _Body:
    """An iteration that was traced."""

    trace: Trace
    iteration: Tensor
    condition: Tensor | None
    results: list[Tensor]
    rows: list[Tensor]


def _body(
    what: str, values: list[Any], names: Sequence[str], step: TraceIteration
) -> _Body | None:
    """
    Trace an iteration; None if a number in `values` gets another element type.

    It then is an array of that type. Errors: TracingError for an array that changes its
    shape or its element type.
    """
    outer = current_trace()
    initial = [tensor_of(value) for value in values]
    inner = Trace(outer.program, outer)
    with inner.entered():
        iteration = inner.argument(COUNT)
        carried = [
            Tracer(inner.argument(each.type, name), weak_type(value))
            for each, name, value in zip(initial, names, values, strict=True)
        ]
        condition, after, rows = step(Tracer(iteration), carried)
        results = [tensor_of(value) for value in after]
        given = [tensor_of(row) for row in rows]
    settled = True
    for n, (old, new) in enumerate(zip(initial, results, strict=True)):
        if old.type == new.type:
            continue
        if weak_type(values[n]) is None or new.shape:
            name = f'"{names[n]}"' if names[n] else "the state"
            raise error_here(
                f"{what}: expected a body that keeps the shape and type of {name}, "
                f"{old.dtype}{list(old.shape)}, got {new.dtype}{list(new.shape)}"
            )
        values[n], settled = np.asarray(values[n], new.dtype), False
    return _Body(inner, iteration, condition, results, given) if settled else None
