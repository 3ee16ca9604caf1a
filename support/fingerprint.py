"""Fingerprint of this compiler: its versions and the text of its sources."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from glow.support.extensions import GROUPS, entry_points_of

_NEEDED = ("glow-xdsl", "xdsl", "numpy", "ml_dtypes", "llvmlite", "onnx")
_KNOWN_BY_VERSION = ("glow", "xdsl")


@cache
def fingerprint() -> str:
    """
    Return a digest of all code that a compilation depends on, extensions included.

    Sources count by content, since versions stay while they are edited.
    """
    parts = [f"python {sys.version_info.major}.{sys.version_info.minor}"]
    parts += [f"{name} {_version_of(name)}" for name in _NEEDED]
    parts.append(digest_of_sources(*own_folders()))
    parts += [f"{name} {digest}" for name, digest in digests_of_extensions(GROUPS)]
    return sha256("\n".join(parts).encode()).hexdigest()


def digests_of_extensions(groups: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each other package with entry points in `groups`, and its digest."""
    points = [point for group in groups for point in entry_points_of(group)]
    tops = {point.module.partition(".")[0] for point in points}
    for name in sorted(tops.difference(_KNOWN_BY_VERSION)):
        yield name, digest_of_sources(*folders_of(name))


def _version_of(name: str) -> str:
    # Slow to import, and loading an executable needs no version.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def own_folders() -> list[Path]:
    """Return the folders of this package: one if installed, several in a checkout."""
    root = Path(__file__).resolve().parents[1]
    top = [path.resolve() for path in folders_of("glow")]
    beside = [
        path
        for path in sorted(root.iterdir())
        if path.name.isidentifier() and folders_of(f"glow.{path.name}") == [path]
    ]
    return [*top, *(path for path in beside if path.parent not in top)]


def folders_of(package: str) -> list[Path]:
    """Return the location of a package or module, without running it."""
    spec = find_spec(package)
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(each) for each in spec.submodule_search_locations]
    return [] if spec.origin is None else [Path(spec.origin)]


def digest_of_sources(*roots: Path) -> str:
    """Return a digest of all Python files in and below `roots`, names included."""
    digest = sha256()
    for root in roots:
        for path in _sources(root):
            digest.update(f"\n{root.name}/{path.relative_to(root)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    yield from [root] if root.is_file() else sorted(root.rglob("*.py"))
