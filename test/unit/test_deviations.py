"""Corners where others and we differ: results stay as the page of them says."""

from importlib.metadata import version

import pytest
from deviations import DEVIATIONS, Deviation, of_onnx, of_onnxruntime, ours
from repository import ROOT

PAGE = (ROOT / "docs" / "deviations.md").read_text()
CELLS = {
    cells[0]: cells[1:]
    for line in PAGE.splitlines()
    if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 5
}
IS_LISTED = pytest.mark.parametrize("each", DEVIATIONS, ids=lambda each: each.title)


@pytest.mark.parametrize(
    "target", ["reference", pytest.param("cpu", marks=pytest.mark.slow)]
)
@IS_LISTED
def test_results_are_those_of_the_page(each: Deviation, target: str) -> None:
    assert ours(each.case, target) == CELLS[each.title][0]


@IS_LISTED
def test_others_differ(each: Deviation) -> None:
    """Where this fails for a new version, `make deviations`, or take the case out."""
    names = (f"ONNX Runtime {version('onnxruntime')}", f"onnx {version('onnx')}")
    if not all(name in PAGE for name in names):
        pytest.skip("the page is of other versions")
    result, *others, reason = CELLS[each.title]
    assert [of_onnxruntime(each.case), of_onnx(each.case)] == others
    assert reason == each.reason
    assert any(other != result for other in others)


def test_the_page_lists_no_others() -> None:
    titles = {each.title for each in DEVIATIONS}
    assert CELLS.keys() == titles | {"case", "---"}
