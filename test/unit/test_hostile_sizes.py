"""Shapes and sizes that cannot be: refused where they enter, or told with the bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import FunctionProto, ModelProto, TensorProto, helper

import glow
from glow.dialects.graph.activation import ReluOp
from glow.formats.onnx.graph import GraphImporter
from glow.formats.onnx.records import NodeRecord

F32, I64 = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def network(*nodes: Any, shape: Any = (2,), **graph: Any) -> ModelProto:
    """Return an ONNX model from `x` to `y`, both of `shape`, through `nodes`."""
    ends = [helper.make_tensor_value_info(n, F32, shape) for n in ("x", "y")]
    return helper.make_model(
        helper.make_graph(list(nodes), "g", ends[:1], ends[1:], **graph),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=8,
    )


AXES = [1] * 33
SHAPE = "x".join(map(str, AXES))
RANKS = {
    "an input": network(node("Relu", ["x"], ["y"]), shape=AXES),
    "a shape": network(
        node("Expand", ["x", "s"], ["z"]),
        node("ReduceSum", ["z"], ["y"]),
        initializer=[helper.make_tensor("s", I64, [33], AXES)],
    ),
    "a weight": network(
        node("Add", ["x", "w"], ["y"]),
        initializer=[helper.make_tensor("w", F32, AXES, [1.0])],
    ),
    "a result": network(
        node("Unsqueeze", ["x", "axes"], ["z"]),
        node("ReduceSum", ["z"], ["y"]),
        initializer=[helper.make_tensor("axes", I64, [32], range(1, 33))],
    ),
}


@pytest.mark.parametrize("case", RANKS)
def test_more_axes_than_numpy_has_are_refused(case: str) -> None:
    with pytest.raises(glow.InvalidModelError, match=r"33 axes|32 axes, got 33"):
        glow.load(RANKS[case])


def test_shapes_that_no_tensor_has_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.mlir"
    for shape, message in (
        (SHAPE, "1:34: expected at most 32 axes, got 33"),
        ("1048577x1048577", "1:34: expected at most 1099511627776 elements, got"),
    ):
        path.write_text(f"func.func private @f() -> tensor<{shape}xf32>")
        with pytest.raises(glow.InvalidModelError, match=message):
            glow.load(path)
    b = glow.Builder()
    x = b.input("x", (4,))
    with pytest.raises(ValueError, match='of "y": expected at most 32 axes, got 33'):
        b.input("y", AXES)
    with pytest.raises(ValueError, match="expected at most 32 axes, got 33"):
        x + np.zeros(AXES, np.float32)
    with pytest.raises(glow.InvalidModelError, match="at most 32 axes, got 33"):
        b.expand(x, shape=[*AXES[:32], 4])


LARGE = {
    "a table": network(
        node("Cast", ["x"], ["i"], to=I64),
        node("OneHot", ["i", "depth", "values"], ["h"]),
        node("ReduceMax", ["h"], ["y"], keepdims=0),
        shape=(),
        initializer=[
            helper.make_tensor("depth", I64, [], [1 << 36]),
            helper.make_tensor("values", F32, [2], [0.0, 1.0]),
        ],
    ),
    "a literal": network(
        node("ConstantOfShape", ["s"], ["c"]),
        node("Sin", ["c"], ["d"]),
        node("Add", ["x", "d"], ["e"]),
        node("ReduceSum", ["e"], ["y"], keepdims=0),
        shape=(),
        initializer=[helper.make_tensor("s", I64, [1], [1 << 37])],
    ),
    "a filter": network(
        node("Col2Im", ["x", "image", "block"], ["y"]),
        shape=(1, 1 << 30, 6),
        initializer=[
            helper.make_tensor("image", I64, [2], [33, 34]),
            helper.make_tensor("block", I64, [2], [32, 32]),
        ],
    ),
    "an output": network(
        node("Expand", ["x", "s"], ["z"]),
        node("Tile", ["z", "s"], ["y"]),
        shape=(1, 1),
        initializer=[helper.make_tensor("s", I64, [2], [1 << 10, 1 << 9])],
    ),
}


@pytest.mark.parametrize("case", LARGE)
def test_what_does_not_fit_into_memory_is_reported_with_its_size(case: str) -> None:
    with pytest.raises(glow.OutOfMemoryError, match=r"\d+ bytes|\d+(\.\d*)? [GTP]iB"):
        glow.compile(LARGE[case])(np.ones(() if case != "an output" else (1, 1), "f"))


def _outer(rows: int, whole: bool) -> glow.Executable:
    """Return an executable with a result, or values, of rows x rows x 4 bytes."""
    b = glow.Builder()
    table = b.add(b.input("x", (rows, 1)), b.input("y", (1, rows)))
    if not whole:
        normal = b.softmax(b.softmax(table, axis=0))
        table = b.reduce_sum(normal, axes=(0, 1))
    b.output("z", table)
    return glow.compile(b.model())


@pytest.mark.parametrize(
    ("whole", "message"),
    [
        (True, r"^z: float32\[262144, 262144\] takes 274877906944 bytes, more than "),
        (False, r"^the arena of a run takes 27487\d{7} bytes, more than \d+$"),
    ],
)
def test_a_run_names_what_does_not_fit_and_its_bytes(whole: bool, message: str) -> None:
    net, x = _outer(1 << 18, whole), np.ones((1 << 18, 1), np.float32)
    given = {"x": x, "y": x.reshape(1, -1)}
    for run in (
        lambda: net(*given.values()),
        lambda: net.run(given),
        lambda: net.run(given, on_output=lambda *_: None),
        lambda: net.bind(given).run(),
    ):
        with pytest.raises(glow.OutOfMemoryError, match=message):
            run()


def test_a_state_that_does_not_fit_is_named() -> None:
    with pytest.raises(glow.OutOfMemoryError, match=r'state "s": .*256\. GiB'):
        glow.Builder().state("s", (1 << 18, 1 << 18))


def test_the_reference_target_says_which_op_takes_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def compute(input: object) -> object:
        raise MemoryError("Unable to allocate 8.00 GiB")

    b = glow.Builder()
    b.output("y", b.relu(b.input("x", (4,))))
    net = glow.compile(b.model(), "reference")
    monkeypatch.setattr(ReluOp, "compute", staticmethod(compute))
    with pytest.raises(glow.OutOfMemoryError, match=r"graph\.relu, .*8\.00 GiB"):
        net(np.ones(4, np.float32))


def test_as_many_axes_as_numpy_has_are_computed() -> None:
    b = glow.Builder()
    x = b.input("x", (*AXES[:30], 2, 3))
    b.output("y", b.transpose(b.relu(x) + x, permutation=[*range(30), 31, 30]))
    given = np.arange(-3, 3, dtype=np.float32).reshape(x.shape)
    expected = (np.maximum(given, 0) + given).swapaxes(-1, -2)
    for target in ("cpu", "reference"):
        np.testing.assert_array_equal(glow.compile(b.model(), target)(given), expected)


def doubled(levels: int, op: str) -> ModelProto:
    """Return a model of functions, each of which calls the one before twice."""
    domain, imports = "", [helper.make_opsetid(name, 17) for name in ("", "mine")]
    functions: list[FunctionProto] = []
    for level in range(levels):
        body = [node(op, [a], [b], domain=domain) for a, b in ("ab", "bc")]
        domain, op = "mine", f"F{level}"
        functions.append(helper.make_function("mine", op, "a", "c", body, imports))
    graph = network(node(op, ["x"], ["y"], domain="mine")).graph
    return helper.make_model(
        graph, functions=functions, opset_imports=imports, ir_version=8
    )


def test_functions_that_expand_to_too_much_are_refused_at_once() -> None:
    with pytest.raises(glow.InvalidModelError, match="to more than 1048576 nodes"):
        glow.load(doubled(24, "Relu"))


def test_a_function_that_is_refused_is_not_expanded_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    import_ = GraphImporter._import

    def counted(self: GraphImporter, record: NodeRecord, *rest: Any) -> Any:
        calls.append(record.op_type)
        return import_(self, record, *rest)

    monkeypatch.setattr(GraphImporter, "_import", counted)
    with pytest.raises(glow.UnsupportedModelError, match="operator NoSuch"):
        glow.load(doubled(18, "NoSuch"))
    assert len(calls) < 2000
