"""One node with its inputs and attributes, as handlers of operators see it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, SparseTensorProto
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import OptOperandDef, OptResultDef, VarOperandDef

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.outlining import OutlinedFunction
from glow.dialects.graph.parameters import OpParameter
from glow.dialects.graph.tensors import SlotLike, Tensor
from glow.formats.onnx.attributes import EXACT, KINDS, exact_of
from glow.formats.onnx.emitter import Emitter, hint_of
from glow.formats.onnx.functions import RunBody
from glow.formats.onnx.problems import Problems, Unsupported
from glow.formats.onnx.records import NodeRecord
from glow.formats.onnx.schemas import Schema, value_of
from glow.formats.onnx.tensors import array_of, dense_of, dtype_of_onnx
from glow.support.errors import InvalidModelError
from glow.support.types import element_type_of


class Trial:
    """An attempt to write something, which can be undone."""

    def __init__(self, emitter: Emitter, problems: Problems):
        self._emitter, self._problems = emitter, problems
        self._mark, self._before = emitter.mark(), problems.copy()

    @property
    def has_failed(self) -> bool:
        """Whether something was found to be wrong or unsupported since."""
        return self._problems != self._before

    def undo(self) -> None:
        """Take back what was written and found since."""
        self._emitter.go_back(self._mark)
        self._problems.restore(self._before)


class Node:
    """
    One ONNX node with its inputs as values; checked against its schema.

    Attributes are read by name and type, with ONNX's default where it has one. The
    model must not set one that a handler does not read.
    """

    def __init__(
        self,
        record: NodeRecord,
        schema: Schema,
        inputs: tuple[SSAValue | None, ...],
        emitter: Emitter,
        location: LocationAttr,
        wanted: Collection[str],
        folder: Path | None,
        find_body: Callable[[str], RunBody],
        problems: Problems,
    ):
        self.record = record
        label = next((name for name in record.outputs if name), record.source)
        self._label, self._location, self._problems = label, location, problems
        self._writer = emitter.at(label, location)
        self.inputs = tuple(self._tensor(value) for value in inputs)
        self._schema = schema
        self.emitter = emitter
        self._wanted = wanted
        self._folder = folder
        self._find_body = find_body
        self._read = {"consumed_inputs"} if self.opset < 6 else set[str]()  # a hint

    @property
    def opset(self) -> int:
        """The version of the operator set that the node counts by."""
        assert self.record.opset is not None
        return self.record.opset

    @property
    def given(self) -> list[Tensor]:
        """The inputs that are present."""
        return [value for value in self.inputs if value is not None]

    def input(self, index: int) -> Tensor:
        """Return an input that the schema requires."""
        value = self.optional(index)
        if value is None:
            self.invalid(f"input {index} is missing")
        return value

    def optional(self, index: int) -> Tensor | None:
        """Return an input, or None where it is absent, by length or by empty name."""
        return self.inputs[index] if index < len(self.inputs) else None

    def is_read(self, index: int) -> bool:
        """Return whether anything reads output `index`."""
        names = self.record.outputs[index : index + 1]
        return any(name in self._wanted for name in names)

    @property
    def output_count(self) -> int:
        return len(self.record.outputs)

    def shape(self, index: int) -> tuple[int, ...]:
        return self.input(index).shape

    def element(self, index: int) -> Attribute:
        return self.input(index).element

    def dtype(self, index: int) -> np.dtype[Any]:
        return self.input(index).dtype

    def constant(self, index: int) -> NDArray[Any] | None:
        """Return an input's value if it is known at import, None if absent or not."""
        value = self.optional(index)
        return None if value is None else self.emitter.array_of(value.value)

    def known(self, value: int | Tensor, role: str) -> NDArray[Any]:
        """Return the constant value of a tensor or of the input at an index."""
        value = self.input(value) if isinstance(value, int) else value
        array = self.emitter.array_of(value.value)
        if array is None:
            what = f"{self.record.operator} with {role} known only at run time"
            raise Unsupported(what, self.emitter.inputs_behind(value.value))
        return array

    def known_scalar(self, index: int, role: str) -> NDArray[Any]:
        """Return the one element that an input known at import has, of rank 0."""
        value = self.known(index, role)
        if value.size != 1:
            self.invalid(f"expected {role} of one element, got {list(value.shape)}")
        return value.reshape(())

    def known_ints(self, index: int, role: str) -> tuple[int, ...] | None:
        """Return the integers of an input of rank 0 or 1, None where it is absent."""
        if self.optional(index) is None:
            return None
        value = self.known(index, role)
        if value.ndim > 1 or value.dtype.kind not in "iu":
            self.invalid(
                f"expected a list of integers as {role}, "
                f"got {value.dtype} of shape {list(value.shape)}"
            )
        return tuple(int(v) for v in value.reshape(-1))

    def list_of(self, name: str, index: int) -> tuple[int, ...] | None:
        """Return integers: an attribute in older versions, an input in newer ones."""
        if name in self._schema.attributes:
            return self.integers(name)
        return self.known_ints(index, name)

    def integer(self, name: str, default: int | None = None) -> int:
        return self._attribute(name, AttributeProto.INT, default)

    def flag(self, name: str) -> bool:
        """Return an integer attribute that stands for a truth value."""
        return self.integer(name) != 0

    def real(self, name: str, default: float | None = None) -> float:
        """Return a float attribute, which ONNX stores with 32 bits."""
        return self._attribute(name, AttributeProto.FLOAT, default)

    def string(self, name: str) -> str:
        return self._attribute(name, AttributeProto.STRING, None)

    def choice(self, name: str, *allowed: str) -> str:
        """Return a string attribute, one of `allowed`."""
        value = self.string(name)
        if value not in allowed:
            self.refuse(f"{name}={value!r}")
        return value

    def integers(self, name: str) -> tuple[int, ...] | None:
        """Return a list of integers, or None where it is absent."""
        if not self._is_known(name):
            return None
        return self._attribute(name, AttributeProto.INTS, None)

    def tensor(self, name: str) -> NDArray[Any]:
        """Return a tensor that the model sets; what a sparse one leaves out is 0."""
        value, owner = self.value(name), f"attribute {name}"
        if isinstance(value, SparseTensorProto):
            return dense_of(value, owner, self._folder)
        return array_of(value, owner, self._folder)

    def has(self, name: str) -> bool:
        """Return whether the model sets attribute `name`."""
        return name in self.record.attributes

    def ignore(self, *names: str) -> None:
        """Accept attributes that make no difference."""
        self._read.update(names)

    def value(self, name: str) -> Any:
        """Return an attribute of whatever type, which the model sets."""
        self._read.add(name)
        return value_of(self.record.attributes[name])

    def body(
        self, name: str
    ) -> Callable[[Sequence[Tensor | None]], list[Tensor | None]]:
        """Return the importer of the graph in attribute `name`."""
        self._read.add(name)
        run = self._find_body(name)
        return lambda given: [
            self._tensor(value)
            for value in run([None if each is None else each.value for each in given])
        ]

    def apply(
        self, op: type[GraphOp], *slots: SlotLike, **given: Any
    ) -> list[Tensor | None]:
        """
        Insert `op` with the node's attributes as parameters; return its results.

        Without `slots` it takes the inputs in their order. `given` are parameters
        in place of the attributes of their names. An optional result is made where the
        output is read, else it is None.
        """
        definition = op.get_irdl_definition()
        if not slots:
            kinds = enumerate(kind for _, kind in definition.operands)
            slots = tuple(self._slot(index, kind) for index, kind in kinds)
        for parameter in op.declared().values():
            name = parameter.name
            if name not in given and self._is_known(name):
                given[name] = self._parameter(parameter)
        made = [
            given.get(f"with_{name}", self.is_read(index))
            if isinstance(kind, OptResultDef)
            else True
            for index, (name, kind) in enumerate(definition.results)
        ]
        made[0] = made[0] or not any(made)
        for (name, kind), flag in zip(definition.results, made, strict=True):
            if isinstance(kind, OptResultDef):
                given[f"with_{name}"] = flag
        results = iter(self.emit_all(op, *slots, **given))
        own = [next(results, None) if flag else None for flag in made]
        return [*own, *results]  # the last may be several

    def _slot(self, index: int, kind: object) -> SlotLike:
        if isinstance(kind, OptOperandDef):
            return self.optional(index)
        return self.given if isinstance(kind, VarOperandDef) else self.input(index)

    def _parameter(self, parameter: OpParameter) -> Any:
        """Return the value of the attribute that has the name of a parameter."""
        kind = parameter.kinds[0]
        value = self._attribute(parameter.name, KINDS[kind], None)
        if kind is Attribute:
            dtype = dtype_of_onnx(value, f"attribute {parameter.name}")
            return element_type_of(dtype)
        if parameter.words and value not in parameter.words:
            self.refuse(f"{parameter.name}={value!r}")
        return value != 0 if kind is bool else value

    def emit(self, op: type[GraphOp], *slots: SlotLike, **parameters: Any) -> Tensor:
        """Insert an op with one result, or the constant that it folds to."""
        return self._writer.emit(op, *slots, **parameters)

    def emit_all(
        self, op: type[GraphOp], *slots: SlotLike, **parameters: Any
    ) -> tuple[Tensor, ...]:
        """Insert an op, or the constants that it folds to; return its results."""
        return self._writer.emit_all(op, *slots, **parameters)

    def insert(self, op: Operation) -> list[Tensor | None]:
        """Insert an op that names functions, such as a loop; return its results."""
        op.location = self._location
        self.emitter.insert(op)
        return [self._tensor(result) for result in op.results]

    def outline(
        self, name: str, block: Block, results: Sequence[Tensor]
    ) -> OutlinedFunction:
        """Make `block`, which belongs to this node, a function."""
        hint = hint_of(f"{self._label}_{name}") or name
        values = [each.value for each in results]
        return self.emitter.outline(hint, block, values, self._location)

    def note_unknown(self, *values: Tensor | None) -> None:
        """Note that something might be supported if these values were known."""
        for value in values:
            if value is not None:
                names = self.emitter.inputs_behind(value.value)
                self._problems.add_unknown_inputs(names)

    def trial(self) -> Trial:
        """Return a trial, which can undo all that is written from here on."""
        return Trial(self.emitter, self._problems)

    def literal(self, value: Any, dtype: np.dtype[Any] | None = None) -> Tensor:
        """Return `value` as a constant."""
        return self._writer.tensor(np.asarray(value, dtype))

    def check_entries(self, name: str, values: Sequence[Any], count: int) -> None:
        """Raise unless a list has an entry for each of `count` axes."""
        if len(values) != count:
            self.invalid(f"expected {name} of {count} entries, got {list(values)}")

    def invalid(self, message: str) -> NoReturn:
        """Say that the node is wrong; the importer adds which one it is."""
        raise InvalidModelError(message)

    def refuse(self, what: str) -> NoReturn:
        """Say that the importer lacks something; `what` names it with the operator."""
        raise Unsupported(f"{self.record.operator} with {what}")

    def unread(self) -> list[str]:
        """Return the attributes that the model sets and nothing has read."""
        return sorted(set(self.record.attributes) - self._read)

    def tensor_of(self, value: SSAValue) -> Tensor:
        """Return a value to compute with."""
        return self._writer.tensor(value)

    def _tensor(self, value: SSAValue | None) -> Tensor | None:
        return None if value is None else self.tensor_of(value)

    def _default(self, name: str) -> AttributeProto | None:
        rule = self._schema.attributes.get(name)
        return None if rule is None else rule.default

    def _is_known(self, name: str) -> bool:
        """Return whether attribute `name` is set, or has a default."""
        return self.has(name) or self._default(name) is not None

    def _attribute(self, name: str, kind: int, default: Any) -> Any:
        self._read.add(name)
        attribute = self.record.attributes.get(name) or self._default(name)
        if attribute is None:
            assert default is not None, f"{self.record.op_type}.{name} has no default"
            return default
        if attribute.type != kind:
            self.invalid(f"attribute {name} has another type than expected")
        return exact_of(value_of(attribute), self.record.metadata.get(EXACT + name))
