"""The cache behind `glow.compile`: hits, misses, damage, limits, other processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from small_onnx import model, node

import glow
from glow import compilation
from glow.compilation import Source, key_of
from glow.formats.external_data import external_files
from glow.options import _NOT_OF_RESULT, Options
from glow.runtime.saved import SUFFIX
from glow.support.arrays import address_of

TEXT = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
  %w = graph.literal dense<{value}> : tensor<3xf32> : tensor<3xf32>
  %y = graph.mul %x, %w : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}}
"""
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def network(name: str = "n", value: float = 2.0) -> onnx.ModelProto:
    """Return a product by a weight that is not inlined, as its op is called `name`."""
    weight = np.full((3, 16), value, np.float32)
    found = model([node("MatMul", "x w", "y")], {"x": (2, 3)}, ["y"], {"w": weight})
    found.graph.node[0].name = name
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "net.onnx"
    onnx.save(network(), found)
    return found


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def kept(cache: Path) -> list[str]:
    """Return the executables that are kept, by name."""
    return sorted(each.name for each in cache.glob(f"*{SUFFIX}"))


def is_hit(net: glow.Executable) -> bool:
    return [stage.name for stage in net.stages] == ["cache"]


def compiled(source: object, cache: Path, **options: Any) -> glow.Executable:
    return glow.compile(source, cache_dir=cache, **options)


def test_the_second_compilation_is_found(path: Path, cache: Path) -> None:
    first, second = compiled(path, cache), compiled(path, cache)
    assert (is_hit(first), is_hit(second)) == (False, True)
    assert second.signature == first.signature
    assert np.array_equal(second(X), first(X))
    assert len(kept(cache)) == 1


@pytest.mark.slow
def test_a_hit_needs_no_compiler(path: Path, cache: Path) -> None:
    compiled(path, cache)
    script = """
import os, sys, glow, numpy as np
net = glow.compile(sys.argv[1], cache_dir=sys.argv[2])
assert net(np.ones((2, 3), np.float32)).tolist() == [[6.0] * 16] * 2
heavy = {"xdsl", "onnx", "onnxruntime"} & set(sys.modules)
if (sys.platform, os.uname().machine) == ("linux", "x86_64"):
    heavy |= {"llvmlite"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", script, path, cache], check=True)


def test_all_forms_of_a_model_are_kept(path: Path, cache: Path) -> None:
    text = path.with_suffix(".mlir")
    text.write_text(TEXT.format(value=3.0))
    proto = onnx.load(path)
    for count, form in enumerate([text, glow.load(path), proto], start=1):
        assert not is_hit(compiled(form, cache))
        assert is_hit(compiled(form, cache))
        assert len(kept(cache)) == count
    assert is_hit(compiled(proto.SerializeToString(deterministic=True), cache))
    assert is_hit(compiled(glow.load(path).module, cache))


def test_each_shape_of_a_symbolic_model_is_kept(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "net.onnx"
    found = network()
    found.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    onnx.save(found, path)
    for form in (path, glow.load(path)):
        net = compiled(form, cache)
        for n in (1, 2, 5):
            assert np.array_equal(net(np.ones((n, 3), np.float32)), np.full((n, 16), 6))
        assert len(kept(cache)) == 3
    assert is_hit(compiled(glow.load(path, dims={"n": 5}), cache))


def test_what_is_found_shares_constants(tmp_path: Path, cache: Path) -> None:
    paths = [tmp_path / f"{rows}.onnx" for rows in (1, 8)]
    for path, rows in zip(paths, (1, 8), strict=True):
        found = network()
        found.graph.input[0].type.tensor_type.shape.dim[0].dim_value = rows
        onnx.save(found, path)
        compiled(path, cache)
    nets = [compiled(path, cache) for path in paths]
    assert all(map(is_hit, nets))
    first, second = ({address_of(each) for each in n._image.constants} for n in nets)
    assert first & second  # the weight; tables of rows differ


def test_a_model_that_changed_is_compiled(path: Path, cache: Path) -> None:
    compiled(path, cache)
    onnx.save(network(value=3.0), path)
    found = compiled(path, cache)
    assert not is_hit(found)
    assert found(X)[0, 0] == 9
    loaded = glow.load(path)
    compiled(loaded, cache)
    loaded.module.body.block.last_op.detach()  # pyright: ignore
    with pytest.raises(glow.GlowError):
        compiled(loaded, cache)


def test_nothing_is_kept_unless_asked_for(path: Path, cache: Path) -> None:
    glow.compile(path)
    assert not cache.exists()
    compiled(path, cache, cache_bytes=0)
    assert kept(cache) == []
    assert list(cache.glob("*.object"))  # machine code of kernels is small
    assert not is_hit(compiled(path, cache, cache_bytes=0))


def test_targets_without_files_are_not_kept(path: Path, cache: Path) -> None:
    for _ in range(2):
        assert not is_hit(compiled(path, cache, target="reference"))
    assert kept(cache) == []


def keys(source: Source, **options: Any) -> str:
    found = key_of(source, "cpu", Options(cache_dir="cache", **options))
    assert found is not None
    return found


def test_every_option_counts(path: Path) -> None:
    source = Source(path)
    others = [
        keys(source, cpu_features="sse2"),
        keys(source, accuracy="strict"),
        keys(source, accuracy="strict", cpu_features="sse2"),
        keys(source, disable=("cse",)),
        keys(source, disable=("cse", "dce")),
        keys(source, stop_after_pass=3),
        keys(source, profile=True),
        keys(source, relayout="NHWC"),
        keys(source, relayout={"x": "NHWC"}),
        keys(source, states={"y": "x"}),
        keys(source, trust=True),
        keys(source, fold_bytes=1),
        keys(source, memory_bytes=1),
        keys(replace(source, dims={"n": 1})),
        keys(replace(source, dims={"n": 2})),
        keys(replace(source, constants={"k": np.zeros(2)})),
        keys(replace(source, constants={"k": np.zeros((1, 2))})),
        keys(replace(source, constants={"k": np.zeros(2, np.int64)})),
    ]
    assert len({keys(source), *others}) == 1 + len(others)
    assert keys(source, disable=("dce", "cse", "cse")) == others[4]
    assert keys(source, cache_bytes=7) == keys(source)
    known = {
        "cpu_features",
        "disable",
        "fold_bytes",
        "memory_bytes",
        "stop_after_pass",
        "profile",
        "relayout",
        "states",
        "trust",
    }
    # An option that is new counts, unless it is listed as one that does not.
    assert {field.name for field in fields(Options)} == known | _NOT_OF_RESULT


def test_another_compiler_counts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys(Source(path))
    monkeypatch.setattr(compilation, "fingerprint", lambda: "another")
    assert keys(Source(path)) != before


def test_external_data_count(tmp_path: Path) -> None:
    path, data = tmp_path / "net.onnx", tmp_path / "net.bin"
    onnx.save(
        network(),
        path,
        save_as_external_data=True,
        location=data.name,
        size_threshold=0,
    )
    before = keys(Source(path))
    content = bytearray(data.read_bytes())
    content[0] ^= 1
    data.write_bytes(content)
    assert keys(Source(path)) != before
    data.unlink()
    assert key_of(Source(path), "cpu", Options(cache_dir="cache")) is None


def external(location: str) -> TensorProto:
    tensor = numpy_helper.from_array(np.ones(2, np.float32), location)
    onnx.external_data_helper.set_external_data(tensor, location)
    tensor.ClearField("raw_data")
    return tensor


def test_external_data_are_found_wherever_tensors_are() -> None:
    constant = helper.make_node("Constant", [], ["c"], value=external("in_attribute"))
    branch = helper.make_graph([constant], "branch", [], [])
    choice = helper.make_node("If", ["b"], ["y"], then_branch=branch)
    values, indices = external("in_values"), external("in_indices")
    graph = helper.make_graph([choice], "g", [], [], [external("in_initializer")])
    graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [9]))
    found = helper.make_model(graph)
    function = helper.make_node("Constant", [], ["c"], value=external("in_function"))
    opset = helper.make_opsetid("", 17)
    found.functions.append(
        helper.make_function("d", "F", [], ["c"], [function], [opset])
    )
    assert external_files(found.SerializeToString()) == [
        "in_attribute",
        "in_function",
        "in_indices",
        "in_initializer",
        "in_values",
    ]


@pytest.mark.parametrize("name", ["/etc/hostname", "../a", "a/../../b"])
def test_files_elsewhere_are_not_read(tmp_path: Path, name: str) -> None:
    graph = helper.make_graph([], "g", [], [], [external(name)])
    path = tmp_path / "net.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    assert Source(path).digest() is None


@pytest.mark.parametrize("content", [b"", b"location", b"\xff" * 99])
def test_what_is_no_model_is_refused_as_ever(
    tmp_path: Path, cache: Path, content: bytes
) -> None:
    for name in ("net.onnx", "net.pb"):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(glow.InvalidModelError):
            compiled(path, cache)
    with pytest.raises(TypeError):
        compiled(1, cache)
    assert not cache.exists()


def flipped(place: int) -> Callable[[bytes], bytes]:
    def flip(content: bytes) -> bytes:
        found = bytearray(content)
        found[place] ^= 1
        return bytes(found)

    return flip


@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda c: c[:-1], *map(flipped, (99, -64))],
)
def test_a_damaged_file_is_written_anew(
    path: Path, cache: Path, damage: Callable[[bytes], bytes]
) -> None:
    expected = compiled(path, cache)(X)
    (file,) = cache.glob(f"*{SUFFIX}")
    intact = file.read_bytes()
    file.write_bytes(damage(intact))
    found = compiled(path, cache)
    assert not is_hit(found)
    assert np.array_equal(found(X), expected)
    assert file.read_bytes() == intact
    assert is_hit(compiled(path, cache))


def test_a_folder_that_cannot_be_breaks_nothing(path: Path) -> None:
    for _ in range(2):
        assert not is_hit(compiled(path, path / "cache"))


def test_files_used_longest_ago_are_removed(tmp_path: Path, cache: Path) -> None:
    paths = [tmp_path / f"{number}.onnx" for number in range(3)]
    names: list[str] = []
    for number, path in enumerate(paths):
        onnx.save(network(value=float(number)), path)
        compiled(path, cache)
        names += set(kept(cache)).difference(names)
        os.utime(cache / names[-1], (time.time() - 100 + number,) * 2)
    size = (cache / names[0]).stat().st_size
    (cache / names[2]).unlink()
    assert is_hit(compiled(paths[0], cache))  # now the second is the oldest
    compiled(paths[2], cache, cache_bytes=2 * size)
    assert kept(cache) == sorted([names[0], names[2]])
    (cache / names[0]).unlink()
    assert not is_hit(compiled(paths[0], cache, cache_bytes=size - 1))
    assert kept(cache) == [names[2]]  # what has no room makes none


def test_a_file_that_changes_meanwhile_is_not_kept(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = compilation._compiled

    def slowly(*arguments: Any) -> glow.Executable:
        onnx.save(network(value=5.0), path)
        return original(*arguments)

    monkeypatch.setattr(compilation, "_compiled", slowly)
    compiled(path, cache)
    assert kept(cache) == []


COMPILE = "import sys, glow; glow.compile(sys.argv[1], cache_dir=sys.argv[2])"
# It dies after half of the pieces of the file are on disk.
DIE = """
import os, signal
from glow.runtime import image_file
write = image_file.replace_file
def dying(path, pieces):
    for piece in pieces:
        yield piece
        if len(piece) > 100:
            os.kill(os.getpid(), signal.SIGKILL)
image_file.replace_file = lambda path, pieces: write(path, dying(path, pieces))
"""


@pytest.mark.slow
def test_a_killed_process_does_no_harm(path: Path, cache: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", DIE + COMPILE, path, cache])
    assert killed.returncode < 0
    (left,) = cache.glob(".*.tmp")
    assert kept(cache) == []
    assert not is_hit(compiled(path, cache))
    assert is_hit(compiled(path, cache))
    assert left.exists()  # its writer could still be alive
    os.utime(left, (time.time() - 7200,) * 2)
    onnx.save(network(value=7.0), path)
    subprocess.run([sys.executable, "-c", COMPILE, path, cache], check=True)
    assert not left.exists()  # the first file that a process writes has it look


def test_unfinished_files_count(path: Path, cache: Path) -> None:
    cache.mkdir()
    left = cache / f".key{SUFFIX}.0123.tmp"
    left.write_bytes(bytes(100_000))
    os.utime(left, (time.time() - 60,) * 2)
    compiled(path, cache, cache_bytes=90_000)
    assert not left.exists()
    assert len(kept(cache)) == 1


@pytest.mark.slow
def test_processes_at_once_share_a_folder(path: Path, cache: Path) -> None:
    command = [sys.executable, "-c", COMPILE, str(path), str(cache)]
    runs = [subprocess.Popen(command) for _ in range(2)]
    assert [run.wait(120) for run in runs] == [0, 0]
    assert len(kept(cache)) == 1
    assert not list(cache.glob(".*"))
    found = compiled(path, cache)
    assert is_hit(found)
    assert np.array_equal(found(X), glow.compile(path)(X))
