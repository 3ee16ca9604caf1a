"""The ONNX form of each graph op that its page shows."""

from types import SimpleNamespace
from typing import Any

from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.control_flow import IfOp
from glow.dialects.graph.embedding import EmbeddingOp
from glow.dialects.graph.recurrent import LstmOp
from glow.tools.onnx_forms import onnx_form_of

EXAMPLE = """
```mlir
%y = graph.pow %x, %x : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
```
"""


def test_an_op_shows_operators_and_their_opsets() -> None:
    assert onnx_form_of(ReluOp) == "- **ONNX:** `Relu-14`"
    assert onnx_form_of(LstmOp) == "- **ONNX:** `LSTM-22`"


def test_an_op_that_onnx_lacks_shows_its_function() -> None:
    assert onnx_form_of(EmbeddingOp).startswith(
        "- **ONNX:** function `glow.embedding` of `Gather-13`, "
    )


def test_an_op_that_onnx_cannot_say_shows_that() -> None:
    op: Any = SimpleNamespace(name="graph.pow", compute=None, __doc__=EXAMPLE)
    assert onnx_form_of(op) == "- **ONNX:** none"


def test_what_computes_nothing_shows_nothing() -> None:
    assert onnx_form_of(IfOp) == ""
