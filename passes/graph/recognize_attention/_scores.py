"""The scores of a written-out attention: scale, cap, masks and biases."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.binary import AddOp, DivOp, MulOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.logic import NotOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.select import WhereOp
from glow.dialects.graph.tensors import GraphWriter, Tensor
from glow.dialects.graph.unary import TanhOp
from glow.passes.graph.operands import in_both_orders, number_behind, unexpanded
from glow.support.arrays import Shape
from glow.support.shapes import broadcasts_to
from glow.support.types import shape_of


@dataclass(frozen=True)
class ScoreStep:
    """
    A step on scores of `shape`: a bias, or a mask if there is a `score`.

    A bias adds `value`. A mask has in `value` which scores are kept, or are not if
    `is_hidden`; those not kept become `score`.
    """

    value: SSAValue
    shape: Shape
    score: float | None = None
    is_hidden: bool = False


@dataclass(frozen=True)
class Scores:
    """A product times `factor`, capped, and the steps after that, the last first."""

    product: MatMulOp
    factor: float
    softcap: float
    steps: tuple[ScoreStep, ...]

    def shape(self) -> Shape | None:
        """
        Return batch, heads, queries and keys; None where there are none.

        Of a product of rank 3 a step may tell batch and heads apart.
        """
        shape = shape_of(self.product.result)
        if len(shape) == 3:
            shapes = [s.shape for s in self.steps if len(s.shape) == 4]
            return shapes[0] if shapes else (1, *shape)
        return shape if len(shape) == 4 else None


def scores_behind(value: SSAValue) -> Iterator[Scores]:
    """Yield all ways to read `value` as scores of an attention."""
    if not value.has_one_use():
        return
    shape = shape_of(value)
    match value.owner:
        case AddOp() as add:
            for inner, other in in_both_orders(add):
                if inner.type == value.type and broadcasts_to(other, shape):
                    yield from _after(inner, ScoreStep(other, shape))
        case WhereOp() as where:
            for inner, other in ((where.lhs, where.rhs), (where.rhs, where.lhs)):
                number = number_behind(other)
                if number is not None and inner.type == value.type and number == number:
                    is_hidden = inner is where.rhs
                    mask = ScoreStep(where.condition, shape, number, is_hidden)
                    yield from _after(inner, mask)
        case ReshapeOp() as reshape:
            yield from scores_behind(reshape.input)
        case _:
            yield from _scaled_product(value)


def _after(inner: SSAValue, step: ScoreStep) -> Iterator[Scores]:
    for scores in scores_behind(inner):
        yield replace(scores, steps=(step, *scores.steps))


def _scaled_product(value: SSAValue) -> Iterator[Scores]:
    """Yield the product that `value` is, times a number and capped."""
    value, factor = without_factor(value)
    softcap = 0.0
    if isinstance(tanh := value.owner, TanhOp) and value.has_one_use() and factor > 0:
        value, inner = without_factor(tanh.input)
        softcap, factor = factor, inner * factor
    product = value.owner
    if isinstance(product, MatMulOp) and value.has_one_use():
        yield Scores(product, factor, softcap, ())


def without_factor(value: SSAValue, is_only: bool = True) -> tuple[SSAValue, float]:
    """Return a value and its factor in `value`; with `is_only`, through single uses."""
    factor = 1.0
    while isinstance(op := value.owner, MulOp | DivOp):
        if is_only and not value.has_one_use():
            break
        step = _factor(op)
        if step is None:
            break
        value, number = step
        factor *= number
    return value, factor


def _factor(op: MulOp | DivOp) -> tuple[SSAValue, float] | None:
    for inner, other in in_both_orders(op):
        number = number_behind(other)
        if number and inner.type == op.result.type:
            return inner, number if isinstance(op, MulOp) else 1 / number
    return None


@dataclass
class AttentionSlots:
    """
    The operands of an attention that do what steps do: first a mask, then a bias.

    where(m, s + b, c) is where(m, s, c) + where(m, b, 0), to the bit but for b of +inf.
    """

    new: GraphWriter
    shape: Shape
    mask: Tensor | None = None
    masked_score: float | None = None
    bias: Tensor | None = None

    def take(self, step: ScoreStep) -> bool:
        """Apply `step` after those before it; return whether that is possible."""
        placed = self._placed(step)
        if placed is None:
            return False
        value = self.new.tensor(unexpanded(placed.value))
        if step.score is None:
            if (
                number_behind(value.value) != 0
            ):  # softmax sees no difference of 0.0 and -0.0
                self.bias = value if self.bias is None else self.bias + value
            return True
        if self.masked_score not in (None, step.score):
            return False
        kept = self._not(value) if step.is_hidden else value
        if self.bias is not None:
            self.bias = xp.where(kept, self.bias, 0)
        self.mask = kept if self.mask is None else self.mask & kept
        self.masked_score = step.score
        return True

    def _not(self, value: Tensor) -> Tensor:
        inverse = value.value.owner
        return self.new.tensor(inverse.input) if isinstance(inverse, NotOp) else ~value

    def _placed(self, step: ScoreStep) -> Tensor | None:
        """Return its value as it broadcasts to the scores; None where it does not."""
        value = self.new.tensor(step.value)
        if step.shape == self.shape:
            return value
        given = (1,) * (len(step.shape) - value.ndim) + value.shape
        batch, heads, *pairs = self.shape
        if step.shape == (batch * heads, *pairs):
            first = (1, 1) if given[0] == 1 else (batch, heads)
            return value.reshape(*first, *given[1:])
        if _without_ones(step.shape) != _without_ones(self.shape):
            return None
        own = iter([g for g, s in zip(given, step.shape, strict=True) if s != 1])
        return value.reshape(*(1 if n == 1 else next(own) for n in self.shape))


def _without_ones(shape: Shape) -> list[int]:
    return [extent for extent in shape if extent != 1]
