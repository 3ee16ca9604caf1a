"""Arithmetic that kernels emit alike for scalars and vectors, floats and integers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from glow.dialects.llvm_ext import conversion, elementwise
from glow.lowering.memory_to_loops.builder import Body, vector_of
from glow.support.types import is_float

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
        return vector_of(self.element, self.lanes) if self.lanes else self.element

    def const(self, value: float) -> SSAValue:
        return self.b.scalar(value, self.element, self.lanes)

    def spread(self, value: SSAValue) -> SSAValue:
        """Return scalar `value` in every lane."""
        return self.b.splat(value, self.lanes) if self.lanes else value

    def of_index(self, value: SSAValue) -> SSAValue:
        """Return an index as a scalar of type `element`."""
        integer = i64 if is_float(self.element) else self.element
        cast = arith.IndexCastOp.create(operands=[value], result_types=[integer])
        whole = self.b.add(cast)
        return self.of_integer(whole) if is_float(self.element) else whole

    def of_integer(self, value: SSAValue) -> SSAValue:
        """Return a scalar integer as a float of type `element`."""
        convert = arith.SIToFPOp.create(operands=[value], result_types=[self.element])
        return self.b.add(convert)

    def truncated(self, value: SSAValue, to: Attribute) -> SSAValue:
        """
        Return a float of type `element` as an integer of type `to`, towards zero.

        NaN and what is out of range become the lowest one, as x86 has it.
        """
        whole = Numbers(self.b, to, self.lanes)
        fits = self.compare("lt", value, self.const(-lowest(to)))
        convert = conversion.FPToSISatOp.create(
            operands=[value], result_types=[whole.type]
        )
        return whole.select(fits, self.b.add(convert), whole.const(lowest(to)))

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
        return self._pick(arith.DivfOp, arith.DivSIOp, x, y)

    def abs(self, x: SSAValue) -> SSAValue:
        return self._pick(math.AbsFOp, math.AbsIOp, x)

    def fma(self, x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
        """Return x * y + z, rounded once where the target can."""
        if not is_float(self.element):
            return self.add(self.mul(x, y), z)
        fma = math.FmaOp.create(operands=[x, y, z], result_types=[z.type])
        return self.b.add(fma)

    def maximum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the larger one; NaN if either is."""
        return self._extreme(arith.MaximumfOp, arith.MaxSIOp, x, y)

    def greater(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the larger of two floats; y if either is NaN. One instruction."""
        return self.select(self.compare("gt", x, y), x, y)

    def minimum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the smaller one; NaN if either is."""
        return self._extreme(arith.MinimumfOp, arith.MinSIOp, x, y)

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
        signed = predicate if predicate == "eq" else f"s{predicate}"
        compare = elementwise.CmpiOp if self.lanes else arith.CmpiOp
        return self.b.add(compare(x, y, signed))

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
            operands=[value], result_types=[self.element], properties=properties
        )
        return self.b.add(op)


def lowest(element: Attribute) -> float:
    """Return what no value of type `element` is below."""
    return -_bound(element)


def highest(element: Attribute) -> float:
    """Return what no value of type `element` is above."""
    return _bound(element) if is_float(element) else _bound(element) - 1


def _bound(element: Attribute) -> float:
    if is_float(element):
        return float("inf")
    return 1 << (element.width.data - 1)  # pyright: ignore
