"""Executables for several shapes in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto
from small_onnx import info, model, node

import glow
from glow import BindingError, CompilationError, DynamicExecutable
from glow.runtime.native import NativeExecutable
from glow.support.arrays import address_of

f32 = np.float32
WEIGHT = np.random.default_rng(0).standard_normal((128, 160), f32)
WISH: dict[str, Any] = {"states": {"n2": "n"}, "relayout": {"n": "[1, 0]"}}


def product() -> ModelProto:
    """Return y = x @ w + n[0], and n, which counts runs up."""
    nodes = [
        node("MatMul", "x w", "h"),
        node("Gather", "n first", "row", axis=0),
        node("ReduceSum", "row", "sum", keepdims=0),
        node("Add", "h sum", "y"),
        node("Add", "n one", "n2"),
    ]
    shapes = {"x": ("batch", 128), "n": ("batch", 2)}
    outputs = [info("y", ("batch", 160)), info("n2", ("batch", 2))]
    weights = {"w": WEIGHT, "first": np.array(0), "one": np.array(1, f32)}
    return model(nodes, shapes, outputs, weights)


@pytest.fixture(scope="module")
def net() -> DynamicExecutable:
    found = glow.compile(product(), shapes={"batch": [1, 8]}, **WISH)
    assert isinstance(found, DynamicExecutable)
    return found


@pytest.fixture(scope="module")
def saved(net: DynamicExecutable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "net.glow"
    net.save(path)
    return path


def loaded(path: Path, verify: bool = False) -> DynamicExecutable:
    found = glow.load_executable(path, verify=verify)
    assert isinstance(found, DynamicExecutable)
    return found


def rows(count: int) -> NDArray[Any]:
    return np.random.default_rng(count).standard_normal((count, 128), f32)


@pytest.mark.slow
def test_each_shape_gives_the_same_bits(net: DynamicExecutable, saved: Path) -> None:
    for verify in (False, True):
        found = loaded(saved, verify)
        assert found.signature == net.signature
        assert str(found.signature) == str(net.signature)
        assert found.compiled == net.compiled == ({"batch": 1}, {"batch": 8})
        for count in (8, 1):
            x = rows(count)
            np.testing.assert_array_equal(found(x), net(x))
            np.testing.assert_array_equal(found.run({"x": x})["y"], net(x))
        assert found.compiled == ({"batch": 8}, {"batch": 1})
        net(rows(1)), net(rows(8))


def test_states_go_on(saved: Path) -> None:
    x = rows(8)
    bound = loaded(saved).bind({"x": x})
    first = bound.run()["y"].copy()
    np.testing.assert_allclose(bound.run()["y"], first + 2, atol=1e-4)
    assert np.array_equal(bound["n"], np.full((2, 8), 2, f32))


def test_what_shapes_share_is_there_once(saved: Path) -> None:
    assert saved.stat().st_size < 1.6 * WEIGHT.nbytes
    for verify in (False, True):
        found = loaded(saved, verify)
        packed = set[int]()
        for batch in (1, 8):
            fixed = found.specialize({"batch": batch})
            assert isinstance(fixed, NativeExecutable)
            (weight,) = (
                c for c in fixed.image().constants if c.nbytes >= WEIGHT.nbytes
            )
            packed.add(address_of(weight))
        assert len(packed) == 1


def test_other_shapes_are_refused_with_those_that_there_are(saved: Path) -> None:
    found = loaded(saved)
    wanted = (
        f"{saved}: expected batch = 1 or batch = 8, which it is compiled for, got "
        "batch = 3; compile the model for more shapes and save it"
    )
    for call in (
        lambda: found(rows(3)),
        lambda: found.run({"x": rows(3)}),
        lambda: found.bind({"x": rows(3)}),
        lambda: found.specialize({"batch": 3}),
    ):
        with pytest.raises(BindingError) as refused:
            call()
        assert str(refused.value) == wanted
    with pytest.raises(BindingError, match='dimension "batch": missing'):
        found.specialize({})
    with pytest.raises(BindingError, match=r"expected float32\[batch, 128\], got"):
        found(np.zeros((1, 3), f32))
    np.testing.assert_array_equal(found(rows(1)).shape, (1, 160))


def test_what_was_loaded_can_be_saved(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.glow"
    loaded(saved).save(again)
    assert again.read_bytes() == saved.read_bytes()


def test_what_was_compiled_on_demand_is_saved_too(tmp_path: Path) -> None:
    source = model(
        [node("Concat", "x z", "y", axis=1)],
        {"x": ("batch", "past"), "z": ("batch", "past + 1")},
        [info("y", None)],
    )
    net = glow.compile(source)
    with pytest.raises(CompilationError) as refused:
        net.save(tmp_path / "net.glow")
    assert str(refused.value) == (
        "expected a shape to save an executable for, got none; name some when the "
        'model is compiled, shapes={"batch": ..., "past": ...}, or '
        'specialize({"batch": ..., "past": ...})'
    )
    assert not list(tmp_path.iterdir())
    x, z = np.ones((2, 3), f32), np.zeros((2, 4), f32)
    net(x, z)
    net.save(tmp_path / "net.glow")
    found = loaded(tmp_path / "net.glow")
    assert found.dims == ("batch", "past")
    np.testing.assert_array_equal(found(x, z), net(x, z))
    assert found.specialize({"past": 3, "batch": 2}) is found.specialize(
        {"batch": 2, "past": 3}
    )
    with pytest.raises(BindingError, match=r'"past \+ 1" is 5 .*, expected 4 for past'):
        found(x, np.zeros((2, 5), f32))
    with pytest.raises(BindingError, match="got batch = 2, past = 2; compile the"):
        found(x[:, 1:], z[:, 1:])


def test_damage_is_found_for_each_shape(saved: Path, tmp_path: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[-WEIGHT.nbytes // 2] ^= 1
    path = tmp_path / "bad.glow"
    path.write_bytes(content)
    found = loaded(path)
    for count in (1, 8):
        with pytest.raises(glow.InvalidExecutableError, match="the constants at byte"):
            found(rows(count))
    with pytest.raises(glow.InvalidExecutableError, match="the constants at byte"):
        glow.load_executable(path, verify=True)
    with pytest.raises(glow.InvalidExecutableError, match="the constants at byte"):
        found.save(tmp_path / "again.glow")


def test_the_reference_has_nothing_to_save(tmp_path: Path) -> None:
    net = glow.compile(product(), "reference", shapes={"batch": 1})
    with pytest.raises(CompilationError, match="machine code to save"):
        net.save(tmp_path / "net.glow")
