"""Arithmetic that kernels emit alike for scalars and vectors, floats and integers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from glow.dialects.llvm_ext import conversion, elementwise
from glow.lowering.memory_to_loops.builder import Body, vector_of
from glow.support.types import dtype_of, is_float, is_unsigned, signless

_NO_FLAGS = arith.FastMathFlagsAttr("none")
_ANY_ORDER = arith.FastMathFlagsAttr([FastMathFlag.REASSOC])
_NO_NAN = arith.FastMathFlagsAttr([FastMathFlag.REASSOC, FastMathFlag.NO_NANS])
_WITHOUT_NAN = (vector.CombiningKindFlag.MAXNUMF, vector.CombiningKindFlag.MINNUMF)
# Which zero is the larger one does not matter: that saves instructions.
_NO_SIGNED_ZEROS = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])


@dataclass(frozen=True)
class Numbers:
    """Appends arithmetic on values of one type: scalars, or vectors of `lanes`."""

    b: Body
    element: Attribute
    lanes: int = 0

    @property
    def type(self) -> Attribute:
        element = signless(self.element)
        return vector_of(element, self.lanes) if self.lanes else element

    def const(self, value: float) -> SSAValue:
        return self.b.scalar(value, self.element, self.lanes)

    def spread(self, value: SSAValue) -> SSAValue:
        """Return scalar `value` in every lane."""
        return self.b.splat(value, self.lanes) if self.lanes else value

    def of_index(self, value: SSAValue) -> SSAValue:
        """Return an index as a scalar of type `element`."""
        integer = i64 if is_float(self.element) else signless(self.element)
        cast = arith.IndexCastOp.create(operands=[value], result_types=[integer])
        whole = self.b.add(cast)
        return self.of_integer(whole, i64) if is_float(self.element) else whole

    def of_integer(self, value: SSAValue, integer: Attribute) -> SSAValue:
        """Return a scalar of type `integer` as a float of type `element`."""
        op = arith.UIToFPOp if is_unsigned(integer) else arith.SIToFPOp
        return self.b.add(op.create(operands=[value], result_types=[self.element]))

    def truncated(self, value: SSAValue, to: Attribute) -> SSAValue:
        """
        Return a float of type `element` as an integer of 32 or 64 bits, towards zero.

        NaN and what is out of range become the lowest one, as x86 has it. Unsigned
        numbers that have the highest bit are converted without it.
        """
        if is_unsigned(to):
            return self._truncated_unsigned(value, to)
        # Nothing but the lowest one itself has its magnitude and fits.
        fits = self.compare("lt", self.abs(value), self.const(-lowest(to)))
        value = self.select(fits, value, self.const(lowest(to)))
        op = conversion.FPToSIOp if self.lanes else arith.FPToSIOp
        result = Numbers(self.b, to, self.lanes).type
        return self.b.add(op.create(operands=[value], result_types=[result]))

    def _truncated_unsigned(self, value: SSAValue, to: Attribute) -> SSAValue:
        whole = Numbers(self.b, signless(to), self.lanes)
        top = -lowest(whole.element)
        has_top = self.compare("ge", value, self.const(top))
        rest = self.select(has_top, self.sub(value, self.const(top)), value)
        found = self.truncated(rest, whole.element)
        bit = whole.select(has_top, whole.const(-top), whole.const(0))
        return self.b.binary(arith.XOrIOp, found, bit)

    def _signed(
        self, signed: type[Operation], unsigned: type[Operation]
    ) -> type[Operation]:
        return unsigned if is_unsigned(self.element) else signed

    def _pick(
        self, floats: type[Operation], integers: type[Operation], *values: SSAValue
    ) -> SSAValue:
        op = floats if is_float(self.element) else integers
        return self.b.add(
            op.create(operands=list(values), result_types=[values[0].type])
        )

    def add(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self._pick(arith.AddfOp, arith.AddiOp, x, y)

    def sub(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self._pick(arith.SubfOp, arith.SubiOp, x, y)

    def mul(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self._pick(arith.MulfOp, arith.MuliOp, x, y)

    def div(self, x: SSAValue, y: SSAValue) -> SSAValue:
        integers = self._signed(arith.DivSIOp, arith.DivUIOp)
        return self._pick(arith.DivfOp, integers, x, y)

    def abs(self, x: SSAValue) -> SSAValue:
        if is_unsigned(self.element):
            return x
        return self._pick(math.AbsFOp, math.AbsIOp, x)

    def fma(self, x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
        """Return x * y + z, rounded once where the target can."""
        if not is_float(self.element):
            return self.add(self.mul(x, y), z)
        fma = math.FmaOp.create(operands=[x, y, z], result_types=[z.type])
        return self.b.add(fma)

    def maximum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the larger one; NaN if either is."""
        integers = self._signed(arith.MaxSIOp, arith.MaxUIOp)
        return self._extreme(arith.MaximumfOp, integers, x, y)

    def greater(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the larger of two floats; y if either is NaN. One instruction."""
        return self.select(self.compare("gt", x, y), x, y)

    def minimum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the smaller one; NaN if either is."""
        integers = self._signed(arith.MinSIOp, arith.MinUIOp)
        return self._extreme(arith.MinimumfOp, integers, x, y)

    def _extreme(
        self,
        floats: type[Operation],
        integers: type[Operation],
        x: SSAValue,
        y: SSAValue,
    ) -> SSAValue:
        if not is_float(self.element):
            return self.b.binary(integers, x, y)
        flags: dict[str, Attribute] = {"fastmath": _NO_SIGNED_ZEROS}
        return self.b.add(
            floats.create(operands=[x, y], result_types=[x.type], properties=flags)
        )

    def function(self, op: type[Operation], *values: SSAValue) -> SSAValue:
        """Append an op of `math` such as `math.SqrtOp`."""
        return self.b.add(
            op.create(operands=list(values), result_types=[values[0].type])
        )

    def compare(self, predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """Compare by `eq`, `lt`, `le`, `gt` or `ge`; NaN makes it false."""
        if is_float(self.element):
            compare = elementwise.CmpfOp if self.lanes else arith.CmpfOp
            return self.b.add(compare(x, y, f"o{predicate}"))
        sign = "u" if is_unsigned(self.element) else "s"
        full = predicate if predicate == "eq" else f"{sign}{predicate}"
        compare = elementwise.CmpiOp if self.lanes else arith.CmpiOp
        return self.b.add(compare(x, y, full))

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        select = elementwise.SelectOp if self.lanes else arith.SelectOp
        return self.b.add(
            select.create(operands=[condition, x, y], result_types=[x.type])
        )

    def across(self, kind: vector.CombiningKindFlag, value: SSAValue) -> SSAValue:
        """
        Return all lanes of a vector combined, in any order.

        For `maxnumf` and `minnumf`, no lane may be NaN.
        """
        flags = _ANY_ORDER if is_float(self.element) else _NO_FLAGS
        if kind in _WITHOUT_NAN:
            flags = _NO_NAN
        properties: dict[str, Attribute] = {
            "kind": vector.CombiningKindAttr(kind),
            "fastmath": flags,
        }
        op = vector.ReductionOp.create(
            operands=[value],
            result_types=[signless(self.element)],
            properties=properties,
        )
        return self.b.add(op)


def lowest(element: Attribute) -> float:
    """Return what no value of type `element` is below."""
    if is_float(element):
        return float("-inf")
    return 0 if is_unsigned(element) else -_bound(element)


def highest(element: Attribute) -> float:
    """Return what no value of type `element` is above."""
    return float("inf") if is_float(element) else _bound(element) - 1


def _bound(element: Attribute) -> int:
    """Return the least integer above all of type `element`."""
    bits = 8 * dtype_of(element).itemsize
    return 1 << (bits if is_unsigned(element) else bits - 1)
