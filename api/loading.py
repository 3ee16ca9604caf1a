"""Read models from ONNX or from text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from glow.analysis.validity import verify_module
from glow.model import Model, context, parse_text
from glow.support.errors import InvalidModelError
from glow.support.garbage import no_collection
from glow.support.weights import load_weights


@no_collection()
def load_model(
    source: object,
    dims: Mapping[str, int],
    weights: str | os.PathLike[str] | None = None,
    constants: Mapping[str, object] | None = None,
) -> Model:
    """Read a model from a path or from ONNX in memory; see `glow.load`."""
    if not isinstance(source, str | os.PathLike):
        return _onnx_model("model", source, dims, constants)
    path = Path(cast(str | os.PathLike[str], source))
    match path.suffix:
        case ".onnx":
            if weights is not None:
                raise ValueError(f"{path}: expected weights with textual IR only")
            return _onnx_model(path.stem, path, dims, constants)
        case ".mlir":
            if dims:
                raise ValueError(f"{path}: expected dims with an ONNX model only")
            if constants:
                raise ValueError(f"{path}: expected constants with an ONNX model only")
            return Model(path.stem, _read_text(path, weights))
        case suffix:
            raise InvalidModelError(
                f"{path}: expected a file ending in .onnx or .mlir, got {suffix!r}"
            )


def import_onnx(
    source: Any,
    dims: Mapping[str, int],
    constants: Mapping[str, object] | None = None,
) -> ModuleOp:
    """Import ONNX from a path, bytes or a ModelProto."""
    from glow.importers.onnx import import_model

    return import_model(source, dims=dims, constants=constants)


def weights_beside(path: Path) -> Path:
    """Return where the constants of textual IR lie by default."""
    return path.with_suffix(".weights.safetensors")


def _onnx_model(
    name: str,
    source: Any,
    dims: Mapping[str, int],
    constants: Mapping[str, object] | None,
) -> Model:
    from glow.onnx_model import load_onnx

    return load_onnx(name, source, dims, constants or {})


def _read_text(path: Path, weights: str | os.PathLike[str] | None) -> ModuleOp:
    held: object = None
    if weights is not None or weights_beside(path).exists():
        held = load_weights(Path(weights or weights_beside(path)))
    module = parse_text(context(), path.read_bytes(), str(path))
    del held  # the module's own handles keep the bytes alive
    try:
        verify_module(module)
    except VerifyException as error:
        raise InvalidModelError(f"{path}: {error}") from None
    return module
