"""Models written for programs of C compute what executables compute."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_programs import COMPILER, compile_c, run_c

import glow
from glow.backends.cpu.c_files import c_files
from glow.backends.cpu.elf import read_object
from glow.graph_modules import context
from glow.model import Model, parse_text
from glow.support.targets import target_of

pytestmark = pytest.mark.skipif(
    "linux" not in target_of("cpu").triple, reason="objects are those of ELF"
)
with_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


def model_of(text: str) -> Model:
    return Model("net", parse_text(context(), text, "net.mlir"))


def counter() -> Model:
    """Return a model with states that start as several numbers, one, and nothing."""
    b = glow.Builder("net")
    x = b.input("x", (2,))
    start = np.array([3, 4], np.float32)
    steps = b.add(b.state("steps", (2,), initial=start), x)
    total = b.state("total", (2,), np.int64, initial=7)
    past = b.state("past", (2,), initial=None)
    b.update("steps", steps)
    b.update("total", b.add(total, total))
    b.update("past", x)
    b.output("y", b.add(b.mul(steps, steps), past))
    return b.model()


def network() -> Model:
    """Return a model with convolutions, weights, an arena and two outputs."""
    b = glow.Builder("net")
    he = glow.initializers.he(seed=1)
    x = b.relu(b.conv(b.input("image/0", (2, 3, 12, 12)), 24, kernel=3, init=he))
    pooled = b.reshape(b.global_avg_pool(b.conv(x, 40, kernel=3)), shape=(2, 40))
    b.output("features", pooled)
    b.output("class", b.softmax(b.linear(pooled, 10), axis=-1))
    return b.model()


@pytest.mark.slow
@with_compiler
def test_a_network_gives_the_same_numbers(tmp_path: Path) -> None:
    model = network()
    model.emit_c(tmp_path / "net.h")
    image = np.random.default_rng(0).standard_normal((2, 3, 12, 12), np.float32)
    expected = glow.compile(model, threads=1).run({"image/0": image})
    wanted = {"features": expected["features"], "class_1": expected["class"]}
    found = run_c(tmp_path, {"image_0": image}, wanted, ["image_0", *wanted])
    assert not isinstance(found, str)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)


@with_compiler
def test_states_start_and_stay_with_the_caller(tmp_path: Path) -> None:
    counter().emit_c(tmp_path / "net.h")
    x = np.array([1, -2], np.float32)
    wanted = {
        "steps": np.array([6, -2], np.float32),
        "total": np.array([56, 56]),
        "past": x,
        "y": np.array([37, 2], np.float32),
    }
    given = {"x": x, "past": np.array([9, 9], np.float32)}
    order, starts = ["x", "steps", "total", "past", "y"], ["steps", "total"]
    found = run_c(tmp_path, given, wanted, order, starts, runs=3)
    assert not isinstance(found, str)
    for name, array in wanted.items():
        assert found[name].tolist() == array.tolist()


@with_compiler
def test_a_fault_has_the_message_of_the_executable(tmp_path: Path) -> None:
    model = model_of("""
func.func @main(%x: tensor<8xf32>, %at: tensor<3xi64>) -> tensor<3xf32> {
  %y = graph.gather %x, %at : (tensor<8xf32>, tensor<3xi64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}""")
    model.emit_c(tmp_path / "net.h")
    given: dict[str, Any]
    given = {"x": np.ones(8, np.float32), "at": np.array([0, 8, 1])}
    with pytest.raises(glow.ExecutionError) as raised:
        glow.compile(model).run(given)
    y = {"y": np.ones(3, np.float32)}
    assert run_c(tmp_path, given, y, ["x", "at", "y"]) == str(raised.value)
    given["at"] = np.array([0, 7, -1])
    found = run_c(tmp_path, given, y, ["x", "at", "y"])
    assert not isinstance(found, str)
    assert found["y"].tolist() == [1, 1, 1]


@pytest.mark.slow
@with_compiler
@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        *(("f64", "float64"), ("f16", "float16"), ("i8", "int8"), ("i16", "int16")),
        *(("i32", "int32"), ("i64", "int64"), ("ui8", "uint8"), ("ui16", "uint16")),
        *(("ui32", "uint32"), ("ui64", "uint64")),
    ],
)
def test_number_types(tmp_path: Path, element: str, dtype: str) -> None:
    tensor = f"tensor<5x{element}>"
    model = model_of(f"""
func.func @main(%x: {tensor}, %y: {tensor}) -> (tensor<5xi1>, {tensor}) {{
  %a = graph.less %x, %y : ({tensor}, {tensor}) -> tensor<5xi1>
  %b = graph.add %x, %y : ({tensor}, {tensor}) -> {tensor}
  func.return %a, %b : tensor<5xi1>, {tensor}
}}""")
    model.emit_c(tmp_path / "net.h")
    x, y = np.arange(5).astype(dtype), np.array([2, 0, 3, 1, 5]).astype(dtype)
    wanted = {"a": x < y, "b": x + y}
    found = run_c(tmp_path, {"x": x, "y": y}, wanted, ["x", "y", *wanted])
    assert not isinstance(found, str)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)


@with_compiler
def test_names_that_c_lacks_are_changed(tmp_path: Path) -> None:
    names = ["*/ int", "int", "a.b", "a/b", "A_B", "0", "größe", "weights", "a\\"]
    odd = "\n".join(
        f'graph.placeholder @"{name}" "in" : tensor<2xf32>'
        for name in (n.replace("\\", "\\\\") for n in names)
    )
    model_of(f"""{odd}
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {{
  %0 = graph.load @int : tensor<2xf32>
  graph.save @y, %0 : tensor<2xf32>
  func.return
}}""").emit_c(tmp_path / "net.h")
    order = ["int_1", "int_2", "a_b", "a_b_1", "A_B_2", "x0", "gr_e"]
    order += ["weights_1", "a", "y"]
    x = np.array([1, 2], np.float32)
    found = run_c(tmp_path, {"int_2": x}, {"y": x}, order)
    assert not isinstance(found, str)
    assert found["y"].tolist() == [1, 2]
    if shutil.which("c++"):
        (tmp_path / "use.cpp").write_text('#include "net.h"\nint (*use)(...);\n')
        command = ["c++", "-Wall", "-Werror", "-fsyntax-only", "use.cpp"]
        subprocess.run(command, cwd=tmp_path, check=True)


@pytest.mark.slow
@with_compiler
def test_two_models_and_a_main_link_together(tmp_path: Path) -> None:
    for name in ("net", "other"):
        network().emit_c(tmp_path / f"{name}.h")
    source = """
#include "net.h"
#include "other.h"
int main(void) { return net_run == other_run || &net_weights[0] == &other_weights[0]; }
"""
    objects = [f"{n}{part}.o" for n in ("net", "other") for part in ("", ".weights")]
    program = compile_c(tmp_path, source, *objects)
    subprocess.run([program], check=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "machine"), [("cpu:sse2", 62), ("cpu:avx512", 62), ("cpu:neon", 183)]
)
def test_objects_define_one_symbol_and_need_none(
    tmp_path: Path, target: str, machine: int
) -> None:
    network().emit_c(tmp_path / "net.h", target)
    for file, symbol in (("net.o", "net_run"), ("net.weights.o", "net_weights")):
        read = read_object((tmp_path / file).read_bytes())
        assert read.machine == machine
        assert [s.name for s in read.symbols if s.name and not s.is_local] == [symbol]


@pytest.mark.slow
def test_equal_files_each_time(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        network().emit_c(tmp_path / folder / "net.h")
    for name in ("net.h", "net.o", "net.weights.o"):
        assert (tmp_path / "a" / name).read_bytes() == (
            tmp_path / "b" / name
        ).read_bytes()


@pytest.mark.parametrize("name", ["net", "net.o", "3net.h", "my-net.h", ".h"])
def test_a_header_has_a_name_of_c(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"such as net\.h, to write to, got .*"):
        network().emit_c(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_other_targets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(glow.CompilationError, match="reference writes no code for C"):
        network().emit_c(tmp_path / "net.h", "reference")


CALLS = """
llvm.func @puts(!llvm.ptr)
llvm.func @main(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr) {
  llvm.call @puts(%0) : (!llvm.ptr) -> ()
  llvm.return
}
"""
SHARED = """
builtin.module attributes {glow.strands = 1, glow.sections = 1, glow.worker_bytes = 0} {
  llvm.func @main(%0: !llvm.ptr) {
    llvm.return
  }
}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CALLS, "expected code that calls nothing, got calls of puts"),
        (SHARED, "expected code for one thread, got code for several"),
    ],
)
def test_code_that_needs_more_than_arrays_is_refused(text: str, message: str) -> None:
    module = parse_text(context(), text, "net.mlir")
    with pytest.raises(glow.CompilationError, match=message):
        c_files(module, target_of("cpu"), "net")
