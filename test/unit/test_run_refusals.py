"""Arrays that runs refuse, and faults of what they hold, each in one line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto
from small_onnx import info, model, node

import glow


def computing(kind: str, operands: str, element: str = "f32") -> ModelProto:
    """Return a model whose one node, called "it", computes `y` of two elements."""
    made = node(kind, operands, "y", "it")
    return model([made], {"x": info("x", (2,), element)}, [info("y", (2,), element)])


Call = Callable[[glow.Executable, NDArray[np.float32]], object]

BINDINGS: dict[str, tuple[Call, str]] = {
    "too many arrays": (lambda net, x: net(x, x), "expected 1 array"),
    "text": (lambda net, x: net("ab"), "got a str"),
    "nothing": (lambda net, x: net.run({"x": None}), "got a NoneType"),
    "another shape": (lambda net, x: net(x[:1]), r"got float32\[1\]"),
    "another type": (lambda net, x: net(x.astype(int)), r"got int64\[2\]"),
    "another name": (lambda net, x: net.run({"z": x}), '"x": missing.*called "z"'),
    "a wrong buffer": (
        lambda net, x: net.run({"x": x}, out={"y": x[:1]}),
        r'output "y": expected float32\[2\], got float32\[1\]',
    ),
}


@pytest.mark.parametrize("case", BINDINGS)
def test_binding_is_refused(case: str) -> None:
    net = glow.compile(computing("Relu", "x"), target="reference")
    call, expected = BINDINGS[case]
    with pytest.raises(glow.BindingError, match=expected) as caught:
        call(net, np.zeros(2, np.float32))
    assert "\n" not in str(caught.value)


FAULTS = {
    "index out of range": (computing("Gather", "x x", "i64"), [0, 2]),
    "division by zero": (computing("Div", "x x", "i64"), [1, 0]),
    "division of bytes by zero": (computing("Div", "x x", "u8"), [1, 0]),
    "remainder of zero": (computing("Mod", "x x", "i64"), [1, 0]),
}


@pytest.mark.parametrize("target", ["reference", "cpu"])
@pytest.mark.parametrize("case", FAULTS)
def test_fault_names_op_and_node(case: str, target: str) -> None:
    source, values = FAULTS[case]
    net = glow.compile(source, target=target)
    dtype = net.inputs[0].dtype
    assert np.array_equal(net(np.ones(2, dtype)), net(np.ones(2, dtype)))
    with pytest.raises(glow.ExecutionError) as caught:
        net(np.array(values, dtype))
    assert str(caught.value).endswith("from it)")
    assert "\n" not in str(caught.value)
