"""Every elementwise op and reduction: its text, the elements it takes, its rule."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp, f80
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.binary import ModOp
from glow.dialects.graph.declaration import BinaryOp, DeclaredOp, ElementwiseOp, UnaryOp
from glow.dialects.graph.parameters import OpParameter
from glow.dialects.graph.reduction import ReductionOp
from glow.graph_modules import context
from glow.lowering.graph_to_memory.scalar import (
    ScalarRegion,
    element_of_result,
)
from glow.registry import UNIVERSE
from glow.support.types import ANY, NUMBER, is_float, tensor

OPERATIONS = list(UNIVERSE.all_dialects["graph"]().operations)


def ops_of(base: type[DeclaredOp]) -> list[type[Any]]:
    return sorted((op for op in OPERATIONS if issubclass(op, base)), key=str)


def id_of(value: Any) -> str:
    return getattr(value, "name", str(value))


OPS = [op for base in (UnaryOp, BinaryOp, ReductionOp) for op in ops_of(base)]
NUMBERS = count()
CONTEXT = context()


def texts_of(parameter: OpParameter) -> list[str]:
    """Return how the text says values that are not the default; none: no value."""
    name = parameter.name
    if parameter.words:
        return [f'{name} = "{w}"' for w in parameter.words if w != parameter.default]
    return [name] if parameter.kinds == (bool,) else [f"{name} = 2.500000e-01 : f64"]


def attributes_of(op: type[DeclaredOp], element: Attribute) -> Iterator[str]:
    """Yield attribute dictionaries that are printed as they are written."""
    given = [texts_of(parameter) for parameter in op.declared().values()]
    is_required = any(p.words and not p.has_default for p in op.declared().values())
    if not is_required and not (op is ModOp and is_float(element)):
        yield ""
    for place in range(max(map(len, given), default=0)):
        texts = [each[min(place, len(each) - 1)] for each in given]
        flags = sorted(texts, key=lambda text: "=" in text)
        yield f" {{{', '.join(flags)}}}"


def lines_of(op: type[DeclaredOp], element: Attribute) -> Iterator[str]:
    """Yield lines with `op` as it is printed."""
    name, result = op.name, op.RESULT or element
    if issubclass(op, ReductionOp):
        source = f"(tensor<2x3x4x{element}>) -> tensor"
        yield f"{name} %x {{axes = array<i64: 0, -1>}} : {source}<3x{element}>"
        for axes, shape in (("array<i64: 1>", "2x1x4"), ("array<i64>", "2x3x4")):
            yield f"{name} %x {{axes = {axes}, keepdims}} : {source}<{shape}x{element}>"
        return
    for attributes in attributes_of(op, element):
        if issubclass(op, UnaryOp):
            types = f"(tensor<2x3x{element}>) -> tensor<2x3x{result}>"
            yield f"{name} %x{attributes} : {types}"
        else:
            operands = f"(tensor<4x1x3x{element}>, tensor<2x1x{element}>)"
            yield f"{name} %x, %z{attributes} : {operands} -> tensor<4x2x3x{result}>"


def module_of(lines: list[str]) -> str:
    """Return a module with a function per line, whose operands are %x and %z."""
    return "builtin.module {\n" + "".join(map(_function_of, lines)) + "}"


def _function_of(line: str) -> str:
    types = line[line.index(" : (") + 4 : line.index(") ->")].split(", ")
    arguments = ", ".join(
        f"%{name}: {each}" for name, each in zip("xz", types, strict=False)
    )
    head = f"  func.func @f{next(NUMBERS)}({arguments})"
    return f"{head} {{\n    %y = {line}\n    func.return\n  }}\n"


def parsed(text: str) -> ModuleOp:
    return Parser(CONTEXT, text).parse_module()


def operands_of(op: type[DeclaredOp], element: Attribute) -> list[SSAValue]:
    value = create_ssa_value(tensor(element, (2, 3)))
    return [value] * len(op.get_irdl_definition().operands)


def required_of(op: type[DeclaredOp]) -> dict[str, Any]:
    """Return parameters with which `op` takes all its elements."""
    given: dict[str, Any] = {n: p.words[0] for n, p in op.declared().items() if p.words}
    if issubclass(op, ReductionOp):
        given["axes"] = [0]
    return given | ({"fmod": True} if op is ModOp else {})


@pytest.mark.parametrize("op", OPS, ids=id_of)
def test_text_parses_back_as_it_is(op: type[DeclaredOp]) -> None:
    lines = [line for e in op.ELEMENTS.members for line in lines_of(op, e)]
    assert len(lines) >= len(op.ELEMENTS.members)
    text = module_of(lines)
    module = parsed(text)
    module.verify()
    assert str(module) == text


@pytest.mark.parametrize("op", OPS, ids=id_of)
def test_another_result_is_refused(op: type[DeclaredOp]) -> None:
    for element in op.ELEMENTS.members:
        line, _, result = next(lines_of(op, element)).rpartition(" -> ")
        wrong = tensor(op.RESULT or element, (5, 5))
        module = parsed(module_of([f"{line} -> {wrong}"]))
        with pytest.raises(
            VerifyException, match=f"expected result {result}, got {wrong}"
        ):
            module.verify()


@pytest.mark.parametrize("op", OPS, ids=id_of)
def test_other_elements_are_refused(op: type[DeclaredOp]) -> None:
    for element in (*ANY.members, f80):
        if element in op.ELEMENTS.members:
            continue
        message = f"expected {op.ELEMENTS.description} element type, got {element}"
        with pytest.raises(VerifyException, match=message):
            op(*operands_of(op, element), **required_of(op))


@pytest.mark.parametrize("op", ops_of(BinaryOp), ids=id_of)
def test_operands_broadcast_and_have_one_type(op: type[BinaryOp]) -> None:
    first, *others = op.ELEMENTS.members
    values = [create_ssa_value(tensor(first, shape)) for shape in ((2, 3), (4,))]
    with pytest.raises(VerifyException, match="cannot broadcast tensor<2x3x"):
        op(*values, **required_of(op))
    if not others or op.name == "graph.pow":
        return
    other = create_ssa_value(tensor(others[0], (2, 3)))
    with pytest.raises(VerifyException, match="expected one element type, got"):
        op(values[0], other, **required_of(op))


@pytest.mark.parametrize(
    ("op", "name"),
    [(op, name) for op in OPS for name, p in op.declared().items() if p.words],
    ids=id_of,
)
def test_other_words_are_refused(op: type[DeclaredOp], name: str) -> None:
    words = ", ".join(op.declared()[name].words)
    operands = operands_of(op, op.ELEMENTS.members[0])
    with pytest.raises(VerifyException, match=f'{name} out of {words}, got "SOME"'):
        op(*operands, **{name: "SOME"})


@pytest.mark.parametrize("op", ops_of(UnaryOp) + ops_of(BinaryOp), ids=id_of)
def test_a_rule_gives_elements_of_the_result(op: type[ElementwiseOp]) -> None:
    for element in op.ELEMENTS.members:
        region = ScalarRegion()
        scalars = [region.argument(element) for _ in operands_of(op, element)]
        with region.writing():
            result = element_of_result(op, scalars, op.defaults() | required_of(op))
        assert result.element == (op.RESULT or element)
        region.finish(result).verify()


def test_every_elementwise_op_has_a_rule() -> None:
    assert not [op.name for op in ops_of(ElementwiseOp) if not hasattr(op, "rule")]


def test_a_declaration_is_an_op_with_all_that_follows() -> None:
    class HalvedTwiceOp(
        UnaryOp, onnx="Halved-1", elements=NUMBER, compute=abs, rule=lambda f, x: x / 4
    ):
        """A quarter of x."""

    assert HalvedTwiceOp.name == "graph.halved_twice"
    assert HalvedTwiceOp.__doc__ == (
        "A quarter of x.\n\nShapes: result as input.\nSource: ONNX Halved-1.\n\n"
        "```mlir\n%y = graph.halved_twice %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "```"
    )
