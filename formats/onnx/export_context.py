"""State that an exported graph shares with the bodies of its functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from onnx import FunctionProto
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from glow.dialects.graph.storage import ConstantOp
from glow.formats.onnx.problems import Problems
from glow.support.names import Names


@dataclass
class ExportContext:
    """State that a graph shares with the bodies of its functions."""

    opset: int
    forms: Mapping[type[Operation], Callable[..., Any]]
    problems: Problems = field(default_factory=Problems)
    functions: dict[str, list[FunctionProto]] = field(default_factory=lambda: {})
    """The functions by name; several of one name differ in their overload."""
    node_names: Names = field(default_factory=Names)
    bodies: Mapping[str, FuncOp] = field(default_factory=lambda: {})
    """The functions of the module, by symbol."""
    constants: Mapping[str, ConstantOp] = field(default_factory=lambda: {})

    def overload_of(self, function: FunctionProto) -> str:
        """Add a function, unless there is an equal one, and return its overload."""
        key = f"{function.domain}.{function.name}"
        known = self.functions.setdefault(key, [])
        for each in known:
            function.overload = each.overload
            if each == function:
                return each.overload
        function.overload = str(len(known)) if known else ""
        known.append(function)
        return function.overload
