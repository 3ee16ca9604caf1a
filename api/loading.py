"""Read models from ONNX or from text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from glow.analysis.validity import verify_module
from glow.model import Model, SymbolicModel, context, parse_text
from glow.runtime.symbolic import SymbolicSignature
from glow.runtime.symbolic_spec import symbolic_spec
from glow.support.errors import InvalidModelError
from glow.support.garbage import no_collection
from glow.support.weights import load_weights

if TYPE_CHECKING:
    from glow.importers.onnx import OnnxSource


@no_collection()
def load_model(
    source: object,
    dims: Mapping[str, int],
    weights: str | os.PathLike[str] | None = None,
    constants: Mapping[str, object] | None = None,
) -> Model:
    """Read a model from a path or from ONNX in memory; see `glow.load`."""
    if not isinstance(source, str | os.PathLike):
        return load_onnx("model", source, dims, constants)
    path = Path(cast(str | os.PathLike[str], source))
    match path.suffix:
        case ".onnx":
            if weights is not None:
                raise ValueError(f"{path}: expected weights with textual IR only")
            return load_onnx(path.stem, path, dims, constants)
        case ".mlir":
            for what, given in (("dims", dims), ("constants", constants)):
                if given:
                    raise ValueError(f"{path}: expected {what} with an ONNX model only")
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


def held_weights(path: Path | None, weights: str | os.PathLike[str] | None) -> object:
    """Load the constants of textual IR, to be held until the text is parsed."""
    if weights is not None:
        return load_weights(Path(weights))
    beside = None if path is None else weights_beside(path)
    return None if beside is None or not beside.exists() else load_weights(beside)


def load_onnx(
    name: str,
    source: Any,
    dims: Mapping[str, int],
    constants: Mapping[str, object] | None = None,
) -> Model:
    """Read an ONNX model; one whose dimensions are all known becomes IR at once."""
    from glow.importers.onnx import import_model, open_dimensions, read

    given = constants or {}
    opened = read(source)
    if open_dimensions(opened, dims, given):
        return symbolic_model(name, opened, dims, given)
    return Model(name, import_model(opened, dims, given))


def symbolic_model(
    name: str,
    source: OnnxSource,
    dims: Mapping[str, int],
    constants: Mapping[str, object],
) -> SymbolicModel:
    """Return a model that becomes IR later, with what it declares as signature."""
    from glow.importers.onnx import declaration_of, import_model

    declared = declaration_of(source, dims, constants)
    signature = SymbolicSignature(
        tuple(symbolic_spec(*each) for each in declared.inputs),
        tuple(symbolic_spec(*each) for each in declared.outputs),
        known=declared.dims,
    )
    kept = source.owned()

    @no_collection()
    def import_(
        more_dims: Mapping[str, int], more_constants: Mapping[str, object]
    ) -> ModuleOp:
        return import_model(
            kept, {**dims, **more_dims}, {**constants, **more_constants}
        )

    return SymbolicModel(
        name,
        signature,
        import_,
        lambda arrays: load_onnx(name, kept, dims, {**constants, **arrays}),
    )


def _read_text(path: Path, weights: str | os.PathLike[str] | None) -> ModuleOp:
    held = held_weights(path, weights)
    module = parse_text(context(), path.read_bytes(), str(path))
    del held  # the module's own handles keep the bytes alive
    check_valid(module, str(path))
    return module


def check_valid(module: ModuleOp, name: str) -> None:
    """Raise InvalidModelError, which begins with `name`, for IR that is not valid."""
    try:
        verify_module(module)
    except VerifyException as error:
        raise InvalidModelError(f"{name}: {error}") from None
