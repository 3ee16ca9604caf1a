"""A broken package that extends Glow is named in one line, whatever it adds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from outside import installed

import glow
from glow.formats.onnx.registry import handlers
from glow.lowering.memory_to_loops.rules import import_rules
from glow.pipeline import STAGES, stages
from glow.registry import universe
from glow.support.extensions import GROUPS
from glow.support.targets import resolve

PROJECT = """
[project]
name = "tides"
version = "1"
[project.entry-points."{group}"]
tides = "{value}"
"""
MODULE = """
from glow.lowering.memory_to_loops.rules import import_rules
from glow.pipeline import AddedStep, Step
from glow.formats.onnx.registry import onnx_op

NUMBER = 5
HERE = AddedStep(Step("cse", "A test."), before="fold-constants")
LATE = AddedStep(Step("dce", "A test."), after="fold-constants")
UNKNOWN = AddedStep(Step("no-such-pass", "A test."), after="cse")
BOTH = AddedStep(Step("cse", "A test."), before="dce", after="cse")
NOWHERE = AddedStep(Step("cse", "A test."), after="no-such-pass")

@onnx_op("TopK", since=10)
def top_k(node):
    return node.input(0)
"""
USERS: dict[str, Callable[[], object]] = {
    "glow.kernels": import_rules,
    "glow.backends": lambda: resolve("tides"),
    "glow.onnx": handlers,
    "glow.pipeline": stages,
    "xdsl.universe": universe,
}


def extend(group: str, value: str, folder: Path) -> Path:
    """Write a package that names `value` in `group`; return its folder."""
    (folder / "pyproject.toml").write_text(PROJECT.format(group=group, value=value))
    (folder / "extension_of_test.py").write_text(MODULE)
    return folder


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        (
            "extension_of_test:ABSENT",
            "AttributeError: module .* has no attribute 'ABSENT'",
        ),
        ("extension_of_test:NUMBER", r"expected an? \w+, got an int"),
    ],
)
@pytest.mark.parametrize("group", USERS)
def test_a_broken_package_is_named(
    group: str, value: str, reason: str, tmp_path: Path
) -> None:
    message = f'package tides: entry point "tides" of {group}: {reason}'
    with (
        installed(extend(group, value, tmp_path), tmp_path),
        pytest.raises(glow.ExtensionError, match=message) as caught,
    ):
        USERS[group]()
    assert "\n" not in str(caught.value)


def test_every_group_is_tested() -> None:
    assert set(USERS) == set(GROUPS)


def test_two_packages_cannot_import_one_operator(tmp_path: Path) -> None:
    message = (
        r"one module to import TopK-10, got glow\.formats\..* and extension_of_test"
    )
    with (
        installed(extend("glow.onnx", "extension_of_test", tmp_path), tmp_path),
        pytest.raises(glow.ExtensionError, match=message),
    ):
        handlers()


@pytest.mark.parametrize(("value", "at"), [("HERE", 0), ("LATE", -1)])
def test_steps_are_added_before_the_first_and_after_the_last_of_a_name(
    value: str, at: int, tmp_path: Path
) -> None:
    name = f"extension_of_test:{value}"
    with installed(extend("glow.pipeline", name, tmp_path), tmp_path):
        names = [step.name for step in stages()[0].steps]
        (added,) = set(stages()[0].steps) - set(STAGES[0].steps)
    at = [i for i, name in enumerate(names) if name == "fold-constants"][at]
    assert added.reason == "A test."
    assert names[at - 1 if value == "HERE" else at + 1] == added.name
    assert stages() == STAGES


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("NOWHERE", "expected the name of a step, got 'no-such-pass'"),
        ("UNKNOWN", "expected the name of a pass, got 'no-such-pass'"),
        ("BOTH", "expected a step to run before or after, got both"),
    ],
)
def test_a_step_without_a_pass_or_a_place_is_refused(
    value: str, reason: str, tmp_path: Path
) -> None:
    extend("glow.pipeline", f"extension_of_test:{value}", tmp_path)
    message = f'package tides: entry point "tides" of glow.pipeline: {reason}'
    with (
        installed(tmp_path, tmp_path),
        pytest.raises(glow.ExtensionError, match=message),
    ):
        stages()
