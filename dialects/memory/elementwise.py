"""Elementwise work on buffers: scalar regions, copies and fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.memory.address import same_place
from glow.dialects.memory.base import (
    BUFFER,
    MemoryOp,
    broadcasts_to,
    buffer_type,
    count_of,
    extents_of,
)
from glow.support.op_construction import initialize
from glow.support.op_definition import define_op, local
from glow.support.types import signless


@define_op
class YieldOp(IRDLOperation):
    """
    End a region of scalar ops with the values to store.

    ```mlir
    memory.yield %0 : f32
    ```
    """

    name = "memory.yield"

    values = var_operand_def(AnyAttr())

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, values: Sequence[SSAValue]):
        initialize(self, [list(values)], (), {})


@define_op
class ElementwiseOp(MemoryOp):
    """
    Run the region once per element of the results.

    Shapes: inputs broadcast to the results' common shape by NumPy's rule. The region
    takes one element per input and yields one per result; bool elements are i1, and
    unsigned ones signless, since there ops such as `arith.divui` say what they mean.
    Errors: inputs that do not broadcast, no result, a region of another arity or of
    other types.

    ```mlir
    memory.elementwise ins(%a, %b : memref<2x3xf32>, memref<3xf32>)
        outs(%y : memref<2x3xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      memory.yield %2 : f32
    }
    ```
    """

    name = "memory.elementwise"

    inputs = var_operand_def(BUFFER)
    results_ = var_operand_def(BUFFER)
    body = region_def("single_block")

    WRITES: ClassVar = ("results_",)
    TAIL: ClassVar = "$body attr-dict"

    def __init__(
        self, inputs: Sequence[SSAValue], results: Sequence[SSAValue], body: Region
    ):
        super().__init__(inputs, results, regions=[body])

    def flops(self) -> int:
        """Return one for each op of the region and element."""
        return count_of(self.results_[0]) * flops_of(self.body)

    def verify_(self) -> None:
        block = self.body.block
        if len(block.args) != len(self.inputs):
            raise VerifyException(
                f"expected {len(self.inputs)} region arguments, got {len(block.args)}"
            )
        last = block.last_op
        if not isinstance(last, YieldOp) or len(last.values) != len(self.results_):
            raise VerifyException(
                f"expected the region to yield {len(self.results_)} values"
            )
        if not self.results_:
            raise VerifyException("expected at least one result, got none")
        check_elements("argument", self.inputs, block.args)
        check_elements("yielded value", self.results_, last.values)
        shape = extents_of(self.results_[0])
        for value in (*self.inputs, *self.results_):
            if not broadcasts_to(value, shape):
                raise VerifyException(
                    f"expected an operand that broadcasts to {list(shape)}, "
                    f"got {buffer_type(value)}"
                )

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        return [
            (source, result)
            for source in self.inputs
            for result in self.results_
            if same_place(source, result)
        ]


def check_epilogue(
    epilogue: Region, extras: Sequence[SSAValue], result: SSAValue
) -> None:
    """Raise unless `epilogue` is empty or reads `extras` and yields for `result`."""
    if not epilogue.blocks:
        return
    if len(epilogue.blocks) > 1:
        raise VerifyException("expected an epilogue of one block")
    block, last = epilogue.block, epilogue.block.last_op
    got, wanted = len(block.args), len(extras) + 1
    if got != wanted:
        raise VerifyException(f"expected {wanted} epilogue arguments, got {got}")
    if not isinstance(last, YieldOp) or len(last.values) != 1:
        raise VerifyException("expected the epilogue to yield one value")
    check_elements("extra", extras, block.args[1:])
    check_elements("yielded value", [result], last.values)


def flops_of(region: Region) -> int:
    """Return one for each op of a region of scalar ops; an empty one has none."""
    return len(region.block.ops) - 1 if region.blocks else 0


def check_elements(
    what: str, buffers: Sequence[SSAValue], scalars: Sequence[SSAValue]
) -> None:
    """Raise unless the region has one element of each of `buffers`."""
    for index, (buffer, scalar) in enumerate(zip(buffers, scalars, strict=True)):
        expected = signless(buffer_type(buffer).element_type)
        if scalar.type != expected:
            raise VerifyException(
                f"expected {what} {index} of type {expected}, got {scalar.type}"
            )


@define_op
class CopyOp(MemoryOp):
    """
    Copy `source` into `result`, from one layout to another; shapes are equal.

    A blocked result is packed: what lies in its padding becomes zero.
    Errors: shapes or element types that differ.

    ```mlir
    memory.copy ins(%x : memref<1x3x8x8xf32>)
        outs(%y : memref<1x3x8x8xf32, #layout.physical<NHWC>>)
    ```
    """

    name = "memory.copy"

    source = operand_def(BUFFER)
    result = operand_def(BUFFER)

    @local
    def verify_(self) -> None:
        a, b = buffer_type(self.source), buffer_type(self.result)
        if a.get_shape() != b.get_shape() or a.element_type != b.element_type:
            raise VerifyException(f"expected equal shapes and elements, got {a}, {b}")


@define_op
class FillOp(MemoryOp):
    """
    Write `value` to every element of `result`.

    ```mlir
    memory.fill outs(%y : memref<2x3xf32>) {value = 0.0 : f32}
    ```
    """

    name = "memory.fill"

    value = prop_def(AnyAttr())
    result = operand_def(BUFFER)

    def __init__(self, value: Attribute, result: SSAValue):
        super().__init__(result, value=value)


@define_op
class ZeroHaloOp(MemoryOp):
    """
    Write zero to every byte of the allocation `result` around its logical elements.

    The arena gives bytes to several buffers in turn, so a halo is zeroed in each run.

    ```mlir
    memory.zero_halo outs(
        %y : memref<1x8x6x6xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
    ```
    """

    name = "memory.zero_halo"

    result = operand_def(BUFFER)
