"""Nodes that move elements and leave them as they are, on every element type."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from random_models.network import BOOL, I64, Network, Shape, Value


def _axis_of(net: Network, least: int = 1) -> tuple[Value, int] | None:
    """Return a value and one of its axes that has at least so many elements."""
    x = net.pick(lambda v: max(v.shape, default=0) >= least)
    if x is None:
        return None
    return x, net.choose([i for i, e in enumerate(x.shape) if e >= least])


def _with(shape: Shape, axis: int, extent: int) -> Shape:
    return (*shape[:axis], extent, *shape[axis + 1 :])


def concat(net: Network) -> None:
    found = _axis_of(net)
    if found is None:
        return
    x, axis = found
    others = [
        v
        for v in net.values.values()
        if v.dtype == x.dtype
        and v.rank == x.rank
        and _with(v.shape, axis, 0) == _with(x.shape, axis, 0)
    ]
    chosen = net.draw(st.lists(st.sampled_from(others), min_size=1, max_size=3))
    total = sum(v.shape[axis] for v in chosen)
    if total > 40:
        return
    net.emit(
        "Concat",
        [v.name for v in chosen],
        _with(x.shape, axis, total),
        dtype=x.dtype,
        exact=all(v.exact for v in chosen),
        axis=axis - x.rank * net.flip(),
    )


def split(net: Network) -> None:
    found = _axis_of(net, 2)
    if found is None:
        return
    x, axis = found
    first = net.integer(0, x.shape[axis])
    sizes = (first, x.shape[axis] - first)
    shapes = [_with(x.shape, axis, size) for size in sizes if size]
    inputs = [x.name, net.ints(*(size for size in sizes if size))]
    net.emit("Split", inputs, *shapes, dtype=x.dtype, exact=x.exact, axis=axis)


def transpose(net: Network) -> None:
    x = net.pick(lambda v: v.rank > 1)
    if x is None:
        return
    order = net.draw(st.permutations(range(x.rank)))
    shape = tuple(x.shape[i] for i in order)
    net.like("Transpose", x, shape=shape, perm=list(order))


def reshape(net: Network) -> None:
    """Merge two axes, take one apart, or flatten."""
    x = net.pick(lambda v: v.rank > 1)
    if x is None:
        return
    at = net.integer(0, x.rank - 2)
    shape = (*x.shape[:at], x.shape[at] * x.shape[at + 1], *x.shape[at + 2 :])
    if x.rank < 5 and net.flip():
        factor = net.choose([f for f in (1, 2, 3, x.shape[at]) if x.shape[at] % f == 0])
        parts = (factor, x.shape[at] // factor)
        shape = (*x.shape[:at], *parts, *x.shape[at + 1 :])
    wanted = list(shape)
    if net.flip():
        wanted[net.integer(0, len(wanted) - 1)] = -1
    net.like("Reshape", x, net.ints(*wanted), shape=shape)


def squeeze(net: Network) -> None:
    x = net.pick(lambda v: 1 in v.shape)
    if x is None:
        return
    axis = net.choose([i for i, e in enumerate(x.shape) if e == 1])
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    net.like("Squeeze", x, net.ints(axis), shape=shape)


def unsqueeze(net: Network) -> None:
    x = net.pick(lambda v: v.rank < 4)
    if x is None:
        return
    axis = net.integer(0, x.rank)
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    net.like("Unsqueeze", x, net.ints(axis), shape=shape)


def slice_(net: Network) -> None:
    found = _axis_of(net, 2)
    if found is None:
        return
    x, axis = found
    extent = x.shape[axis]
    step = net.choose([1, 1, 2, -1, -1, -2])
    start = net.integer(0, extent - 1)
    stop = -(2**31) if step < 0 else extent
    size = len(range(extent)[start : None if step < 0 else stop : step])
    limits = [net.ints(value) for value in (start, stop, axis, step)]
    net.like("Slice", x, *limits, shape=_with(x.shape, axis, size))


def pad(net: Network) -> None:
    x = net.pick(lambda v: v.rank > 0 and v.dtype != BOOL)
    if x is None:
        return
    mode = net.choose(["constant", "constant", "reflect", "edge"])
    pads = [0] * (2 * x.rank)
    for axis, extent in enumerate(x.shape):
        most = min(2, extent - 1) if mode == "reflect" else 2
        if net.flip():
            pads[axis], pads[x.rank + axis] = net.integer(0, most), net.integer(0, most)
            if mode == "constant" and extent > 1 and net.flip():
                pads[axis] = -1
    shape = tuple(e + pads[i] + pads[x.rank + i] for i, e in enumerate(x.shape))
    others = [net.ints(*pads)]
    if mode == "constant" and net.flip():
        others.append(net.constant(np.asarray(3, x.dtype)))
    net.like("Pad", x, *others, shape=shape, mode=mode)


def expand(net: Network) -> None:
    x = net.pick(lambda v: v.rank < 4)
    if x is None:
        return
    tail = [net.integer(1, 3) if extent == 1 else extent for extent in x.shape]
    shape = (*([net.integer(1, 3)] * net.flip()), *tail)
    net.like("Expand", x, net.ints(*shape), shape=shape)


def tile(net: Network) -> None:
    x = net.pick(lambda v: v.rank > 0)
    if x is None:
        return
    repeats = [net.choose([1, 1, 2, 3]) for _ in x.shape]
    shape = tuple(e * r for e, r in zip(x.shape, repeats, strict=True))
    net.like("Tile", x, net.ints(*repeats), shape=shape)


def gather(net: Network) -> None:
    found = _axis_of(net)
    if found is None:
        return
    x, axis = found
    extent = x.shape[axis]
    shape = net.choose([(), (2,), (3,), (2, 2)])
    low = -extent if net.flip() else 0
    indices = net.constant(np.asarray(net.rng.integers(low, extent, shape), I64))
    if net.flip() and (computed := _computed(net, extent)):
        indices, shape = computed.name, computed.shape
    new = (*x.shape[:axis], *shape, *x.shape[axis + 1 :])
    if len(new) < 6:
        net.like("Gather", x, indices, shape=new, axis=axis)


def _computed(net: Network, extent: int) -> Value | None:
    """Return a value that a run computes and that can index `extent` elements."""
    k = net.pick(lambda v: v.dtype == I64 and v.rank < 3)
    if k is None:
        return None
    return net.like("Mod", k, net.constant(np.asarray(extent, I64)))[0]
