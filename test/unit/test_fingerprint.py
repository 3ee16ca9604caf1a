"""What tells one compiler from another."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from repository import ROOT

from glow.support import fingerprint as module
from glow.support.fingerprint import digest_of_sources, fingerprint, own_folders


def test_all_packages_of_a_checkout_count() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folders = settings["tool"]["setuptools"]["package-dir"].values()
    assert set(own_folders()) == {ROOT / folder for folder in folders}


def test_content_and_names_count(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    file = tmp_path / "inner" / "a.py"
    file.write_text("x = 1\n")
    (tmp_path / "notes.txt").write_text("no source")
    seen = [digest_of_sources(tmp_path)]
    file.write_text("x = 2\n")
    seen.append(digest_of_sources(tmp_path))
    file.rename(tmp_path / "inner" / "b.py")
    seen.append(digest_of_sources(tmp_path))
    assert len(set(seen)) == 3
    (tmp_path / "notes.txt").write_text("still none")
    assert digest_of_sources(tmp_path) == seen[-1]


def test_packages_that_add_to_the_compiler_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tides_of_test.py"
    file.write_text("BACKEND = None\n")
    before = fingerprint()
    point = EntryPoint("tides", "tides_of_test:BACKEND", "glow.backends")
    original = module.entry_points_of
    monkeypatch.setattr(
        module, "entry_points_of", lambda group: [*original(group), point]
    )
    monkeypatch.syspath_prepend(tmp_path)
    fingerprint.cache_clear()
    first = fingerprint()
    file.write_text("BACKEND = 1\n")
    fingerprint.cache_clear()
    second = fingerprint()
    fingerprint.cache_clear()
    assert len({before, first, second}) == 3


def test_a_package_that_is_absent_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setattr(module, "_NEEDED", (*module._NEEDED, "no-such-package"))
    fingerprint.cache_clear()
    assert fingerprint() != before
    fingerprint.cache_clear()
