"""Names of classes: what labels and columns of scores of a model stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto

from glow.support.class_names import text_of_classes
from glow.support.errors import InvalidModelError

_LISTS = ("classlabels_strings", "classlabels_int64s", "classlabels_ints")
_ML = "ai.onnx.ml"


def label_tables(graph: GraphProto) -> dict[str, TensorProto]:
    """Return the initializers of strings from which nodes only take labels."""
    found = {each.name: each for each in graph.initializer if each.string_data}
    for node in graph.node:
        is_taken = node.op_type == "ArrayFeatureExtractor" and node.domain == _ML
        for name in node.input[is_taken:]:
            found.pop(name, None)
    return found


def label_numbers(table: TensorProto) -> Callable[[], NDArray[np.int64]]:
    """Return a function that numbers the labels of a table, in its shape."""
    return lambda: np.arange(len(table.string_data)).reshape(tuple(table.dims))


def class_meanings(graph: GraphProto) -> dict[str, tuple[str, ...]]:
    """
    Return the meanings of axes of outputs whose class names are known.

    String labels become numbers of classes here. The class names are stored as the
    meaning of the axis, as are those of the columns of a ZipMap.
    Errors: an InvalidModelError for labels of several lists of names.
    """
    found = dict[str, tuple[str, ...]]()
    lists = [_decoded(each.string_data) for each in label_tables(graph).values()]
    for node in graph.node:
        names = _names_of(node)
        if node.op_type == "ZipMap" and node.domain == _ML:
            found[node.output[0]] = ("", text_of_classes(names))
        elif names and isinstance(names[0], str):
            lists.append([str(each) for each in names])
    labels = [
        each.name
        for each in graph.output
        if each.type.tensor_type.elem_type == TensorProto.STRING
    ]
    if not labels or not lists:
        return found
    if any(each != lists[0] for each in lists):
        raise InvalidModelError(
            "labels are strings of several lists, expected those of one"
        )
    return found | dict.fromkeys(labels, (text_of_classes(lists[0]),))


def _names_of(node: NodeProto) -> Sequence[str | int]:
    """Return the classes that a classifier or ZipMap has, empty for other nodes."""
    if node.domain != _ML:
        return ()
    for attribute in node.attribute:
        if attribute.name in _LISTS and (attribute.strings or attribute.ints):
            return _decoded(attribute.strings) or list(attribute.ints)
    return ()


def _decoded(names: Sequence[bytes]) -> list[str]:
    return [each.decode(errors="replace") for each in names]
