"""Files that hold the weights of an ONNX model, named without importing a compiler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any, cast

from google.protobuf.message import DecodeError, Message
from onnx import ModelProto, TensorProto


def external_files(data: bytes) -> list[str]:
    """
    Return the files beside a serialized model that hold its tensors, sorted.

    Errors: ValueError for what is not a model, or files that are not below its folder.
    """
    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        raise ValueError("expected a model") from error
    paths = {
        entry.value
        for tensor in _tensors(model)
        for entry in tensor.external_data
        if entry.key == "location"
    }
    for name in paths:
        path = PurePath(name)
        if path.is_absolute() or ".." in path.parts or "\0" in name:
            raise ValueError(f"expected a path below the model's folder, got {name!r}")
    return sorted(paths)


def _tensors(message: Message) -> Iterator[TensorProto]:
    if isinstance(message, TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is not None:
            single = isinstance(value, Message)
            inner = [value] if single else cast(Iterable[Any], value)
            for each in inner:
                yield from _tensors(each)
