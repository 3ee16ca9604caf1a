"""Write a module so that graphs of equal structure are equal text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.calls import callees_first, entries_of, reached_from
from glow.analysis.constants import MOVING, uniform_element
from glow.analysis.directions import functions_of
from glow.analysis.symbols import named_in
from glow.dialects.graph.control_flow import (
    GRADIENT,
    CallingOp,
    IfOp,
    LoopOp,
    composite_of,
)
from glow.dialects.graph.outlining import take_instead
from glow.dialects.graph.storage import (
    INLINE_ELEMENTS,
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
    StorageOp,
)
from glow.passes.graph._function_form import FunctionForm, digest_of, replace_op
from glow.support.arrays import Array
from glow.support.names import Names
from glow.support.types import has_layout, tensor_type


@dataclass(frozen=True)
class CanonicalFormPass(ModulePass):
    """
    Name and order all that a module has by what it computes.

    Modules that differ in names of values, constants and private functions, in the
    order of independent ops, of inputs of choices and loops, or of operands that
    commute without a change of bits, have the same text then. What no output depends on
    is dropped, what is computed twice is computed once, and reshapes to the same shape
    are left out. Choices and loops pass each value once, to functions that read it, and
    constants are loaded there; what loops carry keeps its order. Windows say all of
    their parameters. Constants are literals if they have at most 8 elements or repeat
    one, also if it is reshaped or expanded. Placeholders keep their names, by which a
    caller knows them, or are numbered with `rename`; inputs come before outputs.
    Locations stay; functions that are gradients of others, which no run computes, do
    not.

    Level: graph -> graph. Needs: infer-io.
    Errors: ops that have regions, functions of several blocks, recursion.
    """

    name = "canonical-form"

    rename: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _ModuleForm(op).write(self.rename)


_InputSource = int | bytes | None
"""The number of an input, the key of a constant, None where nothing reads it."""


class _ModuleForm:
    """A module whose functions are written anew, callees first."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._constants = named_in(module, ConstantOp)
        placeholders = named_in(module, PlaceholderOp).values()
        inputs = [op for op in placeholders if op.direction.data != "out"]
        self._placeholders = [*inputs, *(op for op in placeholders if op not in inputs)]
        self.places = {op.sym_name.data: i for i, op in enumerate(self._placeholders)}
        """The number of each placeholder."""
        self.digests: dict[str, bytes] = {}
        """Digests of the functions written so far."""
        self._callee: dict[bytes, FuncOp] = {}
        self._functions: dict[str, FuncOp] = {}
        self._names = Names(op.sym_name.data for op in functions_of(module))
        self._copies: dict[tuple[str, tuple[_InputSource, ...]], str] = {}

    def write(self, rename: bool) -> None:
        for function in functions_of(self._module):
            function.attributes.pop(GRADIENT, None)
        functions = _checked(functions_of(self._module))
        entries = [f for f in entries_of(self._module) if f.sym_visibility is None]
        for function in functions:
            self._write_function(function)
        kept = [f for entry in entries for f in reached_from(entry, self._module)]
        self._order(list(dict.fromkeys([*entries, *kept])), rename)

    def callee(self, name: str) -> str:
        """Return the name of the first function that computes what `name` computes."""
        return self._callee[self.digests[name]].sym_name.data

    def order_inputs(self, op: IfOp | LoopOp, keys: Mapping[SSAValue, bytes]) -> None:
        """Pass only inputs that functions read, each value once, ordered by keys."""
        blocks = [self._functions[name].body.block for name in op.callees]
        first = len(blocks[0].args) - len(op.inputs)
        read = {
            number: keys[value]
            for number, value in enumerate(op.inputs)
            if any(block.args[first + number].first_use for block in blocks)
        }
        values = {keys[value]: value for value in op.inputs}
        known = {key: v.owner for key, v in values.items() if self._is_known(v)}
        order = {key: at for at, key in enumerate(sorted({*read.values()} - {*known}))}
        found = [read.get(number) for number in range(len(op.inputs))]
        sources = tuple(order.get(key, key) if key else None for key in found)
        if sources != tuple(range(len(order))):
            op.pass_instead([values[key] for key in order])
            op.call_instead(*(self._copy(n, op, sources, known) for n in op.callees))

    def _is_known(self, value: SSAValue) -> bool:
        owner = value.owner
        symbol = owner.symbol.string_value() if isinstance(owner, LoadOp) else None
        return isinstance(owner, LiteralOp) or symbol in self._constants

    def _copy(
        self,
        name: str,
        op: IfOp | LoopOp,
        sources: tuple[_InputSource, ...],
        known: Mapping[bytes, Any],
    ) -> str:
        """Return the name of a copy of a function that takes the inputs of `op`."""
        if (name, sources) not in self._copies:
            function = self._functions[name].clone()
            made = [known[s] if isinstance(s, bytes) else s for s in sources]
            take_instead(function, op.inputs, made)
            function.sym_name = StringAttr(self._names.fresh(name))
            function.sym_visibility = StringAttr("private")
            self._module.body.block.add_op(function)
            self._write_function(function)
            self._copies[name, sources] = function.sym_name.data
        return self._copies[name, sources]

    def _write_function(self, function: FuncOp) -> None:
        self._make_literals(function)
        form = FunctionForm(function, self).write()
        made = digest_of(form, function.function_type, composite_of(function))
        self.digests[function.sym_name.data] = made
        self._functions[function.sym_name.data] = function
        self._callee.setdefault(made, function)

    def key_of(self, symbol: str) -> str:
        """Return a key of what a symbol holds: which placeholder, or which bytes."""
        if symbol in self.places:
            return f"placeholder {self.places[symbol]}"
        constant = self._constants[symbol]
        return f"constant {constant.resource} {constant.axes} {constant.type}"

    def _make_literals(self, function: FuncOp) -> None:
        """Make literals of small or uniform constants, constants of long literals."""
        names = Names([*self.places, *self._constants])
        for op in list(function.body.block.ops):
            new: LiteralOp | LoadOp | None = None
            element = _repeated(op)
            if element is not None:
                type_ = tensor_type(op.results[0])
                array = np.broadcast_to(element, type_.get_shape())
                new = LiteralOp(array, type_)
            elif isinstance(op, LoadOp):
                constant = self._constants.get(op.symbol.string_value())
                array = None if constant is None else constant.array
                if array is not None and array.size <= INLINE_ELEMENTS:
                    new = LiteralOp(array, op.result.type)
            elif isinstance(op, LiteralOp) and _is_long(op):
                constant = ConstantOp(names.fresh("constant"), op.array)
                constant.location = op.location
                self._constants[constant.sym_name.data] = constant
                self._module.body.block.insert_op_before(constant, function)
                new = LoadOp(constant.sym_name.data, constant.type)
            if new is not None:
                replace_op(op, new)

    def _order(self, functions: Sequence[FuncOp], rename: bool) -> None:
        """Put placeholders first, then constants, then functions, as they are read."""
        read: dict[str, None] = {}
        for function in functions:
            loads = (op for op in function.body.block.ops if isinstance(op, LoadOp))
            read |= dict.fromkeys(op.symbol.string_value() for op in loads)
        constants = [self._constants[n] for n in read if n in self._constants]
        own = [op for op in functions if op.sym_visibility is not None]
        new = _numbered(self._placeholders) if rename else {n: n for n in self.places}
        others = (op.sym_name.data for op in functions if op not in own)
        names = Names([*new.values(), *others])
        for kind, several in (("constant", constants), ("function", own)):
            for number, op in enumerate(several):
                new[op.sym_name.data] = names.fresh(f"{kind}{number}")
        block = self._module.body.block
        ordered = [*self._placeholders, *constants, *functions]
        rest = [op for op in block.ops if not isinstance(op, StorageOp | FuncOp)]
        for op in list(block.ops):
            op.detach()
        block.add_ops([*ordered, *rest])
        _rename(ordered, new)


def _checked(functions: Sequence[FuncOp]) -> list[FuncOp]:
    """Return functions, callees first, which are lists of ops."""
    for function in functions:
        name = function.sym_name.data
        if len(function.body.blocks) > 1:
            raise PassFailedException(f"expected @{name} to be one block")
        for op in function.body.block.ops:
            if op.regions:
                raise PassFailedException(f"expected no {op.name}, which has regions")
    return callees_first(functions)


def _numbered(placeholders: Iterable[PlaceholderOp]) -> dict[str, str]:
    """Return names by number for inputs and for outputs."""
    counts = {"input": 0, "output": 0}
    new: dict[str, str] = {}
    for op in placeholders:
        kind = "output" if op.direction.data == "out" else "input"
        new[op.sym_name.data] = f"{kind}{counts[kind]}"
        counts[kind] += 1
    return new


def _rename(ops: Sequence[StorageOp | FuncOp], new: Mapping[str, str]) -> None:
    """Give symbols new names, where they are declared and where they are used."""
    for op in ops:
        op.sym_name = StringAttr(new.get(op.sym_name.data, op.sym_name.data))
        for inner in op.body.block.ops if isinstance(op, FuncOp) else ():
            if isinstance(inner, LoadOp | SaveOp):
                inner.symbol = SymbolRefAttr(new[inner.symbol.string_value()])
            elif isinstance(inner, CallingOp):
                inner.call_instead(*(new.get(name, name) for name in inner.callees))


def _repeated(op: Operation) -> Array | None:
    """Return the element that a constant, as it is or moved, repeats, or None."""
    if not isinstance(op, LiteralOp | LoadOp | MOVING) or has_layout(op.result):
        return None
    return uniform_element(op.result)


def _is_long(op: LiteralOp) -> bool:
    return op.array.size > INLINE_ELEMENTS and any(op.array.strides)
