"""Read models from ONNX or from text."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from glow.analysis.validity import verify_module
from glow.graph_modules import context
from glow.locating_parser import decoded, refused, show_place
from glow.model import Model, parse_text
from glow.support import files
from glow.support.arguments import check_by_name
from glow.support.errors import InvalidModelError, memory_for, missing_files
from glow.support.files import kind_of_file
from glow.support.garbage import no_collection
from glow.support.weights import load_weights
from glow.symbolic_model import load_onnx

_HINTS = (
    (
        (".pt", ".pth", ".ckpt"),
        "; export the module by torch.onnx.export, or read it in PyTorch and give it "
        "to glow.compile with example_inputs",
    ),
    ((".pt2",), "; glow.load takes what torch.export.load reads from it"),
    ((".pkl", ".pickle", ".joblib"), "; convert the model by skl2onnx"),
    ((".keras", ".h5", ".tflite", ".pb"), "; convert the model by tf2onnx"),
)
"""What to do with files of other frameworks, by suffix."""


@no_collection()
@memory_for("loading")
@missing_files()
def load_model(
    source: object,
    dims: Mapping[str, int],
    weights: str | os.PathLike[str] | None = None,
    constants: Mapping[str, object] | None = None,
    example_inputs: object = None,
) -> Model:
    """Read a model from a path, ONNX in memory or PyTorch; see `glow.load`."""
    check_by_name("dims", dims)
    if constants is not None:
        check_by_name("constants", constants)
    if _is_of_torch(source):
        from glow.torch_modules import load_program

        model = load_program(source, dims, example_inputs)
        return model.bind(constants) if constants else model
    if isinstance(source, type):
        kind = source.__name__
        raise ValueError(f"expected a model, got the class {kind}; give {kind}(...)")
    if example_inputs is not None:
        raise ValueError("expected example_inputs with a module of PyTorch only")
    if not isinstance(source, str | os.PathLike):
        if weights is not None:
            raise ValueError("expected weights with textual IR only")
        return load_onnx("model", source, dims, constants)
    if isinstance(source, str) and "\n" in source:
        what = f"got text of {len(source.splitlines())} lines"
        hint = "write IR to a .mlir file"
        raise InvalidModelError(f"expected the path of a model, {what}; {hint}")
    path = Path(cast(str | os.PathLike[str], source))
    match kind_of_file(path):
        case files.MODEL:
            if weights is not None:
                raise ValueError(f"{path}: expected weights with textual IR only")
            return load_onnx(path.stem, path, dims, constants)
        case files.TEXT:
            for what, given in (("dims", dims), ("constants", constants)):
                if given:
                    raise ValueError(f"{path}: expected {what} with an ONNX model only")
            return Model(path.stem, _read_text(path, weights))
        case files.EXECUTABLE:
            what = "expected a model, got an executable; glow.load_executable reads it"
            raise InvalidModelError(f"{path}: {what}")
        case suffix:
            what = f"expected an ONNX model or IR as text, got {suffix!r} with neither"
            hint = next((hint for kinds, hint in _HINTS if suffix in kinds), "")
            raise InvalidModelError(f"{path}: {what}{hint}")


def _is_of_torch(source: object) -> bool:
    """Return whether a model is of PyTorch, which is imported then."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return False
    return isinstance(source, torch.nn.Module | torch.export.ExportedProgram)


def import_onnx(
    source: Any,
    dims: Mapping[str, int],
    constants: Mapping[str, object] | None = None,
) -> ModuleOp:
    """Import ONNX from a path, bytes or a ModelProto."""
    from glow.formats.onnx import import_model

    return import_model(source, dims=dims, constants=constants)


def weights_beside(path: Path) -> Path:
    """Return where the constants of textual IR lie by default."""
    return path.with_suffix(".weights.safetensors")


def held_weights(path: Path | None, weights: str | os.PathLike[str] | None) -> object:
    """Load the constants of textual IR, to be held until the text is parsed."""
    if weights is not None:
        return load_weights(Path(weights))
    beside = None if path is None else weights_beside(path)
    return None if beside is None or not beside.exists() else load_weights(beside)


def _read_text(path: Path, weights: str | os.PathLike[str] | None) -> ModuleOp:
    held = held_weights(path, weights)
    text = decoded(path.read_bytes(), str(path))
    module = parse_text(context(), text, str(path))
    del held  # the module's own handles keep the bytes alive
    check_valid(module, str(path), text)
    return module


def check_valid(module: ModuleOp, name: str, text: str = "") -> None:
    """Raise InvalidModelError, which begins with `name`, for IR that is not valid."""
    try:
        verify_module(module)
    except VerifyException as error:
        show_place(error, text, name)
        raise refused(error, name) from None
