"""
ONNX's backend interface: programs for `onnx.backend.base` run on Glow.

    from onnx.backend.test import BackendTest
    suite = BackendTest(glow.onnx_backend.GlowBackend, __name__)
    globals().update(suite.test_cases)

A compiled model has static shapes, and some operands are part of its code: shapes,
axes, pads. Where a model leaves these to its inputs, a run takes them from the arrays
that it is fed, and the compiled code is kept for the next run with the same values.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, ClassVar, cast
from unittest import SkipTest

import numpy as np
from onnx import ModelProto, NodeProto, ValueInfoProto, defs, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from glow.compilation import Source, compile_source
from glow.formats.onnx import open_dimensions, read
from glow.loading import load_model
from glow.options import CACHE_SIZE, Options
from glow.runtime.interface import Executable
from glow.runtime.specializations import Specializations
from glow.support.arrays import Array
from glow.support.dimensions import Dims
from glow.support.errors import BindingError, GlowError, UnsupportedModelError
from glow.symbolic_model import SymbolicModel

__all__ = [
    "BackendUnsupportedError",
    "GlowBackend",
    "GlowBackendRep",
    "GlowReferenceBackend",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]


class BackendUnsupportedError(UnsupportedModelError, SkipTest):
    """Glow lacks something that a model needs; a test that raises this is skipped."""


@contextmanager
def _skipped() -> Generator[None]:
    try:
        yield
    except UnsupportedModelError as error:
        raise BackendUnsupportedError(str(error)) from error.__cause__


class GlowBackendRep(BackendRep):
    """
    A model that is ready to run, from any number of threads.

    Inputs are passed in the order of the model, weights left out, or by name; results
    are in its order, and have names, too: `rep.run([x])["y"]`. A run gives symbolic
    dimensions their extents, and inputs that must be known when the model is compiled
    their values; the importer says which these are. A model that leaves neither open is
    compiled at once.
    """

    def __init__(self, model: ModelProto, target: str, cache_size: int):
        self._target = target
        self._kept = Specializations[Executable](cache_size)
        self._constants: frozenset[str] = frozenset()
        with _skipped():
            source = read(model)
            self._model = SymbolicModel("model", source, {}, {})
            if not open_dimensions(source, {}, {}):
                try:
                    self._compiled({}, {})
                except UnsupportedModelError as error:
                    self._learn(error)
        signature = self._model.signature
        self._inputs = [spec.name for spec in signature.inputs]
        self._outputs = [spec.name for spec in signature.outputs]
        self._results = namedtupledict("Outputs", self._outputs)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """
        Run on a list of arrays, one array, or arrays by name.

        Errors: BindingError for arrays that do not fit the model;
        BackendUnsupportedError if it needs something that Glow lacks; those of a run.
        """
        with _skipped():
            results = self._run(_feeds(inputs, self._inputs))
        return self._results(*(results[name] for name in self._outputs))

    def _run(self, feeds: Mapping[str, Array]) -> dict[str, Array]:
        dims = self._model.signature.dims_of(feeds)
        while True:
            names = self._constants
            try:
                net = self._compiled(dims, {n: feeds[n] for n in sorted(names)})
            except UnsupportedModelError as error:
                self._learn(error)
                continue
            return net.run({n: a for n, a in feeds.items() if n not in names})

    def _learn(self, error: UnsupportedModelError) -> None:
        """Note the inputs that must be known; raise `error` where none is new."""
        if error.unknown_inputs <= self._constants:
            raise error
        self._constants |= error.unknown_inputs

    def _compiled(self, dims: Dims, constants: Mapping[str, Array]) -> Executable:
        """Return the executable for these; one thread compiles it, others wait."""
        values = (
            (name, array.dtype.str, array.shape, sha256(array.tobytes()).digest())
            for name, array in constants.items()
        )

        def compile() -> Executable:
            model = self._model.specialize(dims, constants)
            return compile_source(Source(model), self._target, Options())

        return self._kept.get((*dims.items(), *values), compile)


class GlowBackend(Backend):
    """
    Glow behind `onnx.backend.base`; `targets` maps its devices to targets.

    A subclass with other `targets` runs on these.
    """

    targets: ClassVar[Mapping[str, str]] = {"CPU": "cpu"}

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether there is a target for `device`, such as "CPU" or "CPU:0"."""
        return device.removesuffix(":0") in cls.targets

    @classmethod
    def is_compatible(
        cls, model: ModelProto, device: str = "CPU", **kwargs: Any
    ) -> bool:
        """
        Return whether Glow supports `model`, as far as is known without a run.

        `prepare` says what is missing.
        """
        if not cls.supports_device(device):
            return False
        try:
            if not open_dimensions(read(model), {}, {}):
                load_model(model, dims={})
        except UnsupportedModelError as error:
            return bool(error.unknown_inputs)
        except GlowError:
            return False
        return True

    @classmethod
    def prepare(
        cls,
        model: ModelProto,
        device: str = "CPU",
        *,
        cache_size: int = CACHE_SIZE,
        **kwargs: Any,
    ) -> GlowBackendRep:
        """
        Compile a model; one that needs the arrays of a run is compiled by its runs.

        At most `cache_size` compiled forms of it are kept, those used last. Other
        options, such as the tolerances that the suite passes, are ignored.
        Errors: BackendUnsupportedError, InvalidModelError; `onnx.checker`'s for a model
        that breaks ONNX's rules; ValueError for a device without target.
        """
        target = cls._target_of(device)
        super().prepare(model, device)
        return GlowBackendRep(model, target, cache_size)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """
        Run one node on arrays for its inputs, absent ones left out.

        The node is of the newest opset, or of `opset_version`.
        Errors: as `prepare` and `GlowBackendRep.run`.
        """
        target = cls._target_of(device)
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        names = [name for name in node.input if name]
        feeds = _feeds(inputs, names)
        opset = kwargs.get("opset_version", defs.onnx_opset_version())
        model = _model_of(node, list(dict.fromkeys(names)), feeds, opset)
        return GlowBackendRep(model, target, 1).run(feeds)

    @classmethod
    def _target_of(cls, device: str) -> str:
        if not cls.supports_device(device):
            known = ", ".join(cls.targets)
            raise ValueError(f'no target for device "{device}", expected {known}')
        return cls.targets[device.removesuffix(":0")]


class GlowReferenceBackend(GlowBackend):
    """Glow's reference target behind `onnx.backend.base`."""

    targets: ClassVar[Mapping[str, str]] = {"CPU": "reference"}


def _feeds(inputs: Any, names: Sequence[str]) -> dict[str, Array]:
    """Return a list of arrays, one array, or arrays by name as arrays by name."""
    if isinstance(inputs, Mapping):
        named = cast(Mapping[str, object], inputs)
    else:
        several = isinstance(inputs, list | tuple)
        arrays = cast(Sequence[object], inputs if several else [inputs])
        if len(arrays) != len(names):
            listed = ", ".join(names) or "none"
            raise BindingError(
                f"expected {len(names)} inputs ({listed}), got {len(arrays)}"
            )
        named = dict(zip(names, arrays, strict=True))
    return {name: _array_of(value) for name, value in named.items()}


def _array_of(value: object) -> Array:
    """Return `value` as an array; a ragged sequence as an array of one object."""
    try:
        return np.asarray(value)
    except ValueError:
        array = np.empty((), object)
        array[()] = value
        return array


def _model_of(
    node: NodeProto, inputs: Sequence[str], feeds: Mapping[str, Array], opset: int
) -> ModelProto:
    """Return a model of one node, with inputs like `feeds`."""
    types = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in ((n, feeds[n]) for n in inputs if n in feeds)
    ]
    results = [ValueInfoProto(name=name) for name in node.output if name]
    imports = [helper.make_opsetid("", opset)]
    if node.domain not in ("", "ai.onnx"):
        since = defs.get_schema(node.op_type, domain=node.domain).since_version
        imports.append(helper.make_opsetid(node.domain, since))
    graph = helper.make_graph([node], node.op_type, types, results)
    return helper.make_model(graph, opset_imports=imports)


prepare = GlowBackend.prepare
run_model = GlowBackend.run_model
run_node = GlowBackend.run_node
supports_device = GlowBackend.supports_device
is_compatible = GlowBackend.is_compatible
