"""One product as operands and offsets, and the calls that compute it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops._epilogue import Epilogue
from glow.lowering.memory_to_loops._rows import Offsets, Table, padded
from glow.lowering.memory_to_loops._tiling import (
    tile_rows,
    tiles_of,
)
from glow.lowering.memory_to_loops.kernels.gemm import Gemm
from glow.lowering.memory_to_loops.kernels.gemm_row import GemmRow
from glow.lowering.memory_to_loops.kernels.microkernel import Tile
from glow.lowering.memory_to_loops.main import Main


@dataclass(frozen=True, eq=False)
class Product:
    """
    `result = epilogue(bias + left @ right)` for each batch.

    Offsets are in elements from element 0 of each buffer; `*_batches` say what each
    batch adds to them.
    """

    left: SSAValue
    right: SSAValue
    bias: SSAValue | None
    result: SSAValue
    epilogue: Epilogue
    panel: int
    columns: int
    panel_stride: int
    pitch: int
    is_packed: bool
    """Whether a panel is dense, and as wide as it says even where columns end."""
    rows: Offsets
    result_rows: Offsets
    extra_rows: tuple[Offsets, ...]
    segments: Offsets
    run: int
    step: int
    left_batches: Offsets
    right_batches: Offsets
    bias_batches: Offsets
    result_batches: Offsets
    extra_batches: tuple[Offsets, ...]
    kernel: type[Gemm] = Gemm


def call_product(main: Main, p: Product) -> None:
    """Append the calls that compute `p`: for whole panels, and for the last one."""
    if not p.columns or not len(p.rows):
        return
    height = tile_rows(main.target, len(p.rows), p.panel)
    table = Table()
    batches = np.stack(
        [
            p.left_batches,
            p.right_batches,
            p.bias_batches,
            p.result_batches,
            *p.extra_batches,
        ],
        axis=1,
    )
    tiles = -(-len(p.rows) // height)
    whole = p.columns // p.panel
    piece = -(-p.panel_stride // tiles) if p.is_packed else 0
    row = GemmRow(
        batches=len(batches),
        batch_at=table.add(batches.reshape(-1)),
        first=0,
        last=whole,
        width=p.panel,
        columns=p.columns,
        panel_stride=p.panel_stride,
        pitch=p.pitch,
        slice=piece,
        slice_step=-(-piece // (len(p.segments) * p.run)),
        tiles=tiles,
        left_at=table.add(padded(p.rows, height)),
        result_at=table.add(padded(p.result_rows, height)),
        segments_at=table.add(p.segments),
        segments=len(p.segments),
        run=p.run,
        step=p.step,
        extras_at=tuple(table.add(padded(r, height)) for r in p.extra_rows),
    )
    arguments = [
        main.base(p.left),
        main.base(p.right),
        *([] if p.bias is None else [main.base(p.bias)]),
        *(main.base(extra) for extra in p.epilogue.extras),
        main.base(p.result),
        main.offsets(table.array()),
    ]
    for tile in tiles_of(main.target, height, p.panel, p.columns):
        is_tail = tile.columns != p.panel or tile.masked
        panels = (whole, whole + 1) if is_tail else (0, whole)
        main.call(_kernel(p, tile), arguments, row.of_panels(*panels))


def _kernel(p: Product, tile: Tile) -> Gemm:
    return p.kernel(
        tile,
        p.epilogue.program,
        p.epilogue.kinds,
        has_bias=p.bias is not None,
        is_padded=p.is_packed or not tile.masked,
    )
