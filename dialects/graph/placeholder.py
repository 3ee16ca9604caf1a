"""Bases of named storage at all levels: placeholders, constants and their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyTensorType,
    ArrayAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Data
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.parameters import check_word
from glow.dialects.layout.attribute import physical_shape_of
from glow.support.attributes import symbol_reference
from glow.support.op_construction import fill_op
from glow.support.resources import Handle, Resource, find_resource
from glow.support.types import dtype_of


@irdl_attr_definition
class ResourceAttr(Data[Handle]):
    """
    The bytes of a constant, by the SHA-256 of dtype, shape and content.

    Text has all 64 digits: they alone identify the bytes, in a file of weights and in a
    cache, where the text of a model is its key.

    ```mlir
    #graph.resource<"9f86d081884c7d65...">
    ```
    """

    name = "graph.resource"

    @staticmethod
    def of(array: NDArray[Any]) -> ResourceAttr:
        return ResourceAttr(Handle(Resource(array)))

    @property
    def array(self) -> NDArray[Any] | None:
        """The bytes, or None where only the digest is known."""
        resource = self.data.find()
        return None if resource is None else resource.array

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Handle:
        with parser.in_angle_brackets():
            digest = parser.parse_str_literal(" (a SHA-256 digest)")
        if len(digest) != 64 or any(c not in "0123456789abcdef" for c in digest):
            parser.raise_error(f"expected 64 hexadecimal digits, got {digest!r}")
        return Handle(find_resource(digest), digest)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data.digest)


DIRECTIONS = ("in", "out", "inout")

INFER = "infer"
"""The direction of a placeholder that declares none; `infer-io` finds it."""

RUN = "run"

RESIDENCIES = {
    RUN: DIRECTIONS,
    "bound": ("in",),
    "resident": ("in", "inout"),
    "scratch": ("out",),
}
"""How long the value of a placeholder lives, and the directions allowed for each."""

StoredType = AnyTensorType | MemRefType[Attribute]


def check_bytes(resource: ResourceAttr, type: StoredType) -> None:
    """Raise unless the bytes, if this process has them, are those of a `type`."""
    stored = resource.data.resource
    if stored is None:
        return
    expected = dtype_of(type.element_type)
    if stored.array.dtype != expected:
        raise VerifyException(f"expected {expected} bytes, got {stored.array.dtype}")
    shape = physical_shape_of(type)
    if stored.array.shape != shape:
        raise VerifyException(
            f"expected bytes of shape {shape}, got {stored.array.shape}"
        )


def check_axes(axes: ArrayAttr[StringAttr] | None, type: StoredType) -> None:
    """Raise unless `axes`, if given, has a meaning for each axis of a `type`."""
    rank = len(type.get_shape())
    if axes is not None and len(axes) != rank:
        raise VerifyException(f"expected the meaning of {rank} axes, got {len(axes)}")


@irdl_custom_directive
class Crossing(CustomDirective):
    """A direction and a residency, each left out where it is the default."""

    direction: AttributeVariable
    residency: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        text = parser.parse_optional_str_literal()
        if text is not None and text not in RESIDENCIES:
            self.direction.set(state, StringAttr(text))
            text = parser.parse_optional_str_literal()
        if text is not None:
            self.residency.set(state, StringAttr(text))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.direction.print(printer, state, op)
        self.residency.print(printer, state, op)


class Placeholder(IRDLOperation):
    """
    The base class of placeholders at all levels.

    Their residency: "run", the default, is the caller's, anew for each run; "bound" has
    its value, `initial`, since it was compiled; "resident" stays where a caller's runs
    find it again, and starts as `initial` or as what the caller binds; "scratch" is
    written and read by a run and never seen by the caller.
    """

    if TYPE_CHECKING:
        type: Any

    sym_name = prop_def(SymbolNameConstraint())
    direction = prop_def(StringAttr, StringAttr(INFER))
    residency = prop_def(StringAttr, StringAttr(RUN))
    initial = opt_prop_def(ResourceAttr)
    axes = opt_prop_def(ArrayAttr[StringAttr])

    traits = traits_def(SymbolOpInterface(), HasParent(ModuleOp))

    custom_directives = (Crossing,)
    assembly_format = (
        "$sym_name custom<Crossing>($direction, $residency)"
        " (`initial` qualified($initial)^)? (`axes` $axes^)? attr-dict `:` $type"
    )

    def __init__(
        self,
        sym_name: str,
        direction: str,
        type: StoredType,
        axes: ArrayAttr[StringAttr] | None = None,
        residency: str = RUN,
        initial: ResourceAttr | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "direction": StringAttr(direction),
                "residency": StringAttr(residency),
                "initial": initial,
                "axes": axes,
                "type": type,
            }
        )

    @property
    def initial_array(self) -> NDArray[Any] | None:
        """The bytes of `initial`, in physical order, if it has them here."""
        return None if self.initial is None else self.initial.array

    @property
    def is_output(self) -> bool:
        """Whether its value after a run is seen by the caller, or by the next run."""
        return (
            self.direction.data in ("out", "inout") and self.residency.data != "scratch"
        )

    def check(self, type: StoredType) -> None:
        """Raise unless the properties of this one go together and with `type`."""
        direction, residency = self.direction.data, self.residency.data
        if direction != INFER:
            check_word("direction", direction, DIRECTIONS)
        check_word("residency", residency, RESIDENCIES)
        allowed = RESIDENCIES[residency]
        if direction != INFER and direction not in allowed:
            raise VerifyException(
                f'expected direction {" or ".join(allowed)} of a "{residency}" '
                f'placeholder, got "{direction}"'
            )
        self._check_initial(residency, type)
        check_axes(self.axes, type)

    def _check_initial(self, residency: str, type: StoredType) -> None:
        if self.initial is None:
            if residency == "bound":
                raise VerifyException(
                    'expected an initial value of a "bound" placeholder, got none'
                )
            return
        if residency not in ("bound", "resident"):
            raise VerifyException(
                "expected an initial value of bound and resident placeholders only, "
                f'this one is "{residency}"'
            )
        check_bytes(self.initial, type)


class StoredConstant(IRDLOperation):
    """The base class of constants at all levels: named bytes that lie outside."""

    sym_name = prop_def(SymbolNameConstraint())
    resource = prop_def(ResourceAttr)
    axes = opt_prop_def(ArrayAttr[StringAttr])

    if TYPE_CHECKING:
        type: Any

    traits = traits_def(SymbolOpInterface(), HasParent(ModuleOp))

    assembly_format = (
        "$sym_name qualified($resource) (`axes` $axes^)? attr-dict `:` $type"
    )

    def __init__(
        self,
        sym_name: str,
        resource: ResourceAttr,
        type: StoredType,
        axes: ArrayAttr[StringAttr] | None = None,
    ):
        properties = {"sym_name": StringAttr(sym_name), "resource": resource}
        properties |= {} if axes is None else {"axes": axes}
        # Without segments of operands to find: of a large model every weight has one.
        fill_op(self, properties=properties | {"type": type})

    @property
    def array(self) -> NDArray[Any] | None:
        """The bytes, or None where the module came without its weights."""
        return self.resource.array

    def verify_(self) -> None:
        check_bytes(self.resource, self.type)
        check_axes(self.axes, self.type)


class StoredValue(IRDLOperation):
    """The base class of ops that give the placeholder or constant `symbol`."""

    symbol = prop_def(SymbolRefAttr)
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "$symbol attr-dict `:` type($result)"

    def __init__(self, symbol: str, type: StoredType):
        fill_op(
            self,
            result_types=[type],
            properties={"symbol": symbol_reference(symbol)},
        )
