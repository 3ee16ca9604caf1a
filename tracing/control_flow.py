"""Choices and loops whose condition a run decides: their bodies are traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i1

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.control_flow import COUNT, IfOp, LoopOp
from glow.dialects.graph.outlining import OutlinedFunction, take_alike
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.tensors import Tensor
from glow.support.errors import ExecutionError
from glow.tracing.calls import TracedFunction, trace_function, traced_results
from glow.tracing.operands import as_tracer, tensor_of, weak_type
from glow.tracing.pytrees import Structure, flatten, is_array, map_leaves, unflatten
from glow.tracing.trace import Trace, current_trace, is_tracing
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import blamed_on_caller, error_here, user_place

TraceTurn = Callable[[Tracer, list[Tracer]], tuple[Tensor | None, list[Any], list[Any]]]
"""Traces a turn: returns the next condition, what is carried on, and rows."""


def cond(
    predicate: Any,
    true_function: Callable[..., Any],
    false_function: Callable[..., Any],
    *operands: Any,
) -> Any:
    """
    Return what one of two functions returns for `operands`.

    In a trace both are traced, and the run decides which one is computed. Outside, or
    where the predicate is a bool of Python, one is called.
    Shapes: predicate a scalar of bools; both results nested alike, of the same shapes
    and element types. Errors: TracingError at the caller's line for others.
    """
    if not isinstance(predicate, Tracer):
        return (true_function if predicate else false_function)(*operands)
    condition = _condition(predicate, "glow.cond")
    traced = [
        trace_function(function, operands, name=name, is_operand=_is_operand)
        for function, name in ((true_function, "then"), (false_function, "else"))
    ]
    (then, given), (otherwise, _) = traced
    _check_alike("glow.cond", then, otherwise)
    trace = current_trace()
    values = [tensor_of(each).value for each in given]
    called = [
        OutlinedFunction(f.function, [*values, *(t.value for t in f.captured)])
        for f, _ in traced
    ]
    inputs = take_alike(called)
    types = then.function.function_type.outputs.data
    op = IfOp(condition.value, called[0].symbol, called[1].symbol, inputs, types)
    op.location = user_place().location()
    trace.block.add_op(op)
    leaves = [Tracer(Tensor(result, trace)) for result in op.results]
    return unflatten(then.structure, leaves)


def while_loop(
    condition: Callable[[Any], Any],
    body: Callable[[Any], Any],
    init: Any,
    *,
    max_turns: int | None = None,
) -> Any:
    """
    Return what is left of `init` once `body` has replaced it while `condition` holds.

    Both get the state, a nested structure of arrays; `body` returns the next one. A
    loop whose condition stays true does not end; with `max_turns` the run fails then,
    after so many turns. Outside traces it is a loop of Python.
    Shapes: the state has the same structure, shapes and element types in each turn; a
    number of Python in `init` takes the element type that the body gives it.
    Errors: TracingError at the caller's line for a state that changes these, a
    condition that is no scalar of bools. ExecutionError for one that is true after
    `max_turns`.
    """
    if not is_tracing():
        state = init
        for turn in count():
            if not condition(state):
                return state
            if turn == max_turns:
                raise ExecutionError(LoopOp.STILL_TRUE)
            state = body(state)
    return _iterated(
        "glow.while_loop",
        init,
        lambda _, state: body(state),
        condition=condition,
        limit=None if max_turns is None else as_tracer(np.int64(max_turns)),
    )


def fori_loop(
    lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any
) -> Any:
    """
    Return what is left of `init` once `body(i, state)` has replaced it for each i.

    i goes from `lower` up to `upper`, which may be traced integers; it gives way to
    arrays as a number of Python does. Outside traces it is a loop of Python.
    Shapes, errors: as those of `while_loop`.
    """
    if not is_tracing():
        for i in range(int(lower), int(upper)):
            init = body(i, init)
        return init
    first, last = (as_tracer(each).tensor.astype(np.int64) for each in (lower, upper))
    if first.shape or last.shape:
        raise error_here(
            f"glow.fori_loop: expected bounds that are scalars, got {first.type} and "
            f"{last.type}"
        )

    def step(turn: Tracer, state: Any) -> Any:
        start = tensor_of(Tracer(first))
        return body(Tracer(turn.tensor + start, int), state)

    is_known = not isinstance(lower, Tracer) and not isinstance(upper, Tracer)
    limit = as_tracer(np.int64(upper - lower)) if is_known else Tracer(last - first)
    return _iterated("glow.fori_loop", init, step, limit=limit)


def scan(
    function: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    *,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """
    Return what is left of `init`, and what `function` puts out for each part of `xs`.

    `function(carry, x)` returns the next carry and an output; x has the parts of `xs`
    along their first axes, from the last one on if `reverse`. Outputs are stacked along
    a new first axis. Without `xs`, x is None and `length` says how many turns there
    are. Outside traces it is a loop of Python.
    Shapes: as those of `while_loop`; arrays of `xs` have one length. Errors: as those
    of `while_loop`; other lengths, no array and no length; a function that returns no
    pair.
    """
    if isinstance(length, Tracer):
        raise error_here(
            "glow.scan: expected a length that is known, got a traced array; give the "
            "most turns there may be, and keep the carry by np.where(turn < n, new, "
            "old)"
        )
    parts, nesting = flatten(xs, _is_operand)
    lengths = {leaf.value.shape[:1] for leaf in parts if hasattr(leaf.value, "shape")}
    lengths |= set() if length is None else {(length,)}
    if len(lengths) != 1 or not (size := next(iter(lengths))):
        found = ", ".join(str(n[0]) if n else "none" for n in sorted(lengths))
        raise error_here(
            f"glow.scan: expected arrays of one length along their first axes, or a "
            f"length, got {found or 'neither'}"
        )
    (turns,) = size
    if not is_tracing():
        return _scanned(function, init, xs, turns, reverse)
    outputs: list[Structure] = []

    def step(turn: Tracer, state: Any) -> tuple[Any, list[Any]]:
        at = turns - 1 - turn.tensor if reverse else turn.tensor
        given = [Tracer(xp.take(tensor_of(x.value), at, 0)) for x in parts]
        pair: Any = function(state, unflatten(nesting, given))
        if not _is_pair(pair):
            raise error_here(
                "glow.scan: expected a function that returns a carry and an output, "
                f"got a {type(pair).__name__}"
            )
        rows, structure = flatten(pair[1], _is_operand)
        outputs[:] = [structure]
        return pair[0], [row.value for row in rows]

    carry, rows = _with_rows("glow.scan", init, step, turns, reverse)
    return carry, unflatten(outputs[0], rows)


def _scanned(
    function: Callable[[Any, Any], tuple[Any, Any]],
    carry: Any,
    xs: Any,
    turns: int,
    reverse: bool,
) -> tuple[Any, Any]:
    """Do what `scan` does, in Python."""
    outputs: list[Any] = []
    for turn in reversed(range(turns)) if reverse else range(turns):
        parts, nesting = flatten(xs, _is_operand)
        x = unflatten(nesting, [np.asarray(part.value)[turn] for part in parts])
        carry, output = function(carry, x)
        outputs.append(output)
    ordered = outputs[::-1] if reverse else outputs
    return carry, map_leaves(lambda *rows: np.stack(rows), ordered[0], *ordered[1:])


def _is_operand(value: object) -> bool:
    return isinstance(value, Tracer) or is_array(value)


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(cast(tuple[Any, ...], value)) == 2


def _condition(predicate: Any, what: str) -> Tensor:
    tensor = tensor_of(predicate)
    if tensor.shape or tensor.element != i1:
        raise error_here(
            f"{what}: expected a condition that is a scalar of bools, got "
            f"{tensor.dtype}{list(tensor.shape)}"
        )
    return tensor


def _check_alike(what: str, then: TracedFunction, otherwise: TracedFunction) -> None:
    if then.structure != otherwise.structure:
        raise error_here(
            f"{what}: expected functions whose results are nested alike, got "
            f"{then.structure} and {otherwise.structure}"
        )
    pairs = zip(
        then.function.function_type.outputs,
        otherwise.function.function_type.outputs,
        strict=True,
    )
    for number, (one, other) in enumerate(pairs):
        if one != other:
            raise error_here(
                f"{what}: expected functions whose results have the same types, got "
                f"{one} and {other} for array {number}; convert one of them"
            )


def _iterated(
    what: str,
    init: Any,
    body: Callable[[Tracer, Any], Any],
    *,
    condition: Callable[[Any], Any] | None = None,
    limit: Tracer | None = None,
) -> Any:
    """Write a loop whose state is `init`, and return what it leaves."""
    leaves, structure = flatten(init, _is_operand)
    values = [leaf.value for leaf in leaves]
    names = [leaf.name for leaf in leaves]

    def goes_on(state: Any) -> Tensor | None:
        if condition is None:
            return None
        (held, *_), _ = traced_results(condition, (state,))
        return _condition(held, what)

    def step(turn: Tracer, state: list[Tracer]) -> Any:
        after = body(turn, unflatten(structure, state))
        leaves = _leaves_of(what, after, structure)
        return goes_on(after), leaves, []

    first = goes_on(unflatten(structure, [as_tracer(value) for value in values]))
    given = None if limit is None else limit.tensor
    made, _ = _loop(what, values, names, step, limit=given, condition=first)
    return unflatten(structure, made)


def _with_rows(
    what: str,
    init: Any,
    body: Callable[[Tracer, Any], tuple[Any, list[Any]]],
    turns: int,
    reverse: bool,
) -> tuple[Any, list[Tracer]]:
    """Write a loop that also puts out rows; return what it leaves, and these."""
    leaves, structure = flatten(init, _is_operand)

    def step(turn: Tracer, state: list[Tracer]) -> Any:
        after, rows = body(turn, unflatten(structure, state))
        return None, _leaves_of(what, after, structure), rows

    made, rows = _loop(
        what,
        [leaf.value for leaf in leaves],
        [leaf.name for leaf in leaves],
        step,
        limit=tensor_of(np.int64(turns)),
        turns=turns,
        reverse=reverse,
    )
    return unflatten(structure, made), rows


def _leaves_of(what: str, state: Any, expected: Structure) -> list[Any]:
    with blamed_on_caller(what):
        leaves, structure = flatten(state, _is_operand)
    if structure != expected:
        raise error_here(
            f"{what}: expected a body that returns what it is given, {expected}, got "
            f"{structure}"
        )
    return [leaf.value for leaf in leaves]


def _loop(
    what: str,
    values: list[Any],
    names: Sequence[str],
    step: TraceTurn,
    *,
    limit: Tensor | None = None,
    condition: Tensor | None = None,
    turns: int = 0,
    reverse: bool = False,
) -> tuple[list[Tracer], list[Tracer]]:
    """Insert a loop into the current trace; return what it leaves, and its rows."""
    trace = current_trace()
    body = _body(what, values, names, step)
    while body is None:  # numbers have become arrays of the types that they get
        body = _body(what, values, names, step)
    initial = [tensor_of(value) for value in values]
    inner, results = body.trace, body.results
    with inner.entered():
        number = turns - 1 - body.turn if reverse else body.turn
        for row in body.rows:
            zeros = np.broadcast_to(np.zeros((), row.dtype), (turns, *row.shape))
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
        must_end=limit is not None and condition is not None,
    )
    op.location = user_place().location()
    trace.block.add_op(op)
    made = [Tracer(Tensor(result, trace)) for result in op.results]
    return made[: len(values)], made[len(values) :]


@dataclass(frozen=True)
class _Body:
    """A turn that was traced."""

    trace: Trace
    turn: Tensor
    condition: Tensor | None
    results: list[Tensor]
    rows: list[Tensor]


def _body(
    what: str, values: list[Any], names: Sequence[str], step: TraceTurn
) -> _Body | None:
    """
    Trace a turn; None if a number in `values` gets another element type.

    It then is an array of that type. Errors: TracingError for an array that changes its
    shape or its element type.
    """
    outer = current_trace()
    initial = [tensor_of(value) for value in values]
    inner = Trace(outer.program, outer)
    with inner.entered():
        turn = inner.argument(COUNT)
        carried = [
            Tracer(inner.argument(each.type, name), weak_type(value))
            for each, name, value in zip(initial, names, values, strict=True)
        ]
        condition, after, rows = step(Tracer(turn), carried)
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
    return _Body(inner, turn, condition, results, given) if settled else None
