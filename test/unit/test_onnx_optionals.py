"""Inputs that a node leaves out, at the end or in between, are absent operands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from onnx import defs
from operators import all_cases
from operators.case import Case, feeds_of, model_of
from operators.oracle import difference, expected_of

import glow
from glow.importers.onnx import import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError

CASES = all_cases()


def optional_inputs(case: Case) -> list[int]:
    """Return the inputs that `case` has and may leave out."""
    inputs = defs.get_schema(case.op, case.opset).inputs
    optional = defs.OpSchema.FormalParameterOption.Optional
    given = zip(inputs, case.inputs, strict=False)
    return [
        number
        for number, (formal, array) in enumerate(given)
        if formal.option == optional and array is not None
    ]


def without(case: Case, index: int) -> Case:
    """Return `case` with an empty name for input `index`."""
    inputs = (*case.inputs[:index], None, *case.inputs[index + 1 :])
    return replace(case, inputs=inputs)


def trimmed(case: Case) -> Case:
    """Return `case` without the empty names at the end."""
    inputs = list(case.inputs)
    while inputs[-1] is None:
        inputs.pop()
    return replace(case, inputs=tuple(inputs))


def omissions(op: str) -> Iterator[Case]:
    """Yield a case for each optional input of `op`, and each set of those behind it."""
    seen: set[tuple[bool, ...]] = set()
    for case in CASES[op]:
        for index in optional_inputs(case):
            less = without(case, index)
            shape = tuple(array is None for array in less.inputs)
            if shape not in seen and _is_meant(less):
                seen.add(shape)
                yield less


def _is_meant(case: Case) -> bool:
    """Say whether the node has a meaning without the input."""
    return expected_of([case])[0] is not None


OPERATORS = sorted({op for op in CASES if any(map(optional_inputs, CASES[op]))})


@pytest.mark.parametrize("op", OPERATORS)
def test_an_input_that_is_left_out_is_absent(op: str) -> None:
    for case in omissions(op):
        model = model_of([case])
        try:
            module = import_model(model)
        except UnsupportedModelError:
            continue
        except InvalidModelError as error:
            raise AssertionError(f"{case}: {error}") from error
        short = trimmed(case)
        assert str(import_model(model_of([short]))) == str(module), "end or empty name"
        (expected,) = expected_of([case])
        found = glow.compile(model, target="reference").run(feeds_of([case]))
        assert expected is not None
        for array, wanted in zip(found.values(), expected, strict=True):
            assert not difference(op, np.asarray(array), wanted), case
