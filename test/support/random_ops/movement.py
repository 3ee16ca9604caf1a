"""Random calls of ops that move elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from glow.dialects.graph import indexing, joining, movement, slicing
from random_ops.call import ALL, INDICES, Array, Call, Source


def _any(s: Source, low: int = 0, high: int = 5) -> Array:
    return s.array(s.shape(low, high), s.choose(ALL))


def _transpose(s: Source) -> Call:
    x = _any(s)
    order = s.rng.permutation(x.ndim).tolist()
    return Call(movement.TransposeOp, (x,), {"permutation": order})


def _reshape(s: Source) -> Call:
    x = _any(s)
    factors = [f for n in x.shape for f in _factors(n)] + [1] * s.integer(0, 2)
    shape: list[int] = []
    while factors:
        count = s.integer(1, len(factors))
        shape.append(int(np.prod(factors[:count])))
        factors = factors[count:]
    return Call(movement.ReshapeOp, (x,), {"shape": shape})


def _factors(n: int) -> list[int]:
    if n < 2:
        return [n]
    found = [p for p in range(2, n + 1) if n % p == 0][:1]
    return found if found == [n] else [*found, *_factors(n // found[0])]


def _expand(s: Source) -> Call:
    whole = s.shape(empty=0.02)
    x = s.array(s.broadcast(whole), s.choose(ALL))
    return Call(movement.ExpandOp, (x,), {"shape": whole})


def _tile(s: Source) -> Call:
    x = _any(s, 0, 4)
    repeats = [s.choose([0, 1, 1, 2, 3]) if s.flip(0.9) else 1 for _ in x.shape]
    return Call(movement.TileOp, (x,), {"repeats": repeats})


def _space_to_depth(s: Source) -> Call:
    n, c, h, w, block = (s.integer(1, 4) for _ in range(5))
    x = s.array((n, c, h * block, w * block), s.choose(ALL))
    return Call(movement.SpaceToDepthOp, (x,), {"block_size": block})


def _depth_to_space(s: Source) -> Call:
    n, c, h, w, block = (s.integer(1, 4) for _ in range(5))
    x = s.array((n, c * block * block, h, w), s.choose(ALL))
    parameters = {"block_size": block, "mode": s.choose(["DCR", "CRD"])}
    return Call(movement.DepthToSpaceOp, (x,), parameters)


def _concat(s: Source) -> Call:
    shape, dtype = list(s.shape(1, 4)), s.choose(ALL)
    axis = s.integer(0, len(shape) - 1)
    parts: list[Array] = []
    for _ in range(s.integer(1, 4)):
        shape[axis] = s.integer(0, 5)
        parts.append(s.array(shape, dtype))
    return Call(joining.ConcatOp, (parts,), {"axis": axis - len(shape) * s.flip()})


def _split(s: Source) -> Call:
    x = _any(s, 1, 4)
    axis = s.integer(0, x.ndim - 1)
    cuts = sorted(s.integer(0, x.shape[axis]) for _ in range(s.integer(0, 2)))
    sizes = np.diff([0, *cuts, x.shape[axis]]).tolist()
    return Call(joining.SplitOp, (x,), {"axis": axis, "sizes": sizes})


def _slice(s: Source) -> Call:
    x = _any(s)
    starts, sizes, steps = [], [], []
    for extent in x.shape:
        step = s.choose([1, 1, 2, 3, -1, -2])
        start = s.integer(0, max(0, extent - 1))
        room = len(range(extent)[start::step])
        starts.append(start)
        sizes.append(room if s.flip() else s.integer(0, room))
        steps.append(step)
    parameters: dict[str, Any] = {"starts": starts, "sizes": sizes, "steps": steps}
    return Call(slicing.SliceOp, (x,), parameters)


def _pad(s: Source) -> Call:
    x = _any(s, 0, 4)
    mode = s.choose(["constant", "constant", "reflect", "edge", "wrap"])
    pads = [s.integer(-1, 4) if s.flip() else 0 for _ in (*x.shape, *x.shape)]
    value = None
    if mode == "constant" and s.flip():
        value = s.array(s.choose([(), (1,)]), x.dtype)
    return Call(slicing.PadOp, (x, value), {"pads": pads, "mode": mode})


def _gather(s: Source) -> Call:
    x = _any(s, 1, 4)
    axis = s.integer(0, x.ndim - 1)
    extent, shape = x.shape[axis], s.shape(0, 2)
    if not extent:
        shape = (0,)
    indices = s.rng.integers(-extent, max(extent, 1), shape)
    parameters = {"axis": axis - x.ndim * s.flip()}
    return Call(
        indexing.GatherOp, (x, np.asarray(indices, s.choose(INDICES))), parameters
    )


GENERATORS = {
    "graph.transpose": _transpose,
    "graph.reshape": _reshape,
    "graph.expand": _expand,
    "graph.tile": _tile,
    "graph.space_to_depth": _space_to_depth,
    "graph.depth_to_space": _depth_to_space,
    "graph.concat": _concat,
    "graph.split": _split,
    "graph.slice": _slice,
    "graph.pad": _pad,
    "graph.gather": _gather,
}
