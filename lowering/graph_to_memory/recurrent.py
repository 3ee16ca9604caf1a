"""Lower recurrent ops: one product for all steps, then a walk per direction."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Region, SSAValue

from glow.codegen.functions import tanh
from glow.dialects.graph.recurrent import GruOp, LstmOp, RnnOp
from glow.dialects.graph.recurrent_base import ACTIVATIONS, Activation, directions_of
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory import recurrent as memory
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import Buffer
from glow.dialects.memory.elementwise import ElementwiseOp, FillOp
from glow.dialects.memory.products import MatMulOp
from glow.lowering.graph_to_memory._units import Units
from glow.lowering.graph_to_memory.convolution import room_in_f32
from glow.lowering.graph_to_memory.scalar import ScalarRegion, element_of_result
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.lowering.tiles import matrix_panels, unit_block
from glow.support.layout import pack, row_major_strides
from glow.support.types import compute_type, element_of, number_attribute

AnyRecurrent = LstmOp | GruOp | RnnOp


@lowers(LstmOp, GruOp, RnnOp)
def _recurrent(lowering: Lowering, op: AnyRecurrent) -> None:
    cell = _CellLowering(lowering, op)
    results = {name: getattr(op, name) for name in op.RESULTS}
    outs = {
        name: lowering.destination(value)
        for name, value in results.items()
        if value is not None
    }
    s = cell.sizes
    if not s.batch or not s.hidden:
        return
    if not s.steps:
        zero = number_attribute(0, cell.element)
        for buffer in outs.values():
            lowering.add(FillOp(zero, buffer))
        return
    rows, late = cell.rows()
    for number, is_reverse in enumerate(directions_of(op.direction)):
        buffers = {name: cell.of_walk(outs[name], number) for name in outs}
        lowering.add(cell.walk(rows, late, number, is_reverse, buffers))


class _CellLowering:
    """One recurrent op while it is lowered."""

    def __init__(self, lowering: Lowering, op: AnyRecurrent):
        self.lowering, self.op, self.p = lowering, op, op.parameters()
        names = [name for name, _ in op.get_irdl_definition().operands]
        self.given: dict[str, SSAValue | None] = {n: getattr(op, n) for n in names}
        self.sizes = op.sizes
        self.element: Attribute = element_of(op.input)
        self.gates = op.GATES
        block = unit_block(
            lowering.target,
            compute_type(self.element),
            self.gates,
            self.sizes.hidden,
            self.sizes.batch,
        )
        self.block, self.gates_apart = block.units, block.gates_apart
        self.blocks = -(-self.sizes.hidden // self.block)
        self.is_late = bool(self.p.get("linear_before_reset")) and op.bias is not None

    def _units(
        self,
        value: SSAValue,
        at: int,
        parts: Sequence[tuple[int, int]],
        offset: int = 0,
    ) -> Units:
        """Return units of `value`; `parts` are the extent and stride of each axis."""
        shape, strides = zip(*parts, strict=True)
        return Units(value, Addressing(shape, strides, offset), at, self.block)

    # What all steps take of the input

    def rows(self) -> tuple[SSAValue, SSAValue | None]:
        """
        Return the input's part of all gates, [T, B, D, U, G, p], and a late bias.

        The late bias, [D, U, p] of one gate, is added to its product with the state.
        """
        s, lowering = self.sizes, self.lowering
        columns = s.walks * self.blocks * self.gates * self.block
        x = lowering[self.op.input]
        if s.layout:
            x = lowering.view(x, addressing_of(x).permuted((1, 0, 2)))
        bias, late = self._biases()
        if bias is not None:
            bias = lowering.view(bias, Addressing((columns,), (1,)))
        out = lowering.temporary(self.element, (s.steps, s.batch, columns))
        factors, room = (x, self._matrix(columns), bias), room_in_f32(lowering, x)
        lowering.add(MatMulOp(*factors, [], scratch=room, result=out))
        shape = (s.steps, s.batch, s.walks, self.blocks, self.gates, self.block)
        return lowering.view(out, Addressing(shape, row_major_strides(shape))), late

    def _matrix(self, columns: int) -> SSAValue:
        """Return the weights of the input as a right factor."""
        s, g, lowering = self.sizes, self.gates, self.lowering
        parts = [
            (s.features, 1),
            (s.walks, g * s.hidden * s.features),
            (s.hidden, s.features),
            (g, s.hidden * s.features),
        ]
        units = self._units(self.op.weights, 2, parts)
        shape, array = (s.features, columns), units.known(lowering)
        if array is None:
            out = units.copied(lowering)
            return lowering.view(out, Addressing(shape, (columns, 1)))
        array = array.reshape(shape)
        if compute_type(self.element) != f32 or not s.features:
            return lowering.constant(array, "weights")
        panels = matrix_panels(2, 1, lowering.target.panel_width)
        type_ = Buffer(self.element, shape, LayoutAttr(panels))
        return lowering.constant(pack(panels, array), "weights", type_)

    def _biases(self) -> tuple[SSAValue | None, SSAValue | None]:
        """Return the sum of both biases, and the second's part that is added late."""
        if self.op.bias is None:
            return None, None
        s, g, n = self.sizes, self.gates, self.sizes.hidden
        parts = [(s.walks, 2 * g * n), (n, 1), (g, n)]
        first = self._units(self.op.bias, 1, parts)
        second = self._units(self.op.bias, 1, parts, g * n)
        early = g - 1 if self.is_late else g
        one, other = first.known(self.lowering), second.known(self.lowering)
        if one is not None and other is not None:
            late = np.ascontiguousarray(other[..., early:, :])
            one[..., :early, :] += other[..., :early, :]
            bias = self.lowering.constant(one, "bias")
            late = late.reshape(s.walks, self.blocks, -1)
            return bias, self.lowering.constant(late, "late") if late.size else None
        return self._summed(first, second, early)

    def _summed(
        self, first: Units, second: Units, early: int
    ) -> tuple[SSAValue, SSAValue | None]:
        """Return sums of `early` gates, then the first's others; and the second's."""
        lowering = self.lowering
        one, other = first.copied(lowering), second.copied(lowering)
        out = lowering.temporary(self.element, first.shape)
        region = ScalarRegion()
        with region.writing():
            total = region.argument(self.element) + region.argument(self.element)
        parts = [self._gates(value, 0, early) for value in (one, other, out)]
        lowering.add(ElementwiseOp(parts[:2], parts[2:], region.finish(total)))
        if early == self.gates:
            return out, None
        lowering.copy(*(self._gates(v, early, self.gates) for v in (one, out)))
        a = addressing_of(other).at(2, early)
        late = lowering.temporary(self.element, a.shape)
        lowering.copy(lowering.view(other, a), late)
        return out, late

    def _gates(self, buffer: SSAValue, first: int, last: int) -> SSAValue:
        gates = addressing_of(buffer).along(2, first, last - first)
        return self.lowering.view(buffer, gates)

    # What one direction takes

    def walk(
        self,
        rows: SSAValue,
        late: SSAValue | None,
        number: int,
        is_reverse: bool,
        outs: dict[str, SSAValue],
    ) -> memory.RecurrentOp:
        """Return the op that walks in direction `number`."""
        kind = {LstmOp: memory.LstmOp, GruOp: memory.GruOp, RnnOp: memory.RnnOp}
        s, lens = self.sizes, self.op.sequence_lens
        state = (s.batch, self.blocks, self.block)
        others = self._weights(number) | outs
        if late is not None:
            others["bias"] = self._part(late, 0, number)
        if lens is not None:
            others["sequence_lens"] = self.lowering[lens]
        for name in ("initial_h", "initial_c"):
            value = self.given.get(name)
            if value is not None:
                others[name] = self.of_walk(self.lowering[value], number)
        room = [name for name in ("c",) if isinstance(self.op, LstmOp)]
        room += [name for name in ("reset", "update") if "renewal" in others]
        # States of f16 are kept in f32: they are rounded where they are stored.
        wide = compute_type(self.element)
        others["h"] = self.lowering.temporary(wide, (2, *state))
        others |= {n: self.lowering.temporary(wide, state) for n in room}
        return kind[type(self.op)](
            rows=self._part(rows, 2, number),
            regions=[[self._region(f) for f in self.op.activations_of(number)]],
            clip=self.p["clip"],
            reverse=is_reverse,
            **others,
            **{name: self.p[name] for name in ("input_forget",) if name in self.p},
        )

    def _weights(self, number: int) -> dict[str, SSAValue]:
        """
        Return the weights of the state, those of the new state apart if need be.

        In a block they lie gate after gate if gates are computed apart; else all gates
        of a unit of the state lie together.
        """
        n, g = self.sizes.hidden, self.gates
        is_split = isinstance(self.op, GruOp) and not self.p["linear_before_reset"]
        cuts = {"recurrence": (0, g)}
        if is_split:
            cuts = {"recurrence": (0, g - 1), "renewal": (g - 1, g)}
        buffers: dict[str, SSAValue] = {}
        for name, (first, last) in cuts.items():
            parts = [(n, n), (n, 1), (last - first, n * n)]
            if self.gates_apart:
                parts = [parts[0], parts[2], parts[1]]
            offset = (number * g + first) * n * n
            units = self._units(self.op.recurrence, 0, parts, offset)
            buffer = units.buffer(self.lowering, name)
            if self.gates_apart:
                where = addressing_of(buffer).permuted((0, 2, 1, 3))
                buffer = self.lowering.view(buffer, where)
            buffers[name] = buffer
        peepholes = self.given.get("peepholes")
        if peepholes is not None:
            units = self._units(peepholes, 1, [(3, n), (n, 1)], number * 3 * n)
            buffers["peepholes"] = units.buffer(self.lowering, "peepholes")
        return buffers

    def of_walk(self, buffer: SSAValue, number: int) -> SSAValue:
        """Return the part of direction `number`: [T, B, H] or [B, H], in this order."""
        rank = len(addressing_of(buffer).shape)
        if not self.sizes.layout:
            return self._part(buffer, rank - 3, number)
        part = self._part(buffer, rank - 2, number)
        if rank == 3:
            return part
        return self.lowering.view(part, addressing_of(part).permuted((1, 0, 2)))

    def _part(self, buffer: SSAValue, axis: int, number: int) -> SSAValue:
        """Return `buffer` at a place along `axis`, without that axis."""
        return self.lowering.view(buffer, addressing_of(buffer).at(axis, number))

    def _region(self, function: Activation) -> Region:
        region = ScalarRegion()
        x = region.argument(self.element)
        kind, alpha, beta = ACTIVATIONS[function.name], function.alpha, function.beta
        is_f32 = compute_type(self.element) == f32
        with region.writing():
            if function.name == "sigmoid" and is_f32:
                # Half the steps of 1 / (1 + exp(-x)); 3e-7 from it at most.
                result = tanh(x * 0.5) * 0.5 + 0.5
            elif kind is not None:
                result = element_of_result(kind, [x], function.parameters)
            elif function.name == "affine":
                result = x * alpha + beta
            else:
                result = tanh(x * beta) * alpha
        return region.finish(result)
