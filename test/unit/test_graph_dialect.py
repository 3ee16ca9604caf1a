"""Every op of the graph dialect: its docstring, and parameters named once."""

import re
from collections.abc import Sequence
from inspect import getdoc
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import AnyTensorType, TensorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.along_axis import TopKOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.pooling import MaxPoolOp
from glow.dialects.graph.storage import LiteralOp
from glow.registry import UNIVERSE
from glow.support.arrays import Array
from glow.support.types import element_of, shape_of, tensor

OPS = sorted(UNIVERSE.all_dialects["graph"]().operations, key=lambda op: op.name)
GRAPH_OPS = [op for op in OPS if issubclass(op, GraphOp)]

onnx = pytest.importorskip("onnx")


@pytest.mark.parametrize("op", GRAPH_OPS, ids=lambda op: op.name)
def test_docstring_says_shapes_and_source(op: type[GraphOp]) -> None:
    text = getdoc(op) or ""
    assert "Shapes: " in text
    assert "Source: " in text


@pytest.mark.parametrize("op", GRAPH_OPS, ids=lambda op: op.name)
def test_source_exists(op: type[GraphOp]) -> None:
    for name, version in re.findall(r"ONNX (\w+)-(\d+)", getdoc(op) or ""):
        assert onnx.defs.get_schema(name, int(version)).since_version == int(version)


@irdl_op_definition
class ScaledOp(GraphOp):
    """An op with a parameter of each kind."""

    name = "test.scaled"

    input = operand_def(TensorType.constr(AnyAttr()))
    result = result_def(TensorType.constr(AnyAttr()))

    assembly_format = "$input attr-dict `:` functional-type(operands, results)"

    @staticmethod
    def infer(input: SSAValue) -> AnyTensorType:
        return tensor(element_of(input), shape_of(input))

    @staticmethod
    def compute(
        input: Array,
        *,
        axis: int,
        to: Attribute,
        sizes: tuple[int, ...],
        scale: float = 0.5,
        mode: str = "up",
        fast: bool = True,
        clip: float | None = None,
        weights: Sequence[float] | None = None,
        names: Sequence[str] | None = None,
    ) -> Array:
        return input


def test_properties_follow_from_compute() -> None:
    x = LiteralOp(np.zeros((2, 3), np.float32)).result
    given: dict[str, Any] = {"axis": 1, "to": i1, "sizes": (2, 3)}
    op = ScaledOp(x, **given)
    op.verify()
    text = "axis = 1 : i64, to = i1, sizes = array<i64: 2, 3>"
    assert text in str(op)
    assert "scale =" not in str(op)
    defaults = {"scale": 0.5, "mode": "up", "fast": True}
    defaults |= dict.fromkeys(["clip", "weights", "names"])
    assert op.parameters() == given | defaults
    changed = {"scale": 2.0, "mode": "down", "fast": False, "clip": 1.0}
    changed |= {"weights": (0.5, 1.5), "names": ("a", "b")}
    op = ScaledOp(x, **given, **changed)
    op.verify()
    assert op.parameters() == given | changed
    assert {name: getattr(op, name) for name in op.declared()} == given | changed


def test_a_property_that_compute_lacks_is_refused() -> None:
    op = ScaledOp(LiteralOp(np.zeros(2, np.float32)).result, axis=1, to=i1, sizes=())
    op.properties["bias"] = i1
    with pytest.raises(VerifyException, match="property 'bias' is not defined"):
        op.verify()
    op.properties.pop("bias")
    op.properties["axis"] = i1
    with pytest.raises(VerifyException):
        op.verify()


def test_a_parameter_has_no_definition_beside_compute() -> None:
    fields = {"name": "test.twice", "axis": prop_def(), "compute": ScaledOp.compute}
    with pytest.raises(TypeError, match=r"^TwiceOp: expected axis in compute alone$"):
        type("TwiceOp", (GraphOp,), fields)


def test_unknown_parameters_are_refused_by_name() -> None:
    x = LiteralOp(np.zeros((2, 3), np.float32)).result
    wrong = {"with_order": True, "largets": True}
    with pytest.raises(TypeError, match=r"^graph\.top_k takes no largets, with_order$"):
        TopKOp(x, k=1, **wrong)


def test_missing_parameters_are_named() -> None:
    x = LiteralOp(np.zeros((1, 2, 3, 3), np.float32)).result
    with pytest.raises(TypeError, match=r"^graph\.max_pool needs kernel_shape$"):
        MaxPoolOp(x, strides=(1, 1))
    with pytest.raises(TypeError, match=r"^graph\.max_pool takes no kernel_shap$"):
        MaxPoolOp(x, kernel_shap=(1, 1))


def test_absent_results_are_none_and_said_by_flags() -> None:
    x = LiteralOp(np.zeros((2, 3), np.float32)).result
    op = TopKOp(x, k=1, with_values=False)
    assert op.values is None
    assert [str(result.type) for result in op.results] == ["tensor<2x1xi64>"]
    flags = {k: v for k, v in op.parameters().items() if k.startswith("with_")}
    assert flags == {"with_values": False, "with_indices": True}
    with pytest.raises(VerifyException, match="expected a result out of values"):
        TopKOp(x, k=1, with_values=False, with_indices=False)
