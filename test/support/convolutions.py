"""Convolutions at the memory level on bytes, and what they should give, in f64."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from memory_code import MemoryCode
from products import DTYPES, Array, Shape, epilogue_of, finished, seeded
from xdsl.ir import SSAValue

from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.products import ConvOp
from glow.lowering.convolution.algorithm import Algorithm
from glow.lowering.convolution.filters import packed_filter
from glow.lowering.convolution.layouts import grouped_channels
from glow.support.layout import Layout, pack, physical_shape, unpack


@dataclass(frozen=True)
class Case:
    """A convolution; `pads` are (begin..., end...)."""

    input: Shape
    outputs: int
    kernel: Shape
    strides: Shape = ()
    pads: Shape = ()
    dilations: Shape = ()
    group: int = 1
    has_bias: bool = True
    epilogue: str = ""
    extras: tuple[Shape, ...] = ()
    halo: int = 0
    """What the input has around it beyond its pads."""
    result_halo: int = 0
    channels_before: int = 0
    """The result is a slice of a wider buffer, from this channel on."""
    element: str = "f32"
    extra_element: str = ""
    result_element: str = ""
    in_place: bool = False
    """The first extra lies where the result goes."""
    input_first: bool = False
    """Whether the input has channels first."""
    order: str = ""
    """Of the result and extras as large: channels last, `rows` (of pixels) or `turns`.

    With `rows` pixels are neighbors; with `turns` channels of groups take turns.
    """

    def __post_init__(self) -> None:
        rank = len(self.kernel)
        for name in ("strides", "dilations"):
            object.__setattr__(self, name, getattr(self, name) or (1,) * rank)
        object.__setattr__(self, "pads", self.pads or (0,) * (2 * rank))

    @property
    def rank(self) -> int:
        return len(self.kernel)

    @property
    def filter(self) -> Shape:
        return (self.outputs, self.input[1] // self.group, *self.kernel)

    @property
    def result(self) -> Shape:
        spatial: list[int] = []
        for i, (k, s, d) in enumerate(
            zip(self.kernel, self.strides, self.dilations, strict=True)
        ):
            padded = self.input[2 + i] + self.pads[i] + self.pads[self.rank + i]
            spatial.append((padded - d * (k - 1) - 1) // s + 1)
        return (self.input[0], self.outputs, *spatial)


def reference(case: Case, x: Array, w: Array) -> Array:
    """The convolution in f64: a sum over places of the window."""
    pads = zip(case.pads[: case.rank], case.pads[case.rank :], strict=True)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *pads])
    group, spatial = case.group, case.result[2:]
    found = np.zeros((x.shape[0], group, case.outputs // group, *spatial))
    weights = w.astype(np.float64).reshape(
        group, case.outputs // group, -1, *case.kernel
    )
    for place in product(*map(range, case.kernel)):
        steps = zip(place, case.dilations, spatial, case.strides, strict=True)
        window = [slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in steps]
        split = padded[(..., *window)].reshape(x.shape[0], group, -1, *spatial)
        found += np.einsum("ngi...,goi->ngo...", split, weights[(..., *place)])
    return found.reshape(case.result)


def channels_last(
    shape: Shape,
    before: Shape,
    after: Shape,
    channel: int = 0,
    fill: float = 0,
    element: str = "f32",
    *,
    first: bool = False,
) -> Array:
    """
    Return a view in logical order of a buffer with a border, channels innermost.

    With `first`, channels are where they are in the logical order.
    """
    n, c, *spatial = shape
    sizes = [b + e + a for b, e, a in zip(before, spatial, after, strict=True)]
    inside = [slice(b, b + e) for b, e in zip(before, spatial, strict=True)]
    if first:
        store = np.full((n, c + channel, *sizes), fill, DTYPES[element])
        return store[(slice(None), slice(channel, None), *inside)]
    store = np.full((n, *sizes, c + channel), fill, DTYPES[element])
    return np.moveaxis(store[(slice(None), *inside, slice(channel, None))], -1, 1)


@dataclass(frozen=True)
class Turns:
    """An array of the shape of a result whose channels of groups take turns."""

    case: Case
    halo: int
    dtype: Any

    @property
    def layout(self) -> Layout:
        columns = self.case.outputs // self.case.group
        border = [(0, 0), (0, 0), *[(self.halo, self.halo)] * self.case.rank]
        return grouped_channels(self.case.rank, columns).with_halo(border)

    @cached_property
    def stored(self) -> Array:
        shape = physical_shape(self.layout, self.case.result)
        return np.full(shape, np.nan if self.dtype.kind == "f" else 0, self.dtype)

    def set(self, values: Array) -> None:
        inside = pack(self.layout, np.ones(values.shape, np.bool_)).reshape(-1)
        self.stored.reshape(-1)[inside] = pack(self.layout, values).reshape(-1)[inside]

    def get(self) -> Array:
        return unpack(self.layout, self.stored, self.case.result)

    def buffer(self, code: MemoryCode) -> SSAValue:
        return code.blocked(self.stored, self.case.result, LayoutAttr(self.layout))


@dataclass
class Convolution:
    """The operands of a case on seeded data, and the op on them."""

    case: Case
    target: str
    algorithm: str
    pack: Callable[[Array], Array] = np.ascontiguousarray
    scratch: int = 0
    piece_ns: int = 0

    def __post_init__(self) -> None:
        case, element = self.case, self.case.element
        before, after = case.pads[: case.rank], case.pads[case.rank :]
        if self.algorithm == "generic":
            self.x = seeded(case.input, 1, element)
        else:
            wide = [tuple(p + case.halo for p in side) for side in (before, after)]
            self.x = channels_last(case.input, *wide, first=case.input_first)
            self.x[:] = seeded(case.input, 1)
        self.w = seeded(case.filter, 2, element)
        if not element.startswith("i"):
            self.w /= np.sqrt(self.w[0].size).astype(self.w.dtype)
        self.bias = seeded((case.outputs,), 3, element)
        border = (case.result_halo,) * case.rank
        out = case.result_element or element
        fill = 0 if out.startswith("i") else np.nan
        self.turns = (
            Turns(case, case.result_halo, np.dtype(DTYPES[out]))
            if case.order == "turns"
            else None
        )
        self.y = channels_last(
            case.result, border, border, case.channels_before, fill, out,
            first=case.order == "rows",
        )  # fmt: skip
        self.extras = [self._extra(shape, 4 + i) for i, shape in enumerate(case.extras)]
        if case.in_place:
            self._fill(self.extras[0])

    def _fill(self, values: Array) -> None:
        """Put `values` where the result goes."""
        if self.turns is not None:
            self.turns.set(values)
        else:
            self.y[:] = values

    def _extra(self, shape: Shape, seed: int) -> Array:
        """Operands as large as the result are channels-last; others are row-major."""
        element = self.case.extra_element or self.case.element
        values = seeded(shape, seed, element)
        if shape != self.case.result:
            return values
        none = (0,) * self.case.rank
        found = channels_last(
            shape, none, none, element=element, first=self.case.order == "rows"
        )
        found[:] = values
        return found

    def code(self) -> MemoryCode:
        """Return the program of one op on the operands."""
        case, code = self.case, MemoryCode(self.target, self.piece_ns)
        room = np.zeros(self.scratch, np.float32)
        result = code.buffer(self.y) if self.turns is None else self.turns.buffer(code)
        extras = [self._buffer(code, extra) for extra in self.extras]
        if case.in_place:
            extras[0] = result
        op = ConvOp(
            code.buffer(self.x),
            code.buffer(self.pack(self.w)),
            code.buffer(self.bias) if case.has_bias else None,
            extras,
            code.buffer(room) if self.scratch else None,
            result,
            epilogue=epilogue_of(case.epilogue, self.extras, case.element),
            kernel_shape=case.kernel,
            strides=case.strides,
            pads=case.pads,
            dilations=case.dilations,
            group=case.group,
            algorithm=self.algorithm,
            halo=self.algorithm != "generic",
        )
        code.add(op)
        return code

    def _buffer(self, code: MemoryCode, extra: Array) -> SSAValue:
        """Return the buffer of an extra; one as large as the result lies like it."""
        if self.turns is None or extra.shape != self.case.result:
            return code.buffer(extra)
        found = Turns(self.case, 0, extra.dtype)
        found.set(extra)
        return found.buffer(code)

    def expected(self) -> Array:
        found = reference(self.case, self.x, self.w)
        if self.case.has_bias:
            found += self.bias.reshape(-1, *(1,) * self.case.rank)
        return finished(self.case.epilogue, found, self.extras)

    def run(self) -> Array:
        """Return the result."""
        assert self.code().run() is None
        return self.y if self.turns is None else self.turns.get()

    def check(self, tolerance: float = 1e-5) -> None:
        """Run, compare, cut into pieces, and look for writes outside the result."""
        y = self.run()
        assert replace(self, piece_ns=10).run().tobytes() == y.tobytes()
        expected = self.expected()
        np.testing.assert_allclose(y, expected, rtol=10 * tolerance, atol=tolerance)
        if y.dtype.kind == "f":
            self._fill(np.full_like(y, np.nan))
            root = self.y if self.turns is None else self.turns.stored
            while root.base is not None:
                root = root.base
            assert np.isnan(root).all(), "wrote outside the result"


def packing(name: str, group: int = 1, panel: int = 0) -> Callable[[Array], Array]:
    """Return what packs a filter, into an array of its own, as kernels read it."""
    algorithm = Algorithm(name, panel)
    return lambda array: packed_filter(
        algorithm, array, None, array.shape, group
    ).copy()
