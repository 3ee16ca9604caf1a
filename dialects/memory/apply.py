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
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    opt_prop_def,
    prop_def,
    region_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.embedding import BagOp
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
from glow.dialects.memory.base import (
    BUFFER,
    MemoryOp,
    broadcasts_to,
    buffer_type,
    count_of,
    extents_of,
)
from glow.dialects.memory.elementwise import (
    check_elements,
    check_epilogue,
    flops_of,
)
from glow.support.op_construction import initialize
from glow.support.op_definition import define_op
from glow.support.types import tensor
from glow.support.walking import operands_of

_GRAPH_OP = "_graph_op"
GROUPS = ("ins", "inouts", "outs", "extras", "scratch")


@define_op
class ApplyOp(MemoryOp):
    """
    Compute a graph op: its operands are buffers, and so are its results.

    `ins` and `outs` are in the order of the graph op's slots. A slot that may be
    absent or take several buffers is named before each of its buffers. A buffer in
    `inouts` has the first operand before the op, and the first result after. `scratch`
    is room that the kernel asks for. Where the op is `in_place`, its kernel reads each
    element of the first operand before it writes that element of the first result, so
    that both may be one buffer.

    With an epilogue, an op of one result stores what this region of scalar ops yields.
    Its arguments are an element that the graph op computes, and those of `extras` at
    the same place, broadcast.

    Shapes: those of the graph op. Layouts: any.
    Errors: those of the graph op, an unknown one, other slots than it has; extras that
    do not broadcast to the result or have no epilogue, an epilogue of an op with
    several results, one of another arity or of other types.

    ```mlir
    memory.apply "graph.lrn" ins(%x : memref<1x8x6xf32>)
        outs(%y : memref<1x8x6xf32>) {size = 5 : i64}
    memory.apply "graph.max_pool" ins(%x : memref<1x8x6xf32>)
        outs(%z : memref<1x8x5xf32>) extras(%r : memref<1x8x5xf32>)
        {kernel_shape = array<i64: 2>} epilogue {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      memory.yield %2 : f32
    }
    ```
    """

    name = "memory.apply"

    ins = var_operand_def(BUFFER)
    inouts = var_operand_def(BUFFER)
    outs = var_operand_def(BUFFER)
    extras = var_operand_def(BUFFER)
    scratch = var_operand_def(BUFFER)
    epilogue = region_def()

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
        extras: Sequence[SSAValue] = (),
        epilogue: Region | None = None,
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
                list(extras),
                list(scratch),
            ],
            regions=[epilogue or Region()],
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
        All ask the same one as long as types and properties stay.
        """
        types = [value.type for value in operands_of(self)]
        follows_from = types, {**self.properties}
        known: tuple[object, GraphOp] | None = vars(self).get(_GRAPH_OP)
        if known is None or known[0] != follows_from:
            vars(self)[_GRAPH_OP] = known = follows_from, self._new_graph_op()
        return known[1]

    def _new_graph_op(self) -> GraphOp:
        op, buffers = self.graph_class, self._buffers()
        definition = op.get_irdl_definition()
        types = {
            slot: [tensor(t.element_type, t.get_shape()) for t in map(buffer_type, bs)]
            for slot, bs in buffers.items()
        }
        stand_ins = {slot: Block(arg_types=ts).args for slot, ts in types.items()}
        operands, result_types = (
            [in_slot(name, kind, given.get(name, ())) for name, kind in declared]
            for declared, given in (
                (definition.operands, stand_ins),
                (definition.results, types),
            )
        )
        built = object.__new__(op)
        properties = {**defaults_of(op), **self.parameters.data}
        initialize(built, operands, result_types, properties)
        return built

    def flops(self) -> int:
        """Return those of the graph op, and one for each op of the epilogue."""
        after = flops_of(self.epilogue)
        return self.flops_before() + after * sum(map(count_of, self.outs[:1]))

    def flops_before(self) -> int:
        """
        Return one for each element, of operands or results; windows are summed.

        Bags have one for each element of the rows that they combine.
        """
        if self.graph_class.MOVES:
            return 0
        if issubclass(self.graph_class, BagOp):
            width = extents_of(self.buffer("table"))[1]
            return count_of(self.buffer("indices")) * width
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
        others = len(self.extras) + len(self.scratch)
        if len(self.slots) != len(self.operands) - others:
            raise VerifyException(
                f"expected a slot for each buffer, got {len(self.slots)} slots"
            )
        slots = [slot.data for slot in self.slots]
        read, updated = len(self.ins), len(self.inouts)
        check_slots(slots[:read], operands[updated:])
        check_slots(slots[read : read + updated], operands[:1])
        check_slots(slots[read + updated :], results[updated:])
        self.graph_op().verify_()
        self._check_epilogue()

    def _check_epilogue(self) -> None:
        if not self.epilogue.blocks:
            if self.extras:
                raise VerifyException("expected an epilogue, which reads the extras")
            return
        results = (*self.inouts, *self.outs)
        if len(results) != 1 or self.inouts:
            raise VerifyException(
                f"expected one result before an epilogue, got {len(results)}, "
                f"{len(self.inouts)} of them updated"
            )
        check_epilogue(self.epilogue, self.extras, self.outs[0])
        check_elements("epilogue argument", self.outs, self.epilogue.block.args[:1])
        shape = extents_of(self.outs[0])
        for extra in self.extras:
            if not broadcasts_to(extra, shape):
                raise VerifyException(
                    f"expected an extra that broadcasts to {list(shape)}, "
                    f"got {buffer_type(extra)}"
                )

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        """Return the result with each extra, read before it, that is not an operand."""
        first = self.ins[:1] if self.in_place is not None else ()
        extras = (extra for extra in self.extras if extra not in self.ins)
        return [
            (source, result)
            for result in self.outs[:1]
            for source in (*first, *extras)
            if same_place(source, result)
        ]

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
        for group in ("extras", "scratch"):
            values = getattr(self, group)
            print_group(printer, group, [""] * len(values), values)
        if self.parameters.data:
            printer.print_string(" ")
            printer.print_attribute(self.parameters)
        if self.epilogue.blocks:
            printer.print_string(" epilogue ")
            printer.print_region(self.epilogue)
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
        has_epilogue = parser.parse_optional_keyword("epilogue")
        epilogue = parser.parse_region() if has_epilogue else Region()
        if in_place:
            properties["in_place"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.build(
            operands=[groups[group][1] for group in GROUPS],
            regions=[epilogue],
            properties=properties,
            attributes={} if attributes is None else attributes.data,
        )
