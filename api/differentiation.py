"""Gradients of Python functions: transformations that return functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from glow.support.names import with_article
from glow.traced import jit
from glow.tracing.gradients import (
    Pullback,
    check_argnums,
    traced_jvp,
    traced_value_and_grad,
)
from glow.tracing.trace import is_tracing
from glow.tracing.user_code import check_function, error_here


def value_and_grad(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
) -> Callable[..., Any]:
    """
    Return a function that returns the value of `function`, one float, and its gradient.

    The gradient is nested like argument `argnums`, whose leaves are floats; for several
    numbers it is a tuple of gradients. With `has_aux`, `function` returns a pair, of
    which the first is differentiated. Called in a function that is traced, it writes
    the gradient there; outside, it is compiled as by `glow.jit`.
    Errors: TracingError, at the caller's line, for other arguments and results, and an
    op on the way that has no gradient.
    """

    check_function("value_and_grad", function)
    check_argnums("value_and_grad", argnums)

    @wraps(function, updated=())  # not the attributes of a JitFunction
    def both(*arguments: Any, **named: Any) -> tuple[Any, Any]:
        def applied(*given: Any) -> Any:
            return function(*given, **named)

        return traced_value_and_grad(name, applied, argnums, has_aux, arguments)

    name = getattr(function, "__name__", "function")
    return _compiled_outside(both)


def grad(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
) -> Callable[..., Any]:
    """
    Return a function that returns the gradient of `function`, whose value is one float.

    With `has_aux` it returns a pair, the gradient and the second result of `function`.
    All else is as in `value_and_grad`.
    """
    check_function("grad", function)
    check_argnums("grad", argnums)
    both = value_and_grad(function, argnums, has_aux=has_aux)

    @wraps(function, updated=())  # not the attributes of a JitFunction
    def gradient(*arguments: Any, **named: Any) -> Any:
        value, found = both(*arguments, **named)
        return (found, value[1]) if has_aux else found

    return _compiled_outside(gradient)


def vjp(function: Callable[..., Any], *primals: Any) -> tuple[Any, Pullback]:
    """
    Return the results of `function`, and a function that propagates gradients back.

    The second takes gradients nested like the results, and returns a tuple with one for
    each of `primals`, nested like it. Both belong to the function that is being traced.
    Errors: TracingError outside of such a function, and as `value_and_grad`.
    """
    check_function("vjp", function, len(primals))
    pullback = Pullback("vjp", function, primals, range(len(primals)))
    return pullback.value, pullback


def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """
    Return the results of `function`, and their derivatives along `tangents`.

    `tangents` are floats, nested like `primals`. The derivatives are computed as the
    gradient of a gradient, which takes about three times as long as the function.
    Errors: TracingError as `vjp`.
    """
    for what, given in (("arguments", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            got = with_article(type(given).__name__)
            raise error_here(f"jvp: expected {what} in a tuple, got {got}")
    check_function("jvp", function, len(primals))
    return traced_jvp(function, primals, tangents)


def _compiled_outside(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is compiled when it is called outside a trace."""
    compiled = jit(function)

    @wraps(function, updated=())  # not the attributes of a JitFunction
    def call(*arguments: Any, **named: Any) -> Any:
        return (function if is_tracing() else compiled)(*arguments, **named)

    return call
