"""Models of one operator of ONNX Runtime's own domain, and why they are refused."""

from __future__ import annotations

from typing import Any

import pytest
from numpy.typing import NDArray
from onnx import ModelProto, helper

from glow.formats.onnx import import_model

Arrays = dict[str, NDArray[Any]]
DOMAIN = "com.microsoft"


def model_of(
    op: str, inputs: str, feeds: Arrays, outputs: str, **rest: Any
) -> ModelProto:
    """Return a model of one node; `-` stands for an input that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    node = helper.make_node(op, names, outputs.split(), "n", domain=DOMAIN, **rest)
    given = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in feeds.items()
    ]
    made = [helper.make_empty_tensor_value_info(name) for name in outputs.split()]
    graph = helper.make_graph([node], "graph", given, made)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets)


def refusal(source: ModelProto, error: type[Exception]) -> str:
    with pytest.raises(error) as caught:
        import_model(source)
    return str(caught.value)
