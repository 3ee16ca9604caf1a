"""What every op of the graph dialect has: shapes, a source, one set of defaults."""

import re
from inspect import Parameter, getdoc, signature

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp, from_attribute
from glow.dialects.graph.ranking import TopKOp
from glow.dialects.graph.storage import LiteralOp
from glow.registry import UNIVERSE

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


@pytest.mark.parametrize("op", GRAPH_OPS, ids=lambda op: op.name)
def test_defaults_stand_in_one_place(op: type[GraphOp]) -> None:
    """`compute` has the default of each property, unless it is a flag."""
    definition = op.get_irdl_definition()
    if not definition.accessor_names:
        return
    parameters = signature(op.compute).parameters
    for name, (stored, _) in definition.accessor_names.items():
        default = definition.properties[stored].default_value
        written = parameters[name].default
        if default is not None:
            assert written is not Parameter.empty, name
            built = from_attribute(default)
            assert built == written


def test_unknown_parameters_are_refused_by_name() -> None:
    x = LiteralOp(np.zeros((2, 3), np.float32)).result
    wrong = {"with_order": True, "largets": True}
    with pytest.raises(TypeError, match=r"^graph\.top_k takes no largets, with_order$"):
        TopKOp(x, k=1, **wrong)


def test_absent_results_are_none_and_said_by_flags() -> None:
    x = LiteralOp(np.zeros((2, 3), np.float32)).result
    op = TopKOp(x, k=1, with_values=False)
    assert op.values is None
    assert [str(result.type) for result in op.results] == ["tensor<2x1xi64>"]
    flags = {k: v for k, v in op.parameters().items() if k.startswith("with_")}
    assert flags == {"with_values": False, "with_indices": True}
    with pytest.raises(VerifyException, match="expected a result out of values"):
        TopKOp(x, k=1, with_values=False, with_indices=False)
