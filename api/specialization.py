"""ONNX models compiled for the shapes, and the values, that their runs are fed."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from threading import Lock
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, ValueInfoProto

from glow.compiler import compile_model
from glow.importers.onnx.signature import extents_of
from glow.model import load_model
from glow.options import Options
from glow.runtime.interface import Executable
from glow.runtime.signature import Array
from glow.support.errors import BindingError, UnsupportedModelError

Key = tuple[tuple[object, ...], ...]


class Specialized:
    """
    A model, and what it was compiled to for the runs that were.

    A run gives symbolic dimensions their extents, and inputs that must be known when
    the model is compiled their values; the importer says which these are. What neither
    is left open in is compiled at once.
    Errors: UnsupportedModelError for what no value of an input would help.
    """

    def __init__(self, model: ModelProto, target: str, cache_size: int):
        if cache_size < 1:
            raise ValueError(f"expected a cache_size of at least 1, got {cache_size}")
        self._target = target
        self._size = cache_size
        self._lock = Lock()
        self._cache: OrderedDict[Key, Future[Executable]] = OrderedDict()
        self._constants: frozenset[str] = frozenset()
        self._fixed: Executable | None = None
        self._model = ModelProto()  # stays empty where nothing is left open
        if has_static_shapes(model):
            try:
                self._fixed = _compiled(model, target, {}, {})
                return
            except UnsupportedModelError as error:
                if not error.unknown_inputs:
                    raise
                self._constants = error.unknown_inputs
        self._model.CopyFrom(model)

    def run(self, feeds: Mapping[str, Array]) -> dict[str, Array]:
        """Return the results for arrays by name."""
        if self._fixed is not None:
            return self._fixed.run(feeds)
        dims = _dims_of(self._model, feeds)
        while True:
            names = self._constants
            constants = {name: feeds[name] for name in sorted(names & feeds.keys())}
            try:
                executable = self._executable(dims, constants)
            except UnsupportedModelError as error:
                more = error.unknown_inputs & feeds.keys()
                if more <= names:
                    raise
                with self._lock:
                    self._constants |= more
                continue
            rest = {n: array for n, array in feeds.items() if n not in constants}
            return executable.run(rest)

    def _executable(
        self, dims: Mapping[str, int], constants: Mapping[str, Array]
    ) -> Executable:
        """Return what these are compiled to; one thread does, others wait for it."""
        key = (*dims.items(), *((n, *_digest(a)) for n, a in constants.items()))
        with self._lock:
            found = self._cache.get(key)
            is_new = found is None
            if found is None:
                found = self._cache[key] = Future()
                if len(self._cache) > self._size:
                    self._cache.popitem(last=False)
            self._cache.move_to_end(key)
        if is_new:
            try:
                found.set_result(_compiled(self._model, self._target, dims, constants))
            except BaseException as error:
                with self._lock:
                    self._cache.pop(key, None)
                found.set_exception(error)
        return found.result()


def _compiled(
    model: ModelProto,
    target: str,
    dims: Mapping[str, int],
    constants: Mapping[str, Array],
) -> Executable:
    found = load_model(model, dims, constants=constants)
    return compile_model(found, target, Options())


def inputs_of(graph: GraphProto) -> list[ValueInfoProto]:
    """Return the inputs that are no weights."""
    weights = {tensor.name for tensor in graph.initializer}
    weights |= {tensor.values.name for tensor in graph.sparse_initializer}
    return [info for info in graph.input if info.name not in weights]


def has_static_shapes(model: ModelProto) -> bool:
    """Say whether no input that is a tensor has a symbolic dimension."""
    extents = (extents_of(info) or () for info in inputs_of(model.graph))
    return not any(isinstance(extent, str) for found in extents for extent in found)


def array_of(value: object) -> Array:
    """Return `value` as an array; what is none, such as a sequence, as one object."""
    try:
        return np.asarray(value)
    except ValueError:
        found = np.empty((), object)
        found[()] = value
        return found


def _dims_of(model: ModelProto, feeds: Mapping[str, Array]) -> dict[str, int]:
    """Return the extents that `feeds` give to the symbolic dimensions of `model`."""
    found: dict[str, int] = {}
    for info in inputs_of(model.graph):
        extents, array = extents_of(info), feeds.get(info.name)
        if extents is None or array is None:
            continue
        if len(extents) != array.ndim:
            raise BindingError(
                f'input "{info.name}" has {array.ndim} axes, expected {len(extents)}'
            )
        for extent, given in zip(extents, array.shape, strict=True):
            if isinstance(extent, str) and found.setdefault(extent, given) != given:
                raise BindingError(
                    f'dimension "{extent}" is {given} in input "{info.name}", '
                    f"{found[extent]} before"
                )
    return found


def _digest(array: Array) -> tuple[Any, ...]:
    """Return what tells `array` from others, in few bytes."""
    data = hashlib.sha256(array.tobytes()).digest()
    return array.dtype.str, array.shape, data
