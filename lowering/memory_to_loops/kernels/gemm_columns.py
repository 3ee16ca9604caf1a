"""Products into results whose columns are no neighbours in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects import vector
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.finish import Finish, Panel, room
from glow.lowering.memory_to_loops.kernels.gemm import Gemm, Named, Writer
from glow.lowering.memory_to_loops.kernels.microkernel import Columns
from glow.lowering.memory_to_loops.kernels.shuffles import columns_of, interleaved
from glow.lowering.memory_to_loops.kernels.strips import mask_of

_UNROLL = 4
"""The elements whose addresses do not depend on each other."""


@dataclass(frozen=True)
class Scattered(Gemm):
    """
    A `Gemm` whose result has its columns anywhere, each as far from the next.

    Row: that of a `Gemm`, then the distance of the result's columns.
    """

    MORE: ClassVar = ("result_step",)

    @property
    def prefix(self) -> str:
        return super().prefix.replace("gemm", "scattered")

    def writer(self, args: Named, row: Named) -> Writer:
        return _ScatteredWriter(self, args, row)


@dataclass(frozen=True)
class Turned(Scattered):
    """A `Scattered` in which the rows of each tile are neighbours in the result."""

    @property
    def prefix(self) -> str:
        return super().prefix.replace("scattered", "turned")

    def writer(self, args: Named, row: Named) -> Writer:
        return _TurnedWriter(self, args, row)


@dataclass(frozen=True)
class Interleaved(Scattered):
    """A `Scattered` of `planes` batches whose columns take turns in the result."""

    planes: int = 2

    @property
    def prefix(self) -> str:
        return super().prefix.replace("scattered", f"interleaved{self.planes}")

    def writer(self, args: Named, row: Named) -> Writer:
        return _InterleavedWriter(self, args, row)


class _ScatteredWriter(Writer):
    def finish(self, panel: Panel, starts: Named) -> Finish:
        kernel = self.kernel
        return _Scatter(
            kernel.epilogue, kernel.extras, self.args, self.row, panel, starts
        )


@dataclass(frozen=True)
class _Scatter(Finish):
    """Stores one element after the other, from a tile that was put aside."""

    def put(self, b: Body, done: Sequence[Sequence[SSAValue]]) -> None:
        place = self.aside(b, self.program.elements[-1])
        _put_aside(b, done, self.panel, place, b.const(0))
        self.put_back(b, place)

    def put_back(self, b: Body, place: SSAValue) -> None:
        tile, step = self.panel.columns.tile, self.row["result_step"]
        result, last = self.args["result"], self.panel.columns.last
        moves = [b.product(step, k) for k in range(_UNROLL)]
        jump = b.product(step, _UNROLL)

        def some(b: Body, i: SSAValue) -> None:
            source, at = b.product(i, tile.columns), self.begin(b, "result", i)

            def column(b: Body, j: SSAValue) -> None:
                value = b.load(place, b.sum(source, j))
                b.store(value, result, b.sum(at, b.product(j, step)))

            assert last is not None
            b.each(0, b.sum(last, 1), column, name="c", nonempty=True)

        def whole(b: Body, i: SSAValue) -> None:
            source, at = b.product(i, tile.columns), self.begin(b, "result", i)
            for j in range(0, tile.columns, _UNROLL):
                for k, move in enumerate(moves):
                    value = b.load(place, b.sum(source, j + k))
                    b.store(value, result, b.sum(at, move))
                at = b.sum(at, jump)

        row = whole if last is None else some
        b.each(0, tile.rows, row, name="r", nonempty=True)


class _TurnedWriter(Writer):
    def finish(self, panel: Panel, starts: Named) -> Finish:
        kernel = self.kernel
        return _Turn(kernel.epilogue, kernel.extras, self.args, self.row, panel, starts)


@dataclass(frozen=True)
class _Turn(Finish):
    """Transposes rows of the tile in registers, four or two at a time."""

    def put(self, b: Body, done: Sequence[Sequence[SSAValue]]) -> None:
        columns = self._columns(b, done)
        if self.panel.columns.last is None:
            self._store(b, columns)
        else:
            self._store_existing(b, columns)

    def put_back(self, b: Body, place: SSAValue) -> None:
        tile = self.panel.columns.tile
        whole = Columns(replace(tile, masked=False))
        starts = range(0, tile.size, tile.columns)
        self.put(b, [whole.load(b, place, b.const(start)) for start in starts])

    def _columns(
        self, b: Body, done: Sequence[Sequence[SSAValue]]
    ) -> Iterator[list[SSAValue]]:
        """Yield the parts of each column."""
        tile = self.panel.columns.tile
        for j in range(tile.vectors):
            parts = [
                columns_of(b, [row[j] for row in done[first:last]])
                for first, last in tile.squares
            ]
            yield from map(list, zip(*parts, strict=True))

    def _store(self, b: Body, columns: Iterable[list[SSAValue]]) -> None:
        step, at = self.row["result_step"], self.begin(b, "result", 0)
        moves = [b.product(step, k) for k in range(_UNROLL)]
        jump = b.product(step, _UNROLL)
        for column, parts in enumerate(columns):
            here = b.sum(at, moves[column % _UNROLL])
            self._store_parts(b, parts, self.args["result"], here)
            if column % _UNROLL == _UNROLL - 1:
                at = b.sum(at, jump)

    def _store_existing(self, b: Body, columns: Iterable[list[SSAValue]]) -> None:
        """Put all columns aside, then store those that exist."""
        rows, result = self.panel.columns.tile.rows, self.args["result"]
        place = self.aside(b, self.program.elements[-1])
        for column, parts in enumerate(columns):
            self._store_parts(b, parts, place, b.const(column * rows))
        at, step = self.begin(b, "result", 0), self.row["result_step"]

        def copy(b: Body, column: SSAValue) -> None:
            source = b.product(column, rows)
            parts = [
                b.load_vector(place, b.sum(source, first), lanes=last - first)
                for first, last in self.panel.columns.tile.squares
            ]
            self._store_parts(b, parts, result, b.sum(at, b.product(column, step)))

        b.each(0, self.panel.columns.count(b), copy, name="c", nonempty=True)

    def _store_parts(
        self, b: Body, parts: list[SSAValue], base: SSAValue, at: SSAValue
    ) -> None:
        """Store one column from `at` on."""
        for part, (first, _) in zip(
            parts, self.panel.columns.tile.squares, strict=True
        ):
            b.store_vector(part, base, b.sum(at, first))


class _InterleavedWriter(Writer):
    """Writes other loops: panels, tiles, planes, and then the rows of all planes."""

    kernel: Interleaved
    place: SSAValue
    """Where the stack has room for a tile of each plane."""
    plane_at: SSAValue
    """Where in there the tile goes that is being written."""

    def product(self, b: Body) -> None:
        row, kernel = self.row, self.kernel
        size = kernel.planes * self.tile.size
        self.place = room(b, kernel.epilogue.elements[-1], size)

        def tiles(b: Body, panel: SSAValue) -> None:
            b.each(
                0,
                row["tiles"],
                lambda b, tile: self._planes(b, panel, tile),
                name="tile",
                nonempty=True,
            )

        b.each(row["first"], row["last"], tiles, name="panel", nonempty=True)

    def _planes(self, b: Body, panel: SSAValue, tile: SSAValue) -> None:
        """Compute a tile of each plane; then store them."""

        def plane(b: Body, k: SSAValue) -> None:
            self.plane_at = b.product(k, self.tile.size)
            self.one_tile(b, tile, self.panel(b, panel, self.offsets(b, k)))

        b.each(0, self.kernel.planes, plane, name="plane", nonempty=True)
        first = self.panel(b, panel, self.offsets(b, b.const(0)))
        start = b.sum(self.row["result_at"], b.product(tile, self.tile.rows))

        def row(b: Body, i: SSAValue) -> None:
            at = first.begin(b, self.args["table"], start, i, "result")
            self._row(b, b.product(i, self.tile.columns), at, first.columns)

        b.each(0, self.tile.rows, row, name="r", nonempty=True)

    def _row(self, b: Body, source: SSAValue, at: SSAValue, columns: Columns) -> None:
        """Store one row of all planes."""
        tile, planes = self.tile, self.kernel.planes
        result, parts = self.args["result"], list[SSAValue]()
        for j in range(0, tile.columns, tile.lanes):
            starts = [b.sum(source, k * tile.size + j) for k in range(planes)]
            lines = [b.load_vector(self.place, s, lanes=tile.lanes) for s in starts]
            parts += interleaved(b, lines, tile.lanes)
        for n, part in enumerate(parts):
            start = b.sum(at, n * tile.lanes)
            if columns.last is None:
                b.store_vector(part, result, start)
                continue
            count = b.product(b.sum(columns.last, 1), planes)
            mask = mask_of(b, b.sum(count, -n * tile.lanes), tile.lanes)
            operands = [result, start, mask, part]
            b.do(vector.MaskedStoreOp.create(operands=operands))

    def finish(self, panel: Panel, starts: Named) -> Finish:
        kernel = self.kernel
        return _Aside(
            kernel.epilogue,
            kernel.extras,
            self.args,
            self.row,
            panel,
            starts,
            self.place,
            self.plane_at,
        )


@dataclass(frozen=True)
class _Aside(Finish):
    """Leaves the tile on the stack."""

    place: SSAValue
    at: SSAValue

    def put(self, b: Body, done: Sequence[Sequence[SSAValue]]) -> None:
        _put_aside(b, done, self.panel, self.place, self.at)

    def put_back(self, b: Body, place: SSAValue) -> None:
        tile = self.panel.columns.tile
        whole = Columns(replace(tile, masked=False))

        def copy(b: Body, i: SSAValue) -> None:
            start = b.product(i, tile.columns)
            row = whole.load(b, place, start)
            whole.store(b, row, self.place, b.sum(self.at, start))

        b.each(0, tile.rows, copy, name="r", nonempty=True)


def _put_aside(
    b: Body,
    rows: Sequence[Sequence[SSAValue]],
    panel: Panel,
    place: SSAValue,
    at: SSAValue,
) -> None:
    """Store the rows of a tile as neighbours, from `at` on."""
    tile = panel.columns.tile
    whole = Columns(replace(tile, masked=False))
    for i, row in enumerate(rows):
        whole.store(b, row, place, b.sum(at, i * tile.columns))
