"""Products and sums in any order, taken apart."""

from collections import Counter
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from glow.dialects.graph.binary import AddOp, DivOp, MulOp, PowOp
from glow.passes.graph.operands import in_both_orders, number_behind

# Irrational numbers are only as exact as their type.
TOLERANCE = 1e-6
# Products that are nested deeper are not taken apart.
DEPTH = 6


def term_beside(value: SSAValue, number: float) -> SSAValue | None:
    """Return x where `value` is x + number, or None."""
    total = sum_with_number(value)
    return total[0] if total is not None and total[1] == number else None


def sum_with_number(value: SSAValue) -> tuple[SSAValue, float] | None:
    """Return x and c where `value` is x + c, or None."""
    op = value.owner
    if not isinstance(op, AddOp):
        return None
    for kept, other in in_both_orders(op):
        number = number_behind(other)
        if number is not None and kept.type == op.result.type:
            return kept, number
    return None


@dataclass
class Factors:
    """A product: a number, and how often each of the other values is in it."""

    number: float = 1.0
    values: Counter[SSAValue] = field(default_factory=Counter[SSAValue])
    parts: list[SSAValue] = field(default_factory=list[SSAValue])
    """The factors, and the values taken apart on the way to them."""

    def is_product(self, number: float, *values: SSAValue) -> bool:
        """Return whether this is `number` times `values`."""
        is_close = abs(self.number - number) <= TOLERANCE * abs(number)
        return is_close and self.values == Counter(values)

    def multiply(self, value: SSAValue, depth: int, whole: SSAValue | None) -> None:
        """Add the factors that `value` is made of; `whole` is not taken apart."""
        number = number_behind(value)
        if number is not None:
            self.number *= number
            return
        self.parts.append(value)
        op = value.owner if depth and value is not whole else None
        match op:
            case MulOp():
                self.multiply(op.lhs, depth - 1, whole)
                self.multiply(op.rhs, depth - 1, whole)
            case DivOp() if number := number_behind(op.rhs):
                self.number /= number
                self.multiply(op.lhs, depth - 1, whole)
            case PowOp() if (number := number_behind(op.rhs)) in (2.0, 3.0):
                self.values[op.lhs] += int(number)
            case _:
                self.values[value] += 1


def product_of(value: SSAValue, whole: SSAValue | None = None) -> Factors:
    """Return `value` as a product in which `whole` is one factor."""
    product = Factors()
    product.multiply(value, DEPTH, whole)
    return product
