"""Write scalar ops: what one element goes through."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.support.types import (
    dtype_of,
    is_bool,
    is_float,
    is_unsigned,
    number_attribute,
    signless,
    signless_value,
)


class ScalarBody:
    """
    Appends scalar ops to a block; methods are named like what they compute.

    Values are signless, as `arith` wants them; the body knows which are unsigned.
    """

    def __init__(self, block: Block):
        self.block = block
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}
        self._unsigned: dict[SSAValue, Attribute] = {}

    def element(self, value: SSAValue) -> Attribute:
        """Return the element type that `value` has in the graph."""
        return self._unsigned.get(value, value.type)

    def _known(self, value: SSAValue, element: Attribute) -> SSAValue:
        if is_unsigned(element):
            self._unsigned[value] = element
        return value

    def argument(self, element: Attribute) -> SSAValue:
        """Append a block argument that stands for one `element`."""
        block = self.block
        arg = block.insert_arg(signless(element), len(block.args))
        return self._known(arg, element)

    def op(
        self,
        op: type[Operation],
        *operands: SSAValue,
        result: Attribute | None = None,
        **properties: Attribute,
    ) -> SSAValue:
        element = result or self.element(operands[0])
        new = op.create(
            operands=list(operands),
            result_types=[signless(element)],
            properties=properties,
        )
        self.block.add_op(new)
        return self._known(new.results[0], element)

    def const(self, value: float, element: Attribute) -> SSAValue:
        key = (repr(value), element)
        if key not in self._constants:
            plain = signless_value(value, element)
            attribute = number_attribute(plain, signless(element))
            self._constants[key] = self.op(
                arith.ConstantOp, result=element, value=attribute
            )
        return self._constants[key]

    def _pick(
        self,
        a: SSAValue,
        floats: type[Operation],
        integers: type[Operation],
        unsigned: type[Operation] | None = None,
    ) -> type[Operation]:
        if is_float(a.type):
            return floats
        return unsigned if unsigned and a in self._unsigned else integers

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(self._pick(a, arith.AddfOp, arith.AddiOp), a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(self._pick(a, arith.SubfOp, arith.SubiOp), a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(self._pick(a, arith.MulfOp, arith.MuliOp), a, b)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(self._pick(a, arith.DivfOp, arith.DivSIOp, arith.DivUIOp), a, b)

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The larger one, or NaN if one is NaN."""
        op = self._pick(a, arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp)
        return self.op(op, a, b)

    def minimum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        op = self._pick(a, arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp)
        return self.op(op, a, b)

    def neg(self, a: SSAValue) -> SSAValue:
        if is_float(a.type):
            return self.op(arith.NegfOp, a)
        return self.sub(self.const(0, self.element(a)), a)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Compare by `eq`, `lt`, `le`, `gt`, `ge` or, of floats, `ne` and `uno`."""
        sign = "u" if a in self._unsigned else "s"
        new = (
            arith.CmpfOp(
                a, b, {"ne": "une", "uno": "uno"}.get(predicate, f"o{predicate}")
            )
            if is_float(a.type)
            else arith.CmpiOp(
                a, b, predicate if predicate in ("eq", "ne") else f"{sign}{predicate}"
            )
        )
        self.block.add_op(new)
        return new.results[0]

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.SelectOp, condition, a, b, result=self.element(a))

    def exp(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.ExpOp, a)

    def log(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.LogOp, a)

    def abs(self, a: SSAValue) -> SSAValue:
        if a in self._unsigned:
            return a
        return self.op(self._pick(a, math_dialect.AbsFOp, math_dialect.AbsIOp), a)

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
        source = self.element(a)
        if source == to:
            return a
        if is_bool(to):
            return self.compare("ne", a, self.const(0, source))
        if is_float(source) and is_float(to):
            wide = bits_of(to) > bits_of(source)
            return self.op(arith.ExtFOp if wide else arith.TruncFOp, a, result=to)
        if is_float(source):
            return self._truncated(a, to)
        extends_zeros = is_bool(source) or is_unsigned(source)
        if is_float(to):
            op = arith.UIToFPOp if extends_zeros else arith.SIToFPOp
            return self.op(op, a, result=to)
        if bits_of(to) == bits_of(source):
            return self.op(arith.BitcastOp, a, result=to)
        if bits_of(to) < bits_of(source):
            return self.op(arith.TruncIOp, a, result=to)
        return self.op(arith.ExtUIOp if extends_zeros else arith.ExtSIOp, a, result=to)

    def _truncated(self, a: SSAValue, to: Attribute) -> SSAValue:
        """Return a float as an integer; narrow ones are the low bits of an i32."""
        if bits_of(to) < 32:
            return self.cast(self.op(arith.FPToSIOp, a, result=i32), to)
        op = arith.FPToUIOp if is_unsigned(to) else arith.FPToSIOp
        return self.op(op, a, result=to)


def bits_of(element: Attribute) -> int:
    """Return the width of a number in bits; a bool has 1."""
    return 1 if is_bool(element) else 8 * dtype_of(element).itemsize
