"""Steps of ai.onnx.ml before a model: scaling, imputing, encoding, choosing columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.linear_models import ML, floats
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op

F32 = np.dtype(np.float32)


@onnx_op("Scaler", domains=ML)
def scaler(node: Node) -> Tensor:
    """(x - offset) * scale"""
    x = node.input(0).astype(F32)
    offset, scale = (_per_column(node, name, x) for name in ("offset", "scale"))
    return (x - node.literal(offset, F32)) * node.literal(scale, F32)


def _per_column(node: Node, name: str, x: Tensor) -> Sequence[float]:
    values = floats(node, name)
    if len(values) not in (1, x.shape[-1]):
        node.invalid(f"expected {name} of 1 or {x.shape[-1]}, got {len(values)}")
    return values


@onnx_op("Normalizer", domains=ML)
def normalizer(node: Node) -> Tensor:
    """Rows by their largest element, or by the norm L1 or L2; rows of 0 stay"""
    x = node.input(0).astype(F32)
    match node.choice("norm", "MAX", "L1", "L2"):
        case "MAX":
            size = xp.max(x, axis=-1, keepdims=True)
        case "L1":
            size = xp.sum(xp.abs(x), axis=-1, keepdims=True)
        case _:
            size = xp.sqrt(xp.sum(x * x, axis=-1, keepdims=True))
    return x / xp.where(xp.not_equal(size, 0), size, 1)


@onnx_op("Imputer", domains=ML)
def imputer(node: Node) -> Tensor:
    """x, with imputed values in place of the one that stands for none"""
    x = node.input(0)
    is_float = x.dtype.kind == "f"
    names = ("imputed_value_floats", "replaced_value_float")
    if not is_float:
        names = ("imputed_value_int64s", "replaced_value_int64")
    values: Any = node.value(names[0]) if node.has(names[0]) else ()
    if len(values) not in (1, x.shape[-1]):
        node.invalid(f"expected {names[0]} of 1 or {x.shape[-1]}, got {len(values)}")
    replaced = node.real(names[1]) if is_float else node.integer(names[1])
    node.ignore("imputed_value_floats", "imputed_value_int64s")
    node.ignore("replaced_value_float", "replaced_value_int64")
    is_absent = xp.isnan(x) if is_float and np.isnan(replaced) else x == replaced
    return xp.where(is_absent, node.literal(values, x.dtype), x)


@onnx_op("Binarizer", domains=ML)
def binarizer(node: Node) -> Tensor:
    """1 where x is above the threshold, else 0"""
    x, threshold = node.input(0), node.real("threshold")
    if x.dtype.kind != "f":
        threshold = np.floor(threshold)  # above which the same integers are
    return (x > node.literal(threshold, x.dtype)).astype(x.dtype)


@onnx_op("FeatureVectorizer", domains=ML)
def feature_vectorizer(node: Node) -> Tensor:
    """The first columns of all inputs, side by side"""
    given = node.given
    widths = node.integers("inputdimensions") or ()
    node.check_entries("inputdimensions", widths, len(given))
    rows = [x if x.ndim == 2 else x.reshape(1, x.size) for x in given]
    for x, width in zip(rows, widths, strict=True):
        if width > x.shape[1]:
            node.invalid(f"expected {width} columns, got {list(x.shape)}")
    parts = [x.astype(F32)[:, :width] for x, width in zip(rows, widths, strict=True)]
    return xp.concat(parts, axis=1)


@onnx_op("ArrayFeatureExtractor", domains=ML)
def array_feature_extractor(node: Node) -> Tensor:
    """Elements of the last axis by their numbers"""
    x, numbers = node.input(0), node.input(1)
    chosen = xp.take(x, numbers.reshape(numbers.size), axis=x.ndim - 1)
    return chosen if x.ndim > 1 else chosen.reshape(1, numbers.size)


@onnx_op("OneHotEncoder", domains=ML)
def one_hot_encoder(node: Node) -> Tensor:
    """1 where x is a category, else 0; the last axis has the categories"""
    if node.has("cats_strings") and node.value("cats_strings"):
        node.refuse("categories that are strings")
    categories = node.integers("cats_int64s") or ()
    if not node.flag("zeros"):
        node.refuse("zeros=0, which makes an error of other values")
    x = node.input(0)
    if x.dtype.kind == "f":
        x = x.astype(np.int64)
    wanted = node.literal(categories, x.dtype)
    return (x.reshape(*x.shape, 1) == wanted).astype(F32)


@onnx_op("LabelEncoder", since=2, domains=ML)
def label_encoder(node: Node) -> Tensor:
    """For each element that is a key the value, for others the default"""
    keys, values = _table(node, "keys"), _table(node, "values")
    if len(keys) != len(values):
        node.invalid(f"expected as many keys as values, got {len(keys)}, {len(values)}")
    x = node.input(0)
    default: Any = node.real("default_float")
    if values.dtype.kind == "i":
        default = node.integer("default_int64")
    if node.has("default_tensor"):
        default = node.tensor("default_tensor").reshape(-1)[0]
    node.ignore("default_string", "default_int64", "default_float")
    order = np.argsort(keys, kind="stable")
    places = node.literal(keys[order], x.dtype)
    # The number of keys below an element is the place of its key, if it has one.
    spread = x.reshape(*x.shape, 1)
    below = xp.sum((spread > places).astype(np.int64), axis=-1)
    last = np.append(values[order], np.asarray(default, values.dtype))
    is_key = xp.sum((spread == places).astype(np.int64), axis=-1) > 0
    if keys.dtype.kind == "f" and np.isnan(keys).any():
        node.refuse("a key that is NaN")
    number = xp.where(is_key, below, len(keys))
    return xp.take(node.literal(last), number)


def _table(node: Node, role: str) -> Any:
    for suffix, dtype in (("int64s", np.int64), ("floats", np.float32)):
        if node.has(f"{role}_{suffix}"):
            return np.array(node.value(f"{role}_{suffix}"), dtype)
    if node.has(f"{role}_tensor"):
        return node.tensor(f"{role}_tensor").reshape(-1)
    node.refuse(f"{role} that are strings")
