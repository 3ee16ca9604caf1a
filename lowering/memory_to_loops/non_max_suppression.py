"""Lower non_max_suppression: each class by itself, then all rows next to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from xdsl.dialects.builtin import i64

from glow.codegen.conditions import select
from glow.codegen.functions import maximum, minimum
from glow.codegen.loops import N, Var, loop, when
from glow.codegen.values import INDEX, Value, constant, index
from glow.dialects.graph.detection import NonMaxSuppressionOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, Work
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type, element_of, shape_of

Corners = tuple[Value, ...]
"""The least y and x of a box, then the greatest; or x and y."""


@dataclass(frozen=True)
class SuppressRow(Generic[N]):
    """The classes of an image, the boxes, how many are taken at most; all strides."""

    classes: N
    extent: N
    limit: N
    boxes: tuple[N, ...]
    scores: tuple[N, ...]
    indices: tuple[N, ...]


@dataclass(frozen=True)
class Suppress(Kernel):
    """
    Take the best box of what is left, drop what overlaps it, and again.

    `score_threshold` None takes all scores. Rows are written from where those of the
    class begin, if all before have as many as they may.
    Unit: a class of an image.
    Scratch: `left` and `kept` hold the boxes that are left and their scores; pieces
    that run at once need their own. `counts` has how many are taken of each class.
    """

    iou_threshold: float
    score_threshold: float | None
    centers: bool

    def write(self, call: Call[SuppressRow[Value]]) -> None:
        row = call.row
        for unit in loop(*call.range, nonempty=True):
            image, kind = unit // row.classes, unit % row.classes
            scores = image * row.scores[0] + kind * row.scores[1]
            boxes = image * row.boxes[0]
            left, best = self._candidates(call, scores)
            count = Var(index(0))
            for _ in loop(0, row.limit, left, best, count):
                some = left.value > 0
                taken = call["left"][best.value]
                with when(some):
                    at = (unit * row.limit + count.value) * row.indices[0]
                    for i, number in enumerate((image, kind, taken)):
                        call["indices"][at + row.indices[1] * i] = number
                count.value = select(some, count.value + 1, count.value)
                self._drop(call, boxes, left, best)
            call["counts"][unit] = count.value

    def _candidates(
        self, call: Call[SuppressRow[Value]], scores: Value
    ) -> tuple[Var, Var]:
        """List the boxes to choose from; return how many there are, and the best."""
        row, left, best = call.row, Var(index(0)), Var(index(0))
        highest = Var(constant(float("-inf"), call["scores"].compute))
        for i in loop(0, row.extent, left, best, highest):
            score = call["scores"][scores + i * row.scores[2]]
            enters = score == score
            if self.score_threshold is not None:
                enters = score > self.score_threshold
            self._keep(call, (i, score), enters, (left, best, highest))
        return left, best

    def _drop(
        self, call: Call[SuppressRow[Value]], boxes: Value, left: Var, best: Var
    ) -> None:
        """Leave only what overlaps the best box little enough."""
        taken = best.value
        one = self._corners(call, boxes, call["left"][taken])
        kept, next_best = Var(index(0)), Var(index(0))
        highest = Var(constant(float("-inf"), call["scores"].compute))
        for i in loop(0, left.value, kept, next_best, highest):
            place, score = call["left"][i], call["kept"][i]
            other = self._corners(call, boxes, place)
            stays = (i != taken) & ~self._overlaps(one, other)
            self._keep(call, (place, score), stays, (kept, next_best, highest))
        left.value, best.value = kept.value, next_best.value

    def _keep(
        self,
        call: Call[SuppressRow[Value]],
        entry: tuple[Value, Value],
        condition: Value,
        state: tuple[Var, Var, Var],
    ) -> None:
        """Append a box and its score to those that are left, if a condition holds."""
        count, best, highest = state
        place, score = entry
        call["left"][count.value] = place
        call["kept"][count.value] = score
        is_best = condition & ((score > highest.value) | (count.value == 0))
        best.value = select(is_best, count.value, best.value)
        highest.value = select(is_best, score, highest.value)
        count.value = select(condition, count.value + 1, count.value)

    def _corners(
        self, call: Call[SuppressRow[Value]], boxes: Value, place: Value
    ) -> Corners:
        _, step, side = call.row.boxes
        start = boxes + place * step
        numbers = [call["boxes"][start + side * i] for i in range(4)]
        pairs = list(zip(numbers[:2], numbers[2:], strict=True))
        if self.centers:
            pairs = [(at - size / 2, at + size / 2) for at, size in pairs]
        else:
            pairs = [(minimum(*pair), maximum(*pair)) for pair in pairs]
        return (*(low for low, _ in pairs), *(high for _, high in pairs))

    def _overlaps(self, one: Corners, other: Corners) -> Value:
        """Return whether the intersection by the union is above the threshold."""
        sides = [
            minimum(one[i + 2], other[i + 2]) - maximum(one[i], other[i])
            for i in range(2)
        ]
        areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
        common = sides[0] * sides[1]
        union = areas[1] + areas[0] - common
        meets = (sides[0] > 0) & (sides[1] > 0)
        for each in (common, *areas, union):
            meets = meets & (each > 0)
        return meets & (common / union > self.iou_threshold)


@dataclass(frozen=True)
class JoinRow(Generic[N]):
    """The classes of all images, the rows that each has at most, strides of a row."""

    classes: N
    limit: N
    strides: tuple[N, ...]


@dataclass(frozen=True)
class Join(Kernel):
    """Move the rows of all classes together; those after are -1. It is not cut."""

    def write(self, call: Call[JoinRow[Value]]) -> None:
        row, indices, end = call.row, call["indices"], Var(index(0))
        for unit in loop(0, row.classes, end):
            for i in loop(0, call["counts"][unit], end):
                source = (unit * row.limit + i) * row.strides[0]
                to = end.value * row.strides[0]
                for k in range(3):
                    step = row.strides[1] * k
                    indices[to + step] = indices[source + step]
                end.value = end.value + 1
        for i in loop(end.value, row.classes * row.limit):
            for k in range(3):
                indices[i * row.strides[0] + row.strides[1] * k] = -1
        call["count"][0] = end.value


def _scratch(op: NonMaxSuppressionOp) -> list[Buffer]:
    """Return room for a count per class, and for the boxes of one and their scores."""
    images, classes, count = shape_of(op.scores)
    sizes = (
        (i64, images * classes),
        (i64, count),
        (compute_type(element_of(op.scores)), count),
    )
    return [Buffer(element, [max(1, size)]) for element, size in sizes]


@lowers(NonMaxSuppressionOp, scratch=_scratch)
def lower_non_max_suppression(main: Main, op: ApplyOp) -> None:
    names = ("boxes", "scores", "indices", "count")
    boxes, scores, indices, count = buffers = [op.buffer(name) for name in names]
    counts = main.base(op.scratch[0], compute=INDEX)
    left = main.own(op.scratch[1], compute=INDEX)
    images, classes, extent = addressing_of(scores).shape
    p = op.graph_op().parameters()
    limit = min(extent, p["max_output"])
    units = images * classes * bool(limit)
    strides = [addressing_of(each).strides for each in buffers[:3]]
    if units:
        kernel = Suppress(
            p["iou_threshold"], p["score_threshold"], p["center_point_box"]
        )
        row = SuppressRow(classes, extent, limit, *strides)
        result = main.base(indices, compute=INDEX)
        arguments = {
            "boxes": main.base(boxes),
            "scores": main.base(scores),
            "indices": result,
            "counts": counts,
            "left": left,
            "kept": main.own(op.scratch[2]),
        }
        main.call(kernel, arguments, row, Work(units, extent * limit))
    arguments = {
        "indices": indices,
        "count": main.base(count, compute=INDEX),
        "counts": counts,
    }
    main.call(Join(), arguments, JoinRow(units, limit, strides[2]))
