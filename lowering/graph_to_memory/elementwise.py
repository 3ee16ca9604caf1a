"""Lower elementwise ops and groups of them to one region of scalar ops."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import Operation, Region, SSAValue

from glow.codegen.values import Value, constant
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.memory import elementwise as memory
from glow.lowering.graph_to_memory.scalar import ScalarRegion, element_of_result
from glow.lowering.graph_to_memory.state import Lowering
from glow.support.types import element_of, shape_of, tensor_type


class Fusion:
    """A region under construction: which buffers it reads and what its ops compute."""

    def __init__(self, lowering: Lowering):
        self.lowering = lowering
        self.inputs: list[SSAValue] = []
        self._region = ScalarRegion()
        self._scalars: dict[SSAValue, Value] = {}

    def argument(self, value: SSAValue) -> Value:
        """Add a region argument that stands for one element of `value`."""
        self._scalars[value] = self._region.argument(element_of(value))
        return self._scalars[value]

    def add(self, value: SSAValue, bias: SSAValue, source: SSAValue) -> None:
        """Add an element of `bias` to what the rest of the region knows as `value`."""
        with self._region.writing():
            self._scalars[value] += self._scalar(bias, source)

    def _scalar(self, value: SSAValue, source: SSAValue) -> Value:
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

    def _inline(self, source: SSAValue) -> Value | None:
        """Return a known one-element tensor as a scalar constant."""
        if any(extent != 1 for extent in shape_of(source)):
            return None
        array = self.lowering.known(source)
        if array is None or not isinstance(tensor_type(source).encoding, NoneAttr):
            return None
        return constant(array.reshape(-1)[0].item(), element_of(source))

    def append(self, op: Operation, sources: dict[SSAValue, SSAValue]) -> None:
        """Append what `op` does; `sources` maps region arguments to graph values."""
        op = cast(ElementwiseOp, op)
        with self._region.writing():
            slots = [
                None if v is None else self._scalar(v, sources.get(v, v))
                for v in cast(Sequence[SSAValue | None], op.slots())
            ]
            result = element_of_result(type(op), slots, op.parameters())
        self._scalars[op.results[0]] = result

    def finish(self, results: Sequence[SSAValue]) -> Region:
        """End the region with the elements of `results`."""
        return self._region.finish(*(self._scalars[value] for value in results))


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
    lowering.add(memory.ElementwiseOp(inputs, outs, region))


def lower_elementwise(lowering: Lowering, op: GraphOp) -> None:
    """Lower a single elementwise op, a chain of one."""
    lower_chain(lowering, [op], {}, op.results, op.results)
