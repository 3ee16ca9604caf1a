"""IR that enters below the import level is verified before it is compiled."""

from pathlib import Path

import numpy as np
import pytest
from tool_runs import Run, tool_runner
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.dialects.graph.activation import ReluOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.tools import glow_opt

WRITES_ITS_INPUT = """
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @y "out" : memref<4xf32>
func.func @main() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  memory.fill outs(%x : memref<4xf32>) {value = 7.0 : f32}
  memory.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  func.return
}
"""

LEAVES_THE_ARENA = """
builtin.module attributes {glow.arena_bytes = 64 : i64} {
  memory.placeholder @y "out" : memref<4xf32>
  func.func @main() {
    %a = memory.alloc {offset = 68719476736 : i64} : memref<4xf32>
    %y = memory.get @y : memref<4xf32>
    memory.fill outs(%a : memref<4xf32>) {value = 7.0 : f32}
    memory.copy ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
    memory.dealloc %a : memref<4xf32>
    func.return
  }
}
"""

LAST = "tensor<1x2x3x3xf32, #layout.physical<NHWC>>"
WRONG_LAYOUT = f"""
builtin.module attributes {{layout.assignment = {{}}}} {{
  graph.placeholder @x "in" : tensor<1x2x3x3xf32>
  graph.placeholder @y "out" : {LAST}
  func.func @main() {{
    %x = graph.load @x : {LAST}
    graph.save @y, %x : {LAST}
    func.return
  }}
}}
"""

TWO_SAVES = """
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2xf32>
  graph.save @y, %x : tensor<2xf32>
  graph.save @y, %x : tensor<2xf32>
  func.return
}
"""

UNKNOWN_SYMBOL = """
func.func @main() {
  %x = memory.get @x : memref<4xf32>
  func.return
}
"""

WRONG_TYPE = """
memory.placeholder @x "in" : memref<4xf32>
func.func @main() {
  %x = memory.get @x : memref<8xf32>
  func.return
}
"""

WRONG = {
    "memory": (WRITES_ITS_INPUT, "cpu", "writes to input @x"),
    "arena": (LEAVES_THE_ARENA, "cpu", "lie outside the arena"),
    "layout": (WRONG_LAYOUT, "reference-checked", "graph.load"),
}


@pytest.mark.parametrize("case", WRONG)
def test_text_is_verified_as_the_pipeline_would(case: str, tmp_path: Path) -> None:
    text, target, message = WRONG[case]
    (tmp_path / "net.mlir").write_text(text)
    with pytest.raises(glow.CompilationError, match=message):
        glow.compile(tmp_path / "net.mlir", target)


@pytest.fixture
def run_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """`run_on(text, *arguments)` runs glow-opt on a file of `text`."""

    def run(text: str, *arguments: str) -> tuple[int, str, str]:
        (tmp_path / "net.mlir").write_text(text)
        tool = tool_runner(str(tmp_path / "net.mlir"), monkeypatch, capsys)
        return tool(glow_opt.main, *arguments)

    return run


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (WRITES_ITS_INPUT, ("--target", "cpu", "--stop-after", "asm"), "input @x"),
        (TWO_SAVES, (), "writes again"),
        (UNKNOWN_SYMBOL, (), "no placeholder or constant is named @x"),
        (WRONG_TYPE, (), "@x is memref<4xf32>, got memref<8xf32>"),
        (TWO_SAVES, ("--start-at", "layout", "--stop-after", "layout"), "writes again"),
    ],
)
def test_tools_verify_what_they_read(
    run_on: Run, text: str, arguments: tuple[str, ...], message: str
) -> None:
    code, _, errors = run_on(text, *arguments)
    assert code == 1
    assert message in errors
    assert len(errors.splitlines()) == 1


ATTENTION = """
builtin.module attributes {glow.arena_bytes = 65536 : i64} {
  memory.placeholder @q "in" : memref<1x4x8x16xf32>
  memory.placeholder @k "in" : memref<1x2x9x8xf32>
  memory.placeholder @y "out" : memref<1x4x8x8xf32>
  func.func @main() {
    %0 = memory.get @q : memref<1x4x8x16xf32>
    %q = memory.view %0 : memref<1x4x8x16xf32> -> memref<1x4x8x8xf32, STRIDES>
    %k = memory.get @k : memref<1x2x9x8xf32>
    %y = memory.get @y : memref<1x4x8x8xf32>
    %s = memory.alloc {offset = 0 : i64} : memref<SCRATCH>
    memory.OP ins(%q : memref<1x4x8x8xf32, STRIDES>, %k : memref<1x2x9x8xf32>,
        %k : memref<1x2x9x8xf32>) scratch(%s : memref<SCRATCH>)
        outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64BLOCKS}
    memory.dealloc %s : memref<SCRATCH>
    memory.ready @y
    func.return
  }
}
"""


@pytest.mark.parametrize(
    ("blocks", "scratch", "step", "message"),
    [
        (8, "2232xf32", 1, ""),
        (8, "2232xf16", 1, "expected scratch for 2232 f32, got memref<2232xf16>"),
        (8, "2232xf32", 2, "lie beside each other, got memref<1x4x8x8xf32, strided<"),
        (7, "2137xf32", 1, "expected query_block to be a multiple of [48], got 7"),
        (None, "9xf32", 1, ""),
        (None, "9xi8", 1, "expected scratch for 9 f32, got memref<9xi8>"),
        (None, "9xf32", 2, "lie beside each other"),
    ],
)
def test_attention_gets_what_its_kernels_read(
    blocks: int | None, scratch: str, step: int, message: str, tmp_path: Path
) -> None:
    sizes = f", query_block = {blocks} : i64, key_block = 9 : i64"
    text = (
        ATTENTION.replace("SCRATCH", scratch)
        .replace("STRIDES", f"strided<[512, 128, 16, {step}]>")
        .replace("OP", "decode_attention" if blocks is None else "attention")
        .replace("BLOCKS", "" if blocks is None else sizes)
    )
    (tmp_path / "net.mlir").write_text(text)
    if message:
        with pytest.raises(glow.CompilationError, match=message):
            glow.compile(tmp_path / "net.mlir")
    else:
        net = glow.compile(tmp_path / "net.mlir")
        draw = np.random.default_rng(0).standard_normal
        q, k = draw((1, 4, 8, 16)).astype("f"), draw((1, 2, 9, 8)).astype("f")
        keys = k.repeat(2, 1)
        expected = (q[..., :8] @ keys.swapaxes(2, 3)) * 0.5
        expected = np.exp(expected - expected.max(-1, keepdims=True))
        expected = expected / expected.sum(-1, keepdims=True) @ keys
        np.testing.assert_allclose(net(q, k), expected, rtol=1e-5, atol=1e-6)


CODE = """
builtin.module attributes {glow.arena_bytes = 64 : i64, glow.signature = SIGNATURE} {
  func.func private @labs(index) -> index
  func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>,
      %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
    %zero = arith.constant 0 : index
    %0 = memref.load %io[%zero] : memref<?xmemref<?xi8>>
    %y = memref.view %0[%zero][%zero] : memref<?xi8> to memref<?xindex>
    %minus = arith.constant -7 : index
    %1 = func.call @labs(%minus) : (index) -> index
    memref.store %1, %y[%zero] : memref<?xindex>
    %code = arith.constant FAULT : i32
    memref.store %code, %fault[%zero] : memref<?xi32>
    func.return
  }
}
"""


def code(fault: int = 0, signature: str = '[["y", "out", memref<1xi64>]]') -> str:
    return CODE.replace("FAULT", str(fault)).replace("SIGNATURE", signature)


@pytest.mark.parametrize("level", ["loops", "llvm"])
def test_code_calls_what_only_computes_unless_it_is_trusted(
    level: str, run_on: Run, tmp_path: Path
) -> None:
    path = tmp_path / "code.mlir"
    stages = ("--start-at", "llvm", "--stop-after", "llvm") if level == "llvm" else ()
    assert run_on(code(), "--trust", *stages, "-o", str(path))[0] == 0
    cached = {"cache_dir": tmp_path / "cache"}
    assert glow.compile(path, trust=True, **cached)().tolist() == [7]
    with pytest.raises(glow.CompilationError, match="@labs is neither of the module"):
        glow.compile(path, **cached)
    errors = run_on(path.read_text(), "--target", "cpu", "--stop-after", "asm")[2]
    assert "has to be trusted (--trust)" in errors


def test_code_is_held_to_what_its_module_describes(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text(code(signature='[["y", "out"]]'))
    with pytest.raises(glow.CompilationError, match="expected a name, a direction"):
        glow.compile(tmp_path / "net.mlir", trust=True)
    (tmp_path / "net.mlir").write_text(code(fault=9))
    with pytest.raises(glow.ExecutionError, match=r"^fault 9$"):
        glow.compile(tmp_path / "net.mlir", trust=True)()


def test_a_module_that_the_caller_broke_is_said_to_be_invalid() -> None:
    text = """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }
    """
    module: ModuleOp = parse_text(context(), text, "net.mlir")
    assert glow.compile(module)(-np.ones(2, np.float32)).tolist() == [0, 0]
    (op,) = (op for op in module.walk() if isinstance(op, ReluOp))
    block = op.parent
    assert block is not None
    op.detach()
    block.add_op(op)
    with pytest.raises(glow.InvalidModelError, match="the module that was passed: "):
        glow.compile(module)
