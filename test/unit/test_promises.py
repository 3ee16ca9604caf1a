"""Pages of promises name tests that exist."""

import re

import pytest
from repository import ROOT


@pytest.mark.parametrize("page", ["optionals", "storage"])
def test_each_promise_names_tests_that_exist(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    promises = text.split("| promise | shown by |\n|---|---|\n")[1].splitlines()
    assert promises
    for promise in promises:
        unit = re.findall(r"`(test_\w+\.py)::(\w+)`", promise)
        cases = re.findall(r"`(\w+\.mlir)@(\w+)`", promise)
        assert unit or cases or "ops/slots.md" in promise, promise
        for file, name in unit:
            source = (ROOT / "test" / "unit" / file).read_text()
            assert f"def {name}(" in source, f"{file}::{name}"
        for file, name in cases:
            paths = (ROOT / "test").rglob(file)
            assert any(f"@{name}(" in path.read_text() for path in paths), name
