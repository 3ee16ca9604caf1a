"""Lower recurrent cells: a loop over steps, in blocks of units, a few rows at once."""

from __future__ import annotations

from xdsl.ir import Attribute

from glow.codegen.memory import Strips
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.recurrent import GruOp, LstmOp, RnnOp
from glow.lowering.memory_to_loops.kernels.kernel import Work
from glow.lowering.memory_to_loops.kernels.recurrent import Recurrent
from glow.lowering.memory_to_loops.kernels.recurrent_cells import Gru, Lstm, Rnn
from glow.lowering.memory_to_loops.kernels.recurrent_states import (
    STRIDES,
    RecurrentRow,
    Tiles,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.targets import Target
from glow.support.types import compute_type, dtype_of


@lowers(LstmOp)
def lower_lstm(main: Main, op: LstmOp) -> None:
    _lower(main, op, Lstm, input_forget=op.input_forget is not None)


@lowers(GruOp)
def lower_gru(main: Main, op: GruOp) -> None:
    _lower(main, op, Gru)


@lowers(RnnOp)
def lower_rnn(main: Main, op: RnnOp) -> None:
    _lower(main, op, Rnn)


def _lower(
    main: Main,
    op: LstmOp | GruOp | RnnOp,
    kind: type[Recurrent],
    **flags: bool,
) -> None:
    steps, batch, blocks, gates, p = addressing_of(op.rows).shape
    units = addressing_of(op.recurrence).shape[1]
    buffers = op.present(*op.OPTIONAL, *op.RESULTS, *op.SCRATCH)
    element = buffer_type(op.rows).element_type
    size = main.target.vector_bytes // dtype_of(compute_type(element)).itemsize
    tiles = _tiles(main.target, batch, gates * p // size)
    strided = {n: addressing_of(b) for n, b in buffers.items() if n in STRIDES}
    kernel = kind(
        element,
        lanes=size,
        vectors=p // size,
        tiles=tiles,
        reverse=op.reverse is not None,
        given=tuple(buffers),
        strips=_strips(main.target, element, strided),
        programs=tuple(ScalarProgram.of(region) for region in op.activations),
        clip=None if op.clip is None else op.clip.value.data,
        **flags,
    )
    code = 0  # of no message: every step is one of the sequence
    if op.sequence_lens is not None:
        code = main.message(op, f"expected a sequence length in [0, {steps}]")
    along, across = addressing_of(op.rows).strides[:2]
    strides = tuple(strided[name].strides for name in kernel.strided)
    whole = batch // tiles.rows
    sizes = steps, batch, blocks, units, whole
    row = RecurrentRow(*sizes, (along, across), code, strides)
    arguments = [main.base(b) for b in (op.rows, op.recurrence, *buffers.values())]
    cost = steps * tiles.rows * blocks * gates * p * units
    work = Work(whole + bool(tiles.rest), cost)
    main.call(kernel, [*arguments, main.fault], row, work)


def _strips(
    target: Target, element: Attribute, strided: dict[str, Addressing]
) -> Strips:
    """Return how states are copied: in vectors where their units are neighbors."""
    states = [a for name, a in strided.items() if name != "sequence_lens"]
    if any(a.shape[-1] != 1 and a.strides[-1] != 1 for a in states):
        return Strips(0)
    return Strips.of(target, [element, compute_type(element)])


def _tiles(target: Target, batch: int, vectors: int) -> Tiles:
    """Return the tiles of a batch; the sums of one must fit into registers."""
    most = max(min((target.registers - 2) // vectors - 1, target.tile_rows), 1)
    count = -(-batch // most)
    rows = -(-batch // count)
    return Tiles(rows, batch % rows, target.sums_in_flight)
