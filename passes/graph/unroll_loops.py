"""Unroll loops of few iterations, and take the branches that this decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from glow.analysis.calls import callees_first, calls_in, entries_of, names_called_in
from glow.analysis.directions import functions_of
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.control_flow import CallingOp, IfOp, LoopOp
from glow.dialects.graph.storage import LiteralOp
from glow.passes.constants import Constants
from glow.passes.graph.inline_functions import copied
from glow.support.arrays import Array
from glow.support.types import has_layout, shape_of, size_bytes

KNOWN_ELEMENTS = 1 << 12
"""The most elements of a value that is followed; larger ones decide no loop."""


LARGE = 1 << 16
"""The bytes of a result from which on several threads may be worth it."""


class _RunDecides(Exception):
    """The iterations of a loop, or the choice, are known only at run time."""


class _NoRoom(Exception):
    """A loop has more iterations or ops than may be written out."""


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """
    Write out each loop whose iterations are known, if they are few.

    It may have at most `iterations`, and `most` ops and iterations together, or
    `most_of_large` where an op has a large result. Longer ones take as long as a loop
    on one thread, and longer to compile: 256 iterations of a recurrent network 1 s, and
    0.03 s as a loop. Few iterations get better layouts, and large ones are work for
    several threads.

    Conditions, and limits of loops inside, are followed through the iterations; so is
    what a choice inside depends on, which becomes the ops of one of its functions.
    Loops stay if they are longer, if a condition known only at run time ends them, or
    if they must end by their condition. Functions that nothing calls any more are
    removed.

    Level: graph -> graph. Needs: nothing; `fold-constants` afterwards, and
    `fold-scatters`, which joins the rows that iterations write.
    """

    name = "unroll-loops"

    iterations: int = 64
    most: int = 1 << 8
    most_of_large: int = 1 << 12

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in functions_of(op)}
        waiting = [f for f in functions.values() if calls_in(f)]
        if not waiting:
            return
        reached = {f.sym_name.data for f in entries_of(op)}
        constants = Constants(op)
        for function in reversed(callees_first(functions.values())):
            name = function.sym_name.data
            if name not in reached:
                Rewriter.erase_op(function)
                continue
            if function in waiting:
                self._unroll(function, functions, constants)
            reached.update(names_called_in(function))

    def _unroll(
        self, function: FuncOp, functions: Mapping[str, FuncOp], constants: Constants
    ) -> None:
        """Write out the loops of one function."""
        known = dict[SSAValue, Array]()
        for op in list(function.body.block.ops):
            if isinstance(op, LoopOp):
                body = functions[op.callees[0]]
                is_large = _has_large_results(body, functions)
                most = self.most_of_large if is_large else self.most
                room = _Room(self.iterations, most)
                writer = _IterationWriter(functions, constants, known, room)
                try:
                    results = writer.iterations(op)
                except (_NoRoom, _RunDecides):
                    writer.discard()
                    continue
                Rewriter.replace_op(op, writer.ops, results)
            else:
                _evaluate(op, known, constants)


def _has_large_results(function: FuncOp, functions: Mapping[str, FuncOp]) -> bool:
    """Return whether an op of a function, or of its callees, has a large result."""
    return any(
        any(size_bytes(result) >= LARGE for result in op.results)
        or (
            isinstance(op, CallingOp)
            and any(_has_large_results(functions[n], functions) for n in op.callees)
        )
        for op in function.body.block.ops
    )


@dataclass
class _Room:
    """What may still be written."""

    iterations: int
    """The most iterations of each loop."""
    ops: int
    """Ops and iterations together."""

    def spend(self) -> None:
        self.ops -= 1
        if self.ops < 0:
            raise _NoRoom


class _IterationWriter:
    """Writes iterations of loops, and follows what is known of their values."""

    def __init__(
        self,
        functions: Mapping[str, FuncOp],
        constants: Constants,
        known: dict[SSAValue, Array],
        room: _Room,
    ):
        self.ops = list[Operation]()
        self._functions, self._constants = functions, constants
        self._known, self._room = known, room

    def discard(self) -> None:
        self._go_back(0)

    def iterations(self, op: LoopOp) -> Sequence[SSAValue]:
        """Write the iterations of a loop; return its results."""
        if op.must_end is not None:
            raise _RunDecides
        limit = None if op.limit is None else int(self._array_of(op.limit))
        goes_on = op.condition is None or bool(self._array_of(op.condition))
        block = self._functions[op.callees[0]].body.block
        carried, iteration = list(op.initial), 0
        while goes_on and (limit is None or iteration < limit):
            if iteration == self._room.iterations:
                raise _NoRoom
            self._room.spend()
            number = LiteralOp(np.array(iteration))
            number.location = op.location
            self.ops.append(number)
            self._known[number.result] = number.array
            given = [number.result, *carried, *op.inputs]
            carried = self._copy(block, given, op)
            if op.condition is not None:
                goes_on = bool(self._array_of(carried.pop(0)))
            iteration += 1
        return carried

    def _array_of(self, value: SSAValue) -> Array:
        """Return what a condition or a limit is known to be."""
        array = self._known.get(value)
        if array is None:
            array = self._constants.array_of(value)
        if array is None:
            raise _RunDecides
        return array

    def _copy(
        self,
        block: Block,
        arguments: Iterable[SSAValue],
        place: Operation,
    ) -> list[SSAValue]:
        """Write what a function does with its arguments; return its results."""
        *body, end = block.ops
        inside: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
        for op in body:
            self._room.spend()
            copy = copied(op, place, inside)
            if isinstance(copy, IfOp | LoopOp):
                results = self._decided(copy)
                inside |= zip(op.results, results, strict=True)
            else:
                self.ops.append(copy)
                _evaluate(copy, self._known, self._constants)
        return [inside.get(value, value) for value in end.operands]

    def _decided(self, op: IfOp | LoopOp) -> Sequence[SSAValue]:
        """Write what a choice or a loop does; the op itself where data decide."""
        mark = len(self.ops)
        try:
            if isinstance(op, LoopOp):
                results = self.iterations(op)
            else:
                name = op.callees[0 if self._array_of(op.condition) else 1]
                block = self._functions[name].body.block
                results = self._copy(block, op.inputs, op)
        except _RunDecides:
            self._go_back(mark)
            self.ops.append(op)
            return op.results
        except _NoRoom:
            op.drop_all_references()
            raise
        op.drop_all_references()
        return results

    def _go_back(self, mark: int) -> None:
        for op in reversed(self.ops[mark:]):
            for result in op.results:
                self._known.pop(result, None)
            op.erase()
        del self.ops[mark:]


def _evaluate(
    op: Operation, known: dict[SSAValue, Array], constants: Constants
) -> None:
    """Note what `op` gives, if it and what it reads are known and small."""
    if not isinstance(op, GraphOp) or not is_side_effect_free(op):
        return
    arrays: list[Array] = []
    for value in (*op.operands, *op.results):
        if has_layout(value) or np.prod(shape_of(value), dtype=object) > KNOWN_ELEMENTS:
            return
    for value in op.operands:
        array = known.get(value)
        if array is None:
            array = constants.array_of(value)
        if array is None:
            return
        arrays.append(array)
    try:
        known |= zip(op.results, op.evaluate(arrays), strict=True)
    except (ArithmeticError, LookupError, ValueError):
        return  # a fault of the run, if it comes to that
