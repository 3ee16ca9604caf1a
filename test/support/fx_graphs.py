"""Graphs with the shape of torch.fx's, of one operator each, made without torch."""

import operator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

import glow
from glow.formats.pytorch.fx_graph import FxInput, import_graph
from glow.model import Model
from glow.tracing.pytrees import ShapeDtype


@dataclass(eq=False)
class FxNode:
    """A node, as torch.fx.Node is."""

    op: str
    name: str
    target: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass
class OperatorGraph:
    """A graph that calls an operator, with as many results; arrays are its inputs."""

    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    results: int | None = None
    """None for an operator whose result is not a tuple."""

    def __post_init__(self) -> None:
        self.nodes: list[FxNode] = []
        self.inputs: list[FxInput] = []
        self.arrays: list[Any] = []
        given = tuple(map(self._known, self.args))
        named = {name: self._known(value) for name, value in self.kwargs.items()}
        target = self.target
        if isinstance(target, str):
            target = f"aten.{target}"
        made = [FxNode("call_function", "call", target, given, named)]
        if self.results is not None:
            parts = [(made[0], number) for number in range(self.results)]
            made += [
                FxNode("call_function", f"part{part[1]}", operator.getitem, part)
                for part in parts
            ]
        results = made[1:] or made
        self.nodes += [*made, FxNode("output", "output", "output", (tuple(results),))]

    def _known(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(map(self._known, value))
        if not isinstance(value, np.ndarray):
            return value
        name = f"x{len(self.inputs)}"
        self.nodes.append(FxNode("placeholder", name, name))
        self.inputs.append(FxInput(name, ShapeDtype(value.shape, value.dtype)))
        self.arrays.append(value)
        return self.nodes[-1]

    def run(self, target: str = "reference") -> list[Any]:
        """Return the results, computed by a target."""
        made = import_graph(SimpleNamespace(nodes=self.nodes), self.inputs, {})
        found = glow.compile(Model("operator", made.module), target).run(
            tuple(self.arrays)
        )
        return [found[each.name] for each in made.results]
