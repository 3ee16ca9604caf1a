"""Gradients of choices and loops: choices and loops of their functions' gradients."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.control_flow import COUNT, IfOp, LoopOp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.gradient_writer import GradientWriter, erase_unused
from glow.support.types import dtype_of, element_of, is_float, shape_of, tensor

Gradients = Mapping[SSAValue, Tensor]
Found = list[tuple[SSAValue, Tensor]]
"""Gradients to add to those of operands."""


class Differentiate(Protocol):
    """Goes back through ops, as `gradients` of `gradients.py`."""

    def __call__(
        self,
        seeds: Gradients,
        of: Iterable[SSAValue],
        ops: Sequence[Operation],
        writer: GradientWriter,
        /,
    ) -> dict[SSAValue, Tensor]: ...


def choice_gradients(
    op: IfOp,
    incoming: Gradients,
    active: Container[SSAValue],
    writer: GradientWriter,
    differentiate: Differentiate,
) -> Found:
    """Choose between both functions' gradients, which compute the functions again."""
    wanted = [n for n, value in enumerate(op.inputs) if value in active]
    given = [number for number, value in enumerate(op.outputs) if value in incoming]
    seeds = [incoming[op.outputs[number]] for number in given]
    names: list[str] = []
    for callee in op.callees:
        types = [value.type for value in op.inputs]
        block = Block(arg_types=[*types, *(seed.type for seed in seeds)])
        inner = writer.of_function(block)
        arguments, own = block.args[: len(types)], block.args[len(types) :]
        ops, results = inner.write_again(writer.functions[callee], arguments)
        pairs = [
            (results[number], inner.tensor(seed))
            for number, seed in zip(given, own, strict=True)
        ]
        of = [arguments[number] for number in wanted]
        found = differentiate(_added(pairs), of, ops, inner)
        made = [found[v] if v in found else inner.zeros(v) for v in of]
        names.append(_finished(f"{callee}_gradient", inner, made))
    values = [*op.inputs, *(seed.value for seed in seeds)]
    results = [op.inputs[number].type for number in wanted]
    then, otherwise = names
    new = writer.insert(IfOp(op.condition, then, otherwise, values, results))
    return [
        (op.inputs[number], writer.tensor(result))
        for number, result in zip(wanted, new, strict=True)
    ]


def loop_gradients(
    op: LoopOp,
    incoming: Gradients,
    active: Container[SSAValue],
    writer: GradientWriter,
    differentiate: Differentiate,
) -> Found | str:
    """
    Go through the iterations from the last one to the first, with the states of each.

    The loop itself stacks the states that its gradient reads: for each it carries one
    more tensor, with a row per iteration, and a count if a condition ends the loop.
    """
    most = None if op.limit is None else writer.constants.array_of(op.limit)
    if most is None:
        return (
            "the most iterations there may be are known only at run time, expected a "
            "limit that is constant, such as max_iterations"
        )
    iterations, body = max(int(most), 0), writer.functions[op.callees[0]]
    moving = _moving(op, body, active)
    wanted = [n for n, value in enumerate(op.inputs) if value in active]
    starts = [
        incoming[op.outputs[n]] if op.outputs[n] in incoming else writer.zeros(v)
        for n, v in enumerate(op.initial)
        if n in moving
    ]
    starts += [writer.zeros(op.inputs[number]) for number in wanted]
    iteration = _iteration_back(
        op, body, moving, wanted, iterations, writer, differentiate
    )
    kept = [n for n, stack in enumerate(iteration.stacks) if stack.uses]
    count, rows = _stacked(op, body, kept, iterations, writer)
    passed = {iteration.count: count}
    passed |= dict(zip((iteration.stacks[n] for n in kept), rows, strict=True))
    passed |= dict(zip(iteration.inputs, op.inputs, strict=True))
    carried = [each.value for each in starts]
    # A limit that is constant, so that this loop has a gradient as well.
    goes_on = None if op.condition is None else (writer.tensor(count) > 0).value
    limit = writer.tensor(np.int64(iterations)).value
    inputs = iteration.take(passed, writer)
    back = LoopOp(iteration.name, carried, inputs, limit=limit, condition=goes_on)
    places = [op.initial[n] for n in moving] + [op.inputs[n] for n in wanted]
    found = zip(places, map(writer.tensor, writer.insert(back)), strict=True)
    return [(place, part) for place, part in found if place in active]


@dataclass(frozen=True)
class _TurnBack:
    """The body of the loop of gradients, and its arguments behind those carried."""

    name: str
    count: BlockArgument
    """How many iterations there were."""
    stacks: Sequence[BlockArgument]
    """A row per iteration of each value that the loop carries."""
    inputs: Sequence[BlockArgument]

    def take(
        self, passed: Mapping[BlockArgument, SSAValue], writer: GradientWriter
    ) -> list[SSAValue]:
        """Leave out arguments that nothing reads; return values for the others."""
        for argument in (self.count, *self.stacks, *self.inputs):
            if not argument.uses:
                argument.block.erase_arg(argument)
        function = writer.functions[self.name]
        arguments = function.body.block.args
        types = [argument.type for argument in arguments]
        outputs = list(function.function_type.outputs)
        function.function_type = function.function_type.from_lists(types, outputs)
        return [passed[argument] for argument in arguments if argument in passed]


def _iteration_back(
    op: LoopOp,
    body: FuncOp,
    moving: Sequence[int],
    wanted: Sequence[int],
    iterations: int,
    writer: GradientWriter,
    differentiate: Differentiate,
) -> _TurnBack:
    """
    Write the body of the loop of gradients.

    It carries the gradients of the values that the loop carries, and the sums of those
    of inputs. If a condition ended the loop, the first result is whether iterations are
    left.
    """
    block = Block(arg_types=[COUNT])
    inner = writer.of_function(block)

    def take(type_: Attribute) -> BlockArgument:
        return block.insert_arg(type_, len(block.args))

    own = [take(op.initial[n].type) for n in moving]
    own += [take(op.inputs[n].type) for n in wanted]
    count = take(COUNT)
    stacks = [
        take(tensor(element_of(v), (iterations, *shape_of(v)))) for v in op.initial
    ]
    inputs = [take(value.type) for value in op.inputs]
    after = inner.tensor(block.args[0]) + 1
    number = inner.tensor(count) - after
    states = [xp.take(inner.tensor(stack), number, 0).value for stack in stacks]
    ops, returned = inner.write_again(body, [number.value, *states, *inputs])
    results = returned[len(returned) - len(states) :]
    targets = [results[n] for n in moving] + [inputs[n] for n in wanted]
    of = [states[n] for n in moving] + [inputs[n] for n in wanted]
    seeds = _added(zip(targets, map(inner.tensor, own), strict=True))
    found = differentiate(seeds, of, ops, inner)
    made = [found[v] if v in found else inner.zeros(v) for v in of]
    if op.condition is not None:
        made.insert(0, after < inner.tensor(count))
    name = _finished(f"{op.callees[0]}_gradient", inner, made)
    return _TurnBack(name, count, stacks, inputs)


def _added(pairs: Iterable[tuple[SSAValue, Tensor]]) -> dict[SSAValue, Tensor]:
    """Add up the gradients of each value, which may be there several times."""
    found: dict[SSAValue, Tensor] = {}
    for value, own in pairs:
        found[value] = found[value] + own if value in found else own
    return found


def _finished(name: str, inner: GradientWriter, results: Sequence[Tensor]) -> str:
    """Add what was written as a function; return its name."""
    block = inner.block
    function = inner.add_function(name, block, [each.value for each in results])
    erase_unused(block)
    return function.sym_name.data


def _moving(op: LoopOp, body: FuncOp, active: Container[SSAValue]) -> list[int]:
    """Return which carried values depend on something active, in some iteration."""
    block, end = body.body.block, body.body.block.last_op
    assert isinstance(end, ReturnOp)
    count = len(op.initial)
    carried, inputs = block.args[1 : 1 + count], block.args[1 + count :]
    returned = end.arguments[len(end.arguments) - count :]
    outside = zip((*carried, *inputs), (*op.initial, *op.inputs), strict=True)
    found: set[SSAValue] = {own for own, value in outside if value in active}
    size = -1
    while size < len(found):
        size = len(found)
        for each in block.ops:
            if not found.isdisjoint(each.operands):
                found.update(v for v in each.results if is_float(element_of(v)))
        pairs = zip(carried, returned, strict=True)
        found.update(own for own, value in pairs if value in found)
    return [n for n, own in enumerate(carried) if own in found]


def _stacked(
    op: LoopOp,
    body: FuncOp,
    kept: Sequence[int],
    iterations: int,
    writer: GradientWriter,
) -> tuple[SSAValue, list[SSAValue]]:
    """
    Let a loop also carry rows of `kept` values at the start of each iteration.

    Returns how many iterations there were, and the rows.
    """
    count = writer.tensor(np.int64(iterations)).value
    if not kept and op.condition is None:
        return count, []
    block = body.clone().body.detach_block(0)
    end = block.last_op
    assert isinstance(end, ReturnOp)
    inner = writer.of_function(block)
    inner.end = end
    iteration, place = inner.tensor(block.args[0]), 1 + len(op.initial)
    returned, initial = list(end.arguments), list[SSAValue]()

    def start(array: np.ndarray) -> None:
        made = writer.constants.make(array, None, op.location)
        Rewriter.insert_op(made, InsertPoint.before(op))
        initial.append(made.results[0])

    for number in kept:
        state = block.args[1 + number]
        shape = (iterations, *shape_of(state))
        start(np.broadcast_to(np.zeros((), dtype_of(element_of(state))), shape))
        rows = block.insert_arg(initial[-1].type, place + len(initial) - 1)
        slots = inner.tensor(rows), iteration.reshape(1), inner.tensor(state)
        returned.append(inner.emit(ScatterNdOp, *slots).value)
    if op.condition is not None:
        start(np.zeros((), np.int64))
        block.insert_arg(COUNT, place + len(initial) - 1)
        returned.append((iteration + 1).value)
    end.detach()
    end.erase()
    function = inner.add_function(op.callees[0], block, returned)
    writer.functions[function.sym_name.data] = function
    made = op.carry_also(initial, function.sym_name.data)
    if op.condition is not None:
        return made[-1], made[:-1]
    return count, made
