"""A session with the names that ONNX Runtime's has, for programs written for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glow.compilation import Source, compile_source
from glow.options import Options
from glow.runtime.saved import load_saved
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arguments import names_in
from glow.support.arrays import Array
from glow.support.dtypes import NUMBER_TYPES
from glow.support.errors import BindingError
from glow.support.files import EXECUTABLE

_NAMES = {"FLOAT16": "float16", "BFLOAT16": "bfloat16", "BOOL": "bool"}
_TYPES = {n.dtype: _NAMES.get(n.onnx, n.onnx.lower()) for n in NUMBER_TYPES}


@dataclass(frozen=True)
class NodeArg:
    """An input or output: its name, shape and type, such as `tensor(float)`."""

    name: str
    shape: list[int | str]
    type: str


class InferenceSession:
    """
    A compiled ONNX model behind the calls of `onnxruntime.InferenceSession`.

        session = glow.InferenceSession("net.onnx")
        (logits,) = session.run(None, {"image": image})

    `path_or_bytes` is what `glow.load` takes, or a saved executable. Options of
    `glow.compile` come by name; those of ONNX Runtime (`sess_options`, `providers`,
    `provider_options`) are taken and say nothing here. `executable` is what runs.
    Errors: as of `glow.compile`; TypeError for other options; BindingError for names
    that the model lacks.
    """

    def __init__(
        self,
        path_or_bytes: Any,
        sess_options: object = None,
        providers: object = None,
        provider_options: object = None,
        *,
        target: str = "cpu",
        **options: Any,
    ):
        source = Source(path_or_bytes)
        given = Options.named("glow.InferenceSession", ["target"], options)
        if source.kind() == EXECUTABLE:
            self.executable = load_saved(path_or_bytes, False, given.threads)
        else:
            self.executable = compile_source(source, target, given)

    def get_inputs(self) -> list[NodeArg]:
        """Return the inputs, in order."""
        return list(map(_argument, self.executable.inputs))

    def get_outputs(self) -> list[NodeArg]:
        """Return the outputs, in order."""
        return list(map(_argument, self.executable.outputs))

    def get_providers(self) -> list[str]:
        """Return what runs the model: the processor."""
        return ["CPUExecutionProvider"]

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, object],
        run_options: object = None,
    ) -> list[Any]:
        """
        Run on named inputs; return the outputs of these names, None: all.

        Classifiers give labels as strings where the model has such, and a ZipMap a list
        of dicts from class to score.
        """
        names = self._names(output_names)
        signature = self.executable.signature
        results = signature.labeled(self.executable.run(input_feed))
        return [results[name] for name in names]

    def _names(self, names: Sequence[str] | None) -> Sequence[str]:
        known = [spec.name for spec in self.executable.outputs]
        if names is None:
            return known
        given = names_in("names of outputs", names)
        if unknown := [f'"{name}"' for name in given if name not in known]:
            raise BindingError(
                f"no output is called {', '.join(unknown)}, expected "
                + ", ".join(known)
            )
        return given

    def io_binding(self) -> IOBinding:
        """Return places for arrays that stay the same from run to run."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding) -> None:
        """Run on the arrays of `iobinding`, which hold the outputs afterwards."""
        iobinding.run()


class IOBinding:
    """The arrays of one caller; `InferenceSession.io_binding` makes them."""

    def __init__(self, session: InferenceSession):
        self._executable = session.executable
        self._inputs: dict[str, object] = {}
        self._outputs: dict[str, object] = {}
        self._results: dict[str, Any] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: object) -> None:
        """Let runs read `arr_on_cpu` as input `name`."""
        self._inputs[name] = arr_on_cpu

    def bind_output(self, name: str, buffer: Array | None = None) -> None:
        """Ask for output `name`, in `buffer` where it is given."""
        self._outputs[name] = buffer

    def clear_binding_inputs(self) -> None:
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        self._outputs.clear()

    def run(self) -> None:
        """Run once."""
        out = {name: each for name, each in self._outputs.items() if each is not None}
        results = self._executable.run(self._inputs, out)
        self._results = self._executable.signature.labeled(results)

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Return the requested outputs, or all, as of the last run."""
        return [self._results[name] for name in self._outputs or self._results]

    def get_outputs(self) -> list[Any]:
        """As `copy_outputs_to_cpu`: nothing lies elsewhere."""
        return self.copy_outputs_to_cpu()


def _argument(spec: TensorSpec) -> NodeArg:
    if spec.classes and spec.dtype.kind != "i":
        key = "string" if isinstance(spec.classes[0], str) else "int64"
        return NodeArg(spec.name, [], f"seq(map({key},tensor(float)))")
    shape = spec.shape if spec.extents is None else spec.extents
    if spec.classes:
        return NodeArg(spec.name, list(shape), "tensor(string)")
    type_ = _TYPES[spec.dtype.name] if spec.is_typed else "?"
    return NodeArg(spec.name, list(shape), f"tensor({type_})")
