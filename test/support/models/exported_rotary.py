"""Rotary embeddings in primitive operators, node by node as exporters write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto
from small_onnx import info, model, node

from models.exported_attention import (
    BATCH,
    ELEMENTS,
    HEADS,
    LENGTH,
    Exported,
    Writer,
)

WIDTH = HEADS * ELEMENTS
POSITIONS = np.array([[3, 4, 5, 6, 7], [0, 1, 0, 1, 2]])
FREQUENCIES = (1e4 ** -(np.arange(0, ELEMENTS, 2) / ELEMENTS)).astype(np.float32)


def _finish(w: Writer, value: str, **seen: Any) -> Exported:
    w.nodes.append(node("Identity", value, "y"))
    shape = (BATCH, LENGTH, WIDTH)
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    feeds: dict[str, NDArray[Any]] = {"x": x, "positions": POSITIONS}
    inputs = {
        "x": info("x", shape),
        "positions": info("positions", (BATCH, LENGTH), "i64"),
    }
    proto: ModelProto = model(w.nodes, inputs, ["y"], w.weights, 17)
    absent = {"interleaved": False, "rotary_embedding_dim": 0, "positions": False}
    return Exported(proto, feeds, absent | seen)


def _angles(w: Writer) -> str:
    """Write the angles by position, a product of rank 1, and turn them upright."""
    row = w.add("Cast", w.add("Unsqueeze", "positions", [1]), to=1)
    column = np.broadcast_to(FREQUENCIES[:, None], (BATCH, ELEMENTS // 2, 1))
    return w.add("Transpose", w.add("MatMul", np.array(column), row), perm=(0, 2, 1))


def _half(w: Writer, x: str, start: int, stop: int) -> str:
    return w.add("Slice", x, [start], [stop], [3], [1])


def _rotate_half(w: Writer, x: str, cos: str, sin: str, width: int = ELEMENTS) -> str:
    first, second = _half(w, x, 0, width // 2), _half(w, x, width // 2, 1 << 62)
    turned = w.add("Concat", w.add("Neg", second), first, axis=-1)
    return w.add("Add", w.add("Mul", x, cos), w.add("Mul", turned, sin))


def llama() -> Exported:
    """Angles are computed in the run, and joined with themselves."""
    w, angles = Writer(), ""
    angles = _angles(w)
    whole = w.add("Concat", angles, angles, axis=-1)
    cos, sin = (w.add("Mul", w.add(op, whole), 1.0) for op in ("Cos", "Sin"))
    cos, sin = (w.add("Unsqueeze", table, [1]) for table in (cos, sin))
    return _finish(w, w.joined(_rotate_half(w, w.split("x"), cos, sin)))


def _tables(width: int, twice: bool = True) -> list[NDArray[Any]]:
    angles = np.outer(np.arange(16), 1e4 ** -(np.arange(0, width, 2) / width))
    whole = np.concatenate((angles, angles), -1) if twice else angles
    return [np.cos(whole).astype(np.float32), np.sin(whole).astype(np.float32)]


def llama_with_tables() -> Exported:
    """Angles are rows of tables that were computed for all positions."""
    w = Writer()
    gathered = (w.add("Gather", table, "positions") for table in _tables(ELEMENTS))
    cos, sin = (w.add("Unsqueeze", rows, [1]) for rows in gathered)
    result = w.joined(_rotate_half(w, w.split("x"), cos, sin))
    return _finish(w, result, positions=True)


def gpt_neox() -> Exported:
    """The first half of each head is turned."""
    w, width = Writer(), ELEMENTS // 2
    x = w.split("x")
    gathered = (w.add("Gather", table, "positions") for table in _tables(width))
    cos, sin = (w.add("Unsqueeze", rows, [1]) for rows in gathered)
    turned = _rotate_half(w, _half(w, x, 0, width), cos, sin, width)
    result = w.add("Concat", turned, _half(w, x, width, 1 << 62), axis=-1)
    return _finish(w, w.joined(result), positions=True, rotary_embedding_dim=width)


def gpt_j() -> Exported:
    """Neighbors are turned, angles repeated for both; heads come after positions."""
    w, half = Writer(), ELEMENTS // 2
    x = w.add("Reshape", "x", [BATCH, LENGTH, HEADS, ELEMENTS])
    table = np.concatenate(_tables(ELEMENTS, twice=False)[::-1], -1)
    w.nodes.append(
        node("Split", w.add("Gather", table, "positions"), "sin cos", axis=-1)
    )
    repeated: list[str] = []
    for name in ("cos", "sin"):
        wide = w.add("Expand", w.add("Unsqueeze", name, [3]), [1, 1, 1, 2])
        whole = w.add("Reshape", wide, [BATCH, LENGTH, 2 * half])
        repeated.append(w.add("Unsqueeze", whole, [2]))
    even = w.add("Slice", x, [0], [1 << 62], [3], [2])
    odd = w.add("Slice", x, [1], [1 << 62], [3], [2])
    parts = (w.add("Unsqueeze", v, [-1]) for v in (w.add("Neg", odd), even))
    turned = w.add("Reshape", w.add("Concat", *parts, axis=-1), [0, 0, 0, ELEMENTS])
    straight = w.add("Mul", x, repeated[0])
    result = w.add("Add", straight, w.add("Mul", turned, repeated[1]))
    flat = w.add("Reshape", result, [0, 0, WIDTH])
    return _finish(w, flat, interleaved=True)


def complex_numbers() -> Exported:
    """Neighbors are real and imaginary parts, products of complex numbers."""
    w, half = Writer(), ELEMENTS // 2
    x = w.add("Reshape", "x", [BATCH, LENGTH, HEADS, ELEMENTS])
    pairs = w.add("Reshape", x, [BATCH, LENGTH, HEADS, half, 2])
    real, imaginary = (
        w.add("Squeeze", w.add("Slice", pairs, [i], [i + 1], [4]), [4]) for i in (0, 1)
    )
    angles = w.add("Unsqueeze", _angles(w), [2])
    cos, sin = w.add("Cos", angles), w.add("Sin", angles)
    first = w.add("Sub", w.add("Mul", real, cos), w.add("Mul", imaginary, sin))
    second = w.add("Add", w.add("Mul", real, sin), w.add("Mul", imaginary, cos))
    parts = (w.add("Unsqueeze", v, [-1]) for v in (first, second))
    joined = w.add("Reshape", w.add("Concat", *parts, axis=-1), [0, 0, 0, ELEMENTS])
    return _finish(w, w.add("Reshape", joined, [0, 0, WIDTH]), interleaved=True)


def halves_apart() -> Exported:
    """Halves are turned apart, as where a model is written for speed."""
    w = Writer()
    x = w.split("x")
    w.nodes.append(node("Split", x, "a b", axis=-1))
    angles = w.add("Unsqueeze", _angles(w), [1])
    cos, sin = w.add("Cos", angles), w.add("Sin", angles)
    first = w.add("Sub", w.add("Mul", "a", cos), w.add("Mul", "b", sin))
    second = w.add("Add", w.add("Mul", "b", cos), w.add("Mul", "a", sin))
    return _finish(w, w.joined(w.add("Concat", first, second, axis=-1)))


ROTARY: dict[str, Callable[[], Exported]] = {
    each.__name__: each
    for each in (
        llama,
        llama_with_tables,
        gpt_neox,
        gpt_j,
        complex_numbers,
        halves_apart,
    )
}
