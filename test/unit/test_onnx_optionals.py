"""Inputs that a node leaves out, at the end or in between, are absent operands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from onnx import GraphProto, defs
from operators import all_cases
from operators.case import Case, feeds_of, model_of

import glow
from glow.formats.onnx import import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError

CASES = all_cases()


def optional_inputs(case: Case) -> list[int]:
    """Return the inputs that `case` has and may leave out."""
    domain, _, op = case.op.rpartition(".")
    if domain and not defs.has(op, domain):
        return []  # ONNX says nothing about it
    if any(isinstance(value, GraphProto) for value in case.attributes.values()):
        return []  # its inputs are those of the graph inside, too
    inputs = defs.get_schema(op, 1 if domain else case.opset, domain).inputs
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
    while inputs and inputs[-1] is None:
        inputs.pop()
    return replace(case, inputs=tuple(inputs))


def omissions(op: str) -> Iterator[Case]:
    """Yield a case for each optional input of `op`, and each set of those behind it."""
    seen: set[tuple[bool, ...]] = set()
    for case in CASES[op]:
        for index in optional_inputs(case):
            less = without(case, index)
            shape = tuple(array is None for array in less.inputs)
            if shape not in seen:
                seen.add(shape)
                yield less


OPERATORS = sorted({op for op in CASES if any(map(optional_inputs, CASES[op]))})
ALWAYS = {"Clip", "Conv", "ConvTranspose", "LayerNormalization", "LSTM", "Pad"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", OPERATORS)
def test_an_input_that_is_left_out_is_absent(op: str) -> None:
    imported = 0
    for case in omissions(op):
        model = model_of([case])
        try:
            module = import_model(model)
        except (UnsupportedModelError, InvalidModelError):
            continue  # it needs the input; test_onnx_refusals.py has the words
        imported += 1
        short = import_model(model_of([trimmed(case)]))
        assert str(short) == str(module), "the end, or empty names"
        assert str(module).count('"in"') == len(feeds_of([case]))
        found = glow.compile(module, target="reference").run(feeds_of([case]))
        assert len(found) == case.outputs
    assert imported or op not in ALWAYS


def test_cases_leave_inputs_out() -> None:
    assert set(OPERATORS) >= ALWAYS
