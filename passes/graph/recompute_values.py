"""Compute cheap values again where they are needed much later, instead of keeping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from glow.analysis.cheap_ops import CHEAP
from glow.analysis.directions import functions_of
from glow.analysis.value_lifetimes import ValueLifetimes, is_free
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.pooling import PoolOp
from glow.support.locations import name_of
from glow.support.minimum_cut import Network
from glow.support.types import size_bytes

COSTLY = (ElementwiseOp, LayerNormOp, LogSoftmaxOp, PoolOp, RmsNormOp, SoftmaxOp)
"""Ops that are computed again only to stay within a limit; products never are."""

LEAST_BYTES, LEAST_SHARE = 1 << 16, 1 / 16
"""The least saving that is worth it: bytes, and their share of all that rest."""
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
    `memory_bytes` nothing is recomputed once the values that are alive at once fit into
    it; as long as they do not, functions of elements such as exp, norms, softmax and
    pools are computed again too. Products never are.

    Level: graph -> graph. Needs: nothing; after `cse`, which would undo it.
    Source: min-cut rematerialization of PyTorch's `torch/_functorch/partitioners.py`.

    ```
    recompute-values{memory_bytes=100000000}
    ```
    """

    name = "recompute-values"

    memory_bytes: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        recompute(op, self.memory_bytes)


@dataclass(frozen=True)
class Decision:
    """The fate of a value that rests, and why. Units: bytes of its elements."""

    op: str
    place: str
    """Where in the model it is from."""
    bytes: int
    becomes: str
    """kept or recomputed."""
    reason: str

    @staticmethod
    def on(value: SSAValue, kept_because: str = "") -> Decision:
        owner = value.owner
        assert isinstance(owner, Operation)
        becomes = "kept" if kept_because else "recomputed"
        reason = kept_because or "it follows from what is kept"
        return Decision(owner.name, name_of(owner), size_bytes(value), becomes, reason)


def recompute(module: ModuleOp, memory_bytes: int) -> list[Decision]:
    """Do what the pass does; return what is recomputed."""
    blocks = [function.body.block for function in functions_of(module)]
    return [made for block in blocks for made in _recompute(block, memory_bytes)]


def kept_values(module: ModuleOp, memory_bytes: int) -> list[Decision]:
    """Return the values that rest after all, with the reasons."""
    made: list[Decision] = []
    for function in functions_of(module):
        lifetimes = ValueLifetimes(list(function.body.block.ops))
        cut = _Cut(lifetimes, _ways(memory_bytes)[-1])
        made += [Decision.on(value, cut.reason_for(value)) for value in cut.wanted]
    return made


def _ways(memory_bytes: int) -> tuple[tuple[type[Operation], ...], ...]:
    """Return the sets of ops to compute again, in the order of trials."""
    return (CHEAP, (*CHEAP, *COSTLY)) if memory_bytes else (CHEAP,)


def _recompute(block: Block, memory_bytes: int) -> Iterator[Decision]:
    for cheap in _ways(memory_bytes):
        for _ in range(MOST_ROUNDS):
            lifetimes = ValueLifetimes(list(block.ops))
            if lifetimes.peak_bytes() <= memory_bytes:
                break
            cut = _Cut(lifetimes, cheap)
            if not cut.is_worth_it:
                break
            yield from map(Decision.on, cut.recomputed)
            cut.carry_out()


class _Cut:
    """The choice of values to keep, among those that rest where most bytes rest."""

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
