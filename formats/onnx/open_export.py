"""Models with open dimensions: what models of several extents have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from glow.formats.onnx.extents import ExtentWriter, Polynomial, product_of
from glow.formats.onnx.problems import Problems
from glow.formats.onnx.records import graphs_of
from glow.support.dimensions import Dims
from glow.support.errors import GlowError, UnsupportedModelError
from glow.support.names import Names

MAX_DIMS = 4
"""How many open dimensions a model may have: each doubles the models to compare."""
MAX_COMPUTED = 64
"""How many elements of a constant may depend on dimensions."""
MAX_DIVISOR = 4096
"""The largest denominator of a coefficient of a sum of products."""

_SCALES = 1, 16
_PRIMES = 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53

Inputs = Mapping[str, Sequence[int | str]]
"""The extents of inputs, and the names of those that are open."""


def export_open_model(
    export: Callable[[Dims], ModelProto], dims: Sequence[str], inputs: Inputs
) -> ModelProto:
    """
    Return one ONNX model for all extents of `dims`, by the models for some of them.

    `export` returns the model for given extents. Models may differ in extents and
    numbers, such as shapes, that are sums of products of dimensions, or a part of
    such a sum: the model computes these from the shapes of its inputs. This is found
    from two extents of each dimension, and checked with a third. A function that does
    not take all extents must take multiples of 16.
    Errors: UnsupportedModelError with all else that differs, and for more than 4
    dimensions; those of `export`.
    """
    if len(dims) > MAX_DIMS:
        raise UnsupportedModelError(
            f"expected at most {MAX_DIMS} open dimensions to export, got "
            f"{', '.join(dims)}; specialize gives them extents"
        )
    places = {
        extent: (name, axis)
        for name, extents in reversed(list(inputs.items()))
        for axis, extent in enumerate(extents)
    }
    errors: list[GlowError] = []
    for scale in _SCALES:
        points = _points(dims, scale)
        try:
            models = [export(point) for point in points]
            return _OpenModel(models, points, inputs, places).merged()
        except GlowError as error:
            errors.append(error)
    raise next((e for e in errors if isinstance(e, UnsupportedModelError)), errors[0])


def _points(dims: Sequence[str], scale: int) -> list[Dims]:
    """Return extents to compare: two of each dimension in all ways, and a third."""
    choices = [_PRIMES[3 * i : 3 * i + 3] for i in range(len(dims))]
    corners = product(*(each[:2] for each in choices))
    chosen = [*corners, tuple(each[2] for each in choices)]
    return [dict(zip(dims, [scale * e for e in each], strict=True)) for each in chosen]


class _OpenModel:
    """Merges models for several extents into one that holds for all."""

    def __init__(
        self,
        models: Sequence[ModelProto],
        points: Sequence[Dims],
        inputs: Inputs,
        places: Mapping[int | str, tuple[str, int]],
    ):
        self._models, self._points = models, points
        self._inputs = inputs
        self._dims = tuple(points[0])
        self._problems = Problems()
        self._writer = ExtentWriter(Names(_names_in(models[0].graph)), places)
        corners = points[:-1]
        self._terms = [
            tuple(n for n, flag in zip(self._dims, flags, strict=True) if flag)
            for flags in product((False, True), repeat=len(self._dims))
        ]
        self._inverse = np.linalg.inv(
            [[product_of(t, p) for t in self._terms] for p in corners]
        )

    def merged(self) -> ModelProto:
        """Return the model; UnsupportedModelError with all that cannot be merged."""
        model = ModelProto()
        model.CopyFrom(self._models[0])
        for each in self._models[1:]:
            if list(each.functions) != list(model.functions):
                self._problems.add(
                    "other functions for other extents", model.graph.name
                )
        self._merge([each.graph for each in self._models], model.graph)
        if problems := self._problems.listed():
            raise UnsupportedModelError(
                f"the model has what ONNX cannot say with open dimensions "
                f"{', '.join(self._dims)}: {'; '.join(problems)}; specialize gives "
                "them extents"
            )
        nodes = [*self._writer.nodes, *model.graph.node]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        model.graph.initializer.extend(self._writer.constants)
        return model

    def _merge(self, graphs: Sequence[GraphProto], out: GraphProto) -> None:
        """Make `out`, a copy of the first graph, right for all extents."""
        if any(_structure_of(graph) != _structure_of(out) for graph in graphs):
            self._problems.add("other nodes for other extents", out.name)
            return
        for kind in ("input", "output", "value_info"):
            columns = zip(*(getattr(graph, kind) for graph in graphs), strict=True)
            for info, several in zip(getattr(out, kind), columns, strict=True):
                self._merge_shapes(several, info)
        computed: list[NodeProto] = []
        weights = {t.name: t for t in out.initializer}
        for several in zip(*(graph.initializer for graph in graphs), strict=True):
            name = several[0].name
            made = self._merged_tensor(several, name)
            if made is not None:
                out.initializer.remove(weights[name])
                computed.append(helper.make_node("Identity", [made], [name]))
        columns = zip(*(graph.node for graph in graphs), strict=True)
        for node, several in zip(out.node, columns, strict=True):
            self._merge_nodes(several, node)
        nodes = [*computed, *out.node]
        del out.node[:]
        out.node.extend(nodes)

    def _merge_shapes(
        self, several: Sequence[ValueInfoProto], info: ValueInfoProto
    ) -> None:
        """Name the dimensions of a tensor that differ, where they are known."""
        shapes = [[d.dim_value for d in s.type.tensor_type.shape.dim] for s in several]
        if len(set(map(len, shapes))) > 1:
            self._problems.add("another rank for other extents", info.name)
            return
        given = self._inputs.get(info.name)
        for axis, extents in enumerate(zip(*shapes, strict=True)):
            if len(set(extents)) == 1:
                continue
            found = self._fit(extents)
            dim = info.type.tensor_type.shape.dim[axis]
            dim.ClearField("dim_value")
            if given is not None:
                dim.dim_param = str(given[axis])
            elif found is not None:
                dim.dim_param = str(found)

    def _merge_nodes(self, several: Sequence[NodeProto], node: NodeProto) -> None:
        columns = zip(*(each.attribute for each in several), strict=True)
        for own, attributes in zip(list(node.attribute), columns, strict=True):
            if all(each == attributes[0] for each in attributes):
                continue
            if graphs := graphs_of(own):
                inner = zip(*map(graphs_of, attributes), strict=True)
                for body, bodies in zip(graphs, inner, strict=True):
                    self._merge(bodies, body)
            elif node.op_type == "Constant" and own.type == AttributeProto.TENSOR:
                made = self._merged_tensor([a.t for a in attributes], node.output[0])
                if made is not None:
                    node.op_type, node.input[:] = "Identity", [made]
                    del node.attribute[:]
            else:
                self._problems.add(
                    f"another {own.name} of {node.op_type} for other extents",
                    node.name or node.output[0],
                )

    def _merged_tensor(self, several: Sequence[TensorProto], name: str) -> str | None:
        """Return a value for a constant that differs; None for one that does not."""
        if all(each == several[0] for each in several):
            return None
        arrays: list[NDArray[Any]] = [numpy_helper.to_array(t) for t in several]
        first, dtype = arrays[0], several[0].data_type
        if any(each.shape != first.shape for each in arrays):
            return self._repeated(arrays, name)
        if first.ndim > 1 or first.size > MAX_COMPUTED or first.dtype.kind not in "iuf":
            self._problems.add("another constant for other extents", name)
            return None
        rows = [each.reshape(-1).tolist() for each in arrays]
        vector = self._vector(rows, name, dtype)
        if first.ndim or vector is None:
            return vector
        return self._writer.node("Squeeze", vector)

    def _repeated(self, arrays: Sequence[NDArray[Any]], name: str) -> str | None:
        """Return a value for arrays of several shapes, if one element fills all."""
        one = arrays[0].reshape(-1)[:1]
        is_filled = all(each.size and (each == one).all() for each in arrays)
        if not is_filled or len({each.ndim for each in arrays}) > 1:
            self._problems.add("a constant of another shape for other extents", name)
            return None
        shape = self._vector([each.shape for each in arrays], name)
        if shape is None:
            return None
        value = numpy_helper.from_array(np.array(one), "value")
        return self._writer.node("ConstantOfShape", shape, value=value)

    def _vector(
        self, rows: Sequence[Sequence[Any]], name: str, dtype: int = TensorProto.INT64
    ) -> str | None:
        """Return a vector that has, at each point, the numbers of its row."""
        fits = [self._fit(column) for column in zip(*rows, strict=True)]
        found = [fit for fit in fits if fit is not None]
        if len(found) < len(fits):
            what = "a constant that is not a sum of products of dimensions"
            self._problems.add(what, name)
            return None
        parts = list(map(self._writer.sum, found))
        made = (
            parts[0] if len(parts) == 1 else self._writer.node("Concat", *parts, axis=0)
        )
        divisors = [each.divisor for each in found]
        if dtype != TensorProto.INT64:
            made = self._writer.node("Cast", made, to=dtype)
        if any(divisor != 1 for divisor in divisors):
            by = self._writer.constant(divisors, dtype)
            made = self._writer.node("Div", made, by)
        return made

    def _fit(self, values: Sequence[Any]) -> Polynomial | None:
        """Return the polynomial that has these values at all points, if any."""
        found = (self._inverse @ np.array(values[:-1], float)).tolist()
        factors = [Fraction(each).limit_denominator(MAX_DIVISOR) for each in found]
        divisor = lcm(*(factor.denominator for factor in factors))
        terms = zip(self._terms, (int(f * divisor) for f in factors), strict=True)
        made = Polynomial(tuple(term for term in terms if term[1]), divisor)
        return made if [made.value(p) for p in self._points] == [*values] else None


def _structure_of(graph: GraphProto) -> list[tuple[str, ...]]:
    """Return the names in a graph, without those in bodies: what is made of what."""
    tensors = (*graph.input, *graph.output, *graph.value_info, *graph.initializer)
    nodes = [
        (n.op_type, *n.input, "", *n.output, "", *(a.name for a in n.attribute))
        for n in graph.node
    ]
    return [tuple(each.name for each in tensors), *nodes]


def _names_in(graph: GraphProto) -> Iterator[str]:
    """Yield the names of all values of a graph, and of bodies in it."""
    for each in (*graph.input, *graph.output, *graph.initializer):
        yield each.name
    for node in graph.node:
        yield from node.output
        for body in (body for a in node.attribute for body in graphs_of(a)):
            yield from _names_in(body)
