"""Minimum cuts of a network of costs."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from math import inf


class Network:
    """
    Nodes on one side or the other, and the costs of parting them.

    Units: costs are integers of any one unit, or infinite.
    """

    def __init__(self, source: Hashable, sink: Hashable):
        self._source = source
        self._sink = sink
        self._left: dict[Hashable, dict[Hashable, float]] = {source: {}, sink: {}}

    def add(self, tail: Hashable, head: Hashable, cost: float) -> None:
        """Add a cost for `tail` on the side of the source and `head` on the other."""
        assert cost >= 0, f"expected a cost of at least 0, got {cost}"
        edges = self._left.setdefault(tail, {})
        edges[head] = edges.get(head, 0) + cost
        self._left.setdefault(head, {}).setdefault(tail, 0)

    def source_sides(self) -> tuple[set[Hashable], set[Hashable]]:
        """
        Return the nodes on the source's side of a minimum cut: the fewest, and most.

        Source: Edmonds and Karp's maximum flow, which uses the network up.
        """
        while self._sink in (before := self._reached()):
            self._push(before)
        return set(before), self._left.keys() - self._behind()

    def _reached(self) -> dict[Hashable, Hashable]:
        """Return the nodes that flow can still reach, each with the one before it."""
        reached: dict[Hashable, Hashable] = {self._source: self._source}
        queue = deque([self._source])
        while queue and self._sink not in reached:
            tail = queue.popleft()
            for head, cost in self._left[tail].items():
                if cost > 0 and head not in reached:
                    reached[head] = tail
                    queue.append(head)
        return reached

    def _behind(self) -> set[Hashable]:
        """Return the nodes from which flow could still reach the sink."""
        behind = {self._sink}
        queue = deque(behind)
        while queue:
            head = queue.popleft()
            for tail in self._left[head]:  # edges go both ways, if only one has room
                if self._left[tail][head] > 0 and tail not in behind:
                    behind.add(tail)
                    queue.append(tail)
        return behind

    def _push(self, before: dict[Hashable, Hashable]) -> None:
        """Send as much flow as fits along the path that `before` has to the sink."""
        path: list[tuple[Hashable, Hashable]] = []
        head = self._sink
        while head != self._source:
            path.append((before[head], head))
            head = before[head]
        amount = min(self._left[tail][head] for tail, head in path)
        assert amount < inf, "expected a cut of finite cost"
        for tail, head in path:
            self._left[tail][head] -= amount
            self._left[head][tail] += amount
