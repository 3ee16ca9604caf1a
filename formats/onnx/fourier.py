"""Fourier transforms of a fixed length: products with matrices of cosines and sines."""

from __future__ import annotations

import math
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op
from glow.formats.onnx.tensors import dtype_of_onnx
from glow.support.types import normalize_axis

MAX_MATRIX = 1 << 24  # elements of a constant that is made at import


@onnx_op("DFT")
def dft_along_attribute(node: Node) -> Tensor:
    return _dft(node, node.integer("axis"))


@onnx_op("DFT", since=20)
def dft(node: Node) -> Tensor:
    axes = node.known_ints(2, "an axis") or (-2,)
    return _dft(node, axes[0])


def _dft(node: Node, axis: int) -> Tensor:
    """Real elements have a last axis of 1, complex ones of 2; sums are in f64."""
    signal = node.input(0)
    rank = signal.ndim
    axis = normalize_axis(axis, rank)
    if axis == rank - 1:
        node.invalid("expected an axis before the last, which has the parts")
    lengths = node.known_ints(1, "a length")
    inverse, onesided = node.flag("inverse"), node.flag("onesided")
    if inverse and not onesided:
        node.refuse("inverse=1 and onesided=0")
    extent = signal.shape[axis]
    default = 2 * (extent - 1) if inverse and onesided else extent
    length = lengths[0] if lengths else default
    return _transformed(node, signal, axis, length, inverse, onesided)


def _transformed(
    node: Node, signal: Tensor, axis: int, length: int, inverse: bool, onesided: bool
) -> Tensor:
    *extents, parts = signal.shape
    count = extents[axis]
    if parts not in (1, 2) or length < 1:
        node.invalid(
            f"expected 1 or 2 parts and a length of at least 1, "
            f"got {parts} and {length}"
        )
    half = length // 2 + 1
    kept = half if onesided and not inverse else length
    made = 1 if onesided and inverse else 2
    if count * parts * kept * made > MAX_MATRIX:
        node.refuse(f"a length of {length}")
    matrix = _matrix(count, length, inverse, onesided)[:, :parts, :kept, :made]
    order = [i for i in range(len(extents)) if i != axis]
    permutation = (*order, axis, len(extents))
    rows = signal.astype(np.float64).transpose(*permutation)
    flat = rows.reshape(prod(extents) // max(count, 1), count * parts)
    product = (flat @ matrix.reshape(count * parts, kept * made)).astype(signal.dtype)
    shaped = product.reshape(*(extents[i] for i in order), kept, made)
    return shaped.transpose(*(int(i) for i in np.argsort(permutation)))


def _matrix(count: int, length: int, inverse: bool, onesided: bool) -> NDArray[Any]:
    """Return [input, its part, output, its part]; what lies beyond the length is 0."""
    ones = np.eye(count, length // 2 + 1 if inverse and onesided else length)
    parts = np.stack([ones, 1j * ones], axis=1)
    transform: Any = np.fft.ifft if inverse else np.fft.fft
    made = (np.fft.irfft if inverse and onesided else transform)(parts, length)
    return np.stack([made.real, made.imag], axis=-1)


@onnx_op("STFT")
def stft(node: Node) -> Tensor:
    """A transform of each frame, times the window."""
    signal, step = node.input(0), (node.known_ints(1, "a step") or (0,))[0]
    window = node.optional(2)
    lengths = node.known_ints(3, "a length")
    length = lengths[0] if lengths else node.shape(2)[0] if window is not None else 0
    extent = signal.shape[1]
    if step < 1 or not 1 <= length <= extent:
        node.invalid(
            f"expected a step of at least 1 and frames of at most {extent}, "
            f"got {step} and {length}"
        )
    starts = np.arange(0, extent - length + 1, step)
    places = starts[:, None] + np.arange(length)
    frames = xp.take(signal, places, axis=1)
    if window is not None:
        shape = node.shape(2)
        if shape != (length,):
            node.invalid(f"expected a window of [{length}], got {list(shape)}")
        frames = frames * node.input(2).reshape(length, 1)
    onesided = node.flag("onesided") and signal.shape[-1] == 1
    return _transformed(node, frames, 2, length, False, onesided)


@onnx_op("MelWeightMatrix")
def mel_weight_matrix(node: Node) -> Tensor:
    """Triangles over the bins of a spectrum, which are alike wide in mels."""
    roles = ("a number of bins", "a length", "a rate", "an edge", "an edge")
    given = [
        node.known(index, role).reshape(-1)[0].item()
        for index, role in enumerate(roles)
    ]
    bins, length, rate = (int(each) for each in given[:3])
    dtype = dtype_of_onnx(node.integer("output_datatype"), "output_datatype")
    if min(bins, length, rate) < 1 or bins * (length // 2 + 1) > MAX_MATRIX:
        node.invalid(f"expected positive sizes, got {bins}, {length} and {rate}")
    low, high = (2595 * math.log10(1 + edge / 700) for edge in given[3:])
    mels = low + np.arange(bins + 2) * ((high - low) / (bins + 2))
    hertz = 700 * (10 ** (mels / 2595) - 1)
    edges: list[int] = ((length + 1) * hertz // rate).astype(int).tolist()
    matrix = np.zeros((length // 2 + 1, bins))
    if min(edges) < 0 or max(edges) > len(matrix):
        node.invalid(f"expected edges from 0 to half the rate of {rate}")
    for index, (left, middle, right) in enumerate(
        zip(edges, edges[1:], edges[2:], strict=False)
    ):
        up, down = np.arange(left, middle + 1), np.arange(middle, right)
        matrix[up, index] = (up - left) / (middle - left) if middle > left else 1
        matrix[down, index] = (right - down) / max(right - middle, 1)
    return node.literal(matrix.astype(dtype))
