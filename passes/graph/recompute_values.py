"""Compute cheap values again where they are needed much later, instead of keeping."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from glow.analysis.directions import functions_of
from glow.analysis.value_lifetimes import ValueLifetimes, is_free
from glow.dialects.graph import activation, binary, logic, select, unary
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.dialects.graph.pooling import PoolOp
from glow.support.locations import name_of
from glow.support.minimum_cut import Network
from glow.support.types import size_bytes

CHEAP = (
    *(activation.LeakyReluOp, activation.ReluOp),
    *(binary.AddOp, binary.DivOp, binary.MaxOp, binary.MinOp, binary.MulOp),
    *(binary.SubOp, unary.AbsOp, unary.NegOp, unary.SignOp, unary.SqrtOp),
    *(logic.AndOp, logic.EqualOp, logic.GreaterOp, logic.GreaterOrEqualOp),
    *(logic.LessOp, logic.LessOrEqualOp, logic.NotOp, logic.OrOp),
    *(select.CastOp, select.ClipOp, select.WhereOp),
    *(ExpandOp, ReshapeOp, TransposeOp),
)
"""Ops that take no longer than to read what they give: a few instructions each."""
COSTLY = (ElementwiseOp, LayerNormOp, LogSoftmaxOp, PoolOp, RmsNormOp, SoftmaxOp)
"""Ops that are computed again only to stay within a limit; products never are."""

LEAST_BYTES, LEAST_SHARE = 1 << 16, 1 / 16
"""What saves less, or less of what rests, is not worth it."""
MOST_ROUNDS = 8


@dataclass(frozen=True)
class RecomputeValuesPass(ModulePass):
    """
    Compute values again instead of keeping them where most memory is held for later.

    A training step keeps what its gradient reads: at the loss, values rest that were
    made long before and are read long after. Which of them to keep is a minimum cut:
    the fewest bytes from which the others follow by cheap ops, elementwise ones of a
    few instructions and movements, whose kernels read no more than they would
    otherwise; ops that are computed again are fused with those that read them. With
    `memory_bytes` nothing is recomputed while all values that are alive at once take no
    more; if they do, functions of elements such as exp, norms, softmax and pools are
    computed again too, as long as they do. Products are never.

    With `report` the module's `graph.recomputation` lists each value that rests, its
    bytes, whether it is kept, and why.

    Level: graph -> graph. Needs: nothing; after `cse`, which would undo it.
    Source: min-cut rematerialization of PyTorch's `torch/_functorch/partitioners.py`.

    ```
    recompute-values{memory_bytes=100000000 report=true}
    ```
    """

    name = "recompute-values"

    memory_bytes: int = 0
    report: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        made: list[DictionaryAttr] = []
        for function in functions_of(op):
            made += self._recompute(function.body.block)
        if self.report:
            op.attributes["graph.recomputation"] = ArrayAttr(made)

    def _recompute(self, block: Block) -> list[DictionaryAttr]:
        """Recompute values of a block; return what was decided on each in the end."""
        made: list[DictionaryAttr] = []
        ways: tuple[tuple[type[Operation], ...], ...] = (CHEAP,)
        if self.memory_bytes:
            ways = (CHEAP, (*CHEAP, *COSTLY))
        for cheap in ways:
            for _ in range(MOST_ROUNDS):
                lifetimes = ValueLifetimes(list(block.ops))
                if lifetimes.peak_bytes() <= self.memory_bytes:
                    break
                cut = _Cut(lifetimes, cheap)
                if not cut.is_worth_it:
                    break
                made += [_entry(value) for value in cut.recomputed]
                cut.carry_out()
        if self.report:
            last = _Cut(ValueLifetimes(list(block.ops)), ways[-1])
            made += [_entry(value, last.reason_for(value)) for value in last.wanted]
        return made


def _entry(value: SSAValue, kept_because: str = "") -> DictionaryAttr:
    """Return the line of a value in the report."""
    owner = value.owner
    assert isinstance(owner, Operation)
    reason = kept_because or "it follows from what is kept"
    return DictionaryAttr(
        {
            "op": StringAttr(owner.name),
            "from": StringAttr(name_of(owner)),
            "bytes": IntegerAttr(size_bytes(value), i64),
            "becomes": StringAttr("kept" if kept_because else "recomputed"),
            "because": StringAttr(reason),
        }
    )


class _Cut:
    """Which values to keep of those that rest where most bytes do."""

    def __init__(self, lifetimes: ValueLifetimes, cheap: tuple[type[Operation], ...]):
        self._cheap = cheap
        place = lifetimes.place()
        self._behind = lifetimes.ops[place + 1 :]
        self.wanted = lifetimes.resting(place)
        network, waiting = Network("made", "read"), list(self.wanted)
        for value in self.wanted:
            network.add((value, "kept"), "read", inf)
        seen = set(waiting)
        while waiting:
            value = waiting.pop()
            network.add(value, (value, "kept"), size_bytes(value))
            for source in self._sources(value):
                network.add("made" if source is value else (source, "kept"), value, inf)
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)
        _, made = network.source_sides()
        self._kept = {v for v in seen if v in made and (v, "kept") not in made}
        self.recomputed = [value for value in self.wanted if value not in self._kept]

    @property
    def is_worth_it(self) -> bool:
        before, after = (sum(map(size_bytes, v)) for v in (self.wanted, self._kept))
        return before - after >= max(LEAST_BYTES, before * LEAST_SHARE)

    def _sources(self, value: SSAValue) -> list[SSAValue]:
        """Return what `value` follows from by a cheap op; itself if it does not."""
        owner = value.owner
        assert isinstance(owner, Operation)
        if not isinstance(owner, self._cheap):
            return [value]
        return [each for each in owner.operands if not is_free(each)]

    def reason_for(self, value: SSAValue) -> str:
        """Return why `value` is kept."""
        sources = self._sources(value)
        if sources == [value]:
            return "its op takes longer than it takes to keep it"
        return "what it follows from is no smaller"

    def carry_out(self) -> None:
        """Let ops read values that are made again right before the first of them."""
        copies: dict[SSAValue, SSAValue] = {}
        again = set(self.recomputed)

        def copy_of(value: SSAValue, before: Operation) -> SSAValue:
            if value in self._kept or is_free(value):
                return value
            if value not in copies:
                owner = value.owner
                assert isinstance(owner, Operation)
                operands = {v: copy_of(v, before) for v in owner.operands}
                made = owner.clone(operands)
                made.location = owner.location
                Rewriter.insert_op(made, InsertPoint.before(before))
                copies[value] = made.results[0]
                copies[value].name_hint = value.name_hint
            return copies[value]

        for op in self._behind:
            for index, operand in enumerate(op.operands):
                if operand in again:
                    op.operands[index] = copy_of(operand, op)
