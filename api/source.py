"""Models that are still to be read, and digests of their content."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from glow.support.arrays import blocks_of
from glow.support.errors import GlowError
from glow.support.mapped_files import contents_of, forget

if TYPE_CHECKING:
    from glow.model import Model


@dataclass(frozen=True)
class Source:
    """The arguments of `glow.load`: a model, or its file, and how to read it."""

    model: object
    dims: Mapping[str, int] = field(default_factory=lambda: {})
    weights: str | os.PathLike[str] | None = None
    constants: Mapping[str, object] | None = None

    def load(self) -> Model:
        """Return the model, with IR of its own; see `glow.load`."""
        from glow.loading import load_model
        from glow.model import copied

        model = copied(self.model)
        if model is None:
            return load_model(self.model, self.dims, self.weights, self.constants)
        return model

    @property
    def is_file(self) -> bool:
        """Whether the model is in a file, which others may change at any time."""
        return isinstance(self.model, str | os.PathLike)

    def digest(self) -> str | None:
        """
        Return a digest of all that the model says; None where it cannot be read yet.

        IR is taken as text with locations, which end up in messages. Names of files do
        not count, but for textual IR, whose locations they are.
        """
        try:
            parts = list(_content_of(self.model))
        except (OSError, ValueError, ImportError, GlowError):
            return None
        for name, extent in sorted(self.dims.items()):
            parts.append(f"dim {name!r} {extent}")
        for name, value in sorted((self.constants or {}).items()):
            array = np.asarray(value)
            if array.dtype.hasobject:
                return None
            held = sha256(array.tobytes()).hexdigest()
            parts.append(f"constant {name!r} {array.dtype.str} {array.shape} {held}")
        return sha256("\n".join(parts).encode()).hexdigest()


def _content_of(model: object) -> Iterator[str]:
    """Yield texts that are equal for models of equal content."""
    if isinstance(model, str | os.PathLike):
        yield from _content_of_file(Path(cast(str | os.PathLike[str], model)))
    elif isinstance(model, bytes | bytearray | memoryview):
        yield f"onnx {sha256(bytes(cast(bytes, model))).hexdigest()}"
    elif hasattr(model, "SerializeToString"):
        data: bytes = cast(Any, model).SerializeToString(deterministic=True)
        yield f"onnx {sha256(data).hexdigest()}"
    else:
        from glow.model import debug_text

        yield f"ir {debug_text(model)}"


def _content_of_file(path: Path) -> Iterator[str]:
    match path.suffix:
        case ".mlir":  # it names its constants by digest
            yield f"text {str(path)!r} {sha256(path.read_bytes()).hexdigest()}"
        case ".onnx":
            data = contents_of(path)
            yield f"onnx {_digest_of(data)}"
            for name in _external_files(data):
                yield f"file {name!r} {_digest_of(contents_of(path.parent / name))}"
        case suffix:
            raise ValueError(f"expected .onnx or .mlir, got {suffix!r}")


def _digest_of(data: memoryview) -> str:
    """Return the SHA-256 of bytes that, if they are mapped, no memory keeps."""
    digest = sha256()
    for block in blocks_of(np.frombuffer(data, np.uint8)):
        digest.update(block.data)
        forget(block)
    return digest.hexdigest()


def _external_files(data: memoryview) -> list[str]:
    is_told = re.search(b"location", data) is not None
    forget(np.frombuffer(data, np.uint8))
    if not is_told:
        return []
    from glow.importers.external_data import external_files

    return external_files(bytes(data))
