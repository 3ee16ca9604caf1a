"""Kernels compile to object code for machines that this one is not."""

import numpy as np
import pytest
from memory_code import MemoryCode
from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region

from glow.backends.cpu.code_generation import object_code
from glow.backends.cpu.jit import lower_loops
from glow.backends.cpu.llvm_ir import llvm_ir
from glow.dialects.graph.interpolation import Interpolation
from glow.dialects.memory import (
    indexing,
    normalization,
    ranking,
    resize,
    scanning,
    window,
)
from glow.dialects.memory.elementwise import CopyOp, ElementwiseOp, YieldOp
from glow.support.targets import target_of

pytestmark = pytest.mark.slow

PLACES = {"kernel_shape": (2,), "strides": (1,), "pads": (0, 1), "dilations": (1,)}
CUBIC = Interpolation("cubic", "half_pixel", "floor", -0.75, False, False)


def add_one_of_each(code: MemoryCode) -> None:
    """Add an op per family, channels last where it has channels."""
    block = Block(arg_types=[f32])
    doubled = arith.AddfOp(block.args[0], block.args[0])
    block.add_ops([doubled, YieldOp([doubled.result])])
    stored = np.zeros((1, 40, 40), np.float32)
    x, y = (code.buffer(np.moveaxis(a, -1, 1)) for a in (stored, stored.copy()))
    flat = code.buffer(np.zeros((1, 40, 40), np.float32))
    sums = code.buffer(np.zeros((1, 40, 1), np.float32))
    places = code.buffer(np.zeros((1, 40, 1), np.int64))
    indices = code.buffer(np.zeros(40, np.int64))
    pairs = code.buffer(np.zeros((1, 40, 1, 3), np.int64))
    lines = code.buffer(np.zeros((1, 40, 2), np.int64))
    rows = code.buffer(np.zeros((1, 40, 3), np.float32))
    heap = [code.buffer(np.zeros(3, dtype)) for dtype in (np.float32, np.int64)]
    start = code.buffer(np.zeros(1, np.int64))
    for op in (
        ElementwiseOp([x], [y], Region(block)),
        CopyOp(x, flat),
        window.PoolOp(x, y, kind="max", **PLACES),
        window.ReduceOp(x, sums, kind="mean", axes=(2,)),
        window.ReduceOp(flat, sums, kind="log_sum_exp", axes=(2,)),
        normalization.SoftmaxOp(flat, flat, axis=2),
        normalization.SoftmaxOp(flat, flat, axis=1, log=True),
        normalization.LayerNormOp(flat, None, None, flat, axis=2, epsilon=1e-5),
        normalization.LayerNormOp(x, None, sums, x, axis=2, epsilon=1e-5),
        normalization.RmsNormOp(flat, None, flat, axis=2, epsilon=1e-5),
        normalization.LrnOp(x, y, size=5, alpha=1e-4, beta=0.75, bias=1.0),
        window.GatherOp(flat, indices, flat, axis=1),
        indexing.GatherNdOp(flat, pairs, sums, batch_dims=0),
        indexing.GatherNdOp(flat, lines, flat, batch_dims=0),
        indexing.ScatterNdOp(lines, flat, flat, batch_dims=0, kind="max"),
        indexing.TensorScatterOp(flat, start, flat, axis=1, circular=True),
        scanning.CumsumOp(flat, flat, axis=2),
        scanning.CumsumOp(flat, flat, axis=1, exclusive=True),
        scanning.TriluOp(flat, start, flat, upper=True),
        resize.ResizeOp(x, None, y, axes=(2,), scales=(0.9,), how=CUBIC),
        resize.ResizeOp(flat, None, flat, axes=(1, 2), scales=(0.9, 0.9), how=CUBIC),
        ranking.TopKOp(flat, rows, None, *heap, axis=2, largest=True),
        window.ArgReduceOp(x, places, kind="max", axis=2),
        window.ArgReduceOp(flat, places, kind="min", axis=2),
    ):
        code.add(op)


@pytest.mark.parametrize("target", ["cpu:sse2", "cpu:avx2", "cpu:avx512", "cpu:neon"])
def test_object_code(target: str) -> None:
    code = MemoryCode(target)
    add_one_of_each(code)
    text = llvm_ir(lower_loops(code.loops()))
    assert len(object_code(text, target_of(target))) > 4000
