"""Order the nodes of a graph so that every value is made before it is read."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from glow.importers.onnx.records import Record
from glow.support.errors import InvalidModelError


def ordered(nodes: Sequence[Record], given: Iterable[str]) -> list[Record]:
    """
    Return `nodes` in an order that works, the one they have if it does.

    Errors: a name made twice, a name read that nothing makes, a cycle.
    """
    maker = _makers(nodes, set(given))
    waiting: list[int] = []
    readers: list[list[int]] = [[] for _ in nodes]
    for index, node in enumerate(nodes):
        sources = {maker[n] for n in _read(node, maker) if maker[n] is not None}
        waiting.append(len(sources))
        for source in sources:
            assert source is not None
            readers[source].append(index)
    ready = [index for index, count in enumerate(waiting) if not count]
    order: list[Record] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(nodes[index])
        for reader in readers[index]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    if len(order) < len(nodes):
        raise InvalidModelError(_cycle(nodes, waiting, maker))
    return order


def _makers(nodes: Sequence[Record], given: set[str]) -> dict[str, int | None]:
    """Map each name to the node that makes it; None for what is given."""
    maker: dict[str, int | None] = dict.fromkeys(given)
    for index, node in enumerate(nodes):
        for name in filter(None, node.outputs):
            if name in maker:
                raise InvalidModelError(f'{node.label} makes "{name}" a second time')
            maker[name] = index
    return maker


def _read(node: Record, maker: dict[str, int | None]) -> list[str]:
    names = [name for name in node.reads if name]
    for name in names:
        if name not in maker:
            raise InvalidModelError(f'{node.label} reads "{name}", which nothing makes')
    return names


def _cycle(
    nodes: Sequence[Record], waiting: list[int], maker: dict[str, int | None]
) -> str:
    """Follow inputs among the nodes that still wait until one comes again."""
    index = next(i for i, count in enumerate(waiting) if count)
    path: list[int] = []
    seen: set[int] = set()
    while index not in seen:
        path.append(index)
        seen.add(index)
        sources = [maker[name] for name in nodes[index].reads if name]
        index = next(s for s in sources if s is not None and waiting[s])
    cycle = [nodes[i].source for i in path[path.index(index) :]]
    cycle.reverse()
    shown = [*cycle[:5], "..."] if len(cycle) > 5 else cycle
    names = " -> ".join(f'"{name}"' for name in [*shown, cycle[0]])
    return f"the graph has a cycle: {names}"
