"""Constants of a model that is compiled for several shapes."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node

import glow
from glow import DynamicExecutable
from glow.runtime.constant_pool import CONSTANTS

f32 = np.float32


@pytest.mark.slow
def test_all_shapes_share_constants_packed_ones_too() -> None:
    weight = np.random.default_rng(1).standard_normal((96, 160), f32)
    source = model(
        [node("MatMul", "x w", "y", "mul")],
        {"x": ("batch", 96)},
        [info("y", ("batch", 160))],
        {"w": weight},
    )
    gc.collect()
    before = CONSTANTS.nbytes
    net = glow.compile(source)
    assert isinstance(net, DynamicExecutable)
    sizes: list[int] = []
    packed: set[int] = set()
    for batch in (8, 16, 24):
        x = np.ones((batch, 96), f32)
        (wanted,) = run_onnxruntime(source, {"x": x})
        np.testing.assert_allclose(net(x), wanted, rtol=1e-4)
        sizes.append(CONSTANTS.nbytes - before)
        fixed: Any = net.specialize({"batch": batch})
        (address,) = (
            address
            for address, array in zip(fixed.table, fixed._image.constants, strict=True)
            if array.nbytes >= weight.nbytes
        )
        packed.add(address)
    assert sizes[0] >= weight.nbytes
    assert sizes[-1] - sizes[0] < weight.nbytes // 50  # addresses of rows
    assert len(packed) == 1
    every = [net.specialize({"batch": batch}) for batch in (8, 16, 24)]
    assert max(each.constant_bytes for each in every) <= net.constant_bytes
    assert net.constant_bytes < sum(each.constant_bytes for each in every) / 2
    assert net.constant_bytes == sizes[-1]
    assert net.arena_bytes == max(each.arena_bytes for each in every)
    del every
    del net, fixed
    gc.collect()
    assert CONSTANTS.nbytes == before
