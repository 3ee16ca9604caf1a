"""Executables in files: what is saved runs the same elsewhere; damage is found."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_onnx import info, model, node

import glow
from glow.backends.cpu.linker import load_image
from glow.backends.cpu.targets import features_of
from glow.runtime import image_file
from glow.runtime.image import Machine
from glow.runtime.image_file import FORMAT, read_images, write_images
from glow.support.targets import target_of
from glow.tools import glow_bench, glow_run

VERSION = version("glow-xdsl")

# It has weights that are packed, an index that can be out of range, a state, two
# outputs, and an input and an output of no elements.
NETWORK = """
graph.placeholder @x "in" : tensor<2x64xf32>
graph.placeholder @row "in" : tensor<1xi64>
graph.placeholder @none "in" : tensor<0x3xf32>
graph.placeholder @"état/0" "inout" : tensor<2x32xf32>
graph.placeholder @y "out" : tensor<1x32xf32>
graph.placeholder @z "out" : tensor<0x3xf32>
func.func @main() {{
  %x = graph.load @x : tensor<2x64xf32>
  %row = graph.load @row : tensor<1xi64>
  %none = graph.load @none : tensor<0x3xf32>
  %s = graph.load @"état/0" : tensor<2x32xf32>
  %w = graph.literal {weights} : tensor<64x32xf32> : tensor<64x32xf32>
  %p = graph.matmul %x, %w : (tensor<2x64xf32>, tensor<64x32xf32>) -> tensor<2x32xf32>
  %t = graph.add %p, %s : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x32xf32>
  %y = graph.gather %t, %row {{axis = 0 : i64}}
      : (tensor<2x32xf32>, tensor<1xi64>) -> tensor<1x32xf32>
  graph.save @"état/0", %t : tensor<2x32xf32>
  graph.save @y, %y : tensor<1x32xf32>
  graph.save @z, %none : tensor<0x3xf32>
  func.return
}}
"""


def network() -> str:
    rows = np.random.default_rng(0).standard_normal((64, 32)).round(3).tolist()
    return NETWORK.format(weights=f"dense<{rows}>")


def inputs(row: int = 1) -> dict[str, object]:
    x = np.random.default_rng(1).standard_normal((2, 64), np.float32)
    state = np.ones((2, 32), np.float32)
    return {
        "x": x,
        "row": np.array([row]),
        "none": np.zeros((0, 3), np.float32),
        "état/0": state,
    }


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> glow.Executable:
    path = tmp_path_factory.mktemp("model") / "net.mlir"
    path.write_text(network())
    return glow.compile(path)


@pytest.fixture(scope="module")
def saved(net: glow.Executable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "net.glow"
    net.save(path)
    return path


def payload_of(content: bytes) -> int:
    """Return where the page after the header begins."""
    (length,) = struct.unpack_from("<Q", content, 24)
    return -(-(64 + length) // 4096) * 4096


def assert_same_runs(found: glow.Executable, expected: glow.Executable) -> None:
    a, b = found.run(inputs()), expected.run(inputs())
    assert list(a) == list(b)
    assert all(np.array_equal(a[name], b[name]) for name in a)


def test_loaded_runs_give_the_same_bits(net: glow.Executable, saved: Path) -> None:
    for verify in (False, True):
        found = glow.load_executable(saved, verify=verify)
        assert found.signature == net.signature
        assert_same_runs(found, net)


def test_what_is_relaid_is_loaded_so(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text("""
      func.func @main(%x: tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
        %y = graph.relu %x : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
        func.return %y : tensor<1x3x4x5xf32>
      }""")
    net = glow.compile(tmp_path / "net.mlir", relayout="NHWC")
    net.save(tmp_path / "net.glow")
    found = glow.load_executable(tmp_path / "net.glow")
    assert found.signature == net.signature
    assert found.inputs[0].shape == (1, 4, 5, 3)


def test_faults_keep_their_messages(net: glow.Executable, saved: Path) -> None:
    with pytest.raises(glow.ExecutionError) as first:
        net.run(inputs(row=2))
    with pytest.raises(glow.ExecutionError) as second:
        glow.load_executable(saved).run(inputs(row=2))
    assert str(first.value) == str(second.value)


def test_a_loaded_executable_can_be_saved(
    net: glow.Executable, saved: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.glow"
    glow.load_executable(saved).save(again)
    assert again.read_bytes() == saved.read_bytes()
    glow.load_executable(again).save(again)  # over the file that is mapped
    assert_same_runs(glow.load_executable(again), net)
    assert [path.name for path in tmp_path.iterdir()] == ["again.glow"]


@pytest.mark.slow
def test_loading_needs_no_compiler(saved: Path, tmp_path: Path) -> None:
    b = model([node("Relu", "x", "y")], {"x": ("rows",)}, [info("y", ("rows",))])
    glow.compile(b, shapes={"rows": [1, 2]}).save(tmp_path / "rows.glow")
    script = """
import os, sys, glow, numpy as np
net = glow.load_executable(sys.argv[1])
net.run({s.name: np.zeros(s.shape, s.dtype) for s in net.inputs})
glow.load_executable(sys.argv[2])(np.zeros(2, np.float32))
heavy = {"xdsl", "ml_dtypes", "onnx", "onnxruntime", "importlib.metadata"}
heavy &= set(sys.modules)
if (sys.platform, os.uname().machine) == ("linux", "x86_64"):
    heavy |= {"llvmlite"} & set(sys.modules)
assert not heavy, heavy
"""
    files = [saved, tmp_path / "rows.glow"]
    subprocess.run([sys.executable, "-c", script, *files], check=True)


def test_the_reference_has_nothing_to_save(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text(network())
    net = glow.compile(tmp_path / "net.mlir", target="reference")
    with pytest.raises(glow.CompilationError, match="machine code to save"):
        net.save(tmp_path / "net.glow")


def refused(path: Path, content: bytes) -> str:
    """Return why a file is refused, at once or before the first run."""
    path.write_bytes(content)
    with pytest.raises(glow.InvalidExecutableError) as at_once:
        glow.load_executable(path, verify=True)
    with pytest.raises(glow.InvalidExecutableError) as late:
        glow.load_executable(path).run(inputs())
    assert str(late.value) == str(at_once.value)
    return str(late.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: b"", "expected a saved executable"),
        (lambda c: b"\x7fELF" + c, "expected a saved executable"),
        (lambda c: c[:20], "the header is cut or changed"),
        (lambda c: c[:100], "the header is cut or changed"),
        (
            lambda c: c[:16] + b"\x09" + c[17:],
            f"expected format {FORMAT}, got format 9 of glow-xdsl {VERSION};",
        ),
        (lambda c: c[:16] + b"\x02" + c[17:64], "got format 2 of another version;"),
        (lambda c: c[:24] + b"\xff" * 8 + c[32:], "the header is cut or changed"),
        (lambda c: c[:-1], "bytes, got"),
        (lambda c: c + b"\0", "bytes, got"),
    ],
)
def test_what_is_no_such_file_is_refused(
    saved: Path, tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    path = tmp_path / "bad.glow"
    found = refused(path, change(saved.read_bytes()))
    assert found.startswith(f"{path}: ")
    assert message in found


def test_changed_constants_are_refused_at_every_run(
    saved: Path, tmp_path: Path
) -> None:
    content = bytearray(saved.read_bytes())
    content[-200] ^= 1
    assert "the constants at byte" in refused(tmp_path / "bad.glow", bytes(content))
    net = glow.load_executable(tmp_path / "bad.glow")
    for _ in range(2):
        with pytest.raises(glow.InvalidExecutableError):
            net.run(inputs())


def test_changed_code_is_refused_at_once(saved: Path, tmp_path: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[payload_of(content) + 100] ^= 1
    path = tmp_path / "bad.glow"
    path.write_bytes(content)
    with pytest.raises(glow.InvalidExecutableError, match="machine code is changed"):
        glow.load_executable(path)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_flipped_bit_is_found_or_lies_between_pieces(
    net: glow.Executable, saved: Path, data: st.DataObject
) -> None:
    content = bytearray(saved.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    path = saved.with_name("flipped.glow")
    path.write_bytes(content)
    try:
        found = glow.load_executable(path, verify=True)
    except glow.InvalidExecutableError:
        return
    assert saved.read_bytes()[place] == 0  # filling
    assert_same_runs(found, net)


def test_blocks_of_constants_are_told_apart(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_file, "BLOCK_BYTES", 1000)
    path = tmp_path / "blocks.glow"
    write_images(path, read_images(saved)[0])
    content = bytearray(path.read_bytes())
    content[-3000] ^= 1
    first = refused(tmp_path / "bad.glow", bytes(content))
    content[-3000] ^= 1
    content[-200] ^= 1
    assert refused(tmp_path / "bad.glow", bytes(content)) != first


def test_other_machines_are_refused(saved: Path) -> None:
    (image,), _ = read_images(saved)
    assert image.machine.features == features_of(target_of("cpu"))
    lacking = (*image.machine.features, "tomorrow", "sme9")
    other = replace(image, machine=replace(image.machine, features=lacking))
    with pytest.raises(glow.TargetError, match="a processor with tomorrow, sme9"):
        load_image(other)
    other = replace(image, machine=replace(image.machine, triple="riscv64-elf"))
    with pytest.raises(glow.TargetError, match="got riscv64-elf"):
        load_image(other)


def test_targets_that_load_nothing_are_refused(saved: Path, tmp_path: Path) -> None:
    (image,), _ = read_images(saved)
    for name, message in (
        ("reference", "target reference loads no executables"),
        ("abacus", "got 'abacus'"),
    ):
        machine = Machine(name, image.machine.triple, ())
        write_images(tmp_path / "net.glow", [replace(image, machine=machine)])
        with pytest.raises(glow.TargetError, match=message):
            glow.load_executable(tmp_path / "net.glow")


def test_narrower_code_needs_fewer_features(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text(network())
    net = glow.compile(tmp_path / "net.mlir", cpu_features="sse2")
    net.save(tmp_path / "net.glow")
    assert read_images(tmp_path / "net.glow")[0][0].machine.features == ("sse2",)
    assert_same_runs(glow.load_executable(tmp_path / "net.glow"), net)


def test_accuracy_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text(network())
    for accuracy in ("fast", "strict"):
        net = glow.compile(tmp_path / "net.mlir", accuracy=accuracy)
        net.save(tmp_path / "net.glow")
        (image,), _ = read_images(tmp_path / "net.glow")
        assert image.machine.accuracy == accuracy


def test_nothing_is_left_where_saving_fails(
    net: glow.Executable, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="nowhere"):
        net.save(tmp_path / "nowhere" / "net.glow")
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        net.save(tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def tool(
    main: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *arguments: object,
) -> str:
    monkeypatch.setattr("sys.argv", ["tool", *map(str, arguments)])
    with suppress(SystemExit):
        main()
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_tools_save_and_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.mlir").write_text(network())
    model, path = tmp_path / "net.mlir", tmp_path / "net.glow"

    def run(main: Callable[[], None], *arguments: object) -> str:
        return tool(main, monkeypatch, capsys, *arguments)

    assert run(glow_run.main, model, "--save", path) == f"wrote {path}\n"
    signature = run(glow_run.main, path, "--signature")
    both = run(glow_run.main, model, "--save", path, "--signature")
    assert both == f"wrote {path}\n{signature}"
    shown = run(glow_run.main, path, "--random-inputs", 0)
    assert shown == run(glow_run.main, model, "--random-inputs", 0)
    assert "glow_ms" in run(glow_bench.main, path, "--seconds", 0.01)
    assert run(glow_run.main, model, "--save", "net.bin") == (
        "error: expected a file to save to whose name ends in .glow, got 'net.bin'\n"
    )
    assert run(glow_run.main, path, "--dim", "n=1", "--weights", "w") == (
        f"error: {path} is compiled already: expected no --dim, --weights\n"
    )
    path.write_bytes(b"")
    assert run(glow_run.main, path) == f"error: {path}: expected a saved executable\n"
