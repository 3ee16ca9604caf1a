"""NumPy's scalars as arguments of no axes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import glow


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(glow.BindingError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_scalars_of_numpy_are_arrays_of_no_axes(target: str, tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text("""
      func.func @main(%x: tensor<3xf32>, %s: tensor<f32>) -> tensor<3xf32> {
        %y = graph.mul %x, %s : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
        func.return %y : tensor<3xf32>
      }""")
    net = glow.compile(tmp_path / "net.mlir", target=target)
    x, s = (spec.name for spec in net.inputs)
    array, expected = np.float32([1, 2, 3]), [2.0, 4.0, 6.0]
    out = {net.outputs[0].name: np.empty(3, np.float32)}
    assert net(array, np.float32(2)).tolist() == expected
    for result in (
        net.run({x: array, s: np.float32(2)}),
        net.run({x: array, s: np.float32(2)}, out),
        net.bind({x: array, s: np.float32(2)}).run(),
    ):
        assert next(iter(result.values())).tolist() == expected
    assert (
        refusal(lambda: net(array, np.float64(2)))
        == f'input "{s}": expected float32[], got float64[]'
    )
    assert net(array, 2).tolist() == net(array, 2.0).tolist() == expected


def test_a_scalar_of_numpy_is_nothing_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text("""
      func.func @main(%x: tensor<f32>) -> tensor<f32> {
        %y = graph.neg %x : (tensor<f32>) -> tensor<f32>
        func.return %y : tensor<f32>
      }""")
    net = glow.compile(tmp_path / "net.mlir")
    x, y = net.inputs[0].name, net.outputs[0].name
    message = f'output "{y}": expected a writeable array'
    assert refusal(lambda: net.run({x: np.float32(1)}, {y: np.float32(1)})) == message
    bound = net.bind({x: np.float32(1)})
    assert refusal(lambda: bound.__setitem__(y, np.float32(1))) == message
    assert bound.run()[y] == -1
