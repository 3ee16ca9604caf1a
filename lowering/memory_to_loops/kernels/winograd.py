"""Winograd's F(4x4, 3x3) and F(2x2, 3x3): fewer multiplications, in small products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import (
    FLAT,
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.gemm import Gemm
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, extra_names
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.microkernel import Columns, Tile
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram


@dataclass(frozen=True)
class WinogradRow:
    """
    One convolution for a `Winograd`.

    Units: strides in elements; `*_at` in entries of the table.
    """

    tiles: int
    block: int
    """The tiles that are transformed together, at most all."""
    inputs: int
    """The channels of the input, a multiple of the vectors' length."""
    outputs: int
    line: int
    """From one line of the input to the next."""
    pixel: int
    input_stride: int
    """From one of the matrices of the transformed input to the next."""
    product_stride: int
    """From one of the products to the next."""
    products_at: int
    """Where products begin in the scratch, behind the transformed input."""
    input_at: int
    """Where the window of each tile begins."""
    result_at: int
    """
    Where the pixels of each tile lie, line by line.

    One outside the result is named as the nearest inside, which is stored after it.
    """


_NAMES = [field.name for field in fields(WinogradRow)]


@dataclass(frozen=True)
class Winograd(Kernel):
    """
    Convolution 3x3 of stride 1 by `products`, which multiply the transforms.

    Row: a `WinogradRow`, where each extra's pixels lie in the table, then a row for
    each of the products. Scratch holds the transformed input and the products of one
    block of tiles.
    """

    tile: int
    """The lines of pixels that a tile has, 2 or 4; it reads two more."""
    lanes: int
    products: tuple[Gemm, ...]
    epilogue: ScalarProgram
    extras: tuple[Extra, ...] = ()
    has_bias: bool = True

    @property
    def prefix(self) -> str:
        return "winograd"

    def callees(self) -> tuple[Kernel, ...]:
        return self.products

    def build(self) -> FuncOp:
        _, *extras, result = self.epilogue.elements
        operands: list[tuple[str, Attribute]] = [
            ("input", FLAT),
            ("filter", FLAT),
            *([("bias", FLAT)] if self.has_bias else []),
            *((f"extra{i}", flat(e)) for i, e in enumerate(extras)),
            ("scratch", FLAT),
            ("result", flat(result)),
            ("table", OFFSETS),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        op, b, args = function(self.symbol, operands, noalias=["table", "rows"])
        names = [*_NAMES, *extra_names(len(self.extras))]
        row = {
            name: b.load(args["rows"], b.sum(args["at"], i))
            for i, name in enumerate(names)
        }
        writer = _Writer(self, args, row)

        def block(b: Body, first: SSAValue) -> None:
            left = b.difference(row["tiles"], first)
            count = b.binary(arith.MinSIOp, left, row["block"])
            b.each(0, count, lambda b, i: writer.load_tile(b, first, i))
            start = b.sum(args["at"], len(names))
            for product in self.products:
                operands = ("scratch", "filter", "scratch", "table", "rows")
                b.call(product.symbol, [*(args[name] for name in operands), start])
                start = b.sum(start, product.row_length)
            b.each(0, count, lambda b, i: writer.store_tile(b, first, i))

        b.each(0, row["tiles"], block, step=row["block"], name="block", nonempty=True)
        b.do(func.ReturnOp())
        return op


class _Writer:
    """Writes the transforms of a `Winograd`."""

    def __init__(
        self, kernel: Winograd, args: dict[str, SSAValue], row: dict[str, SSAValue]
    ):
        self.kernel, self.args, self.row = kernel, args, row
        self.lanes, self.tile, self.side = kernel.lanes, kernel.tile, kernel.tile + 2

    def load_tile(self, b: Body, first: SSAValue, i: SSAValue) -> None:
        """Transform tile `first + i` of the input into the scratch."""
        row, args, channels = self.row, self.args, self.row["inputs"]
        at = b.sum(b.sum(row["input_at"], first), i)
        begin = b.offset(args["table"], at)
        place = row["input_stride"]
        target = b.product(i, channels)

        def vectors(b: Body, c: SSAValue) -> None:
            source = b.sum(begin, c)
            lines = [b.sum(source, b.product(row["line"], y)) for y in range(self.side)]
            columns = [
                self._taken(
                    b,
                    [
                        b.load_vector(
                            args["input"],
                            b.sum(line, b.product(row["pixel"], x)),
                            lanes=self.lanes,
                        )
                        for line in lines
                    ],
                )
                for x in range(self.side)
            ]
            here = b.sum(target, c)
            for y in range(self.side):
                for value in self._taken(b, [column[y] for column in columns]):
                    b.store_vector(value, args["scratch"], here)
                    here = b.sum(here, place)

        b.each(0, channels, vectors, step=self.lanes, name="c", nonempty=True)

    def _taken(self, b: Body, d: Sequence[SSAValue]) -> list[SSAValue]:
        """Return the transform of the elements that a tile reads along one axis."""
        if self.tile == 2:
            return [
                b.binary(arith.SubfOp, d[0], d[2]),
                b.binary(arith.AddfOp, d[1], d[2]),
                b.binary(arith.SubfOp, d[2], d[1]),
                b.binary(arith.SubfOp, d[1], d[3]),
            ]
        one, two = self._scaled(b, d[2], -4.0, d[4]), self._scaled(b, d[1], -4.0, d[3])
        even = b.binary(arith.SubfOp, d[4], d[2])
        odd = b.binary(arith.SubfOp, d[3], d[1])
        return [
            self._scaled(b, d[2], -5.0, self._scaled(b, d[0], 4.0, d[4])),
            b.binary(arith.AddfOp, one, two),
            b.binary(arith.SubfOp, one, two),
            self._scaled(b, odd, 2.0, even),
            self._scaled(b, odd, -2.0, even),
            self._scaled(b, d[3], -5.0, self._scaled(b, d[1], 4.0, d[5])),
        ]

    def _given(self, b: Body, m: Sequence[SSAValue]) -> list[SSAValue]:
        """Return the results of a tile along one axis of products."""
        plus, minus = (b.binary(op, m[1], m[2]) for op in (arith.AddfOp, arith.SubfOp))
        if self.tile == 2:
            return [
                b.binary(arith.AddfOp, m[0], plus),
                b.binary(arith.SubfOp, minus, m[3]),
            ]
        wide, narrow = (b.binary(op, m[3], m[4]) for op in (arith.AddfOp, arith.SubfOp))
        first = b.binary(arith.AddfOp, b.binary(arith.AddfOp, m[0], plus), wide)
        last = b.binary(arith.AddfOp, self._scaled(b, narrow, 8.0, minus), m[5])
        return [
            first,
            self._scaled(b, narrow, 2.0, minus),
            self._scaled(b, wide, 4.0, plus),
            last,
        ]

    def _scaled(self, b: Body, x: SSAValue, by: float, plus: SSAValue) -> SSAValue:
        return b.fma(x, b.scalar(by, f32, self.lanes), plus)

    def store_tile(self, b: Body, first: SSAValue, i: SSAValue) -> None:
        """Transform the products of tile `first + i` back and finish its pixels."""
        row, args, channels = self.row, self.args, self.row["outputs"]
        tile = b.sum(first, i)
        place = row["product_stride"]
        source = b.sum(row["products_at"], b.product(i, channels))
        pixels = b.product(tile, self.tile**2)

        def vectors(b: Body, c: SSAValue) -> None:
            here = b.sum(source, c)
            products: list[SSAValue] = []
            for _ in range(self.side**2):
                products.append(b.load_vector(args["scratch"], here, lanes=self.lanes))
                here = b.sum(here, place)
            columns = [
                self._given(b, products[x :: self.side]) for x in range(self.side)
            ]
            constant = self._constant(b, c)
            # All is read before anything is written: an extra may lie there.
            done: list[tuple[SSAValue, SSAValue]] = []
            for y in reversed(range(self.tile)):
                line = self._given(b, [column[y] for column in columns])
                for x in reversed(range(self.tile)):
                    pixel = b.sum(pixels, y * self.tile + x)
                    done.append((pixel, self._finished(b, line[x], pixel, c, constant)))
            for pixel, value in done:
                at = b.offset(args["table"], b.sum(row["result_at"], pixel))
                b.store_vector(value, args["result"], b.sum(at, c))

        b.each(0, channels, vectors, step=self.lanes, name="c", nonempty=True)

    def _constant(self, b: Body, c: SSAValue) -> dict[str, SSAValue]:
        """Return what all pixels of some channels read: bias, extras over columns."""
        names = [
            *(["bias"] if self.kernel.has_bias else []),
            *(
                f"extra{n}"
                for n, extra in enumerate(self.kernel.extras)
                if extra is Extra.COLUMNS
            ),
        ]
        return {n: b.load_vector(self.args[n], c, lanes=self.lanes) for n in names}

    def _finished(
        self,
        b: Body,
        value: SSAValue,
        pixel: SSAValue,
        c: SSAValue,
        constant: dict[str, SSAValue],
    ) -> SSAValue:
        """Return what is stored for some channels of a pixel."""
        if self.kernel.has_bias:
            value = b.binary(arith.AddfOp, value, constant["bias"])
        inputs = [value]
        for n, extra in enumerate(self.kernel.extras):
            name = f"extra{n}"
            if extra is Extra.COLUMNS:
                inputs.append(constant[name])
            else:
                inputs.append(self._extra(b, name, extra, pixel, c))
        (done,) = self.kernel.epilogue.emit(b, inputs, self.lanes)
        return done

    def _extra(
        self, b: Body, name: str, extra: Extra, pixel: SSAValue, c: SSAValue
    ) -> SSAValue:
        """Return what a pixel reads of an extra that varies over pixels."""
        base = self.args[name]
        at = b.offset(self.args["table"], b.sum(self.row[f"{name}_at"], pixel))
        match extra:
            case Extra.FULL:
                return b.load_vector(base, b.sum(at, c), lanes=self.lanes)
            case Extra.STRIDED:
                step = self.row[f"{name}_step"]
                at = b.sum(at, b.product(c, step))
                whole = Columns(Tile(1, 1, self.lanes))
                return whole.gather(b, base, at, step)[0]
            case _:
                return b.splat(b.load(base, at), self.lanes)
