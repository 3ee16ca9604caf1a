"""The driver of rewrite patterns; it keeps locations."""

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.exceptions import PassFailedException

# Far more than patterns that settle need: they finish in a few rounds over the ops.
REWRITES_PER_OP = 100


class _Located(RewritePattern):
    """Apply the first pattern that fits, and place what it inserts where the op was."""

    def __init__(self, patterns: Sequence[RewritePattern], budget: int):
        self.patterns = patterns
        self.budget = budget
        self.location: LocationAttr = UnknownLoc()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if is_trivially_dead(op):
            rewriter.erase(op)
            return
        self.location = op.location
        for pattern in self.patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                self.count(pattern)
                return

    def count(self, pattern: RewritePattern) -> None:
        """Raise when the patterns seem never to settle."""
        self.budget -= 1
        if self.budget < 0:
            raise PassFailedException(
                f"expected patterns that settle, got {type(pattern).__name__} again "
                "and again"
            )

    def place(self, op: Operation) -> None:
        for inner in op.walk():
            if isinstance(inner.location, UnknownLoc):
                inner.location = self.location


def rewrite(module: ModuleOp, *patterns: RewritePattern) -> bool:
    """
    Apply `patterns` until none fits, and return whether any did.

    Of several that fit an op the first is applied. An inserted op without a location
    gets that of the op that was matched. Pure ops without uses are erased.
    """
    size = sum(1 for _ in module.walk())
    located = _Located(patterns, REWRITES_PER_OP * (size + 10))
    listener = PatternRewriterListener(operation_insertion_handler=[located.place])
    return PatternRewriteWalker(located, listener=listener).rewrite_module(module)
