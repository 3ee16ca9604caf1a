"""ONNX models compiled for the shapes, and the values, that their runs are fed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, ValueInfoProto

from glow.compiler import compile_model
from glow.importers.onnx import open_dimensions, read
from glow.loading import load_model
from glow.onnx_model import symbolic_model
from glow.options import Options
from glow.runtime.interface import Executable
from glow.runtime.signature import Array
from glow.runtime.specializations import Specializations
from glow.runtime.symbolic import Dims
from glow.support.errors import UnsupportedModelError


class Specialized:
    """
    A model, and what it was compiled to for the runs that were.

    A run gives symbolic dimensions their extents, and inputs that must be known when
    the model is compiled their values; the importer says which these are. What neither
    is left open in is compiled at once.
    Errors: UnsupportedModelError for what no value of an input would help.
    """

    def __init__(self, model: ModelProto, target: str, cache_size: int):
        self._target = target
        self._kept = Specializations(cache_size)
        self._constants: frozenset[str] = frozenset()
        self._fixed: Executable | None = None
        if has_static_shapes(model):
            try:
                self._fixed = compile_model(load_model(model, {}), target, Options())
                return
            except UnsupportedModelError as error:
                if not error.unknown_inputs:
                    raise
                self._constants = error.unknown_inputs
        self._model = symbolic_model("model", read(model), {}, {})

    def run(self, feeds: Mapping[str, Array]) -> dict[str, Array]:
        """Return the results for arrays by name."""
        if self._fixed is not None:
            return self._fixed.run(feeds)
        dims = self._model.signature.dims_of(feeds)
        while True:
            names = self._constants
            constants = {name: feeds[name] for name in sorted(names)}
            try:
                net = self._compiled(dims, constants)
            except UnsupportedModelError as error:
                if error.unknown_inputs <= names:
                    raise
                self._constants |= error.unknown_inputs
                continue
            return net.run({n: a for n, a in feeds.items() if n not in names})

    def _compiled(self, dims: Dims, constants: Mapping[str, Array]) -> Executable:
        """Return what these are compiled to; one thread does, others wait for it."""
        key = (*dims.items(), *((n, *_digest(a)) for n, a in constants.items()))

        def compile() -> Executable:
            model = self._model.specialize(dims, constants)
            return compile_model(model, self._target, Options())

        return self._kept.get(key, compile)


def inputs_of(graph: GraphProto) -> list[ValueInfoProto]:
    """Return the inputs that are no weights."""
    weights = {tensor.name for tensor in graph.initializer}
    weights |= {tensor.values.name for tensor in graph.sparse_initializer}
    return [info for info in graph.input if info.name not in weights]


def has_static_shapes(model: ModelProto) -> bool:
    """Say whether no input that is a tensor has a symbolic dimension."""
    return not open_dimensions(read(model), {}, {})


def array_of(value: object) -> Array:
    """Return `value` as an array; what is none, such as a sequence, as one object."""
    try:
        return np.asarray(value)
    except ValueError:
        found = np.empty((), object)
        found[()] = value
        return found


def _digest(array: Array) -> tuple[Any, ...]:
    """Return what tells `array` from others, in few bytes."""
    data = hashlib.sha256(array.tobytes()).digest()
    return array.dtype.str, array.shape, data
