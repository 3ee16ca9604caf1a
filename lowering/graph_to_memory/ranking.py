"""Lower top_k, with room to put one line into order."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from glow.dialects.graph import ranking as graph
from glow.dialects.memory.ranking import TopKOp
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.types import element_of, normalize_axis, shape_of


@lowers(graph.TopKOp)
def _top_k(lowering: Lowering, op: graph.TopKOp) -> None:
    values, indices = (
        None if result is None else lowering.destination(result)
        for result in (op.values, op.indices)
    )
    k = op.k
    heap = lowering.temporary(element_of(op.input), (k,))
    places = lowering.temporary(i64, (k,))
    axis = normalize_axis(op.axis, len(shape_of(op.input)))
    source, largest = lowering[op.input], op.largest
    new = TopKOp(source, values, indices, heap, places, axis=axis, largest=largest)
    lowering.add(new)
