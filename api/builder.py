"""
Models written in Python: each op is a call, and so is a layer with its weights.

    b = glow.Builder("net")
    x = b.input("image", (1, 3, 32, 32))
    y = b.relu(b.conv(x, 16, kernel=3))
    y = b.reshape(b.global_avg_pool(y), shape=(1, 16))
    b.output("scores", b.linear(y, 10, init=glow.initializers.he(seed=1)))
    net = glow.compile(b.model())
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, partial
from inspect import signature
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    FunctionType,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import OptOperandDef, VarOperandDef
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from glow.building import (
    array_of,
    described,
    is_value,
    name_of,
    parameters_of,
    type_of,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.resource import ResourceAttr
from glow.dialects.graph.storage import (
    INLINE_ELEMENTS,
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.initializers import Fans, Initializer
from glow.layers import Layers
from glow.model import Model
from glow.support.errors import InvalidModelError
from glow.support.names import Names
from glow.support.types import (
    Tensor,
    dtype_of,
    element_of,
    shape_of,
    tensor,
    tensor_type,
)

Value = SSAValue
"""A tensor in a model that is being written."""


class Builder(Layers):
    """
    Writes a model op by op.

    `b.relu(x)` is `b.op("graph.relu", x)`, and so for every op of the graph dialect;
    `op` also knows those of other packages. Operands come in order or by the name of
    their slot, parameters by name. A number is an operand of the first one's element
    type; an array is a constant. Layers, such as `linear`, also make their weights.
    An op with one result returns it, others return a tuple. `name` is what errors and
    profiles call an op; names are numbered where they are taken.

    Errors: InvalidModelError for operands and parameters that an op refuses, in its
    words; ValueError for an op that does not exist, a name that is taken, a value of
    another builder, and a model without an output; TypeError for operands that are no
    tensors, and for parameters that an op lacks or that are of another type.
    """

    def __init__(self, name: str = "model"):
        self._name = name
        self._labels = Names(separator="_")
        self._symbols = Names(["main"], separator="_")
        self._block = Block()
        main = FuncOp("main", FunctionType.from_lists([], []), Region(self._block))
        self._module = ModuleOp([main])
        self._main = main
        self._states: dict[str, PlaceholderOp] = {}

    def input(
        self, name: str, shape: Sequence[int], dtype: Any = np.float32
    ) -> SSAValue:
        """Add an input that the caller passes at each run, and return its value."""
        type_ = type_of(name_of(name), shape, dtype)
        self._declare(PlaceholderOp(self._symbol(name), "in", type_), name)
        return self._load(name, type_)

    def output(self, name: str, value: Any) -> None:
        """Make `value` an output of the model."""
        value = self.value(f'output "{name_of(name)}"', value)
        type_ = tensor(element_of(value), shape_of(value))
        self._declare(PlaceholderOp(self._symbol(name), "out", type_), name)
        self._add(SaveOp(name, value), name)

    def state(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any = np.float32,
        *,
        initial: Any = 0,
    ) -> SSAValue:
        """
        Add a tensor that stays from run to run, and return what it holds before a run.

        It is kept by each caller's bindings and starts as `initial`, an array or one
        number; with None the caller binds it before the first run. `update` says what
        it holds afterwards; what is never updated is only read.
        """
        type_, start = type_of(name_of(name), shape, dtype), None
        if initial is not None:
            given = array_of(initial, f'initial value of state "{name}"')
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
        value = self.value(f'update of state "{name}"', value, like=state.type)
        if value.type != state.type:
            raise InvalidModelError(
                f'update of state "{name}": expected {state.type}, got {value.type}'
            )
        state.direction = StringAttr("inout")
        self._add(SaveOp(name, value), name)

    def constant(self, array: Any, name: str = "constant") -> SSAValue:
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
    ) -> SSAValue:
        """
        Add a constant that starts as `init` says, and return its value.

        The array depends on the name; `init` stands beside it in the text. `fans` is
        what He and Glorot scale by.
        Errors: ValueError for a negative extent, or where fans are needed and none are
        given; TypeError for what is no initializer.
        """
        if not isinstance(cast(object, init), Initializer):
            raise TypeError(
                f'expected an initializer of weight "{name}", got {described(init)}; '
                "b.constant makes one of an array"
            )
        type_ = type_of(name_of(name), shape, dtype)
        symbol, shape = self._symbols.fresh(name), type_.get_shape()
        constant = ConstantOp(symbol, init.array(symbol, shape, dtype, fans))
        constant.attributes["init"] = StringAttr(init.text(fans))
        return self._constant(constant)

    def op(self, op: str, /, *operands: Any, **parameters: Any) -> Any:
        """Add an op, of dialect graph where it names none, and return its results."""
        cls = _op_class(op)
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
        self._add(made, label)
        results = tuple(made.results)
        return results[0] if len(results) == 1 else results

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return what adds op `name` of dialect graph."""
        try:
            _op_class(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None
        return partial(self.op, name)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *_ops_of("graph")]

    def fresh_name(self, name: str) -> str:
        """Return `name`, numbered where an op has it."""
        return self._labels.fresh(name)

    def model(self) -> Model:
        """
        Return the model as it is by now; more can be added to another one.

        Errors: ValueError without an output.
        """
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
        op.location = _location(name)
        self._module.body.block.insert_op_before(op, self._main)

    def _constant(self, op: ConstantOp) -> SSAValue:
        name = op.sym_name.data
        self._declare(op, name)
        return self._load(name, op.type)

    def _load(self, name: str, type_: Tensor) -> SSAValue:
        return self._add(LoadOp(name, type_), name).results[0]

    def _add(self, op: Operation, name: str) -> Operation:
        op.location = _location(name)
        self._block.add_op(op)
        return op

    def _slots(
        self, cls: type[GraphOp], operands: Sequence[Any], named: dict[str, Any]
    ) -> list[Any]:
        """Return an operand per slot; take those with a name out of `named`."""
        slots = cls.get_irdl_definition().operands
        given = dict(zip((name for name, _ in slots), operands, strict=False))
        if len(operands) > len(slots):
            several = [name for name, kind in slots if _is_variadic(kind)]
            hint = f"; {several[0]} are one list" if several else ""
            raise TypeError(
                f"{cls.name}: expected at most {len(slots)} operands, "
                f"got {len(operands)}{hint}"
            )
        for name, _ in slots[len(operands) :]:
            if name in named:
                given[name] = named.pop(name)
        last = max(
            (i for i, (name, _) in enumerate(slots) if name in given), default=-1
        )
        like = next(filter(None, map(_type_in, given.values())), None)
        found: list[Any] = []
        for name, definition in slots[: last + 1]:
            operand, what = given.get(name), f"{cls.name}: {name}"
            if _is_variadic(definition):
                if not isinstance(operand, list | tuple):
                    raise TypeError(
                        f"{what}: expected a list of values, got {described(operand)}"
                    )
                several = cast(Sequence[Any], operand)
                found.append([self.value(what, each, like=like) for each in several])
            elif operand is None and isinstance(definition, OptOperandDef):
                found.append(None)
            else:
                found.append(self.value(what, operand, like=like))
        return found

    def value(self, what: str, given: Any, *, like: Tensor | None = None) -> SSAValue:
        """
        Return `given` as a value: one of this builder, or a constant made of an array.

        A number has the element type of `like`. `what` is its role, for errors.
        """
        if is_value(given):
            if given.owner.parent is not self._block:
                raise ValueError(
                    f'{what}: expected a value of builder "{self._name}", '
                    "got one of another"
                )
            return given
        array = array_of(given, what)
        if not isinstance(given, np.ndarray | np.generic) and like is not None:
            array = array.astype(dtype_of(like.element_type))
        if array.size > INLINE_ELEMENTS:
            return self.constant(array)
        return self._add(LiteralOp(array), self.fresh_name("literal")).results[0]


def _location(name: str) -> NameLoc:
    return NameLoc(StringAttr(name), NoneAttr())


def _type_in(operand: Any) -> Tensor | None:
    """Return the type of the value that an operand is, or of the first of several."""
    is_several = isinstance(operand, list | tuple)
    values = cast(Sequence[Any], operand) if is_several else (operand,)
    found = next(filter(is_value, values), None)
    return None if found is None else tensor_type(found)


def _is_variadic(definition: object) -> bool:
    is_optional = isinstance(definition, OptOperandDef)
    return isinstance(definition, VarOperandDef) and not is_optional


@cache
def _ops_of(dialect: str) -> Mapping[str, type[GraphOp]]:
    """Return the ops on tensors of a dialect, by what is behind its name."""
    load = Universe.get_multiverse().all_dialects.get(dialect)
    ops = load().operations if load is not None else ()
    return {op.name.partition(".")[2]: op for op in ops if issubclass(op, GraphOp)}


def _op_class(name: str) -> type[GraphOp]:
    """Return the op called `name`; without a dialect, one of graph."""
    dialect, _, kind = name.rpartition(".")
    ops = _ops_of(dialect or "graph")
    if kind not in ops:
        close = get_close_matches(kind, ops)
        hint = f", did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f'expected the name of an op on tensors, got "{name}"{hint}')
    return ops[kind]
