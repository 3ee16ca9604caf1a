"""Weights outside the model file: read from its folder, and from nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto
from small_onnx import relu_model

from glow.formats.onnx import import_model
from glow.support.errors import InvalidModelError


def refusal(path: Path) -> str:
    """Return the one line with which importing `path` fails."""
    with pytest.raises(InvalidModelError) as caught:
        import_model(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def external(**entries: str) -> ModelProto:
    """Return a model whose weight lies where `entries` say."""
    source = relu_model()
    weight = source.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        weight.external_data.add(key=key, value=value)
    return source


ESCAPES: dict[str, tuple[str, str]] = {
    "absolute": ("/etc/passwd", "expected a path relative to the model"),
    "parent": ("../secret.bin", "outside the folder of the model"),
    "parent within": ("sub/../../secret.bin", "outside the folder of the model"),
    "link to a file": ("link.bin", "a link out of the folder of the model"),
    "link to a folder": ("linked/secret.bin", "a link out of the folder"),
    "loop": ("loop", "has its data at 'loop': "),
    "folder": ("sub", "which is not a file"),
    "missing": ("absent.bin", "no such file or directory"),
    "no place": ("", "expected a path relative to the model"),
    "too short": ("short.bin", "ends at byte 48 of short.bin, which has 8 bytes"),
}


@pytest.mark.parametrize("name", ESCAPES)
def test_external_data_stay_in_the_folder_of_the_model(
    name: str, tmp_path: Path
) -> None:
    location, message = ESCAPES[name]
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(b"\0" * 48)
    (folder / "short.bin").write_bytes(b"\0" * 8)
    os.symlink(tmp_path / "secret.bin", folder / "link.bin")
    os.symlink(tmp_path, folder / "linked")
    os.symlink(folder / "loop", folder / "loop")
    source = external(location=location, length="48")
    (folder / "model.onnx").write_bytes(source.SerializeToString())
    line = refusal(folder / "model.onnx")
    assert line.startswith('initializer "w"')
    assert message in line


@pytest.mark.parametrize("length", ["-1", "x", "4", "9" * 30])
def test_length_of_external_data_is_checked(length: str, tmp_path: Path) -> None:
    source = external(location="w.bin", length=length)
    (tmp_path / "w.bin").write_bytes(np.zeros(12, np.float32).tobytes())
    (tmp_path / "m.onnx").write_bytes(source.SerializeToString())
    assert 'initializer "w" has' in refusal(tmp_path / "m.onnx")


def test_external_data_are_read_from_the_folder_of_the_model(tmp_path: Path) -> None:
    source = relu_model()
    (tmp_path / "parts").mkdir()
    onnx.save_model(
        source,
        tmp_path / "model.onnx",
        save_as_external_data=True,
        location="parts/weights.bin",
        size_threshold=0,
    )
    assert str(import_model(tmp_path / "model.onnx")) == str(import_model(relu_model()))
