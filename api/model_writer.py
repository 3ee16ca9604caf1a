"""Write a model op by op: inputs, outputs, states, constants, weights and ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import OptOperandDef
from xdsl.utils.exceptions import VerifyException

from glow.building import (
    array_of,
    call_signature,
    described,
    is_variadic,
    name_of,
    op_class,
    operands_of,
    ops_of,
    parameters_of,
    type_in,
    type_of,
    typed,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import (
    INLINE_ELEMENTS,
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.dialects.graph.tensors import (
    GraphWriter,
    SlotLike,
    SourceOp,
    Tensor,
    TensorLike,
)
from glow.initializers import Fans, Initializer
from glow.model import Model
from glow.runtime.notebook import html_table
from glow.support.errors import InvalidModelError, memory_for
from glow.support.locations import location_of
from glow.support.names import Names


@dataclass(frozen=True, eq=False)
class _Operators(GraphWriter):
    """The writer behind the operators of a builder's values."""

    builder: ModelWriter
    append: Callable[[Operation, str], Sequence[Tensor]]

    def insert(self, op: SourceOp) -> Sequence[SSAValue]:
        label = self.builder.fresh_name(op.name.partition(".")[2])
        return [result.value for result in self.append(op, label)]

    def value(self, operand: TensorLike, like: AnyTensorType | None = None) -> SSAValue:
        if isinstance(operand, SSAValue):
            return operand
        return self.builder.value("operand", operand, like=like).value

    def emit_all(
        self, op: type[GraphOp], *slots: SlotLike, **parameters: Any
    ) -> tuple[Tensor, ...]:
        results: Any = self.builder.op(op.name, *slots, **parameters)
        return (results,) if isinstance(results, Tensor) else results


class ModelWriter:
    """The calls of a `Builder` that every model needs; layers are composed of them."""

    def __init__(self, name: str = "model"):
        self._name = name
        self._labels = Names(separator="_")
        self._symbols = Names(["main"], separator="_")
        self._block = Block()
        main = FuncOp("main", ((), ()), Region(self._block))
        self._module = ModuleOp([main])
        self._main = main
        self._states: dict[str, PlaceholderOp] = {}
        self._operators = _Operators(self, self._results)

    def __repr__(self) -> str:
        count = len(self._block.ops)
        ops = "1 op" if count == 1 else f"{count} ops"
        return f"<{type(self).__name__} {self._name}: {ops}>"

    def _repr_html_(self) -> str:
        """Return a table of its kinds of ops, for notebooks."""
        kinds = Counter(op.name for op in self._block.ops).most_common()
        return html_table(f"{type(self).__name__} {self._name}", ["op", "count"], kinds)

    def input(self, name: str, shape: Sequence[int], dtype: Any = np.float32) -> Tensor:
        """Add an input that the caller passes at each run, and return its value."""
        type_ = type_of(name, shape, dtype)
        self._declare(PlaceholderOp(self._symbol(name), "in", type_), name)
        return self._load(name, type_)

    def output(self, name: str, value: Any) -> None:
        """Make `value` an output of the model."""
        tensor = self.value(f'output "{name_of(name)}"', value)
        self._declare(PlaceholderOp(self._symbol(name), "out", tensor.type), name)
        self._add(SaveOp(name, tensor.value), name)

    def state(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any = np.float32,
        *,
        initial: Any = 0,
    ) -> Tensor:
        """
        Add a tensor that stays from run to run, and return what it holds before a run.

        It is kept by each caller's bindings and starts as `initial`, an array or one
        number; with None the caller binds it before the first run. `update` says what
        it holds afterwards; what is never updated is only read.
        """
        type_, start = type_of(name, shape, dtype), None
        if initial is not None:
            given = array_of(initial, f'initial value of state "{name}"')
            with memory_for(f'state "{name}"'):
                array = np.empty(type_.get_shape(), dtype)
            if given.shape not in ((), array.shape):
                raise ValueError(
                    f"expected one number or shape {list(array.shape)} as initial "
                    f'value of state "{name}", got shape {list(given.shape)}'
                )
            array[...] = given
            start = ResourceAttr.of(array)
        symbol = self._symbol(name)
        self._states[name] = PlaceholderOp(
            symbol, "in", type_, residency="resident", initial=start
        )
        self._declare(self._states[name], name)
        return self._load(name, type_)

    def update(self, name: str, value: Any) -> None:
        """Make `value` what state `name` holds after a run, and before the next."""
        if name not in self._states:
            known = ", ".join(self._states) or "none"
            raise ValueError(f'expected a state out of {known}, got "{name}"')
        state = self._states[name]
        if state.direction.data == "inout":
            raise ValueError(f'expected one update of state "{name}", got a second')
        tensor = self.value(f'update of state "{name}"', value, like=state.type)
        if tensor.type != state.type:
            raise InvalidModelError(
                f'update of state "{name}": expected {state.type}, got {tensor.type}'
            )
        state.direction = StringAttr("inout")
        self._add(SaveOp(name, tensor.value), name)

    def constant(self, array: Any, name: str = "constant") -> Tensor:
        """Add a constant with a copy of these elements, and return its value."""
        symbol = self._symbols.fresh(name_of(name))
        return self._constant(ConstantOp(symbol, array_of(array, f'constant "{name}"')))

    def weight(
        self,
        name: str,
        shape: Sequence[int],
        init: Initializer,
        *,
        dtype: Any = np.float32,
        fans: Fans | None = None,
    ) -> Tensor:
        """
        Add a constant that starts as `init` says, and return its value.

        The array depends on the name; `init` stands beside it in the text. `fans` is
        what He and Glorot scale by.
        Errors: ValueError for a negative extent, or where fans are needed and none are
        given; TypeError for what is not an initializer.
        """
        if not isinstance(cast(object, init), Initializer):
            raise TypeError(
                f'expected an initializer of weight "{name}", got {described(init)}; '
                "b.constant makes one of an array"
            )
        type_ = type_of(name, shape, dtype)
        symbol, shape = self._symbols.fresh(name), type_.get_shape()
        constant = ConstantOp(symbol, init.array(symbol, shape, dtype, fans))
        constant.attributes["init"] = StringAttr(init.text(fans))
        return self._constant(constant)

    def op(self, op: str, /, *operands: Any, **parameters: Any) -> Any:
        """Add an op, of dialect graph where it names none, and return its results."""
        cls = op_class(op)
        kind = cls.name.partition(".")[2]
        label = parameters.pop("name", None) or self.fresh_name(kind)
        slots = self._slots(cls, operands, parameters)
        try:
            signature(cls.compute).bind(*slots, **parameters)
            parameters = parameters_of(cls, parameters)
        except TypeError as error:
            raise TypeError(f"{cls.name}: {error}") from None
        try:
            made = cls(*slots, **parameters)
            made.verify()
        except VerifyException as error:
            raise InvalidModelError(f'{cls.name} "{label}": {error}') from None
        results = self._results(made, label)
        return results[0] if len(results) == 1 else results

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the function that adds op `name` of dialect graph, with its words."""
        try:
            cls = op_class(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None
        add = partial(self.op, name)
        add.__doc__, add.__signature__ = cls.__doc__, call_signature(cls)  # pyright: ignore
        return add

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *ops_of("graph")]

    def fresh_name(self, name: str) -> str:
        """Return `name`, numbered where an op has it."""
        return self._labels.fresh(name)

    def model(self) -> Model:
        """Return the model as it is by now; ValueError without an output."""
        if not any(isinstance(op, SaveOp) for op in self._block.ops):
            raise ValueError(f'expected an output of model "{self._name}", got none')
        module = self._module.clone()
        main = module.body.block.last_op
        assert isinstance(main, FuncOp)
        main.body.block.add_op(ReturnOp())
        module.verify()
        return Model(self._name, module)

    def _symbol(self, name: str) -> str:
        if name in self._symbols:
            raise ValueError(f'expected a name that is not taken, got "{name}"')
        return self._symbols.fresh(name)

    def _declare(self, op: PlaceholderOp | ConstantOp, name: str) -> None:
        op.location = location_of(name)
        self._module.body.block.insert_op_before(op, self._main)

    def _constant(self, op: ConstantOp) -> Tensor:
        name = op.sym_name.data
        self._declare(op, name)
        return self._load(name, op.type)

    def _load(self, name: str, type_: AnyTensorType) -> Tensor:
        return self._results(LoadOp(name, type_), name)[0]

    def _add(self, op: Operation, name: str) -> None:
        op.location = location_of(name)
        self._block.add_op(op)

    def _results(self, op: Operation, name: str) -> tuple[Tensor, ...]:
        self._add(op, name)
        return tuple(Tensor(result, self._operators) for result in op.results)

    def _slots(
        self, cls: type[GraphOp], operands: Sequence[Any], named: dict[str, Any]
    ) -> list[Any]:
        """Return an operand per slot; take those with a name out of `named`."""
        given = operands_of(cls, operands, named)
        like = next(filter(None, (type_in(operand) for *_, operand in given)), None)
        values: list[Any] = []
        for name, definition, operand in given:
            what = f"{cls.name}: {name}"
            if is_variadic(definition):
                if not isinstance(operand, list | tuple):
                    raise TypeError(
                        f"{what}: expected a list of values, got {described(operand)}"
                    )
                several = cast(Sequence[Any], operand)
                tensors = [self.value(what, each, like=like) for each in several]
                values.append([tensor.value for tensor in tensors])
            elif operand is None and isinstance(definition, OptOperandDef):
                values.append(None)
            else:
                values.append(self.value(what, operand, like=like).value)
        return values

    def value(
        self, what: str, given: Any, *, like: AnyTensorType | None = None
    ) -> Tensor:
        """Return a value of this builder, or a constant; errors say `what` it is."""
        if isinstance(given, Tensor):
            if given.writer is not self._operators:
                raise ValueError(
                    f'{what}: expected a value of builder "{self._name}", '
                    "got one of another"
                )
            return given
        array = array_of(given, what)
        if not isinstance(given, np.ndarray | np.generic) and like is not None:
            array = typed(what, array, like.element_type)
        if array.size > INLINE_ELEMENTS:
            return self.constant(array)
        return self._results(LiteralOp(array), self.fresh_name("literal"))[0]
