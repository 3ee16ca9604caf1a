"""Layers: ops together with the weights that they need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, cast

from glow.building import integers
from glow.dialects.graph.recurrent import GruOp, LstmOp, RnnOp
from glow.dialects.graph.tensors import Tensor
from glow.initializers import Fans, Initializer, glorot, he, normal, ones, zeros

Sizes = int | Sequence[int]

_HE, _GLOROT, _ZEROS, _ONES = he(), glorot(), zeros(), ones()
_NORMAL = normal(std=0.02)


class Layers(ABC):
    """
    The layers of a `Builder`.

    Each makes its weights as constants called `layer.slot`, of the element type of its
    input, and starts them by an initializer; a bias that is False is absent. Other
    parameters are those of the op, by name.
    """

    @abstractmethod
    def op(self, op: str, /, *operands: Any, **parameters: Any) -> Any:
        """Add an op and return its results."""

    @abstractmethod
    def weight(
        self,
        name: str,
        shape: Sequence[int],
        init: Initializer,
        *,
        dtype: Any,
        fans: Fans | None = None,
    ) -> Tensor:
        """Add a constant that starts as `init` says."""

    @abstractmethod
    def value(self, what: str, given: Any) -> Tensor:
        """Return `given` as a value: one of this builder, or a constant of an array."""

    @abstractmethod
    def fresh_name(self, name: str) -> str:
        """Return `name`, numbered where it is taken."""

    def _input(
        self, layer: str, given: Any, axes: str, least: int, most: int | None = None
    ) -> Tensor:
        """Return what a layer is of, as a value of a rank that it can have."""
        if isinstance(given, int | float | complex):
            raise TypeError(f"{layer}: expected a value or an array as x, got {given}")
        tensor = self.value(f"{layer}: x", given)
        if not least <= len(tensor.shape) <= (most or len(tensor.shape)):
            raise ValueError(f"{layer}: expected x of shape {axes}, got {tensor.type}")
        return tensor

    def _weights(
        self, layer: str, like: Tensor, **given: tuple[Sequence[int], Initializer]
    ) -> dict[str, Tensor]:
        """Return a weight per slot, with the element type of `like`."""
        dtype = like.dtype
        return {
            slot: self.weight(f"{layer}.{slot}", shape, init, dtype=dtype)
            for slot, (shape, init) in given.items()
        }

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
        x by the stride, rounded up; what is odd comes behind), "valid" (none), or how
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
        name, size = self.fresh_name(name), prod(kernels)
        fans = Fans(depth // groups * size, channels // groups * size)
        dtype, shape = x.dtype, (channels, depth // groups, *kernels)
        filters = self.weight(f"{name}.filter", shape, init, dtype=dtype, fans=fans)
        biases = {"bias": ((channels,), bias_init)} if bias else {}
        return self.op(
            "graph.conv",
            x,
            filters,
            **self._weights(name, x, **biases),
            strides=strides,
            pads=_pads(padding, extents, kernels, strides, dilations),
            dilations=dilations,
            group=groups,
            name=name,
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
        name, depth = self.fresh_name(name), x.shape[-1]
        weights = self.weight(
            f"{name}.weight",
            (depth, features),
            init,
            dtype=x.dtype,
            fans=Fans(depth, features),
        )
        biases = {"bias": ((features,), bias_init)} if bias else {}
        given = self._weights(name, x, **biases)
        return self.op("graph.matmul", x, weights, **given, name=name)

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
        name, shape = self.fresh_name(name), x.shape[1:2]
        inits = {"mean": mean, "variance": variance, "scale": scale, "bias": bias}
        given = {slot: (shape, init) for slot, init in inits.items()}
        weights = self._weights(name, x, **given)
        return self.op("graph.batch_norm", x, **weights, **parameters, name=name)

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
        name, shape = self.fresh_name(name), x.shape[axis:]
        weights = self._weights(name, x, scale=(shape, scale), bias=(shape, bias))
        parameters["axis"] = axis
        return self.op("graph.layer_norm", x, **weights, **parameters, name=name)

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
        name = self.fresh_name(name)
        fans = Fans(1, width)
        table = self.weight(
            f"{name}.table", (count, width), init, dtype=dtype, fans=fans
        )
        return self.op("graph.embedding", table, indices, **parameters, name=name)

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
        label = self.fresh_name(name or layer)
        directions = 2 if parameters.get("direction") == "bidirectional" else 1
        rows, depth = kind.GATES * units, x.shape[-1]
        sides = {
            slot: self.weight(
                f"{label}.{slot}",
                (directions, rows, columns),
                init,
                dtype=x.dtype,
                fans=Fans(columns, units),
            )
            for slot, columns in (("weights", depth), ("recurrence", units))
        }
        biases = {"bias": ((directions, 2 * rows), bias_init)} if bias else {}
        sides |= self._weights(label, x, **biases)
        return self.op(kind.name, x, **sides, **parameters, name=label)


def _sizes(name: str, given: Sizes, rank: int, least: int) -> tuple[int, ...]:
    """Return one size for each of `rank` axes."""
    several = isinstance(given, list | tuple)
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
    """Return how much is before each axis, and then how much is behind each."""
    if not isinstance(padding, str):
        return _sizes("padding", padding, len(extents), 0) * 2
    if padding not in ("same", "valid"):
        raise ValueError(
            f'expected padding "same", "valid" or numbers, got {padding!r}'
        )
    if padding == "valid":
        return (0,) * (2 * len(extents))
    each = zip(extents, kernels, strides, dilations, strict=True)
    total = [
        max((-(-extent // stride) - 1) * stride + (size - 1) * step + 1 - extent, 0)
        for extent, size, stride, step in each
    ]
    return (*(t // 2 for t in total), *(t - t // 2 for t in total))
