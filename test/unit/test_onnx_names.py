"""Tensors may have the name that the function of a model would have."""

from pathlib import Path

import numpy as np
import pytest
from small_onnx import model, node
from targets import TARGETS

import glow


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("inputs", "output"), [("main", "y"), ("x", "main"), ("main", "main.1")]
)
def test_tensors_may_be_called_like_the_function(
    inputs: str, output: str, target: str
) -> None:
    source = model([node("Relu", inputs, output)], {inputs: (3,)}, [output])
    x = np.array([-1, 0, 2], np.float32)
    found = glow.compile(source, target=target).run({inputs: x})
    assert found[output].tolist() == [0, 0, 2]


def test_an_argument_may_be_called_like_the_function(tmp_path: Path) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(
        "func.func @f(%main: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %y = graph.relu %main : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  func.return %y : tensor<2xf32>\n"
        "}\n"
    )
    net = glow.compile(path)
    assert [spec.name for spec in net.inputs] == ["main_1"]
    assert net(np.array([-1, 2], np.float32)).tolist() == [0, 2]
