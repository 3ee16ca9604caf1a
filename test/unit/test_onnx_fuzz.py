"""Broken models: whatever is done to a file, only errors that we mean come out."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from onnx import ModelProto
from onnx_mutations import CHANGES, shapes_model, survives, try_mutate
from operators import all_cases
from operators.case import model_of

from glow.formats.onnx import import_model

pytestmark = pytest.mark.slow


SEED = shapes_model()
DATA = SEED.SerializeToString()
FUZZ = settings(
    deadline=20_000,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


@FUZZ
@given(cut=st.floats(0, 1))
def test_truncated_file(cut: float) -> None:
    survives(DATA[: int(cut * len(DATA))], n=2)


@settings(FUZZ, max_examples=300)
@given(
    changes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)),
        min_size=1,
        max_size=6,
    ),
)
def test_changed_bytes(changes: list[tuple[float, int]]) -> None:
    data = bytearray(DATA)
    for place, value in changes:
        data[int(place * len(data))] = value
    survives(bytes(data), n=2)


@FUZZ
@given(st.binary(max_size=200))
@example(b"")
def test_arbitrary_bytes(data: bytes) -> None:
    survives(data)


@settings(FUZZ, max_examples=400)
@given(number=st.integers(0, 2**32), times=st.integers(1, 5))
def test_changed_fields(number: int, times: int) -> None:
    source, rng = ModelProto(), random.Random(number)
    source.CopyFrom(SEED)
    for _ in range(times):
        try_mutate(source, rng)
    survives(source, n=2)


@FUZZ
@given(order=st.permutations(range(10)))
def test_shuffled_nodes_import_as_before(order: Sequence[int]) -> None:
    source = shapes_model()
    nodes = list(source.graph.node)
    del source.graph.node[:]
    source.graph.node.extend(nodes[index] for index in order)
    module = import_model(source, {"n": 2})
    assert len(list(module.walk())) == len(
        list(import_model(shapes_model(), {"n": 2}).walk())
    )


OPERATORS = all_cases()


@pytest.mark.parametrize("times", [3, pytest.param(12, marks=pytest.mark.full)])
@pytest.mark.parametrize("op", OPERATORS)
def test_changed_attributes_and_inputs_of_each_operator(op: str, times: int) -> None:
    rng = random.Random(op)
    cases = OPERATORS[op][:: max(1, len(OPERATORS[op]) // 6)]
    for case in cases:
        for _ in range(times):
            source = model_of([case])
            for _ in range(rng.randint(1, 3)):
                rng.choice(CHANGES)(source, rng)
            survives(source)
