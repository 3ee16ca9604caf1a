"""Machine code that command lines keep: where, and when not."""

import argparse
import os
from pathlib import Path

import pytest

import glow
from glow.tools.options import add_cache_options, cache_dir_of, user_cache_dir


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path / "home"


def parsed(*arguments: str, by_default: bool = True) -> Path | None:
    parser = argparse.ArgumentParser()
    add_cache_options(parser, by_default)
    return cache_dir_of(parser.parse_args(arguments))


def test_by_default_at_home_and_private(home: Path) -> None:
    assert parsed() == home / ".cache" / "glow"
    assert (home / ".cache" / "glow").stat().st_mode & 0o777 == 0o700


def test_the_environment_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert parsed() == tmp_path / "caches" / "glow"


def test_a_relative_path_in_the_environment_does_not_count(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    assert parsed() == home / ".cache" / "glow"


def test_options_say_where_or_nowhere(tmp_path: Path, home: Path) -> None:
    assert parsed("--cache-dir", str(tmp_path)) == tmp_path
    assert parsed("--no-cache") is None
    assert parsed(by_default=False) is None
    assert parsed("--cache-dir", str(tmp_path), by_default=False) == tmp_path
    assert not home.exists()
    with pytest.raises(SystemExit):
        parsed("--no-cache", "--cache-dir", str(tmp_path))


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(home: Path, mode: int) -> None:
    folder = user_cache_dir()
    assert folder is not None
    folder.chmod(mode)
    assert user_cache_dir() is None


def test_a_folder_of_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_cache_dir() is not None
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    assert user_cache_dir() is None


def test_no_folder_can_be_made(home: Path) -> None:
    home.write_text("a file")
    assert user_cache_dir() is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no users here")
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_refused(
    tmp_path: Path, mode: int
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    message = f"only you can write to, .* got one that others .* {mode:o}\\): .*cache"
    with pytest.raises(ValueError, match=message):
        glow.compile(b"", cache_dir=folder)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no users here")
def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.raises(ValueError, match=f"got one of user {own}: "):
        glow.compile(b"", cache_dir=tmp_path)
