"""Write loops-level functions: index arithmetic, loops, flat loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    f32,
    i8,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from glow.dialects.memory.base import buffer_type
from glow.support.types import number_attribute, signless, signless_value

INDEX = IndexType()
NSW: dict[str, Attribute] = {
    "overflowFlags": arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])
}
_PRIVATE = StringAttr("private")


@cache
def flat(element: Attribute, width: int | None = None) -> MemRefType[Attribute]:
    """Return `memref<?xT>`, or `memref<?xWIDTHxT>` for packed panels; T is signless."""
    shape = [DYNAMIC_INDEX, *([] if width is None else [width])]
    return MemRefType(signless(element), shape)


FLAT = flat(f32)
BYTES = flat(i8)
TABLE = flat(INDEX)
OFFSETS = flat(i32)
POINTERS = flat(BYTES)


@cache
def vector_of(element: Attribute, lanes: int) -> VectorType[Attribute]:
    return VectorType(signless(element), [lanes])


def _dense(type_: VectorType[Attribute], values: Sequence[float]) -> Attribute:
    """Return a constant vector; one value is in every lane."""
    return cast(Attribute, DenseIntOrFPElementsAttr.from_list(type_, values))  # pyright: ignore


class Body:
    """
    Appends ops to a block.

    Constants are shared per function and stand at the top of its entry block. All
    integers are of type index unless said otherwise.
    """

    def __init__(
        self,
        block: Block,
        consts: dict[Any, SSAValue] | None = None,
        entry: Block | None = None,
    ):
        self.block = block
        self.entry = entry or block
        self.consts: dict[Any, SSAValue] = {} if consts is None else consts

    def add(self, op: Operation) -> SSAValue:
        """Append `op`, which has one result, and return that."""
        self.block.add_op(op)
        return op.results[0]

    def do(self, op: Operation) -> None:
        """Append `op`, which has no result."""
        self.block.add_op(op)

    def _shared(self, key: Any, value: Attribute, type_: Attribute) -> SSAValue:
        if key not in self.consts:
            op = arith.ConstantOp.create(
                properties={"value": value}, result_types=[type_]
            )
            first = self.entry.first_op
            if first is None:
                self.entry.add_op(op)
            else:
                self.entry.insert_op_before(op, first)
            self.consts[key] = op.results[0]
        return self.consts[key]

    def const(self, value: int) -> SSAValue:
        """Return an index constant."""
        return self._shared(value, IntegerAttr(value, INDEX), INDEX)

    def scalar(self, value: float, element: Attribute, lanes: int = 0) -> SSAValue:
        """Return a constant of type `element`, or a splat of it of `lanes` > 0."""
        value, element = signless_value(value, element), signless(element)
        key = (repr(value), element, lanes)
        if lanes:
            type_ = vector_of(element, lanes)
            return self._shared(key, _dense(type_, [value]), type_)
        return self._shared(key, number_attribute(value, element), element)

    def lane_numbers(self, element: Attribute, lanes: int) -> SSAValue:
        """Return the vector 0, 1, ... of integers."""
        type_ = vector_of(element, lanes)
        numbers = _dense(type_, range(lanes))
        return self._shared(("lanes", element, lanes), numbers, type_)

    def _index(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(
            op.create(operands=[a, b], result_types=[INDEX], properties=NSW)
        )

    def sum(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        if isinstance(b, int):
            return a if b == 0 else self._index(arith.AddiOp, a, self.const(b))
        return self._index(arith.AddiOp, a, b)

    def difference(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._index(arith.SubiOp, a, b)

    def product(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        if isinstance(b, int):
            return a if b == 1 else self._index(arith.MuliOp, a, self.const(b))
        return self._index(arith.MuliOp, a, b)

    def binary(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        """Append a one-type binary op such as `arith.AddfOp`."""
        return self.add(op.create(operands=[a, b], result_types=[a.type]))

    def load(self, base: SSAValue, *at: SSAValue) -> SSAValue:
        """Load one element of flat memref `base`."""
        element = buffer_type(base).element_type
        return self.add(
            memref.LoadOp.create(operands=[base, *at], result_types=[element])
        )

    def store(self, value: SSAValue, base: SSAValue, *at: SSAValue) -> None:
        self.do(memref.StoreOp.create(operands=[value, base, *at]))

    def offset(self, table: SSAValue, at: SSAValue) -> SSAValue:
        """Load an i32 of `table` as an index."""
        found = self.load(table, at)
        return self.add(
            arith.IndexCastOp.create(operands=[found], result_types=[INDEX])
        )

    def load_vector(self, base: SSAValue, *at: SSAValue, lanes: int) -> SSAValue:
        type_ = vector_of(buffer_type(base).element_type, lanes)
        return self.add(
            vector.LoadOp.create(operands=[base, *at], result_types=[type_])
        )

    def store_vector(self, value: SSAValue, base: SSAValue, *at: SSAValue) -> None:
        self.do(vector.StoreOp.create(operands=[value, base, *at]))

    def splat(self, value: SSAValue, lanes: int) -> SSAValue:
        type_ = vector_of(value.type, lanes)
        return self.add(
            vector.BroadcastOp.create(operands=[value], result_types=[type_])
        )

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """Return a * b + c of vectors."""
        return self.add(vector.FMAOp.create(operands=[a, b, c], result_types=[c.type]))

    def call(self, callee: str, args: Sequence[SSAValue]) -> None:
        self.do(
            func.CallOp.create(
                operands=list(args), properties={"callee": SymbolRefAttr(callee)}
            )
        )

    def loop(
        self,
        lower: SSAValue | int,
        upper: SSAValue | int,
        step: SSAValue | int,
        carried: Sequence[SSAValue],
        body: Callable[[Body, SSAValue, list[SSAValue]], Sequence[SSAValue]],
        *,
        name: str = "i",
        nonempty: bool = False,
    ) -> list[SSAValue]:
        """
        Append `scf.for`; `body(b, iv, carried)` returns the next carried values.

        `nonempty` promises that the loop runs at least once.
        """
        block = Block(arg_types=[INDEX, *(v.type for v in carried)])
        block.args[0].name_hint = name
        for arg, value in zip(block.args[1:], carried, strict=True):
            arg.name_hint = value.name_hint
        inner = Body(block, self.consts, self.entry)
        out = body(inner, block.args[0], list(block.args[1:]))
        block.add_op(scf.YieldOp.create(operands=list(out)))
        low, high, by = (
            self.const(v) if isinstance(v, int) else v for v in (lower, upper, step)
        )
        op = scf.ForOp(low, high, by, carried, Region(block))
        if nonempty:
            op.attributes["nonempty"] = UnitAttr()
        self.do(op)
        return list(op.results)

    def each(
        self,
        lower: SSAValue | int,
        upper: SSAValue | int,
        body: Callable[[Body, SSAValue], None],
        *,
        step: SSAValue | int = 1,
        name: str = "i",
        nonempty: bool = False,
    ) -> None:
        """Append `scf.for` that carries nothing."""

        def run(b: Body, i: SSAValue, _: list[SSAValue]) -> Sequence[SSAValue]:
            body(b, i)
            return ()

        self.loop(lower, upper, step, (), run, name=name, nonempty=nonempty)


def function(
    name: str,
    arguments: Sequence[tuple[str, Attribute]],
    *,
    private: bool = True,
    noalias: Sequence[str] = (),
) -> tuple[func.FuncOp, Body, dict[str, SSAValue]]:
    """
    Return an empty function, a builder at its start, and its arguments by name.

    `noalias` names the memref arguments through which alone their bytes are reached
    while the function runs; arena buffers never qualify, constants do.
    """
    plain = DictionaryAttr({})
    marked = DictionaryAttr({"llvm.noalias": UnitAttr()})
    attributes = ArrayAttr([marked if n in noalias else plain for n, _ in arguments])
    op = func.FuncOp(
        name,
        ([type_ for _, type_ in arguments], []),
        visibility=_PRIVATE if private else None,
        arg_attrs=attributes,
    )
    block = op.body.block
    for arg, (hint, _) in zip(block.args, arguments, strict=True):
        arg.name_hint = hint
    named: dict[str, SSAValue] = {
        hint: arg for arg, (hint, _) in zip(block.args, arguments, strict=True)
    }
    return op, Body(block), named
