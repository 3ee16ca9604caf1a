"""Convolution kernels on bytes, against sums in f64, over shapes, layouts, targets."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from glow.lowering._packing import pack_filter
from glow.support.targets import target_of

Array = NDArray[Any]
TARGETS = [t for t in ("cpu:avx512", "cpu:avx2", "cpu:sse2") if target_of(t).runs_here]


@dataclass(frozen=True)
class Case:
    """A convolution; `pads` are (begin..., end...)."""

    input: tuple[int, ...]
    outputs: int
    kernel: tuple[int, ...]
    strides: tuple[int, ...] = ()
    pads: tuple[int, ...] = ()
    dilations: tuple[int, ...] = ()
    group: int = 1
    has_bias: bool = True
    epilogue: str = ""
    extras: tuple[tuple[int, ...], ...] = ()
    halo: int = 0
    """What the input has around it beyond its pads."""
    result_halo: int = 0
    channels_before: int = 0
    """The result is a slice of a wider buffer, from this channel on."""

    def __post_init__(self) -> None:
        rank = len(self.kernel)
        for name, default in (("strides", 1), ("dilations", 1)):
            object.__setattr__(self, name, getattr(self, name) or (default,) * rank)
        object.__setattr__(self, "pads", self.pads or (0,) * (2 * rank))

    @property
    def result(self) -> tuple[int, ...]:
        rank = len(self.kernel)
        spatial = [
            (self.input[2 + i] + self.pads[i] + self.pads[rank + i] - d * (k - 1) - 1)
            // s
            + 1
            for i, (k, s, d) in enumerate(
                zip(self.kernel, self.strides, self.dilations, strict=True)
            )
        ]
        return (self.input[0], self.outputs, *spatial)


def reference(case: Case, x: Array, w: Array) -> Array:
    """The convolution in f64: a sum over places of the window."""
    rank = len(case.kernel)
    pads = zip(case.pads[:rank], case.pads[rank:], strict=True)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *pads])
    group, spatial = case.group, case.result[2:]
    found = np.zeros((x.shape[0], group, case.outputs // group, *spatial))
    weights = w.astype(np.float64).reshape(
        group, case.outputs // group, -1, *case.kernel
    )
    for place in product(*map(range, case.kernel)):
        window = padded[
            (
                ...,
                *(
                    slice(k * d, k * d + (n - 1) * s + 1, s)
                    for k, d, n, s in zip(
                        place, case.dilations, spatial, case.strides, strict=True
                    )
                ),
            )
        ]
        split = window.reshape(x.shape[0], group, -1, *spatial)
        found += np.einsum("ngi...,goi->ngo...", split, weights[(..., *place)])
    return found.reshape(case.result)


@dataclass
class Buffer:
    """Channels-last storage of a logical array, with a border, in a wider buffer."""

    store: Array
    view: Array
    type: str


def channels_last(
    shape: tuple[int, ...],
    before: tuple[int, ...],
    after: tuple[int, ...],
    channel: int = 0,
    fill: float = 0.0,
) -> Buffer:
    n, c, *spatial = shape
    sizes = [b + e + a for b, e, a in zip(before, spatial, after, strict=True)]
    store = np.full((n, *sizes, c + channel), fill, np.float32)
    inside = tuple(slice(b, b + e) for b, e in zip(before, spatial, strict=True))
    view = np.moveaxis(store[(slice(None), *inside, slice(channel, None))], -1, 1)
    strides = [s // 4 for s in view.strides]
    offset = (view.ctypes.data - store.ctypes.data) // 4
    dims = "x".join(map(str, shape))
    layout = f"strided<[{', '.join(map(str, strides))}], offset: {offset}>"
    return Buffer(store, view, f"memref<{dims}xf32, {layout}>")


def plain(array: Array) -> str:
    return f"memref<{''.join(f'{n}x' for n in array.shape)}f32>"


EPILOGUES = {
    "": ("{}", lambda v: v),
    "relu": (
        """{
        ^bb0(%v: f32):
          %c = arith.constant 0.0 : f32
          %y = arith.maximumf %v, %c : f32
          memory.yield %y : f32
        }""",
        lambda v: np.maximum(v, 0),
    ),
    "residual": (
        """{
        ^bb0(%v: f32, %r: f32):
          %s = arith.addf %v, %r : f32
          %c = arith.constant 0.0 : f32
          %y = arith.maximumf %s, %c : f32
          memory.yield %y : f32
        }""",
        lambda v, r: np.maximum(v + r, 0),
    ),
    "scale and shift": (
        """{
        ^bb0(%v: f32, %a: f32, %b: f32):
          %s = arith.mulf %v, %a : f32
          %y = arith.addf %s, %b : f32
          memory.yield %y : f32
        }""",
        lambda v, a, b: v * a + b,
    ),
    "silu": (
        """{
        ^bb0(%v: f32, %r: f32):
          %c = arith.constant 1.0 : f32
          %n = arith.negf %v : f32
          %e = math.exp %n : f32
          %d = arith.addf %e, %c : f32
          %q = arith.divf %v, %d : f32
          %y = arith.addf %q, %r : f32
          memory.yield %y : f32
        }""",
        lambda v, r: v / (1 + np.exp(-v)) + r,
    ),
}


def seeded(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def extra_of(shape: tuple[int, ...], full: tuple[int, ...], seed: int) -> Buffer:
    """Operands as large as the result are channels-last; others are row-major."""
    values = seeded(shape, seed)
    if shape != full:
        return Buffer(values, values, plain(values))
    rank = len(shape) - 2
    found = channels_last(shape, (0,) * rank, (0,) * rank)
    found.view[:] = values
    return found


def listed(values: tuple[int, ...]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


Buffers = dict[str, tuple[Array, str]]


def module_of(case: Case, buffers: Buffers, region: str, algorithm: str) -> str:
    """The convolution as a module at the memory level, one placeholder per buffer."""
    typed = {name: f"%of.{name} : {type_}" for name, (_, type_) in buffers.items()}
    extras = [name for name in buffers if name.startswith("e")]
    names = ", ".join(f"%of.{name}" for name in extras)
    types = ", ".join(buffers[name][1] for name in extras)
    clauses = [
        f"{typed['x']}, {typed['w']}",
        f"bias {typed['b']}" if "b" in buffers else "",
        f"extras {names} : {types}" if extras else "",
        f"scratch {typed['s']}" if "s" in buffers else "",
    ]
    return "\n".join(
        [
            *(
                f'memory.placeholder @{name} "{"out" if name == "y" else "in"}" : {t}'
                for name, (_, t) in buffers.items()
            ),
            "func.func @main() {",
            *(f"%of.{n} = memory.get @{n} : {t}" for n, (_, t) in buffers.items()),
            f"memory.conv ins({' '.join(clauses)}) outs({typed['y']}) {region} {{",
            f'algorithm = "{algorithm}", group = {case.group} : i64, halo,',
            f"kernel_shape = {listed(case.kernel)}, strides = {listed(case.strides)},",
            f"pads = {listed(case.pads)}, dilations = {listed(case.dilations)}}}",
            "func.return }",
        ]
    )


def check(
    run_memory: Callable[..., int],
    case: Case,
    target: str,
    algorithm: str,
    pack: Callable[[Array], Array],
    scratch: int = 0,
) -> None:
    """Run the convolution on seeded data; compare it and look for stray writes."""
    rank = len(case.kernel)
    before = tuple(p + case.halo for p in case.pads[:rank])
    after = tuple(p + case.halo for p in case.pads[rank:])
    x = channels_last(case.input, before, after)
    x.view[:] = seeded(case.input, 1)
    w = seeded((case.outputs, case.input[1] // case.group, *case.kernel), 2)
    w /= np.float32(np.sqrt(w[0].size))
    bias = seeded((case.outputs,), 3)
    border = (case.result_halo,) * rank
    y = channels_last(case.result, border, border, case.channels_before, fill=np.nan)
    extras = [extra_of(s, case.result, 4 + i) for i, s in enumerate(case.extras)]
    packed, room = pack(w), np.zeros(scratch, np.float32)
    buffers: Buffers = {"x": (x.store, x.type), "w": (packed, plain(packed))}
    buffers |= {"b": (bias, plain(bias))} if case.has_bias else {}
    buffers |= {f"e{i}": (e.store, e.type) for i, e in enumerate(extras)}
    buffers |= {"s": (room, plain(room))} if scratch else {}
    buffers["y"] = (y.store, y.type)
    region, meaning = EPILOGUES[case.epilogue]
    arrays = {name: array for name, (array, _) in buffers.items()}
    text = module_of(case, buffers, region, algorithm)
    assert run_memory(text, target, **arrays) == 0
    expected = reference(case, x.view, w)
    if case.has_bias:
        expected += bias.reshape(-1, *(1,) * rank)
    expected = meaning(expected, *(e.view.astype(np.float64) for e in extras))
    np.testing.assert_allclose(y.view, expected, rtol=1e-4, atol=1e-5)
    y.view[:] = np.nan
    assert np.isnan(y.store).all(), "wrote outside the result"


BASE = Case((1, 64, 9, 9), 64, (3, 3), pads=(1, 1, 1, 1))
DIRECT = {
    "3x3": BASE,
    "1x1": replace(BASE, kernel=(1, 1), pads=()),
    "stem": Case((1, 3, 21, 23), 40, (7, 7), strides=(2, 2), pads=(3, 3, 3, 3)),
    "one row": Case((1, 32, 1, 1), 70, (1, 1)),
    "batch": replace(BASE, input=(3, 17, 5, 7), outputs=33),
    "stride 2": replace(BASE, input=(2, 24, 11, 8), outputs=20, strides=(2, 2)),
    "dilation": replace(BASE, dilations=(2, 3), pads=(2, 3, 2, 3)),
    "asymmetric": replace(BASE, kernel=(2, 4), pads=(0, 1, 1, 2), outputs=48),
    "wide border": replace(BASE, halo=2, result_halo=3, channels_before=5),
    "groups": replace(BASE, group=4, outputs=36),
    "many groups": replace(BASE, input=(2, 48, 6, 5), group=16, outputs=32),
    "1-D": Case((2, 12, 19), 21, (5,), strides=(2,), pads=(2, 1)),
    "3-D": Case((1, 8, 5, 6, 4), 16, (3, 2, 3), pads=(1, 0, 1, 1, 1, 1)),
    "one output": replace(BASE, outputs=1),
    "no bias": replace(BASE, has_bias=False, outputs=39),
    "relu": replace(BASE, epilogue="relu"),
    "residual": replace(
        BASE, outputs=44, epilogue="residual", extras=((1, 44, 9, 9),), result_halo=1
    ),
    "per channel": replace(
        BASE, epilogue="scale and shift", extras=((64, 1, 1), (1,)), outputs=64
    ),
    "per pixel": replace(
        BASE, epilogue="scale and shift", extras=((1, 1, 9, 9), (1, 64, 1, 1)), halo=1
    ),
    "silu": replace(BASE, outputs=50, epilogue="silu", extras=((1, 50, 9, 9),)),
    "grouped residual": replace(
        BASE,
        group=2,
        outputs=24,
        epilogue="scale and shift",
        extras=((24, 1, 1), (1, 24, 9, 9)),
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", DIRECT)
def test_direct(run_memory: Callable[..., int], name: str, target: str) -> None:
    case, machine = DIRECT[name], target_of(target)
    panel = machine.panel_widths[0]
    check(
        run_memory, case, target, "direct", lambda w: pack_filter(w, case.group, panel)
    )
