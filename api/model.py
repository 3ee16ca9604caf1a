"""Models in memory: IR with its constants, read from ONNX or from text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.universe import Universe
from xdsl.utils.exceptions import ParseError, VerifyException

from glow.analysis.validity import verify_module
from glow.locating_parser import LocatingParser
from glow.support.errors import InvalidModelError
from glow.support.garbage import no_collection
from glow.support.weights import load_weights


@dataclass(frozen=True)
class Model:
    """
    A model as IR, at any level; `print(model)` shows it.

    Compiling leaves it unchanged, so one model can be compiled several times.
    """

    name: str
    module: ModuleOp

    def __str__(self) -> str:
        return str(self.module)


def context() -> Context:
    """Return a context that knows every dialect; each loads when it is met."""
    found = Context()
    for name, load in Universe.get_multiverse().all_dialects.items():
        found.register_dialect(name, load)
    return found


@no_collection()
def load_model(
    source: object,
    dims: Mapping[str, int],
    weights: str | os.PathLike[str] | None = None,
    constants: Mapping[str, object] | None = None,
) -> Model:
    """Read a model from a path or from ONNX in memory; see `glow.load`."""
    if not isinstance(source, str | os.PathLike):
        return Model("model", import_onnx(source, dims, constants))
    path = Path(cast(str | os.PathLike[str], source))
    match path.suffix:
        case ".onnx":
            if weights is not None:
                raise ValueError(f"{path}: expected weights with textual IR only")
            return Model(path.stem, import_onnx(path, dims, constants))
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


def debug_text(model: object) -> str:
    """
    Return IR with all its locations as text.

    Errors: ValueError for what is no IR.
    """
    module = model.module if isinstance(model, Model) else model
    if not isinstance(module, ModuleOp):
        raise ValueError(f"expected IR, got {type(model).__name__}")
    text = StringIO()
    Printer(text, print_debuginfo=True).print_op(module)
    return text.getvalue()


def parse_text(ctx: Context, text: str | bytes, name: str) -> ModuleOp:
    """
    Parse `text`, verify it, and tell ops where they stand in it.

    Errors: InvalidModelError with file, line and column.
    """
    try:
        content = text.decode() if isinstance(text, bytes) else text
        return LocatingParser(ctx, content, name).parse_module()
    except ParseError as error:
        raise InvalidModelError(describe_parse_error(error)) from None
    except (VerifyException, UnicodeDecodeError) as error:
        raise InvalidModelError(f"{name}: {error}") from None


def describe_parse_error(error: ParseError) -> str:
    """Return one line: where in which file, and what is wrong there."""
    message = " ".join(error.msg.split())
    return f"{error.span.get_location()}: {message}"


def weights_beside(path: Path) -> Path:
    """Return where the constants of textual IR lie by default."""
    return path.with_suffix(".weights.safetensors")


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
