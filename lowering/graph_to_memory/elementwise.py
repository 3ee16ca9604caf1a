"""Lower elementwise ops and groups of them to one region of scalar ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.memory.elementwise import ElementwiseOp, YieldOp
from glow.lowering.graph_to_memory.scalar_activation import RULES
from glow.lowering.graph_to_memory.scalar_body import ScalarBody
from glow.lowering.graph_to_memory.state import Lowering
from glow.support.types import element_of, shape_of, tensor_type


class Fusion:
    """
    A region under construction: which buffers it reads and what its ops compute.

    `leading` are scalars that come before the inputs, such as a product's element.
    """

    def __init__(self, lowering: Lowering):
        self.lowering = lowering
        self.block = Block()
        self.body = ScalarBody(self.block)
        self.inputs: list[SSAValue] = []
        self._scalars: dict[SSAValue, SSAValue] = {}

    def argument(self, value: SSAValue) -> SSAValue:
        """Add a region argument that stands for one element of `value`."""
        arg = self.body.argument(element_of(value))
        self._scalars[value] = arg
        return arg

    def replace(self, value: SSAValue, scalar: SSAValue) -> None:
        """Say that `scalar` is what the rest of the region knows as `value`."""
        self._scalars[value] = scalar

    def scalar(self, value: SSAValue, source: SSAValue) -> SSAValue:
        """Return one element of `value`, which the graph outside knows as `source`."""
        if value not in self._scalars:
            inlined = self._inline(source)
            if inlined is not None:
                self._scalars[value] = inlined
            else:
                if isinstance(source.owner, LiteralOp):
                    self.lowering.bind_literal(source.owner)
                self.inputs.append(source)
                self.argument(value)
        return self._scalars[value]

    def _inline(self, source: SSAValue) -> SSAValue | None:
        """Return a known one-element tensor as a scalar constant."""
        if any(extent != 1 for extent in shape_of(source)):
            return None
        array = self.lowering.known(source)
        if array is None or not isinstance(tensor_type(source).encoding, NoneAttr):
            return None
        return self.body.const(array.reshape(-1)[0].item(), element_of(source))

    def append(self, op: Operation, sources: dict[SSAValue, SSAValue]) -> None:
        """Append what `op` does; `sources` maps region arguments to graph values."""
        operands = [self.scalar(v, sources.get(v, v)) for v in op.operands]
        self._scalars[op.results[0]] = RULES[type(op)](self.body, op, operands)

    def finish(self, results: Sequence[SSAValue]) -> Region:
        """End the region with the elements of `results`."""
        self.block.add_op(YieldOp([self._scalars[value] for value in results]))
        return Region(self.block)


def is_elementwise(op: Operation) -> bool:
    return type(op) in RULES


def lower_chain(
    lowering: Lowering,
    ops: Sequence[Operation],
    sources: dict[SSAValue, SSAValue],
    inner: Sequence[SSAValue],
    results: Sequence[SSAValue],
) -> None:
    """Lower `ops`, whose values `inner` are the graph's `results`, to one op."""
    fusion = Fusion(lowering)
    for op in ops:
        if not isinstance(op, LiteralOp):
            fusion.append(op, sources)
    region = fusion.finish(inner)
    inputs = [lowering[value] for value in fusion.inputs]
    outs = [lowering.destination(value) for value in results]
    lowering.add(ElementwiseOp(inputs, outs, region))


def lower_elementwise(lowering: Lowering, op: GraphOp) -> None:
    """A single elementwise op is a chain of one."""
    lower_chain(lowering, [op], {}, op.results, op.results)
