"""The weights that a model holds itself: its initializers, dense and sparse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from onnx import GraphProto

from glow.importers.onnx.records import text_of
from glow.importers.onnx.tensors import array_of, dense_of
from glow.support.errors import InvalidModelError


class Weights:
    """
    The weights of a graph by name, read when they are asked for.

    `payloads` are the raw data of the dense ones, None where these still have it.
    `given` holds arrays from elsewhere, which come first.
    Errors: an InvalidModelError for two of one name.
    """

    def __init__(
        self,
        graph: GraphProto,
        payloads: Sequence[memoryview | None],
        folder: Path | None,
        given: Mapping[str, NDArray[Any]],
    ):
        dense = [text_of(t.name, "an initializer name") for t in graph.initializer]
        sparse = [
            text_of(s.values.name, "an initializer name")
            for s in graph.sparse_initializer
        ]
        check_distinct([*dense, *sparse], "initializers")
        self._dense = dict(zip(dense, graph.initializer, strict=True))
        self._sparse = dict(zip(sparse, graph.sparse_initializer, strict=True))
        self._payloads = dict(zip(dense, payloads, strict=False))
        self._folder = folder
        self._given = given

    def __iter__(self) -> Iterator[str]:
        return iter({**self._given, **self._dense, **self._sparse})

    def __contains__(self, name: object) -> bool:
        return name in self._given or name in self._dense or name in self._sparse

    def array(self, name: str) -> NDArray[Any]:
        """Return the weight called `name`; what a sparse one leaves out is 0."""
        owner = f'initializer "{name}"'
        if name in self._given:
            return self._given[name]
        if name in self._sparse:
            return dense_of(self._sparse[name], owner, self._folder)
        payload = self._payloads.get(name)
        return array_of(self._dense[name], owner, self._folder, payload)


def check_distinct(names: Sequence[str], what: str) -> None:
    """Raise if two of `names`, which are of the graph's `what`, are the same."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidModelError(f'the graph has two {what} named "{name}"')
        seen.add(name)
