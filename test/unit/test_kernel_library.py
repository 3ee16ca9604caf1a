"""The kernel library: what is compiled when, and that a key stands for one code."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import models
import pytest
from compiled_loops import lower_loops
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import glow
from glow.backends.cpu import library
from glow.backends.cpu import object_cache as cache_module
from glow.backends.cpu.library import kernel_objects, kernel_text
from glow.backends.cpu.llvm_ir import units
from glow.backends.cpu.object_cache import ObjectCache
from glow.graph_modules import context
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.library_function import declared_function
from glow.pass_manager import plan, run_passes
from glow.support.targets import target_of

pytestmark = pytest.mark.slow


@cache
def at_loops(kernels: str) -> ModuleOp:
    """Return a network at the loops level; callers leave it as it is."""
    module = glow.load(models.build("squeezenet")).module
    for part in plan("import", "loops", "cpu", kernels=kernels):
        run_passes(part.passes, context(), module)
    return module


def functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}


def kernels() -> list[Kernel]:
    found = map(declared_function, functions(at_loops("declared")))
    return [kernel for kernel in found if kernel is not None]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Forget all objects; return a list to which each compilation adds its IR."""
    seen: list[str] = []

    def object_code(text: str, target: object) -> bytes:
        seen.append(text)
        return f"object {len(seen)}".encode()

    monkeypatch.setattr(cache_module, "_MEMORY", {})
    monkeypatch.setattr(library, "object_code", object_code)
    return seen


def test_only_main_has_a_body_where_kernels_are_declared() -> None:
    found = functions(at_loops("declared"))
    assert [name for name, op in found.items() if not op.is_declaration] == ["main"]
    defined = functions(at_loops("defined"))
    assert set(found) <= set(defined)
    for name, op in found.items():
        assert op.function_type == defined[name].function_type


def test_a_kernel_alone_is_the_code_it_is_in_a_module() -> None:
    whole = units(lower_loops(at_loops("defined"), target_of("cpu")))
    assert len(kernels()) > 5
    for kernel in kernels():
        assert kernel_text(kernel, target_of("cpu")) == whole[kernel.symbol]


def test_the_library_makes_each_kernel_once(compiled: list[str]) -> None:
    symbols = [kernel.symbol for kernel in kernels()]
    first = kernel_objects(symbols, target_of("cpu"), ObjectCache())
    assert len(compiled) == len(set(first)) >= len(symbols)
    assert kernel_objects(symbols, target_of("cpu"), ObjectCache()) == first
    assert len(compiled) == len(first)


def test_other_targets_have_objects_of_their_own(compiled: list[str]) -> None:
    symbols = [kernels()[0].symbol]
    specs = ("cpu:sse2", "cpu:avx2", "cpu:neon")
    found = [kernel_objects(symbols, target_of(s), ObjectCache())[-1] for s in specs]
    assert len(set(found)) == len(specs)


def test_another_compiler_makes_its_own_objects(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    symbols = [kernels()[0].symbol]
    (*_, first) = kernel_objects(symbols, target_of("cpu"), ObjectCache())
    monkeypatch.setattr(library, "_sources", lambda: "another")
    (*_, second) = kernel_objects(symbols, target_of("cpu"), ObjectCache())
    assert first != second


def test_what_the_library_lacks_is_left_to_the_linker(compiled: list[str]) -> None:
    assert kernel_objects(["expf"], target_of("cpu"), ObjectCache()) == []
    assert not compiled


CACHED = """
import sys
import glow
from glow.backends.cpu import library

def refuse(*arguments):
    raise AssertionError("lowered again")

if sys.argv[2] == "warm":
    library.lower = refuse
glow.compile(sys.argv[1])
"""


def test_another_process_finds_the_kernels_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "mlp.onnx"
    path.write_bytes(models.build("mlp").SerializeToString())
    for seed, state in enumerate(("cold", "warm")):
        changed = {
            "GLOW_CACHE_DIR": str(tmp_path / "cache"),
            "PYTHONHASHSEED": str(seed),
        }
        subprocess.run(
            [sys.executable, "-c", CACHED, path, state],
            env=os.environ | changed,
            check=True,
        )
