"""Evaluate at compile time what depends on constants alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, NameLoc
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from glow.analysis.directions import functions_of
from glow.dialects.graph.base import GraphOp
from glow.passes.constants import Constants
from glow.support.arrays import Array
from glow.support.types import has_layout, size_bytes
from glow.support.walking import block_ops

# A result may be this many times as large as its operands, whatever the limit.
GROWTH = 4


@dataclass
class _Folder:
    """The values known so far, and the folded ops, which nothing needs in the end."""

    constants: Constants
    limit_bytes: int
    room: int
    """How many more bytes results may take while they are needed."""
    readers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """How many ops are still to read each known value."""
    known: dict[SSAValue, Array] = field(default_factory=dict[SSAValue, Array])
    made: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    folded: list[GraphOp] = field(default_factory=list[GraphOp])

    def visit(self, op: Operation) -> None:
        """Fold `op`, or else materialize the folded values that it reads."""
        operands = [value for value in op.operands if value in self.known]
        if not (isinstance(op, GraphOp) and self.fold(op)):
            for index, operand in enumerate(op.operands):
                if operand in self.known:
                    op.operands[index] = self.value_of(operand)
        for operand in set(operands):
            self.readers[operand] -= 1
            if not self.readers[operand]:
                self.forget(operand)

    def forget(self, value: SSAValue) -> None:
        """Forget the array of `value`; its room is free unless a constant has it."""
        array = self.known.pop(value)
        if value not in self.made:
            self.room += array.nbytes

    def fold(self, op: GraphOp) -> bool:
        """Evaluate `op` if that is possible and its results are not too large."""
        if not is_side_effect_free(op) or any(map(has_layout, op.results)):
            return False
        arrays = self.arrays_of(op.operands)
        if arrays is None or self.is_too_large(op, arrays):
            return False
        try:
            results = op.evaluate(arrays)
        except (ArithmeticError, LookupError, ValueError):
            return False  # a fault of the run, if it comes to that
        self.folded.append(op)
        for value, array in zip(op.results, results, strict=True):
            self.room -= array.nbytes
            self.known[value] = array
            self.readers[value] = len({use.operation for use in value.uses})
            if not self.readers[value]:
                self.forget(value)
        return True

    def arrays_of(self, values: Sequence[SSAValue]) -> list[Array] | None:
        """Return what `values` are, or None unless all are known."""
        arrays: list[Array] = []
        for value in values:
            array = self.known.get(value)
            if array is None:
                array = self.constants.array_of(value)
            if array is None:
                return None
            arrays.append(array)
        return arrays

    def is_too_large(self, op: GraphOp, arrays: Sequence[Array]) -> bool:
        size = sum(map(size_bytes, op.results))
        given = sum(array.nbytes for array in arrays)
        return size > min(max(self.limit_bytes, GROWTH * given), self.room)

    def value_of(self, folded: SSAValue) -> SSAValue:
        """Return the literal or constant that stands for value `folded`."""
        if folded not in self.made:
            op = folded.owner
            assert isinstance(op, GraphOp)
            array, name = self.known[folded], self.name_of(op)
            source = self.constants.make(array, name, op.location)
            source.result.name_hint = folded.name_hint
            assert op.parent is not None
            op.parent.insert_op_before(source, op)
            self.made[folded] = source.result
        return self.made[folded]

    def name_of(self, op: GraphOp) -> str | None:
        """Return the name of `op` in the model, or one by a constant it came from."""
        if isinstance(op.location, NameLoc):
            return op.location.desc.data
        for operand in op.operands:
            source = self.constants.symbol_of(operand)
            if source is None and isinstance(operand.owner, GraphOp):
                source = self.name_of(operand.owner)
            if source is not None:
                return f"{source}_{op.name.partition('.')[2]}"
        return None


@dataclass(frozen=True)
class FoldConstantsPass(ModulePass):
    """
    Evaluate ops whose operands are literals or constants with known bytes.

    A small result becomes a literal, a larger one a constant named after its node.
    An op whose result exceeds `limit_bytes` and four times the size of its operands is
    not folded, nor is an op that faults, nor one whose results, with others that are
    still needed, would exceed `memory_bytes` and four times the constants of the
    module.

    Level: graph -> graph. Needs: nothing; `remove-dead-constants` afterwards.
    """

    name = "fold-constants"

    limit_bytes: int = 1 << 20
    memory_bytes: int = 1 << 28

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = Constants(op)
        room = max(self.memory_bytes, GROWTH * constants.nbytes)
        folder = _Folder(constants, self.limit_bytes, room)
        for function in functions_of(op):
            for block in function.body.blocks:
                for inner in block_ops(block):
                    folder.visit(inner)
        for folded in reversed(folder.folded):
            Rewriter.erase_op(folded)
