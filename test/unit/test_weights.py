"""Constants survive the way through a file, and damage to it is noticed."""

import gc
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from glow.dialects.graph.storage import ConstantOp
from glow.registry import UNIVERSE
from glow.support.errors import InvalidModelError
from glow.support.resources import Resource, find_resource
from glow.support.weights import load_weights, save_weights


def arrays() -> dict[str, NDArray[Any]]:
    random = np.random.default_rng(7)
    return {
        "f32": random.standard_normal((3, 4)).astype(np.float32),
        "f64": random.standard_normal((2, 2)),
        "i32": np.arange(5, dtype=np.int32),
        "i64": np.array([np.iinfo(np.int64).min, 0, -1]),
        "bool": np.array([[True, False, True]]),
        "scalar": np.array(2.5, np.float32),
        "empty": np.zeros((0, 3), np.float32),
        "again": np.arange(5, dtype=np.int32),
        "/layer.1/Conv: weight": np.ones((1, 2), np.float32),
    }


def module_of(constants: dict[str, NDArray[Any]]) -> ModuleOp:
    return ModuleOp([ConstantOp(name, array) for name, array in constants.items()])


def parse(text: str) -> ModuleOp:
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(UNIVERSE.all_dialects["graph"]())
    return Parser(ctx, text).parse_module()


def written(path: Path) -> str:
    module = module_of(arrays())
    save_weights(module, path)
    return str(module)


@pytest.mark.slow
def test_every_element_type_comes_back(tmp_path: Path) -> None:
    text = written(tmp_path / "w.safetensors")
    gc.collect()
    held = load_weights(tmp_path / "w.safetensors")
    module = parse(text)
    del held
    gc.collect()
    module.verify()
    assert str(module) == text
    for op in module.body.ops:
        assert isinstance(op, ConstantOp)
        expected = arrays()[op.sym_name.data]
        assert op.array is not None
        assert op.array.dtype == expected.dtype
        np.testing.assert_array_equal(op.array, expected)


@pytest.mark.slow
def test_without_the_file_text_stays_text(tmp_path: Path) -> None:
    text = written(tmp_path / "w.safetensors")
    gc.collect()
    module = parse(text)
    module.verify()
    assert str(module) == text
    assert all(op.array is None for op in module.body.ops if isinstance(op, ConstantOp))
    save_weights(module, tmp_path / "none.safetensors")
    assert load_weights(tmp_path / "none.safetensors") == ()


@pytest.mark.slow
def test_bytes_are_found_as_long_as_one_of_equal_arrays_lives() -> None:
    first, second = Resource(np.arange(7)), Resource(np.arange(7))
    assert first.digest == second.digest
    digest = first.digest
    del first
    gc.collect()
    held = find_resource(digest)
    assert held is not None
    assert held.array.tolist() == second.array.tolist() == list(range(7))
    del held, second
    assert find_resource(digest) is None


def test_the_file_is_deterministic_and_whole(tmp_path: Path) -> None:
    save_weights(module_of(arrays()), tmp_path / "a")
    save_weights(module_of(dict(reversed(arrays().items()))), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_other_readers_find_the_same(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    written(path)
    found: dict[str, NDArray[Any]] = load_file(path)
    want = {Resource(array).digest: array for array in arrays().values()}
    assert found.keys() == want.keys()
    for digest, array in want.items():
        np.testing.assert_array_equal(found[digest], array)
    held = load_weights(path)
    assert all(resource.array.flags.aligned for resource in held)


@pytest.mark.slow
def test_saving_takes_no_memory_of_the_size_of_the_weights(tmp_path: Path) -> None:
    module = module_of({"large": np.arange(1 << 24, dtype=np.float32)})  # 64 MB
    tracemalloc.start()
    try:
        save_weights(module, tmp_path / "w.safetensors")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 << 20


@pytest.mark.parametrize("kept", [0, 4, 100, -1])
def test_truncated_files_are_refused(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    written(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InvalidModelError, match="no weights file: ") as caught:
        load_weights(path)
    assert "\n" not in str(caught.value)


def test_changed_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    written(path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(InvalidModelError, match="expected bytes of digest"):
        load_weights(path)


def test_names_in_errors_are_printable(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    written(path)
    data = path.read_bytes()
    at = data.index(b'{"') + 4
    path.write_bytes(data[:at] + b"\x7f" + data[at + 1 :])
    with pytest.raises(InvalidModelError, match=r"\\x7f") as caught:
        load_weights(path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("seed", range(2))
def test_damage_is_refused_or_harmless(seed: int, tmp_path: Path) -> None:
    path, numbers = tmp_path / "w.safetensors", np.random.default_rng(seed)
    written(path)
    whole = path.read_bytes()
    length = 8 + int.from_bytes(whole[:8], "little")
    for _ in range(50):
        data = bytearray(whole)
        for place in numbers.integers(0, length, numbers.integers(1, 4)):
            data[place] = numbers.integers(0, 256)
        path.write_bytes(data)
        with suppress(InvalidModelError):  # or what is left is what its digest says
            for each in load_weights(path):
                assert Resource(each.array).digest == each.digest


def test_other_content_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    path.write_text("module {}\n" * 100)
    with pytest.raises(InvalidModelError, match="no weights file"):
        load_weights(path)
    with pytest.raises(OSError, match=r"absent\.safetensors"):
        load_weights(tmp_path / "absent.safetensors")
