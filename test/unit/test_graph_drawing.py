"""Drawings of graphs, and what happens where Graphviz is not installed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from subprocess import CalledProcessError
from types import SimpleNamespace
from typing import Any

import models
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from glow.formats.onnx import import_model
from glow.graph_modules import context
from glow.support.errors import CompilationError
from glow.tools import inspection
from glow.tools.graph_drawing import dot_of

VECTOR = "tensor<2x3xf32>"
TURNED = "tensor<2x3xf32, #layout.physical<NK>>"


def parse(text: str) -> ModuleOp:
    return Parser(context(), text).parse_module()


def chain(count: int) -> ModuleOp:
    ops = [f"%{k + 1} = graph.relu %{k} : ({VECTOR}) -> {VECTOR}" for k in range(count)]
    lines = [f"func.func @f(%0: {VECTOR}) -> {VECTOR} {{", *ops]
    return parse("\n".join([*lines, f"func.return %{count} : {VECTOR}", "}"]))


def test_each_op_is_a_box_and_each_use_an_edge() -> None:
    text = dot_of(chain(1))
    assert text.count('label="graph.relu') == 1
    assert text.count(" -> ") == 2
    assert text.count("{") == text.count("}")


def test_what_repeats_is_drawn_once() -> None:
    text = dot_of(chain(300))
    assert text.count('label="graph.relu') == 1
    assert 'label="300 times"' in text
    assert text.count(" -> ") == 2


def test_an_op_has_the_times_of_what_it_is_drawn_for() -> None:
    """Repetitions are added up; ops of one node say that they share its time."""
    ops = [f"%{k + 1} = graph.relu %{k} : ({VECTOR}) -> {VECTOR}" for k in range(3)]
    ops = [f'{op} loc("r{k}")' for k, op in enumerate(ops)]
    ops += [
        f'%{k + 1} = graph.{name} %{k} : ({VECTOR}) -> {VECTOR} loc("both")'
        for k, name in ((3, "exp"), (4, "tanh"))
    ]
    head = f"func.func @f(%0: {VECTOR}) -> {VECTOR} {{"
    text = dot_of(
        parse("\n".join([head, *ops, f"func.return %5 : {VECTOR}", "}"])),
        {"r0": 1e3, "r1": 2e3, "r2": 3e3, "both": 2e3, "elsewhere": 16e3},
    )
    assert 'graph.relu\\nr0\\n6.00 us, 25.0%"' in text
    assert 'fillcolor="0.08 0.500 1.0"' in text
    assert text.count("both\\n2.00 us, 8.3%, of 2 ops") == 2


def block(turns: Sequence[str], tail: str = "") -> str:
    """Return the drawing of turns in which `{x}` is what the one before gives."""
    lines: list[str] = []
    before = "%x"
    for number, turn in enumerate(turns):
        lines.append(turn.format(x=before, y=f"%a{number}", z=f"%b{number}"))
        before = f"%b{number}"
    body = "\n".join(lines).replace(":V", f": ({VECTOR}) -> {VECTOR}")
    body = body.replace(":W", f": ({VECTOR}, {VECTOR}) -> {VECTOR}")
    return dot_of(
        parse(
            f"func.func @f(%x: {VECTOR}, %m: {VECTOR}) -> {VECTOR} {{\n{body}\n{tail}"
            f"func.return {before} : {VECTOR}\n}}"
        )
    )


RESIDUAL = "{y} = graph.exp {x} :V\n{z} = graph.add {y}, {x} :W"
MASKED = "{y} = graph.exp {x} :V\n{z} = graph.add {y}, %m :W"
SWAPPED = "{y} = graph.exp {x} :V\n{z} = graph.add {x}, {y} :W"


@pytest.mark.parametrize("turn", [RESIDUAL, MASKED])
def test_blocks_of_a_network_repeat(turn: str) -> None:
    text = block([turn] * 3)
    assert 'label="3 times"' in text
    assert text.count("graph.exp") == text.count("graph.add") == 1


@pytest.mark.parametrize(
    "turns",
    {
        "other operands": [RESIDUAL, SWAPPED],
        "other ops": [RESIDUAL, RESIDUAL.replace("exp", "tanh")],
        "a value of the first turn": [
            MASKED.replace("%m", "{y}"),
            MASKED.replace("%m", "%a0"),
        ],
    }.values(),
)
def test_what_differs_is_drawn(turns: list[str]) -> None:
    text = block(turns)
    assert "times" not in text
    assert text.count("graph.add") == len(turns)


def test_a_group_is_a_box_with_a_line_for_each_op() -> None:
    module = parse(
        f"""func.func @f(%x: {VECTOR}) -> {VECTOR} {{
          %a = graph.exp %x : ({VECTOR}) -> {VECTOR}
          %y = graph.fused(%a, %x) {{
          ^bb0(%0: {VECTOR}, %1: {VECTOR}):
            %2 = graph.relu %0 : ({VECTOR}) -> {VECTOR}
            %3 = graph.add %2, %1 : ({VECTOR}, {VECTOR}) -> {VECTOR}
            graph.yield %3 : {VECTOR}
          }} : ({VECTOR}, {VECTOR}) -> {VECTOR} loc("both")
          func.return %y : {VECTOR}
        }}"""
    )
    text = dot_of(module)
    assert 'n2 [label="both\\ngraph.relu\\ngraph.add"' in text
    found = re.findall(r"(n\d+) -> (n\d+)", text)
    assert found == [("n0", "n1"), ("n1", "n2"), ("n0", "n2"), ("n2", "n3")]


def test_parameters_are_shown_where_they_say_something() -> None:
    module = parse(
        """func.func @f(%x: tensor<1x2x6x6xf32>, %w: tensor<2x2x3x3xf32>) {
          %y = graph.conv %x, %w {strides = array<i64: 2, 2>,
              pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
              : (tensor<1x2x6x6xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x2x2xf32>
          func.return
        }"""
    )
    assert 'label="graph.conv strides 2,2"' in dot_of(module)


def test_layouts_have_colors_and_movements_stand_out() -> None:
    module = parse(
        f"""func.func @f(%x: {VECTOR}) {{
          %y = layout.transform %x : {VECTOR} -> {TURNED}
          %z = graph.relu %y : ({TURNED}) -> {TURNED}
          func.return
        }}"""
    )
    text = dot_of(module)
    assert re.search(
        r'label="layout.transform row-major . NK", [^]]*penwidth="2"', text
    )
    plain, turned = re.findall(r"n\d+ -> n\d+ \[.*color=\"(#\w+)\"", text)
    assert plain != turned
    assert re.search(rf'l0 \[label="row-major".*color="{plain}"', text)
    assert re.search(rf'l1 \[label="NK: axes 1 0".*color="{turned}"', text)


def test_constants_are_notes() -> None:
    module = parse(
        f"""func.func @f(%x: {VECTOR}) {{
          %six = graph.literal dense<6.0> : tensor<f32> : tensor<f32>
          %y = graph.add %x, %six : ({VECTOR}, tensor<f32>) -> {VECTOR} loc("sum")
          func.return
        }}"""
    )
    text = dot_of(module)
    assert '[label="graph.add\\nsum\\n6: f32"]' in text
    assert text.count(" -> ") == 1


def test_a_model_is_drawn_the_same_each_time() -> None:
    module = import_model(models.skeleton("squeezenet"))
    text = dot_of(module)
    assert text == dot_of(module.clone())
    assert text.count('label="graph.conv') == 26


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    return tmp_path / "out.svg"


def test_without_graphviz_the_text_is_written(
    drawing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(inspection, "import_module", missing)
    with pytest.raises(CompilationError, match=r"to draw .*out.svg; wrote .*out.dot$"):
        inspection.draw("digraph {}", drawing)
    assert not drawing.exists()
    assert drawing.with_suffix(".dot").read_text() == "digraph {}"


class NoDotError(Exception):
    pass


def package(error: Exception | None) -> Any:
    """Return what stands in for the graphviz package."""

    def pipe(format: str, quiet: bool) -> bytes:
        assert quiet
        if error is not None:
            raise error
        return f"<{format}>".encode()

    return SimpleNamespace(
        Source=lambda text: SimpleNamespace(pipe=pipe), ExecutableNotFound=NoDotError
    )


def test_without_the_dot_command_the_text_is_written(
    drawing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = package(NoDotError())
    monkeypatch.setattr(inspection, "import_module", lambda name: found)
    with pytest.raises(CompilationError, match="the dot command of Graphviz"):
        inspection.draw("digraph {}", drawing)
    assert [path.name for path in drawing.parent.iterdir()] == ["out.dot"]


def test_what_dot_says_is_reported(
    drawing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = CalledProcessError(1, "dot", stderr=b'Format: "svg" not recognized.\n')
    monkeypatch.setattr(inspection, "import_module", lambda name: package(failed))
    with pytest.raises(CompilationError, match='dot makes no svg: Format: "svg" not'):
        inspection.draw("digraph {}", drawing)


def test_with_graphviz_the_image_is_written(
    drawing: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(inspection, "import_module", lambda name: package(None))
    inspection.draw("digraph {}", drawing)
    assert [path.name for path in drawing.parent.iterdir()] == ["out.svg"]
    assert drawing.read_bytes() == b"<svg>"
    assert capsys.readouterr().err == ""


def test_a_page_has_the_image_and_moves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "import_module", lambda name: package(None))
    inspection.draw("digraph {}", tmp_path / "a<b.html")
    text = (tmp_path / "a<b.html").read_text()
    assert "<title>a&lt;b</title>" in text
    assert text.count("<svg>") == 1
    assert 'addEventListener("wheel"' in text
