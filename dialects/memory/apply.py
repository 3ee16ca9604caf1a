"""Graph ops with destinations, on buffers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import (
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.memory._slots import (
    KNOWN,
    Given,
    by_slot,
    check_slots,
    defaults_of,
    graph_op_named,
    in_slot,
    is_single,
    parse_group,
    print_group,
    single_slots,
    stored_parameters,
)
from glow.dialects.memory.address import same_place
from glow.dialects.memory.base import BUFFER, MemoryOp, buffer_type, count_of
from glow.support.op_definition import define_op
from glow.support.types import tensor

GROUPS = ("ins", "inouts", "outs", "scratch")


@define_op
class ApplyOp(MemoryOp):
    """
    Compute a graph op: its operands are buffers, and so are its results.

    `ins` and `outs` are in the order of the graph op's slots. A slot that may be
    absent or take several buffers is named before each of its buffers. A buffer in
    `inouts` has the first operand before, and after it the first result. `scratch` is
    room that the kernel asks for. Where the op is `in_place`, its kernel reads each
    element of the first operand before it writes that element of the first result, so
    that both may be one buffer.

    Shapes: those of the graph op. Layouts: any.
    Errors: those of the graph op, an unknown one, other slots than it has.

    ```mlir
    memory.apply "graph.lrn" ins(%x : memref<1x8x6xf32>)
        outs(%y : memref<1x8x6xf32>) {size = 5 : i64}
    ```
    """

    name = "memory.apply"

    ins = var_operand_def(BUFFER)
    inouts = var_operand_def(BUFFER)
    outs = var_operand_def(BUFFER)
    scratch = var_operand_def(BUFFER)

    op = prop_def(StringAttr)
    slots = prop_def(ArrayAttr[StringAttr])
    parameters = prop_def(DictionaryAttr)
    in_place = opt_prop_def(UnitAttr)

    WRITES: ClassVar = ("outs",)
    UPDATES: ClassVar = ("inouts",)

    def __init__(
        self,
        op: type[GraphOp],
        ins: Given,
        outs: Given,
        /,
        *,
        inout: SSAValue | None = None,
        scratch: Sequence[SSAValue] = (),
        in_place: bool = False,
        **parameters: Any,
    ):
        """
        Build the op; parameters are Python values or attributes.

        With `inout`, `ins` and `outs` have what comes after the first slot of each.
        """
        operands, first = op.operand_names(), int(inout is not None)
        read = list(by_slot(operands[first:], ins))
        written = list(by_slot(op.result_names()[first:], outs))
        inouts = [] if inout is None else [inout]
        names = [name for name, _ in read] + list(operands[:first])
        names += [name for name, _ in written]
        KNOWN.setdefault(op.name, op)
        super(MemoryOp, self).__init__(
            operands=[
                [value for _, value in read],
                inouts,
                [value for _, value in written],
                list(scratch),
            ],
            properties={
                "op": StringAttr(op.name),
                "slots": ArrayAttr(map(StringAttr, names)),
                "parameters": stored_parameters(op, parameters),
                "in_place": UnitAttr() if in_place else None,
            },
        )

    @property
    def title(self) -> str:
        return self.op.data

    @property
    def graph_class(self) -> type[GraphOp]:
        """The class of the graph op."""
        return graph_op_named(self.op.data)

    def find(self, slot: str) -> SSAValue | None:
        """Return the buffer in a slot of the graph op, None if there is none."""
        return next(iter(self.several(slot)), None)

    def buffer(self, slot: str) -> SSAValue:
        """Return the buffer in a slot of the graph op that is not empty."""
        (value,) = self.several(slot)
        return value

    def several(self, slot: str) -> list[SSAValue]:
        """Return the buffers in a slot of the graph op."""
        return self._buffers().get(slot, [])

    def _buffers(self) -> dict[str, list[SSAValue]]:
        by_name: dict[str, list[SSAValue]] = {}
        buffers = (*self.ins, *self.inouts, *self.outs)
        for slot, value in zip(self.slots, buffers, strict=True):
            by_name.setdefault(slot.data, []).append(value)
        if self.inouts:
            by_name[self.graph_class.result_names()[0]] = list(self.inouts)
        return by_name

    def graph_op(self) -> GraphOp:
        """
        Return the graph op, on tensors with the shapes and elements of the buffers.

        It is in no block and its operands have no other use: it only answers questions.
        """
        op, buffers = self.graph_class, self._buffers()
        definition = op.get_irdl_definition()
        types = {
            slot: [tensor(t.element_type, t.get_shape()) for t in map(buffer_type, bs)]
            for slot, bs in buffers.items()
        }
        stand_ins = {slot: Block(arg_types=ts).args for slot, ts in types.items()}
        return op.build(
            operands=[
                in_slot(name, kind, stand_ins.get(name, ()))
                for name, kind in definition.operands
            ],
            result_types=[
                in_slot(name, kind, types.get(name, ()))
                for name, kind in definition.results
            ],
            properties={**defaults_of(op), **self.parameters.data},
        )

    def flops(self) -> int:
        """Return one for each element, of operands or results; windows are summed."""
        if self.graph_class.MOVES:
            return 0
        window = self.parameters.data.get("kernel_shape")
        if isinstance(window, DenseArrayBase):
            return sum(map(count_of, self.outs)) * prod(window.get_values())
        buffers = (*self.ins, *self.inouts, *self.outs)
        return max(map(count_of, buffers), default=0)

    def verify_(self) -> None:
        operands = self.graph_class.operand_names()
        results = self.graph_class.result_names()
        if len(self.inouts) > 1:
            raise VerifyException(f"expected one inout at most, got {len(self.inouts)}")
        if len(self.slots) != len(self.operands) - len(self.scratch):
            raise VerifyException(
                f"expected a slot for each buffer, got {len(self.slots)} slots"
            )
        slots = [slot.data for slot in self.slots]
        read, updated = len(self.ins), len(self.inouts)
        check_slots(slots[:read], operands[updated:])
        check_slots(slots[read : read + updated], operands[:1])
        check_slots(slots[read + updated :], results[updated:])
        self.graph_op().verify_()

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        if self.in_place is None or not self.ins or not self.outs:
            return []
        pair = (self.ins[0], self.outs[0])
        return [pair] if same_place(*pair) else []

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.op)
        if self.in_place is not None:
            printer.print_string(" in_place")
        definition = self.graph_class.get_irdl_definition()
        kinds = {**dict(definition.operands), **dict(definition.results)}
        slots = iter(self.slots)
        for group, values in zip(
            GROUPS, (self.ins, self.inouts, self.outs), strict=False
        ):
            names = [next(slots).data for _ in values]
            words = ["" if is_single(kinds.get(n)) else n for n in names]
            print_group(printer, group, words, values)
        print_group(printer, "scratch", [""] * len(self.scratch), self.scratch)
        if self.parameters.data:
            printer.print_string(" ")
            printer.print_attribute(self.parameters)
        printer.print_op_attributes(self.attributes, print_keyword=True)

    @classmethod
    def parse(cls, parser: Parser) -> ApplyOp:
        op = parser.parse_str_literal("the name of a graph op")
        try:
            definition = graph_op_named(op).get_irdl_definition()
        except VerifyException as error:
            parser.raise_error(str(error))
        in_place = parser.parse_optional_keyword("in_place")
        groups = {group: parse_group(parser, group) for group in GROUPS}
        slots: list[str] = []
        updated = len(groups["inouts"][0])
        for group, names in (
            ("ins", single_slots(definition.operands[updated:])),
            ("inouts", single_slots(definition.operands)),
            ("outs", single_slots(definition.results[updated:])),
        ):
            slots += [word or next(names, "") for word in groups[group][0]]
        properties: dict[str, Attribute] = {
            "op": StringAttr(op),
            "slots": ArrayAttr(map(StringAttr, slots)),
            "parameters": DictionaryAttr(parser.parse_optional_attr_dict()),
        }
        if in_place:
            properties["in_place"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.build(
            operands=[groups[group][1] for group in GROUPS],
            properties=properties,
            attributes={} if attributes is None else attributes.data,
        )
