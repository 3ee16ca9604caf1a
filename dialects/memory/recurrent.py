"""Recurrent cells that walk along a sequence, one direction each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, MemRefType, UnitAttr, f64, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    var_region_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.dialects.memory.base import BUFFER, MemoryOp, buffer_type, extents_of
from glow.support.op_definition import define_op


class RecurrentOp(MemoryOp):
    """
    A cell that starts from a state and goes on from the rows of each step.

    Units come in blocks of p, so that a vector never ends before its block: `rows` are
    what the gates take of the input, [T, B, U, G, p], `recurrence` [U, H, G, p] has the
    weights of the state, which are multiplied gate after gate if those of a block lie
    so, and `h` [2, B, U, p] is room for the states of two steps. What blocks hold
    beyond H units has no meaning. `activations` are scalar regions; their arguments are
    cut to [-clip, clip] where a subclass says so.
    """

    GATES: ClassVar[int]
    FUNCTIONS: ClassVar[int]
    WRITES: ClassVar = ("y", "y_h", "y_c")
    SCRATCH: ClassVar = ("h", "c", "reset", "update")
    TAIL: ClassVar = "attr-dict `activations` $activations"

    rows = operand_def(BUFFER)
    recurrence = operand_def(BUFFER)
    sequence_lens = opt_operand_def(MemRefType.constr(i32))
    initial_h = opt_operand_def(BUFFER)
    y = opt_operand_def(BUFFER)
    y_h = opt_operand_def(BUFFER)
    h = operand_def(BUFFER)

    activations = var_region_def("single_block")

    clip = opt_prop_def(FloatAttr.constr(f64))
    reverse = opt_prop_def(UnitAttr)

    def present(self) -> dict[str, SSAValue]:
        """Return the present operands but rows and recurrence, by name."""
        names = {name for name, _ in self.get_irdl_definition().operands}
        values = {n: getattr(self, n) for n in sorted(names - {"rows", "recurrence"})}
        return {name: value for name, value in values.items() if value is not None}

    def flops(self) -> int:
        """Return the products of the state and four ops for each gate and step."""
        steps, batch, blocks, gates, p = extents_of(self.rows)
        depth = extents_of(self.recurrence)[1]
        return steps * batch * blocks * gates * p * (2 * depth + 4)

    def verify_(self) -> None:
        if len(self.activations) != self.FUNCTIONS:
            raise VerifyException(
                f"expected {self.FUNCTIONS} activations, got {len(self.activations)}"
            )
        for region in self.activations:
            count = len(region.block.args)
            if count != 1:
                raise VerifyException(
                    f"expected activations of one argument, got {count}"
                )
        rows = extents_of(self.rows)
        if len(rows) != 5 or rows[3] != self.GATES:
            raise VerifyException(
                f"expected rows of shape [T, B, U, {self.GATES}, p], "
                f"got {buffer_type(self.rows)}"
            )
        for name, shape in self._shapes(rows).items():
            value = getattr(self, name)
            if value is None:
                continue
            actual = extents_of(value)
            if len(actual) != len(shape) or any(
                want not in (None, have)
                for want, have in zip(shape, actual, strict=True)
            ):
                text = ", ".join("H" if n is None else str(n) for n in shape)
                raise VerifyException(
                    f"expected {name} of shape [{text}], got {buffer_type(value)}"
                )

    def _shapes(self, rows: Sequence[int]) -> dict[str, tuple[int | None, ...]]:
        """Return the shapes of all other operands; None is H, the number of units."""
        steps, batch, blocks, gates, p = rows
        return {
            "recurrence": (blocks, None, gates, p),
            "sequence_lens": (batch,),
            "initial_h": (batch, None),
            "y": (steps, batch, None),
            "y_h": (batch, None),
            "h": (2, batch, blocks, p),
        }


@define_op
class LstmOp(RecurrentOp):
    """
    Long short-term memory with the gates input, output, forget and the new cell.

    Shapes: as every recurrent op of this level, with initial_c and y_c [B, H],
    peepholes [3, U, p], and `c` [B, U, p], room for the cell.
    Errors: operands of other shapes, other than 3 activations of one argument.

    ```mlir
    memory.lstm ins(%x : memref<5x2x1x4x8xf32>, %r : memref<1x8x4x8xf32>)
        outs(y %y : memref<5x2x8xf32>)
        scratch(%h : memref<2x2x1x8xf32>, %c : memref<2x1x8xf32>) activations {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    } {
    ^bb1(%1: f32):
      memory.yield %1 : f32
    } {
    ^bb2(%2: f32):
      memory.yield %2 : f32
    }
    ```
    """

    name = "memory.lstm"

    GATES: ClassVar = 4
    FUNCTIONS: ClassVar = 3

    initial_c = opt_operand_def(BUFFER)
    peepholes = opt_operand_def(BUFFER)
    y_c = opt_operand_def(BUFFER)
    c = operand_def(BUFFER)

    input_forget = opt_prop_def(UnitAttr)

    def _shapes(self, rows: Sequence[int]) -> dict[str, tuple[int | None, ...]]:
        _, batch, blocks, _, p = rows
        return super()._shapes(rows) | {
            "initial_c": (batch, None),
            "peepholes": (3, blocks, p),
            "y_c": (batch, None),
            "c": (batch, blocks, p),
        }


@define_op
class GruOp(RecurrentOp):
    """
    Gated recurrent unit with the gates update, reset and the new state.

    Without `renewal` the product of the state with the weights of the new state is
    reset, after `bias` [U, p] is added if present. Else the state is reset before the
    product with `renewal` [U, H, 1, p], `recurrence` has only the two gates, and
    `reset` and `update` [B, U, p] are room for the gates.

    Shapes: as every recurrent op of this level.
    Errors: operands of other shapes, other than 2 activations of one argument, a bias
    together with renewal, room for gates without it.

    ```mlir
    memory.gru ins(%x : memref<5x2x1x3x8xf32>, %r : memref<1x8x3x8xf32>)
        outs(y_h %y : memref<2x8xf32>) scratch(%h : memref<2x2x1x8xf32>) activations {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    } {
    ^bb1(%1: f32):
      memory.yield %1 : f32
    }
    ```
    """

    name = "memory.gru"

    GATES: ClassVar = 3
    FUNCTIONS: ClassVar = 2

    renewal = opt_operand_def(BUFFER)
    bias = opt_operand_def(BUFFER)
    reset = opt_operand_def(BUFFER)
    update = opt_operand_def(BUFFER)

    def verify_(self) -> None:
        super().verify_()
        has_room = [self.reset is not None, self.update is not None]
        if has_room != [self.renewal is not None] * 2:
            raise VerifyException(
                "expected reset and update with renewal, and none without it"
            )
        if self.bias is not None and self.renewal is not None:
            raise VerifyException("expected a bias or renewal, got both")

    def _shapes(self, rows: Sequence[int]) -> dict[str, tuple[int | None, ...]]:
        _, batch, blocks, gates, p = rows
        return super()._shapes(rows) | {
            "recurrence": (blocks, None, gates - (self.renewal is not None), p),
            "renewal": (blocks, None, 1, p),
            "bias": (blocks, p),
            "reset": (batch, blocks, p),
            "update": (batch, blocks, p),
        }


@define_op
class RnnOp(RecurrentOp):
    """
    A recurrent network without gates.

    Shapes: as every recurrent op of this level.
    Errors: operands of other shapes, other than one activation of one argument.

    ```mlir
    memory.rnn ins(%x : memref<5x2x1x1x8xf32>, %r : memref<1x8x1x8xf32>)
        outs(y %y : memref<5x2x8xf32>) scratch(%h : memref<2x2x1x8xf32>) activations {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    ```
    """

    name = "memory.rnn"

    GATES: ClassVar = 1
    FUNCTIONS: ClassVar = 1
