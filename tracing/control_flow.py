"""Choices and loops with data-dependent conditions: their bodies are traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from operator import itemgetter
from typing import Any, cast

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.control_flow import IfOp, LoopOp
from glow.dialects.graph.outlining import OutlinedFunction, take_alike
from glow.dialects.graph.tensors import Tensor
from glow.support.errors import ExecutionError
from glow.support.names import with_article
from glow.tracing.calls import TracedFunction, trace_function, traced_results
from glow.tracing.loops import (
    condition_of,
    insert_loop,
    is_operand,
    leaves_of,
)
from glow.tracing.operands import as_tracer, tensor_of
from glow.tracing.pytrees import (
    PathLeaf,
    Structure,
    flatten,
    is_array,
    map_leaves,
    unflatten,
)
from glow.tracing.trace import current_trace, is_tracing
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import check_function, error_here, user_place


def cond(
    predicate: Any,
    true_function: Callable[..., Any],
    false_function: Callable[..., Any],
    *operands: Any,
) -> Any:
    """
    Return what one of two functions returns for `operands`.

    In a trace both are traced, and data decide which one is computed. Outside, or
    where the predicate is a bool of Python, one is called.
    Shapes: predicate a scalar of bools; both results nested alike, of the same shapes
    and element types. Errors: TracingError at the caller's line for others.
    """
    for function in (true_function, false_function):
        check_function("glow.cond", function, len(operands))
    if not isinstance(predicate, Tracer):
        _check_number("glow.cond", "a condition", predicate, "b", "bools")
        return (true_function if predicate else false_function)(*operands)
    condition = condition_of(predicate, "glow.cond")
    traced = [
        trace_function(function, operands, name=name, is_operand=is_operand)
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
    max_iterations: int | None = None,
) -> Any:
    """
    Return the last state: `body` replaces it, from `init` on, while `condition` holds.

    Both get the state, a nested structure of arrays; `body` returns the next one. A
    loop whose condition stays true does not end; with `max_iterations` the run fails
    then, after so many iterations. Outside traces it is a loop of Python.
    Shapes: the state has the same structure, shapes and element types throughout; a
    number of Python in `init` takes the element type that the body gives it.
    Errors: TracingError at the caller's line for a state that changes these, a
    condition that is not a scalar of bools. ExecutionError for one that is true after
    `max_iterations`.
    """
    for function in (condition, body):
        check_function("glow.while_loop", function, 1)
    if max_iterations is not None:
        _check_number(
            "glow.while_loop", "max_iterations", max_iterations, "iu", "integers"
        )
        if max_iterations < 0:
            raise error_here(
                "glow.while_loop: expected max_iterations of at least 0, got "
                f"{max_iterations}"
            )
    if not is_tracing():
        state = init
        for iteration in count():
            if not condition(state):
                return state
            if iteration == max_iterations:
                raise ExecutionError(LoopOp.STILL_TRUE)
            state = body(state)
    made, _ = _iterated(
        "glow.while_loop",
        init,
        lambda _, state: (body(state), []),
        condition=condition,
        limit=None if max_iterations is None else as_tracer(np.int64(max_iterations)),
        must_end=max_iterations is not None,
    )
    return made


def fori_loop(
    lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any
) -> Any:
    """
    Return the state after `body(i, state)` has replaced it for each i, from `init` on.

    i goes from `lower` up to `upper`, which may be traced integers; it gives way to
    arrays as a number of Python does. Outside traces it is a loop of Python.
    Shapes, errors: as those of `while_loop`.
    """
    check_function("glow.fori_loop", body, 2)
    for bound in (lower, upper):
        if not isinstance(bound, Tracer):
            _check_number("glow.fori_loop", "a bound", bound, "iu", "integers")
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

    def step(iteration: Tracer, state: Any) -> Any:
        start = tensor_of(Tracer(first))
        return body(Tracer(iteration.tensor + start, int), state), []

    is_known = not isinstance(lower, Tracer) and not isinstance(upper, Tracer)
    limit = as_tracer(np.int64(upper - lower)) if is_known else Tracer(last - first)
    return _iterated("glow.fori_loop", init, step, limit=limit)[0]


def scan(
    function: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    *,
    reverse: bool = False,
    condition: Callable[[Any], Any] | None = None,
) -> tuple[Any, Any]:
    """
    Return the last carry, starting at `init`, and the outputs for the parts of `xs`.

    `function(carry, x)` returns the next carry and an output; x has the parts of `xs`
    along their first axes, from the last one on if `reverse`. Outputs are stacked along
    a new first axis. Without `xs`, x is None and `length` is the number of iterations.
    With `condition` fewer may run: they end once `condition(carry)` is false, and rows
    of iterations that did not run are 0. Outside traces it is a loop of Python.
    Shapes: as those of `while_loop`; arrays of `xs` have one length. Errors: as those
    of `while_loop`; other lengths, no array and no length; a function that returns no
    pair.
    """
    check_function("glow.scan", function, 2)
    if condition is not None:
        check_function("glow.scan", condition, 1)
    if length is not None and not isinstance(length, Tracer):
        _check_number("glow.scan", "a length", length, "iu", "integers")
    parts, nesting = flatten(xs, is_operand)
    iterations = _iterations_of(parts, length)
    if not is_tracing():
        return _scanned(function, init, xs, iterations, reverse, condition)
    outputs: list[Structure] = []

    def step(iteration: Tracer, state: Any) -> tuple[Any, list[Any]]:
        at = iterations - 1 - iteration.tensor if reverse else iteration.tensor
        given = [Tracer(xp.take(tensor_of(x.value), at, 0)) for x in parts]
        after, output = _pair(function(state, unflatten(nesting, given)))
        rows, structure = flatten(output, is_operand)
        outputs[:] = [structure]
        return after, [row.value for row in rows]

    carry, rows = _iterated(
        "glow.scan",
        init,
        step,
        condition=condition,
        limit=as_tracer(np.int64(iterations)),
        iterations=iterations,
        reverse=reverse,
    )
    return carry, unflatten(outputs[0], rows)


def _check_number(what: str, role: str, value: object, kinds: str, of: str) -> None:
    """Raise an error at the caller's line unless a known value is a scalar of `of`."""
    array = (
        np.asarray(value) if isinstance(value, int | float) or is_array(value) else None
    )
    if array is None or array.shape or array.dtype.kind not in kinds:
        kind = with_article(type(value).__name__)
        got = kind if array is None else f"{array.dtype}{list(array.shape)}"
        raise error_here(f"{what}: expected {role} that is a scalar of {of}, got {got}")


def _iterations_of(parts: Sequence[PathLeaf], length: Any) -> int:
    """Return how many iterations there are at most in a scan of these arrays."""
    if isinstance(length, Tracer):
        raise error_here(
            "glow.scan: expected a length that is known, got a traced array; give the "
            "most iterations there may be, and condition=, such as "
            "lambda carry: carry[0] < n"
        )
    lengths = {leaf.value.shape[:1] for leaf in parts if hasattr(leaf.value, "shape")}
    lengths |= set() if length is None else {(length,)}
    if len(lengths) != 1 or not (size := next(iter(lengths))):
        found = ", ".join(str(n[0]) if n else "none" for n in sorted(lengths))
        raise error_here(
            f"glow.scan: expected arrays of one length along their first axes, or a "
            f"length, got {found or 'neither'}"
        )
    return size[0]


def _scanned(
    function: Callable[[Any, Any], tuple[Any, Any]],
    carry: Any,
    xs: Any,
    iterations: int,
    reverse: bool,
    condition: Callable[[Any], Any] | None,
) -> tuple[Any, Any]:
    """Do what `scan` does, in Python."""
    parts, nesting = flatten(xs, is_operand)

    def given(take: Callable[[Any], Any]) -> Any:
        return unflatten(nesting, [take(np.asarray(part.value)) for part in parts])

    outputs: list[Any] = []
    for iteration in reversed(range(iterations)) if reverse else range(iterations):
        if condition is not None and not condition(carry):
            break
        carry, output = _pair(function(carry, given(itemgetter(iteration))))
        outputs.append(output)
    missing = iterations - len(outputs)
    if not outputs:  # rows have the shapes that an iteration would have given them
        nothing = given(lambda array: np.zeros(array.shape[1:], array.dtype))
        outputs.append(_pair(function(carry, nothing))[1])

    def stacked(*made: Any) -> Any:
        rows = np.zeros((iterations, *np.shape(made[0])), np.asarray(made[0]).dtype)
        if missing < iterations:
            rows[: iterations - missing] = made
        return rows[::-1].copy() if reverse else rows

    return carry, map_leaves(stacked, outputs[0], *outputs[1:])


def _pair(made: Any) -> tuple[Any, Any]:
    """Return the carry and the output that the function of a scan returned."""
    if not isinstance(made, tuple) or len(cast(tuple[Any, ...], made)) != 2:
        found = with_article(type(cast(object, made)).__name__)
        raise error_here(
            "glow.scan: expected a function that returns a carry and an output, got "
            f"{found}"
        )
    return cast(tuple[Any, Any], made)


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
    body: Callable[[Tracer, Any], tuple[Any, list[Any]]],
    *,
    condition: Callable[[Any], Any] | None = None,
    limit: Tracer | None = None,
    iterations: int = 0,
    reverse: bool = False,
    must_end: bool = False,
) -> tuple[Any, list[Tracer]]:
    """
    Write a loop whose state starts as `init`; return its last state, and its rows.

    `body` gives the next state, and what the iteration puts into the `iterations` rows.
    """
    leaves, structure = flatten(init, is_operand)
    values = [leaf.value for leaf in leaves]
    names = [leaf.name for leaf in leaves]

    def goes_on(state: Any) -> Tensor | None:
        if condition is None:
            return None
        held, nesting = traced_results(condition, (state,))
        if len(held) != 1:
            raise error_here(
                f"{what}: expected a condition that is a scalar of bools, got {nesting}"
            )
        return condition_of(held[0], what)

    def step(iteration: Tracer, state: list[Tracer]) -> Any:
        after, rows = body(iteration, unflatten(structure, state))
        carried = leaves_of(what, after, structure)
        return goes_on(after), carried, rows

    made, rows = insert_loop(
        what,
        values,
        names,
        step,
        limit=None if limit is None else limit.tensor,
        condition=goes_on(unflatten(structure, [as_tracer(value) for value in values])),
        iterations=iterations,
        reverse=reverse,
        must_end=must_end,
    )
    return unflatten(structure, made), rows
