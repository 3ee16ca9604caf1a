"""A pass that changes numbers is named, with the ops and the nodes it is wrong for."""

import shlex
from pathlib import Path
from typing import Any

import models
import numpy as np
import onnx
import pytest
from onnx import ModelProto
from small_onnx import model, node
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

import glow
from glow.checking import check_passes
from glow.codegen.values import Value
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp
from glow.dialects.memory.storage import AllocOp
from glow.lowering.memory_to_loops import scanning
from glow.lowering.memory_to_loops.kernels.lines import Line
from glow.lowering.memory_to_loops.scanning import Cumsum
from glow.options import Options
from glow.passes.graph.fold_movement import FoldMovementPass
from glow.passes.memory import plan_memory
from glow.passes.memory.plan_memory import PlanMemoryPass
from glow.support.errors import InternalError
from glow.tools import glow_bisect

pytestmark = pytest.mark.slow


def network() -> ModelProto:
    """Return a chain and a branch of ops, each of which has a name of its own."""
    nodes = [
        node("Conv", "x w -", "conv", pads=[1, 1, 1, 1]),
        node("Relu", "conv", "positive"),
        node("Transpose", "positive", "last", perm=[0, 2, 3, 1]),
        node("CumSum", "last axis", "sums"),
        node("Transpose", "sums", "first", perm=[0, 3, 1, 2]),
        node("MaxPool", "first", "pooled", kernel_shape=[2, 2], strides=[2, 2]),
        node("AveragePool", "positive", "means", kernel_shape=[2, 2], strides=[2, 2]),
        node("Add", "pooled means", "y"),
    ]
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.standard_normal((8, 3, 3, 3), np.float32),
        "axis": np.array(3, np.int64),
    }
    return model(nodes, {"x": (1, 3, 8, 8)}, ["y"], weights)


def module() -> ModuleOp:
    return glow.load(network()).module


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def drop_relus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `fold-movement` take relus out."""
    apply = FoldMovementPass.apply

    def faulty(self: FoldMovementPass, ctx: Any, op: ModuleOp) -> None:
        apply(self, ctx, op)
        for each in list(op.walk()):
            if isinstance(each, ReluOp):
                each.result.replace_all_uses_with(each.input)

    monkeypatch.setattr(FoldMovementPass, "apply", faulty)


def lower_sums_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AddOp, "rule", staticmethod(lambda f, a, b: a + b + b))


def overlap_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    right = plan_memory._best_gap  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(plan_memory, "_best_gap", lambda *a: max(0, right(*a) - 64 * 4))


class _Exclusive(Cumsum):
    """Running sums that leave each element out of its own sum."""

    def line(self, line: Line) -> None:
        total = line.total(0, line.compute)
        for at in line.along(total):
            before: Value = total.value
            total.value = before + at.load()
            at.store(before)


def exclude_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "Cumsum", _Exclusive)


FAULTS = [
    (drop_relus, "fold-movement", "graph.relu (from Relu:positive)"),
    (lower_sums_wrongly, "graph-to-memory", "graph.add (from Add:y)"),
    (overlap_buffers, "plan-memory", ""),
    (exclude_one, "memory-to-loops", "graph.cumsum (from CumSum:sums)"),
]


def ops_in(text: str) -> int:
    left = glow.load(text).module
    return sum(isinstance(op, GraphOp) for op in left.walk())


def test_a_right_pipeline_changes_nothing() -> None:
    for spec in ("cpu", "reference", "reference-checked"):
        checked = check_passes(module(), spec)
        assert "sink-transposes" in {each.name for each in checked}, spec
        assert all(each.error < 1e-5 for each in checked)


@pytest.mark.parametrize(("fault", "name", "ops"), FAULTS)
def test_a_fault_is_named_reduced_and_shown_again(
    fault: Any,
    name: str,
    ops: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with monkeypatch.context() as patched:
        fault(patched)
        with pytest.raises(InternalError) as caught:
            check_passes(module(), "cpu")
        message = str(caught.value)
        assert message.startswith(f"pass {name} changes the results of {ops}")
        _, _, command = message.partition("; reproduce with: ")
        arguments = shlex.split(command)
        assert 1 <= ops_in(arguments[1]) <= 5
        code, errors = run_tool(arguments, monkeypatch, capsys)
        assert code == 1
        assert f"pass {name} changes the results" in errors
    assert run_tool(arguments, monkeypatch, capsys) == (0, "")


@pytest.mark.parametrize(
    "name", [pytest.param("squeezenet", marks=pytest.mark.full), "lstm"]
)
def test_models_are_right_after_each_pass(name: str) -> None:
    assert check_passes(glow.load(models.build(name)).module, "cpu")


def test_states_and_orders_of_arguments_are_followed() -> None:
    nodes = [node("Add", "x past", "present"), node("Relu", "present", "y")]
    shapes = {"x": (1, 2, 3, 4), "past": (1, 2, 3, 4)}
    tied = model(nodes, shapes, ["y", "present"])
    options = Options(states={"present": "past"}, relayout={"x": "NHWC"})
    checked = check_passes(glow.load(tied).module, "cpu", options)
    assert {"tie-states", "relayout-io"} <= {each.name for each in checked}


def test_compile_checks_each_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones((1, 3, 8, 8), np.float32)
    right = glow.compile(network(), check="each-pass", cache_dir="kept")
    np.testing.assert_array_equal(right(x), glow.compile(network())(x))
    assert not list(Path("kept").glob("*.executable"))
    with pytest.raises(ValueError, match='expected "each-pass" as check, got "all"'):
        glow.compile(network(), check="all")
    drop_relus(monkeypatch)
    with pytest.raises(InternalError, match="pass fold-movement changes"):
        glow.compile(network(), check="each-pass")


def test_a_run_that_a_pass_breaks_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlanMemoryPass, "apply", _plan_too_little)
    with pytest.raises(InternalError, match="it cannot be run any more: expected an"):
        check_passes(module(), "cpu")


def _plan_too_little(self: PlanMemoryPass, ctx: Any, op: ModuleOp) -> None:
    for each in op.walk():
        if isinstance(each, AllocOp):
            each.properties["offset"] = IntegerAttr(0, i64)


def test_the_tool_takes_inputs_and_passes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    onnx.save(network(), "net.onnx")
    np.save("x.npy", np.ones((1, 3, 8, 8), np.float32))
    arguments = ["glow-bisect", "net.onnx", "--input", "x=x.npy"]
    assert run_tool([*arguments, "-p", "cse,dce"], monkeypatch, capsys) == (0, "")
    symbolic = model([node("Relu", "x", "y")], {"x": ("n", 3)}, ["y"])
    onnx.save(symbolic, "open.onnx")
    found = run_tool(["glow-bisect", "open.onnx"], monkeypatch, capsys)
    assert found == (1, "error: expected --dim NAME=VALUE for each of n\n")
    sized = ["glow-bisect", "open.onnx", "--dim", "n=2", "--target", "reference"]
    assert run_tool(sized, monkeypatch, capsys) == (0, "")


def run_tool(
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[int, str]:
    """Return the exit code and the errors of `glow-bisect`."""
    monkeypatch.setattr("sys.argv", arguments)
    code = 0
    try:
        glow_bisect.main()
    except SystemExit as ending:
        code = int(ending.code or 0)
    return code, capsys.readouterr().err


def test_code_of_another_machine_is_not_run() -> None:
    names = {each.name for each in check_passes(module(), "cpu:neon")}
    assert "plan-memory" in names
    assert "memory-to-loops" not in names
