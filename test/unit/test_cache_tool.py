"""`glow-cache`: what it lists, what it removes, and what it refuses."""

from __future__ import annotations

import os
import time
from pathlib import Path

import models
import pytest

import glow
from glow.support.files import CACHE_VARIABLE, FileCache
from glow.tools import glow_cache

Capture = pytest.CaptureFixture[str]


def run(arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> list[str]:
    """Return the lines of the tool; those of errors where it fails."""
    monkeypatch.setattr("sys.argv", ["glow-cache", *arguments.split()])
    try:
        glow_cache.main()
    except SystemExit:
        return capsys.readouterr().err.splitlines()
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the machine code of a model, its executable, and a user's file."""
    place = tmp_path / "cache"
    place.mkdir(mode=0o700)
    monkeypatch.setenv(CACHE_VARIABLE, str(place))
    glow.compile(models.mlp().SerializeToString(), cache_dir=place)
    (place / "notes.txt").write_text("mine")
    return place


def test_what_is_kept_is_listed_by_kind(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Files that the cache did not make do not count."""
    title, code, executables = run("", monkeypatch, capsys)
    assert title == str(folder)
    objects = len(list(folder.glob("*.object")))
    assert objects
    assert code.split()[:4] == ["machine", "code", str(objects), "files"]
    assert executables.split()[:2] == ["executables", "1"]
    assert "last used" in code
    assert run(f"--cache-dir {folder}", monkeypatch, capsys)[0] == title


def test_only_what_the_cache_made_is_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    lines = run("--clear", monkeypatch, capsys)
    assert "1 removed" in lines[2]
    assert lines[3].split() == ["1", "other", "file", "left"]
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    net = glow.compile(models.mlp().SerializeToString(), cache_dir=folder)
    assert net.signature.inputs
    assert list(folder.glob("*.executable"))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "now"), (1, "1 second ago"), (7200, "2 hours ago"), (90_000, "1 day ago")],
)
def test_the_last_use_is_reported_in_the_largest_unit(
    seconds: int,
    text: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    for path in folder.glob("*.executable"):
        os.utime(path, (now - seconds, now - seconds))
    assert run("", monkeypatch, capsys)[2].endswith(f"last used {text}")


def test_a_folder_that_is_not_there_or_not_private_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    absent, shared = tmp_path / "absent", tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    (line,) = run(f"--cache-dir {absent}", monkeypatch, capsys)
    assert line == f"error: expected a folder, got {absent}"
    (line,) = run(f"--cache-dir {shared} --clear", monkeypatch, capsys)
    assert "only you can write to" in line
    monkeypatch.setenv(CACHE_VARIABLE, "")
    (line,) = run("", monkeypatch, capsys)
    assert "GLOW_CACHE_DIR is empty" in line


def test_files_that_are_being_written_stay(tmp_path: Path) -> None:
    """A process that still writes one would fail; one that ended leaves it behind."""
    cache = FileCache(tmp_path, ".object", 1 << 20)
    cache.put("key", lambda path: path.write_bytes(b"code") and None)
    young, old = tmp_path / ".a.object.01.tmp", tmp_path / ".b.object.02.tmp"
    for path in (young, old, tmp_path / "other.executable"):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    assert len(cache.files()) == 3
    assert cache.clear() == 2
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [young.name, "other.executable"]
