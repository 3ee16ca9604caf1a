"""Products: convolution and matrix product, with what follows them as a region."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import isqrt, prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.parameters import check_word
from glow.dialects.graph.window import Window
from glow.dialects.memory.address import same_place
from glow.dialects.memory.base import (
    BUFFER,
    MemoryOp,
    buffer_type,
    count_of,
    extents_of,
)
from glow.dialects.memory.elementwise import check_epilogue, flops_of
from glow.support.attributes import numbers_of
from glow.support.op_construction import Slot
from glow.support.op_definition import define_op, local

ALGORITHMS = ("direct", "pairs", "depthwise", "winograd", "generic")


class EpilogueOp(MemoryOp):
    """
    A product whose result passes through a region of scalar ops before it is stored.

    The region's arguments are one element of the product (bias included) and the
    elements of `extras` at the same place, broadcast; it yields what is stored.
    """

    TAIL: ClassVar = "$epilogue attr-dict"

    bias = opt_operand_def(BUFFER)
    extras = var_operand_def(BUFFER)
    scratch = opt_operand_def(BUFFER)
    result = operand_def(BUFFER)
    epilogue = region_def()

    def __init__(self, *slots: Slot, epilogue: Region | None = None, **others: Any):
        """Build the op; without an epilogue, what is computed is what is stored."""
        super().__init__(*slots, regions=[epilogue or Region()], **others)

    @property
    @abstractmethod
    def depth(self) -> int:
        """How many products an element of the result is the sum of."""

    def flops(self) -> int:
        """Return two for each product, and one for each op of the epilogue."""
        after = flops_of(self.epilogue) + (self.bias is not None)
        return count_of(self.result) * (2 * self.depth + after)

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        """Return the result with each extra, read before it, that is not a factor."""
        factors = self.operands[:2]
        return [
            (extra, self.result)
            for extra in self.extras
            if same_place(extra, self.result) and extra not in factors
        ]

    @local
    def verify_(self) -> None:
        check_epilogue(self.epilogue, self.extras, self.result)


@define_op
class ConvOp(EpilogueOp):
    """
    Convolution of a buffer over 1 to 3 spatial axes, then the epilogue.

    Shapes: input [N, C, spatial...], filter as `algorithm` wants it (packed panels of
    output channels; [O, I/group, spatial...] with plain strides for `generic`), bias
    [O], extras broadcast to the result, result [N, O, spatial...].
    `algorithm`: direct (implicit GEMM over packed panels), pairs (the same of pairs of
    channels, which are neighbors in input and filter), depthwise, winograd
    (F(4x4, 3x3) or F(2x2, 3x3); filter is its transform, of 36 or 16 matrices), or
    generic (any strides, any type).
    `scratch`: room for Winograd's transforms; else as for `memory.matmul`.
    `halo`: the input's allocation has zeros around it, at least as wide as `pads`.
    Errors: an unknown algorithm, a result of another rank than the input, an epilogue
    with the wrong number of arguments.

    ```mlir
    memory.conv ins(%x : memref<1x3x8x8xf32>, %w : memref<4x3x3x3xf32>
        bias %b : memref<4xf32>) outs(%y : memref<1x4x6x6xf32>) {
    ^bb0(%0: f32):
      %1 = math.absf %0 : f32
      memory.yield %1 : f32
    } {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>,
       pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
       group = 1 : i64, algorithm = "generic"}
    ```
    """

    name = "memory.conv"

    input = operand_def(BUFFER)
    filter = operand_def(BUFFER)

    kernel_shape = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    pads = prop_def(DenseArrayBase.constr(i64))
    dilations = prop_def(DenseArrayBase.constr(i64))
    group = prop_def(IntegerAttr.constr(i64))
    algorithm = prop_def(StringAttr)
    halo = opt_prop_def(UnitAttr)

    def border(self) -> tuple[tuple[int, int], ...]:
        """
        Return how many zeros the op reads around its input: (before, after) per axis.

        Winograd's last tiles reach beyond `pads`.
        """
        none = ((0, 0),) * 2
        spatial = extents_of(self.input)[2:]
        if self.halo is None:
            return none + ((0, 0),) * len(spatial)
        befores, afters = self.window.begins, list(self.window.ends)
        if self.algorithm.data == "winograd":
            tile = isqrt(extents_of(self.filter)[0]) - 2
            for i, (extent, before) in enumerate(zip(spatial, befores, strict=True)):
                tiles = -(-(extent + before + afters[i] - 2) // tile)
                afters[i] = max(afters[i], tile * tiles + 2 - extent - before)
        return none + tuple(zip(befores, afters, strict=True))

    @local
    def verify_(self) -> None:
        check_word("algorithm", self.algorithm.data, ALGORITHMS)
        super().verify_()
        shape, result = extents_of(self.input), extents_of(self.result)
        rank = len(shape)
        if len(result) != rank:
            raise VerifyException(
                f"expected a result of rank {rank}, got {buffer_type(self.result)}"
            )
        channels, group = result[1], self.group.value.data
        if group < 1 or shape[1] % group or channels % group:
            raise VerifyException(
                f"expected channels in {group} groups, got {shape[1]} and {channels}"
            )
        most = (shape[0], channels, *self.window.extents(shape[2:]))
        if result[0] != most[0] or any(
            n > m for n, m in zip(result, most, strict=True)
        ):
            raise VerifyException(
                f"expected a result of at most {list(most)}, got {list(result)}"
            )
        self._check_filter(extents_of(self.filter), shape[1] // group, channels, group)
        if self.bias is not None and extents_of(self.bias) != (channels,):
            raise VerifyException(
                f"expected a bias of [{channels}], got {buffer_type(self.bias)}"
            )

    @property
    def window(self) -> Window:
        """The window that slides over the input."""
        return Window.of(
            numbers_of(self.kernel_shape),
            numbers_of(self.strides),
            numbers_of(self.pads),
            numbers_of(self.dilations),
        )

    @property
    def depth(self) -> int:
        channels = extents_of(self.input)[1] // self.group.value.data
        return channels * prod(numbers_of(self.kernel_shape))

    def _check_filter(
        self, filter: Sequence[int], depth: int, channels: int, group: int
    ) -> None:
        """Raise unless `filter` is what the algorithm reads for these channels."""
        kernel = self.window.kernel
        match self.algorithm.data, tuple(filter):
            case "generic", shape:
                fits = shape == (channels, depth, *kernel)
            case "depthwise", shape:
                fits = depth == 1 and shape == (*kernel, channels)
            case "winograd", (places, panels, inputs, width):
                square = places in (16, 36) and kernel == (3, 3) and group == 1
                fits = square and inputs == depth and panels * width >= channels
            case "direct", (groups, panels, *taps, inputs, width):
                same = (groups, tuple(taps), inputs) == (group, kernel, depth)
                fits = same and panels * width * group >= channels
            case "pairs", (groups, panels, *taps, pairs, width, 2):
                same = (groups, tuple(taps), 2 * pairs) == (group, kernel, depth)
                fits = same and panels * width * group >= channels
            case _:
                fits = False
        if not fits:
            raise VerifyException(
                f"expected a filter of {channels} by {depth} channels and "
                f"{list(kernel)} for {self.algorithm.data}, got {list(filter)}"
            )


@define_op
class MatMulOp(EpilogueOp):
    """
    Matrix product over the last two axes, then the epilogue.

    Shapes: lhs [..., M, K], rhs [..., K, N] (packed panels [..., N/p, K, p] if its
    layout is blocked, else any strides), bias [N], extras broadcast to the result,
    result [..., M, N]; batch axes broadcast.
    `scratch`: room for lhs in f32, where its 16-bit elements are not to be converted
    each time they are multiplied.
    Errors: operands of a rank below 2, inner extents that differ, a result of other
    extents, an epilogue with the wrong number of arguments.

    ```mlir
    memory.matmul ins(%a : memref<2x3xf32>, %b : memref<3x4xf32>)
        outs(%y : memref<2x4xf32>) {
    }
    ```
    """

    name = "memory.matmul"

    lhs = operand_def(BUFFER)
    rhs = operand_def(BUFFER)

    @local
    def verify_(self) -> None:
        super().verify_()
        lhs, rhs = extents_of(self.lhs), extents_of(self.rhs)
        if len(lhs) < 2 or len(rhs) < 2:
            raise VerifyException(
                f"expected matrices, got {buffer_type(self.lhs)}, "
                f"{buffer_type(self.rhs)}"
            )
        if lhs[-1] != rhs[-2]:
            raise VerifyException(
                f"lhs has {lhs[-1]} columns but rhs has {rhs[-2]} rows"
            )
        if extents_of(self.result)[-2:] != (lhs[-2], rhs[-1]):
            raise VerifyException(
                f"expected a result of {lhs[-2]} by {rhs[-1]}, "
                f"got {buffer_type(self.result)}"
            )

    @property
    def depth(self) -> int:
        return extents_of(self.lhs)[-1]
