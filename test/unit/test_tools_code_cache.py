"""Machine code that is kept for a user: where, and when not."""

import argparse
import os
from pathlib import Path
from typing import Any

import pytest

import glow
from glow.backends.cpu import object_cache
from glow.support.files import user_cache_dir
from glow.tools.options import add_cache_options, cache_dir_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path / "home"


def network() -> Any:
    b = glow.Builder()
    b.output("y", b.relu(b.input("x", (4,))))
    return b.model()


def parsed(*arguments: str, by_default: bool = True) -> Path | str:
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
    assert parsed("--no-cache") == ""
    assert parsed(by_default=False) == ""
    assert parsed("--cache-dir", str(tmp_path), by_default=False) == tmp_path
    assert not home.exists()
    with pytest.raises(SystemExit):
        parsed("--no-cache", "--cache-dir", str(tmp_path))


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_default_folder_that_others_can_write_to_is_not_used(
    home: Path, mode: int
) -> None:
    folder = user_cache_dir()
    assert folder is not None
    folder.chmod(mode)
    with pytest.warns(UserWarning, match=f"kept in {folder}, one .*mode {mode:o}"):
        assert user_cache_dir() is None


def test_a_default_folder_of_somebody_else_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert user_cache_dir() is not None
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.warns(UserWarning, match=f"one of user {own}"):
        assert user_cache_dir() is None


def test_a_variable_says_where_or_nowhere(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOW_CACHE_DIR", str(tmp_path / "named"))
    assert user_cache_dir() == tmp_path / "named"
    assert (tmp_path / "named").stat().st_mode & 0o777 == 0o700
    (tmp_path / "named").chmod(0o777)
    message = r"expected a GLOW_CACHE_DIR that only you .* \(mode 777\): .*named"
    with pytest.raises(ValueError, match=message):
        glow.compile(network())
    monkeypatch.setenv("GLOW_CACHE_DIR", "")
    assert user_cache_dir() is None
    assert not home.exists()


def test_no_folder_can_be_made(home: Path) -> None:
    home.write_text("a file")
    assert user_cache_dir() is None
    glow.compile(network())


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


def test_kernels_are_kept_for_the_user_by_default(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kept in (True, False):
        monkeypatch.setattr(object_cache, "_MEMORY", {})
        glow.compile(network(), cache_dir=None if kept else "")
        found = list((home / ".cache" / "glow").iterdir())
        assert {path.suffix for path in found} == ({".object"} if kept else set())
        assert {path.stat().st_mode & 0o777 for path in found} <= {0o600}
        for path in found:
            path.unlink()
