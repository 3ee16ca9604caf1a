"""Constants are in memory once, for as long as an executable or a model has them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import models
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import glow
from glow.dialects.graph.storage import ConstantOp
from glow.runtime.constant_pool import CONSTANTS, ConstantPool
from glow.runtime.native import NativeExecutable
from glow.support.arrays import address_of, aligned_empty
from glow.support.resources import Resource

Array = NDArray[Any]


def constants_of(net: glow.Executable) -> tuple[Array, ...]:
    assert isinstance(net, NativeExecutable)
    return net._image.constants


def floats(*values: float) -> Array:
    found = aligned_empty(4 * len(values)).view(np.float32)
    found[...] = values
    return found


def test_equal_arrays_become_one() -> None:
    pool = ConstantPool()
    first, second = pool.share(floats(1, 2)), pool.share(floats(1, 2))
    assert first is second
    assert not first.flags.writeable
    assert pool.nbytes == 8


def test_equal_is_bit_by_bit() -> None:
    pool = ConstantPool()
    quiet = np.array([0x7FC00000], np.uint32).view(np.float32)
    other = np.array([0x7FC00001], np.uint32).view(np.float32)
    nan = pool.share(quiet)
    assert pool.share(quiet.copy()) is nan
    assert pool.share(other) is not nan
    zero, negative = pool.share(floats(0.0)), pool.share(floats(-0.0))
    assert negative is not zero


def test_other_types_and_shapes_are_others() -> None:
    pool = ConstantPool()
    array = np.zeros(4, np.float32)
    kept = [pool.share(a) for a in (array, array.view(np.int32), array.reshape(2, 2))]
    assert len({id(each) for each in kept}) == 3
    assert [each.dtype for each in kept] == [np.float32, np.int32, np.float32]


def test_samples_that_agree_are_looked_at_whole() -> None:
    pool = ConstantPool()
    array = np.zeros(100_000, np.float32)
    other = array.copy()
    other[12_345] = 1
    kept = pool.share(array), pool.share(other)
    assert np.array_equal(kept[0], array)
    assert np.array_equal(kept[1], other)


def test_what_nobody_holds_is_released() -> None:
    pool = ConstantPool()
    first = pool.share(floats(1, 2, 3))
    second = pool.share(floats(4, 5, 6))
    assert pool.nbytes == 24
    del first
    gc.collect()
    assert pool.nbytes == 12
    assert np.array_equal(second, [4, 5, 6])
    again = pool.share(floats(1, 2, 3))
    assert np.array_equal(again, [1, 2, 3])


def test_unaligned_arrays_move_once_for_all() -> None:
    resource = Resource(aligned_empty(404)[4:].view(np.float32))
    moved = resource.settle(CONSTANTS.share)
    assert address_of(moved) % 64 == 0
    assert resource.settle(CONSTANTS.share) is moved
    assert resource.array is moved


def test_batches_share_weights_in_packed_form_too() -> None:
    nets = [glow.compile(models.mlp(batch)) for batch in (1, 8)]
    held = [
        {address_of(array): array.nbytes for array in constants_of(net)} for net in nets
    ]
    # Tables of row addresses and numbers of `main` depend on the batch: bytes each.
    own = [sum(b for a, b in x.items() if a not in y) for x, y in (held, held[::-1])]
    weights = 4 * (784 * 512 + 512 * 256 + 256 * 10)
    assert max(own) < 2500
    assert all(weights < sum(each.values()) < 1.1 * weights for each in held)


def test_compiling_a_model_twice_takes_its_weights_once() -> None:
    model = glow.load(models.mlp())
    before = CONSTANTS.nbytes
    first = glow.compile(model)
    held = CONSTANTS.nbytes
    second = glow.compile(model)
    assert CONSTANTS.nbytes == held > before
    del first, second
    gc.collect()


def test_a_constant_that_no_pass_changes_is_used_in_place() -> None:
    shift = floats(*range(32))
    infos = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 32])
        for name in ("x", "y")
    ]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "s"], ["y"])],
        "g",
        infos[:1],
        infos[1:],
        [numpy_helper.from_array(shift, "s")],
    )
    opset = helper.make_opsetid("", 17)
    model = glow.load(helper.make_model(graph, opset_imports=[opset], ir_version=8))
    (constant,) = (op for op in model.module.walk() if isinstance(op, ConstantOp))
    net = glow.compile(model)
    assert constant.array is not None
    assert address_of(constant.array) in map(address_of, constants_of(net))


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_models_and_ir_are_collected_after_compiling(target: str) -> None:
    proto = models.mlp()
    x = models.inputs_of(proto)
    model = glow.load(proto)
    net = glow.compile(model, target=target)
    expected = net.run(x)
    watched = [weakref.ref(model)]
    if target == "cpu":  # the reference runs the IR itself, a copy of it
        watched.append(weakref.ref(model.module))
    del model, proto
    gc.collect()
    assert [each() for each in watched] == [None] * len(watched)
    assert all(np.array_equal(a, expected[n]) for n, a in net.run(x).items())
