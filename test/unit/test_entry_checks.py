"""IR that enters below the import level is verified before it is compiled."""

from pathlib import Path

import numpy as np
import pytest
from tool_runs import Run, tool_runner
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.dialects.graph.activation import ReluOp
from glow.model import context, parse_text
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
        (TWO_SAVES, ("--start-at", "layout", "--stop-after", "layout"), "writes again"),
    ],
)
def test_tools_verify_what_they_read(
    run_on: Run, text: str, arguments: tuple[str, ...], message: str
) -> None:
    code, _, told = run_on(text, *arguments)
    assert code == 1
    assert message in told
    assert len(told.splitlines()) == 1


def test_a_module_that_the_caller_broke_is_said_to_be_invalid() -> None:
    text = """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }
    """
    module: ModuleOp = parse_text(context(), text.encode(), "net.mlir")
    assert glow.compile(module)(-np.ones(2, np.float32)).tolist() == [0, 0]
    (op,) = (op for op in module.walk() if isinstance(op, ReluOp))
    block = op.parent
    assert block is not None
    op.detach()
    block.add_op(op)
    with pytest.raises(glow.InvalidModelError, match="the module that was passed: "):
        glow.compile(module)
