"""Layouts of whole networks: how much moves, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import models
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import UNKNOWN_LOC, FunctionType, ModuleOp, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from glow.backends.reference.executable import ReferenceExecutable
from glow.backends.reference.physical import PhysicalStorage
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.along_axis import SoftmaxOp
from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.pooling import AvgPoolOp
from glow.dialects.graph.reduction import ReduceMeanOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.storage import ConstantOp, LoadOp, PlaceholderOp, SaveOp
from glow.dialects.layout.transform import TransformOp
from glow.formats.onnx import import_model
from glow.graph_modules import context
from glow.pass_manager import parse_passes, run_passes
from glow.support.layout import permuted
from glow.support.types import shape_of, tensor, tensor_type

TARGET = "cpu:avx2"

# Each moves the image where it comes in, and nothing after that.
NETWORKS = [
    "alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "squeezenet",
    "vgg19",
    "zfnet512",
]


FOLD = "fold-constants,fold-batch-norm,decompose-batch-norm,fold-constants"
ASSIGN = f'assign-layouts{{target="{TARGET}"}}'
LAY_OUT = f'{ASSIGN},fold-layout-transforms,dce,verify-layouts{{target="{TARGET}"}}'


def run(text: str, module: ModuleOp) -> None:
    run_passes(parse_passes(text), context(), module)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_move_bytes_where_they_must_only(name: str) -> None:
    module = import_model(models.skeleton(name))
    run(f"{FOLD},{LAY_OUT}", module)
    moves = [op for op in module.walk() if isinstance(op, TransformOp)]
    assert len(moves) == 1
    assert isinstance(moves[0].input.owner, LoadOp)
    assert not [op.name for op in module.walk() if op.location == UNKNOWN_LOC]


def test_constants_go_when_nobody_reads_them_as_they_were() -> None:
    weights = np.arange(160, dtype=np.float32).reshape(8, 20)
    storage = [ConstantOp(name, weights) for name in "vw"]
    type_ = storage[0].type
    loads = [LoadOp(name, type_) for name in "vw"]
    moved = [TransformOp(load.result, permuted((1, 0))) for load in loads]
    used = AddOp(loads[0].result, loads[0].result)
    results = [op.results[0] for op in (*moved, used)]
    block = Block([*loads, *moved, used, ReturnOp(*results)])
    type_ = FunctionType.from_lists([], [value.type for value in results])
    module = ModuleOp([*storage, FuncOp("main", type_, Region(block))])
    run("fold-layout-transforms", module)
    module.verify()
    constants = [op for op in module.ops if isinstance(op, ConstantOp)]
    assert [op.sym_name.data for op in constants] == ["v", "v.NK", "w.NK"]
    array = constants[2].array
    assert array is not None
    assert array.shape == (20, 8)


class Network:
    """A random network over values of rank 4, built op by op."""

    def __init__(self, data: st.DataObject):
        self.data = data
        self.storage: list[Operation] = []
        self.block = Block()
        self.rng = np.random.default_rng(data.draw(st.integers(0, 9)))
        shape = (data.draw(st.integers(1, 2)), 4, 6, 4)
        self.storage.append(PlaceholderOp("x", "in", tensor(f32, shape)))
        self.values = [self.add(LoadOp("x", tensor(f32, shape)))]

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def constant(self, *shape: int) -> SSAValue:
        array = self.rng.standard_normal(shape, np.float32)
        op = ConstantOp(f"w{len(self.storage)}", array)
        self.storage.append(op)
        return self.add(LoadOp(op.sym_name.data, tensor(f32, shape)))

    def pick(self) -> SSAValue:
        return self.data.draw(st.sampled_from(self.values))

    def permutation(self, rank: int) -> Sequence[int]:
        return self.data.draw(st.permutations(range(rank)))

    def grow(self) -> None:
        step = self.data.draw(st.sampled_from(STEPS))
        self.values.append(step(self, self.pick()))

    def module(self) -> ModuleOp:
        """Return a module that saves the last three values."""
        for index, value in enumerate(self.values[-3:]):
            name = f"y{index}"
            self.storage.append(PlaceholderOp(name, "out", tensor_type(value)))
            self.block.add_op(SaveOp(name, value))
        self.block.add_op(ReturnOp())
        main = FuncOp("main", FunctionType.from_lists([], []), Region(self.block))
        return ModuleOp([*self.storage, main])


def convolve(net: Network, x: SSAValue) -> SSAValue:
    channels = shape_of(x)[1]
    group = net.data.draw(st.sampled_from([g for g in (1, 2) if channels % g == 0]))
    filters = net.constant(6, channels // group, 3, 3)
    op = ConvOp(x, filters, net.constant(6), pads=(1, 1, 1, 1), group=group)
    return net.add(op)


def shuffle(net: Network, x: SSAValue) -> SSAValue:
    n, c, h, w = shape_of(x)
    if c % 2:
        return net.add(ReluOp(x))
    split = net.add(ReshapeOp(x, shape=(n, 2, c // 2, h, w)))
    swapped = net.add(TransposeOp(split, permutation=(0, 2, 1, 3, 4)))
    return net.add(ReshapeOp(swapped, shape=(n, c, h, w)))


def flatten(net: Network, x: SSAValue) -> SSAValue:
    n, *rest = shape_of(x)
    size = int(np.prod(rest))
    flat = net.add(ReshapeOp(x, shape=(n, size)))
    dense = net.add(MatMulOp(flat, net.constant(size, 24), None))
    return net.add(ReshapeOp(dense, shape=(n, 4, 3, 2)))


def broadcast(net: Network, x: SSAValue) -> SSAValue:
    shape = tuple(net.data.draw(st.sampled_from((1, n))) for n in shape_of(x))
    operands = [x, net.constant(*shape[net.data.draw(st.integers(0, 4)) :])]
    return net.add(MulOp(*net.data.draw(st.permutations(operands))))


def join(net: Network, x: SSAValue) -> SSAValue:
    alike = [v for v in net.values if shape_of(v) == shape_of(x)]
    other = net.data.draw(st.sampled_from(alike))
    if net.data.draw(st.booleans()):
        return net.add(AddOp(x, other))
    return net.add(ConcatOp([x, other], axis=net.data.draw(st.integers(0, 3))))


def multiply(net: Network, x: SSAValue) -> SSAValue:
    alike = [v for v in net.values if shape_of(v) == shape_of(x)]
    other = net.data.draw(st.sampled_from(alike))
    if net.data.draw(st.booleans()):
        return net.add(MatMulOp(x, other, None, transpose_rhs=True))
    return net.add(MatMulOp(x, other, None, transpose_lhs=True))


STEPS: tuple[Callable[[Network, SSAValue], SSAValue], ...] = (
    convolve,
    shuffle,
    flatten,
    broadcast,
    join,
    multiply,
    lambda net, x: net.add(TransposeOp(x, permutation=net.permutation(4))),
    lambda net, x: net.add(
        AvgPoolOp(x, kernel_shape=(2, 2), pads=(1, 1, 1, 1), strides=(1, 1))
    ),
    lambda net, x: net.add(SoftmaxOp(x, axis=1)),
    lambda net, x: net.add(ReduceMeanOp(x, axes=(2, 3), keepdims=True)),
    lambda net, x: net.add(PadOp(x, pads=(0, 1, 0, 0, 0, 0, 1, 0))),
)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_laid_out_networks_compute_the_same(data: st.DataObject) -> None:
    net = Network(data)
    for _ in range(data.draw(st.integers(1, 8))):
        net.grow()
    module = net.module()
    module.verify()
    x = np.random.default_rng(1).standard_normal(shape_of(net.values[0]), np.float32)
    expected = ReferenceExecutable(module)(x)
    run(LAY_OUT, module)
    module.verify()
    found = ReferenceExecutable(module, partial(PhysicalStorage, TARGET))(x)
    for a, b in zip(_tuple(found), _tuple(expected), strict=True):
        np.testing.assert_array_equal(a, b)
    text = str(module.body)
    run(ASSIGN, module)
    assert str(module.body) == text


def _tuple(found: object) -> tuple[object, ...]:
    return found if isinstance(found, tuple) else (found,)
