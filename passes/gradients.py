"""Reverse mode: the gradients of values, written as ops by the rules of each op."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from xdsl.dialects.builtin import UnknownLoc
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.control_flow import (
    CallFunctionOp,
    IfOp,
    LoopOp,
    gradient_of,
)
from glow.dialects.graph.movement import ExpandOp
from glow.dialects.graph.scattering import ScatterElementsOp, ScatterNdOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.control_flow_gradients import choice_gradients, loop_gradients
from glow.passes.gradient_writer import GradientWriter
from glow.passes.graph.decompose_attention import decompose_attention
from glow.passes.graph.decompose_bags import decompose_bag
from glow.passes.graph.decompose_einsum import decompose_einsum
from glow.passes.graph.decompose_losses import (
    decompose_binary_cross_entropy,
    decompose_cross_entropy,
    decompose_negative_log_likelihood,
)
from glow.passes.graph.decompose_recurrent import decompose_recurrent
from glow.passes.graph.decompose_rotary_embedding import decompose_rotary_embedding
from glow.passes.patterns import Pattern, Replacement, matched_types
from glow.support.locations import name_of
from glow.support.types import element_of, is_float, shape_of

DECOMPOSITIONS: tuple[Pattern, ...] = (
    partial(decompose_attention, target="", for_gradient=True),
    decompose_bag,
    decompose_binary_cross_entropy,
    decompose_cross_entropy,
    decompose_einsum,
    decompose_negative_log_likelihood,
    decompose_recurrent,
    decompose_rotary_embedding,
)
"""Patterns that write ops without a gradient rule as ops that have one."""


def decomposition_of(op: type[Operation]) -> Pattern | None:
    """Return the pattern that ops of a type are decomposed by for their gradient."""
    found = (each for each in DECOMPOSITIONS if issubclass(op, matched_types(each)))
    return next(found, None)


def reason_against(op: Operation) -> str:
    """Return why no gradient flows through `op`; empty if one does."""
    if isinstance(op, CallOp | CallFunctionOp) or hasattr(type(op), "gradient"):
        return ""
    if decomposition_of(type(op)) is not None:
        return ""
    reason = getattr(type(op), "NO_GRADIENT", "")
    return reason or "nothing says what its gradient is"


def gradients(
    seeds: Mapping[SSAValue, Tensor],
    of: Iterable[SSAValue],
    ops: Sequence[Operation],
    writer: GradientWriter,
) -> dict[SSAValue, Tensor]:
    """
    Return the gradients of `of` that follow from those of results of `ops`.

    `seeds` are the gradients of results; values that these do not depend on are left
    out. `ops` are in the order of a block.
    Errors: PassFailedException for an op on the way that has no gradient.
    """
    sweep = _Sweep(seeds, of, ops, writer)
    for op in reversed(ops):
        if sweep.concerns(op):
            sweep.pull_back(op)
    return {value: sweep.found[value] for value in of if value in sweep.found}


class _Sweep:
    """One walk from the last op to the first, with the gradients found so far."""

    def __init__(
        self,
        seeds: Mapping[SSAValue, Tensor],
        of: Iterable[SSAValue],
        ops: Sequence[Operation],
        writer: GradientWriter,
    ):
        self.ops, self.writer = ops, writer
        self.found: dict[SSAValue, Tensor] = dict(seeds)
        self.seeded = set(seeds)
        self.active = set(of)
        for op in ops:
            if not self.active.isdisjoint(op.operands):
                self.active.update(filter(_has_gradient, op.results))

    def concerns(self, op: Operation) -> bool:
        """Return whether a gradient goes through `op` to a value that wants one."""
        is_active = not self.active.isdisjoint(op.operands)
        return is_active and any(result in self.found for result in op.results)

    def pull_back(self, op: Operation) -> None:
        """Add what the gradients of results of `op` contribute to those of operands."""
        self.writer.location = op.location
        if isinstance(op, IfOp | LoopOp):
            self._go_back(op)
        elif reason := reason_against(op):
            raise self._failure(op, reason)
        elif isinstance(op, CallOp | CallFunctionOp):
            self._inline(op)
        elif hasattr(type(op), "gradient"):
            self._apply_rule(cast(GraphOp, op))
        else:
            self._decompose(cast(GraphOp, op))

    def _apply_rule(self, op: GraphOp) -> None:
        incoming = [self.found.get(result) for result in op.results]
        found: Any = type(op).gradient(
            Backward(op, incoming, self.active, self.writer, xp)
        )
        if isinstance(found, str):
            raise self._failure(op, found)
        per_slot = cast(Any, found if isinstance(found, tuple) else (found,))
        for slot, each in zip(op.slots(), per_slot, strict=False):
            operands = [slot] if isinstance(slot, SSAValue) else slot or ()
            parts = cast(list[Any], each) if isinstance(each, list) else [each]
            for operand, part in zip(operands, parts, strict=False):
                if part is not None and operand in self.active:
                    self.add(operand, part)

    def _decompose(self, op: GraphOp) -> None:
        """Compute `op` once more by other ops, and go back through these."""
        pattern = decomposition_of(type(op))
        assert pattern is not None
        new = Replacement(op, cast(Any, self.writer.constants), cast(Any, None))
        results: Any = pattern(op, new)
        assert results is not None, f"{op.name} was not decomposed"
        for written in new.ops:
            self.writer.insert(cast(Any, written))
        several: Any = (results,) if isinstance(results, Tensor) else results
        self._through(op, new.ops, [self.writer.value(each) for each in several])

    def _inline(self, op: CallOp | CallFunctionOp) -> None:
        """Write what a function computes once more, and go back through that."""
        function = self.writer.functions[op.callee.string_value()]
        if gradient := gradient_of(function):
            self._call_gradient(op, self.writer.functions[gradient])
            return
        written, results = self.writer.write_again(function, op.operands)
        self._through(op, written, results)

    def _call_gradient(self, op: Operation, gradient: FuncOp) -> None:
        """Write the ops of `gradient`, the declared gradient of the called function."""
        seeds: list[SSAValue] = []
        for result in filter(_has_gradient, op.results):
            seed = self.found.get(result)
            seed = self.writer.zeros(result) if seed is None else seed
            seeds.append(fitted(seed, shape_of(result)).value)
        given = [*op.operands, *op.results, *seeds]
        _, parts = self.writer.write_again(gradient, given)
        operands = filter(_has_gradient, op.operands)
        for operand, part in zip(operands, parts, strict=True):
            if operand in self.active:
                self.add(operand, self.writer.tensor(part))

    def _go_back(self, op: IfOp | LoopOp) -> None:
        """Write a choice or a loop of the gradients of its functions."""
        incoming: dict[SSAValue, Tensor] = {
            r: self.found[r] for r in op.results if r in self.found
        }
        rule = choice_gradients if isinstance(op, IfOp) else loop_gradients
        try:
            found = rule(cast(Any, op), incoming, self.active, self.writer, gradients)
        except PassFailedException as error:
            raise PassFailedException(f"{error} -> {self._way_from(op)}") from None
        if isinstance(found, str):
            raise self._failure(op, found)
        for value, part in found:
            self.add(value, part)

    def _through(
        self, op: Operation, written: Sequence[Operation], results: Sequence[SSAValue]
    ) -> None:
        """Go back through ops that compute what `op` does, as `results`."""
        seeds: dict[SSAValue, Tensor] = {}
        for old, value in zip(op.results, results, strict=True):
            if old in self.found:
                seed = self.found[old]
                seeds[value] = seeds[value] + seed if value in seeds else seed
        wanted = dict.fromkeys(each for each in op.operands if each in self.active)
        for value, part in gradients(seeds, wanted, written, self.writer).items():
            self.add(value, part)

    def add(self, value: SSAValue, part: Tensor) -> None:
        """Add `part`, which broadcasts with `value`, to its gradient."""
        part = Tensor(part.value, self.writer)
        part = fitted(part, shape_of(value)).astype(element_of(value))
        known = self.found.get(value)
        self.found[value] = part if known is None else _sum(known, part)

    def _failure(self, op: Operation, reason: str) -> PassFailedException:
        return PassFailedException(
            f"cannot differentiate {op.name}: {reason}; the way from it to the results "
            f"is {self._way_from(op)}"
        )

    def _way_from(self, op: Operation) -> str:
        """Return the ops from `op` to the end."""
        names: list[str] = []
        at: Operation | None = op
        inside = set(self.ops)
        while at is not None:
            names.append(_named(at))
            found = [result for result in at.results if result in self.found]
            if self.seeded.intersection(found):
                break
            users = (use.operation for result in found for use in result.uses)
            at = next((user for user in users if user in inside), None)
        return " -> ".join(names)


def _sum(known: Tensor, part: Tensor) -> Tensor:
    """Return known + part; a `part` that scatters into zeros scatters into `known`."""
    owner = part.value.owner
    if (
        isinstance(owner, ScatterElementsOp | ScatterNdOp)
        and owner.parameters()["reduction"] == "add"
        and _is_zero(owner.data)
    ):
        slots = known, owner.indices, owner.updates
        return known.writer.emit(type(owner), *slots, **owner.parameters())
    return known + part


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    while isinstance(owner, ExpandOp):
        owner = owner.input.owner
    return isinstance(owner, LiteralOp) and not owner.array.any()


def _has_gradient(value: SSAValue) -> bool:
    return is_float(element_of(value))


def fitted(gradient: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Sum a gradient over axes along which `shape` was broadcast, or broadcast it."""
    if gradient.shape == shape:
        return gradient
    if gradient.ndim > len(shape):
        extra = gradient.ndim - len(shape)
        gradient = xp.sum(gradient, axis=tuple(range(extra)))
    pairs = zip(gradient.shape[::-1], shape[::-1], strict=False)
    long = [
        gradient.ndim - 1 - i for i, (own, to) in enumerate(pairs) if own != to == 1
    ]
    if long:
        gradient = xp.sum(gradient, axis=tuple(long), keepdims=True)
    return xp.broadcast_to(gradient, shape)


def _named(op: Operation) -> str:
    """Return the name of an op, and where the model has it."""
    if isinstance(op.location, UnknownLoc):
        return op.name
    return f"{op.name} ({name_of(op)})"
