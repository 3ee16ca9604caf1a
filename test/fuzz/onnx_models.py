"""Random ONNX: cases of operators with other floats, and small networks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from graphs import Array, Notes, targets
from hypothesis import HealthCheck, Phase, given, seed, settings
from onnx import ModelProto, helper
from operators import all_cases
from operators.case import Case, feeds_of, model_of
from operators.oracle import difference as difference_to_others
from operators.oracle import expected_of, run_onnxruntime
from random_models import networks

import glow

_SHAPES = 12
"""How many extents a network is computed for."""


@cache
def _cases() -> dict[str, list[Case]]:
    by_op: dict[str, list[Case]] = defaultdict(list)
    for op, cases in all_cases().items():
        by_op[op] += cases
    return by_op


def check_operator(number: int, notes: Notes) -> None:
    """Compare an ONNX operator on other floats with ONNX Runtime or onnx.reference."""
    rng = np.random.default_rng(number)
    ops = list(_cases())
    cases = _cases()[ops[number % len(ops)]]
    case = cases[int(rng.integers(len(cases)))]
    inputs = tuple(
        _redrawn(array, rng) if case.fed(k) else array
        for k, array in enumerate(case.inputs)
    )
    case = Case(
        case.op, inputs, case.attributes, case.constants, case.outputs, case.opset
    )
    model = model_of([case])
    notes["model.onnx"] = model.SerializeToString()
    notes |= {f"{name}.npy": array for name, array in feeds_of([case]).items()}
    spec = [each for each in targets() if each != "memory"][number % 2]
    results = glow.compile(model, target=spec).run(feeds_of([case])).values()
    (expected,) = expected_of([case])
    wrong = [
        problem
        for mine, other in zip(results, expected or [], strict=expected is not None)
        if (problem := difference_to_others(case.op, mine, other)) is not None
    ]
    assert not wrong, f"{case} on {spec}: {wrong}"


def _redrawn(array: Array | None, rng: np.random.Generator) -> Array | None:
    """Return other floats between the least and the largest of `array`."""
    if array is None or array.dtype.kind != "f" or not array.size:
        return array
    if not np.isfinite(array).all():
        return array
    low, high = float(array.min()), float(array.max())
    return rng.uniform(low, high, array.shape).astype(array.dtype)


def check_networks(number: int, notes: Notes) -> None:
    """Compare ten random networks with ONNX Runtime."""

    def compare(model: ModelProto) -> None:
        notes["model.onnx"] = model.SerializeToString()
        target, other = ("cpu", "reference")[:: (-1) ** number]
        net = glow.compile(model, target=target)
        feeds = _drawn_for(model, np.random.default_rng(number))
        _check_network(model, feeds, net, run_onnxruntime(model, feeds), other)

    _for_networks(number, 10, compare)


def check_shapes(number: int, notes: Notes) -> None:
    """
    Compare four random networks with ONNX Runtime, for many extents of their images.

    Code for some is derived from that of others. Their own extents come first, most of
    the others are by steps of up to four from them; those that ONNX Runtime refuses are
    left out, as shapes are constants in some networks.
    """
    step = 1 + number % 4

    def compare(model: ModelProto) -> None:
        rng = np.random.default_rng(number)
        own = _open_extents(model, rng)
        notes["model.onnx"] = model.SerializeToString()
        net = glow.compile(model, threads=1 + number % 2, cache_size=_SHAPES)
        for turn in range(_SHAPES):
            larger = {name: int(rng.integers(n, 33)) for name, n in own.items()}
            if turn % 4:
                larger = {
                    name: n - (n - own[name]) % step for name, n in larger.items()
                }
            feeds = _drawn_for(model, rng, larger if turn else own)
            notes.update({f"{name}.npy": array for name, array in feeds.items()})
            try:
                expected = run_onnxruntime(model, feeds)
            except Exception:  # its classes of errors have no base of their own
                if not turn:
                    raise
                continue
            _check_network(model, feeds, net, expected)

    _for_networks(number, 4, compare)


def _for_networks(number: int, count: int, check: Callable[[ModelProto], None]) -> None:
    """Call `check` with `count` networks, of which the first is always the same."""

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(networks())
    def checked(model: ModelProto) -> None:
        check(model)

    checked()


def _open_extents(model: ModelProto, rng: np.random.Generator) -> dict[str, int]:
    """
    Leave one or two extents of the image open, not its channels.

    Returns their names, and what they were: windows fit into no less.
    """
    for output in model.graph.output:
        for extent in output.type.tensor_type.shape.dim:
            extent.Clear()
    image = model.graph.input[0].type.tensor_type.shape.dim
    spatial = range(2, len(image))
    axes = rng.choice([0, *spatial], rng.integers(1, 3), replace=False).tolist()
    least = {f"extent{axis}": image[axis].dim_value for axis in axes}
    for axis in axes:
        image[axis].dim_param = f"extent{axis}"
    return least


def _drawn_for(
    model: ModelProto, rng: np.random.Generator, extents: Mapping[str, int] = {}
) -> dict[str, Array]:
    feeds: dict[str, Array] = {}
    for info in model.graph.input:
        spec = info.type.tensor_type
        shape = [extents.get(dim.dim_param, dim.dim_value) for dim in spec.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(spec.elem_type)
        feeds[info.name] = np.asarray(rng.standard_normal(shape) * 3, dtype)
    return feeds


def _check_network(
    model: ModelProto,
    feeds: dict[str, Array],
    net: Any,
    expected: Sequence[Array],
    other: str = "reference",
) -> None:
    results = list(net.run(feeds).values())
    try:
        _check_equal(results, expected)
    except AssertionError:
        # ONNX Runtime's LRN subtracts squares from a running sum, which cancels;
        # that of onnx.reference leaves channels out.
        if all(node.op_type != "LRN" for node in model.graph.node):
            raise
        others = glow.compile(model, target=other).run(feeds)
        _check_equal(results, list(others.values()))


def _check_equal(results: Sequence[Array], expected: Sequence[Array]) -> None:
    for found, wanted in zip(results, expected, strict=True):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        largest = max(1.0, float(np.abs(wanted).max(initial=0)))
        limit = 1e-4 * largest if found.dtype.kind == "f" else 0
        np.testing.assert_allclose(found, wanted, rtol=0, atol=limit)
