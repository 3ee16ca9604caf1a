"""What holds after stages: known origins, one text for one input, a tight arena."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import models
import onnx
import pytest
from grids import slow_but
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

import glow
from glow.analysis.levels import level_of
from glow.graph_modules import context
from glow.pass_manager import parse_passes, plan, run_part, run_passes
from glow.pipeline import LEVELS, STAGE_NAMES

NAMES = ("mlp", "encoder", "squeezenet", "shufflenet")
# Stages whose ops the model's nodes turned into; kernels below belong to no node.
OF_THE_MODEL = STAGE_NAMES[: STAGE_NAMES.index("memory") + 1]


@cache
def lowered(name: str, level: str) -> ModuleOp:
    """Return model `name` at `level`; callers leave it as it is."""
    if level == "import":
        return glow.load(models.build(name)).module
    before = LEVELS[LEVELS.index(level) - 1]
    module = lowered(name, before).clone()
    for part in plan(before, level, "cpu"):
        run_part(part, context(), module)
    return module


def origin_is_unknown(op: Operation) -> bool:
    return isinstance(op.location, UnknownLoc)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stage", ["import", *OF_THE_MODEL])
def test_every_op_knows_its_node(name: str, stage: str) -> None:
    module = lowered(name, stage)
    lost = {op.name for op in module.walk() if origin_is_unknown(op)}
    assert not lost, f"after {stage}: {sorted(lost)}"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_call_knows_its_node(name: str) -> None:
    functions = [op for op in lowered(name, "loops").ops if isinstance(op, FuncOp)]
    (main,) = (op for op in functions if op.sym_name.data == "main")
    calls = [op for op in main.walk() if isinstance(op, CallOp)]
    assert calls
    assert not [op for op in calls if origin_is_unknown(op)]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", LEVELS)
def test_every_level_is_known_by_its_ops(name: str, level: str) -> None:
    # Nothing tells a folded graph from one fresh from an importer.
    expected = "import" if level == "graph" else level
    assert level_of(lowered(name, level)) == expected


@pytest.mark.parametrize("name", slow_but(NAMES, "squeezenet", "mlp"))
def test_graph_passes_leave_nothing_to_themselves(name: str) -> None:
    module = lowered(name, "graph").clone()
    before = str(module)
    for part in plan("import", "graph", "cpu"):
        run_passes(part.passes, context(), module)
    assert str(module) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", models.FILES)
def test_the_arena_is_close_to_its_lower_bound(name: str) -> None:
    module = glow.load(models.skeleton(name)).module
    for part in plan("import", "memory", "cpu"):
        run_passes(part.passes, context(), module)
    arena, bound = (
        module.attributes[key].value.data  # type: ignore[attr-defined]
        for key in ("glow.arena_bytes", "glow.arena_lower_bound")
    )
    assert 0 < bound <= arena <= 1.15 * bound


DIGESTS = """
import hashlib, sys
import glow
from glow.graph_modules import context
from glow.pass_manager import plan, run_part
from glow.support.targets import resolve, target_of

module = glow.load(sys.argv[1]).module
for part in plan("import", "llvm", "cpu"):
    run_part(part, context(), module)
    print(part.ends.name, hashlib.sha256(str(module).encode()).hexdigest())
for form in ("llvm-ir", "asm", "object"):
    code = resolve("cpu").emit(module, target_of("cpu"), form)
    data = code.encode() if isinstance(code, str) else code
    print(form, hashlib.sha256(data).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param("encoder", marks=pytest.mark.full), "squeezenet"]
)
def test_two_processes_make_the_same_text_and_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.onnx"
    onnx.save(models.build(name), path)

    def digests(seed: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", DIGESTS, path],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert digests("1") == digests("2")


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("cse{depth=3}", "it has no option depth"),
        (
            "differentiate{off=1 values=3}",
            "it has no option off, did you mean of?; expected values to be bool, got 3",
        ),
        ("fold-constants{limit_bytes=1,2}", "expected limit_bytes to be int, got 1,2"),
        ("demote-constants{residency=x}", "expected residency to be bound or resident"),
        ("differentiate{of=x}", "expected of to be tuple[int, ...], got x"),
        ("unroll-loops{most}", "expected most to be int, got no value"),
    ],
)
def test_all_wrong_options_of_a_pass_are_named(text: str, problems: str) -> None:
    with pytest.raises(ValueError, match=f"^pass [a-z-]+: {re.escape(problems)}"):
        parse_passes(text)
