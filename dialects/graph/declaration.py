"""Ops that one class statement declares: name, documentation and definition follow."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from typing import Any, ClassVar

from xdsl.dialects.builtin import f32, i1, i32
from xdsl.ir import Attribute

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.rules import BinaryRule, UnaryRule
from glow.support.discovery import defined_in, modules_in
from glow.support.types import FLOAT, ElementSet

_LABEL = re.compile(r"^(?=Shapes: |Errors: |Source: )", re.MULTILINE)


class DeclaredOp(GraphOp):
    """
    An op that one class statement declares.

    `class ExpOp(UnaryOp, onnx="Exp-13", compute=np.exp, rule="math.exp")` is
    `graph.exp`. Its docstring says what it computes; shapes, source and an example are
    added where it does not say them. Without `onnx`, the docstring names a source.
    `elements` are those that operands may have, `result` are those of the result where
    they are others. `compute` and `rule`, what happens to one element, may also be
    static methods. A class with a `name` of its own is defined as usual.
    """

    ELEMENTS: ClassVar[ElementSet] = FLOAT
    RESULT: ClassVar[Attribute | None] = None
    ONNX: ClassVar[str] = ""
    SHAPES: ClassVar[str]
    EXAMPLE: ClassVar[str]

    def __init_subclass__(
        cls,
        onnx: str = "",
        result: Attribute | None = None,
        compute: Callable[..., Array] | None = None,
        rule: str | UnaryRule | BinaryRule | None = None,
        **arguments: Any,
    ) -> None:
        """Take the declaration; a class without `compute` is a base of others."""
        functions: dict[str, Any]
        functions = {"compute": compute, "rule": rule}
        for name, function in functions.items():
            if function is not None:
                setattr(cls, name, staticmethod(function))
        cls.set_constants(RESULT=result, ONNX=onnx or None)
        super().__init_subclass__(**arguments)
        if "compute" in vars(cls):
            cls.__doc__ = cls._documentation()

    @classmethod
    def _documentation(cls) -> str:
        """Return the docstring with what follows from the declaration."""
        text, has_example, example = cleandoc(cls.__doc__ or "").partition("```mlir\n")
        body, *labels = _LABEL.split(text, maxsplit=1)
        lines = [body.rstrip(), ""]
        if "Shapes: " not in text:
            lines.append(f"Shapes: {cls.SHAPES}")
        lines += map(str.rstrip, labels)
        if cls.ONNX:
            lines.append(f"Source: ONNX {cls.ONNX}.")
        code = example if has_example else f"{cls._example()}\n```"
        return "\n".join([*lines, "", "```mlir", code])

    @classmethod
    def _example(cls) -> str:
        members = cls.ELEMENTS.members
        usual = (each for each in (f32, i32, i1) if each in members)
        element = next(usual, members[0])
        result: Any = cls.RESULT or element
        return cls.EXAMPLE.format(name=cls.name, element=element, result=result)


def declared(base: type[DeclaredOp]) -> dict[str, type[DeclaredOp]]:
    """Map ONNX operators to the ops of kind `base` that are declared to be them."""
    modules = map(import_module, modules_in("glow.dialects.graph"))
    ops: list[type[DeclaredOp]] = [op for m in modules for op in defined_in(m, base)]
    return {op.ONNX.partition("-")[0]: op for op in ops if op.ONNX}
