"""Lower 3x3 convolutions to Winograd's algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from itertools import product

import numpy as np

from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing
from glow.dialects.memory.compute import ConvOp
from glow.lowering.convolution.winograd import (
    Form,
    form_with,
    winograd_block,
    winograd_stride,
)
from glow.lowering.memory_to_loops._epilogue import (
    IDENTITY,
    Epilogue,
    Matrix,
)
from glow.lowering.memory_to_loops.kernels.winograd import Winograd, WinogradRow
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.product import Product, plan_product
from glow.lowering.memory_to_loops.rows import Offsets, Table, offsets_of


def call_winograd(
    main: Main,
    op: ConvOp,
    input: Addressing,
    result: Addressing,
    pads: Sequence[int],
    epilogue: Epilogue,
) -> None:
    """Append the call that computes `op`; the input has the border that tiles read."""
    target, table = main.target, Table()
    places, *_, panel = physical_shape_of(op.filter.type)
    form = form_with(places)
    block = winograd_block(target, form, input.shape, result.shape)
    inputs, outputs = input.shape[1], result.shape[1]
    matrices = winograd_stride(block, inputs), winograd_stride(block, outputs)
    products = _core(form, block, inputs, outputs, panel, matrices)
    core = plan_product(target, products, table)
    tiles, pixels = _places(form, input, result, pads)
    row = WinogradRow(
        tiles=form.tiles(result.shape),
        block=block,
        inputs=inputs,
        outputs=outputs,
        line=input.strides[2],
        pixel=input.strides[3],
        input_stride=matrices[0],
        product_stride=matrices[1],
        products_at=places * matrices[0],
        input_at=table.add(tiles),
        result_at=table.add(
            Matrix.of(result.shape, result.strides, 1).offsets()[pixels]
        ),
    )
    extras = [
        number
        for extra in epilogue.matrices
        for number in (table.add(extra.offsets()[pixels]), extra.column_stride)
    ]
    kernel = Winograd(
        form.tile,
        target.f32_lanes,
        tuple(gemm for gemm, _ in core),
        epilogue.program,
        epilogue.kinds,
        has_bias=op.bias is not None,
    )
    assert op.scratch is not None
    bias = [] if op.bias is None else [op.bias]
    buffers = [op.input, op.filter, *bias, *epilogue.extras, op.scratch, op.result]
    arguments = [main.base(buffer) for buffer in buffers]
    arguments.append(main.offsets(table.array()))
    numbers = [*astuple(row), *extras]
    for _, integers in core:
        numbers += integers
    main.call(kernel, arguments, numbers)


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
) -> Product:
    """Return the products of one block: tiles by channels at each of the places."""
    places = np.arange(form.places, dtype=np.int64)
    panels = -(-outputs // panel)
    return Product(
        epilogue=IDENTITY,
        has_bias=False,
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
