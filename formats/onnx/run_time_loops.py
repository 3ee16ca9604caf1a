"""Data-dependent choices and loops: ops whose bodies are functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Block

from glow.dialects.graph.control_flow import COUNT, IfOp, LoopOp
from glow.dialects.graph.outlining import OutlinedFunction, take_alike
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.problems import Unsupported

Values = list[Tensor | None]  # None: unsupported, which has been noted


class EndlessLoop(Unsupported):
    """A loop has no end."""


MOST_ROWS = 1 << 24
"""A limit above this is not a bound: it means as many iterations as there are."""

_ENDLESS = "Loop with no limit and a condition that is always true"


@dataclass(frozen=True)
class Iteration:
    """The results of an iteration of a loop."""

    condition: Tensor | None
    """Whether there is another iteration; None: there is."""
    carried: Values
    rows: Values
    """The rows of this iteration, for outputs with one per iteration."""


RunIteration = Callable[[Tensor, Tensor, Values], Iteration]
"""Writes an iteration from its number, a condition that is true, and the state."""


def emit_choice(
    node: Node, condition: Tensor, bodies: Sequence[Callable[[Values], Values]]
) -> Values:
    """Insert a choice between two bodies, and return what it gives."""
    written: list[tuple[OutlinedFunction, list[Tensor]]] = []
    for body, name in zip(bodies, ("then", "else"), strict=True):
        block = Block()
        with node.emitter.inside(block):
            made = body([])
        if len(made) != node.output_count:
            node.invalid(
                f"{name}_branch has {len(made)} outputs, expected {node.output_count}"
            )
        if (results := _present(made)) is None:
            node.note_unknown(condition)
            return [None] * node.output_count
        written.append((node.outline(name, block, results), results))
    (then, made), (otherwise, others) = written
    for one, other in zip(made, others, strict=True):
        if one.type != other.type:
            node.note_unknown(condition)
            node.refuse(
                f"branches that make {one.type} and {other.type}, and a condition "
                "known only at run time"
            )
    inputs = take_alike((then, otherwise))
    types = [each.type for each in made]
    return node.insert(
        IfOp(condition.value, then.symbol, otherwise.symbol, inputs, types)
    )


def emit_loop(
    node: Node,
    state: Values,
    run: RunIteration,
    *,
    limit: Tensor | None = None,
    condition: Tensor | None = None,
    iterations: int | None = None,
    backward: Sequence[int] = (),
    must_end: bool = False,
) -> Values:
    """
    Insert a loop; return what it leaves of `state`, then the rows of its outputs.

    `iterations` is a known limit; `backward` outputs begin with the last row.
    With `must_end`, a run fails if the limit ends the loop and not the condition.
    """
    initial = _present(state)
    if initial is None:
        return [None] * node.output_count
    block = Block(arg_types=[COUNT, *(value.type for value in initial)])
    with node.emitter.inside(block):
        number, *carried = map(node.tensor_of, block.args)
        iteration = run(number, node.literal(True), list(carried))
        after, rows = _present(iteration.carried), _present(iteration.rows)
        if after is None or rows is None:
            node.note_unknown(limit, condition)
            return [None] * node.output_count
        if not _has_types_of(node, initial, after):
            node.note_unknown(limit, condition)
            node.refuse(
                f"a body that makes {_types(after)} of {_types(initial)}, in "
                "iterations that are counted at run time or too many to write out"
            )
        goes_on, condition = _conditions(node, iteration.condition, condition, limit)
        if rows and (iterations is None or iterations > MOST_ROWS):
            node.note_unknown(limit, condition)
            node.refuse(
                "outputs that have a row for each iteration, expected a limit of "
                f"iterations that is a constant of at most {MOST_ROWS:,}"
            )
        _carry_rows(node, block, rows, iterations or 0, backward, (initial, after))
        is_counted = bool(rows) and condition is not None
        if is_counted:
            initial.append(node.literal(0, np.dtype(np.int64)))
            block.insert_arg(COUNT, len(block.args))
            after.append(number + 1)
    first = [] if goes_on is None else [goes_on]
    body = node.outline("body", block, [*first, *after])
    made = node.insert(
        LoopOp(
            body.symbol,
            [each.value for each in initial],
            body.captured,
            limit=None if limit is None else limit.value,
            condition=None if condition is None else condition.value,
            must_end=must_end and None not in (limit, condition),
        )
    )
    return _with_counted_rows(node, made, len(state)) if is_counted else made


def _conditions(
    node: Node, after: Tensor | None, before: Tensor | None, limit: Tensor | None
) -> tuple[Tensor | None, Tensor | None]:
    """Return the conditions to go on after an iteration and to begin; None: always."""
    goes_on = _found(node, after)
    if goes_on is None and (before := _found(node, before)) is None:
        if limit is None:
            raise EndlessLoop(_ENDLESS)
    elif goes_on is None:
        goes_on = node.literal(True)
    elif before is None:
        before = node.literal(True)
    return goes_on, before


def _with_counted_rows(node: Node, made: Values, first: int) -> Values:
    """Return results without the last, which counts rows of those from `first` on."""
    *results, count = made
    assert count is not None
    for value in _present(results[first:]) or ():
        node.emitter.rows.note(value, 0, count)
    return results


def _carry_rows(
    node: Node,
    block: Block,
    rows: Sequence[Tensor],
    iterations: int,
    backward: Sequence[int],
    carried: tuple[list[Tensor], list[Tensor]],
) -> None:
    """Let a body carry the stack of each of `rows`, of which it writes one row."""
    initial, after = carried
    number = node.tensor_of(block.args[0])
    for index, row in enumerate(rows):
        whole = np.broadcast_to(np.zeros((), row.dtype), (iterations, *row.shape))
        initial.append(node.literal(whole))
        place = iterations - 1 - number if backward and backward[index] else number
        after.append(_written(node, block, initial[-1], place, row))


def _written(
    node: Node, block: Block, rows: Tensor, place: Tensor, row: Tensor
) -> Tensor:
    """Let a body take `rows`; return them with one of them written."""
    taken = block.insert_arg(rows.value.type, len(block.args))
    return node.emit(ScatterNdOp, node.tensor_of(taken), place.reshape(1), row)


def _present(values: Values) -> list[Tensor] | None:
    """Return `values` unless one is missing."""
    present = [value for value in values if value is not None]
    return present if len(present) == len(values) else None


def _found(node: Node, condition: Tensor | None) -> Tensor | None:
    """Return a condition as a scalar, None if it is always true."""
    if condition is None:
        return None
    known = node.emitter.array_of(condition.value)
    return None if known is not None and known.all() else condition.reshape()


def _has_types_of(
    node: Node, before: Sequence[Tensor], after: Sequence[Tensor]
) -> bool:
    """Return whether an iteration leaves values of the shapes that it was given."""
    for old, new in zip(before, after, strict=True):
        if old.element != new.element:
            node.invalid(f"the body makes {new.type} of {old.type}")
    return [value.shape for value in before] == [value.shape for value in after]


def _types(values: Sequence[Tensor]) -> str:
    return ", ".join(str(value.type) for value in values)
