"""Gradients of functions that are traced: `grad`, `value_and_grad`, `vjp`, `jvp`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.storage import (
    INLINE_ELEMENTS,
    ConstantOp,
    LiteralOp,
    LoadOp,
)
from glow.dialects.graph.tensors import Tensor
from glow.passes.gradient_writer import GradientWriter
from glow.passes.gradients import gradients
from glow.support.arrays import Array, repeated_element
from glow.support.names import with_article
from glow.support.types import is_float
from glow.tracing.calls import traced_results
from glow.tracing.operands import as_tracer, tensor_of
from glow.tracing.pytrees import Structure, flatten, unflatten
from glow.tracing.trace import Trace, TracedModule, current_trace
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import error_here


class _Constants:
    """The constants of a program that is being traced."""

    def __init__(self, program: TracedModule):
        self._program = program

    def array_of(self, value: SSAValue) -> Array | None:
        match value.owner:
            case LiteralOp():
                return value.owner.array
            case LoadOp():
                name = value.owner.symbol.string_value()
                constant = self._program.constant_named(name)
                return None if constant is None else constant.array
            case _:
                return None

    def make(
        self, array: Array, name: str | None, location: LocationAttr
    ) -> LiteralOp | LoadOp:
        if array.size <= INLINE_ELEMENTS or repeated_element(array) is not None:
            made: LiteralOp | LoadOp = LiteralOp(array)
        else:
            symbol = self._program.symbols.fresh(name or "constant")
            stored = self._program.declare(ConstantOp(symbol, array))
            made = LoadOp(symbol, stored.type)
        made.location = location
        return made


class Pullback:
    """
    A function that has been traced, and can propagate gradients back from its results.

    `value` are the results, nested. Called with gradients of these, nested alike, it
    returns the gradients of the arguments that it was made for.
    """

    def __init__(
        self,
        what: str,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        numbers: Sequence[int],
    ):
        self._what = what
        self.trace = trace = current_trace(what)
        self.marked = list[Tensor]()
        """The leaves of the arguments as the function alone sees them."""
        self._structures = list[Structure]()
        given = list(arguments)
        for number in numbers:
            leaves, structure = flatten(arguments[number], path=(str(number),))
            self._structures.append(structure)
            marked = [_marked(what, leaf.name, leaf.value, trace) for leaf in leaves]
            given[number] = unflatten(structure, [Tracer(each) for each in marked])
            self.marked += marked
        last = trace.block.last_op
        results, self.structure = traced_results(function, given)
        self.results: list[Tracer] = results
        self.forward = self.ops_after(last)

    @property
    def value(self) -> Any:
        return unflatten(self.structure, self.results)

    def __call__(self, cotangents: Any) -> tuple[Any, ...]:
        """Return the gradients of each argument, nested as it is."""
        leaves, structure = flatten(cotangents)
        if structure != self.structure:
            raise error_here(
                f"{self._what}: expected gradients nested as the results, "
                f"{self.structure}, got {structure}"
            )
        seeds: dict[SSAValue, Tensor] = {}
        for result, leaf in zip(self.results, leaves, strict=True):
            own = result.tensor
            if is_float(own.element):
                seed = tensor_of(leaf.value, own.dtype)
                if seed.shape != own.shape:
                    raise error_here(
                        f"{self._what}: expected a gradient of shape "
                        f"{list(own.shape)}, got {list(seed.shape)}"
                    )
                known = seeds.get(own.value)
                seeds[own.value] = seed if known is None else known + seed
        return self.pulled(seeds)

    def pulled(self, seeds: Mapping[SSAValue, Tensor]) -> tuple[Any, ...]:
        """Return the gradients of each argument, from those of values, `seeds`."""
        found = iter(
            self.back(seeds, [each.value for each in self.marked], self.forward)
        )
        return tuple(
            unflatten(each, [Tracer(next(found)) for _ in range(_count(each))])
            for each in self._structures
        )

    def back(
        self,
        seeds: Mapping[SSAValue, Tensor],
        of: Sequence[SSAValue],
        ops: Sequence[Operation],
    ) -> list[Tensor]:
        """Return the gradients of values, 0 where the loss does not depend on them."""
        trace = self.trace
        functions, constants = trace.program.functions, _Constants(trace.program)
        add = trace.program.add_function
        writer = GradientWriter(trace.block, None, constants, functions, add)
        try:
            found = gradients(seeds, of, ops, writer)
        except PassFailedException as error:
            raise error_here(f"{self._what}: {error}") from None
        values = [found[v].value if v in found else writer.zeros(v).value for v in of]
        writer.erase_unused(values)
        return [Tensor(value, trace) for value in values]

    def ops_after(self, last: Operation | None) -> list[Operation]:
        """Return the ops of the trace that come after one."""
        op = self.trace.block.first_op if last is None else last.next_op
        found: list[Operation] = []
        while op is not None:
            found.append(op)
            op = op.next_op
        return found


def _marked(what: str, name: str, value: Any, trace: Trace) -> Tensor:
    """
    Return a leaf as a value of its own, which nothing but the function uses.

    It is a reshape that changes nothing; a pass removes it.
    """
    tensor = as_tracer(value).tensor
    if not is_float(tensor.element):
        raise error_here(
            f"{what}: expected arguments of floats, got {tensor.dtype} for {name}"
        )
    return trace.emit(ReshapeOp, tensor, shape=tensor.shape)


def _count(structure: Structure) -> int:
    if structure.kind is None:
        return 1
    return sum(map(_count, structure.children))


def check_argnums(what: str, argnums: object) -> None:
    """Raise an error at the caller's line unless these are numbers of arguments."""
    several = isinstance(argnums, tuple | list)
    numbers = cast(Sequence[object], argnums if several else (argnums,))
    known = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool)]
    if not numbers or len(known) < len(numbers) or len(set(known)) < len(known):
        raise error_here(
            f"{what}: expected argnums that are a number, or several that differ, got "
            f"{argnums!r}"
        )


def traced_value_and_grad(
    what: str,
    function: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool,
    arguments: Sequence[Any],
) -> tuple[Any, Any]:
    """
    Return what a function returns and its gradients, in the current trace.

    With `has_aux` it returns a pair, of which the first is differentiated.
    """
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for number in numbers:
        if not -len(arguments) <= number < len(arguments):
            raise error_here(
                f"{what}: expected argnums below {len(arguments)}, the number of "
                f"arguments by position, got {number}"
            )
    pullback = Pullback(
        what, function, arguments, [n % len(arguments) for n in numbers]
    )
    value = pullback.value
    loss: Any = value
    if has_aux:
        if not isinstance(value, tuple) or len(cast(Any, value)) != 2:
            raise error_here(f"{what}: expected a pair of results with has_aux")
        loss = cast(Any, value)[0]
    if not isinstance(loss, Tracer) or loss.shape != () or loss.dtype.kind != "f":
        got = with_article(type(loss).__name__)
        if isinstance(loss, Tracer):
            got = f"{loss.dtype} of shape {list(loss.shape)}"
        raise error_here(f"{what}: expected a result of one float, got {got}")
    one = loss.tensor.writer.like(1, loss.tensor)
    found = pullback.pulled({loss.tensor.value: one})
    return cast(Any, value), found[0] if isinstance(argnums, int) else found


def traced_jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """
    Return the results of a function, and their derivatives along `tangents`.

    Gradients of arguments are linear in those of results: the derivative of the former
    by the latter gives these.
    """
    pullback = Pullback("jvp", function, primals, range(len(primals)))
    given, structure = flatten(tuple(tangents))
    _, wanted = flatten(tuple(primals))
    if structure != wanted:
        raise error_here(
            f"jvp: expected tangents nested as the arguments, {wanted}, got {structure}"
        )
    trace, results = pullback.trace, [each.tensor for each in pullback.results]
    last = trace.block.last_op
    floats = [each for each in results if is_float(each.element)]
    cotangents = [
        trace.emit(ReshapeOp, xp.broadcast_to(trace.like(0, r), r.shape), shape=r.shape)
        for r in floats
    ]
    seeds: dict[SSAValue, Tensor] = {}
    for result, own in zip(floats, cotangents, strict=True):
        known = seeds.get(result.value)
        seeds[result.value] = own if known is None else known + own
    of = [each.value for each in pullback.marked]
    pulled = pullback.back(seeds, of, pullback.forward)
    lines = {
        each.value: tensor_of(leaf.value, each.dtype)
        for each, leaf in zip(pulled, given, strict=True)
    }
    ops = pullback.ops_after(last)
    found = iter(pullback.back(lines, [each.value for each in cotangents], ops))
    changes = [
        Tracer(next(found) if is_float(each.element) else each * 0) for each in results
    ]
    return pullback.value, unflatten(pullback.structure, changes)
