"""Broken files: only errors that we mean come out."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto
from onnx_mutations import CHANGES, shapes_model, survives, try_mutate
from operators import all_cases
from operators.case import model_of
from small_onnx import model, node

import glow
from glow.support.errors import GlowError
from glow.support.weights import load_weights, save_weights

Notes = dict[str, object]


@cache
def _network() -> ModelProto:
    """Return a small model with weights, several kernels and several outputs."""
    nodes = [
        node("Conv", "x w b", "c", pads=[1, 1, 1, 1]),
        node("Relu", "c", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Transpose", "p", "t", perm=[0, 2, 3, 1]),
        node("Softmax", "t", "s"),
        node("Concat", "s t", "k", axis=3),
        node("ReduceMean", "k", "y", axes=[1, 2], keepdims=0),
    ]
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.standard_normal((5, 3, 3, 3), np.float32),
        "b": rng.standard_normal(5, np.float32),
    }
    return model(nodes, {"x": (1, 3, 6, 6)}, ["y", "s"], weights)


@cache
def _input() -> NDArray[Any]:
    return np.random.default_rng(1).standard_normal((1, 3, 6, 6)).astype(np.float32)


# ONNX


def check_onnx_bytes(number: int, notes: Notes) -> None:
    rng = random.Random(number)
    source = shapes_model() if number % 2 else _network()
    data = bytearray(source.SerializeToString())
    _change_bytes(data, rng)
    notes["model.onnx"] = bytes(data)
    survives(bytes(data), n=2) if number % 2 else survives(bytes(data))


def check_onnx_fields(number: int, notes: Notes) -> None:
    rng = random.Random(number)
    source = ModelProto()
    source.CopyFrom(shapes_model())
    for _ in range(rng.randint(1, 4)):
        try_mutate(source, rng)
    notes["model.onnx"] = source.SerializeToString()
    survives(source, n=2)


@cache
def _operators() -> list[Any]:
    return [case for cases in all_cases().values() for case in cases]


def check_onnx_operators(number: int, notes: Notes) -> None:
    rng = random.Random(number)
    source = model_of([rng.choice(_operators())])
    for _ in range(rng.randint(1, 3)):
        rng.choice(CHANGES)(source, rng)
    notes["model.onnx"] = source.SerializeToString()
    survives(source)


def _change_bytes(data: bytearray, rng: random.Random) -> None:
    """Change, delete, double or insert some bytes, or cut the end off."""
    for _ in range(rng.randint(1, 4)):
        if not data:
            return
        at = rng.randrange(len(data))
        size = rng.choice((1, 1, 2, 4, 8, 40))
        match rng.randrange(6):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                data[at] ^= 1 << rng.randrange(8)
            case 2:
                del data[at : at + size]
            case 3:
                data[at:at] = data[at : at + size]
            case 4:
                data[at:at] = bytes(rng.choice((0, 255, 0x7F)) for _ in range(size))
            case _:
                if rng.random() < 0.1:
                    del data[at:]


# Weights, executables and the cache


@cache
def _weights() -> bytes:
    module = glow.load(_network()).module
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.weights.safetensors")
        save_weights(module, path)
        return path.read_bytes()


def check_weights(number: int, notes: Notes) -> None:
    def read(path: Path) -> None:
        right = {r.digest: r.array.tobytes() for r in _weights_of(_weights())}
        for resource in load_weights(path):
            assert right[resource.digest] == resource.array.tobytes()

    _check_file("net.weights.safetensors", _weights(), read, number, notes)


@cache
def _weights_of(data: bytes) -> tuple[Any, ...]:
    folder = Path(tempfile.mkdtemp())
    path = folder / "right.safetensors"
    path.write_bytes(data)
    return load_weights(path)


@cache
def _executable() -> tuple[bytes, tuple[NDArray[Any], ...]]:
    net = glow.compile(_network())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.glow")
        net.save(path)
        return path.read_bytes(), tuple(net(_input()))


def check_executable(number: int, notes: Notes) -> None:
    data, right = _executable()

    def read(path: Path) -> None:
        _same(glow.load_executable(path, verify=number % 4 > 0)(_input()), right)

    _check_file("net.glow", data, read, number, notes)


def check_cache(number: int, notes: Notes) -> None:
    """Compile with a cache whose file was changed: it is used whole or not at all."""
    right = _executable()[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "cache")
        glow.compile(_network(), cache_dir=folder)
        rng = random.Random(number)
        for path in sorted(folder.rglob("*")):
            if path.is_file() and rng.random() < 0.7:
                data = bytearray(path.read_bytes())
                _change_bytes(data, rng)
                notes[path.name] = bytes(data)
                path.write_bytes(data)
        _same(glow.compile(_network(), cache_dir=folder)(_input()), right)


def _same(found: Any, right: tuple[NDArray[Any], ...]) -> None:
    for array, wanted in zip(found, right, strict=True):
        np.testing.assert_array_equal(array, wanted)


def _check_file(
    name: str,
    data: bytes,
    read: Callable[[Path], None],
    number: int,
    notes: Notes,
) -> None:
    """Read a changed file: it is refused, or what it says is as before."""
    changed = bytearray(data)
    _change_bytes(changed, random.Random(number))
    notes[name] = bytes(changed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(changed)
        try:
            read(path)
        except GlowError as error:
            assert str(error).isprintable()
