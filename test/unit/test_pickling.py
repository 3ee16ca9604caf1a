"""Executables in other processes: pickled by file, found again by content."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_onnx import model, node

import glow
from glow.runtime.saved import restore
from glow.support.errors import InvalidExecutableError

f32 = np.float32
ROWS = np.arange(12, dtype=f32).reshape(4, 3)
WEIGHTS = np.arange(15, dtype=f32).reshape(3, 5)


def product(rows: int | str = 4) -> Any:
    each = node("MatMul", "x w", "y")
    return model([each], {"x": (rows, 3)}, ["y"], {"w": WEIGHTS})


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("GLOW_CACHE_DIR", str(folder))
    restore.cache_clear()
    return folder


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_other_processes_run_what_is_pickled(start: str) -> None:
    net = glow.compile(product())
    with ProcessPoolExecutor(2, get_context(start)) as pool:
        result = pool.submit(net, ROWS).result()
    np.testing.assert_array_equal(result, net(ROWS))


def test_one_object_is_made_of_several_pickles_and_constants_are_mapped() -> None:
    net = glow.compile(product(), threads=1)
    first, second = pickle.loads(pickle.dumps(net)), pickle.loads(pickle.dumps(net))
    assert first is second is copy.deepcopy(net)
    assert first is not net
    assert first.threads == 1
    assert not any(array.flags.owndata for array in first.constants)  # but mapped
    assert len(pickle.dumps(net)) < 1000  # and not in the pickle


def test_what_was_loaded_is_pickled_by_its_own_file(cache: Path, tmp_path: Path):
    path = tmp_path / "net.glow"
    glow.compile(product(), cache_dir="").save(path)
    net = glow.load_executable(path)
    data = pickle.dumps(net)
    assert str(path).encode() in data
    assert not list(cache.glob("*.executable"))
    np.testing.assert_array_equal(pickle.loads(data)(ROWS), net(ROWS))


def test_a_file_is_found_by_content_where_it_was_moved_to(cache: Path, tmp_path: Path):
    path = tmp_path / "net.glow"
    net = glow.compile(product())
    net.save(path)
    net = glow.load_executable(path)
    data = pickle.dumps(net)
    assert net.file is not None
    path.rename(cache / f"{net.file.content}.executable")
    np.testing.assert_array_equal(pickle.loads(data)(ROWS), net(ROWS))


def test_a_missing_or_replaced_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "net.glow"
    glow.compile(product()).save(path)
    data = pickle.dumps(glow.load_executable(path))
    glow.compile(product(2)).save(path)  # another executable
    for _ in range(2):
        with pytest.raises(InvalidExecutableError, match=r"net\.glow: .* is not here"):
            pickle.loads(data)
        path.unlink(missing_ok=True)


def test_a_dynamic_executable_brings_the_shapes_that_it_has() -> None:
    net = glow.compile(product("n"), shapes={"n": 2})
    first = pickle.loads(pickle.dumps(net))
    assert [*first.compiled] == [{"n": 2}]
    net(ROWS)  # one more shape
    second = pickle.loads(pickle.dumps(net))
    np.testing.assert_array_equal(second(ROWS), net(ROWS))
    with pytest.raises(glow.BindingError, match="expected n = 2, which it is compiled"):
        first(ROWS)


def test_what_cannot_be_pickled_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pickle.PicklingError, match="compile for target cpu"):
        pickle.dumps(glow.compile(product(), target="reference"))
    monkeypatch.setenv("GLOW_CACHE_DIR", "")
    with pytest.raises(pickle.PicklingError, match="set GLOW_CACHE_DIR, or save it"):
        pickle.dumps(glow.compile(product()))
    monkeypatch.setenv("GLOW_CACHE_DIR", str(Path("/proc/none")))
    with pytest.warns(UserWarning, match="nothing is kept in GLOW_CACHE_DIR: .*none"):
        net = glow.compile(product())
    with (
        pytest.raises(pickle.PicklingError, match="GLOW_CACHE_DIR"),
        pytest.warns(UserWarning, match="GLOW_CACHE_DIR"),
    ):
        pickle.dumps(net)
