"""What a builder's calls take: values, arrays and numbers; and what they refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import NoneType
from typing import Any, get_args

import numpy as np
import pytest
from random_ops import GENERATORS, calls
from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute

import glow
from glow.building import parameters_of
from glow.dialects.graph.base import GraphOp
from glow.registry import UNIVERSE
from glow.support.types import dtype_of

Array = np.ndarray[Any, Any]
Call = Callable[[glow.Builder, Any], object]
OPS = [
    op
    for op in UNIVERSE.all_dialects["graph"]().operations
    if issubclass(op, GraphOp) and op.declared()
]
OP_CLASSES = {
    op.name: op
    for op in UNIVERSE.all_dialects["graph"]().operations
    if issubclass(op, GraphOp)
}


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_defaults_and_none_are_what_parameters_may_be(op: type[GraphOp]) -> None:
    defaults = op.defaults()
    assert parameters_of(op, defaults) == defaults
    names = list(op.declared())
    with pytest.raises(TypeError) as caught:
        parameters_of(op, dict.fromkeys(names, b"no parameter"))
    assert str(caught.value).count("expected") == len(names)


def equal_arguments(value: Any) -> list[Any]:
    """Return what a caller may write for the value of a parameter."""
    match value:
        case bool():
            return [value, np.bool_(value)]
        case int():
            return [value, np.int64(value), np.int32(value)]
        case float():
            whole = [int(value), np.int64(value)] if value.is_integer() else []
            return [value, np.float64(value), *whole]
        case Attribute():
            dtype = dtype_of(value)
            return [value, dtype, dtype.type, dtype.name]
        case list() | tuple():
            given = [list(value), tuple(value), np.array(value)]
            if value and isinstance(value[0], int):
                run = range(value[0], value[0] + len(value))
                given += [run] if given[0] == list(run) else []
            each = zip(*map(equal_arguments, value), strict=False)
            return [*given, *map(list, each)]
        case _:
            return [value]


def is_of(value: Any, kind: Any) -> bool:
    """Return whether a value is of one kind that a parameter declares."""
    if get_args(kind):
        return isinstance(value, list | tuple)
    return isinstance(value, kind) and (kind is bool) == isinstance(value, bool)


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_method_takes_every_kind_of_argument_it_declares(name: str) -> None:
    declared = OP_CLASSES[name].declared().values()
    missing = {(p.name, k) for p in declared for k in p.kinds if k is not NoneType}
    missing -= {("betas", Sequence[float])}  # no random call has any; layers do, below
    for call in calls(name, 12, seed=1):
        b, given = glow.Builder(), call.op.defaults() | call.parameters
        values = iter([b.constant(array) for array in call.arrays])
        slots = [
            [next(values) for _ in slot]
            if isinstance(slot, list)
            else None
            if slot is None
            else next(values)
            for slot in call.slots
        ]
        short = name.partition(".")[2]  # a layer of this name makes its own weights
        add = partial(b.op, name) if hasattr(glow.Builder, short) else getattr(b, short)
        expected = call.build().properties
        for each in declared:
            for value in equal_arguments(given[each.name]):
                made = add(*slots, **given | {each.name: value})
                result = made if isinstance(made, glow.Value) else made[0]
                assert result.value.owner.properties == expected, (each.name, value)
            kinds = [k for k in each.kinds if is_of(given[each.name], k)]
            missing -= {(each.name, kind) for kind in kinds}
    assert not missing


@pytest.mark.parametrize("sizes", [2, np.int64(2), [2, 2], (2, 2), range(2, 4)])
def test_layers_take_every_kind_of_argument_they_declare(sizes: Any) -> None:
    b = glow.Builder()
    image, steps = b.input("image", (1, 4, 9, 9)), b.input("steps", (5, 1, 4))
    y = b.conv(image, np.int32(4), sizes, stride=sizes, padding=sizes, dilation=sizes)
    for padding in ("same", "valid"):
        y = b.conv(image, 4, 1, padding=padding, groups=np.int64(2), bias=False)
    y = b.layer_norm(b.batch_norm(y, epsilon=np.float32(1)), axis=np.int64(-2))
    b.output("features", b.linear(y, np.int64(3)))
    for dtype in ("float16", np.float64, np.dtype(np.float32)):
        table = b.embedding(np.array([0, 1]), np.int64(3), 2, dtype=dtype)
        assert table.dtype == np.dtype(dtype)
    sigmoid = {"activations": ["hard_sigmoid", "tanh"], "alphas": np.float32([0.2, 1])}
    b.gru(steps, 2, **sigmoid, betas=(np.float64(0.5), 1))
    for layer in (b.lstm, b.gru, b.rnn):
        for direction in ("forward", "reverse", "bidirectional"):
            layer(steps, np.int64(2), direction=direction, with_y=np.bool_(False))
    b.state("counter", (np.int64(2),), "int32", initial=np.zeros(2, np.int32))
    assert b.model()


def test_parameters_of_related_types_are_taken() -> None:
    b = glow.Builder()
    x = b.input("x", (2, 3))
    y = b.leaky_relu(x, alpha=2)
    y = b.transpose(y, permutation=np.array([1, 0]))
    b.output("y", b.cast(b.softmax(y, axis=np.int32(0)), to=np.float64))
    assert str(b.model().module).count("f64") == str(b.model().module).count(str(f64))
    found = glow.compile(b.model(), "reference")(np.ones((2, 3), np.float32))
    assert found.dtype == np.float64
    assert np.allclose(found, 1 / 3)


def test_arrays_are_constants_wherever_values_are() -> None:
    weights = np.arange(6, dtype=np.float32).reshape(3, 2)
    b = glow.Builder()
    x = b.input("x", (2, 3))
    b.output("y", b.add(b.matmul(x, weights), [1, 2]))
    b.output("z", weights)
    b.output("n", b.layer_norm(weights, axis=0))
    x = np.ones((2, 3), np.float32)
    y, z, n = glow.compile(b.model(), "reference")(x)
    assert np.array_equal(y, x @ weights + np.float32([1, 2]))
    assert np.array_equal(z, weights)
    assert abs(n.mean()) < 1e-6


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_a_state_counts_across_runs(target: str) -> None:
    b = glow.Builder("counter")
    x = b.input("x", (3,))
    runs = b.state("runs", (), np.int64)
    total = b.state("total", (3,), initial=np.float32([0, 10, 20]))
    b.update("runs", b.add(runs, 1))
    b.update("total", b.add(total, x))
    b.output("before", runs)
    net = glow.compile(b.model(), target)
    assert [s.spec.name for s in net.signature.states] == ["runs", "total"]
    bound, other = (
        net.bind({"x": np.float32([1, 2, 3])}),
        net.bind({"x": np.ones(3, "f4")}),
    )
    for count in range(4):
        assert bound.run()["before"] == count
    other.run()
    assert bound["runs"] == 4
    assert np.array_equal(bound["total"], np.float32([4, 18, 32]))
    assert np.array_equal(other["total"], np.float32([1, 11, 21]))
    assert net(np.ones(3, np.float32)) == 0  # a run without bindings begins anew


def test_a_state_without_a_start_is_bound_by_the_caller() -> None:
    b = glow.Builder()
    table = b.state("table", (2, 2), initial=None)
    b.output("y", b.add(table, 1))
    net = glow.compile(b.model(), "reference")
    bound = net.bind({})
    with pytest.raises(glow.BindingError, match="table"):
        bound.run()
    bound["table"] = np.ones((2, 2), np.float32)
    assert np.array_equal(bound.run()["y"], np.full((2, 2), 2))


def _state(b: glow.Builder, *shape: int) -> Any:
    return b.state("s", shape)


REFUSED: dict[str, tuple[Call, str]] = {
    "linear of a number": (
        lambda b, x: b.linear(3, 8),
        "linear: expected a value or an array as x, got 3",
    ),
    "linear of a scalar": (
        lambda b, x: b.linear(np.float32(3), 8),
        "linear: expected x of shape [..., K], got tensor<f32>",
    ),
    "linear of a string": (
        lambda b, x: b.linear("x", 8),
        "linear: x: expected a value, an array or a number, got 'x'",
    ),
    "features": (
        lambda b, x: b.linear(x, 8.5),
        "linear: expected an integer from 0 on as features, got 8.5",
    ),
    "conv of a matrix": (
        lambda b, x: b.conv(x, 4, kernel=3),
        "conv: expected x of shape [N, C, ...] with 1 to 3 spatial axes, "
        "got tensor<2x3xf32>",
    ),
    "channels": (
        lambda b, x: b.conv(np.ones((1, 3, 8, 8), "f4"), "4", kernel=3),
        "conv: expected an integer from 0 on as channels, got '4'",
    ),
    "groups": (
        lambda b, x: b.conv(np.ones((1, 3, 8, 8), "f4"), 4, kernel=3, groups=0),
        "conv: expected an integer from 1 on as groups, got 0",
    ),
    "stride": (
        lambda b, x: b.conv(np.ones((1, 3, 8, 8), "f4"), 4, kernel=3, stride=(1, 0)),
        "conv: expected an integer from 1 on as stride, got 0",
    ),
    "kernel": (
        lambda b, x: b.conv(np.ones((1, 3, 8, 8), "f4"), 4, kernel=None),
        "conv: expected an integer from 1 on as kernel, got None",
    ),
    "batch_norm of a vector": (
        lambda b, x: b.batch_norm(np.ones(3, "f4")),
        "batch_norm: expected x of shape [N, C, ...], got tensor<3xf32>",
    ),
    "axis": (
        lambda b, x: b.layer_norm(x, axis=-3),
        "layer_norm: expected an integer from -2 on as axis, got -3",
    ),
    "lstm of a matrix": (
        lambda b, x: b.lstm(x, 4),
        "lstm: expected x of shape [T, B, I], got tensor<2x3xf32>",
    ),
    "units": (
        lambda b, x: b.gru(np.ones((5, 2, 3), "f4"), True),
        "gru: expected an integer from 0 on as units, got True",
    ),
    "width": (
        lambda b, x: b.embedding(np.zeros(3, "i8"), 10, -1),
        "embedding: expected an integer from 0 on as width, got -1",
    ),
    "another builder's value": (
        lambda b, x: b.relu(glow.Builder().input("z", (2,))),
        'graph.relu: input: expected a value of builder "net", got one of another',
    ),
    "another builder's value in a layer": (
        lambda b, x: b.linear(glow.Builder().input("z", (2,)), 4),
        'linear: x: expected a value of builder "net", got one of another',
    ),
    "another builder's value as an output": (
        lambda b, x: b.output("y", glow.Builder().input("z", (2,))),
        'output "y": expected a value of builder "net", got one of another',
    ),
    "a list where one value is wanted": (
        lambda b, x: b.relu([x, x]),
        "graph.relu: input: expected a value, an array or a number, got 2 values",
    ),
    "no operand": (
        lambda b, x: b.matmul(x, None),
        "graph.matmul: rhs: expected a value, an array or a number, got None",
    ),
    "values that are not a list": (
        lambda b, x: b.concat(x, axis=0),
        "graph.concat: inputs: expected a list of values, got a value tensor<2x3xf32>",
    ),
    "values in turn": (
        lambda b, x: b.concat(x, x, axis=0),
        "graph.concat: expected at most 1 operands, got 2; inputs are one list",
    ),
    "rows of several lengths": (
        lambda b, x: b.add(x, [[1, 2], [3]]),
        "graph.add: rhs: expected a value, an array or a number, got [[1, 2], [3]]",
    ),
    "complex numbers": (
        lambda b, x: b.add(x, np.zeros(2, np.complex64)),
        "graph.add: rhs: expected a value, an array or a number, "
        "got an array of complex64",
    ),
    "parameters, all at once": (
        lambda b, x: b.resize(x, sizes="ab", mode=3, antialias=1),
        "graph.resize: expected a list of integers or None as sizes, got 'ab'; "
        "expected a string as mode, got 3; "
        "expected True or False as antialias, got 1",
    ),
    "an axis that is none": (
        lambda b, x: b.softmax(x, axis=1.0),
        "graph.softmax: expected an integer as axis, got 1.0",
    ),
    "a type": (
        lambda b, x: b.cast(x, to="float33"),
        "graph.cast: expected an element type as to, got 'float33'",
    ),
    "an input's shape": (
        lambda b, x: b.input("z", 3),
        'expected a list of integers as shape of "z", got 3',
    ),
    "an open dimension": (
        lambda b, x: b.input("z", ("N", 3)),
        "expected a list of integers as shape of \"z\", got ('N', 3)",
    ),
    "a negative extent": (
        lambda b, x: b.input("z", (-1, 3)),
        'expected extents from 0 on of "z", got [-1, 3]',
    ),
    "an input's type": (
        lambda b, x: b.input("z", (3,), "complex64"),
        'type of "z": expected an array of float16, bfloat16, float32, float64,',
    ),
    "no type": (
        lambda b, x: b.input("z", (3,), "float33"),
        "type of \"z\": data type 'float33' not understood",
    ),
    "an input's name": (
        lambda b, x: b.input((2, 3), (2, 3)),
        "expected a name, got (2, 3)",
    ),
    "results as an output": (
        lambda b, x: b.output("y", b.top_k(x, k=1)),
        'output "y": expected a value, an array or a number, got 2 values',
    ),
    "a constant": (
        lambda b, x: b.constant("text"),
        "constant \"constant\": expected a value, an array or a number, got 'text'",
    ),
    "an array as a weight": (
        lambda b, x: b.weight("w", (2,), np.ones(2)),  # pyright: ignore
        'expected an initializer of weight "w", got an array of float64; '
        "b.constant makes one of an array",
    ),
    "a weight's shape": (
        lambda b, x: b.weight("w", 2, glow.initializers.ones()),  # pyright: ignore
        'expected a list of integers as shape of "w", got 2',
    ),
    "a state's start": (
        lambda b, x: b.state("s", (2,), initial=np.ones(3)),
        'expected one number or shape [2] as initial value of state "s", got shape [3]',
    ),
    "a state's name": (
        lambda b, x: b.state("x", (2,)),
        'expected a name that is not taken, got "x"',
    ),
    "an unknown state": (
        lambda b, x: b.update("x", x),
        'expected a state out of none, got "x"',
    ),
    "a second update": (
        lambda b, x: [b.update("s", v) for v in (_state(b, 2, 3), x)],
        'expected one update of state "s", got a second',
    ),
    "an update's shape": (
        lambda b, x: (_state(b, 3), b.update("s", x)),
        'update of state "s": expected tensor<3xf32>, got tensor<2x3xf32>',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_said_in_one_line(name: str) -> None:
    make, message = REFUSED[name]
    b = glow.Builder("net")
    x = b.input("x", (2, 3))
    with pytest.raises((TypeError, ValueError, glow.InvalidModelError)) as caught:
        make(b, x)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
