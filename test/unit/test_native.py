"""Executables: hand-written loops compiled, bound, run, run from many threads."""

from __future__ import annotations

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from compiled_loops import lower_loops
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    f32,
    i64,
)
from xdsl.dialects.llvm import FuncOp
from xdsl.universe import Universe

from glow.backends.cpu.code_generation import (
    KERNEL_LEVEL,
    PAIRING_LEVEL,
    ROW_OF_CALLS_LEVEL,
    cache_key,
    object_code,
)
from glow.backends.cpu.executable import compile_module, level_of
from glow.dialects.graph.placeholder import Handle, ResourceAttr
from glow.locating_parser import LocatingParser
from glow.runtime.native import NativeExecutable
from glow.support.arrays import address_of, aligned, aligned_empty
from glow.support.errors import (
    BindingError,
    CompilationError,
    ExecutionError,
    InternalError,
)
from glow.support.targets import target_of

Array = NDArray[Any]
SIZE = 1000

# y = x * x + w by way of the arena, in two private kernels that share a table.
SQUARE_AND_ADD = """
"memref.global"() <{sym_name = "counts", type = memref<2xindex>,
  initial_value = dense<[1000, 0]> : tensor<2xindex>, sym_visibility = "private",
  constant}> : () -> ()
func.func private @square(%x: memref<?xf32>, %y: memref<?xf32>) {
  %t = memref.get_global @counts : memref<2xindex>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.load %t[%zero] : memref<2xindex>
  scf.for %i = %zero to %n step %one {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = arith.mulf %a, %a : f32
    memref.store %b, %y[%i] : memref<?xf32>
  }
  func.return
}
func.func private @add(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %t = memref.get_global @counts : memref<2xindex>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.load %t[%zero] : memref<2xindex>
  scf.for %i = %zero to %n step %one {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %w[%i] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<?xf32>
  }
  func.return
}
func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>,
                %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %xs = memref.load %io[%zero] : memref<?xmemref<?xi8>>
  %ys = memref.load %io[%one] : memref<?xmemref<?xi8>>
  %ws = memref.load %constants[%zero] : memref<?xmemref<?xi8>>
  %x = memref.view %xs[%zero][%zero] : memref<?xi8> to memref<?xf32>
  %y = memref.view %ys[%zero][%zero] : memref<?xi8> to memref<?xf32>
  %w = memref.view %ws[%zero][%zero] : memref<?xi8> to memref<?xf32>
  %a = memref.view %arena[%zero][%zero] : memref<?xi8> to memref<?xf32>
  func.call @square(%x, %a) : (memref<?xf32>, memref<?xf32>) -> ()
  func.call @add(%a, %w, %y) : (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  func.return
}
"""

# state = state + x; fails with code 2 where x[0] is negative.
ACCUMULATE = """
func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>,
                %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ss = memref.load %io[%zero] : memref<?xmemref<?xi8>>
  %xs = memref.load %io[%one] : memref<?xmemref<?xi8>>
  %s = memref.view %ss[%zero][%zero] : memref<?xi8> to memref<?xf32>
  %x = memref.view %xs[%zero][%zero] : memref<?xi8> to memref<?xf32>
  %a = memref.load %s[%zero] : memref<?xf32>
  %b = memref.load %x[%zero] : memref<?xf32>
  %c = arith.addf %a, %b : f32
  memref.store %c, %s[%zero] : memref<?xf32>
  %bound = arith.constant 0.0 : f32
  %bad = arith.cmpf olt, %b, %bound : f32
  scf.if %bad {
    %code = arith.constant 2 : i32
    memref.store %code, %fault[%zero] : memref<?xi32>
  }
  func.return
}
"""


def parsed(text: str) -> ModuleOp:
    ctx = Context()
    for name, dialect in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, dialect)
    module = LocatingParser(ctx, text, "test").parse_module()
    module.verify()
    return module


def compiled(
    text: str,
    signature: list[tuple[str, str, int]],
    constants: tuple[Array, ...] = (),
    messages: tuple[str, ...] = (),
    **options: Any,
) -> NativeExecutable:
    module = lower_loops(parsed(text), target_of("cpu"))
    module.attributes["glow.signature"] = ArrayAttr(
        ArrayAttr([StringAttr(n), StringAttr(d), MemRefType(f32, [size])])
        for n, d, size in signature
    )
    module.attributes["glow.constants"] = ArrayAttr(map(ResourceAttr.of, constants))
    module.attributes["glow.messages"] = ArrayAttr(map(StringAttr, messages))
    module.attributes["glow.arena_bytes"] = IntegerAttr(4 * SIZE, i64)
    return compile_module(module, target_of("cpu"), **options)


WEIGHTS = np.arange(SIZE, dtype=np.float32)


def square_and_add(**options: Any) -> NativeExecutable:
    signature = [("x", "in", SIZE), ("y", "out", SIZE)]
    return compiled(SQUARE_AND_ADD, signature, (WEIGHTS,), **options)


def accumulate() -> NativeExecutable:
    signature = [("state", "inout", 1), ("x", "in", 1)]
    return compiled(ACCUMULATE, signature, messages=("first", "x is negative"))


def one(value: float) -> Array:
    return np.array([value], np.float32)


def test_call_returns_one_array():
    x = np.linspace(-3, 3, SIZE, dtype=np.float32)
    np.testing.assert_array_equal(square_and_add()(x), x * x + WEIGHTS)


def test_run_by_name_writes_into_out():
    x, y = np.ones(SIZE, np.float32), np.empty(SIZE, np.float32)
    result = square_and_add().run({"x": x}, out={"y": y})
    assert result["y"] is y
    np.testing.assert_array_equal(y, 1 + WEIGHTS)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(2 * SIZE, dtype=np.float32)[::2],
        np.arange(SIZE, dtype=np.float32)[::-1],
        np.frombuffer(bytes(4 * SIZE + 1), np.uint8)[1:].view(np.float32),
    ],
    ids=["strided", "reversed", "misaligned"],
)
def test_arrays_of_any_stride_and_alignment(array: Array):
    result = square_and_add()(array)
    np.testing.assert_array_equal(result, array * array + WEIGHTS)


def test_tensor_that_is_read_and_written_stands_in_both():
    executable = accumulate()
    state = one(1)
    result = executable.run({"state": state, "x": one(2)})
    assert (result["state"][0], state[0]) == (3, 1)
    executable.run({"state": state, "x": one(2)}, out={"state": state})
    assert state[0] == 3


@pytest.mark.parametrize(
    "arrays",
    [
        (),
        ("text",),
        (np.zeros(SIZE),),
        (np.zeros((SIZE, 1), np.float32),),
        (np.zeros(SIZE, np.float32),) * 2,
    ],
    ids=["none", "text", "dtype", "shape", "too many"],
)
def test_call_refuses_what_does_not_fit(arrays: tuple[Any, ...]):
    with pytest.raises(BindingError):
        square_and_add()(*arrays)


def test_input_that_cannot_be_written_is_read():
    x = np.ones(SIZE, np.float32)
    x.flags.writeable = False
    np.testing.assert_array_equal(square_and_add()(x), 1 + WEIGHTS)


def test_fault_is_an_error_with_its_message_and_is_forgotten():
    executable = accumulate()
    with pytest.raises(ExecutionError, match="x is negative"):
        executable.run({"state": one(0), "x": one(-1)})
    assert executable.run({"state": one(0), "x": one(1)})["state"][0] == 1


def test_all_wrong_arrays_are_in_one_error():
    with pytest.raises(BindingError) as caught:
        accumulate().run({"state": np.zeros(2, np.float32), "y": one(0)})
    text = str(caught.value)
    assert all(part in text for part in ('"state"', '"x": missing', '"y"'))


def test_concurrent_runs_have_an_arena_each():
    executable, barrier = square_and_add(), Barrier(4)

    def work(seed: int) -> None:
        x = np.random.default_rng(seed).random(SIZE, np.float32)
        barrier.wait()
        for _ in range(200):
            np.testing.assert_array_equal(executable(x), x * x + WEIGHTS)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


@pytest.mark.slow
def test_threads_compile_at_the_same_time(tmp_path: Path):
    def work(index: int) -> None:
        text = SQUARE_AND_ADD.replace("1000", str(SIZE - index))
        signature = [("x", "in", SIZE), ("y", "out", SIZE)]
        for _ in range(3):
            executable = compiled(text, signature, (WEIGHTS,), cache_dir=tmp_path)
            x = np.full(SIZE, index, np.float32)
            expected = (x * x + WEIGHTS)[: SIZE - index]
            np.testing.assert_array_equal(executable(x)[: SIZE - index], expected)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_executable_outlives_the_ir_and_its_arrays():
    weights = np.full(SIZE, 2, np.float32)
    signature = [("x", "in", SIZE), ("y", "out", SIZE)]
    executable = compiled(SQUARE_AND_ADD, signature, (weights,))
    del weights
    gc.collect()
    assert executable(np.ones(SIZE, np.float32))[0] == 3


def test_code_for_another_machine_is_refused():
    module = lower_loops(parsed(SQUARE_AND_ADD), target_of("cpu"))
    with pytest.raises(CompilationError, match="a target that runs here, got neon"):
        compile_module(module, target_of("cpu:neon"))


def test_function_that_does_not_exist_is_an_internal_error():
    program = """
func.func private @nowhere()
func.func @main() {
  func.call @nowhere() : () -> ()
  func.return
}
"""
    with pytest.raises(InternalError, match="cannot link compiled code"):
        compile_module(lower_loops(parsed(program), target_of("cpu")), target_of("cpu"))


def test_ir_that_llvm_refuses_is_an_internal_error():
    with pytest.raises(InternalError, match="LLVM refuses what it was given"):
        object_code("define void @f() {", target_of("cpu"))


def test_only_a_main_that_runs_straight_down_gets_little_effort():
    """It runs once per call; what has loops is worth more, `main` too."""

    def levels(text: str) -> dict[str, int]:
        functions = (op for op in lower_loops(parsed(text), target_of("cpu")).ops)
        return {
            op.sym_name.data: level_of(op) for op in functions if isinstance(op, FuncOp)
        }

    found = levels(SQUARE_AND_ADD)
    kernels = {found["square"], found["add"]}
    assert (found["main"], kernels) == (ROW_OF_CALLS_LEVEL, {KERNEL_LEVEL})
    assert levels(SQUARE_AND_ADD.replace("@main", "@other"))["other"] == KERNEL_LEVEL
    assert levels(ACCUMULATE)["main"] == KERNEL_LEVEL


def test_objects_of_other_effort_are_others() -> None:
    target, text = target_of("cpu"), "define void @f() {\n  ret void\n}"
    keys = {cache_key(target, text, level) for level in (KERNEL_LEVEL, 0)}
    assert len(keys) == 2


@pytest.mark.parametrize(("machine", "count"), [("cpu:sse2", 2), ("cpu:aarch64", 1)])
def test_keys_of_objects_say_the_effort_that_llvm_makes(
    machine: str, count: int
) -> None:
    levels = KERNEL_LEVEL, PAIRING_LEVEL
    keys = {cache_key(target_of(machine), "", level) for level in levels}
    assert len(keys) == count


def test_constant_without_bytes_is_refused():
    module = lower_loops(
        parsed("func.func @main() {\n  func.return\n}"), target_of("cpu")
    )
    absent = ResourceAttr(Handle(None, "0" * 64))
    module.attributes["glow.constants"] = ArrayAttr([absent])
    with pytest.raises(CompilationError, match="constant 000000000000 are absent"):
        compile_module(module, target_of("cpu"))


def test_objects_are_kept_on_disk_and_used_again(tmp_path: Path):
    x = np.ones(SIZE, np.float32)
    first = square_and_add(cache_dir=tmp_path)(x)
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(files) == 3  # main and two kernels
    np.testing.assert_array_equal(square_and_add(cache_dir=tmp_path)(x), first)
    assert files == {path: path.read_bytes() for path in tmp_path.iterdir()}


def test_aligned_arrays_are_not_copied():
    array = aligned_empty(400).view(np.float32)
    assert aligned(array) is array
    copied = aligned(array[1:])
    assert copied is not array
    assert address_of(copied) % 64 == 0
    np.testing.assert_array_equal(copied, array[1:])


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3)])
def test_address_of_any_shape(shape: tuple[int, ...]):
    array = np.zeros(shape)
    assert address_of(array) == array.ctypes.data


@pytest.mark.slow
def test_process_ends_quietly_with_code_loaded(tmp_path: Path):
    script = tmp_path / "run.py"
    tests = Path(__file__).parents[1]
    folders = [str(tests / "unit"), str(tests / "support")]
    script.write_text(
        f"import sys; sys.path[:0] = {folders!r}\n"
        "import numpy as np, test_native as t\n"
        "keep = t.square_and_add()\n"
        "print(keep(np.ones(t.SIZE, np.float32))[1])\n"
    )
    run = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "2.0\n", "")
