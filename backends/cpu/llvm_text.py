"""Writer of LLVM IR as text: types, constants, functions; a line per op."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.support.attributes import OfAttributes
from glow.support.errors import CompilationError
from glow.support.op_construction import result_of
from glow.support.walking import block_ops

_SPELLED: dict[type[Attribute], tuple[str, str]] = {
    Float16Type: ("half", "f16"),
    BFloat16Type: ("bfloat", "bf16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
    llvm.LLVMPointerType: ("ptr", "p0"),
    llvm.LLVMVoidType: ("void", ""),
}
_PARAMETER_ATTRIBUTES = {
    "llvm.noalias": "noalias",
    "llvm.nonnull": "nonnull",
    "llvm.noundef": "noundef",
    "llvm.readonly": "readonly",
    "llvm.writeonly": "writeonly",
    "llvm.nocapture": "captures(none)",
}
_SIZED_ATTRIBUTES = {
    "llvm.align": "align {}",
    "llvm.dereferenceable": "dereferenceable({})",
}
_FUNCTION_ATTRIBUTES = {"no_inline": "noinline", "no_unwind": "nounwind"}

Writers: TypeAlias = "Mapping[type[Operation], Callable[[LlvmWriter, Any], None]]"
"""How the ops of each type are written."""


class LlvmWriter:
    """The lines of one module, and the names in the function being written."""

    def __init__(self, writers: Writers) -> None:
        self.writers = writers
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        """Intrinsics that calls used."""
        self.names: dict[SSAValue, str] = {}
        self.labels: dict[Block, str] = {}
        self.label = ""
        self.incoming: dict[Block, list[tuple[str, list[str]]]] = {}
        self.uses_nontemporal = False
        self.callees: dict[str, str] = {}
        """Declarations of the functions that calls named."""
        self.globals: dict[str, None] = {}
        self._spelled = OfAttributes(_spell)
        self._count = 0

    def type(self, type_: Attribute) -> str:
        """Return the type as LLVM writes it."""
        return self._spelled(type_)[0]

    def suffix(self, type_: Attribute) -> str:
        """Return the type as it stands in the name of an intrinsic."""
        return self._spelled(type_)[1]

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def name(self, value: SSAValue) -> str:
        """Give `value` the next name."""
        name = self.names[value] = f"%{self._count}"
        self._count += 1
        return name

    def define(self, op: Operation, text: str) -> None:
        """Write `text`, and a name for the result of `op` if it has one."""
        result = f"{self.name(result_of(op))} = " if op.results else ""
        self.lines.append(f"  {result}{text}")

    def typed(self, value: SSAValue) -> str:
        return f"{self.type(value.type)} {self.names[value]}"

    def arguments(self, values: Sequence[SSAValue]) -> str:
        return ", ".join(map(self.typed, values))

    def call(
        self,
        op: Operation,
        callee: str,
        operands: Sequence[SSAValue],
        flags: str = "",
        attributes: dict[int, str] | None = None,
    ) -> None:
        """Write a call of intrinsic `callee` and declare it once."""
        result = self.type(result_of(op).type) if op.results else "void"
        if callee not in self.declared:
            types = ", ".join(self.type(value.type) for value in operands)
            self.declared[callee] = f"declare {result} @{callee}({types})"
        extra = attributes or {}
        given = ", ".join(
            f"{self.type(value.type)}{extra.get(i, '')} {self.names[value]}"
            for i, value in enumerate(operands)
        )
        self.define(op, f"call {flags}{result} @{callee}({given})")

    def edge(self, target: Block, values: Sequence[SSAValue], start: str = "") -> str:
        """Note an edge from the current block, or `start`; return its label."""
        given = [self.names[value] for value in values]
        self.incoming[target].append((start or self.label, given))
        return f"label %{self.labels[target]}"

    def function(self, op: llvm.FuncOp, linkage: str) -> None:
        """Write a definition, or a declaration if there is no body."""
        output = self.type(op.function_type.output)
        entry = op.body.blocks.first
        if entry is None:
            types = ", ".join(map(self.type, op.function_type.inputs))
            self.lines.append(f"declare {output} @{op.sym_name.data}({types})")
            return
        self.names, self._count = {}, 0
        self.incoming = {block: [] for block in op.body.blocks}
        self.labels = {block: f"b{i}" for i, block in enumerate(op.body.blocks)}
        given: Any = op.arg_attrs or repeat(DictionaryAttr({}))
        parameters = ", ".join(
            f"{self.type(arg.type)}{_parameter_attributes(attributes)} {self.name(arg)}"
            for arg, attributes in zip(entry.args, given, strict=False)
        )
        prefix = "" if linkage == "external" else f"{linkage} "
        head = f"define {prefix}{output} @{op.sym_name.data}({parameters})"
        present = {**op.attributes, **op.properties}
        flags = [text for key, text in _FUNCTION_ATTRIBUTES.items() if key in present]
        self.lines.append(" ".join([head, *flags, "{"]))
        self._blocks(op)
        self.lines.append("}")

    def _blocks(self, op: llvm.FuncOp) -> None:
        entry, places = op.body.blocks.first, dict[Block, int]()
        for block in op.body.blocks:
            self.label = self.labels[block]
            self.lines.append(f"{self.label}:")
            places[block] = len(self.lines)
            if block is not entry:
                for arg in block.args:
                    self.name(arg)
                    self.lines.append("")
            for inner in block_ops(block):
                self.operation(inner)
        for block, place in places.items():
            if block is not entry:
                self._phis(block, place)

    def operation(self, op: Operation) -> None:
        """Write `op` within a function. Errors: an op that has no text."""
        write = self.writers.get(type(op))
        if write is None:
            raise CompilationError(f"no LLVM text for {op.name}")
        write(self, op)

    def _phis(self, block: Block, place: int) -> None:
        """Fill the lines that were left for the arguments of `block`."""
        for i, arg in enumerate(block.args):
            edges = ", ".join(
                f"[ {values[i]}, %{label} ]" for label, values in self.incoming[block]
            )
            text = f"  {self.names[arg]} = phi {self.type(arg.type)} {edges}"
            self.lines[place + i] = text

    def table(self, op: llvm.GlobalOp) -> None:
        """Write a global array."""
        kind = "constant" if op.constant is not None else "global"
        linkage = op.linkage.linkage.data
        prefix = "" if linkage == "external" else f"{linkage} "
        alignment = op.alignment.value.data if op.alignment is not None else 1
        value = "zeroinitializer"
        dense: Any = op.value
        if isinstance(dense, DenseIntOrFPElementsAttr):
            if not isinstance(op.global_type, llvm.LLVMArrayType):
                raise CompilationError(
                    f"expected an array for the elements of @{op.sym_name.data}, "
                    f"got {op.global_type}"
                )
            element = op.global_type.type
            spelled = self.type(element)
            texts = scalar_texts(element, dense.get_values())
            value = f"[{', '.join(f'{spelled} {text}' for text in texts)}]"
        self.lines.append(
            f"@{op.sym_name.data} = {prefix}{kind} {self.type(op.global_type)}"
            f" {value}, align {alignment}"
        )


def _spell(type_: Attribute) -> tuple[str, str]:
    """Return a type as LLVM writes it, and as it stands in the name of an intrinsic."""
    match type_:
        case VectorType() if type_.get_num_dims() == 1:
            text, suffix = _spell(type_.element_type)  # pyright: ignore
            (lanes,) = type_.get_shape()
            return f"<{lanes} x {text}>", f"v{lanes}{suffix}"
        case IntegerType():
            return f"i{type_.width.data}", f"i{type_.width.data}"
        case llvm.LLVMArrayType():
            return f"[{type_.size.data} x {_spell(type_.type)[0]}]", ""
        case llvm.LLVMStructType():
            members = ", ".join(_spell(t)[0] for t in type_.types)
            return f"{{ {members} }}", ""
        case _ if type(type_) in _SPELLED:
            return _SPELLED[type(type_)]
        case _:  # in text that entered at this level
            raise CompilationError(f"expected a type of LLVM, got {type_}")


def _parameter_attributes(attributes: DictionaryAttr) -> str:
    texts: list[str] = []
    for name, value in sorted(attributes.data.items()):
        if name in _PARAMETER_ATTRIBUTES:
            texts.append(_PARAMETER_ATTRIBUTES[name])
        else:
            if name not in _SIZED_ATTRIBUTES:
                known = ", ".join([*_PARAMETER_ATTRIBUTES, *_SIZED_ATTRIBUTES])
                raise CompilationError(
                    f"expected an attribute of a parameter out of {known}, got {name}"
                )
            if not isinstance(value, IntegerAttr):
                raise CompilationError(f"expected {name} with a number, got {value}")
            texts.append(_SIZED_ATTRIBUTES[name].format(value.value.data))
    return "".join(f" {text}" for text in texts)


def scalar_texts(type_: Attribute, values: Sequence[Any]) -> Iterator[str]:
    """Return constants of a scalar type as LLVM reads them, exactly."""
    if isinstance(type_, Float16Type | BFloat16Type):
        return (_half(type_, value) for value in values)
    if isinstance(type_, Float32Type | Float64Type):
        return (f"0x{struct.pack('>d', value).hex().upper()}" for value in values)
    if type_ == i1:
        return ("true" if value else "false" for value in values)
    return (str(int(value)) for value in values)


def _half(type_: Attribute, value: float) -> str:
    if isinstance(type_, Float16Type):
        return f"0xH{struct.pack('>e', value).hex().upper()}"
    return f"0xR{struct.pack('>f', value)[:2].hex().upper()}"


def constant_text(writer: LlvmWriter, type_: Attribute, value: Attribute) -> str:
    """Return a constant operand without its type."""
    if isinstance(value, IntegerAttr | FloatAttr):
        return next(scalar_texts(type_, [value.value.data]))
    is_vector = isinstance(type_, VectorType)
    if not is_vector or not isinstance(value, DenseIntOrFPElementsAttr):
        raise CompilationError(
            f"expected a number, or those of a vector, got {value} : {type_}"
        )
    element = type_.element_type  # pyright: ignore
    texts = list(scalar_texts(element, value.get_values()))  # pyright: ignore
    spelled = writer.type(element)  # pyright: ignore
    if value.is_splat():
        return f"splat ({spelled} {texts[0]})"
    return f"<{', '.join(f'{spelled} {text}' for text in texts)}>"
