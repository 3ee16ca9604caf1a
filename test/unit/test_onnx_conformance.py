"""ONNX's own node cases: none may come out wrong, and what passes must go on so."""

import pytest
from conformance import run_suite
from targets import TARGETS

# With onnx 1.23; another version has about as many.
PASSING = 1000


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
def test_node_cases_pass_or_are_refused(target: str) -> None:
    report = run_suite(target)
    assert not report.wrong
    assert len(report.passed) >= PASSING, report
