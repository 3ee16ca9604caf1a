"""
Models written in Python: each op is a call, and so is a layer with its weights.

    b = glow.Builder("net")
    x = b.input("image", (1, 3, 32, 32))
    y = b.relu(b.conv(x, 16, kernel=3))
    y = b.reshape(b.global_avg_pool(y), shape=(1, 16))
    b.output("scores", b.linear(y, 10, init=glow.initializers.he(seed=1)))
    net = glow.compile(b.model())
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np

from glow.building import integers
from glow.dialects.graph.recurrent import GruOp, LstmOp, RnnOp
from glow.dialects.graph.tensors import Tensor
from glow.dialects.graph.window import Sizes, resolve_auto_pad
from glow.initializers import Fans, Initializer, glorot, he, normal, ones, zeros
from glow.model_writer import ModelWriter

Value = Tensor
"""A tensor in a model that is being written."""

_HE, _GLOROT, _ZEROS, _ONES = he(), glorot(), zeros(), ones()
_NORMAL = normal(std=0.02)


class _Weight(NamedTuple):
    """A weight of a layer; `name` where that is not the name of its slot."""

    shape: Sequence[int]
    init: Initializer
    fans: Fans | None = None
    name: str = ""


class Builder(ModelWriter):
    """
    Writes a model op by op.

    `b.relu(x)` is `b.op("graph.relu", x)`, and so for every op of the graph dialect;
    `op` also knows those of other packages. Operands come in order or by the name of
    their slot, parameters by name. A number takes the element type of the first value
    among the operands; an array is a constant. Values have the operators and indices of
    NumPy's arrays: `x * y` is `b.mul(x, y)`. Layers, such as `linear`, also make their
    weights. An op with one result returns it, others return a tuple. `name` is what
    errors and profiles call an op; names are numbered where they are taken.

    Errors: InvalidModelError for operands and parameters that an op refuses, in its
    words; ValueError for an op that does not exist, a name that is taken, a value of
    another builder, and a model without an output; TypeError for operands that are not
    tensors, and for parameters that an op lacks or that are of another type.
    """

    def _input(
        self, layer: str, given: Any, axes: str, least: int, most: int | None = None
    ) -> Tensor:
        """Return the input of a layer; ValueError if its rank is not supported."""
        if isinstance(given, int | float | complex):
            raise TypeError(f"{layer}: expected a value or an array as x, got {given}")
        tensor = self.value(f"{layer}: x", given)
        if not least <= len(tensor.shape) <= (most or len(tensor.shape)):
            raise ValueError(f"{layer}: expected x of shape {axes}, got {tensor.type}")
        return tensor

    def _layer(self, op: str, name: str, dtype: Any, **given: Any) -> Any:
        """Add an op; weights among what it is `given` have elements of type `dtype`."""
        name = self.fresh_name(name)
        for slot, each in given.items():
            if isinstance(each, _Weight):
                shape, init, fans, alias = each
                label = f"{name}.{alias or slot}"
                given[slot] = self.weight(label, shape, init, dtype=dtype, fans=fans)
        return self.op(op, **given, name=name)

    def conv(
        self,
        x: Tensor,
        channels: int,
        kernel: Sizes,
        *,
        stride: Sizes = 1,
        padding: Sizes | str = "same",
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        init: Initializer = _HE,
        bias_init: Initializer = _ZEROS,
        name: str = "conv",
    ) -> Tensor:
        """
        Add a convolution of x [N, C, ...] that gives `channels`.

        Sizes are one for all axes or one per axis. `padding` is "same" (the extents of
        x by the stride, rounded up; an odd rest comes after), "valid" (none), or how
        much at both ends of each axis.
        """
        x = self._input("conv", x, "[N, C, ...] with 1 to 3 spatial axes", 3, 5)
        integers("conv", 0, channels=channels)
        integers("conv", 1, groups=groups)
        _, depth, *extents = x.shape
        given = {"kernel": kernel, "stride": stride, "dilation": dilation}
        kernels, strides, dilations = (
            _sizes(name, each, len(extents), 1) for name, each in given.items()
        )
        size = prod(kernels)
        fans = Fans(depth // groups * size, channels // groups * size)
        return self._layer(
            "graph.conv",
            name,
            x.dtype,
            input=x,
            filter=_Weight((channels, depth // groups, *kernels), init, fans),
            bias=_Weight((channels,), bias_init) if bias else None,
            strides=strides,
            pads=_pads(padding, extents, kernels, strides, dilations),
            dilations=dilations,
            group=groups,
        )

    def linear(
        self,
        x: Tensor,
        features: int,
        *,
        bias: bool = True,
        init: Initializer = _GLOROT,
        bias_init: Initializer = _ZEROS,
        name: str = "linear",
    ) -> Tensor:
        """Add x [..., K] times weights [K, features], plus a bias."""
        x = self._input("linear", x, "[..., K]", 1)
        integers("linear", 0, features=features)
        sizes = x.shape[-1], features
        weight = _Weight(sizes, init, Fans(*sizes), "weight")
        start = _Weight((features,), bias_init) if bias else None
        return self._layer("graph.matmul", name, x.dtype, lhs=x, rhs=weight, bias=start)

    def batch_norm(
        self,
        x: Tensor,
        *,
        mean: Initializer = _ZEROS,
        variance: Initializer = _ONES,
        scale: Initializer = _ONES,
        bias: Initializer = _ZEROS,
        name: str = "batch_norm",
        **parameters: Any,
    ) -> Tensor:
        """Add a batch normalization of x [N, C, ...] by statistics that are known."""
        x = self._input("batch_norm", x, "[N, C, ...]", 2)
        inits = {"mean": mean, "variance": variance, "scale": scale, "bias": bias}
        given = {slot: _Weight(x.shape[1:2], init) for slot, init in inits.items()}
        parameters |= {"input": x, **given}
        return self._layer("graph.batch_norm", name, x.dtype, **parameters)

    def layer_norm(
        self,
        x: Tensor,
        *,
        axis: int = -1,
        scale: Initializer = _ONES,
        bias: Initializer = _ZEROS,
        name: str = "layer_norm",
        **parameters: Any,
    ) -> Any:
        """Add a layer normalization of x over its axes from `axis` on."""
        x = self._input("layer_norm", x, "[..., K]", 1)
        rank = len(x.shape)
        integers("layer_norm", -rank, axis=axis)
        shape = x.shape[axis:]
        parts = {"scale": _Weight(shape, scale), "bias": _Weight(shape, bias)}
        parameters |= {"input": x, **parts, "axis": axis}
        return self._layer("graph.layer_norm", name, x.dtype, **parameters)

    def embedding(
        self,
        indices: Tensor,
        count: int,
        width: int,
        *,
        dtype: Any = "float32",
        init: Initializer = _NORMAL,
        name: str = "embedding",
        **parameters: Any,
    ) -> Tensor:
        """Add the rows of a table [count, width] that `indices` name."""
        integers("embedding", 0, count=count, width=width)
        table = _Weight((count, width), init, Fans(1, width))
        parameters |= {"table": table, "indices": indices}
        return self._layer("graph.embedding", name, dtype, **parameters)

    def lstm(self, x: Tensor, units: int, **parameters: Any) -> Any:
        """Add a long short-term memory; see `recurrent`."""
        return self.recurrent(LstmOp, x, units, **parameters)

    def gru(self, x: Tensor, units: int, **parameters: Any) -> Any:
        """Add a gated recurrent unit; see `recurrent`."""
        return self.recurrent(GruOp, x, units, **parameters)

    def rnn(self, x: Tensor, units: int, **parameters: Any) -> Any:
        """Add a plain recurrent network; see `recurrent`."""
        return self.recurrent(RnnOp, x, units, **parameters)

    def recurrent(
        self,
        kind: type[LstmOp | GruOp | RnnOp],
        x: Tensor,
        units: int,
        *,
        bias: bool = True,
        init: Initializer = _GLOROT,
        bias_init: Initializer = _ZEROS,
        name: str | None = None,
        **parameters: Any,
    ) -> Any:
        """
        Add a recurrent op over x [T, B, I] with `units` in its state.

        Its results are those of the op that `parameters` do not turn off, such as
        `with_y=False`.
        """
        layer = kind.name.removeprefix("graph.")
        x = self._input(layer, x, "[T, B, I]", 3, 3)
        integers(layer, 0, units=units)
        directions = 2 if parameters.get("direction") == "bidirectional" else 1
        rows, depth = kind.GATES * units, x.shape[-1]
        sides = {
            slot: _Weight((directions, rows, columns), init, Fans(columns, units))
            for slot, columns in (("weights", depth), ("recurrence", units))
        }
        start = _Weight((directions, 2 * rows), bias_init) if bias else None
        parameters |= {"input": x, **sides, "bias": start}
        return self._layer(kind.name, name or layer, x.dtype, **parameters)


def _sizes(name: str, given: Sizes, rank: int, least: int) -> tuple[int, ...]:
    """Return one size for each of `rank` axes."""
    several = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
    sizes = tuple(cast(Sequence[int], given)) if several else (given,) * rank
    for size in sizes:
        integers("conv", least, **{name: size})
    if len(sizes) != rank:
        raise ValueError(
            f"expected one size, or one for each of {rank} axes, got {given}"
        )
    return cast(tuple[int, ...], sizes)


def _pads(
    padding: Sizes | str,
    extents: Sequence[int],
    kernels: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[int, ...]:
    """Return the padding before each axis, then the padding after each."""
    if not isinstance(padding, str):
        return _sizes("padding", padding, len(extents), 0) * 2
    if padding not in ("same", "valid"):
        raise ValueError(
            f'expected padding "same", "valid" or numbers, got {padding!r}'
        )
    rule = "SAME_UPPER" if padding == "same" else "VALID"
    return resolve_auto_pad(rule, extents, kernels, strides, dilations)
