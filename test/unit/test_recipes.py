"""The recipes of CONTRIBUTING.md work when they are followed to the letter."""

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from outside import metadata_of
from recipes import blocks_of, section, write_block
from repository import copy_repository

RECIPES = (
    "Add an operator",
    "Add an operator with a kernel",
    "Add an ONNX operator made of others",
    "Add a pass",
    "Add a backend",
    "Add a number type",
)
# The tests that find what was added by themselves, and which of them.
FINDING = (
    "square or every_op or every_elementwise"
    " or running_max or every_op_that_computes or QuickGelu or uint1 or ui1",
    (
        *("declared_ops", "examples", "graph_dialect", "graph_reordering"),
        *("number_types", "onnx_operators", "random_ops", "small_integers"),
    ),
)
CONVENTIONS = ("architecture", "conventions", "packaging", "registry")


def write_files(text: str, folder: Path) -> list[Path]:
    """Write each block of a recipe to the file that its first line names."""
    written: list[Path] = []
    for language, body in blocks_of(text):
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
        if language == "diff":
            git = ["git", "apply", "-"]
            subprocess.run(git, cwd=folder, input=body, text=True, check=True)
            continue
        written.append(write_block(body, folder))
    return written


def environment_of(folder: Path) -> dict[str, str]:
    """Return an environment in which `glow` is the copy in `folder`."""
    subprocess.run([sys.executable, folder / "tools" / "link_packages.py"], check=True)
    settings = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / ".links" / "glow_xdsl-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: glow-xdsl\nVersion: 0.0.0\n"
    )
    lines: list[str] = []
    for group, points in settings["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {at}" for name, at in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PYTHONPATH": str(folder / ".links"), "PATH": path}


@dataclass(frozen=True)
class Followed:
    """A copy of the repository in which all recipes were followed."""

    folder: Path
    written: list[Path]
    environment: dict[str, str]

    def passes(self, *command: object) -> None:
        """Run a command there, which must succeed."""
        done = subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def passes_tests(self, *tests: object, only: str = "not full") -> None:
        """Run tests there."""
        self.passes(sys.executable, "-m", "pytest", "-q", "-m", only, *tests)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    folder = tmp_path_factory.mktemp("recipes")
    copy_repository(folder)
    written = [
        path for title in RECIPES for path in write_files(section(title), folder)
    ]
    return Followed(folder, written, environment_of(folder))


@pytest.mark.slow
def test_recipes_pass_their_own_tests(followed: Followed) -> None:
    units = [path for path in followed.written if path.name.startswith("test_")]
    followed.passes_tests(*units)
    texts = [path for path in followed.written if path.suffix == ".mlir"]
    followed.passes("lit", "-v", *texts)


@pytest.mark.slow
def test_tests_find_what_recipes_add(followed: Followed) -> None:
    chosen, names = FINDING
    tests = [f"test/unit/test_{name}.py" for name in names]
    followed.passes_tests("-k", chosen, *tests)


@pytest.mark.slow
def test_recipes_keep_the_rules(followed: Followed) -> None:
    # But for what other files of this repository break.
    tests = [f"test/unit/test_{name}.py" for name in CONVENTIONS]
    followed.passes_tests(*tests, only="not slow")


@pytest.mark.full
def test_recipes_pass_the_fast_suite(followed: Followed) -> None:
    followed.passes("lit", "-q", "--workers", 2, "test")
    # But for what a copy is not: an installed package with extras, in a commit.
    other = "packages_of_a_checkout or map_names_every_folder or peer_that_is_absent"
    options = ("-n", 2, "--dist", "worksteal", "--hypothesis-profile=fast")
    options += ("-k", f"not ({other})")
    followed.passes_tests(*options, only="not full and not slow")


@pytest.mark.slow
def test_a_package_of_its_own_works_without_a_change_here(tmp_path: Path) -> None:
    for _, body in blocks_of(section("Add from another package")):
        write_block(body, tmp_path)
    metadata_of(tmp_path, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_tides.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
