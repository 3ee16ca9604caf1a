"""ONNX's own suite: nothing may fail, and what passes must go on so."""

import subprocess
import sys
from pathlib import Path

import pytest
from conformance import (
    CRASHED,
    FAILED,
    HUNG,
    PASSED,
    UNSUPPORTED,
    Outcome,
    counted,
    run_suite,
)
from targets import TARGETS

# With onnx 1.23; another version has about as many.
PASSING = 1600

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "conformance.py"

# One or two of each way through the adapter: plain, constants by value, a body, models
# from files, what is not supported.
SAMPLE = {
    "test_add_bcast_cpu": PASSED,
    "test_center_crop_pad_crop_and_pad_expanded_cpu": PASSED,
    "test_reshape_allowzero_reordered_cpu": PASSED,
    "test_sequence_model1_cpu": UNSUPPORTED,
    "test_sign_model_cpu": PASSED,
    "test_split_equal_parts_1d_opset13_cpu": PASSED,
    "test_strnorm_model_nostopwords_nochangecase_cpu": UNSUPPORTED,
    "test_top_k_cpu": PASSED,
}


@pytest.mark.slow
def test_a_sample_goes_as_it_should() -> None:
    found = run_suite("cpu", SAMPLE, jobs=1)
    assert {each.case: each.status for each in found} == SAMPLE


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
def test_no_case_fails(target: str) -> None:
    found = run_suite(target)
    assert [each for each in found if counted([each], FAILED)] == []
    assert counted(found, PASSED) >= PASSING
    assert all("\n" not in each.reason for each in found)


@pytest.mark.full
def test_a_case_that_crashes_hangs_or_is_wrong_is_seen_as_such() -> None:
    cases = ["test_abs_cpu", "test_exp_cpu", "test_log_cpu", "test_sqrt_cpu"]
    found = run_suite("bad_backend:BadBackend", cases, jobs=1, seconds=5)
    assert [each.status for each in found] == [CRASHED, FAILED, HUNG, PASSED]
    assert found[0] == Outcome(
        "test_abs_cpu", "Abs", CRASHED, "the process ended with -6"
    )


@pytest.mark.full
def test_page_has_a_row_for_each_operator(tmp_path: Path) -> None:
    output = tmp_path / "CONFORMANCE.md"
    command = [sys.executable, SCRIPT, "--output", output]
    command += [
        "--cases",
        "test_abs_cpu",
        "test_strnorm_model_nostopwords_nochangecase_cpu",
    ]
    subprocess.run(command, check=True, capture_output=True)
    text = output.read_text()
    assert "| Abs | 1 / 0 / 0 | 1 / 0 / 0 | 1 |  |" in text
    assert "| element type STRING | 1 | 0 |" in text
