"""Results as tensors of another library, which has `from_dlpack`."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import glow

NETWORK = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""


@pytest.fixture(name="net")
def _net(tmp_path: Any) -> glow.Executable:
    (tmp_path / "net.mlir").write_text(NETWORK)
    return glow.compile(tmp_path / "net.mlir", "reference")


def test_results_are_of_the_library_of_a_tensor(
    net: glow.Executable, monkeypatch: pytest.MonkeyPatch
) -> None:
    library: Any = ModuleType("a_library")
    taken: list[Any] = []

    class Tensor:
        def __init__(self, array: Any):
            taken.append(array)

    Tensor.__module__ = "a_library.tensors"
    library.from_dlpack = Tensor
    monkeypatch.setitem(sys.modules, "a_library", library)
    x = np.array([-1, 2], np.float32)
    (result,) = net.run([x], like=Tensor(x)).values()
    assert isinstance(result, Tensor)
    assert taken[-1].tolist() == [0, 2]
    (own,) = net.run([x], like=x).values()
    assert isinstance(own, np.ndarray)


def test_a_library_without_dlpack_is_refused(net: glow.Executable) -> None:
    with pytest.raises(
        glow.BindingError, match=r"like: expected an array .* got a dict"
    ):
        net.run([np.ones(2, np.float32)], like={})


def test_example_inputs_are_for_pytorch_alone() -> None:
    with pytest.raises(
        ValueError, match="example_inputs with a module of PyTorch only"
    ):
        glow.load("net.onnx", ())
