"""Kernels compile to object code for machines that this one is not."""

from typing import Any

import numpy as np
import pytest
from compiled_loops import lower_loops
from memory_code import MemoryCode
from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region

from glow.backends.cpu.code_generation import object_code
from glow.backends.cpu.llvm_ir import llvm_ir
from glow.dialects.graph import (
    along_axis,
    embedding,
    indexing,
    layer_norm,
    normalization,
    pooling,
    reduction,
    resize,
    scattering,
    slicing,
)
from glow.dialects.memory.elementwise import CopyOp, ElementwiseOp, YieldOp
from glow.support.targets import target_of

pytestmark = pytest.mark.slow

PLACES = {"kernel_shape": (2,), "strides": (1,), "pads": (0, 1), "dilations": (1,)}
CUBIC = {"mode": "cubic", "scales": (0.9,), "sizes": (40,), "axes": (2,)}
PLANE = CUBIC | {"scales": (0.9, 0.9), "sizes": (40, 40), "axes": (1, 2)}


def add_one_of_each(code: MemoryCode) -> None:
    """Add an op per family, channels last where it has channels."""
    block = Block(arg_types=[f32])
    doubled = arith.AddfOp(block.args[0], block.args[0])
    block.add_ops([doubled, YieldOp([doubled.result])])
    stored = np.zeros((1, 40, 40), np.float32)
    x, y = (np.moveaxis(a, -1, 1) for a in (stored, stored.copy()))
    flat = np.zeros((1, 40, 40), np.float32)
    buffers = [code.buffer(array) for array in (x, y, flat)]
    code.add(ElementwiseOp(buffers[:1], buffers[1:2], Region(block)))
    code.add(CopyOp(buffers[0], buffers[2]))
    sums, rows = np.zeros((1, 40, 1), np.float32), np.zeros((1, 40, 3), np.float32)
    places, indices = np.zeros((1, 40, 1), np.int64), np.zeros(40, np.int64)
    pairs, start = np.zeros((1, 40, 1, 3), np.int64), np.zeros(1, np.int64)
    lines, picked = np.zeros((1, 40, 2), np.int64), np.zeros((1, 40, 40), np.int64)
    cases: tuple[Any, ...] = (
        (pooling.MaxPoolOp, [x], [y], PLACES),
        (reduction.ReduceMeanOp, [x], [sums], {"axes": (2,), "keepdims": True}),
        (
            reduction.ReduceLogSumExpOp,
            [flat],
            [rows[0, :, 0]],
            {"axes": (0, 2), "keepdims": False},
        ),
        (along_axis.SoftmaxOp, [flat], [flat], {"axis": 2}),
        (along_axis.LogSoftmaxOp, [flat], [flat], {"axis": 1}),
        (layer_norm.LayerNormOp, [flat], [flat], {"axis": 2}),
        (layer_norm.LayerNormOp, [x, None, sums], [x], {"axis": 2}),
        (layer_norm.RmsNormOp, [flat], [flat], {"axis": 2}),
        (normalization.LrnOp, [x], [y], {"size": 5}),
        (indexing.GatherOp, [flat, indices], [flat], {"axis": 1}),
        (indexing.GatherNdOp, [flat, pairs], [sums], {}),
        (indexing.GatherElementsOp, [flat, picked], [flat], {"axis": 2}),
        (along_axis.CumsumOp, [flat], [flat], {"axis": 2}),
        (along_axis.CumsumOp, [flat], [flat], {"axis": 1, "exclusive": True}),
        (slicing.TriluOp, [flat, start[0]], [flat], {"upper": True}),
        (resize.ResizeOp, [x], [y], CUBIC),
        (resize.ResizeOp, [flat], [flat], PLANE),
        (along_axis.TopKOp, [flat], [rows], {"k": 3}),
        (reduction.ArgMaxOp, [x], [places], {"axis": 2, "keepdims": True}),
        (reduction.ArgMinOp, [flat], [places], {"axis": 2, "keepdims": True}),
    )
    for op, ins, outs, parameters in cases:
        code.apply(op, ins, outs, **parameters)
    scatter = scattering.ScatterNdOp
    code.apply(scatter, [lines, flat], [], inout=flat, reduction="max")
    scatter = scattering.TensorScatterOp
    code.apply(scatter, [flat, start], [], inout=flat, axis=1, mode="circular")


@pytest.mark.parametrize("target", ["cpu:sse2", "cpu:avx2", "cpu:avx512", "cpu:neon"])
def test_object_code(target: str) -> None:
    code = MemoryCode(target)
    add_one_of_each(code)
    text = llvm_ir(lower_loops(code.loops(), target_of(target)))
    assert len(object_code(text, target_of(target))) > 4000


LINES = np.zeros((40, 48), np.float32)
IMAGE = np.moveaxis(np.zeros((1, 9, 9, 32), np.float32), -1, 1)
PIXEL, INDICES = np.zeros((1, 32, 1, 1), np.float32), np.zeros(9, np.int64)
ROWS = np.zeros((9, 48), np.float32)
LANES: tuple[Any, ...] = (
    (along_axis.SoftmaxOp, [LINES], [LINES], {"axis": 1}),
    (along_axis.SoftmaxOp, [LINES], [LINES], {"axis": 0}),
    (layer_norm.LayerNormOp, [LINES], [LINES], {"axis": 1}),
    (layer_norm.LayerNormOp, [IMAGE], [IMAGE], {"axis": 2}),
    (normalization.LrnOp, [IMAGE], [IMAGE], {"size": 5}),
    (reduction.ReduceSumOp, [LINES], [LINES[0]], {"axes": (0,), "keepdims": False}),
    (reduction.ReduceMaxOp, [LINES], [LINES[:, 0]], {"axes": (1,), "keepdims": False}),
    (pooling.GlobalAvgPoolOp, [IMAGE], [PIXEL], {}),
    (pooling.MaxPoolOp, [IMAGE], [IMAGE], {"kernel_shape": (1, 1)}),
    (along_axis.CumsumOp, [LINES], [LINES], {"axis": 1, "reverse": True}),
    (along_axis.CumsumOp, [LINES], [LINES], {"axis": 0}),
    (slicing.TriluOp, [LINES], [LINES], {}),
    (indexing.GatherOp, [LINES, INDICES], [ROWS], {}),
    (embedding.EmbeddingOp, [LINES, INDICES], [ROWS], {}),
    (resize.ResizeOp, [IMAGE], [IMAGE], {"scales": (1.01,) * 2, "axes": (2, 3)}),
)


@pytest.mark.parametrize(("op", "ins", "outs", "parameters"), LANES)
def test_lanes_are_used_along_neighbors(
    op: Any, ins: list[Any], outs: list[Any], parameters: dict[str, Any]
) -> None:
    code = MemoryCode("cpu:avx2")
    code.apply(op, ins, outs, **parameters)
    assert "vector<8xf32>" in str(code.loops())


def test_exponentials_of_f64_are_scalars() -> None:
    code, wide = MemoryCode("cpu:avx2"), LINES.astype(np.float64)
    code.apply(along_axis.SoftmaxOp, [wide], [wide], axis=1)
    assert "vector<" not in str(code.loops())
