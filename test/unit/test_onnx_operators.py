"""Every operator that the importer knows, over a grid, against ONNX Runtime."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import pytest
from grids import part_of
from onnx import defs
from operators import all_cases
from operators.case import Case, feeds_of, model_of
from operators.oracle import Array, difference, expected_of
from operators.versions import in_all_versions

import glow
from glow.formats.onnx.registry import handlers

CASES = all_cases()


def by_opset(cases: Sequence[Case]) -> list[list[Case]]:
    """Return the cases in groups that one model can hold."""
    groups: dict[int, list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.opset].append(case)
    return list(groups.values())


def outputs_of(cases: list[Case], target: str) -> list[list[Array]]:
    """Compile `cases` as one model and run it."""
    net = glow.compile(model_of(cases), target=target)
    flat = iter(net.run(feeds_of(cases)).values())
    return [[next(flat) for _ in range(case.outputs)] for case in cases]


Expected = list[list[Array] | None]


@lru_cache(maxsize=4)
def expected_of_all(op: str) -> list[Expected]:
    """Return what others compute, once for all targets."""
    return [expected_of(cases) for cases in by_opset(part_of(CASES[op]))]


def differences(cases: list[Case], expected: Expected, target: str) -> list[str]:
    """Say where `target` differs from the others on `cases` of one opset."""
    wrong: list[str] = []
    actual = outputs_of(cases, target)
    for case, own, theirs in zip(cases, actual, expected, strict=True):
        for mine, other in zip(own, theirs or [], strict=theirs is not None):
            if (found := difference(case.op, mine, other)) is not None:
                wrong.append(f"{case}: {found}")
    return wrong


@pytest.mark.parametrize(
    "target", ["reference", pytest.param("cpu", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("op", CASES)
def test_operator_computes_what_others_do(op: str, target: str) -> None:
    groups = zip(by_opset(part_of(CASES[op])), expected_of_all(op), strict=True)
    wrong = [w for group in groups for w in differences(*group, target)]
    assert not wrong, "\n".join(wrong)


def agreed(case: Case) -> bool:
    """Say whether others are right about an old version of the operator."""
    match case.op:
        case "Dropout":  # the mask of inference is unspecified before 12
            return case.outputs == 1 or case.opset >= 12
        case "GroupNormalization":  # a scale is that of a group, then of a channel
            return False
        case "Loop":  # onnx.reference joins what it should stack
            return case.opset >= 11
        case "MaxPool":  # onnx.reference has the shape of f64 wrong
            return case.opset >= 8 or str(case.inputs[0].dtype) == "float32"
        case "Resize":  # the second input of version 10 is the third one now
            return len(case.inputs) > 2
        case _:
            return True


@pytest.mark.full
@pytest.mark.parametrize("op", CASES)
def test_operator_computes_what_others_do_in_every_version(op: str) -> None:
    cases = [case for case in in_all_versions(CASES[op]) if agreed(case)]
    groups = ((group, expected_of(group)) for group in by_opset(cases))
    wrong = [w for group in groups for w in differences(*group, "reference")]
    assert not wrong, "\n".join(wrong)


def test_every_operator_of_onnx_has_cases() -> None:
    known = {name for name in handlers() if defs.has(name)}
    assert known <= set(CASES), known - set(CASES)
