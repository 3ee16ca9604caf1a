"""The library interface: load, compile, call; what it imports and what it refuses."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import glow
from glow import options
from glow.analysis.levels import level_of
from glow.graph_modules import context
from glow.model import parse_text
from glow.options import FOLD_BYTES
from glow.pass_manager import check_stage, parse_passes, pipeline_text, plan
from glow.passes.graph.fold_constants import FoldConstantsPass
from glow.passes.graph.tie_states import TieStatesPass
from glow.pipeline import STAGE_NAMES, STAGES, Stage, stages_between
from glow.support.targets import resolve
from glow.targets import known_targets

NETWORK = """
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @state "inout" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2xf32>
  %s = graph.load @state : tensor<2xf32>
  %r = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %s : tensor<2xf32>
  graph.save @state, %r : tensor<2xf32>
  func.return
}
"""

IMPORT = """
import sys
import numpy
before = set(sys.modules)
import glow
heavy = {"xdsl", "ml_dtypes", "onnx", "llvmlite", "onnxruntime"} & set(sys.modules)
assert not heavy, heavy
modules = set(sys.modules) - before
assert len(modules) < 80, sorted(modules)
"""

LEVELS = {
    "import": "func.func @f(%x: tensor<2xf32>) { func.return }",
    "graph": """
      %x = "test.op"() : () -> tensor<2x2xf32>
      %y = layout.transform %x : tensor<2x2xf32>
        -> tensor<2x2xf32, #layout.physical<[1, 0]>>""",
    "layout": """builtin.module attributes {layout.assignment = {}} {
      %x = graph.literal dense<1.0> : tensor<2xf32> : tensor<2xf32>
    }""",
    "memory": "%x = memory.alloc : memref<2xf32>",
    "loops": "func.func @f(%x: memref<?xf32>) { func.return }",
    "llvm": "llvm.func @f() { llvm.return }",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "net.mlir"
    found.write_text(NETWORK)
    return found


def parse(text: str) -> ModuleOp:
    return parse_text(context(), text, "test")


@pytest.mark.slow
def test_importing_the_package_imports_no_compiler() -> None:
    subprocess.run([sys.executable, "-c", IMPORT], check=True)


def test_everything_exported_exists() -> None:
    assert all(hasattr(glow, name) for name in glow.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        glow.nothing  # noqa: B018


def test_a_model_is_compiled_and_called(path: Path) -> None:
    net = glow.compile(glow.load(path), target="reference")
    assert str(net.signature) == (
        "(x: float32[2], state: float32[2]) -> (state: float32[2], y: float32[2])"
    )
    x, state = np.array([-1, 2], np.float32), np.array([5, 6], np.float32)
    updated, y = net(x, state)
    assert (updated.tolist(), y.tolist()) == ([0, 2], [5, 6])
    assert state.tolist() == [5, 6]


def test_compile_takes_what_load_takes(path: Path) -> None:
    assert glow.compile(str(path), target="reference").signature.inputs


def test_compiling_leaves_the_model_as_it_is(path: Path) -> None:
    model = glow.load(path)
    before = str(model)
    glow.compile(model, target="reference")
    assert str(model) == before


def test_an_executable_says_how_it_was_made(path: Path) -> None:
    stages = glow.compile(path, target="reference").stages
    assert [stage.name for stage in stages] == ["graph", "machine"]
    assert stages[0].ops is not None
    assert stages[1].ops is None


def test_no_thread_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="expected at least one thread, got 0"):
        glow.compile(path, target="reference", threads=0)


def test_options_of_other_types_are_refused(path: Path) -> None:
    for name, value in (("threads", "two"), ("cache_size", 2.5), ("fold_bytes", [])):
        message = f"expected an integer as {name}, got a {type(value).__name__}"
        with pytest.raises(ValueError, match=message):
            glow.compile(path, **{name: value})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="expected the name of a target, got an int"):
        glow.compile(path, target=3)  # pyright: ignore[reportArgumentType]


def test_less_than_no_room_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="cache_bytes of at least 0, got -1"):
        glow.compile(path, cache_dir=path.parent, cache_bytes=-1)
    with pytest.raises(ValueError, match="fold_bytes of at least 0, got -1"):
        glow.compile(path, fold_bytes=-1)
    with pytest.raises(ValueError, match="memory_bytes of at least 0, got -1"):
        glow.compile(path, memory_bytes=-1)


@pytest.mark.parametrize(("fold_bytes", "ops"), [(FOLD_BYTES, 7), (512, 8)])
def test_folding_stops_at_a_limit(tmp_path: Path, fold_bytes: int, ops: int) -> None:
    """The tile is 1,024 bytes, four times what it is made of 256."""
    path = tmp_path / "net.mlir"
    path.write_text("""
func.func @main() -> tensor<256xi32> {
  %a = graph.literal dense<[1, 2, 3, 4]> : tensor<4xi32> : tensor<4xi32>
  %b = graph.tile %a {repeats = array<i64: 4>} : (tensor<4xi32>) -> tensor<16xi32>
  %c = graph.tile %b {repeats = array<i64: 16>} : (tensor<16xi32>) -> tensor<256xi32>
  func.return %c : tensor<256xi32>
}
""")
    net = glow.compile(path, target="reference", fold_bytes=fold_bytes)
    np.testing.assert_array_equal(net(), np.tile([1, 2, 3, 4], 64).astype(np.int32))
    assert net.stages[0].ops == ops


def test_passes_and_options_fold_as_much() -> None:
    assert FoldConstantsPass().memory_bytes == FOLD_BYTES


def test_unknown_passes_cannot_be_disabled(path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"expected passes to disable out of .*, got no"
    ):
        glow.compile(path, target="reference", disable=["no"])


def test_features_are_given_once() -> None:
    assert options.target_spec("cpu", None) == "cpu"
    assert options.target_spec("cpu", "avx2") == "cpu:avx2"
    with pytest.raises(ValueError, match="in one place"):
        options.target_spec("cpu:sse2", "avx2")


def test_accuracy_is_part_of_the_target() -> None:
    assert options.target_spec("cpu", None, "fast") == "cpu"
    assert options.target_spec("cpu", None, "strict") == "cpu:strict"
    assert options.target_spec("cpu", "avx2", "strict") == "cpu:avx2,strict"
    assert options.target_spec("cpu:strict", None, "fast") == "cpu:strict"
    with pytest.raises(
        ValueError, match="expected 'fast' or 'strict' as accuracy, got 'low'"
    ):
        options.Options(accuracy="low")


def test_rewrites_after_the_last_allowed_pass_are_left_out() -> None:
    def names(**given: Any) -> list[str]:
        parts = plan("graph", "layout", "cpu", options.Options(**given))
        return [each.name for part in parts for each in part.passes]

    steps = next(stage.steps for stage in STAGES if stage.name == "layout")
    needed = [s.name for s in steps if not s.option and not s.optional]
    asked = [s.name for s in steps if not s.option]
    assert names() == asked
    assert names(stop_after_pass=0) == needed
    assert names(stop_after_pass=asked.index("group-ops")) == needed
    assert names(stop_after_pass=asked.index("group-ops") + 1) == asked
    assert names(disable=("group-ops",)) == needed


def test_steps_of_options_run_where_these_are_given() -> None:
    def names(done: str, last: str, **given: Any) -> list[str]:
        parts = plan(done, last, "cpu", options.Options(**given))
        return [each.name for part in parts for each in part.passes]

    assert "tie-states" not in names("import", "graph", states={})
    assert "tie-states" in names("import", "graph", states={"y": "x"})
    assert names("graph", "layout", relayout="NHWC")[0] == "relayout-io"
    assert names("import", "graph", relayout={"x": "NHWC"})[-1] == "relayout-io"
    assert names("graph", "graph", relayout="NHWC") == ["relayout-io"]
    with pytest.raises(glow.CompilationError, match=r"states: expected .* graph, got"):
        plan("graph", "layout", "cpu", options.Options(states={"y": "x"}))
    with pytest.raises(
        glow.CompilationError, match=r"relayout: expected .* layout, got"
    ):
        plan("layout", "memory", "cpu", options.Options(relayout="NHWC"))


def test_names_of_any_characters_reach_the_step_that_takes_them() -> None:
    odd = 'a "b"\r\n\\,=$target{}'
    (part,) = plan("import", "graph", "cpu", options.Options(states={odd: "x"}))
    assert TieStatesPass((odd,), ("x",)) in part.passes


def test_no_pass_runs_twice_for_one_reason() -> None:
    steps = [step for stage in STAGES for step in stage.steps]
    assert len({step.reason for step in steps}) == len(steps)


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_known_by_its_ops(level: str) -> None:
    assert level_of(parse(LEVELS[level])) == level


def test_stages_follow_what_is_done() -> None:
    def names(done: str, last: str) -> list[str]:
        return [stage.name for stage in stages_between(done, last)]

    assert names("import", "graph") == ["graph"]
    assert names("layout", "llvm") == ["memory", "loops", "llvm"]
    assert names("llvm", "llvm") == []


def test_every_pass_of_the_pipeline_exists() -> None:
    for stage in STAGES:
        passes = parse_passes(pipeline_text([stage], "cpu:avx2"))
        steps = [step.name for step in stage.steps if not step.option]
        assert [each.name for each in passes] == steps


@pytest.mark.parametrize("name", known_targets())
def test_every_backend_takes_a_stage(name: str) -> None:
    assert resolve(name).level in STAGE_NAMES


def test_an_op_that_no_pass_lowered_is_named_with_its_node() -> None:
    text = """
      func.func @f(%x: tensor<2xf32>) {
        %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc("conv1/act")
        func.return
      }"""
    stage = Stage("loops", frozenset({"builtin", "func"}), ())
    with pytest.raises(Exception, match=r"cannot express graph.relu \(at conv1/act\)"):
        check_stage(stage, parse(text))
