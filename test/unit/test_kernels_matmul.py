"""Matrix product kernels against NumPy in f64, over strides, types and targets."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from memory_code import MemoryCode
from products import DTYPES, TARGETS, Array, Shape, epilogue_of, finished, seeded
from xdsl.dialects.arith import AddfOp, MulfOp, SubfOp
from xdsl.dialects.builtin import f32
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, Operation, Region

import glow
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.llvm_ext.memory import PrefetchOp
from glow.dialects.memory.elementwise import YieldOp
from glow.dialects.memory.products import MatMulOp
from glow.lowering.memory_to_loops.kernels.finish import Epilogue
from glow.lowering.memory_to_loops.kernels.gemm import Gemm
from glow.lowering.memory_to_loops.kernels.gemm_row import GemmRow
from glow.lowering.memory_to_loops.kernels.kernel import OFFSETS, Operand, Steps
from glow.lowering.memory_to_loops.kernels.microkernel import Tile
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.lowering.tiles import matrix_panels
from glow.support.layout import pack
from glow.support.targets import target_of

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Case:
    """A product; `*_order` is the order in memory of the axes of an operand."""

    lhs: Shape
    rhs: Shape
    lhs_order: Shape = ()
    rhs_order: Shape = ()
    result_order: Shape = ()
    is_packed: bool = False
    has_bias: bool = False
    epilogue: str = ""
    extras: tuple[Shape, ...] = ()
    element: str = "f32"
    in_place: bool = False
    """The first extra lies where the result goes."""


SWAPPED = (0, 2, 1, 3)
CASES = {
    "square": Case((64, 64), (64, 64), is_packed=True),
    "tails": Case((13, 17), (17, 41), is_packed=True, has_bias=True),
    "unpacked": Case((37, 19), (19, 70), has_bias=True),
    "one row": Case((1, 100), (100, 75), is_packed=True, has_bias=True),
    "two rows": Case((2, 33), (33, 20), is_packed=True),
    "one row, whole pages": Case((1, 128), (128, 64), is_packed=True),
    "one row, unpacked": Case((1, 65), (65, 40)),
    "one column": Case((40, 31), (31, 1)),
    "one element": Case((1, 1), (1, 1)),
    "stack by matrix": Case((3, 5, 24), (24, 48), is_packed=True),
    "stacks": Case((2, 3, 30, 16), (2, 3, 16, 35)),
    "packed stacks": Case((2, 3, 30, 16), (2, 3, 16, 35), is_packed=True),
    "matrix by stack": Case((7, 16), (4, 16, 33)),
    "broadcast stacks": Case((2, 1, 9, 8), (3, 8, 40), has_bias=True),
    "columns first": Case((23, 40), (40, 34), lhs_order=(1, 0)),
    "heads": Case((2, 4, 12, 8), (2, 4, 8, 16), SWAPPED, SWAPPED, SWAPPED),
    "residual": Case((14, 32), (32, 45), epilogue="residual", extras=((14, 45),)),
    "per row": Case((3, 6, 5), (5, 9), epilogue="residual", extras=((6, 1),)),
    "per column": Case((3, 6, 5), (5, 9), epilogue="residual", extras=((9,),)),
    "per matrix": Case((3, 6, 5), (3, 5, 9), epilogue="residual", extras=((3, 1, 9),)),
    "gelu": Case((20, 16), (16, 64), epilogue="gelu", is_packed=True, has_bias=True),
    "select": Case((20, 16), (16, 40), epilogue="positive", extras=((1,),)),
    "functions": Case((20, 16), (16, 40), epilogue="sine", extras=((20, 40),)),
    "in place": Case(
        (13, 9), (9, 40), epilogue="residual", extras=((13, 40),), in_place=True
    ),
    "plain in place": Case(
        (5, 9),
        (9, 4),
        element="i32",
        epilogue="remainder",
        extras=((5, 4),),
        in_place=True,
    ),
    "rows first": Case((20, 16), (16, 40), rhs_order=(1, 0)),
    "no neighbors": Case((20, 16), (16, 40), result_order=(1, 0), has_bias=True),
    "columns apart": Case(
        (128, 32), (32, 64), result_order=(1, 0), has_bias=True, is_packed=True
    ),
    "columns apart, rest": Case(
        (2, 23, 20), (20, 37), result_order=(0, 2, 1), epilogue="gelu", is_packed=True
    ),
    "columns apart, one row": Case((3, 1, 20), (20, 70), result_order=(0, 2, 1)),
    "columns apart, extras": Case(
        (26, 16),
        (16, 64),
        result_order=(1, 0),
        epilogue="affine",
        extras=((26, 64), (64,)),
    ),
    "columns apart in place": Case(
        (26, 16),
        (16, 64),
        result_order=(1, 0),
        epilogue="residual",
        extras=((26, 64),),
        in_place=True,
    ),
    "matrices of columns": Case(
        (2, 3, 30, 16), (2, 3, 16, 35), result_order=(3, 0, 2, 1), has_bias=True
    ),
    "deep": Case((13, 1000), (1000, 41), is_packed=True, has_bias=True),
    "deep, odd": Case((3, 397), (397, 20)),
    "deep, one row": Case((1, 771), (771, 64), is_packed=True),
    "deep, tiles by parts": Case(
        (147, 1601),
        (1601, 41),
        is_packed=True,
        has_bias=True,
        epilogue="residual",
        extras=((147, 41),),
        in_place=True,
    ),
    "tall, tiles by stretches": Case((2300, 130), (130, 70), is_packed=True),
    "no depth": Case((4, 0), (0, 5), has_bias=True),
    "nothing": Case((0, 4), (4, 5)),
    "f64": Case((2, 3, 9), (9, 5), element="f64", has_bias=True),
    "i32": Case((4, 1, 3, 9), (2, 9, 5), element="i32"),
    "i64": Case((3, 9), (9, 5), (1, 0), (1, 0), element="i64"),
}


def stored(values: Array, order: Shape) -> Array:
    """The same values with their axes in this order in memory."""
    if not order:
        return np.ascontiguousarray(values)
    return np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))


@pytest.mark.parametrize("target", [f"{target},strict" for target in TARGETS])
@pytest.mark.parametrize("name", CASES)
def test_matmul(name: str, target: str) -> None:
    case, code = CASES[name], MemoryCode(target)
    lhs = stored(seeded(case.lhs, 1, case.element), case.lhs_order)
    rhs = stored(seeded(case.rhs, 2, case.element), case.rhs_order)
    bias = seeded(case.rhs[-1:], 3, case.element)
    extras = [seeded(s, 4 + i, case.element) for i, s in enumerate(case.extras)]
    product = np.matmul(lhs.astype(np.float64), rhs.astype(np.float64))
    product = product + bias if case.has_bias else product
    y = stored(np.zeros(product.shape, DTYPES[case.element]), case.result_order)
    result = code.buffer(y)
    read = [code.buffer(extra) for extra in extras]
    if case.in_place:
        read[0], y[:] = result, extras[0]
    right = code.buffer(rhs)
    if case.is_packed:
        panel = target_of(target).panel_widths[0]
        layout = matrix_panels(rhs.ndim, rhs.ndim - 1, panel)
        right = code.blocked(pack(layout, rhs), rhs.shape, LayoutAttr(layout))
    op = MatMulOp(
        code.buffer(lhs),
        right,
        code.buffer(bias) if case.has_bias else None,
        read,
        result=result,
        epilogue=epilogue_of(case.epilogue, extras, case.element),
    )
    code.add(op)
    assert code.run() is None
    expected = finished(case.epilogue, product, extras)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-5)


def _called(gemm: Gemm) -> Gemm:
    """Return a kernel as if a call had said what is passed."""
    data, steps = Operand(f32), Steps(0, 0, 0)
    names = ("left", "right", "result")
    passed = (*((name, data) for name in names), ("table", OFFSETS))
    row = GemmRow(steps, 0, steps, *(0,) * 6, steps, *(0,) * 9, ())
    return replace(gemm, passed=passed, like=row)


def _name_of(op: Operation | None) -> str | None:
    """Return the name of a loop, None for what is none."""
    return op.body.block.args[0].name_hint if isinstance(op, ForOp) else None


@pytest.mark.parametrize(("rows", "loops"), [(1, "p p"), (2, "p p"), (3, "k")])
def test_few_rows_fetch_by_the_page(rows: int, loops: str) -> None:
    """What streams through is asked for where pages begin, else with each k."""
    epilogue = Epilogue(ScalarProgram.identity(f32), f32)
    found = [
        _name_of(op.parent_op())
        for op in _called(Gemm(Tile(rows, 2), epilogue)).build().walk()
        if isinstance(op, PrefetchOp)
    ]
    assert [name for name in found if name] == loops.split()


@pytest.mark.parametrize(
    ("taps", "moves", "loads"), [(3, 1, 10 + 3), (3, 2, 17 + 3), (0, 1, 8 + 1)]
)
def test_pixels_of_a_line_are_loaded_once(taps: int, moves: int, loads: int) -> None:
    """Once for all places of a window, if tiles are lines, else for each place."""
    epilogue = Epilogue(ScalarProgram.identity(f32), f32)
    gemm = _called(
        Gemm(Tile(8, 1), epilogue, is_depthwise=True, taps=taps, moves=moves)
    )
    (window,) = (op for op in gemm.build().walk() if _name_of(op) == "s")
    names = [op.name for op in window.walk()]
    assert names.count("vector.load") == loads
    assert names.count("math.fma") == 8 * max(1, taps)


@pytest.mark.parametrize(
    ("shape", "columns"), [((150, 1600), 150), ((60, 2304), 96), ((2300, 130), 70)]
)
def test_bits_do_not_depend_on_who_does_which_tiles(shape: Shape, columns: int) -> None:
    """Tiles that take turns with parts of sums, and that share a cache."""
    x, w = seeded(shape, 1, "f32"), seeded((shape[1], columns), 2, "f32")
    b = glow.Builder()
    b.output("y", b.matmul(b.input("x", shape), w))
    alone, *others = (glow.compile(b.model(), threads=n)(x) for n in (1, 2, 5))
    for other in others:
        np.testing.assert_array_equal(other, alone)
    single = glow.Builder()
    single.output("y", single.matmul(single.input("x", (1, shape[1])), w))
    compiled = glow.compile(single.model(), threads=1)
    rows = np.concatenate([compiled(x[i : i + 1]) for i in (0, 59)])
    np.testing.assert_array_equal(alone[[0, 59]], rows)


@pytest.mark.parametrize("target", ["cpu:sse2", "cpu:avx2", "cpu:avx512"])
def test_a_packed_factor_without_rows(target: str) -> None:
    if not target_of(target).runs_here:
        pytest.skip(f"this machine has no {target}")
    b = glow.Builder()
    bias = np.arange(17, dtype=np.float32)
    y = b.matmul(b.input("x", (7, 0)), np.zeros((0, 17), np.float32), bias=bias)
    b.output("y", y)
    found = glow.compile(b.model(), target=target)(np.zeros((7, 0), np.float32))
    np.testing.assert_array_equal(found, np.tile(bias, (7, 1)))


@pytest.mark.parametrize(
    ("op", "one"), [(AddfOp, True), (MulfOp, True), (SubfOp, False)]
)
def test_sums_in_any_order_are_one_kernel(op: type[Operation], one: bool) -> None:
    """Layers that add what comes before and after are alike; differences are not."""

    def epilogue(swapped: bool) -> Epilogue:
        block = Block(arg_types=[f32, f32])
        operands = block.args[::-1] if swapped else block.args
        value = op.create(operands=operands, result_types=[f32])
        block.add_ops([value, YieldOp(value.results)])
        return Epilogue(ScalarProgram.of(Region(block)), f32)

    assert (epilogue(True) == epilogue(False)) is one
