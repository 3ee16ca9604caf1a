"""Arrays of a run that share memory: results are right, or the run is refused."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from small_onnx import model, node

import glow
from glow.support.arrays import aligned_empty, shares_bytes

Array = np.ndarray[Any, Any]
SHAPE = (6, 16)
COUNT = 6 * 16


@pytest.fixture(scope="module", params=["cpu", "reference"])
def net(request: pytest.FixtureRequest) -> glow.Executable:
    """Return y = x @ x.T @ x + s, s = y + x, where y is read again after it is done."""
    nodes = [
        node("Transpose", "x", "t"),
        node("MatMul", "x t", "m"),
        node("MatMul", "m x", "p"),
        node("Add", "p s", "y"),
        node("Add", "y x", "later"),
    ]
    source = model(nodes, {"x": SHAPE, "s": SHAPE}, ["y", "later"])
    return glow.compile(
        glow.load(source.SerializeToString()),
        target=request.param,
    )


def views() -> Iterator[tuple[str, Callable[[Array], Array]]]:
    """Yield ways to see `SHAPE` elements in 1,000, many of which share some."""
    for start in (0, 1, 16, 90, COUNT):
        yield f"from {start}", lambda a, s=start: a[s : s + COUNT].reshape(SHAPE)
    yield "reversed", lambda a: a[:COUNT][::-1].reshape(SHAPE)
    yield "every other", lambda a: a[: 2 * COUNT : 2].reshape(SHAPE)
    yield "the others", lambda a: a[1 : 2 * COUNT : 2].reshape(SHAPE)
    yield "transposed", lambda a: a[:COUNT].reshape(SHAPE[::-1]).T
    yield "backwards", lambda a: a[:COUNT].reshape(SHAPE)[::-1, ::-1]
    yield "spread", lambda a: a[: 10 * 16].reshape(10, 16)[2:8]


VIEWS = dict(views())


@pytest.mark.parametrize("output", ["y", "later"])
@pytest.mark.parametrize("input", ["x", "s"])
def test_results_may_go_where_inputs_are(
    net: glow.Executable, input: str, output: str
) -> None:
    for first, second in product(VIEWS, VIEWS):
        room = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
        other = np.ones(SHAPE, np.float32)
        given = {"x": other, "s": other, input: VIEWS[first](room)}
        expected = net.run({name: array.copy() for name, array in given.items()})
        results = net.run(given, out={output: VIEWS[second](room)})
        for name, array in expected.items():
            np.testing.assert_array_equal(results[name], array, f"{first}, {second}")


def test_bindings_refuse_what_shares_memory(net: glow.Executable) -> None:
    """Ranges of bytes decide, so what only interleaves is refused too."""
    for first, second in product(VIEWS, VIEWS):
        room = np.zeros(1000, np.float32)
        x, y = VIEWS[first](room), VIEWS[second](room)
        bound = net.bind({"x": x})
        if np.may_share_memory(x, y):
            with pytest.raises(glow.BindingError, match='"y" and "x" share memory'):
                bound["y"] = y
        else:
            bound["y"] = y


@pytest.mark.parametrize("name", ["x", "s", "y", "later"])
def test_arenas_overlap_nothing_else(net: glow.Executable, name: str) -> None:
    size = max(net.arena_bytes, 64)
    room = aligned_empty(size + 4 * COUNT)
    array = room[size // 4 * 4 - 4 :][: 4 * COUNT].view(np.float32).reshape(SHAPE)
    with pytest.raises(glow.BindingError, match=f'"{name}" and "arena" share memory'):
        net.bind({name: array}, arena=room[:size])
    bound = net.bind(arena=room[:size])
    with pytest.raises(glow.BindingError, match=f'"{name}" and "arena" share memory'):
        bound[name] = array
    bound[name] = array.copy()


REPEATED = {
    "one element": lambda a: as_strided(a, SHAPE, (0, 0)),
    "one row": lambda a: as_strided(a, SHAPE, (0, 4)),
    "a sliding window": lambda a: as_strided(a, SHAPE, (4, 4)),
    "backwards": lambda a: as_strided(a[500:], SHAPE, (-8, 4)),
    "parts of elements": lambda a: as_strided(a, SHAPE, (64, 2)),
}


@pytest.mark.parametrize("repeated", REPEATED)
def test_elements_of_results_share_no_bytes(
    net: glow.Executable, repeated: str
) -> None:
    array = REPEATED[repeated](np.zeros(1000, np.float32))
    given = {name: np.ones(SHAPE, np.float32) for name in "xs"}
    message = 'output "y": expected elements that share no bytes with each other'
    with pytest.raises(glow.BindingError, match=message):
        net.run(given, out={"y": array})
    with pytest.raises(glow.BindingError, match=message):
        net.bind({"y": array})
    net.run({"x": array, "s": array})  # inputs may


def test_strides_that_interleave_are_no_overlap() -> None:
    """Elements at 0, 2, 3 and 5: neither axis is inside the other."""
    room = np.zeros(10, np.float32)
    assert not shares_bytes(as_strided(room, (2, 2), (12, 8)))
    assert shares_bytes(as_strided(room, (2, 3), (8, 4)))
    assert not shares_bytes(room[::-1])
    assert not shares_bytes(np.zeros((0, 3))[::2])


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_constants_stay_read_only(target: str) -> None:
    source = model(
        [node("Add", "x w", "y")],
        {"x": SHAPE},
        ["y"],
        {"w": np.ones(SHAPE, np.float32)},
    )
    net = glow.compile(glow.load(source.SerializeToString()), target=target)
    assert net.constants
    for array in net.constants:
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
