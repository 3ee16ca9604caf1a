"""The recipes of CONTRIBUTING.md work when they are followed to the letter."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from repository import ROOT, copy_repository

SECTION = re.compile(r"^## (.+?)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECIPES = ("Add an operator", "Add a pass", "Add a backend")
CONVENTIONS = ("architecture", "conventions", "packaging", "registry")


def section(title: str) -> str:
    """Return the text of one section of CONTRIBUTING.md."""
    parts = SECTION.split((ROOT / "CONTRIBUTING.md").read_text())
    return dict(zip(parts[1::2], parts[2::2], strict=True))[title]


def write_files(text: str, folder: Path) -> list[Path]:
    """Write each block of a recipe to the file that its first line names."""
    written: list[Path] = []
    for language, body in BLOCK.findall(text):
        if language == "toml":
            settings = folder / "pyproject.toml"
            heading = '[project.entry-points."glow.backends"]\n'
            package = '    "glow.backends",\n'
            changed = settings.read_text().replace(heading, heading + body)
            name = body.split()[0]
            changed = changed.replace(
                package, f'{package}    "glow.backends.{name}",\n'
            )
            settings.write_text(changed)
            continue
        first, _, rest = body.partition("\n")
        path = folder / first.lstrip("#/ ")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rest)
        written.append(path)
    return written


def environment_of(folder: Path) -> dict[str, str]:
    """Return an environment in which `glow` is the copy in `folder`."""
    subprocess.run([sys.executable, folder / "tools" / "link_packages.py"], check=True)
    settings = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / ".links" / "glow_xdsl-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: glow-xdsl\n")
    lines: list[str] = []
    for group, points in settings["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {at}" for name, at in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return os.environ | {"PYTHONPATH": str(folder / ".links")}


@pytest.mark.slow
@pytest.mark.parametrize("title", RECIPES)
def test_recipe_passes_its_own_tests(title: str, tmp_path: Path) -> None:
    copy_repository(tmp_path)
    written = write_files(section(title), tmp_path)
    environment = environment_of(tmp_path)
    texts = [path for path in written if path.suffix == ".mlir"]
    units = [path for path in written if path.name.startswith("test_")]
    assert texts or units
    # The rules are kept, but for what other files of this repository break.
    names = [f"test/unit/test_{name}.py" for name in CONVENTIONS]
    commands = [[sys.executable, "-m", "pytest", "-q", "-m", "not slow", *names]]
    if units:
        commands.append([sys.executable, "-m", "pytest", "-q", *map(str, units)])
    if texts:
        commands.append(["lit", "-v", *map(str, texts)])
    for command in commands:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
