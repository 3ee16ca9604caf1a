"""Files of ONNX models: with their weights or beside them, or as text to read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from onnx import ModelProto, TensorProto, printer

from glow.support.files import replace_file

MAX_INSIDE_BYTES = 1 << 30
"""Larger models have their weights in a file beside them: protobuf ends at 2 GiB."""

_SMALL_BYTES = 1 << 10
_SHOWN_BYTES = 1 << 8
_ALIGNMENT = 1 << 12  # so that a runtime can map weights as they lie


def save_model(
    model: ModelProto, path: Path, external_data: bool | None = None
) -> None:
    """
    Write a model to `path`; with `external_data`, its weights to `path` plus `.data`.

    By default this is done for weights of more than a GiB; it removes them from
    `model`. A path that ends in `.onnx.txt` gets text.
    Errors: ValueError for another suffix, OSError.
    """
    if path.name.endswith(".onnx.txt"):
        replace_file(path, [text_of_model(model).encode()])
        return
    if path.suffix != ".onnx":
        raise ValueError(f"{path}: expected a file ending in .onnx or .onnx.txt")
    weights = [t for t in model.graph.initializer if len(t.raw_data) >= _SMALL_BYTES]
    if external_data is None:
        external_data = sum(len(t.raw_data) for t in weights) > MAX_INSIDE_BYTES
    if external_data:
        beside = path.with_name(f"{path.name}.data")
        replace_file(beside, _moved(weights, beside.name))
    replace_file(path, [model.SerializeToString()])


def _moved(weights: Sequence[TensorProto], location: str) -> Iterator[bytes]:
    """Yield the bytes of tensors, each at a page, and replace them by their place."""
    offset = 0
    for tensor in weights:
        data = tensor.raw_data
        _clear(tensor, location=location, offset=offset, length=len(data))
        yield data
        padding = -len(data) % _ALIGNMENT
        yield bytes(padding)
        offset += len(data) + padding


def _clear(tensor: TensorProto, **entries: object) -> None:
    """Replace the bytes of a tensor by `entries` that say where they are."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))


def text_of_model(model: ModelProto) -> str:
    """Return a model as ONNX prints it; long tensors are SHA-256 digests there."""
    shown = ModelProto()
    shown.CopyFrom(model)
    for tensor in shown.graph.initializer:
        if len(tensor.raw_data) > _SHOWN_BYTES:
            digest = hashlib.sha256(tensor.raw_data).hexdigest()
            _clear(tensor, sha256=digest)
    return printer.to_text(shown).rstrip() + "\n"
