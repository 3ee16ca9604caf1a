"""Every operator that the importer knows, over a grid, against ONNX Runtime."""

from __future__ import annotations

from collections import defaultdict

import pytest
from operators import all_cases
from operators.case import Case, feeds_of, model_of
from operators.oracle import Array, difference, expected_of
from targets import TARGETS

import glow
from glow.importers.onnx.registry import handlers

CASES = all_cases()


def by_opset(cases: list[Case]) -> list[list[Case]]:
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


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", CASES)
def test_operator_computes_what_others_do(op: str, target: str) -> None:
    wrong: list[str] = []
    for cases in by_opset(CASES[op]):
        actual, expected = outputs_of(cases, target), expected_of(cases)
        for case, own, theirs in zip(cases, actual, expected, strict=True):
            for mine, other in zip(own, theirs or [], strict=theirs is not None):
                if (found := difference(op, mine, other)) is not None:
                    wrong.append(f"{case}: {found}")
    assert not wrong, "\n".join(wrong)


def test_every_operator_has_cases() -> None:
    assert set(handlers()) <= set(CASES), set(handlers()) - set(CASES)
