"""
Read ONNX models from files or bytes, without copying their weights.

The protobuf library copies every byte of a weight twice, into its message and out of
it. Here a scan of the wire format finds where they lie, and the library parses the
rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

from google.protobuf.message import DecodeError, EncodeError
from onnx import GraphProto, ModelProto, TensorProto

from glow.formats.onnx.problems import printable_errors
from glow.support.errors import InvalidModelError
from glow.support.mapped_files import contents_of
from glow.support.names import with_article

OnnxLike = str | os.PathLike[str] | bytes | ModelProto


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
def read(source: OnnxLike | OnnxSource) -> OnnxSource:
    """
    Return the model in a file, in bytes, or in a proto, which is not copied.

    Errors: InvalidModelError for what is not a model; OSError, TypeError.
    """
    if isinstance(source, OnnxSource):
        return source
    if isinstance(source, ModelProto):
        return OnnxSource(source, is_borrowed=True)
    if isinstance(source, bytes | bytearray | memoryview):
        return _parsed(memoryview(bytes(source)), "the model")
    if not isinstance(cast(object, source), str | os.PathLike):
        raise TypeError(
            "expected a path, bytes or a ModelProto, got "
            f"{with_article(type(source).__name__)}"
        )
    path = Path(source)
    return replace(_parsed(_contents(path), f'"{path}"'), folder=path.parent)


def _contents(path: Path) -> memoryview:
    try:
        if path.exists() and not path.is_file():
            raise InvalidModelError(f'cannot read "{path}": not a file')
        return contents_of(path)
    except ValueError as error:  # no path can be so
        raise InvalidModelError(f'cannot read "{path}": {error}') from None


def _parsed(data: memoryview, owner: str) -> OnnxSource:
    if not data:
        raise InvalidModelError(f"{owner} is empty, expected an ONNX model")
    model, parts = ModelProto(), split(data)
    try:
        model.ParseFromString(parts.rest)
    except DecodeError:
        raise InvalidModelError(
            f"{owner} is not an ONNX model, or truncated: it cannot be parsed"
        ) from None
    return OnnxSource(model, payloads=tuple(parts.payloads))


SMALL_BYTES = 1 << 12
"""Payloads below this size stay in the protobuf."""

# The way from a model to its weights.
_PATH = (ModelProto.GRAPH_FIELD_NUMBER, GraphProto.INITIALIZER_FIELD_NUMBER)
_RAW_DATA = TensorProto.RAW_DATA_FIELD_NUMBER
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_FIXED = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}


_Payloads = list[memoryview | None]
_Pieces = list[memoryview | bytes]


class Split(NamedTuple):
    """A model without raw data of weights, and that data; None if it is in `rest`."""

    rest: bytes
    payloads: _Payloads


class _UnusualError(Exception):
    """Data that is not a well-formed message; the protobuf library reports it."""


def split(data: memoryview) -> Split:
    """Return a model with the raw data of large weights apart; other data whole."""
    payloads: _Payloads = []
    try:
        pieces = _message(data, 0, len(data), _PATH, payloads)
    except (_UnusualError, IndexError):
        return Split(bytes(data), [])
    return Split(b"".join(pieces), payloads)


def _message(
    data: memoryview, start: int, end: int, path: Sequence[int], payloads: _Payloads
) -> _Pieces:
    """Return a message without its weights, which `path` leads to."""
    number, *inner = path
    pieces: _Pieces = []
    done = start
    for own, kind, at, value, stop in _fields(data, start, end):
        if (own, kind) != (number, _BYTES):
            continue
        if inner:
            part = _message(data, value, stop, inner, payloads)
        else:
            part = _weight(data, value, stop, payloads)
        tag, length = _as_varint(number << 3 | _BYTES), _as_varint(sum(map(len, part)))
        pieces += [data[done:at], tag, length, *part]
        done = stop
    return [*pieces, data[done:end]]


def _weight(data: memoryview, start: int, end: int, payloads: _Payloads) -> _Pieces:
    """Return a weight without its raw data, which is added to `payloads` if large."""
    fields = _fields(data, start, end)
    places = [each[2:] for each in fields if each[:2] == (_RAW_DATA, _BYTES)]
    if not places or end - start < SMALL_BYTES:
        payloads.append(None)
        return [data[start:end]]
    if len(places) > 1:
        raise _UnusualError
    at, value, stop = places[0]
    payloads.append(data[value:stop])
    return [data[start:at], data[stop:end]]


def _fields(
    data: memoryview, start: int, end: int
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield number and kind of each field, where it, its value and the next begin."""
    at = start
    while at < end:
        tag, value = _varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            _, stop = _varint(data, value)
        elif kind == _BYTES:
            length, value = _varint(data, value)
            stop = value + length
        elif kind in _FIXED:
            stop = value + _FIXED[kind]
        else:
            raise _UnusualError
        if stop > end:
            raise _UnusualError
        yield tag >> 3, kind, at, value, stop
        at = stop


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return the integer at `at` and where the next thing begins."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise _UnusualError


def _as_varint(value: int) -> bytes:
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)
