"""What moves data and what does not, and who is said to need it."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from glow.analysis.copies import copies_in
from glow.analysis.movements import CALL_BYTES, End, Movement, movements_in
from glow.graph_modules import context
from glow.tools.inspection import layout_report

NHWC = "#layout.physical<NHWC>"


def parse(text: str) -> ModuleOp:
    return Parser(context(), text).parse_module()


def body(*lines: str) -> ModuleOp:
    return parse("\n".join(["func.func @f(%x: tensor<1x2x3x4xf32>) {", *lines, "}"]))


def only(module: ModuleOp) -> Movement:
    (found,) = movements_in(module)
    return found


@pytest.mark.parametrize(
    ("result", "permutation", "moves"),
    [
        ("tensor<1x3x4x2xf32>", "0, 2, 3, 1", True),
        ("tensor<1x3x4x2xf32, #layout.physical<NWCH>>", "0, 2, 3, 1", False),
        ("tensor<1x3x4x2xf32, #layout.physical<NHWC>>", "0, 2, 3, 1", True),
        ("tensor<2x1x3x4xf32>", "1, 0, 2, 3", False),
    ],
)
def test_transposes_move_unless_the_layout_absorbs_them(
    result: str, permutation: str, moves: bool
) -> None:
    module = body(
        f"%y = graph.transpose %x {{permutation = array<i64: {permutation}>}}"
        f" : (tensor<1x2x3x4xf32>) -> {result}",
        "func.return",
    )
    assert [m.op for m in movements_in(module)] == ["graph.transpose"] * moves


@pytest.mark.parametrize(
    ("layout", "shape", "result", "moves"),
    [
        ("NCHW", "2, 12", "tensor<2x12xf32>", False),
        ("NHWC", "1, 24", "tensor<1x24xf32>", True),
        ("NHWC", "2, 12", "tensor<2x12xf32, #layout.physical<[1, 0]>>", False),
    ],
)
def test_reshapes_move_where_axes_do_not_merge(
    layout: str, shape: str, result: str, moves: bool
) -> None:
    given = f"tensor<1x2x3x4xf32, #layout.physical<{layout}>>"
    module = parse(
        f"""func.func @f(%x: {given}) {{
          %y = graph.reshape %x {{shape = array<i64: {shape}>}}
            : ({given}) -> {result}
          func.return
        }}"""
    )
    assert [m.op for m in movements_in(module)] == ["graph.reshape"] * moves


@pytest.mark.parametrize(
    ("shape", "moves"), [("1x2x3x4", True), ("1x2x1x1", False), ("0x2x3x4", False)]
)
def test_transforms_move_unless_bytes_are_the_same(shape: str, moves: bool) -> None:
    type_ = f"tensor<{shape}xf32"
    module = parse(
        f"""func.func @f(%x: {type_}>) {{
          %y = layout.transform %x : {type_}> -> {type_}, {NHWC}>
          func.return
        }}"""
    )
    assert [m.op for m in movements_in(module)] == ["layout.transform"] * moves


PLAIN = "tensor<1x2x3x4xf32>"
LAST = f"tensor<1x2x3x4xf32, {NHWC}>"


def test_ends_are_seen_through_groups_and_views() -> None:
    module = parse(
        f"""
        graph.placeholder @x "in" : {PLAIN}
        graph.placeholder @y "out" : {PLAIN}
        func.func @main() {{
          %0 = graph.load @x : {PLAIN}
          %1 = graph.fused(%0) {{
          ^bb0(%a: {PLAIN}):
            %2 = graph.exp %a : ({PLAIN}) -> {PLAIN} loc("maker")
            graph.yield %2 : {PLAIN}
          }} : ({PLAIN}) -> {PLAIN}
          %moved = graph.transpose %1 {{permutation = array<i64: 0, 1, 2, 3>}}
            : ({PLAIN}) -> {PLAIN}
          %3 = layout.transform %moved : {PLAIN} -> {LAST}
          %4 = graph.fused(%3) {{
          ^bb0(%b: {LAST}):
            %5 = graph.relu %b : ({LAST}) -> {LAST} loc("first")
            %6 = graph.add %5, %b : ({LAST}, {LAST}) -> {LAST} loc("second")
            graph.yield %6 : {LAST}
          }} : ({LAST}) -> {LAST}
          %7 = layout.transform %4 : {LAST} -> {PLAIN}
          graph.save @y, %7 : {PLAIN}
          func.return
        }}"""
    )
    inside, out = movements_in(module)
    assert inside == Movement(
        op="layout.transform",
        value="%moved",
        bytes=96,
        source="row-major",
        target="NHWC",
        made_by=End("graph.exp", "maker", "row-major"),
        needed_by=(
            End("graph.relu", "first", "NHWC"),
            End("graph.add", "second", "NHWC"),
        ),
        cost=2 * 96 + CALL_BYTES,
        place="inside",
    )
    assert out.made_by == End("graph.add", "second", "NHWC")
    assert out.needed_by == (End("graph.save", "@y", "row-major"),)
    assert out.place == "output"


def test_what_comes_in_is_an_input_and_a_constant_is_none() -> None:
    module = body(
        f"%y = layout.transform %x : {PLAIN} -> {LAST}",
        f"%w = graph.literal dense<1.0> : {PLAIN} : {PLAIN}",
        f"%u = graph.reshape %w {{shape = array<i64: 1, 2, 3, 4>}}"
        f" : ({PLAIN}) -> {PLAIN}",
        f"%v = layout.transform %u : {PLAIN} -> {LAST}",
        f"func.return %y, %v : {LAST}, {LAST}",
    )
    argument, constant = movements_in(module)
    assert (argument.made_by.op, argument.place) == ("argument", "input")
    assert (constant.place, constant.made_by.op) == ("output", "graph.literal")


def test_padding_of_blocks_is_part_of_the_cost() -> None:
    blocked = "tensor<1x2x3x4xf32, #layout.physical<NCHW8c>>"
    found = only(body(f"%y = layout.transform %x : {PLAIN} -> {blocked}"))
    assert (found.bytes, found.cost) == (96, 96 + 4 * 96 + CALL_BYTES)
    assert found.needed_by == ()


COPIES = """
memory.placeholder @x "in" : memref<2x3xf32>
memory.placeholder @y "out" : memref<2x3xf32>
memory.placeholder @z "out" : memref<2x3xf32>
func.func @main() {
  %x = memory.get @x : memref<2x3xf32>
  %y = memory.get @y : memref<2x3xf32>
  %z = memory.get @z : memref<2x3xf32>
  %t = memory.view %x : memref<2x3xf32> -> memref<3x2xf32, strided<[1, 3]>>
  %a = memory.alloc : memref<3x2xf32>
  %b = memory.alloc : memref<2x3xf32>
  memory.copy ins(%t : memref<3x2xf32, strided<[1, 3]>>) outs(%a : memref<3x2xf32>) loc("in")
  memory.fill outs(%b : memref<2x3xf32>) {value = 0.0 : f32} loc("fill")
  memory.copy ins(%b : memref<2x3xf32>) outs(%y : memref<2x3xf32>) loc("out")
  memory.copy ins(%y : memref<2x3xf32>) outs(%z : memref<2x3xf32>) loc("again")
  memory.copy ins(%b : memref<2x3xf32>) outs(%b : memref<2x3xf32>) loc("inside")
  func.return
}
"""  # noqa: E501


def test_copies_name_who_writes_and_who_reads() -> None:
    enters, leaves, again, inside = copies_in(parse(COPIES))
    assert enters.made_by == End("memory.get", "@x", "row-major")
    assert (enters.source, enters.target) == ("strided<[1, 3]>", "row-major")
    assert (enters.value, enters.needed_by, enters.bytes) == ("%x", (), 24)
    assert leaves.made_by == End("memory.fill", "fill", "row-major")
    assert leaves.needed_by == (
        End("memory.get", "@y", "row-major"),
        End("memory.copy", "again", "row-major"),
    )
    assert [m.place for m in (enters, leaves, again, inside)] == [
        "input",
        "output",
        "output",
        "inside",
    ]
    assert {m.cost for m in (enters, leaves, again, inside)} == {48 + CALL_BYTES}


def test_reports_are_aligned_and_end_with_sums() -> None:
    lines = layout_report(parse(COPIES), "memory", "cpu").splitlines()
    header, *rows = lines[2:-2]
    for title in ("from", "to", "where", "made by", "needed by"):
        at = header.index(title)
        assert all(row[at - 1] == " " for row in rows if len(row) > at)
    assert lines[-1] == "4 movements (1 of inputs, 2 of outputs), 96 bytes, cost 16576"


def test_reports_say_how_layouts_were_found() -> None:
    module = parse(
        """builtin.module attributes {layout.assignment =
          {cost = 12 : i64, method = "exact", width = 2 : i64}} {}"""
    )
    text = layout_report(module, "layout", "cpu:avx2")
    assert text == (
        "layout level, target cpu:avx2\n\nnothing moves\n"
        "assignment: exact, width 2, cost 12\n"
    )
