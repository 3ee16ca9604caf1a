"""Large files are mapped: in memory as far as they are used, and never written to."""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

import glow
from glow.dialects.graph.storage import ConstantOp
from glow.runtime.native import NativeExecutable
from glow.support.arrays import address_of
from glow.support.errors import InvalidModelError
from glow.support.layout import pack, parse_layout
from glow.support.mapped_files import (
    SMALL_BYTES,
    contents_of,
    forget,
    is_mapped,
    usable,
)
from glow.support.weights import save_weights

Array = NDArray[Any]
ROWS = np.random.default_rng(3).standard_normal((1 << 11, 1 << 8), np.float32)
"""Two megabytes that a lookup reads where they lie."""


@pytest.fixture(autouse=True)
def nothing_is_left_of_other_tests() -> None:
    """So that no equal constant of theirs is found."""
    gc.collect()


def resident_bytes(array: Array) -> int:
    """Return how much of the mapping around `array` is in this process' memory."""
    place, found = address_of(array), 0
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first, *rest = line.split()
        if "-" in first:
            start, end = (int(part, 16) for part in first.split("-"))
            inside = start <= place < end
        elif inside and first == "Rss:":
            found = int(rest[0]) << 10
    return found


def lookup(table: Array) -> ModelProto:
    """Return a model that gives the rows of `table` that its input names."""
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [4])
    rows = helper.make_tensor_value_info("rows", TensorProto.FLOAT, [4, table.shape[1]])
    node = helper.make_node("Gather", ["table", "ids"], ["rows"])
    weights = [numpy_helper.from_array(table, "table")]
    graph = helper.make_graph([node], "lookup", [ids], [rows], weights)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def one_file(folder: Path) -> Path:
    (folder / "m.onnx").write_bytes(lookup(ROWS).SerializeToString())
    return folder / "m.onnx"


def two_files(folder: Path) -> Path:
    path = folder / "m.onnx"
    onnx.save_model(lookup(ROWS), path, save_as_external_data=True, location="m.data")
    return path


def text(folder: Path) -> Path:
    module = glow.load(lookup(ROWS)).module
    (folder / "m.mlir").write_text(str(module))
    save_weights(module, folder / "m.weights.safetensors")
    del module
    gc.collect()  # or the text finds the bytes that it was made with
    return folder / "m.mlir"


FORMS = pytest.mark.parametrize("write", [one_file, two_files, text])


def constant_of(model: glow.Model) -> Array:
    (constant,) = (op for op in model.module.walk() if isinstance(op, ConstantOp))
    assert constant.array is not None
    return constant.array


def test_small_files_are_read_and_large_ones_mapped_once(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"x" * (SMALL_BYTES - 1))
    large.write_bytes(b"x" * SMALL_BYTES)
    assert not is_mapped(np.frombuffer(contents_of(small), np.uint8))
    first, second = (np.frombuffer(contents_of(large), np.uint8) for _ in range(2))
    assert is_mapped(first)
    assert address_of(first) == address_of(second)
    assert not first.flags.writeable
    assert bytes(first) == large.read_bytes()


def test_another_file_of_the_same_name_is_mapped_anew(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * SMALL_BYTES)
    first = contents_of(path)
    (tmp_path / "g").write_bytes(b"y" * SMALL_BYTES)
    (tmp_path / "g").replace(path)
    assert (bytes(contents_of(path)[:1]), bytes(first[:1])) == (b"y", b"x")


def test_what_is_forgotten_is_not_in_memory_but_the_same(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(ROWS.tobytes())
    array = np.frombuffer(contents_of(path), np.float32)
    assert array.sum() == ROWS.reshape(-1).sum()
    assert resident_bytes(array) == ROWS.nbytes
    forget(array[: array.size // 2])
    assert resident_bytes(array) <= ROWS.nbytes // 2  # large pages go as one
    forget(array.reshape(ROWS.shape)[:, 1:2])
    assert resident_bytes(array) <= 1 << 16  # the page of the last row
    np.testing.assert_array_equal(array.reshape(ROWS.shape), ROWS)


def test_what_is_in_no_file_cannot_be_forgotten() -> None:
    array = ROWS.copy()
    for each in (array, array[:0], array[::2]):
        forget(each)
    np.testing.assert_array_equal(array, ROWS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "offset"), [("K[a=64]N", 0), ("NK", 1), ("NK16k", 1), ("KN16n", 1)]
)
def test_packing_holds_little_of_a_file(
    layout: str, offset: int, tmp_path: Path
) -> None:
    """Each thread holds a piece; here is one."""
    rows = np.tile(ROWS, (10, 1))
    (tmp_path / "f").write_bytes(bytes(offset) + rows.tobytes())
    found = np.frombuffer(contents_of(tmp_path / "f")[offset:], np.float32)
    array, largest = found.reshape(rows.shape), 0

    def watch(part: Array) -> None:
        nonlocal largest
        largest = max(largest, resident_bytes(array))
        forget(part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("glow.support.layout.pack"), "forget", watch)
        patch.setattr(
            import_module("glow.support.sharing"), "allowed_threads", lambda: 1
        )
        packed = pack(parse_layout(layout), array)
    np.testing.assert_array_equal(packed, pack(parse_layout(layout), rows))
    assert 0 < largest < rows.nbytes // 3


def test_what_code_cannot_read_in_place_is_moved_once(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(1) + ROWS.tobytes())
    array = np.frombuffer(contents_of(tmp_path / "f")[1:], np.float32)
    assert not array.flags.aligned
    moved = usable(array.reshape(ROWS.shape))
    assert address_of(moved) % 64 == 0
    assert resident_bytes(array) <= 1 << 16  # the rest was given back
    np.testing.assert_array_equal(moved, ROWS)
    assert usable(moved) is moved
    columns = usable(moved.T)
    assert columns.flags.c_contiguous
    np.testing.assert_array_equal(columns, ROWS.T)


@pytest.mark.slow
@FORMS
def test_what_no_pass_changes_is_used_in_the_file(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    model = glow.load(write(tmp_path))
    table = constant_of(model)
    assert is_mapped(table)
    assert not table.flags.writeable
    net = glow.compile(model)
    assert isinstance(net, NativeExecutable)
    if table.flags.aligned:
        assert address_of(table) in map(address_of, net._image.constants)
    del model
    gc.collect()
    ids = np.array([5, 0, 2047, -1])
    np.testing.assert_array_equal(net(ids), ROWS[ids])


@pytest.mark.slow
@FORMS
def test_files_stay_as_they_were(write: Callable[[Path], Path], tmp_path: Path) -> None:
    path = write(tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    glow.compile(path)(np.zeros(4, np.int64))
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@FORMS
def test_a_file_that_is_replaced_changes_nothing(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    net = glow.compile(write(tmp_path))
    for file in tmp_path.iterdir():
        other = tmp_path / "other"
        other.write_bytes(bytes(16))
        other.replace(file)
    np.testing.assert_array_equal(net(np.arange(4)), ROWS[:4])


@pytest.mark.slow
@FORMS
def test_a_file_that_was_cut_is_refused(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = write(tmp_path)
    largest = max(tmp_path.iterdir(), key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-1])
    with pytest.raises(InvalidModelError) as caught:
        glow.load(path)
    assert "\n" not in str(caught.value)
