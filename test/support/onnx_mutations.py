"""Broken ONNX models: mutations of files, of fields and of single operators."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf.message import Message
from onnx import ModelProto, numpy_helper
from small_onnx import info, model, node

from glow.formats.onnx import import_model
from glow.support.errors import GlowError


def shapes_model() -> ModelProto:
    """Return a model with attributes, lists, shape arithmetic and several outputs."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Unsqueeze", "n axes", "n1"),
        node("Concat", "n1 rest", "wanted", axis=0),
        node("Reshape", "x wanted", "flat"),
        node("Split", "flat", "a b", axis=1),
        node("Conv", "x w -", "c", pads=[1, 1, 1, 1], strides=[2, 2], group=1),
        node("MaxPool", "c", "p i", kernel_shape=[2, 2], auto_pad="SAME_UPPER"),
        node("Constant", "", "k", value_floats=[1.0, 2.0]),
        node("Slice", "p axes one", "q"),
    ]
    rng = np.random.default_rng(0)
    weights = {
        "zero": np.array(0, np.int64),
        "axes": np.array([0], np.int64),
        "one": np.array([1], np.int64),
        "rest": np.array([-1], np.int64),
        "w": rng.standard_normal((4, 3, 3, 3), np.float32),
    }
    return model(nodes, {"x": ("n", 3, 8, 8)}, ["a", "b", "q", "i", "k"], weights)


def survives(source: bytes | ModelProto, **dims: int) -> None:
    """Import `source`, which gives a valid module or one line of ours."""
    line = "fine"
    try:
        import_model(source, dims).verify()
    except GlowError as error:
        line = str(error)
    assert line.isprintable()
    assert line


EXTREMES = (0, 1, -1, 2, 3, 7, -(2**63), 2**63 - 1, 2**31, 2**40)


def mutate(message: Message, rng: random.Random) -> None:
    """Change one field somewhere below `message`: its value, or how often it stands."""
    fields = message.ListFields()
    if not fields:
        return
    field, value = rng.choice(fields)
    if field.is_repeated and len(value) == 0:
        return
    if field.is_repeated:
        _mutate_list(field, value, rng)
    elif field.message_type is not None and rng.random() < 0.9:
        mutate(value, rng)
    elif rng.random() < 0.2:
        message.ClearField(field.name)
    elif field.message_type is None:
        setattr(message, field.name, _other(value, rng))


def _mutate_list(field: Any, values: Any, rng: random.Random) -> None:
    index = rng.randrange(len(values))
    match rng.randrange(5):
        case 0:
            del values[index]
        case 1 if field.message_type is not None:
            values.append(values[index])
        case 1:
            values.append(_other(values[index], rng))
        case _ if field.message_type is not None:
            mutate(values[index], rng)
        case _:
            values[index] = _other(values[index], rng)


def _other(value: Any, rng: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return rng.choice(EXTREMES)
        case float():
            return rng.choice([0.0, -1.0, 1e30, float("nan"), float("inf")])
        case str():
            return rng.choice(["", "x", "y", "Relu", "wanted", "Reshape", "é\n"])
        case bytes():
            return value[: rng.randrange(len(value) + 1)]
        case _:
            return value


def try_mutate(source: ModelProto, rng: random.Random) -> None:
    """Mutate, unless protobuf itself refuses the value for its field."""
    try:
        mutate(source, rng)
    except (TypeError, ValueError):
        return


def _change_attribute(source: ModelProto, rng: random.Random) -> None:
    attributes = source.graph.node[0].attribute
    if not attributes:
        return
    attribute = rng.choice(list(attributes))
    match rng.randrange(4):
        case 0:
            attribute.i = rng.choice(EXTREMES)
        case 1 if attribute.ints:
            attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(EXTREMES)
        case 2:
            attribute.ints.append(rng.choice(EXTREMES))
        case _:
            attribute.s = rng.choice([b"", b"VALID", b"\xff", b"edge"])


def _change_shape(source: ModelProto, rng: random.Random) -> None:
    if not source.graph.input:
        return
    shape = rng.choice(list(source.graph.input)).type.tensor_type.shape
    if shape.dim and rng.random() < 0.5:
        rng.choice(list(shape.dim)).dim_value = rng.choice((0, 1, 2, 3, 2**31, 2**62))
    elif shape.dim and rng.random() < 0.5:
        del shape.dim[-1]
    else:
        shape.dim.add(dim_value=rng.choice((0, 1, 2, 5)))


def _change_weight(source: ModelProto, rng: random.Random) -> None:
    weights = source.graph.initializer
    if not weights:
        return
    weight = rng.choice(list(weights))
    array = numpy_helper.to_array(weight).copy()
    if array.size and array.dtype.kind == "i":
        value = np.array(rng.choice(EXTREMES)).astype(array.dtype)
        array.reshape(-1)[rng.randrange(array.size)] = value
    if rng.random() < 0.3:
        array = np.resize(array, rng.choice([(0,), (1,), (2,), (3, 2), ()]))
    weight.CopyFrom(numpy_helper.from_array(array, weight.name))


def _change_inputs(source: ModelProto, rng: random.Random) -> None:
    each = source.graph.node[0]
    match rng.randrange(3):
        case 0 if each.input:
            each.input[rng.randrange(len(each.input))] = ""
        case 1 if len(each.input) > 1:
            each.input[0], each.input[-1] = each.input[-1], each.input[0]
        case _:
            each.input.append(each.input[0] if each.input else "")


def _change_kind(source: ModelProto, rng: random.Random) -> None:
    for each in source.graph.input[:1]:
        each.CopyFrom(info(each.name, (2, 3), rng.choice(("f64", "i64", "i1"))))


CHANGES: tuple[Callable[[ModelProto, random.Random], None], ...] = (
    _change_attribute,
    _change_shape,
    _change_weight,
    _change_inputs,
    _change_kind,
)
