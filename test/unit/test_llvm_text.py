"""LLVM IR as text: constants, edges, determinism, what has no text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import llvmlite.binding as llvm
import pytest
from compiled_loops import lower_loops
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.universe import Universe

import glow
from glow.backends.cpu.llvm_ir import emit, llvm_ir, units
from glow.graph_modules import context
from glow.pass_manager import lowered
from glow.support.targets import target_of


def parsed(text: str) -> ModuleOp:
    ctx = Context()
    for name, dialect in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, dialect)
    return Parser(ctx, text).parse_module()


def written(text: str) -> str:
    """Return the LLVM IR of llvm-dialect `text`, checked by LLVM."""
    found = llvm_ir(parsed(text))
    llvm.parse_assembly(found).verify()
    return found


@pytest.mark.parametrize(
    ("constant", "expected"),
    [
        ("1.0 : f32", "0x3FF0000000000000"),
        ("0.1 : f32", "0x3FB99999A0000000"),
        ("0x7FC00000 : f32", "0x7FF8000000000000"),
        ("0xFF800000 : f32", "0xFFF0000000000000"),
        ("-0.0 : f64", "0x8000000000000000"),
        ("1.0 : f16", "0xH3C00"),
        ("1.0 : bf16", "0xR3F80"),
        ("-7 : i32", "-7"),
        ("true", "true"),
        ("dense<2.0> : vector<4xf32>", "splat (float 0x4000000000000000)"),
        ("dense<[1, -2]> : vector<2xi32>", "<i32 1, i32 -2>"),
    ],
)
def test_constants_are_exact(constant: str, expected: str):
    type_ = constant.split(" : ")[1] if ":" in constant else "i1"
    text = written(f"""
llvm.func @f() -> {type_} {{
  %0 = llvm.mlir.constant({constant}) : {type_}
  llvm.return %0 : {type_}
}}""")
    assert text.splitlines()[-2].endswith(f" {expected}")


def test_two_edges_to_one_block_go_by_two_blocks():
    text = written("""
llvm.func @f(%c: i1, %a: i32, %b: i32) -> i32 {
  llvm.cond_br %c, ^bb1(%a : i32), ^bb1(%b : i32)
^bb1(%x: i32):
  llvm.return %x : i32
}""")
    assert "phi i32 [ %1, %b0 ], [ %2, %b0.to.b1 ]" in text


def test_flags_come_in_the_order_of_llvm():
    text = written("""
llvm.func @f(%a: f32, %i: i32) {
  %0 = llvm.fadd %a, %a {fastmathFlags = #llvm.fastmath<contract,nnan,reassoc>} : f32
  %1 = llvm.fmul %a, %a {fastmathFlags = #llvm.fastmath<fast>} : f32
  %2 = llvm.add %i, %i overflow<nsw, nuw> : i32
  %3 = llvm.sdiv exact %i, %i : i32
  llvm.return
}""")
    for line in (
        "fadd reassoc nnan contract",
        "fmul fast",
        "add nuw nsw",
        "sdiv exact",
    ):
        assert f"= {line} " in text


def test_function_attributes_and_linkage():
    text = written("""
llvm.func internal @f(%a: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64})
    attributes {no_inline, no_unwind} {
  llvm.return
}""")
    assert (
        "define internal void @f(ptr align 64 noalias %0) noinline nounwind {" in text
    )


def test_units_declare_what_they_call():
    module = parsed("""
llvm.func internal @callee(%a: f32) -> f32 {
  llvm.return %a : f32
}
llvm.func @caller(%a: f32) -> f32 {
  %0 = llvm.call @callee(%a) : (f32) -> f32
  llvm.return %0 : f32
}""")
    found = units(module)
    assert list(found) == ["callee", "caller"]
    assert found["callee"].startswith("define float @callee(float %0)")
    assert found["caller"].startswith("declare float @callee(float)")
    for text in found.values():
        llvm.parse_assembly(text).verify()


def test_op_without_text_is_an_internal_error():
    module = parsed("""
llvm.func @f() {
  "test.op"() : () -> ()
  llvm.return
}""")
    with pytest.raises(glow.CompilationError, match=r"no LLVM text for test\.op"):
        llvm_ir(module)


@pytest.mark.parametrize("type_", ["memref<4xf32>", "vector<2x4xf32>"])
def test_types_that_llvm_has_not_are_refused(type_: str):
    module = parsed(f"""
llvm.func @f(%p: !llvm.ptr) {{
  %0 = llvm.load %p : !llvm.ptr -> {type_}
  llvm.return
}}""")
    with pytest.raises(glow.CompilationError, match=f"a type of LLVM, got {type_}"):
        llvm_ir(module)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "llvm.func @f(%p: !llvm.ptr {llvm.noaliasllvm.noalias}) { llvm.return }",
            "an attribute of a parameter out of .*, got llvm.noaliasllvm.noalias",
        ),
        (
            "llvm.func @f(%p: !llvm.ptr {llvm.align}) { llvm.return }",
            "llvm.align with a number",
        ),
        (
            """llvm.func @f() {
  %0 = llvm.mlir.constant(dense<1.0> : tensor<2xf32>) : tensor<2xf32>
  llvm.return
}""",
            "a number, or those of a vector, got .*tensor<2xf32>",
        ),
        (
            "llvm.mlir.global internal constant @t(dense<1> : tensor<2xi64>) : i64",
            "an array for the elements of @t, got i64",
        ),
    ],
)
def test_what_llvm_has_no_text_for_is_refused(text: str, message: str):
    with pytest.raises(glow.CompilationError, match=message):
        llvm_ir(parsed(text))


LOOPS = """
func.func @f(%x: memref<?xf32>, %m: index) {
  %i = arith.constant 0 : index
  %mask = vector.create_mask %m : vector<16xi1>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = vector.maskedload %x[%i], %mask, %zero
    : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %b = math.exp %a : vector<16xf32>
  %c = arith.addf %b, %b fastmath<nnan,contract,reassoc> : vector<16xf32>
  vector.maskedstore %x[%i], %mask, %c
    : memref<?xf32>, vector<16xi1>, vector<16xf32>
  func.return
}
"""


@pytest.mark.parametrize("target", ["sse2", "avx2", "avx512", "neon"])
def test_every_target_gets_assembly_and_objects(target: str):
    machine = target_of(f"cpu:{target}")
    module = lower_loops(parsed(LOOPS), machine)
    code = emit(module, machine, "object")
    assert isinstance(code, bytes)
    assert code[:4] == b"\x7fELF"
    assembly = emit(module, machine, "asm")
    assert isinstance(assembly, str)
    wide = {"sse2": "xmm", "avx2": "ymm", "avx512": "zmm", "neon": "v0.4s"}
    assert wide[target] in assembly


def test_emitted_ir_names_its_triple():
    text = emit(
        lower_loops(parsed(LOOPS), target_of("cpu:neon")),
        target_of("cpu:neon"),
        "llvm-ir",
    )
    assert isinstance(text, str)
    assert text.startswith('target triple = "aarch64')


def test_unknown_form_names_the_known():
    with pytest.raises(ValueError, match="out of llvm-ir, asm, object, got 'elf'"):
        emit(lower_loops(parsed(LOOPS), target_of("cpu")), target_of("cpu"), "elf")


def test_code_that_llvm_refuses_is_the_fault_of_its_text(tmp_path: Path):
    path = tmp_path / "net.mlir"
    arguments = ", ".join(f"%{name}: !llvm.ptr" for name in "abcd")
    path.write_text(f"""
llvm.func @main({arguments}) {{
  %0 = llvm.call_intrinsic "llvm.smax.i64"(%a, %b) : (!llvm.ptr, !llvm.ptr) -> i64
  llvm.return
}}""")
    with pytest.raises(glow.CompilationError, match="LLVM refuses what it was given"):
        glow.compile(path)


@pytest.mark.slow
def test_text_does_not_depend_on_hash_seeds():
    tests = Path(__file__).parents[1]
    folders = [str(tests / "unit"), str(tests / "support")]
    program = (
        f"import sys; sys.path[:0] = {folders!r}\n"
        "import test_llvm_text as t\n"
        "print(t.llvm_ir(t.lower_loops(t.parsed(t.LOOPS), t.target_of('cpu'))))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1


PROGRAM = """
#include <stdio.h>
void glow_main(void *arena, void **io, void **constants, int *fault);
static _Alignas(64) float x[4] = {-1, 2, -3, 4}, y[4];
int main(void) {
  int fault = 0;
  void *io[] = {x, y, 0};
  glow_main(0, io, 0, &fault);
  printf("%d %g %g %g %g", fault, y[0], y[1], y[2], y[3]);
}
"""


@pytest.mark.skipif(which("cc") is None, reason="no C compiler")
def test_objects_are_linked_with_programs(tmp_path: Path) -> None:
    b = glow.Builder()
    b.output("y", b.relu(b.input("x", (4,))))
    module = lowered(context(), b.model().module, "llvm", "cpu")
    (tmp_path / "net.o").write_bytes(emit(module, target_of("cpu"), "object"))
    (tmp_path / "program.c").write_text(PROGRAM)
    for command in (["cc", "program.c", "net.o", "-o", "program"], ["./program"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout == b"0 0 2 0 4"
