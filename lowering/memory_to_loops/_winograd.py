"""Lower 3x3 convolutions to Winograd's algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import f32

from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing
from glow.dialects.memory.products import ConvOp
from glow.lowering.convolution.winograd import (
    BlockRoom,
    Form,
    form_with,
    winograd_blocks,
    winograd_room,
    winograd_scratch_elements,
)
from glow.lowering.memory_to_loops._epilogue import (
    IDENTITY,
    EpiloguePlan,
    Matrix,
    epilogue_arguments,
)
from glow.lowering.memory_to_loops.kernels.kernel import Work
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
from glow.lowering.memory_to_loops.product import (
    F32_BYTES,
    Planned,
    Product,
    plan_product,
)
from glow.lowering.memory_to_loops.rows import Offsets, OffsetTable, offsets_of
from glow.lowering.memory_to_loops.rules import check_room
from glow.support.arrays import Shape


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

    A block has three parts. One call does all parts of all blocks, unless threads share
    the parts (`winograd_blocks`): then each part of each block is a call of its own.
    """
    assert op.scratch is not None
    table, lanes = OffsetTable(), main.target.f32_lanes
    places, *_, panel = physical_shape_of(op.filter.type)
    form = form_with(places)
    room, in_parts = _room(main, form, input.shape, result.shape, panel)
    row, core = _rows(main, op, form, (input, result), pads, epilogue, table, room)
    scratch = main.base(op.scratch)
    if not in_parts:
        scratch = main.own(op.scratch, size=F32_BYTES * room.elements)
    offsets = main.offsets(table.array())
    given = {"input": main.base(op.input), "scratch": scratch, "table": offsets}
    filter = main.base(op.filter)
    multiplied = {"left": scratch, "right": filter, "result": scratch, "table": offsets}
    stored = {"scratch": scratch, **epilogue_arguments(main, op)}
    stored |= {"result": main.stored(op.result), "table": offsets}
    prefetch = F32_BYTES * prod(input.shape) > main.target.l2_bytes
    first, last = (
        WinogradInput(form.tile, lanes, prefetch),
        WinogradOutput(form.tile, lanes, epilogue.form),
    )
    moved = (form.tile + 2) ** 2 * (row.input.channels + row.output.channels)
    if in_parts:
        for begin in range(0, row.tiles, room.tiles):
            work = Work(min(room.tiles, row.tiles - begin), moved // 2)
            main.call(first, given, row.input.behind(begin), work)
            with main.shared.beside():
                for gemm, own, part in core:
                    main.call(gemm, multiplied, own, part)
            main.call(last, stored, row.output.behind(begin * form.tile**2), work)
        return
    products = tuple(gemm.called_with(multiplied, own) for gemm, own, _ in core)
    kernel = Winograd(
        first.called_with(given, row.input),
        products,
        last.called_with(stored, row.output),
    )
    cost = sum(work.units * work.cost for *_, work in core)
    costs = main.target.costs
    cost += int(
        moved * row.input.block * kernel.per_ns(costs) / costs.transformed_per_ns
    )
    work = Work(-(-row.tiles // room.tiles), cost)
    main.call(kernel, {**given, "filter": filter, **stored}, row, work)


def _room(
    main: Main, form: Form, input: Shape, result: Shape, panel: int
) -> tuple[BlockRoom, bool]:
    """Return where a block of tiles lies, and whether threads share its parts."""
    is_shared = main.piece_ns > 0
    blocks = winograd_blocks(main.target, form, input, result, shared=is_shared)
    # The columns of a partial last panel are multiplied after all places of the others.
    in_turn = not blocks.in_parts and result[1] % panel == 0
    channels = input[1], result[1]
    room = winograd_room(form, blocks.tiles, channels, in_turn=in_turn)
    return room, blocks.in_parts


def _rows(
    main: Main,
    op: ConvOp,
    form: Form,
    images: tuple[Addressing, Addressing],
    pads: Sequence[int],
    epilogue: EpiloguePlan,
    table: OffsetTable,
    room: BlockRoom,
) -> tuple[WinogradRow[int], list[Planned]]:
    """Return the row of all parts, and the products of one block."""
    target = main.target
    input, result = images
    panel = physical_shape_of(op.filter.type)[-1]
    if op.scratch is not None:
        elements = winograd_scratch_elements(target, form, input.shape, result.shape)
        check_room(op, op.scratch, f32, elements)
    inputs, outputs = input.shape[1], result.shape[1]
    product = _core(form, inputs, outputs, panel, room)
    core = plan_product(target, product, table, is_shared=main.piece_ns > 0)
    windows, pixels = _places(form, input, result, pads)
    pixel_rows = Matrix.of(result.shape, result.strides, 1).offsets()
    line, pixel = input.strides[2:]
    first = InputRow(
        block=room.tiles,
        channels=inputs,
        line=line,
        pixel=pixel,
        stride=room.strides[0],
        transforms_at=room.transforms,
        tiles_at=table.add(windows),
    )
    last = OutputRow(
        block=room.tiles,
        channels=outputs,
        stride=room.strides[1],
        products_at=room.products,
        result_at=table.add(pixel_rows[pixels]),
        extras=epilogue.places(
            table, pixels, [extra.offsets() for extra in epilogue.matrices]
        ),
    )
    products = tuple(ProductRow(work.units, own) for _, own, work in core)
    return WinogradRow(form.tiles(result.shape), first, products, last), core


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
    lines = np.minimum(np.arange(down * tile), height - 1).reshape(down, 1, tile, 1)
    columns = np.minimum(np.arange(across * tile), width - 1).reshape(across, 1, tile)
    images = height * width * np.arange(batch).reshape(batch, 1, 1, 1, 1)
    return tiles, (images + lines * width + columns).reshape(-1)


def _core(
    form: Form,
    inputs: int,
    outputs: int,
    panel: int,
    room: BlockRoom,
) -> Product:
    """Return the products of one block: tiles by channels at each of the places."""
    places = np.arange(form.places, dtype=np.int64)
    panels = -(-outputs // panel)
    return Product(
        epilogue=IDENTITY,
        panel=panel,
        columns=outputs,
        panel_stride=inputs * panel,
        pitch=panel,
        is_packed=True,
        rows=offsets_of((room.tiles,), (inputs,)),
        result_rows=offsets_of((room.tiles,), (outputs,), room.products),
        extra_rows=(),
        segments=offsets_of((), ()),
        run=inputs,
        step=1,
        left_batches=places * room.strides[0] + room.transforms,
        right_batches=places * panels * inputs * panel,
        bias_batches=0 * places,
        result_batches=places * room.strides[1],
        extra_batches=(),
        is_magnified=form.tile > 2,
    )
