"""Machine code of ensembles of trees against the meaning of the graph op."""

from __future__ import annotations

import numpy as np
import pytest
from grids import slow_but
from memory_code import Array, MemoryCode

from glow.dialects.graph.tree_ensemble import TreeEnsembleOp
from glow.support.dtypes import dtype_named, widened

RNG = np.random.default_rng(0)
TREES, DEPTH, FEATURES, SHIFT = 37, 5, 7, 3


def forest(columns: int, dtype: str, links: type) -> list[Array]:
    """Return roots, links, thresholds and weights of random trees."""
    roots, table = list[int](), list[tuple[int, int, float]]()
    for _ in range(TREES):
        roots.append(len(table))
        level, following = [len(table)], list[int]()
        table.append((0, 0, np.nan))
        for step in range(DEPTH + 1):
            for place in level:
                if step == DEPTH or (step > 1 and RNG.random() < 0.2):
                    table[place] = place, 0, np.nan
                    continue
                feature, value = RNG.integers(FEATURES), RNG.standard_normal()
                table[place] = len(table), int(feature), value
                following += [len(table), len(table) + 1]
                table += [(0, 0, np.nan)] * 2
            level, following = following, []
    children, features, values = map(np.array, zip(*table, strict=True))
    weights = RNG.standard_normal((len(table), columns))
    return [
        np.array(roots, np.int32),
        (children << SHIFT | features).astype(links),
        values.astype(dtype_named(dtype)),
        weights.astype(dtype_named(dtype)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("piece_ns", [0, 10])
@pytest.mark.parametrize("target", slow_but(["cpu", "cpu:avx2", "cpu:sse2"], "cpu"))
@pytest.mark.parametrize(
    "dtype", slow_but(["float64", "float32", "bfloat16"], "float32")
)
def test_a_row_has_the_same_bits_among_any_others(
    dtype: str, target: str, piece_ns: int
) -> None:
    x = RNG.standard_normal((777, FEATURES)).astype(dtype_named(dtype))
    x[2, 3], x[3, 4] = np.nan, np.inf
    code, cases = MemoryCode(target, piece_ns), []
    for links, aggregate, columns in (
        (np.int32, "sum", 1),
        (np.int64, "sum", 3),
        (np.int32, "min", 2),
        (np.int32, "max", 1),
    ):
        tables = forest(columns, dtype, links)
        given = {"shift": SHIFT, "depth": DEPTH, "aggregate": aggregate}
        whole = [widened(each) for each in (x, *tables)]
        wanted = TreeEnsembleOp.compute(*whole, **given)
        for start, stop in ((0, 0), (2, 3), (0, 9), (100, 777)):
            out = np.zeros((stop - start, columns), x.dtype)
            code.apply(TreeEnsembleOp, [x[start:stop], *tables], [out], **given)
            cases.append((out, wanted[start:stop].astype(x.dtype)))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(widened(out), widened(want))


def test_tables_cannot_make_it_read_elsewhere() -> None:
    x = RNG.standard_normal((70, 3)).astype(np.float32)
    roots = np.array([0, -1, 2**31 - 1, 5], np.int32)
    links = np.array([-(2**31), 2**31 - 1, -1, 7, 1 << 20], np.int32)
    values = np.array([0, np.inf, -np.inf, 0.5, 0], np.float32)
    weights = np.arange(5, dtype=np.float32).reshape(5, 1)
    given = {"shift": 4, "depth": 1000}
    code, out = MemoryCode(), np.zeros((70, 1), np.float32)
    code.apply(TreeEnsembleOp, [x, roots, links, values, weights], [out], **given)
    assert code.run() is None
    wanted = TreeEnsembleOp.compute(x, roots, links, values, weights, **given)
    np.testing.assert_array_equal(out, wanted)
