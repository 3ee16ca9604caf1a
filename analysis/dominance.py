"""Dominators: blocks of a region that every path to another block goes through."""

from xdsl.ir import Block, Region


class Dominance:
    """
    The dominator tree of a region with a single entry, its first block.

    Blocks that no path reaches are dominated by every block.
    Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
    """

    def __init__(self, region: Region):
        order = _reverse_postorder(region)
        self._number = {block: number for number, block in enumerate(order)}
        self._parent: dict[Block, Block] = {}
        if order:
            self._parent[order[0]] = order[0]
            self._solve(order)

    def _solve(self, order: list[Block]) -> None:
        predecessors: dict[Block, list[Block]] = {block: [] for block in order}
        for block in order:
            for successor in _successors(block):
                predecessors[successor].append(block)
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                known = [p for p in predecessors[block] if p in self._parent]
                parent = known[0]
                for other in known[1:]:
                    parent = self._meet(parent, other)
                if self._parent.get(block) is not parent:
                    self._parent[block] = parent
                    changed = True

    def _meet(self, a: Block, b: Block) -> Block:
        while a is not b:
            if self._number[a] < self._number[b]:
                b = self._parent[b]
            else:
                a = self._parent[a]
        return a

    def dominates(self, a: Block, b: Block) -> bool:
        """Return whether every path from the entry to `b` visits `a`."""
        if b not in self._number:
            return True
        if a not in self._number:
            return False
        while self._number[b] > self._number[a]:
            b = self._parent[b]
        return a is b


def _successors(block: Block) -> list[Block]:
    return list(block.last_op.successors) if block.last_op is not None else []


def _reverse_postorder(region: Region) -> list[Block]:
    entry = region.blocks.first
    if entry is None:
        return []
    seen, finished = {entry}, list[Block]()
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, remaining = stack[-1]
        successor = next((b for b in remaining if b not in seen), None)
        if successor is None:
            finished.append(block)
            stack.pop()
        else:
            seen.add(successor)
            stack.append((successor, iter(_successors(successor))))
    return finished[::-1]
