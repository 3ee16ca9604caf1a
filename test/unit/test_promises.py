"""Pages of promises: each names tests that exist."""

import re

import pytest
from repository import ROOT

PAGES = {
    "optionals": [f"A3.{n}" for n in range(1, 11)],
    "storage": [f"A1.{n}" for n in range(1, 12)] + [f"A2.{n}" for n in range(1, 13)],
}


@pytest.mark.parametrize("page", PAGES)
def test_tests_that_the_page_names_exist(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    rows = re.findall(r"^\| (A\d\.\d+) \|", text, re.MULTILINE)
    assert rows == PAGES[page]
    for file, name in re.findall(r"`(test_\w+\.py)::(\w+)`", text):
        assert f"def {name}(" in (ROOT / "test" / "unit" / file).read_text(), name
    for file, name in re.findall(r"`(\w+\.mlir)@(\w+)`", text):
        paths = list((ROOT / "test").rglob(file))
        assert any(f"@{name}(" in path.read_text() for path in paths), name
