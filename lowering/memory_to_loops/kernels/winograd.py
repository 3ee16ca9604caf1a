"""Winograd's F(4x4, 3x3) and F(2x2, 3x3): fewer multiplications, in small products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Generic

from glow.codegen.functions import fma, minimum
from glow.codegen.loops import N, loop
from glow.codegen.memory import SECOND_LEVEL, Strip, prefetch
from glow.codegen.rows import length_of
from glow.codegen.values import Value, broadcast
from glow.lowering.memory_to_loops.kernels.finish import Epilogue, gathered
from glow.lowering.memory_to_loops.kernels.gemm import Gemm
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, ExtraRow, GemmRow
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel
from glow.support.costs import Costs

_PREFETCH_TILES = 2
"""How many tiles ahead pixels are prefetched."""
_NEAR, _FAR = sqrt(1 / 2), sqrt(2)
"""The points of F(4x4, 3x3), beside 0 and infinity; each has a pair of other sign."""


@dataclass(frozen=True)
class InputRow(Generic[N]):
    """
    The tiles of an input, and what they become.

    Units: strides in elements; `tiles_at` in entries of the table.
    """

    block: N
    """The tiles that scratch has room for."""
    channels: N
    """A multiple of the vectors' length."""
    line: N
    pixel: N
    stride: N
    """From one of the matrices of the transformed input to the next."""
    transforms_at: N
    """Where the first of them is in the scratch."""
    tiles_at: N
    """Where the window of each tile begins."""

    def behind(self: InputRow[int], tiles: int) -> InputRow[int]:
        """Return the row of the tiles after so many."""
        return replace(self, tiles_at=self.tiles_at + tiles)


@dataclass(frozen=True)
class WinogradInput(Kernel):
    """
    Transform tiles of the input into the scratch.

    `tile` is how many lines of pixels of the result a tile has, 2 or 4; it reads two
    more. Unit: a tile.
    """

    tile: int
    lanes: int
    prefetch: bool = False
    """
    Whether to prefetch pixels, as processors do not foresee which tile comes next.

    It halves the time of images of 256 x 256 pixels and 64 channels, which lie in the
    third-level cache (Zen 4). Images in the second-level cache take a tenth longer.
    """

    def per_ns(self, costs: Costs) -> float:
        return costs.transformed_per_ns

    def write(self, call: Call[InputRow[Value]]) -> None:
        row = call.row
        side, vector = range(self.tile + 2), Strip(self.lanes)
        for tile in loop(*call.range, name="tile"):
            begin = call["table"][row.tiles_at + tile]
            later = minimum(tile + _PREFETCH_TILES, call.range[1] - 1)
            after = call["table"][row.tiles_at + later] if self.prefetch else None
            target = row.transforms_at + tile % row.block * row.channels
            for c in loop(0, row.channels, step=self.lanes, name="c", nonempty=True):
                if after is not None:
                    self._prefetch(call, after + c)
                lines = [begin + c + row.line * y for y in side]
                columns = [
                    taken(
                        [call["input"].load(at + row.pixel * x, vector) for at in lines]
                    )
                    for x in side
                ]
                here = target + c
                for y in side:
                    for value in taken([column[y] for column in columns]):
                        call["scratch"].store(value, here)
                        here += row.stride

    def _prefetch(self, call: Call[InputRow[Value]], begin: Value) -> None:
        """Prefetch the pixels of a tile that earlier tiles do not read."""
        new = range(2, self.tile + 2)
        for line in (begin + call.row.line * y for y in new):
            for x in new:
                prefetch(call["input"], line + call.row.pixel * x, SECOND_LEVEL)


def taken(d: Sequence[Value]) -> list[Value]:
    """Return the transform of the elements that a tile reads along one axis."""
    if len(d) == 4:
        return [d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]]
    near, near_odd = fma(d[2], -2.0, d[4]), fma(d[1], -2.0, d[3])
    far, far_odd = fma(d[2], -0.5, d[4]), fma(d[1], -0.5, d[3])
    return [
        fma(d[2], -2.5, d[0] + d[4]),
        fma(near_odd, _NEAR, near),
        fma(near_odd, -_NEAR, near),
        fma(far_odd, _FAR, far),
        fma(far_odd, -_FAR, far),
        fma(d[3], -2.5, d[1] + d[5]),
    ]


def given(m: Sequence[Value]) -> list[Value]:
    """Return the results of a tile along one axis of products."""
    plus, minus = m[1] + m[2], m[1] - m[2]
    if len(m) == 4:
        return [m[0] + plus, minus - m[3]]
    far_plus, far_minus = m[3] + m[4], m[3] - m[4]
    return [
        fma(far_plus, 0.5, fma(plus, _FAR, m[0])),
        fma(far_minus, _NEAR, minus),
        fma(plus, _NEAR, far_plus),
        fma(minus, 0.5, fma(far_minus, _FAR, m[5])),
    ]


@dataclass(frozen=True)
class OutputRow(Generic[N]):
    """
    The products, and the pixels of the result that they become.

    Units: strides in elements; `*_at` in entries of the table, but for products.
    """

    block: N
    channels: N
    stride: N
    """From one of the products to the next."""
    products_at: N
    """Where the first of them is in the scratch."""
    result_at: N
    """
    Where the pixels of each tile lie, line by line.

    One outside the result is named as the nearest inside, which is stored after it.
    """
    extras: tuple[ExtraRow[N], ...]

    def behind(self: OutputRow[int], pixels: int) -> OutputRow[int]:
        """Return the row of the pixels of tiles after so many."""
        extras = tuple(replace(each, at=each.at + pixels) for each in self.extras)
        return replace(self, result_at=self.result_at + pixels, extras=extras)


@dataclass(frozen=True)
class WinogradOutput(Kernel):
    """
    Transform products of tiles back and finish their pixels.

    Unit: a tile.
    """

    tile: int
    lanes: int
    epilogue: Epilogue

    def per_ns(self, costs: Costs) -> float:
        return costs.transformed_per_ns

    def write(self, call: Call[OutputRow[Value]]) -> None:
        row = call.row
        for tile in loop(*call.range, name="tile"):
            source = row.products_at + tile % row.block * row.channels
            pixels = tile * self.tile**2
            for c in loop(0, row.channels, step=self.lanes, name="c", nonempty=True):
                # All is read before anything is written: an extra may lie there.
                finished = list(self._pixels(call, source + c, pixels, c))
                for pixel, value in finished:
                    at = call["table"][row.result_at + pixel]
                    call["result"].store(value, at + c)

    def _pixels(
        self, call: Call[OutputRow[Value]], here: Value, first: Value, c: Value
    ) -> list[tuple[Value, Value]]:
        """Return the pixels of a tile, the last first: its number and channels."""
        side, vector = self.tile + 2, Strip(self.lanes)
        products: list[Value] = []
        for _ in range(side**2):
            products.append(call["scratch"].load(here, vector))
            here += call.row.stride
        columns = [given(products[x::side]) for x in range(side)]
        bias = call["bias"].load(c, vector) if "bias" in call.operands else None
        kinds = enumerate(self.epilogue.extras)
        columns_only = (n for n, kind in kinds if kind is Extra.COLUMNS)
        shared = {n: call[f"extra{n}"].load(c, vector) for n in columns_only}
        pixels: list[tuple[Value, Value]] = []
        for y in reversed(range(self.tile)):
            line = given([column[y] for column in columns])
            for x in reversed(range(self.tile)):
                pixel, value = first + (y * self.tile + x), line[x]
                if bias is not None:
                    value += bias
                extras = [
                    shared[n] if n in shared else self._extra(call, n, pixel, c)
                    for n in range(len(self.epilogue.extras))
                ]
                pixels.append((pixel, self.epilogue.finished([value, *extras])))
        return pixels

    def _extra(
        self, call: Call[OutputRow[Value]], n: int, pixel: Value, c: Value
    ) -> Value:
        """Return what a pixel reads of an extra."""
        source, extra, vector = call[f"extra{n}"], call.row.extras[n], Strip(self.lanes)
        at, step = call["table"][extra.at + pixel], extra.step
        match self.epilogue.extras[n]:
            case Extra.FULL:
                return source.load(at + c, vector)
            case Extra.STRIDED:
                return gathered(source, at + c * step, step, vector)
            case _:
                return broadcast(source[at], self.lanes)


@dataclass(frozen=True)
class ProductRow(Generic[N]):
    """A product of the transforms of one block, and how many units it is."""

    units: N
    row: GemmRow[N]


@dataclass(frozen=True)
class WinogradRow(Generic[N]):
    """A convolution: how many tiles there are, then what its parts do with a block."""

    tiles: N
    input: InputRow[N]
    products: tuple[ProductRow[N], ...]
    output: OutputRow[N]


@dataclass(frozen=True)
class Winograd(Kernel):
    """
    Convolution 3x3 of stride 1 by `products`, which multiply the transforms.

    Scratch holds the transformed input and the products of one block of tiles.

    Unit: a block. Pieces that run at the same time need scratch of their own.
    """

    input: WinogradInput
    products: tuple[Gemm, ...]
    output: WinogradOutput

    def per_ns(self, costs: Costs) -> float:
        return max(product.per_ns(costs) for product in self.products)

    def callees(self) -> tuple[Kernel, ...]:
        return (self.input, *self.products, self.output)

    def write(self, call: Call[WinogradRow[Value]]) -> None:
        row = call.row
        given, taken = dict(self.input.passed), dict(self.output.passed)
        multiplied = ["scratch", "filter", "scratch", "table"]
        for block in loop(*call.range, name="block"):
            first = block * row.input.block
            last = minimum(first + row.input.block, row.tiles)
            at = call.at + 1
            call.run(self.input, given, at, (first, last))
            at += length_of(self.like.input)
            for gemm, product, like in zip(
                self.products, row.products, self.like.products, strict=True
            ):
                call.run(gemm, multiplied, at + 1, (0, product.units))
                at += length_of(like)
            call.run(self.output, taken, at, (first, last))
