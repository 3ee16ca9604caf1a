"""Functions of a program: each is traced once, and called where it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, cast, overload

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp

from glow.dialects.graph.control_flow import COMPOSITE, GRADIENT, CallFunctionOp
from glow.dialects.graph.tensors import Tensor
from glow.support.names import with_article
from glow.support.types import is_float
from glow.tracing.operands import as_tracer, tensor_of, weak_type
from glow.tracing.pytrees import Structure, flatten, is_array, unflatten
from glow.tracing.registry import Traceable
from glow.tracing.trace import Trace, current_trace, is_tracing
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import (
    blamed_on_caller,
    check_function,
    error_here,
    user_place,
)
from glow.tracing.variables import Variable

Gradient = Callable[[tuple[Any, ...], Any, Any], Any]
"""Takes arguments, results and gradients of results; returns those of arguments."""


@dataclass(frozen=True)
class TracedFunction:
    """A private function of the module, and how to call it."""

    function: FuncOp
    captured: tuple[Tensor, ...]
    """Values of traces around it that it takes, after its arguments."""
    structure: Structure
    """How its results are nested."""
    weak: tuple[type | None, ...]
    """Which results are numbers of Python that give way to arrays."""

    def __call__(self, arguments: Sequence[Any]) -> Any:
        """Call it in the current trace; return its results as they are nested."""
        trace = current_trace()
        given = [tensor_of(each).value for each in arguments]
        given += [trace.adopt(each).value for each in self.captured]
        types = self.function.function_type.outputs.data
        op = CallFunctionOp(self.function.sym_name.data, given, types)
        op.location = user_place().location()
        trace.block.add_op(op)
        leaves = [
            Tracer(Tensor(result, trace), weak)
            for result, weak in zip(op.results, self.weak, strict=True)
        ]
        return unflatten(self.structure, leaves)


def is_leaf(value: object) -> bool:
    """Return whether a value is an operand of a function, and not part of its code."""
    if isinstance(value, int | float | Variable):
        return False
    return isinstance(value, Tracer) or is_array(value)


def trace_function(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    name: str = "",
    is_operand: Callable[[object], bool] = is_leaf,
) -> tuple[TracedFunction, list[Any]]:
    """
    Trace `function(*arguments)` as a function of the program; return it with operands.

    `arguments` are nested; the operands are their leaves, in order, which is what the
    returned function is called with. Values of traces around it that it uses are
    captured. Errors: TracingError, also for results that are neither arrays nor
    nested ones.
    """
    outer = current_trace()
    leaves, structure = flatten(tuple(arguments), is_operand)
    operands = [as_tracer(leaf.value) for leaf in leaves]
    inner = Trace(outer.program, outer)
    with inner.entered():
        given = [
            Tracer(inner.argument(each.tensor.type), each.weak) for each in operands
        ]
        results, nesting = traced_results(function, unflatten(structure, given))
        tensors = [tensor_of(result) for result in results]
    weak = tuple(weak_type(result) for result in results)
    made = inner.function(name or function.__name__, tensors)
    outer.program.add_function(made)
    own = tuple(Tensor(value, outer) for value in inner.captured)
    return TracedFunction(made, own, nesting, weak), operands


def traced_results(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[list[Any], Structure]:
    """Return the arrays that a function returns, and how they are nested."""
    tree = function(*arguments)
    with blamed_on_caller(getattr(function, "__name__", "function")):
        leaves, structure = flatten(tree, path=("result",))
        return [as_tracer(leaf.value) for leaf in leaves], structure


@overload
def composite(function: Traceable) -> Traceable: ...
@overload
def composite(
    *, name: str = "", gradient: Gradient | None = None
) -> Callable[[Traceable], Traceable]: ...
def composite(
    function: Any = None, *, name: str = "", gradient: Gradient | None = None
) -> Any:
    """
    Mark a function as one op: in a trace, a call of it stays whole.

    It becomes a private function of the module, with `name` as its attribute
    `composite`, once per types of its arrays and values of its other arguments. Passes
    and exporters see the call; `inline-functions` replaces it where no target takes it.
    Outside traces the function is unchanged.

    `gradient(arguments, results, cotangents)` replaces the gradient that follows from
    what it computes: it returns a tuple with one for each argument, nested like it, or
    None. `arguments` is a tuple, `cotangents` are nested like the results. Errors:
    TracingError at the caller's line for objects that are not a function or a name, and
    for other gradients than these.
    """
    if function is not None:
        check_function("composite", function)
    if gradient is not None:
        check_function("composite: gradient", gradient, 3)
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        kind = with_article(type(name).__name__)
        raise error_here(f"composite: expected a name that is a string, got {kind}")
    if function is None:
        return partial(_marked, name=name, gradient=gradient)
    return _marked(function, name, gradient)


def _marked(
    function: Callable[..., Any], name: str, gradient: Gradient | None
) -> Callable[..., Any]:
    name = name or function.__qualname__.replace(".<locals>", "")

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not is_tracing():
            return function(*arguments, **named)
        return call_composite(function, name, arguments, named, gradient)

    return call


def call_composite(
    function: Callable[..., Any],
    name: str,
    arguments: Sequence[Any],
    named: dict[str, Any],
    gradient: Gradient | None = None,
) -> Any:
    """Call a function as one op of the current trace."""
    keys = tuple(named)

    def by_position(*given: Any) -> Any:
        count = len(arguments)
        return function(*given[:count], **dict(zip(keys, given[count:], strict=True)))

    by_position.__name__ = function.__name__
    given = (*arguments, *named.values())
    program = current_trace().program
    with blamed_on_caller(name):
        leaves, structure = flatten(given, is_leaf)
        operands = [as_tracer(leaf.value) for leaf in leaves]
    types = tuple((each.tensor.type, each.weak) for each in operands)
    key = (COMPOSITE, function, keys, structure, types)
    if key not in program.made:
        traced, _ = trace_function(by_position, given, name=function.__name__)
        traced.function.attributes[COMPOSITE] = StringAttr(name)
        if gradient is not None:
            made = _traced_gradient(name, gradient, traced, operands, structure)
            traced.function.attributes[GRADIENT] = SymbolRefAttr(made)
        if traced.captured:
            return traced(operands)
        program.made[key] = traced
    return program.made[key](operands)


def _traced_gradient(
    what: str,
    gradient: Gradient,
    traced: TracedFunction,
    operands: Sequence[Tracer],
    structure: Structure,
) -> str:
    """Trace the gradient of a composite for nested operands; return its name."""
    trace = current_trace()
    if traced.captured:
        raise error_here(
            f"{what}: expected a composite with a gradient of its own to use nothing "
            "but its arguments, got other traced arrays; pass them"
        )
    types = traced.function.function_type.outputs.data
    inner = Trace(trace.program, trace)
    with inner.entered():
        own = [Tracer(inner.argument(each.tensor.type), each.weak) for each in operands]
        results = [Tracer(inner.argument(type_)) for type_ in types]
        floats = [each for each in results if is_float(each.tensor.element)]
        seeds = iter([Tracer(inner.argument(each.tensor.type)) for each in floats])
        cotangents = [
            next(seeds) if is_float(each.tensor.element) else each * 0
            for each in results
        ]
        arguments = unflatten(structure, own)
        made = gradient(
            arguments,
            unflatten(traced.structure, results),
            unflatten(traced.structure, cotangents),
        )
        tensors = _parts_of(what, arguments, made)
    if inner.captured:
        raise error_here(
            f"{what}: expected a gradient that uses nothing but what it is given, got "
            "other traced arrays"
        )
    name = f"{traced.function.sym_name.data}_gradient"
    return trace.program.add_function(inner.function(name, tensors)).sym_name.data


def _parts_of(what: str, arguments: tuple[Any, ...], made: Any) -> list[Tensor]:
    """Return the gradient of each float leaf of the arguments."""
    parts = cast(tuple[Any, ...], made if isinstance(made, tuple) else (made,))
    if len(parts) != len(arguments):
        raise error_here(
            f"{what}: expected a gradient for each of {len(arguments)} arguments, got "
            f"{len(parts)}"
        )
    found: list[Tensor] = []
    for argument, part in zip(arguments, parts, strict=True):
        leaves, structure = flatten(argument, is_leaf)
        if part is None:
            own, nesting = [leaf.value * 0 for leaf in leaves], structure
        else:
            given, nesting = flatten(part)
            own = [leaf.value for leaf in given]
        if nesting != structure:
            raise error_here(
                f"{what}: expected gradients nested as the argument, {structure}, got "
                f"{nesting}"
            )
        for leaf, each in zip(leaves, own, strict=True):
            x = leaf.value.tensor
            if not is_float(x.element):
                continue
            tensor = tensor_of(each, x.dtype)
            if tensor.shape != x.shape:
                raise error_here(
                    f"{what}: expected a gradient of shape {list(x.shape)}, got "
                    f"{list(tensor.shape)}"
                )
            found.append(tensor)
    return found
