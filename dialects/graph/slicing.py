"""Parts of tensors, and borders around them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal, cast

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.reordering import Order, Reordering, identity, picked
from glow.support.arrays import Array
from glow.support.shapes import check_rank, same_element
from glow.support.types import INDEX, element_of, normalize_axis, shape_of, tensor


class SliceOp(GraphOp, moves=True):
    """
    Every steps[i]-th element of axis i from starts[i] on, sizes[i] of them.

    Shapes: input any, result `sizes`; starts, sizes and steps have one entry per axis,
    and a step may be negative.
    Errors: another number of entries, a step of 0, an element outside the input.
    Source: ONNX Slice-13 with known bounds; `resolve_slice` gives the entries.

    ```mlir
    %y = graph.slice %x {starts = array<i64: 0, 3>, sizes = array<i64: 2, 2>,
                         steps = array<i64: 1, -2>}
        : (tensor<2x4xf32>) -> tensor<2x2xf32>
    ```
    """

    @staticmethod
    def infer(
        input: SSAValue,
        *,
        starts: Sequence[int],
        sizes: Sequence[int],
        steps: Sequence[int],
    ) -> AnyTensorType:
        shape = shape_of(input)
        if not len(starts) == len(sizes) == len(steps) == len(shape):
            raise VerifyException(
                f"expected starts, sizes and steps of {len(shape)} entries, "
                f"got {list(starts)}, {list(sizes)} and {list(steps)}"
            )
        for axis, extent in enumerate(shape):
            _check_slice(axis, extent, starts[axis], sizes[axis], steps[axis])
        return tensor(element_of(input), sizes)

    @staticmethod
    def compute(
        input: Array,
        *,
        starts: Sequence[int],
        sizes: Sequence[int],
        steps: Sequence[int],
    ) -> Array:
        index: list[slice] = []
        for start, size, step in zip(starts, sizes, steps, strict=True):
            stop = start + size * step
            index.append(slice(start, None if stop < 0 else stop, step))
        return input[tuple(index)]

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return identity(len(shape_of(self.input)))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        moved = {name: picked(v, order) for name, v in self.parameters().items()}
        return self.in_order(order, **moved)

    @staticmethod
    def gradient(b: Backward) -> Any:
        g, shape = b.g, b.input.shape
        for axis, (start, step) in enumerate(zip(b.starts, b.steps, strict=True)):
            size = g.shape[axis]
            if step < 0:
                g = g[(*(slice(None),) * axis, slice(None, None, -1))]
                start, step = start + (size - 1) * step, -step
            if size:
                g = _spread(b, g, axis, step)
            before = start if size else 0
            g = _bordered(b, g, axis, before, shape[axis] - before - g.shape[axis])
        return g


def _check_slice(axis: int, extent: int, start: int, size: int, step: int) -> None:
    if step == 0:
        raise VerifyException(f"expected a step other than 0 along axis {axis}")
    if size < 0:
        raise VerifyException(f"expected a size of at least 0, got {size}")
    last = start + (size - 1) * step if size else start - 1
    inside = 0 <= start < extent and 0 <= last < extent
    if not (inside if size else 0 <= start <= extent):
        raise VerifyException(
            f"expected elements within [0, {extent - 1}] along axis {axis}, "
            f"got {start} to {last}"
        )


def resolve_slice(
    shape: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None = None,
    steps: Sequence[int] | None = None,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """
    Return starts, sizes and steps per axis of a tensor of `shape`.

    Bounds are clamped as ONNX does it: negative ones count from the end, and `ends` is
    exclusive in the direction of the step.
    Errors: lists of other lengths, repeated axes, a step of 0.
    Source: ONNX Slice-13.
    """
    named = list(range(len(starts))) if axes is None else list(axes)
    named = [normalize_axis(axis, len(shape)) for axis in named]
    moves = [1] * len(starts) if steps is None else list(steps)
    if not len(starts) == len(ends) == len(named) == len(moves):
        raise VerifyException(
            "expected starts, ends, axes and steps of one length, got "
            f"{len(starts)}, {len(ends)}, {len(named)} and {len(moves)}"
        )
    if len(set(named)) != len(named):
        raise VerifyException(f"expected distinct axes, got {named}")
    slices = [range(extent) for extent in shape]
    for start, end, axis, step in zip(starts, ends, named, moves, strict=True):
        if step == 0:
            raise VerifyException(f"expected a step other than 0 along axis {axis}")
        # ONNX moves a start before the first element there, Python does not.
        first = max(int(start), -shape[axis])
        slices[axis] = slices[axis][first : int(end) : int(step)]
    return (
        tuple(max(each.start, 0) for each in slices),
        tuple(map(len, slices)),
        tuple(each.step for each in slices),
    )


def _bordered(b: Backward, g: Any, axis: int, before: int, after: int) -> Any:
    """Return `g` with zeros before and after its elements along an axis."""
    if not before and not after:
        return g
    pads = [0] * (2 * g.ndim)
    pads[axis], pads[axis + g.ndim] = before, after
    return b.emit(PadOp, g, pads=pads)


def _spread(b: Backward, g: Any, axis: int, step: int) -> Any:
    """Return `g` with zeros between its elements along an axis, `step` - 1 of them."""
    if step == 1:
        return g
    before, size, after = g.shape[:axis], g.shape[axis], g.shape[axis + 1 :]
    lines = g.reshape(*before, size, 1, *after)
    wide = _bordered(b, lines, axis + 1, 0, step - 1)
    return _bordered(b, wide.reshape(*before, size * step, *after), axis, 0, 1 - step)


def _like(b: Backward, g: Any, axis: int, extent: int) -> Any:
    """Return zeros like `g` with another extent along an axis."""
    shape = (*g.shape[:axis], extent, *g.shape[axis + 1 :])
    return b.xp.broadcast_to(b.writer.like(0, g), shape)


def _folded(b: Backward) -> Any:
    """Add the gradient of a border to the elements it repeats, axis by axis."""
    g, rank = b.g, b.g.ndim
    for axis, extent in enumerate(b.input.shape):
        before, after = b.pads[axis], b.pads[axis + rank]
        if before or after:
            pads = [before, after]
            places = PadOp.compute(np.arange(int(extent)), pads=pads, mode=b.mode)
            g = b.xp.index_add(_like(b, g, axis, extent), places, g, axis)
    return g


class PadOp(GraphOp, moves=True):
    """
    The input with a border: of `value`, or zero, or of its own elements.

    Negative pads crop; they act before the others. Modes: `constant`; `edge` repeats
    the outermost element; `reflect` mirrors without repeating it; `wrap` goes on at
    the other end.
    Shapes: input any, value a scalar or [1], result extents input + begin + end where
    pads = (begins..., ends...).
    Errors: another number of pads, an unknown mode, a value beside another mode than
    constant, a crop beyond the extent, reflecting pads as wide as the extent.
    Source: ONNX Pad-24 with known pads.

    ```mlir
    %y = graph.pad %x {pads = array<i64: 0, 1, 0, 1>}
        : (tensor<2x4xf32>) -> tensor<2x6xf32>
    ```
    """

    @staticmethod
    def neutrals() -> Neutrals:
        return {"value": Neutral(0, lambda op: () if op.mode == "constant" else None)}

    @staticmethod
    def infer(
        input: SSAValue,
        value: SSAValue | None = None,
        *,
        pads: Sequence[int],
        mode: str,
    ) -> AnyTensorType:
        shape, rank = shape_of(input), len(shape_of(input))
        if value is not None and mode != "constant":
            raise VerifyException(f"expected no value in mode {mode}")
        if value is not None and shape_of(value) not in ((), (1,)):
            raise VerifyException(f"expected a value of one element, got {value.type}")
        if len(pads) != 2 * rank:
            raise VerifyException(
                f"expected pads of {2 * rank} entries, got {list(pads)}"
            )
        for axis, extent in enumerate(shape):
            _check_pads(mode, axis, extent, pads[axis], pads[axis + rank])
        sums = zip(shape, pads[:rank], pads[rank:], strict=True)
        return tensor(same_element(input, value), [sum(parts) for parts in sums])

    @staticmethod
    def compute(
        input: Array,
        value: Array | None = None,
        *,
        pads: Sequence[int],
        mode: Literal["constant", "reflect", "edge", "wrap"] = "constant",
    ) -> Array:
        sides = list(zip(pads[: input.ndim], pads[input.ndim :], strict=True))
        kept = input[
            tuple(
                slice(max(-begin, 0), extent - max(-end, 0))
                for (begin, end), extent in zip(sides, input.shape, strict=True)
            )
        ]
        widths = [(max(begin, 0), max(end, 0)) for begin, end in sides]
        if not widths:
            return kept
        if mode != "constant":
            return np.pad(kept, widths, mode=cast(Any, mode))
        fill = 0 if value is None else value.reshape(())
        return np.pad(kept, widths, constant_values=fill)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...] | None:
        return identity(len(shape_of(self.input))) if operand == 0 else None

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        if operand != 0:
            return None
        rank, pads = len(order), self.pads
        moved = (*picked(pads[:rank], order), *picked(pads[rank:], order))
        return self.in_order(order, pads=moved)

    @staticmethod
    def gradient(b: Backward) -> Any:
        if b.mode != "constant":
            return _folded(b)
        pads = [-pad for pad in b.pads]
        own = b.emit(PadOp, b.g, pads=pads)
        if b.value is None:
            return own
        border = b.emit(PadOp, b.zeros(b.input), b.writer.like(1, b.g), pads=b.pads)
        return own, b.xp.sum(b.g * border).reshape(*b.value.shape)


def _check_pads(mode: str, axis: int, extent: int, begin: int, end: int) -> None:
    kept = extent + min(begin, 0) + min(end, 0)
    if kept < 0:
        raise VerifyException(
            f"expected a crop of at most {extent} along axis {axis}, "
            f"got {-begin} and {-end}"
        )
    widest = max(begin, end, 0)
    if mode == "reflect" and widest >= max(kept, 1):
        raise VerifyException(
            f"expected reflecting pads below {kept} along axis {axis}, got {widest}"
        )
    if mode != "constant" and widest and not kept:
        raise VerifyException(f"nothing to repeat along axis {axis}")


class TriluOp(GraphOp, moves=True):
    """
    The part of each matrix on and above a diagonal (upper) or on and below it, else 0.

    The diagonal is the `k`-th above the main one; an absent k is 0.

    Shapes: input [..., N, M] of any type, k one element of i32 or i64, result as input.
    Errors: a rank below 2, a k of several elements or of another type.
    Source: ONNX Trilu-14.

    ```mlir
    %y = graph.trilu %x diagonal %k {upper}
        : (tensor<2x3x3xf32>, tensor<i64>) -> tensor<2x3x3xf32>
    ```
    """

    assembly_format = (
        "$input (`diagonal` $k^)? attr-dict `:` functional-type(operands, results)"
    )

    @staticmethod
    def neutrals() -> Neutrals:
        return {"k": Neutral(0, lambda op: (), element=i64)}

    @staticmethod
    def infer(input: SSAValue, k: SSAValue | None = None) -> AnyTensorType:
        shape = check_rank("an input", input, 2)
        if k is not None:
            INDEX.check(k)
            if prod(shape_of(k)) != 1:
                raise VerifyException(f"expected a k of one element, got {k.type}")
        return tensor(element_of(input), shape)

    @staticmethod
    def compute(input: Array, k: Array | None = None, *, upper: bool = False) -> Array:
        rows, columns = input.shape[-2:]
        diagonal = 0 if k is None else int(k.reshape(-1)[0])
        diagonal = min(max(diagonal, -rows), columns)
        keep = np.triu if upper else np.tril
        kept = keep(np.ones((rows, columns), np.bool_), diagonal)
        return np.where(kept, input, np.zeros((), input.dtype))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.input))
        return identity(rank) if operand == 0 else (None,) * rank

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """Rows and columns stay where they are."""
        rank = len(shape_of(self.input))
        whole = order if operand == 0 else identity(rank)
        return self.in_order(whole, (rank - 2, rank - 1))

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.emit(TriluOp, b.g, b.k, upper=b.upper)
