"""The writer of the ops of gradients, in passes and in traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from xdsl.dialects.builtin import LocationAttr, ModuleOp, StringAttr, UnknownLoc
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from glow.analysis.symbols import named_in
from glow.dialects.graph import array_api as xp
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp, PlaceholderOp
from glow.dialects.graph.tensors import GraphWriter, Tensor
from glow.passes.constants import Constants
from glow.support.arrays import Array
from glow.support.names import Names
from glow.support.types import shape_of

AddFunction = Callable[[FuncOp], FuncOp]
"""Adds a private function to a module, and returns it with a name that is free."""


class ConstantTable(Protocol):
    """A source of constants, known and new: `Constants`, or that of a trace."""

    def array_of(self, value: SSAValue) -> Array | None: ...

    def make(
        self, array: Array, name: str | None, location: LocationAttr
    ) -> LiteralOp | LoadOp: ...


class GradientWriter(GraphWriter):
    """
    Inserts ops before `end`, or at the end of a block, at the location of other ops.

    `functions` are those that ops may call, by name.
    """

    def __init__(
        self,
        block: Block,
        end: Operation | None,
        constants: ConstantTable,
        functions: dict[str, FuncOp],
        add_function: AddFunction,
    ):
        self.block, self.end = block, end
        self.constants, self.functions = constants, functions
        self._add_function = add_function
        self.location: LocationAttr = UnknownLoc()
        self.written: list[Operation] = []

    @staticmethod
    def before(end: Operation, module: ModuleOp) -> GradientWriter:
        """Return a writer that inserts ops before `end`, the last op of a function."""
        block = end.parent_block()
        assert block is not None
        functions = named_in(module, FuncOp)
        names = Names(named_in(module, FuncOp, PlaceholderOp, ConstantOp), "_")

        def add(function: FuncOp) -> FuncOp:
            function.sym_name = StringAttr(names.fresh(function.sym_name.data))
            function.sym_visibility = StringAttr("private")
            module.body.block.add_op(function)
            return function

        return GradientWriter(block, end, Constants(module), functions, add)

    def of_function(self, block: Block) -> GradientWriter:
        """Return a writer for the block of another function of the module."""
        return GradientWriter(
            block, None, self.constants, self.functions, self._add_function
        )

    def add_function(
        self, name: str, block: Block, results: Sequence[SSAValue]
    ) -> FuncOp:
        """Add a block to the module as a function that returns `results`."""
        end = ReturnOp(*results)
        end.location = self.location
        block.add_op(end)
        types = [arg.type for arg in block.args], [value.type for value in results]
        function = FuncOp(name, types, Region(block))
        function.location = self.location
        added = self._add_function(function)
        self.functions[added.sym_name.data] = added
        return added

    def write_again(
        self, function: FuncOp, arguments: Sequence[SSAValue]
    ) -> tuple[list[Operation], list[SSAValue]]:
        """Insert the ops of a function; return them, and the values of its results."""
        block, end = function.body.block, function.body.block.last_op
        assert isinstance(end, ReturnOp)
        values: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
        made: list[Operation] = []
        for each in list(block.ops)[:-1]:
            made.append(each.clone(values))
            made[-1].location = each.location
            self.insert(made[-1])
        return made, [values.get(value, value) for value in end.arguments]

    def insert(self, op: Operation) -> Sequence[SSAValue]:
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        self.written.append(op)
        if self.end is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, self.end)
        return op.results

    def constant(self, array: Array) -> SSAValue:
        return self.insert(self.constants.make(array, None, self.location))[0]

    def erase_unused(self, kept: Iterable[SSAValue]) -> None:
        """Erase the written ops that nothing uses, except those of `kept` values."""
        owners = {value.owner for value in kept}
        for op in reversed(self.written):
            if op not in owners and is_trivially_dead(op):
                op.detach()
                op.erase()
        self.written.clear()

    def zeros(self, like: SSAValue) -> Tensor:
        zero = self.like(0, self.tensor(like))
        return xp.broadcast_to(zero, shape_of(like))


def erase_unused(block: Block) -> None:
    """Erase the pure ops of `block` whose results are unused."""
    for op in reversed(list(block.ops)):
        if is_trivially_dead(op):
            op.detach()
            op.erase()
