"""Drawings of graphs: ops as boxes, values as edges colored by their layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from glow.analysis.constants import Constant, constant_behind
from glow.analysis.movements import MovingOp, keeps_bytes, layout_text, value_name
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.fused import FusedOp, YieldOp
from glow.dialects.graph.storage import LiteralOp, LoadOp, PlaceholderOp, SaveOp
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import parse_layout
from glow.support.locations import name_of
from glow.support.types import element_of, shape_of
from glow.tools.repeats import Repeat, repeats_in

PLAIN = "row-major"
_PLAIN_COLOR = "#444444"
# Distinct also to color-blind people (Okabe and Ito); further ones are dashed.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_STYLES = ("solid", "dashed", "dotted")

_HEAD = """digraph {
  graph [fontname="Helvetica", fontsize=10, ranksep=0.3];
  node [fontname="Helvetica", fontsize=10, shape=box, style=filled, fillcolor="white"];
  edge [fontname="Helvetica", fontsize=9];
"""
_TERMINAL = {"shape": "ellipse", "fillcolor": "#e8e8e8"}
_MOVING = {"color": "#c00000", "penwidth": "2", "fillcolor": "#fbe5e5"}
_GROUP = {"style": "rounded,filled", "color": "#909090", "fillcolor": "#f4f4f4"}
_CLUSTER = 'style="rounded,filled"; color="#b0b0b0"; fillcolor="#f4f4f4";'
_REPEATED = 'style="rounded,dashed"; color="#606060"; labeljust="l"; fontsize=12;'

_HOT_HUE = 0.08
"""The hue of ops that take time; a quarter of the time is half saturated."""

_WIDTH = 56
_USUAL = {"strides": 1, "dilations": 1, "pads": 0}
"""Default attributes of windows, which drawings leave out."""


def dot_of(module: ModuleOp, times: Mapping[str, float] | None = None) -> str:
    """
    Return a drawing of the functions of `module` in the language of Graphviz.

    Inputs and outputs are ellipses, groups are boxes with a line for each op, and ops
    that move data are red and say from where to where. Constants are notes in the ops
    that read them. Ops that repeat several times in a row are drawn once, in a frame
    that says how often.

    `times` are the nanoseconds that nodes of the model took, by name. Each op shows the
    time of the nodes it comes from, in all repetitions, and is colored by its share.
    Where a node became several ops, each has the time of all, and says how many.
    """
    placeholders = [op for op in module.body.ops if isinstance(op, PlaceholderOp)]
    directions = {op.sym_name.data: op.direction.data for op in placeholders}
    drawing = _Drawing(directions, times or {})
    for op in module.body.ops:
        for block in op.body.blocks if isinstance(op, FuncOp) else ():
            drawing.add_block(block)
    return "".join((_HEAD, *drawing.lines, *drawing.edges, *drawing.legend(), "}\n"))


@dataclass
class _Drawing:
    directions: dict[str, str]
    times: Mapping[str, float]
    lines: list[str] = field(default_factory=lambda: [])
    edges: list[str] = field(default_factory=lambda: [])
    """Kept apart, as an edge puts its nodes into the cluster in which it is written."""
    names: dict[SSAValue, str] = field(default_factory=lambda: {})
    """The node that each value comes from."""
    layouts: dict[str, dict[str, str]] = field(
        default_factory=lambda: {PLAIN: {"color": _PLAIN_COLOR}}
    )
    """The look of the edges of each layout."""
    repeated: dict[Operation, Sequence[Operation]] = field(default_factory=lambda: {})
    """The ops that an op is drawn for, where these are several."""
    ops_of_node: Counter[str] = field(default_factory=lambda: Counter())
    """How many ops of a block come from each node of the model."""
    nodes: int = 0
    clusters: int = 0

    def add_block(self, block: Block) -> None:
        for argument in block.args:
            label = value_name(argument) or f"argument {argument.index}"
            self.names[argument] = self._node([label], "  ", _TERMINAL)
        ops = [op for op in block.ops if _is_drawn(op)]
        self.ops_of_node = Counter(map(_timed, ops))
        done = 0
        for repeat in repeats_in(ops):
            self._add_all(ops[done : repeat.start], "  ")
            self._add_repeat(ops, repeat)
            done = repeat.stop
        self._add_all(ops[done:], "  ")

    def _add_all(self, ops: Sequence[Operation], indent: str) -> None:
        for op in ops:
            self._add(op, indent)

    def _add_repeat(self, ops: Sequence[Operation], repeat: Repeat) -> None:
        """Draw the ops of the first repetition, which also stand for all others."""
        first = ops[repeat.start : repeat.start + repeat.period]
        for number, op in enumerate(first, repeat.start):
            self.repeated[op] = ops[number : repeat.stop : repeat.period]
        self.lines.append(f"  subgraph cluster_{self.clusters} {{\n")
        self.lines.append(f'    label="{repeat.count} times"; {_REPEATED}\n')
        self.clusters += 1
        self._add_all(first, "    ")
        self.lines.append("  }\n")
        for number in range(repeat.start + repeat.period, repeat.stop):
            same = first[(number - repeat.start) % repeat.period]
            for result, drawn in zip(ops[number].results, same.results, strict=True):
                self.names[result] = self.names[drawn]

    def _add(self, op: Operation, indent: str) -> None:
        match op:
            case FusedOp():
                inner = [o for o in op.body.block.ops if _is_drawn(o)]
                lines = [line for each in inner for line in _described(each)]
                self._add_op(op, [*_names(op), *lines], indent, _GROUP)
            case LoadOp() | SaveOp():
                symbol = op.symbol.string_value()
                label = [f"@{symbol}", self.directions.get(symbol, "")]
                self._add_op(op, label, indent, _TERMINAL)
            case _ if op.name == "func.return":
                self._add_op(op, ["return"], indent, _TERMINAL)
            case _:
                moves = isinstance(op, MovingOp) and not keeps_bytes(op)
                title, *notes = _described(op)
                lines = [title, *_names(op), *notes]
                self._add_op(op, lines, indent, _MOVING if moves else {})

    def _add_op(
        self, op: Operation, label: list[str], indent: str, style: dict[str, str]
    ) -> None:
        time, fill = self._time_of(op)
        label, style = [*label, time], style | fill
        name = self._node(label, indent, style)
        for result in op.results:
            self.names[result] = name
        for operand in op.operands:
            source = self.names.get(operand)
            if source is not None:
                look = self._look(layout_text(operand))
                type_ = f" {_type_text(operand)}"  # apart from its edge
                shown = {"label": type_, "fontcolor": look["color"]}
                edge = f"  {source} -> {name} [{_attributes(shown | look)}];\n"
                self.edges.append(edge)

    def _time_of(self, op: Operation) -> tuple[str, dict[str, str]]:
        """Return the time of a drawn op as a line, and its color; both may be empty."""
        ns = sum(self.times.get(_timed(o), 0.0) for o in self.repeated.get(op, [op]))
        if not ns:
            return "", {}
        share, ops = ns / sum(self.times.values()), self.ops_of_node[_timed(op)]
        together = f", of {ops} ops" if ops > 1 else ""
        color = f"{_HOT_HUE} {share**0.5:.3f} 1.0"
        return f"{ns / 1e3:.2f} us, {share:.1%}{together}", {"fillcolor": color}

    def _node(self, label: list[str], indent: str, style: dict[str, str]) -> str:
        name = f"n{self.nodes}"
        self.nodes += 1
        text = "\n".join(line for line in label if line)
        self.lines.append(f"{indent}{name} [{_attributes({'label': text} | style)}];\n")
        return name

    def _look(self, layout: str) -> dict[str, str]:
        if layout not in self.layouts:
            turn, color = divmod(len(self.layouts) - 1, len(_COLORS))
            style = _STYLES[turn % len(_STYLES)]
            self.layouts[layout] = {"color": _COLORS[color], "style": style}
        return self.layouts[layout]

    def legend(self) -> Iterator[str]:
        yield "  subgraph cluster_legend {\n"
        yield f'    label="layouts"; {_CLUSTER}\n'
        for number, (layout, look) in enumerate(self.layouts.items()):
            style = {"style": f"filled,{look.get('style', 'solid')}"}
            label = layout if layout == PLAIN else f"{layout}: axes {_axes(layout)}"
            shown = {"label": label, "fontcolor": look["color"]} | look | style
            yield f"    l{number} [{_attributes(shown)}];\n"
        yield "  }\n"


def _axes(layout: str) -> str:
    """Return the axes in their order in memory: letters are those of images."""
    return " ".join(str(dim.axis) for dim in parse_layout(layout).dims)


def _is_drawn(op: Operation) -> bool:
    """Return whether `op` is a node; constants are notes in others."""
    if op.name == "func.return":
        return bool(op.operands)
    is_constant = isinstance(op, LoadOp) and constant_behind(op.result) is not None
    return not (is_constant or isinstance(op, LiteralOp | YieldOp))


def _names(op: Operation) -> list[str]:
    """Return lines with the names of the nodes that `op` comes from."""
    known = not isinstance(op.location, UnknownLoc)
    return wrap(name_of(op), _WIDTH) if known else []


def _timed(op: Operation) -> str:
    """Return the name under which a profile has the time of `op`."""
    return (
        f"output {op.symbol.string_value()}" if isinstance(op, SaveOp) else name_of(op)
    )


def _described(op: Operation) -> Iterator[str]:
    """Yield the name of `op` with its parameters, and a line for each constant."""
    parts = [op.name]
    if isinstance(op, TransformOp):
        parts.append(f"{layout_text(op.input)} \u2192 {layout_text(op.result)}")
    elif isinstance(op, GraphOp):
        usual = {name: each.default for name, each in op.declared().items()}
        for name, value in op.parameters().items():
            is_tuple = isinstance(value, tuple)
            numbers = cast(tuple[Any, ...], value) if is_tuple else ()
            if value == usual[name] or {*numbers} == {_USUAL.get(name)}:
                continue
            text = f"{value:g}" if isinstance(value, float) else str(value)
            text = ",".join(map(str, numbers)) or text
            parts.append(name if value is True else f"{name} {text}")
    yield from wrap(" ".join(parts), _WIDTH, max_lines=3, placeholder=" ...")
    yield from _notes(op)


def _outside(value: SSAValue) -> SSAValue:
    """Return the operand of the group that its argument `value` stands for."""
    while isinstance(value, BlockArgument):
        group = value.block.parent_op()
        if not isinstance(group, FusedOp):
            break
        value = group.operands[value.index]
    return value


def _notes(op: Operation) -> Iterator[str]:
    """Yield a line for each constant that `op` reads."""
    for value in map(_outside, op.operands):
        constant = constant_behind(value)
        if constant is not None and isinstance(value.owner, LoadOp | LiteralOp):
            layout = layout_text(value)
            suffix = "" if layout == PLAIN else f" {layout}"
            yield f"{_constant_text(constant)}: {_type_text(value)}{suffix}"


def _constant_text(constant: Constant) -> str:
    if not isinstance(constant, LiteralOp):
        return f"@{constant.sym_name.data}"
    array: Any = constant.array
    return f"{array.item():g}" if array.size == 1 else "literal"


def _type_text(value: SSAValue) -> str:
    extents = "".join(f"{extent}x" for extent in shape_of(value))
    return f"{extents}{element_of(value)}"


def _attributes(values: dict[str, str]) -> str:
    return ", ".join(f"{key}={_quoted(value)}" for key, value in values.items())


def _quoted(text: str) -> str:
    """Return `text` as a quoted string of Graphviz, lines centered."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return f'"{text}"'
