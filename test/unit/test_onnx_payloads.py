"""Weights apart from their model: nothing is lost, moved or copied."""

import random

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from onnx import ModelProto, TensorProto, helper, numpy_helper

import glow
from glow.dialects.graph.storage import ConstantOp
from glow.formats.onnx.source import SMALL_BYTES, Split
from glow.formats.onnx.source import split as split_view

LARGE = np.arange(SMALL_BYTES, dtype=np.float32)
SMALL = np.arange(3, dtype=np.float32)


def split(data: bytes) -> Split:
    return split_view(memoryview(data))


def model(*arrays: np.ndarray) -> ModelProto:
    """Return a model that adds `arrays` to its input, which has the shape of each."""
    shape = arrays[0].shape
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in "xy")
    weights = [numpy_helper.from_array(a, f"w{i}") for i, a in enumerate(arrays)]
    names = ["x", *(f"t{i}" for i in range(len(arrays) - 1)), "y"]
    nodes = [
        helper.make_node("Add", [names[i], f"w{i}"], [names[i + 1]])
        for i in range(len(arrays))
    ]
    graph = helper.make_graph(nodes, "adds", [x], [y], weights)
    return helper.make_model(graph, ir_version=10)


def joined(data: bytes) -> ModelProto:
    """Return the message in `data`, put together from its parts."""
    parts = split(data)
    found = ModelProto.FromString(parts.rest)
    assert len(parts.payloads) in (0, len(found.graph.initializer))
    for weight, payload in zip(found.graph.initializer, parts.payloads, strict=False):
        if payload is not None:
            assert not weight.HasField("raw_data")
            weight.raw_data = bytes(payload)
    return found


def parsed(data: bytes) -> ModelProto | None:
    try:
        return ModelProto.FromString(data)
    except DecodeError:
        return None


def test_large_weights_are_apart() -> None:
    data = model(LARGE, LARGE + 1).SerializeToString()
    parts = split(data)
    assert [p and len(p) for p in parts.payloads] == [LARGE.nbytes, LARGE.nbytes]
    assert len(parts.rest) < len(data) - 2 * LARGE.nbytes
    assert joined(data) == ModelProto.FromString(data)


def test_small_weights_stay() -> None:
    data = model(SMALL).SerializeToString()
    assert split(data).payloads == [None]
    assert split(data).rest == data


def test_bytes_are_not_copied() -> None:
    data = model(LARGE).SerializeToString()
    (constant,) = (
        op for op in glow.load(data).module.ops if isinstance(op, ConstantOp)
    )
    assert constant.array is not None
    assert np.shares_memory(constant.array, np.frombuffer(data, np.uint8))
    np.testing.assert_array_equal(constant.array, LARGE)


def test_graphs_that_protobuf_merges_are_merged() -> None:
    data = b"".join(model(a).SerializeToString() for a in (LARGE, SMALL, LARGE + 1))
    assert [p is None for p in split(data).payloads] == [False, True, False]
    assert joined(data) == ModelProto.FromString(data)


def test_the_last_of_several_values_counts() -> None:
    first, last = (numpy_helper.from_array(a) for a in (LARGE, LARGE + 1))
    tensor = first.SerializeToString() + last.SerializeToString()
    found = ModelProto()
    found.graph.initializer.append(TensorProto.FromString(tensor))
    data = _holding(_holding(tensor, 5), 7)
    assert ModelProto.FromString(data) == found
    assert split(data).rest == data
    assert joined(data) == found


def _holding(content: bytes, number: int) -> bytes:
    length, head = len(content), bytearray([number << 3 | 2])
    while length > 127:
        head.append(length & 127 | 128)
        length >>= 7
    return bytes(head) + bytes([length]) + content


@pytest.mark.parametrize("cut", range(1, 40))
def test_truncated_models_are_left_to_protobuf(cut: int) -> None:
    data = model(LARGE).SerializeToString()[:-cut]
    if parsed(data) is None:
        assert split(data).rest == data
    else:
        assert joined(data) == parsed(data)


@pytest.mark.parametrize("seed", range(20))
def test_changed_bytes_mean_what_they_mean_to_protobuf(seed: int) -> None:
    numbers = random.Random(seed)
    data = model(SMALL, LARGE).SerializeToString()
    places = [*range(200), *range(len(data) - 60, len(data))]
    for _ in range(50):
        changed = bytearray(data)
        for _ in range(numbers.choice((1, 2, 5))):
            changed[numbers.choice(places)] = numbers.randrange(256)
        expected = parsed(bytes(changed))
        if expected is None:
            assert parsed(split(bytes(changed)).rest) is None
        else:
            assert joined(bytes(changed)) == expected
