"""Long products are cut into pieces whose tables of offsets are shared."""

from itertools import pairwise

import numpy as np
import pytest
from convolutions import Case, Convolution, packing
from products import TARGETS

from glow.lowering.memory_to_loops import product_calls
from glow.lowering.memory_to_loops.rows import Offsets, offsets_of, spans_of
from glow.support.targets import target_of


def image(batch: int, height: int, width: int, halo: int = 1) -> list[Offsets]:
    """Return where pixels lie in an image with a border, and in one without."""
    lines = (height + 2 * halo) * (width + 2 * halo), width + 2 * halo
    shape = (batch, height, width)
    dense = offsets_of(shape, (height * width * 64, width * 64, 64))
    return [offsets_of(shape, (lines[0] * 3, lines[1] * 3, 3)), dense]


def tables(operands: list[Offsets], spans: list[tuple[int, int]]) -> int:
    """Return how many rows the pieces have that lie like no earlier one."""
    found = {
        np.concatenate([rows[a:b] - rows[a] for rows in operands]).tobytes(): b - a
        for a, b in spans
    }
    return sum(found.values())


def test_short_products_are_one_piece() -> None:
    assert spans_of(image(1, 100, 100)) == [(0, 10000)]


@pytest.mark.parametrize(
    ("shape", "pieces"),
    [
        ((1, 224, 224), 4),
        ((1, 227, 227), 4),
        ((4, 112, 112), 4),
        ((3, 150, 150), 6),
        ((1, 20000, 1), 2),
    ],
)
def test_pieces_lie_alike(shape: tuple[int, int, int], pieces: int) -> None:
    operands = image(*shape)
    spans = spans_of(operands)
    assert len(spans) == pieces
    assert spans[0][0] == 0
    assert spans[-1][1] == len(operands[0])
    assert all(a[1] == b[0] for a, b in pairwise(spans))
    assert all(last - first <= 1 << 14 for first, last in spans)
    assert tables(operands, spans) <= 2 * -(-len(operands[0]) // pieces)


def test_pieces_of_what_has_no_order_are_short() -> None:
    rows = np.random.default_rng(0).permutation(50_000).astype(np.int64)
    spans = spans_of([rows])
    assert max(last - first for first, last in spans) <= 1 << 14
    assert sum(last - first for first, last in spans) == 50_000


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("order", ["", "rows", "turns"])
@pytest.mark.parametrize("batch", [1, 2])
def test_pieces_compute_the_same(
    batch: int, order: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        product_calls, "spans_of", lambda operands: spans_of(operands, 40)
    )
    case = Case(
        (batch, 6, 13, 11),
        34,
        (3, 3),
        pads=(1, 1, 1, 1),
        group=2,
        epilogue="residual",
        extras=((batch, 34, 13, 11),),
        order=order,
        result_halo=0 if order else 1,
    )
    panel = target_of(target).panel_widths[0]
    Convolution(case, target, "direct", packing("direct", 2, panel)).check()
