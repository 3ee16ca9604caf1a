"""The declared inputs and outputs of a model, with symbolic dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from onnx import TensorProto, ValueInfoProto, shape_inference

from glow.formats.onnx.class_names import class_meanings
from glow.formats.onnx.operators import check_operators
from glow.formats.onnx.problems import Problems, Unsupported, printable_errors
from glow.formats.onnx.records import text_of
from glow.formats.onnx.signature import (
    Dimensions,
    axes_of,
    declared_tensor,
    extents_of,
    given_values,
)
from glow.formats.onnx.source import OnnxSource
from glow.formats.onnx.tensors import DTYPES
from glow.support.arrays import Extents

Declared = tuple[str, Extents | None, np.dtype[Any] | None, tuple[str, ...]]
"""
The name of an input or output, its shape, element type and meanings of axes.

Extents are numbers, or names without a number yet; an output may lack shape and type.
"""


@printable_errors()
def declaration_of(
    source: OnnxSource, dims: Mapping[str, int], constants: Mapping[str, object]
) -> tuple[list[Declared], list[Declared], Mapping[str, int]]:
    """
    Return inputs, outputs and known dimensions once some of these are given.

    Errors: InvalidModelError for an input without type or shape;
    UnsupportedModelError with all inputs that are not tensors of a supported type, and
    all operators that the importer lacks; BindingError for `constants` that do not fit.
    """
    known, free = _known(source, dims, constants)
    problems = Problems()
    inputs = [_input(info, known, problems) for info in free]
    check_operators(source.proto.graph, source.proto, problems)
    problems.raise_if_any([])
    meanings = class_meanings(source.proto.graph)
    outputs = [_output(info, known, meanings) for info in _typed_outputs(source)]
    known.check_all_used()
    return [each for each in inputs if each], outputs, known.given


@printable_errors()
def open_dimensions(
    source: OnnxSource, dims: Mapping[str, int], constants: Mapping[str, object]
) -> tuple[str, ...]:
    """Return the symbolic dimensions that are neither given nor follow from others."""
    return _known(source, dims, constants)[0].open


def _known(
    source: OnnxSource, dims: Mapping[str, int], constants: Mapping[str, object]
) -> tuple[Dimensions, list[ValueInfoProto]]:
    """Return the known dimensions and the inputs that a caller passes."""
    graph = source.proto.graph
    weights = {tensor.name for tensor in graph.initializer}
    weights |= {tensor.values.name for tensor in graph.sparse_initializer}
    free = [i for i in graph.input if i.name not in weights or i.name in constants]
    known = Dimensions(dims, free)
    given_values(graph.input, constants, known)
    return known, [info for info in free if info.name not in constants]


def _input(
    info: ValueInfoProto, dims: Dimensions, problems: Problems
) -> Declared | None:
    owner = f'input "{info.name}"'
    try:
        dtype, extents = declared_tensor(info, owner)
    except Unsupported as problem:
        problems.add(str(problem), owner)
        return None
    return info.name, _shape(extents, dims, owner), dtype, axes_of(info)


def _output(
    info: ValueInfoProto, dims: Dimensions, meanings: Mapping[str, tuple[str, ...]]
) -> Declared:
    dtype, extents = DTYPES.get(info.type.tensor_type.elem_type), extents_of(info)
    if info.type.tensor_type.elem_type == TensorProto.STRING:
        dtype = np.dtype(np.int64)  # numbers of labels that are strings
    shape = extents and _shape(extents, dims, f'output "{info.name}"')
    return info.name, shape, dtype, meanings.get(info.name) or axes_of(info)


def _shape(extents: Extents, dims: Dimensions, owner: str) -> Extents:
    shape: list[int | str] = []
    for extent in extents:
        value = dims.find(extent, owner) if isinstance(extent, str) else extent
        shape.append(extent if value is None else value)
    return tuple(shape)


def _typed_outputs(source: OnnxSource) -> Iterable[ValueInfoProto]:
    """Return the outputs, with types by ONNX's inference where they declare none."""
    outputs = source.proto.graph.output
    for output in outputs:
        text_of(output.name, "an output name")
    if all(extents_of(o) is not None and o.type.tensor_type.elem_type for o in outputs):
        return outputs
    try:
        return shape_inference.infer_shapes(source.proto).graph.output
    except (RuntimeError, ValueError, shape_inference.InferenceError):
        return outputs  # the import will say what is wrong
