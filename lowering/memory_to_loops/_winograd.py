"""Lower 3x3 convolutions to Winograd's algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.products import ConvOp
from glow.lowering.convolution.winograd import (
    Form,
    form_with,
    winograd_block,
    winograd_stride,
)
from glow.lowering.memory_to_loops._epilogue import (
    IDENTITY,
    EpiloguePlan,
    Matrix,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel, Work
from glow.lowering.memory_to_loops.kernels.winograd import (
    InputRow,
    OutputRow,
    ProductRow,
    Winograd,
    WinogradInput,
    WinogradOutput,
    WinogradRow,
)
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.product import Planned, Product, plan_product
from glow.lowering.memory_to_loops.rows import Offsets, Table, offsets_of


@dataclass(frozen=True)
class _Plan:
    """The parts of a convolution: kernels, what each is passed, rows and work."""

    blocks: int
    kernel: Winograd
    row: WinogradRow[int]
    core: list[Planned]


def call_winograd(
    main: Main,
    op: ConvOp,
    input: Addressing,
    result: Addressing,
    pads: Sequence[int],
    epilogue: EpiloguePlan,
) -> None:
    """
    Append the calls that compute `op`; the input has the border that tiles read.

    One block is three parts, each of which is cut by itself; of several, each does all.
    """
    table = Table()
    plan = _plan(main, op, input, result, pads, epilogue, table)
    assert op.scratch is not None
    bias = {} if op.bias is None else {"bias": op.bias}
    extras = {f"extra{i}": extra for i, extra in enumerate(epilogue.extras)}
    buffers = {"input": op.input, "filter": op.filter, **bias, **extras}
    buffers |= {"scratch": op.scratch, "result": op.result}
    bases = {name: main.base(buffer) for name, buffer in buffers.items()}
    bases["table"] = main.offsets(table.array())

    def call(kernel: Kernel, names: Iterable[str], row: Any, work: Work) -> None:
        main.call(kernel, [bases[name] for name in names], row, work)

    kernel, row = plan.kernel, plan.row
    multiplied = sum(work.units * work.cost for *_, work in plan.core)
    moved = (kernel.input.tile + 2) ** 2 * (row.input.channels + row.output.channels)
    if plan.blocks > 1:
        cost = multiplied + moved * row.input.block
        call(kernel, kernel.operands(), row, Work(plan.blocks, cost))
        return
    work = Work(row.tiles, moved // 2)
    call(kernel.input, kernel.input.operands(), row.input, work)
    for gemm, own, part in plan.core:
        call(gemm, ["scratch", "filter", "scratch", "table"], own, part)
    call(kernel.output, kernel.output.operands(), row.output, work)


def _plan(
    main: Main,
    op: ConvOp,
    input: Addressing,
    result: Addressing,
    pads: Sequence[int],
    epilogue: EpiloguePlan,
    table: Table,
) -> _Plan:
    target, lanes = main.target, main.target.f32_lanes
    places, *_, panel = physical_shape_of(op.filter.type)
    form = form_with(places)
    block = winograd_block(target, form, input.shape, result.shape)
    inputs, outputs = input.shape[1], result.shape[1]
    matrices = winograd_stride(block, inputs), winograd_stride(block, outputs)
    filter = buffer_type(op.filter).element_type
    matrix_product = _core(form, block, inputs, outputs, panel, matrices, filter)
    core = plan_product(target, matrix_product, table)
    tiles, pixels = _places(form, input, result, pads)
    pixel_rows = Matrix.of(result.shape, result.strides, 1).offsets()
    row = WinogradRow(
        tiles=form.tiles(result.shape),
        input=InputRow(
            block=block,
            channels=inputs,
            line=input.strides[2],
            pixel=input.strides[3],
            stride=matrices[0],
            tiles_at=table.add(tiles),
        ),
        products=tuple(ProductRow(work.units, own) for _, own, work in core),
        output=OutputRow(
            block=block,
            channels=outputs,
            stride=matrices[1],
            products_at=places * matrices[0],
            result_at=table.add(pixel_rows[pixels]),
            extras=epilogue.places(
                table, pixels, [extra.offsets() for extra in epilogue.matrices]
            ),
        ),
    )
    kernel = Winograd(
        WinogradInput(form.tile, lanes, buffer_type(op.input).element_type),
        tuple(gemm for gemm, *_ in core),
        WinogradOutput(form.tile, lanes, epilogue.form),
        filter,
    )
    return _Plan(-(-row.tiles // block), kernel, row, core)


def _places(
    form: Form, input: Addressing, result: Addressing, pads: Sequence[int]
) -> tuple[Offsets, Offsets]:
    """Return where each tile begins in the input, and the result's row per pixel."""
    batch, _, height, width = result.shape
    tile = form.tile
    down, across = -(-height // tile), -(-width // tile)
    line, pixel = input.strides[2:]
    tiles = offsets_of(
        (batch, down, across),
        (input.strides[0], tile * line, tile * pixel),
        -pads[0] * line - pads[1] * pixel,
    )
    rows = [
        (n * height + min(y * tile + i, height - 1)) * width
        + min(x * tile + j, width - 1)
        for n, y, x, i, j in product(
            range(batch), range(down), range(across), range(tile), range(tile)
        )
    ]
    return tiles, np.array(rows, np.int64)


def _core(
    form: Form,
    block: int,
    inputs: int,
    outputs: int,
    panel: int,
    matrices: tuple[int, int],
    filter: Attribute,
) -> Product:
    """Return the products of one block: tiles by channels at each of the places."""
    places = np.arange(form.places, dtype=np.int64)
    panels = -(-outputs // panel)
    return Product(
        epilogue=IDENTITY,
        factors=(f32, filter),
        panel=panel,
        columns=outputs,
        panel_stride=inputs * panel,
        pitch=panel,
        is_packed=True,
        rows=offsets_of((block,), (inputs,)),
        result_rows=offsets_of((block,), (outputs,), form.places * matrices[0]),
        extra_rows=(),
        segments=offsets_of((), ()),
        run=inputs,
        step=1,
        left_batches=places * matrices[0],
        right_batches=places * panels * inputs * panel,
        bias_batches=0 * places,
        result_batches=places * matrices[1],
        extra_batches=(),
    )
