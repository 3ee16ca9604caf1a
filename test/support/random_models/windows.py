"""Convolutions, pools and what normalizes images, in one to three spatial axes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from random_models.network import F32, I64, Network, Shape, Value

Window = dict[str, Any]


def _window(
    net: Network,
    spatial: Shape,
    largest: int,
    dilated: bool = True,
    padded: bool = True,
) -> Window | None:
    """Return the attributes of a window that fits, or None."""
    n = len(spatial)
    kernel = [net.choose([1, 1, 2, 3, 3, largest]) for _ in spatial]
    dilations = [net.choose([1, 1, 1, 2]) if dilated else 1 for _ in spatial]
    strides = [net.integer(1, 2) for _ in spatial]
    pads = [net.integer(0, kernel[i % n] // 2) * padded for i in range(2 * n)]
    room = [e + pads[i] + pads[n + i] for i, e in enumerate(spatial)]
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True)]
    if any(r < s for r, s in zip(room, spans, strict=True)):
        return None
    return {
        "kernel_shape": kernel,
        "dilations": dilations,
        "strides": strides,
        "pads": pads,
    }


def _places(spatial: Shape, window: Window, ceil: bool = False) -> Shape:
    """Return how many windows there are along each axis."""
    n, found = len(spatial), []
    for i, extent in enumerate(spatial):
        span = window["dilations"][i] * (window["kernel_shape"][i] - 1) + 1
        room = extent + window["pads"][i] + window["pads"][n + i] - span
        stride = window["strides"][i]
        found.append((-(-room // stride) if ceil else room // stride) + 1)
    return tuple(found)


def _pool_window(
    net: Network, spatial: Shape, dilated: bool
) -> tuple[Window, Shape] | None:
    """Return attributes of a pool whose windows all cover something, and how many."""
    window = _window(net, spatial, 3, dilated, padded=not dilated)
    if window is None:
        return None
    places = _places(spatial, window, ceil=True)
    last = [(n - 1) * s for n, s in zip(places, window["strides"], strict=True)]
    ends = [e + pad for e, pad in zip(spatial, window["pads"], strict=False)]
    # A window that begins beyond the input is one that ONNX counts and no one computes.
    ceil = net.flip() and all(at < end for at, end in zip(last, ends, strict=True))
    return {**window, "ceil_mode": int(ceil)}, _places(spatial, window, ceil)


def conv(net: Network) -> None:
    x = net.pick(lambda v: v.is_image)
    if x is None:
        return
    n, c, *spatial = x.shape
    window = _window(net, tuple(spatial), 5)
    if window is None:
        return
    group = net.choose([g for g in (1, 1, 2, c) if c % g == 0])
    outputs = group * net.integer(1, 9)
    inputs = [x.name, net.weight(outputs, c // group, *window["kernel_shape"])]
    if net.flip():
        inputs.append(net.weight(outputs))
    out = _places(tuple(spatial), window)
    net.emit("Conv", inputs, (n, outputs, *out), group=group, **window)


def depthwise(net: Network) -> None:
    x = net.pick(lambda v: v.is_image)
    if x is None:
        return
    n, c, *spatial = x.shape
    window = _window(net, tuple(spatial), 3)
    if window is None:
        return
    inputs = [x.name, net.weight(c, 1, *window["kernel_shape"])]
    if net.flip():
        inputs.append(net.weight(c))
    out = _places(tuple(spatial), window)
    net.emit("Conv", inputs, (n, c, *out), group=c, **window)


def conv_transpose(net: Network) -> None:
    x = net.pick(lambda v: v.is_image)
    if x is None:
        return
    n, c, *spatial = x.shape
    axes = range(len(spatial))
    group = net.choose([g for g in (1, 1, 2, c) if c % g == 0])
    outputs = net.integer(1, 4)
    kernel = [net.integer(1, 3) for _ in axes]
    strides = [net.integer(1, 3) for _ in axes]
    extra = [net.integer(0, s - 1) for s in strides]
    pads = [net.integer(0, kernel[i % len(kernel)] // 2) for i in (*axes, *axes)]
    out = [
        (spatial[i] - 1) * strides[i]
        + kernel[i]
        + extra[i]
        - pads[i]
        - pads[len(spatial) + i]
        for i in axes
    ]
    if min(out) < 1:
        return
    inputs = [x.name, net.weight(c, outputs, *kernel)]
    if net.flip():
        inputs.append(net.weight(outputs * group))
    net.emit(
        "ConvTranspose",
        inputs,
        (n, outputs * group, *out),
        group=group,
        strides=strides,
        pads=pads,
        output_padding=extra,
    )


def pool(net: Network) -> None:
    x = net.pick(lambda v: v.is_image)
    if x is None:
        return
    is_max = net.flip()
    found = _pool_window(net, x.shape[2:], is_max and net.flip())
    if found is None:
        return
    window, places = found
    shape = (*x.shape[:2], *places)
    if is_max:
        net.like("MaxPool", x, shape=shape, **window)
        return
    del window["dilations"]  # known to later versions only
    include = int(net.flip())
    net.emit("AveragePool", [x.name], shape, count_include_pad=include, **window)


def pool_with_indices(net: Network) -> None:
    x = net.pick(lambda v: v.is_image and v.exact)
    if x is None:
        return
    found = _pool_window(net, x.shape[2:], net.flip())
    if found is None:
        return
    window, places = found
    shape = (*x.shape[:2], *places)
    results = net.emit("MaxPool", [x.name], shape, shape, exact=True, **window)
    for indices in results[1:]:
        net.add(replace(indices, dtype=I64))


def global_pool(net: Network) -> None:
    x = net.pick(lambda v: v.is_image)
    if x is None:
        return
    shape = (*x.shape[:2], *(1 for _ in x.shape[2:]))
    if net.flip():
        net.like("GlobalMaxPool", x, shape=shape)
    else:
        net.emit("GlobalAveragePool", [x.name], shape)


def batch_norm(net: Network) -> None:
    x = net.pick(lambda v: v.is_image)
    if x is None:
        return
    c = x.shape[1]
    variance = net.constant(np.full(c, 0.7, np.float32))
    inputs = [x.name, *(net.weight(c) for _ in range(3)), variance]
    net.emit("BatchNormalization", inputs, x.shape)


def lrn(net: Network) -> None:
    x = net.pick(lambda v: v.is_image and v.rank == 4)
    if x is None:
        return
    attributes: dict[str, Any] = {"size": net.choose([1, 3, 5])}
    if net.flip():
        attributes |= {"alpha": 0.1, "beta": 0.5, "bias": 2.0}
    net.emit("LRN", [x.name], x.shape, **attributes)


def rearrange(net: Network) -> None:
    """Space to depth, or back."""
    block = 2

    def fits(v: Value) -> bool:
        spatial = all(e % block == 0 for e in v.shape[2:])
        return v.dtype == F32 and v.rank == 4 and (spatial or v.shape[1] % 4 == 0)

    x = net.pick(fits)
    if x is None:
        return
    n, c, h, w = x.shape
    if c % (block * block) == 0:
        mode = net.choose(["DCR", "CRD"])
        shape = (n, c // 4, 2 * h, 2 * w)
        net.like("DepthToSpace", x, shape=shape, blocksize=block, mode=mode)
    else:
        shape = (n, 4 * c, h // 2, w // 2)
        net.like("SpaceToDepth", x, shape=shape, blocksize=block)
