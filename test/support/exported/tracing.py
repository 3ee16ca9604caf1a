"""What tracing by `torch.onnx.export` makes of functions of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
from models.builder import Graph
from onnx import ModelProto, TensorProto, helper

WIDTH, HEADS, HEAD, WORDS, PLACES = 16, 2, 8, 11, 1024
LOWEST = float(np.finfo(np.float32).min)
I64 = np.int64


class Traced(Graph):
    """A graph with what tracing makes of functions of PyTorch."""

    def size(self, path: str, value: str, axis: int) -> str:
        """Return `value.size(axis)`, a scalar."""
        shape = self.add("Shape", path, value)
        return self.add("Gather", path, shape, self.constant(path, axis, I64), axis=0)

    def shape(self, path: str, *extents: str | int) -> str:
        """Return extents, numbers or scalars, as one list."""
        parts: list[str] = []
        for index, extent in enumerate(extents):
            at = f"{path}/{index}"
            if isinstance(extent, int):
                parts.append(self.constant(at, [extent], I64))
            else:
                axes = self.constant(at, [0], I64)
                parts.append(self.add("Unsqueeze", at, extent, axes))
        return self.add("Concat", path, *parts, axis=0)

    def view(self, path: str, value: str, *extents: str | int) -> str:
        return self.add("Reshape", path, value, self.shape(path, *extents))

    def unsqueeze(self, path: str, value: str, *axes: int) -> str:
        for axis in axes:
            at = f"{path}/axis{axis}"
            value = self.add("Unsqueeze", at, value, self.constant(at, [axis], I64))
        return value

    def expand(self, path: str, value: str, *extents: str | int) -> str:
        """Return `value.expand(*extents)`, where -1 keeps an extent."""
        wanted = self.shape(path, *extents)
        count = self.add("Shape", f"{path}/rank", wanted)
        one = helper.make_tensor("one", TensorProto.INT64, [1], [1])
        ones = self.add("ConstantOfShape", path, count, value=one)
        minus = self.add("Mul", path, ones, self.constant(path, -1, I64))
        is_kept = self.add("Equal", path, wanted, minus)
        shape = self.add("Where", path, is_kept, ones, wanted)
        return self.add("Expand", path, value, shape)

    def arange(self, path: str, start: str, end: str) -> str:
        return self.add("Range", path, start, end, self.constant(path, 1, I64))

    def slice(self, path: str, value: str, axis: int, start: Any, end: Any) -> str:
        """Return part of `value`; bounds are numbers or scalars."""
        bounds: list[str] = []
        for name, bound in (("start", start), ("end", end)):
            at = f"{path}/{name}"
            known = isinstance(bound, int)
            bounds.append(
                self.constant(at, [bound], I64) if known else self.shape(at, bound)
            )
        axes = self.constant(f"{path}/axes", [axis], I64)
        steps = self.constant(f"{path}/steps", [1], I64)
        return self.add("Slice", path, value, *bounds, axes, steps)

    def heads(self, path: str, value: str, turned: bool = False) -> str:
        """Return [batch, length, width] as [batch, heads, length, head]."""
        batch, length = (self.size(f"{path}/{n}", value, n) for n in (0, 1))
        split = self.view(f"{path}/split", value, batch, length, HEADS, HEAD)
        order = (0, 2, 3, 1) if turned else (0, 2, 1, 3)
        return self.add("Transpose", path, split, perm=order)

    def joined(self, path: str, value: str) -> str:
        """Return [batch, heads, length, head] as [batch, length, width]."""
        value = self.add("Transpose", path, value, perm=(0, 2, 1, 3))
        batch, length = (self.size(f"{path}/{n}", value, n) for n in (0, 1))
        return self.view(f"{path}/flat", value, batch, length, HEADS * HEAD)

    def inverted(self, path: str, mask: str) -> str:
        """Return 0 where `mask` is 1, else the lowest number."""
        one = self.constant(f"{path}/one", 1.0, np.float32)
        gone = self.add("Sub", path, one, self.add("Cast", path, mask, to=1))
        low = self.constant(f"{path}/lowest", LOWEST, np.float32)
        return self.add("Mul", path, gone, low)

    def attend(self, path: str, query: str, key: str, value: str, mask: str) -> str:
        """Attend with keys that are turned, and a mask to add."""
        root = self.constant(f"{path}/root", HEAD**0.5, np.float32)
        scores = self.add("MatMul", f"{path}/qk", query, key)
        scaled = self.add("Div", path, scores, root)
        weights = self.add("Softmax", path, self.add("Add", path, scaled, mask), axis=3)
        return self.joined(path, self.add("MatMul", f"{path}/pv", weights, value))

    def words(self, ids: str) -> str:
        table = self.normal("words.weight", WORDS, WIDTH, std=1)
        return self.add("Gather", "/words", table, ids, axis=0)


def model(
    graph: Graph,
    name: str,
    inputs: dict[str, tuple[Any, ...]],
    outputs: dict[str, tuple[str, tuple[Any, ...]]],
) -> ModelProto:
    """Return the model; `outputs` says which value each is. Ids and masks are i64."""
    for output, (value, _) in outputs.items():
        graph.nodes.append(helper.make_node("Identity", [value], [output], output))
    below = {n: 2 if "mask" in n else WORDS for n in inputs if "past" not in n}
    shapes = {output: shape for output, (_, shape) in outputs.items()}
    return graph.model(name, shapes, inputs, below=below)
