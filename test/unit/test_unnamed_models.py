"""Models that differ in names, or the order of ops, share what is kept of them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from small_onnx import info, model, node
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.dialects.graph.indexing import GatherOp
from glow.runtime.saved import SUFFIX
from glow.support.locations import name_of

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TABLE = np.arange(30, dtype=np.float32).reshape(10, 3)


def network(names: str, swapped: bool = False) -> onnx.ModelProto:
    """Return a network with a look-up whose nodes, inputs and outputs have names."""
    x, place, table, found, half, y, z = names
    step = -1 if swapped else 1
    nodes = [
        node("Gather", f"{table} {place}", found, f"look up {found}"),
        node("Tanh", x, half, f"shrink {half}"),
        node("Add", f"{half} {found}"[::step], y, f"add {y}"),
        node("Sub", f"{half} {found}", z, f"subtract {z}"),
    ]
    if swapped:
        nodes[:2] = nodes[1::-1]
    inputs = {x: (2, 3), place: info(place, (2,), "i64")}
    return model(nodes, inputs, [y, z], {table: TABLE})


def compiled(source: object, cache: Path, **options: Any) -> glow.Executable:
    return glow.compile(source, cache_dir=cache, **options)


def is_hit(net: glow.Executable) -> bool:
    return [stage.name for stage in net.stages] == ["cache"]


@pytest.mark.parametrize("profile", [False, True])
def test_names_are_those_of_who_asks(tmp_path: Path, profile: bool) -> None:
    forms = [glow.load(network("abcdefg")), glow.load(network("gfedcba", True))]
    nets = [compiled(form, tmp_path, profile=profile) for form in forms]
    assert [is_hit(net) for net in nets] == [False, True]
    assert len(list(tmp_path.glob(f"*{SUFFIX}"))) == 1
    place = np.array([3, 4])
    for net, names in zip(nets, ("abcdefg", "gfedcba"), strict=True):
        x, at, _, found, half, y, z = names
        assert [spec.name for spec in net.inputs] == [x, at]
        results = net.run({x: X, at: place})
        np.testing.assert_allclose(results[y], TABLE[place] + np.tanh(X), rtol=1e-6)
        np.testing.assert_allclose(results[z], np.tanh(X) - TABLE[place], rtol=1e-6)
        with pytest.raises(glow.ExecutionError) as caught:
            net.run({x: X, at: place + 9})
        assert f"look up {found}" in str(caught.value)
        if profile:
            records = net.profile({x: X, at: place})
            named = " + ".join(record.group.name for record in records).split(" + ")
            assert {f"look up {found}", f"shrink {half}"} <= set(named)


def test_what_is_found_is_pickled_with_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOW_CACHE_DIR", str(tmp_path / "user"))
    for names in ("abcdefg", "gfedcba"):
        net = compiled(glow.load(network(names)), tmp_path)
        again = pickle.loads(pickle.dumps(net))
        assert [spec.name for spec in again.inputs] == list(names[:2])


def test_options_that_say_names_are_not_for_others(tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [{"states": {"y": "x"}}, {"relayout": {"x": "CN"}}]
    for each in options:
        for name in ("one", "other"):
            nodes = [node("Neg", "x", "y", name)]
            form = glow.load(model(nodes, {"x": (2, 3)}, ["y"]))
            assert not is_hit(compiled(form, tmp_path, **each))


def test_structure_and_where_names_are_equal_count(tmp_path: Path) -> None:
    """A message tells of the ops of one name: which these are is part of the form."""
    nodes = [node("Neg", "x", "h", "a"), node("Tanh", "h", "y", "b")]
    forms = [
        model(nodes, {"x": (2, 3)}, ["y"]),
        model([nodes[0], node("Tanh", "h", "y", "a")], {"x": (2, 3)}, ["y"]),
        model(nodes, {"x": (3, 2)}, ["y"]),
        model([*nodes, node("Abs", "x", "z", "c")], {"x": (2, 3)}, ["y", "z"]),
    ]
    nets = [compiled(glow.load(form), tmp_path) for form in forms]
    assert not any(map(is_hit, nets))


def test_ops_that_nothing_reads_are_part_of_what_is_looked_up(tmp_path: Path) -> None:
    text = """
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %x : tensor<2x3xf32>
    }"""
    path = tmp_path / "net.mlir"
    path.write_text(text)
    form = glow.load(path)
    assert not is_hit(compiled(form, tmp_path))  # with an op that nothing reads
    assert is_hit(compiled(form, tmp_path))


def test_what_cannot_be_compiled_is_reported_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(module: ModuleOp, *_: Any) -> None:
        names = {name_of(op) for op in module.walk() if isinstance(op, GatherOp)}
        raise glow.CompilationError(f"no room for {names}")

    monkeypatch.setattr("glow.module_compiler._lower", refuse)
    with pytest.raises(glow.CompilationError, match=r"no room for .'look up d'."):
        compiled(glow.load(network("abcdefg")), tmp_path)


def test_a_function_that_moved_is_found(tmp_path: Path) -> None:
    code = "def f(x):\n    return np.tanh(x) @ x.T + 1\n"
    found: list[np.ndarray] = []
    for lines in ("", "\n# another comment\n"):
        space: dict[str, Any] = {"np": np}
        exec(compile(lines + code, "user.py", "exec"), space)
        found.append(glow.jit(space["f"], cache_dir=tmp_path)(X))
    np.testing.assert_array_equal(*found)
    assert len(list(tmp_path.glob(f"*{SUFFIX}"))) == 1
