"""Results of a graph that share memory with each other, as PyTorch's would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

_torch: Any = import_module("torch")


@dataclass(frozen=True)
class ViewedResults:
    """
    What a graph must compute, and which results are views of that.

    Where `y` and `y[0]` are results, a write to one is seen in the other: so `y` is
    computed, and PyTorch takes the view.
    """

    computed: tuple[Any, ...]
    """The node to compute for each result; None for a view of an earlier one's."""
    views: tuple[tuple[int, Any, int], ...]
    """Results that are views: their place, their node, and the place of the tensor."""
    inputs: tuple[Any, ...]

    @staticmethod
    def of(graph: Any) -> ViewedResults:
        """Return the results of a graph of ATen without writes in place."""
        inputs = tuple(node for node in graph.nodes if node.op == "placeholder")
        (output,) = (node for node in graph.nodes if node.op == "output")
        results = tuple(output.args[0])
        nodes = {each for each in results if _storage(each) is not None}
        shared = Counter(_storage(each) for each in nodes)
        computed, views = list[Any](results), list[tuple[int, Any, int]]()
        places = dict[Any, int]()
        for place, each in enumerate(results):
            if each not in nodes or shared[_storage(each)] < 2:
                continue
            whole = _whole(each)
            if whole.op == "placeholder":
                continue
            first = places.setdefault(whole, place)
            computed[place] = whole if first == place else None
            views.append((place, each, first))
        return ViewedResults(tuple(computed), tuple(views), inputs)

    def replayed(self, found: list[Any], given: Sequence[Any]) -> list[Any]:
        """Return `found`, computed for inputs `given`, with views taken of it."""
        if not self.views:
            return found
        known = dict(zip(self.inputs, given, strict=True))
        known |= {_whole(node): found[first] for _, node, first in self.views}
        for place, node, _ in self.views:
            found[place] = _value(node, known)
        return found


def _storage(node: Any) -> int | None:
    """Return a number that identifies the memory of a node's tensor, if it has one."""
    value: Any = getattr(node, "meta", {}).get("val")
    if not isinstance(value, _torch.Tensor):
        return None
    return value.untyped_storage()._cdata


def _whole(node: Any) -> Any:
    """Return the node that a chain of views begins with."""
    for operand in node.all_input_nodes:
        if _storage(operand) == _storage(node):
            return _whole(operand)
    return node


def _value(node: Any, known: dict[Any, Any]) -> Any:
    """Return what PyTorch computes for a node, of values that are known."""
    if node not in known:
        find = partial(_value, known=known)
        arguments, named = _torch.fx.node.map_arg((node.args, node.kwargs), find)
        known[node] = node.target(*arguments, **named)
    return known[node]
