"""The package in test/outside, as if it were installed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from repository import ROOT

from glow.formats.onnx.registry import handlers
from glow.lowering.memory_to_loops.rules import import_rules
from glow.pipeline import stages
from glow.registry import universe
from glow.support.extensions import entry_points_of
from glow.support.fingerprint import fingerprint
from glow.support.targets import target_of

PACKAGE = ROOT / "test" / "outside"


def metadata_of(project: Path, folder: Path) -> None:
    """Write into `folder` what installing the package in `project` would."""
    settings = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    name, version = settings["name"].replace("-", "_"), settings["version"]
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {settings['name']}\nVersion: {version}\n"
    )
    lines: list[str] = []
    for group, points in settings["entry-points"].items():
        lines += [f"[{group}]", *(f"{point} = {at}" for point, at in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))


@contextmanager
def installed(project: Path, folder: Path) -> Iterator[None]:
    """Let this process find the package in `project`, with metadata in `folder`."""
    metadata_of(project, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(project))
        patch.syspath_prepend(str(folder))
        _forget()
        try:
            yield
        finally:
            patch.undo()
            _forget()


def _forget() -> None:
    for each in (
        *(entry_points_of, target_of, universe, stages, handlers, fingerprint),
        import_rules,
    ):
        each.cache_clear()
