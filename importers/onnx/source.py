"""Read ONNX models: from files, from bytes, or as they are in memory."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from google.protobuf.message import DecodeError, EncodeError
from onnx import ModelProto

from glow.importers.onnx.payloads import split
from glow.importers.onnx.problems import printable_errors
from glow.support.errors import InvalidModelError
from glow.support.mapped_files import contents_of

Source = str | os.PathLike[str] | bytes | ModelProto


@dataclass(frozen=True)
class OnnxSource:
    """A model as it was read; it can be imported any number of times."""

    proto: ModelProto
    folder: Path | None = None
    """The folder of its external data."""
    payloads: tuple[memoryview | None, ...] = ()
    """The raw data of each initializer, if that is not in `proto`."""
    is_borrowed: bool = False
    """Whether the caller keeps `proto`, and may change it."""

    def owned(self) -> OnnxSource:
        """Return it with a proto of its own."""
        if not self.is_borrowed:
            return self
        try:
            # Of bytes, weights are used where they lie, however often that is.
            data = self.proto.SerializeToString()
            return _parsed(memoryview(data), "the model")
        except (EncodeError, ValueError):  # beyond 2 GB
            copy = ModelProto()
            copy.CopyFrom(self.proto)
            return OnnxSource(copy)


@printable_errors()
def read(source: Source | OnnxSource) -> OnnxSource:
    """
    Return the model in a file, in bytes, or in a proto, which is not copied.

    Errors: InvalidModelError for what is no model or cannot be read; TypeError.
    """
    if isinstance(source, OnnxSource):
        return source
    if isinstance(source, ModelProto):
        return OnnxSource(source, is_borrowed=True)
    if isinstance(source, bytes | bytearray | memoryview):
        return _parsed(memoryview(bytes(source)), "the model")
    if not isinstance(cast(object, source), str | os.PathLike):
        raise TypeError(
            f"expected a path, bytes or a ModelProto, got {type(source).__name__}"
        )
    path = Path(source)
    return replace(_parsed(_contents(path), f'"{path}"'), folder=path.parent)


def _contents(path: Path) -> memoryview:
    try:
        if path.exists() and not path.is_file():
            raise InvalidModelError(f'cannot read "{path}": not a file')
        return contents_of(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidModelError(f'cannot read "{path}": {reason.lower()}') from None


def _parsed(data: memoryview, owner: str) -> OnnxSource:
    if not data:
        raise InvalidModelError(f"{owner} is empty, expected an ONNX model")
    model, parts = ModelProto(), split(data)
    try:
        model.ParseFromString(parts.rest)
    except DecodeError:
        raise InvalidModelError(
            f"{owner} is no ONNX model, or truncated: it cannot be parsed"
        ) from None
    return OnnxSource(model, payloads=tuple(parts.payloads))
