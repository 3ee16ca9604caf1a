"""The base class of the graph dialect's ops: one place owns shapes and meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from inspect import Parameter as Argument
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import (
    AttrSizedResultSegments,
    OptOperandDef,
    OptResultDef,
    ParsePropInAttrDict,
    VarOperandDef,
    VarResultDef,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward, GradientRule
from glow.dialects.graph.optional import Neutrals
from glow.dialects.graph.parameters import (
    OpParameter,
    check_word,
    declare_slots,
    parameters_of,
    to_attribute,
)
from glow.dialects.graph.reordering import Order, OrderedOp, Reordering, identity
from glow.support.arrays import Array
from glow.support.dtypes import is_narrow, narrowed, widened
from glow.support.op_construction import Slot, initialize
from glow.support.op_definition import define_op, local
from glow.support.shapes import check_result
from glow.support.types import ANY, ElementSet, dtype_of, element_of, shape_of


@cache
def _flags_of(op: type[GraphOp]) -> dict[str, str]:
    """Map each optional result to the flag that asks for it."""
    results = op.get_irdl_definition().results
    return {n: f"with_{n}" for n, kind in results if isinstance(kind, OptResultDef)}


def snake_case(name: str) -> str:
    """Return `IsNan` as `is_nan`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def _defaults_of(op: type[GraphOp]) -> dict[str, Any]:
    return {name: p.default for name, p in op.declared().items() if p.has_default}


@cache
def _asked_by_infer(op: type[GraphOp]) -> Callable[[str], bool]:
    """Return a test of whether `infer` of `op` takes a parameter."""
    parameters = signature(op.infer).parameters.values()
    if any(parameter.kind is Argument.VAR_KEYWORD for parameter in parameters):
        shared = parameters_of(op.infer)
        return shared.__contains__ if shared else lambda _: True
    return {parameter.name for parameter in parameters}.__contains__


def _zero_gradient(b: Backward) -> None:
    """Return no gradient, for an op whose slope is 0 wherever it has one."""


class GraphOp(OrderedOp):
    """
    An op on whole tensors that knows its shape rule and its meaning.

    A class statement defines `graph.layer_norm` as `LayerNormOp`, by two static
    functions; one with a `name` of its own is decorated as any op of xDSL is.
    `compute` declares all that the op takes: an argument per operand slot (None where
    an optional one is absent, a sequence where it is variadic), then a keyword
    argument per property, with its default, and per optional result X a flag `with_X`,
    a property or not. It takes arrays, and returns an array or a tuple of those that
    are asked for. `infer` takes values in the same slots, and of the keyword arguments
    those that types depend on; it returns the type or the types of all
    results, asked for or not. Neither sees a layout.

    From each keyword argument of `compute` follow a property of its name, type and
    default, `op.name`, which returns its value as a Python value, and
    `op.name_attribute`, which returns the attribute that stores it.
    """

    if TYPE_CHECKING:  # each op has its own signature, and parameters that follow
        infer: ClassVar[Callable[..., AnyTensorType | tuple[AnyTensorType, ...]]]
        compute: ClassVar[Callable[..., Array | tuple[Array, ...]]]
        gradient: ClassVar[GradientRule]

        result: OpResult[Attribute]  # of most ops

        def __getattr__(self, name: str) -> Any: ...

    ELEMENTS: ClassVar[ElementSet] = ANY
    """The element types that its first operand may have."""

    NO_GRADIENT: ClassVar[str] = ""
    """Why no gradient flows through it, where it has no rule `gradient`."""

    MOVES: ClassVar[bool] = False
    """Whether `compute` only moves or converts, and takes 16-bit floats as they are."""

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)

    def __init_subclass__(
        cls,
        moves: bool = False,
        elements: ElementSet | None = None,
        gradient: GradientRule | None = None,
        piecewise_constant: bool = False,
        no_gradient: str | None = None,
        **arguments: Any,
    ) -> None:
        """Define the op: slots, a property per parameter and what reads its value."""
        super().__init_subclass__(**arguments)
        if piecewise_constant:
            gradient = _zero_gradient
        if gradient is not None:
            cls.gradient = staticmethod(gradient)
        cls.set_constants(
            MOVES=moves or None, ELEMENTS=elements, NO_GRADIENT=no_gradient
        )
        if "compute" not in vars(cls):
            return
        declare_slots(cls, cls.compute)
        options = [o for c in cls.mro() for o in vars(c).get("irdl_options", ())]
        counts_results = any(isinstance(o, AttrSizedResultSegments) for o in options)
        for name, parameter in cls.declared().items():
            if counts_results and hasattr(cls, name.removeprefix("with_")):
                continue  # a flag that the number of results implies
            if name in vars(cls):
                raise TypeError(f"{cls.__name__}: expected {name} in compute alone")
            setattr(cls, f"{name}_attribute", parameter.definition())
            setattr(cls, name, property(parameter.value_of))
        if "name" not in vars(cls):
            cls.name = f"graph.{snake_case(cls.__name__.removesuffix('Op'))}"
            define_op(cls)

    @classmethod
    def set_constants(cls, **given: Any) -> None:
        """Set the class variables that a class statement gives, None for no value."""
        for name, value in given.items():
            if value is not None:
                setattr(cls, name, value)
                cls.__annotations__[name] = ClassVar

    @classmethod
    def operand_names(cls) -> tuple[str, ...]:
        return tuple([name for name, _ in cls.get_irdl_definition().operands])

    @classmethod
    def result_names(cls) -> tuple[str, ...]:
        return tuple([name for name, _ in cls.get_irdl_definition().results])

    @classmethod
    def declared(cls) -> dict[str, OpParameter]:
        """Return the parameters that `compute` declares, flags included, by name."""
        return parameters_of(cls.compute)

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the values of parameters that a call may leave out."""
        return dict(_defaults_of(cls))

    def __init__(self, *slots: Slot, **parameters: Any):
        """
        Build the op with inferred result types; parameters are Python values.

        Absent optional operands at the end and parameters with a default may be
        left out.
        """
        definition = self.get_irdl_definition()
        slots += (None,) * (len(definition.operands) - len(slots))
        parameters = _defaults_of(type(self)) | parameters
        declared = self.declared()
        unknown = parameters.keys() - declared.keys()
        if unknown:
            raise TypeError(f"{self.name} takes no {', '.join(sorted(unknown))}")
        if missing := [name for name in declared if name not in parameters]:
            raise TypeError(f"{self.name} needs {', '.join(missing)}")
        initialize(
            self,
            slots,
            self._result_types(slots, parameters),
            {
                name: to_attribute(value)
                for name, value in parameters.items()
                if name in definition.properties
            },
        )

    @classmethod
    def _result_types(
        cls, slots: Sequence[Slot], parameters: dict[str, Any]
    ) -> list[AnyTensorType | list[AnyTensorType] | None]:
        """Return the inferred type of each result definition, None if absent."""
        asked, flags = _asked_by_infer(cls), _flags_of(cls)
        first = slots[0] if slots else None
        cls.ELEMENTS.check(*((first,) if isinstance(first, SSAValue) else first or ()))
        for parameter in cls.declared().values():
            if parameter.words:
                check_word(parameter.name, parameters[parameter.name], parameter.words)
        inferred = cls.infer(
            *slots, **{k: parameters[k] for k in parameters if asked(k)}
        )
        remaining = iter(inferred if isinstance(inferred, tuple) else (inferred,))
        per_result: list[AnyTensorType | list[AnyTensorType] | None] = []
        for name, kind in cls.get_irdl_definition().results:
            if name in flags:
                type_ = next(remaining)
                per_result.append(type_ if parameters[flags[name]] else None)
            elif isinstance(kind, VarResultDef):
                per_result.append(list(remaining))
            else:
                per_result.append(next(remaining))
        if all(types is None for types in per_result):
            names = ", ".join(flags)
            raise VerifyException(f"expected a result out of {names}, got none")
        return per_result

    @staticmethod
    def neutrals() -> Neutrals:
        """Say what absent operands stand for, by slot; not all stand for something."""
        return {}

    def slots(self) -> tuple[Slot, ...]:
        """Return the operands, one entry per slot; None where one is absent."""
        return tuple([getattr(self, name) for name in self.operand_names()])

    def parameters(self) -> dict[str, Any]:
        """Return properties and flags as Python values, by name."""
        flags = _flags_of(type(self)).items()
        present = {flag: getattr(self, result) is not None for result, flag in flags}
        stored = self.get_irdl_definition().properties
        return {
            name: parameter.value_of(self) if name in stored else present[name]
            for name, parameter in self.declared().items()
        }

    @local
    def verify_(self) -> None:
        expected: list[tuple[str, AnyTensorType]] = []
        types = self._result_types(self.slots(), self.parameters())
        for name, each in zip(self.result_names(), types, strict=True):
            if isinstance(each, list):
                expected += [("result", type_) for type_ in each]
            elif each is not None:
                expected.append((name, each))
        if len(expected) != len(self.results):
            raise VerifyException(
                f"expected {len(expected)} results, got {len(self.results)}"
            )
        for result, (name, type_) in zip(self.results, expected, strict=True):
            check_result(result, type_, name)

    def evaluate(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """
        Return the results for `arrays`, one per present operand, in order.

        Results have the inferred shape and element type and are C-contiguous. Floats
        of 16 bits are computed in f32 and rounded once.
        """
        slots = self._grouped(arrays if self.MOVES else list(map(widened, arrays)))
        with np.errstate(all="ignore"):
            output = type(self).compute(*slots, **self.parameters())
        computed = output if isinstance(output, tuple) else (output,)
        dtypes = [dtype_of(element_of(result)) for result in self.results]
        pairs = zip(computed, dtypes, strict=True)
        results = [narrowed(a, dtype) if is_narrow(dtype) else a for a, dtype in pairs]
        return tuple(np.ascontiguousarray(r).reshape(np.shape(r)) for r in results)

    def rebuilt(self, operands: Sequence[SSAValue], parameters: dict[str, Any]) -> Self:
        """Return this op on other operands, as many, and with other parameters."""
        new = type(self)(*self._grouped(operands), **parameters)
        new.attributes.update(self.attributes)
        new.location = self.location
        for old, result in zip(self.results, new.results, strict=True):
            result.name_hint = old.name_hint
        return new

    def _grouped(self, values: Sequence[Any]) -> list[Any]:
        """Group `values`, one per present operand in order, by operand slot."""
        remaining = iter(values)
        slots: list[Any] = []
        for name, definition in self.get_irdl_definition().operands:
            operand = getattr(self, name)
            if isinstance(definition, OptOperandDef):
                slots.append(None if operand is None else next(remaining))
            elif isinstance(definition, VarOperandDef):
                slots.append([next(remaining) for _ in operand])
            else:
                slots.append(next(remaining))
        return slots


class AxisOp(GraphOp):
    """An op along `axis`; operands and results have the same axes."""

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return identity(len(shape_of(self.operands[0])))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        operands, results = (order,) * len(self.operands), (order,) * len(self.results)
        moved = {"axis": order.index(self.axis % len(order))}
        return Reordering(operands, results, self.parameters() | moved)
