"""The object cache: whole files, damage, limits, disks that fail."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from glow.backends.cpu import object_cache as module
from glow.backends.cpu.object_cache import ObjectCache
from glow.support.files import FileCache


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


def test_abandoned_temporary_files_are_removed(tmp_path: Path):
    for name, age in ((".old.tmp", 7200), (".young.tmp", 60)):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    ObjectCache(tmp_path).get("a", lambda: b"code")
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == [".young.tmp", "a.object"]


def test_files_are_looked_at_once_per_many_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    cache = ObjectCache(tmp_path, limit_bytes=16000)
    prunes: list[str] = []
    assert cache._files is not None
    monkeypatch.setattr(cache._files, "_prune", lambda: prunes.append("looked"))
    for key in "abcd":
        cache.get(key, lambda: bytes(600))
    assert len(prunes) == 2  # after the first, and after 1000 bytes more


@pytest.mark.slow
def test_processes_share_a_folder(tmp_path: Path):
    """They write the same keys in another order, and remove some; none reads half."""
    script = (
        "import sys; from pathlib import Path\n"
        "from glow.backends.cpu import object_cache as c\n"
        "keys = [f'k{i}' for i in range(40)]\n"
        "for key in keys[:: int(sys.argv[2])] * 3:\n"
        "    data = key.encode() * 5000\n"
        "    store = c.ObjectCache(Path(sys.argv[1]), limit_bytes=200_000)\n"
        "    assert store.get(key, lambda: data) == data\n"
        "    c._MEMORY.clear()\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), step])
        for step in ("1", "-1", "1")
    ]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    assert {path.suffix for path in tmp_path.iterdir()} == {".object"}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_MEMORY_LIMIT_BYTES", 20)
    cache = ObjectCache()
    for key in "abc":
        cache.get(key, lambda: bytes(8))
    assert list(module._MEMORY) == ["b", "c"]


def test_a_process_looks_at_a_folder_once_however_many_caches_it_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    looked: list[Path] = []
    monkeypatch.setattr(FileCache, "_prune", lambda self: looked.append(self.folder))
    for key in "abc":
        ObjectCache(tmp_path).get(key, lambda: b"code")
    ObjectCache(tmp_path / "other").get("a", lambda: b"code")
    assert looked == [tmp_path, tmp_path / "other"]
