"""Sums and products of f16 that the processor computes natively."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import f16
from xdsl.ir import Block, Region

import glow
from glow.dialects.memory.elementwise import YieldOp
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram

F16 = np.dtype(np.float16)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN


@pytest.mark.parametrize("target", ["cpu", "cpu:avx2"])
@pytest.mark.parametrize(("op", "meaning"), [("add", np.add), ("mul", np.multiply)])
def test_one_step_of_f16_is_rounded_as_numpy_rounds(
    op: str, meaning: Any, target: str, tmp_path: Path
) -> None:
    """Natively where the processor can, else by way of f32: the same bits."""
    kind = "tensor<4097xf16>"
    (tmp_path / "net.mlir").write_text(
        f"func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{\n"
        f"  %z = graph.{op} %x, %y : ({kind}, {kind}) -> {kind}\n"
        f"  func.return %z : {kind}\n}}\n"
    )
    x, y = np.random.default_rng(0).integers(0, 1 << 16, (2, 4097)).astype(np.uint16)
    x, y = x.view(F16), y.view(F16)
    found: Any = glow.compile(tmp_path / "net.mlir", target=target)(x, y)
    np.testing.assert_array_equal(found, meaning(x, y), strict=True)


@pytest.mark.parametrize(("steps", "native"), [("z", True), ("w", False)])
def test_only_one_step_of_f16_is_computed_in_f16(steps: str, native: bool) -> None:
    """More of them would be rounded more often."""
    block = Block(arg_types=[f16, f16])
    with ImplicitBuilder(block) as (x, y):
        z = arith.AddfOp(x, y).result
        w = arith.MulfOp(z, y).result if steps == "w" else z
        YieldOp([w])
    assert ScalarProgram.of(Region(block)).is_one_step_in_f16 is native
