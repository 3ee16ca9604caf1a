"""Sections of `main`, their strands, and calls of kernels in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoTerminator
from xdsl.utils.exceptions import VerifyException

from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.team.notes import NoteOp
from glow.dialects.team.touches import Bytes, PlacedTouch, Touch, first_clash
from glow.support.attributes import integer, symbol_reference
from glow.support.op_construction import fill_op, initialize
from glow.support.op_definition import define_op
from glow.support.walking import operands_of, ops_of, ops_right_in

_I64 = IntegerAttr.constr(i64)


@define_op
class CallOp(IRDLOperation):
    """
    Call a kernel for pieces of its work: `step` of its `units` each, in any order.

    The piece of the strand that a thread has taken says which; the kernel gets its
    begin and end after the arguments. `cost` is what all units take, in nanoseconds,
    roughly. An argument that points to memory which others write says which bytes the
    call touches: `by` how many of how many (`of`) where there are gaps; `each` is how
    far a unit moves on, if it touches no bytes but those: a whole number of parts.
    Calls with one number `beside` leave each other's elements alone where bytes say
    less. One that is `ordered` comes after all before it.

    Errors: no units, a step or a cost below 1, bytes of what is not an argument, a part
    longer than its distance, units that move on by a fraction of a part.

    ```mlir
    team.call @relu(%x reads 0 to 4096 each 256, %y writes 0 to 4096 each 256, %rows)
        units 16 step 4 cost 900 : memref<?xf32>, memref<?xf32>, memref<?xindex>
    ```
    """

    name = "team.call"

    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def(AnyAttr())
    touched = prop_def(ArrayAttr[DenseArrayBase])
    units = prop_def(_I64)
    step = prop_def(_I64)
    cost = prop_def(_I64)
    beside = opt_prop_def(_I64)
    ordered = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        callee: str,
        arguments: Sequence[SSAValue],
        touches: Sequence[Touch] | ArrayAttr[DenseArrayBase],
        work: tuple[int, int, int],
        *,
        beside: int | None = None,
        ordered: bool = False,
    ):
        """`work`: units, those of a piece, and the cost of all."""
        properties: dict[str, Attribute] = {
            "callee": symbol_reference(callee),
            "touched": Touch.all_of(touches),
            **dict(zip(_NUMBERS, map(integer, work), strict=True)),
        }
        if beside is not None:
            properties["beside"] = integer(beside)
        if ordered:
            properties["ordered"] = UnitAttr()
        fill_op(self, arguments, (), properties)

    @property
    def touches(self) -> list[Touch]:
        return [Touch.of(each) for each in self.touched]

    @property
    def pieces(self) -> int:
        return -(-self.units.value.data // self.step.value.data)

    def accesses(self) -> list[PlacedTouch]:
        """Return the bytes that the call touches, as far as it declares them."""
        arguments = operands_of(self)
        return [
            PlacedTouch(place, touch.writes, touch.bytes.moved(offset), touch.step)
            for touch in self.touches
            for place, offset in [place_of(arguments[touch.operand])]
        ]

    def verify_(self) -> None:
        for name, number in (("units", self.units), ("step", self.step)):
            if number.value.data < 1:
                raise VerifyException(
                    f"expected {name} of at least 1, got {number.value.data}"
                )
        for each in self.touched:
            if len(each) != len(Touch._fields) + len(Bytes._fields) - 1:
                raise VerifyException(
                    f"expected seven numbers of what is touched, got {each}"
                )
        for touch in self.touches:
            own = touch.bytes
            if not 0 <= touch.operand < len(self.arguments):
                raise VerifyException(
                    f"expected bytes of one of {len(self.arguments)} arguments, "
                    f"got number {touch.operand}"
                )
            if own.begin > own.end or not 0 <= own.length <= own.period:
                raise VerifyException(
                    f"expected bytes from begin to end in parts, got {own}"
                )
            if own.period and touch.step % own.period:
                raise VerifyException(
                    f"expected units that move on by whole parts, {own.period} bytes, "
                    f"got {touch.step}"
                )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" @{self.callee.string_value()}(")
        touches = {touch.operand: touch for touch in self.touches}
        for number, argument in enumerate(self.arguments):
            printer.print_string(", " if number else "")
            printer.print_ssa_value(argument)
            if number in touches:
                printer.print_string(_text_of(touches[number]))
        words = [f"{n} {getattr(self, n).value.data}" for n in _NUMBERS]
        printer.print_string(f") {' '.join(words)}")
        if self.beside is not None:
            printer.print_string(f" beside {self.beside.value.data}")
        if self.ordered is not None:
            printer.print_string(" ordered")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" : ")
        printer.print_list([a.type for a in self.arguments], printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> CallOp:
        callee = parser.parse_symbol_name()
        given, touches = list[UnresolvedOperand](), list[Touch]()

        def argument() -> None:
            given.append(parser.parse_unresolved_operand())
            touch = _parsed_touch(parser, len(given) - 1)
            touches.extend([] if touch is None else [touch])

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
        units, step, cost = (_parsed_number(parser, name) for name in _NUMBERS)
        beside = _optional_number(parser, "beside")
        ordered = parser.parse_optional_keyword("ordered") is not None
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        none = parser.Delimiter.NONE
        types = parser.parse_comma_separated_list(none, parser.parse_type)
        arguments = parser.resolve_operands(given, types, parser.pos)
        work = units, step, cost
        op = cls(callee.data, arguments, touches, work, beside=beside, ordered=ordered)
        op.attributes |= {} if attributes is None else attributes.data
        return op


AccessesOf = Callable[[CallOp], Sequence[PlacedTouch]]
"""`CallOp.accesses`, or a function that caches it while calls do not change."""

_NUMBERS = ("units", "step", "cost")


def _text_of(touch: Touch) -> str:
    own = touch.bytes
    text = f" {'writes' if touch.writes else 'reads'} {own.begin} to {own.end}"
    if not own.is_dense:
        text += f" by {own.length} of {own.period}"
    return text + (f" each {touch.step}" if touch.step else "")


def _parsed_touch(parser: Parser, operand: int) -> Touch | None:
    word = parser.parse_optional_keyword_in(("reads", "writes"))
    if word is None:
        return None
    begin = parser.parse_integer()
    end = _parsed_number(parser, "to")
    length = _optional_number(parser, "by")
    period = None if length is None else _parsed_number(parser, "of")
    step = _optional_number(parser, "each")
    own = Bytes(begin, end, length or 0, period or 0)
    return Touch(operand, word == "writes", own, step or 0)


def _parsed_number(parser: Parser, word: str) -> int:
    parser.parse_keyword(word)
    return parser.parse_integer()


def _optional_number(parser: Parser, word: str) -> int | None:
    present = parser.parse_optional_keyword(word)
    return None if present is None else parser.parse_integer()


def place_of(pointer: SSAValue) -> tuple[tuple[SSAValue, int | None], int]:
    """Return the memory that `pointer` is in, and where, in bytes."""
    offset = 0
    while type(op := pointer.owner) is BaseOp:
        (pointer,) = operands_of(op)
        numbers: Any = op.properties
        offset += numbers["offset"].value.data
        if (entry := numbers.get("entry")) is not None:
            return (pointer, entry.value.data), offset
    return (pointer, None), offset


@define_op
class StrandOp(IRDLOperation):
    """
    Calls that a thread does one after the other, for a piece at a time.

    Its pieces are shared by all threads; each is taken once. `number` counts strands
    through all of `main`. Beside calls it may have pointers that they are passed.

    Errors: no call, calls of different numbers of pieces, calls of which one touches
    bytes that another writes, unless both move on alike from piece to piece.

    ```mlir
    team.strand 0 {
      team.call @relu(%x, %rows) units 16 step 4 cost 900
          : memref<?xf32>, memref<?xindex>
    }
    ```
    """

    name = "team.strand"

    number = prop_def(_I64)
    body = region_def("single_block")

    traits = traits_def(NoTerminator())

    assembly_format = "$number $body attr-dict"

    def __init__(self, number: int, ops: Sequence[Operation]):
        regions = [Region(Block(ops))]
        initialize(self, (), (), {"number": integer(number)}, regions)

    @property
    def calls(self) -> list[CallOp]:
        return ops_of(ops_right_in(self.body), CallOp)

    @property
    def pieces(self) -> int:
        return self.calls[0].pieces

    def verify_(self) -> None:
        calls = self.calls
        others = [op for op in self.body.block.ops if not isinstance(op, CallOp)]
        if not calls or not all(isinstance(op, BaseOp | NoteOp) for op in others):
            raise VerifyException(
                f"expected calls and pointers, got {len(calls)} calls and "
                f"{len(others)} other ops"
            )
        counts = sorted({call.pieces for call in calls})
        if len(counts) > 1:
            raise VerifyException(
                f"expected calls of one number of pieces, got {counts}"
            )
        if self.pieces == 1:
            return
        for first, second in combinations(calls, 2):
            for x, y in clashes(first, second):
                if not alike(x, first.step.value.data, y, second.step.value.data):
                    raise VerifyException(
                        f"pieces of {name_of(first)} and {name_of(second)} may run at "
                        f"the same time: expected that they touch no byte which the "
                        f"other writes, got {x.bytes} and {y.bytes}"
                    )


def is_beside(first: CallOp, second: CallOp) -> bool:
    """Return whether two calls leave each other's elements alone."""
    number = first.properties.get("beside")  # xDSL's accessors take longer
    return number is not None and number == second.properties.get("beside")


def clashes(
    first: CallOp, second: CallOp, accesses: AccessesOf = CallOp.accesses
) -> Iterator[tuple[PlacedTouch, PlacedTouch]]:
    """Yield pairs of touches of two calls that must not happen at the same time."""
    if is_beside(first, second):
        return
    others = accesses(second)
    for x in accesses(first):
        yield from ((x, y) for y in others if x.clashes(y))


def alike(x: PlacedTouch, first: int, y: PlacedTouch, second: int) -> bool:
    """
    Return whether no piece of one call touches bytes of a different piece of the other.

    A piece is `first` units of the one call, `second` units of the other.
    """
    if not x.step * first == y.step * second != 0:
        return False
    return -x.bytes.gap <= y.bytes.begin - x.bytes.begin <= y.bytes.gap


def name_of(call: CallOp) -> str:
    return f"@{call.callee.string_value()}"


@define_op
class SectionOp(IRDLOperation):
    """
    Strands that may run at the same time; the next section begins when all are done.

    `number` counts sections through all of `main`; `team` is what threads of a run
    share.

    Errors: another op than strands, a strand that touches bytes which another writes.

    ```mlir
    team.section 0 on %team : memref<?xi64> {
      team.strand 0 {
        team.call @relu(%x, %rows) units 16 step 4 cost 900
            : memref<?xf32>, memref<?xindex>
      }
    }
    ```
    """

    name = "team.section"

    number = prop_def(_I64)
    team = operand_def(MemRefType)
    body = region_def("single_block")

    traits = traits_def(NoTerminator())

    assembly_format = "$number `on` $team `:` type($team) $body attr-dict"

    def __init__(self, number: int, team: SSAValue, strands: Sequence[StrandOp]):
        regions = [Region(Block(strands))]
        initialize(self, [team], (), {"number": integer(number)}, regions)

    @property
    def strands(self) -> list[StrandOp]:
        return ops_of(ops_right_in(self.body), StrandOp)

    @property
    def pieces(self) -> int:
        """The pieces of all strands."""
        return sum(strand.pieces for strand in self.strands)

    def verify_(self) -> None:
        for op in self.body.block.ops:
            if not isinstance(op, StrandOp):
                raise VerifyException(f"expected strands, got {op.name}")
        accesses = [
            (call, access)
            for strand in self.strands
            for call in strand.calls
            for access in call.accesses()
        ]
        found = first_clash(accesses, _run_together)
        if found is not None:
            first, second = map(name_of, found)
            raise VerifyException(
                f"{first} and {second} of section {self.number.value.data} may run at "
                "the same time: expected that neither touches what the other writes"
            )


def _run_together(first: CallOp, second: CallOp) -> bool:
    """Return whether calls of a section are of two strands, and not `beside`."""
    return first.parent is not second.parent and not is_beside(first, second)
