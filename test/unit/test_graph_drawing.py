"""Drawings of graphs, and what happens where Graphviz is not installed."""

from __future__ import annotations

import re
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
    text = dot_of(chain(2000))
    assert text.count('label="graph.relu') == 2000
    assert text.count(" -> ") == 2001
    assert text.count("{") == text.count("}")


def test_nodes_of_a_group_and_no_others_stand_in_its_cluster() -> None:
    module = parse(
        f"""func.func @f(%x: {VECTOR}) -> {VECTOR} {{
          %a = graph.exp %x : ({VECTOR}) -> {VECTOR}
          %y = graph.fused(%a, %x) {{
          ^bb0(%0: {VECTOR}, %1: {VECTOR}):
            %2 = graph.relu %0 : ({VECTOR}) -> {VECTOR}
            %3 = graph.add %2, %1 : ({VECTOR}, {VECTOR}) -> {VECTOR}
            graph.yield %3 : {VECTOR}
          }} : ({VECTOR}, {VECTOR}) -> {VECTOR}
          func.return %y : {VECTOR}
        }}"""
    )
    text = dot_of(module)
    (cluster,) = re.findall(r"subgraph cluster_0 \{(.*?)\n  \}", text, re.DOTALL)
    assert re.findall(r"\bn\d+\b", cluster) == ["n2", "n3"]
    found = re.findall(r"(n\d+) -> (n\d+)", text)
    assert found == [
        ("n0", "n1"),
        ("n1", "n2"),
        ("n2", "n3"),
        ("n0", "n3"),
        ("n3", "n4"),
    ]


def test_layouts_have_colours_and_movements_stand_out() -> None:
    module = parse(
        f"""func.func @f(%x: {VECTOR}) {{
          %y = layout.transform %x : {VECTOR} -> {TURNED}
          %z = graph.relu %y : ({TURNED}) -> {TURNED}
          func.return
        }}"""
    )
    text = dot_of(module)
    assert re.search(r'label="layout.transform[^]]*penwidth="2"', text)
    plain, turned = re.findall(r"n\d+ -> n\d+ \[.*color=\"(#\w+)\"", text)
    assert plain != turned
    assert re.search(rf'l0 \[label="row-major".*color="{plain}"', text)
    assert re.search(rf'l1 \[label="NK".*color="{turned}"', text)


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
    assert text.count('label="graph.conv\\n') == 26


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    return tmp_path / "out.svg"


def test_without_graphviz_the_text_is_written(
    drawing: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(inspection, "import_module", missing)
    inspection.draw("digraph {}", drawing)
    assert not drawing.exists()
    assert drawing.with_suffix(".dot").read_text() == "digraph {}"
    message = capsys.readouterr().err
    assert message.startswith("note: wrote ")
    assert message.count("\n") == 1


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
    inspection.draw("digraph {}", drawing)
    assert [path.name for path in drawing.parent.iterdir()] == ["out.dot"]


def test_what_dot_says_is_told(drawing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
