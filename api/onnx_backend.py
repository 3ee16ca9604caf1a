"""
ONNX's backend interface: what is written for `onnx.backend.base` runs on Glow.

    from onnx.backend.test import BackendTest
    suite = BackendTest(glow.onnx_backend.GlowBackend, __name__)
    globals().update(suite.test_cases)

A compiled model has static shapes, and some operands are part of its code: shapes,
axes, pads. Where a model leaves these to its inputs, a run takes them from the arrays
that it is fed, and what was compiled for them is kept for the next run with the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast
from unittest import SkipTest

from onnx import ModelProto, NodeProto, ValueInfoProto, defs, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from glow.loading import load_model
from glow.runtime.signature import Array
from glow.specialization import Specialized, array_of, has_static_shapes, inputs_of
from glow.support.errors import BindingError, GlowError, UnsupportedModelError

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
    """A model needs what Glow lacks: a test that meets this counts as skipped."""


class GlowBackendRep(BackendRep):
    """
    A model that is ready to run, from any number of threads.

    Inputs come in the order of the model, without those that are weights, or by name;
    results in its order, also by name: `rep.run([x])["y"]`.
    """

    def __init__(self, model: ModelProto, target: str, cache_size: int):
        self._inputs = [info.name for info in inputs_of(model.graph)]
        self._outputs = [output.name for output in model.graph.output]
        self._results = namedtupledict("Outputs", self._outputs)
        self._model = Specialized(model, target, cache_size)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """
        Run on a list of arrays, one array, or arrays by name.

        Errors: BindingError for arrays that do not fit the model;
        BackendUnsupportedError where it needs what Glow lacks; what a run raises.
        """
        feeds = self._named(inputs)
        try:
            found = self._model.run(feeds)
        except UnsupportedModelError as error:
            raise BackendUnsupportedError(str(error)) from error.__cause__
        return self._results(*(found[name] for name in self._outputs))

    def _named(self, inputs: Any) -> dict[str, Array]:
        if isinstance(inputs, Mapping):
            named = cast(Mapping[str, object], inputs)
        else:
            several = isinstance(inputs, list | tuple)
            arrays = cast(Sequence[object], inputs if several else [inputs])
            if len(arrays) != len(self._inputs):
                names = ", ".join(self._inputs) or "none"
                raise BindingError(
                    f"expected {len(self._inputs)} inputs ({names}), got {len(arrays)}"
                )
            named = dict(zip(self._inputs, arrays, strict=True))
        return {name: array_of(value) for name, value in named.items()}


class GlowBackend(Backend):
    """
    Glow behind `onnx.backend.base`; `targets` says what each of its devices is.

    A subclass with other `targets` runs on these.
    """

    targets: ClassVar[Mapping[str, str]] = {"CPU": "cpu"}

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Say whether there is a target for `device`, such as "CPU" or "CPU:0"."""
        return device.removesuffix(":0") in cls.targets

    @classmethod
    def is_compatible(
        cls, model: ModelProto, device: str = "CPU", **kwargs: Any
    ) -> bool:
        """
        Say whether Glow knows all that `model` uses, as far as its inputs tell.

        `prepare` says what is missing.
        """
        if not cls.supports_device(device):
            return False
        try:
            _check(model)
        except GlowError:
            return False
        return True

    @classmethod
    def prepare(
        cls,
        model: ModelProto,
        device: str = "CPU",
        *,
        cache_size: int = 16,
        **kwargs: Any,
    ) -> GlowBackendRep:
        """
        Compile a model, or where that takes the arrays of a run, get ready to.

        At most `cache_size` compiled forms of it are kept, those used last. Other
        options are for other backends: the suite passes its tolerances.
        Errors: BackendUnsupportedError, InvalidModelError; `onnx.checker`'s for a model
        that breaks ONNX's rules; ValueError for a device without target.
        """
        target = cls._target_of(device)
        super().prepare(model, device)
        return _prepared(model, target, cache_size)

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
        Run one node on arrays for those of its inputs that are there.

        It counts by the newest opset, or by `opset_version`.
        Errors: as `prepare` and `GlowBackendRep.run`.
        """
        target = cls._target_of(device)
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        names = list(dict.fromkeys(name for name in node.input if name))
        if not isinstance(inputs, Mapping):
            present = [name for name in node.input if name]
            if len(inputs) != len(present):
                raise BindingError(
                    f"expected {len(present)} inputs ({', '.join(present)}), "
                    f"got {len(inputs)}"
                )
            inputs = dict(zip(present, inputs, strict=True))
        feeds = {
            name: array_of(value)
            for name, value in cast(Mapping[str, object], inputs).items()
        }
        opset = kwargs.get("opset_version", defs.onnx_opset_version())
        model = _model_of(node, names, feeds, opset)
        return _prepared(model, target, 1).run(feeds)

    @classmethod
    def _target_of(cls, device: str) -> str:
        if not cls.supports_device(device):
            known = ", ".join(cls.targets)
            raise ValueError(f'no target for device "{device}", expected {known}')
        return cls.targets[device.removesuffix(":0")]


class GlowReferenceBackend(GlowBackend):
    """The same with NumPy's results, which say what the others should compute."""

    targets: ClassVar[Mapping[str, str]] = {"CPU": "reference"}


def _prepared(model: ModelProto, target: str, cache_size: int) -> GlowBackendRep:
    try:
        return GlowBackendRep(model, target, cache_size)
    except UnsupportedModelError as error:
        raise BackendUnsupportedError(str(error)) from error.__cause__


def _check(model: ModelProto) -> None:
    """Raise what no array that `model` is fed would help."""
    if not has_static_shapes(model):
        return
    try:
        load_model(model, dims={})
    except UnsupportedModelError as error:
        if not error.unknown_inputs:
            raise


def _model_of(
    node: NodeProto, inputs: Sequence[str], feeds: Mapping[str, Array], opset: int
) -> ModelProto:
    """Return a model of one node, with inputs like `feeds`."""
    types = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(feeds[name].dtype),
            feeds[name].shape,
        )
        for name in inputs
        if name in feeds
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
