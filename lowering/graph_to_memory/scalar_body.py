"""Write scalar ops: what one element goes through."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.support.types import dtype_of, is_bool, is_float, number_attribute


class ScalarBody:
    """Appends scalar ops to a block; methods are named like what they compute."""

    def __init__(self, block: Block):
        self.block = block
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}

    def op(
        self,
        op: type[Operation],
        *operands: SSAValue,
        result: Attribute | None = None,
        **properties: Attribute,
    ) -> SSAValue:
        new = op.create(
            operands=list(operands),
            result_types=[result or operands[0].type],
            properties=properties,
        )
        self.block.add_op(new)
        return new.results[0]

    def const(self, value: float, element: Attribute) -> SSAValue:
        key = (repr(value), element)
        if key not in self._constants:
            attribute = number_attribute(value, element)
            self._constants[key] = self.op(
                arith.ConstantOp, result=element, value=attribute
            )
        return self._constants[key]

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.AddfOp, arith.AddiOp), a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.SubfOp, arith.SubiOp), a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.MulfOp, arith.MuliOp), a, b)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.DivfOp, arith.DivSIOp), a, b)

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The larger one, or NaN if one is NaN."""
        return self.op(_pick(a, arith.MaximumfOp, arith.MaxSIOp), a, b)

    def minimum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.MinimumfOp, arith.MinSIOp), a, b)

    def neg(self, a: SSAValue) -> SSAValue:
        if is_float(a.type):
            return self.op(arith.NegfOp, a)
        return self.sub(self.const(0, a.type), a)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Compare by `eq`, `lt`, `le`, `gt`, `ge` or, of floats, `ne` and `uno`."""
        new = (
            arith.CmpfOp(
                a, b, {"ne": "une", "uno": "uno"}.get(predicate, f"o{predicate}")
            )
            if is_float(a.type)
            else arith.CmpiOp(
                a, b, predicate if predicate in ("eq", "ne") else f"s{predicate}"
            )
        )
        self.block.add_op(new)
        return new.results[0]

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.SelectOp, condition, a, b, result=a.type)

    def exp(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.ExpOp, a)

    def log(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.LogOp, a)

    def abs(self, a: SSAValue) -> SSAValue:
        return self.op(_pick(a, math_dialect.AbsFOp, math_dialect.AbsIOp), a)

    def sigmoid(self, a: SSAValue) -> SSAValue:
        one = self.const(1.0, a.type)
        return self.div(one, self.add(one, self.exp(self.neg(a))))

    def softplus(self, a: SSAValue) -> SSAValue:
        """log(1 + exp(a)) without overflow: max(a, 0) + log1p(exp(-|a|))."""
        tail = self.op(math_dialect.Log1pOp, self.exp(self.neg(self.abs(a))))
        return self.add(self.maximum(a, self.const(0.0, a.type)), tail)

    def tanh(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.TanhOp, a)

    def cast(self, a: SSAValue, to: Attribute) -> SSAValue:
        """Convert as ONNX does: towards zero, anything but 0 is true."""
        if a.type == to:
            return a
        if is_bool(to):
            return self.compare("ne", a, self.const(0, a.type))
        if is_float(a.type) and is_float(to):
            wide = bits_of(to) > bits_of(a.type)
            return self.op(arith.ExtFOp if wide else arith.TruncFOp, a, result=to)
        if is_float(a.type):
            return self.op(arith.FPToSIOp, a, result=to)
        if is_float(to):
            return self.op(
                arith.UIToFPOp if is_bool(a.type) else arith.SIToFPOp, a, result=to
            )
        if bits_of(to) < bits_of(a.type):
            return self.op(arith.TruncIOp, a, result=to)
        return self.op(
            arith.ExtUIOp if is_bool(a.type) else arith.ExtSIOp, a, result=to
        )


def _pick(
    a: SSAValue, floats: type[Operation], integers: type[Operation]
) -> type[Operation]:
    return floats if is_float(a.type) else integers


def bits_of(element: Attribute) -> int:
    """Return the width of a number in bits; a bool has 1."""
    return 1 if is_bool(element) else 8 * dtype_of(element).itemsize
