"""The object cache: whole files, damage, limits, disks that fail."""

import os
from pathlib import Path

import pytest

from glow.backends.cpu import cache as module
from glow.backends.cpu.cache import ObjectCache


@pytest.fixture(autouse=True)
def forget_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every test start as a fresh process does."""
    monkeypatch.setattr(module, "_MEMORY", {})


def never() -> bytes:
    raise AssertionError("made again")


def forget() -> None:
    module._MEMORY.clear()


def test_made_once_in_memory():
    cache = ObjectCache()
    assert cache.get("a", lambda: b"code") == b"code"
    assert cache.get("a", never) == b"code"


def test_made_once_on_disk(tmp_path: Path):
    directory = tmp_path / "deep" / "cache"
    ObjectCache(directory).get("a", lambda: b"code")
    forget()
    assert ObjectCache(directory).get("a", never) == b"code"


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"glow-object-1\n"])
def test_damaged_file_is_written_anew(tmp_path: Path, damage: bytes):
    ObjectCache(tmp_path).get("a", lambda: b"code")
    (path,) = tmp_path.iterdir()
    intact = path.read_bytes()
    path.write_bytes(damage)
    forget()
    assert ObjectCache(tmp_path).get("a", lambda: b"code") == b"code"
    assert path.read_bytes() == intact


def test_truncated_file_is_written_anew(tmp_path: Path):
    ObjectCache(tmp_path).get("a", lambda: b"code")
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    forget()
    assert ObjectCache(tmp_path).get("a", lambda: b"code") == b"code"


def test_files_used_longest_ago_are_removed(tmp_path: Path):
    cache = ObjectCache(tmp_path, limit_bytes=3000)
    for age, key in ((30, "old"), (20, "used"), (10, "young")):
        cache.get(key, lambda: bytes(900))
        path = tmp_path / f"{key}.object"
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    forget()
    cache.get("used", never)
    cache.get("new", lambda: bytes(900))
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["new", "used", "young"]


def test_disk_that_fails_breaks_nothing(tmp_path: Path):
    occupied = tmp_path / "file"
    occupied.write_text("not a folder")
    cache = ObjectCache(occupied / "cache")
    assert cache.get("a", lambda: b"code") == b"code"


def test_no_temporary_files_stay(tmp_path: Path):
    ObjectCache(tmp_path).get("a", lambda: b"code")
    assert [path.name for path in tmp_path.iterdir()] == ["a.object"]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_MEMORY_LIMIT_BYTES", 20)
    cache = ObjectCache()
    for key in "abc":
        cache.get(key, lambda: bytes(8))
    assert list(module._MEMORY) == ["b", "c"]
