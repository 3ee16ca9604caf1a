"""
Glow on xDSL: compile machine-learning models to fast machine code.

    model = glow.load("resnet50.onnx")
    net = glow.compile(model, target="cpu")
    logits = net(image)

Importing this package imports NumPy and the runtime, but no compiler: `load` and
`compile` do that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from glow.options import CACHE_SIZE, FOLD_BYTES, Options, Shapes
from glow.runtime.interface import Executable, StageReport
from glow.support.errors import (
    BindingError,
    CompilationError,
    ExecutionError,
    ExtensionError,
    GlowError,
    InternalError,
    InvalidExecutableError,
    InvalidModelError,
    OutOfMemoryError,
    TargetError,
    TracingError,
    UnsupportedModelError,
)
from glow.support.files import CACHE_BYTES
from glow.support.finders import FINDERS
from glow.support.forking import undivided

if TYPE_CHECKING:
    from os import PathLike

    from glow import initializers
    from glow.batches import udf
    from glow.builder import Builder, Value
    from glow.differentiation import grad, jvp, value_and_grad, vjp
    from glow.inference_session import InferenceSession
    from glow.model import Model
    from glow.progress_display import progress
    from glow.runtime.dynamic import DynamicExecutable
    from glow.traced import jit, trace
    from glow.tracing import nn, optim
    from glow.tracing.calls import composite
    from glow.tracing.control_flow import cond, fori_loop, scan, while_loop
    from glow.tracing.pytrees import ShapeDtype
    from glow.tracing.variables import Variable

__all__ = [
    "BindingError",
    "Builder",
    "CompilationError",
    "DynamicExecutable",
    "Executable",
    "ExecutionError",
    "ExtensionError",
    "GlowError",
    "InferenceSession",
    "InternalError",
    "InvalidExecutableError",
    "InvalidModelError",
    "Model",
    "OutOfMemoryError",
    "ShapeDtype",
    "StageReport",
    "TargetError",
    "TracingError",
    "UnsupportedModelError",
    "Value",
    "Variable",
    "compile",
    "composite",
    "cond",
    "fori_loop",
    "grad",
    "initializers",
    "jit",
    "jvp",
    "load",
    "load_executable",
    "nn",
    "optim",
    "progress",
    "scan",
    "trace",
    "udf",
    "value_and_grad",
    "vjp",
    "while_loop",
]

# What has the name of its module is the module.
_LAZY = {
    "Builder": "glow.builder",
    "DynamicExecutable": "glow.runtime.dynamic",
    "InferenceSession": "glow.inference_session",
    "Model": "glow.model",
    "ShapeDtype": "glow.tracing.pytrees",
    "Value": "glow.builder",
    "Variable": "glow.tracing.variables",
    "composite": "glow.tracing.calls",
    "cond": "glow.tracing.control_flow",
    "fori_loop": "glow.tracing.control_flow",
    "grad": "glow.differentiation",
    "initializers": "glow.initializers",
    "jit": "glow.traced",
    "jvp": "glow.differentiation",
    "nn": "glow.tracing.nn",
    "optim": "glow.tracing.optim",
    "progress": "glow.progress_display",
    "scan": "glow.tracing.control_flow",
    "trace": "glow.traced",
    "udf": "glow.batches",
    "value_and_grad": "glow.differentiation",
    "vjp": "glow.differentiation",
    "while_loop": "glow.tracing.control_flow",
}


@undivided()
def load(
    source: str | PathLike[str] | bytes | Any,
    example_inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    *,
    dims: Mapping[str, int] | None = None,
    weights: str | PathLike[str] | None = None,
    constants: Mapping[str, Any] | None = None,
) -> Model:
    """
    Read a model: a .onnx or .mlir file, an ONNX model in memory, or one of PyTorch.

    A torch.nn.Module is exported for `example_inputs`, a tuple of arguments, a dict by
    name or one tensor; a torch.export.ExportedProgram is taken as it is.

    `dims` gives symbolic dimensions of an ONNX model their values; others stay open
    (`Model.dims` lists them), and IR is made once they have values. `constants` gives
    values to whole inputs that must be known when the model is compiled, such as
    shapes; they are no longer inputs. `weights` names the file with the constants of
    textual IR; by default it lies beside it.
    Errors: InvalidModelError, UnsupportedModelError, OSError; ValueError for `dims` or
    `constants` of textual IR, `constants` that are not inputs or do not fit, or
    `weights` of an ONNX model; TypeError for an object that is not a model.
    """
    from glow.loading import load_model

    return load_model(source, dims or {}, weights, constants, example_inputs)


@undivided()
def compile(
    model: Model | Any,
    target: str = "cpu",
    *,
    example_inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    threads: int | None = None,
    cpu_features: str | None = None,
    disable: Sequence[str] | str = (),
    stop_after_pass: int | None = None,
    cache_dir: str | PathLike[str] | None = None,
    cache_bytes: int | None = None,
    relayout: Mapping[str, str] | str | None = None,
    states: Mapping[str, str] | None = None,
    shapes: Shapes | Literal["background"] = (),
    cache_size: int = CACHE_SIZE,
    profile: bool = False,
    trust: bool = False,
    check: str | None = None,
    accuracy: str = "fast",
    fold_bytes: int = FOLD_BYTES,
    memory_bytes: int = 0,
) -> Executable:
    """
    Compile a model (or what `load` takes) and return it as something to call.

    A module of PyTorch takes `example_inputs`, as `load` does.
    `threads` is how many a run may use, None as many as the process (docs/threads.md).
    `cpu_features` narrows or widens what the code may use, such as "avx2"; with
    `accuracy="strict"` errors are smaller and runs slower (docs/accuracy.md). `disable`
    leaves out rewrites by name, `stop_after_pass=N` those after the first N passes;
    `check="each-pass"` runs the model after each (docs/bisecting.md). `relayout` is
    the layout of arrays where it is not the model's, by name or for all of a rank:
    `{"image": "NHWC"}`, `"NHWC"`. `states` ties outputs to inputs, such as
    `{"present": "past"}`: the output of a run is the input of the next one of the same
    bindings; the first gets zeros. `cache_dir` keeps executables for all processes, at
    most `cache_bytes` (4 GiB); without it only kernels are kept (docs/storage.md). With
    symbolic dimensions, a DynamicExecutable compiles for shapes that it is called with
    and keeps code for the last `cache_size`; `shapes` are compiled at once: all of
    `{"batch": [1, 8]}`, or a list such as `[{"batch": 1, "n": 128}]`; with "background"
    a thread compiles where calls need not wait (docs/shapes.md). `profile` lets
    `Executable.profile` tell where time goes. `trust` lets text at the loops or llvm
    level call any function. Constant folding holds at most `fold_bytes` at once, or
    four times the model's constants. A training step computes more values again instead
    of keeping them if those alive at once exceed `memory_bytes` (docs/gradients.md).
    Errors: CompilationError, also for a `relayout` or `states` that do not fit;
    TargetError, BindingError for `shapes`, ValueError for other options; as `load`.
    """
    from glow.compilation import Source, compile_source

    options = Options(
        *(threads, cpu_features, disable, stop_after_pass, cache_dir),
        CACHE_BYTES if cache_bytes is None else cache_bytes,
        *(relayout, states, shapes, cache_size, profile, trust, check, accuracy),
        fold_bytes=fold_bytes,
        memory_bytes=memory_bytes,
    )
    source = Source(model, example_inputs=example_inputs)
    return compile_source(source, target, options)


@undivided()
def load_executable(
    path: str | PathLike[str], *, verify: bool = False, threads: int | None = None
) -> Executable:
    """
    Read a saved executable, without the model and without compiling.

    Constants are mapped from the file, which must stay as it is; they are checked
    against its checksums before the first run, or at once with `verify`. `threads` is
    the most that a run may use, if it was compiled for several. The file holds
    machine code: load only what you trust. A file of a DynamicExecutable gives one that
    runs the shapes in it and compiles no others.
    Errors: InvalidExecutableError for a file that is not an executable, or is cut,
    changed or of another version; TargetError for a machine that cannot run it;
    OSError.
    """
    from glow.runtime.saved import load_saved

    return load_saved(path, verify, threads)


def _find_backend(name: str) -> object:
    from glow.targets import find_backend

    return find_backend(name)


FINDERS[:] = [_find_backend]


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from glow.support.extensions import installed_version

        return installed_version()
    if name in _LAZY:
        from importlib import import_module

        module = import_module(_LAZY[name])
        return module if _LAZY[name].endswith(f".{name}") else getattr(module, name)
    raise AttributeError(f"module 'glow' has no attribute {name!r}")
