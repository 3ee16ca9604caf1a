"""Machine code of elementwise ops against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from glow.dialects.llvm_ext.elementwise import RemfOp
from glow.dialects.memory.elementwise import ElementwiseOp, FillOp, YieldOp

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
Build = Callable[..., SSAValue]


def region(inputs: list[Attribute], build: Build) -> Region:
    """Return a region whose one result is what `build(block, *inputs)` appends."""
    block = Block(arg_types=inputs)
    result = build(block, *block.args)
    block.add_op(YieldOp([result]))
    return Region(block)


def put(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def plus(block: Block, a: SSAValue, b: SSAValue) -> SSAValue:
    return put(block, arith.AddfOp(a, b))


def check(code: MemoryCode, cases: list[tuple[Array, Array]]) -> None:
    """Run `code`; then each array must be equal to its expectation."""
    assert code.run() is None
    for got, want in cases:
        np.testing.assert_array_equal(got, want)


def add_sum(code: MemoryCode, x: Array, y: Array, out: Array) -> tuple[Array, Array]:
    op = ElementwiseOp(
        [code.buffer(x), code.buffer(y)], [code.buffer(out)], region([f32, f32], plus)
    )
    code.add(op)
    return out, np.broadcast_to(x + y, out.shape)


@pytest.mark.parametrize("target", TARGETS)
def test_any_strides(target: str) -> None:
    """Broadcasting, transposed, reversed and sliced operands, empty and single axes."""
    rng = np.random.default_rng(0)
    code, cases = MemoryCode(target), []

    def random(*shape: int) -> Array:
        return rng.standard_normal(shape, np.float32)

    shapes: list[tuple[Array, Array]] = [
        (random(3, 5, 37), random(37)),
        (random(3, 5, 37), random(5, 1)),
        (random(3, 5, 37), random(3, 1, 37)),
        (random(1), random(1)),
        (random(), random()),
        (random(129), random(1)),
        (random(2, 0, 3), random(3)),
        (random(7, 6).T, random(6, 7)),
        (random(33)[::-1], random(33)),
        (random(20, 40)[2:11, 3:35:2], random(16)),
        (random(2, 3, 4, 5, 6).transpose(3, 1, 4, 0, 2), random(5, 3, 6, 2, 4)),
        (random(2, 1, 3, 1, 4), random(5, 1, 6, 1)),
    ]
    for x, y in shapes:
        out = np.zeros(np.broadcast_shapes(x.shape, y.shape), np.float32)
        cases.append(add_sum(code, x, y, out))
    wide = np.zeros((9, 64), np.float32)
    cases.append(add_sum(code, random(9, 31), random(31), wide[:, 5:36]))
    check(code, cases)
    assert not wide[:, :5].any()
    assert not wide[:, 36:].any()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("extent", [1, 7, 16, 31, 64, 65, 200])
def test_every_length_of_a_line_in_place(target: str, extent: int) -> None:
    x = np.arange(extent, dtype=np.float32)
    code = MemoryCode(target)
    want = x + x
    buffer = code.buffer(x)
    code.add(ElementwiseOp([buffer, buffer], [buffer], region([f32, f32], plus)))
    check(code, [(x, want)])


def _compare(block: Block, a: SSAValue, b: SSAValue) -> SSAValue:
    return put(block, arith.CmpfOp(a, b, "olt"))


def _where(block: Block, c: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    return put(block, arith.SelectOp(c, a, b))


def _not(block: Block, a: SSAValue) -> SSAValue:
    return put(
        block, arith.XOrIOp(a, put(block, arith.ConstantOp(IntegerAttr(-1, i1))))
    )


def _to(op: type[Operation], result: Attribute) -> Build:
    def build(block: Block, a: SSAValue) -> SSAValue:
        return put(block, op.create(operands=[a], result_types=[result]))

    return build


def _binary(op: type[Operation]) -> Build:
    def build(block: Block, a: SSAValue, b: SSAValue) -> SSAValue:
        return put(block, op.create(operands=[a, b], result_types=[a.type]))

    return build


FLOATS = np.linspace(-3, 3, 53, dtype=np.float32)
WILD = np.array([0.5, -7.9, 3e9, -3e9, np.nan, np.inf, -np.inf] * 5, np.float32)
LOWEST = np.array([0, -7, *[-(2**31)] * 5] * 5, np.int32)
INTS = np.arange(-25, 28, dtype=np.int32)
BOOLS = np.arange(53) % 3 == 0
PROGRAMS: dict[str, tuple[list[Array], list[Attribute], Build, Array]] = {
    "compare": ([FLOATS, FLOATS[::-1].copy()], [f32, f32], _compare, FLOATS < -FLOATS),
    "where": ([BOOLS, FLOATS, -FLOATS], [i1, f32, f32], _where,
              np.where(BOOLS, FLOATS, -FLOATS)),
    "not": ([BOOLS], [i1], _not, ~BOOLS),
    "bool_to_f32": ([BOOLS], [i1], _to(arith.UIToFPOp, f32), BOOLS.astype(np.float32)),
    "bool_to_i64": ([BOOLS], [i1], _to(arith.ExtUIOp, i64), BOOLS.astype(np.int64)),
    "i32_to_f32": ([INTS], [i32], _to(arith.SIToFPOp, f32), INTS.astype(np.float32)),
    "i32_to_i64": ([INTS], [i32], _to(arith.ExtSIOp, i64), INTS.astype(np.int64)),
    "f32_to_f64": ([FLOATS], [f32], _to(arith.ExtFOp, f64), FLOATS.astype(np.float64)),
    "f32_to_i32": ([WILD], [f32], _to(arith.FPToSIOp, i32), LOWEST),
    "f64_add": ([FLOATS.astype(np.float64)] * 2, [f64, f64], plus,
                2 * FLOATS.astype(np.float64)),
    "i64_mul": ([INTS.astype(np.int64)] * 2, [i64, i64], _binary(arith.MuliOp),
                INTS.astype(np.int64) ** 2),
    "fmod": ([FLOATS, FLOATS[::-1] + np.float32(9)], [f32, f32], _binary(RemfOp),
             np.fmod(FLOATS, FLOATS[::-1] + np.float32(9))),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_programs_of_every_type(target: str) -> None:
    code, cases = MemoryCode(target), []
    for inputs, types, build, want in PROGRAMS.values():
        out = np.zeros(want.shape, want.dtype)
        buffers = [code.buffer(np.ascontiguousarray(array)) for array in inputs]
        code.add(ElementwiseOp(buffers, [code.buffer(out)], region(types, build)))
        cases.append((out, want))
    check(code, cases)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", [math.ExpOp, math.SinOp])
def test_mathematics(target: str, op: type[Operation]) -> None:
    """By polynomials and by the C library: equal in vectors and what is left over."""
    function: Any = {math.ExpOp: np.exp, math.SinOp: np.sin}[op]
    code, out = MemoryCode(target), np.zeros_like(FLOATS)
    body = region([f32], _to(op, f32))
    code.add(ElementwiseOp([code.buffer(FLOATS)], [code.buffer(out)], body))
    assert code.run() is None
    np.testing.assert_allclose(out, function(FLOATS), rtol=5e-7, atol=1e-7)


def test_shifts_by_any_amount() -> None:
    values = np.full(40, -5, np.int32)
    amounts = np.arange(-4, 36, dtype=np.int32)
    code, left, right = MemoryCode(), np.zeros_like(values), np.zeros_like(values)
    for op, out in ((arith.ShLIOp, left), (arith.ShRUIOp, right)):
        buffers = [code.buffer(values), code.buffer(amounts)]
        body = region([i32, i32], _binary(op))
        code.add(ElementwiseOp(buffers, [code.buffer(out)], body))
    fits = (amounts >= 0) & (amounts < 32)
    unsigned, safe = (
        values.view(np.uint32),
        np.where(fits, amounts, 0).astype(np.uint32),
    )
    want_left = np.where(fits, unsigned << safe, 0).astype(np.uint32).view(np.int32)
    want_right = np.where(fits, unsigned >> safe, 0).astype(np.uint32).view(np.int32)
    check(code, [(left, want_left), (right, want_right)])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_division_of_integers(dtype: Any) -> None:
    """The quotient truncates; the least integer divided by -1 wraps."""
    least = np.iinfo(dtype).min
    lhs = np.array([7, -7, 7, -7, least, least, 5], dtype)
    rhs = np.array([2, 2, -2, -2, -1, 1, 5], dtype)
    element = i32 if dtype is np.int32 else i64
    code, outs = MemoryCode(), [np.zeros_like(lhs), np.zeros_like(lhs)]
    for op, out in zip((arith.DivSIOp, arith.RemSIOp), outs, strict=True):
        buffers = [code.buffer(lhs), code.buffer(rhs)]
        body = region([element, element], _binary(op))
        code.add(ElementwiseOp(buffers, [code.buffer(out)], body))
    quotients = np.array([3, -3, -3, 3, least, least, 1], dtype)
    check(code, [(outs[0], quotients), (outs[1], np.array([1, -1, 1, -1, 0, 0, 0]))])


def test_division_by_zero_is_reported_and_the_rest_is_computed() -> None:
    lhs, rhs = np.arange(6, dtype=np.int32), np.array([1, 0, 1, 0, 2, 1], np.int32)
    code, out = MemoryCode(), np.zeros(6, np.int32)
    body = region([i32, i32], _binary(arith.DivSIOp))
    code.add(
        ElementwiseOp([code.buffer(lhs), code.buffer(rhs)], [code.buffer(out)], body)
    )
    run = code.compile()
    assert "integer division by zero" in run()
    np.testing.assert_array_equal(out, [0, 1, 2, 3, 2, 5])
    rhs[:] = 1
    assert run() is None


@pytest.mark.parametrize("target", TARGETS)
def test_fill(target: str) -> None:
    code = MemoryCode(target)
    floats, ints = np.zeros((3, 50), np.float32), np.zeros(19, np.int64)
    bools = np.zeros(77, np.bool_)
    code.add(FillOp(FloatAttr(-np.inf, f32), code.buffer(floats[:, 1:48])))
    code.add(FillOp(IntegerAttr(-3, i64), code.buffer(ints)))
    code.add(FillOp(IntegerAttr(-1, i1), code.buffer(bools)))
    assert code.run() is None
    assert np.isneginf(floats[:, 1:48]).all()
    assert not floats[:, 0].any()
    assert not floats[:, 48:].any()
    assert (ints == -3).all()
    assert bools.view(np.uint8).min() == bools.view(np.uint8).max() == 1
