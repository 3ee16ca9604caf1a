"""The driver of rewrite patterns; it keeps locations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Block, Operation, Region
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

P = TypeVar("P", bound=RewritePattern)
Op = TypeVar("Op", bound=Operation)

_TYPES: dict[object, type[Operation]] = {}
"""The types of ops that a method to match and rewrite is for, where it says so."""


def op_type_rewrite_pattern(
    method: Callable[[P, Op, PatternRewriter], None],
) -> Callable[[P, Operation, PatternRewriter], None]:
    """
    Restrict a pattern to the types of ops in the hint of its `match_and_rewrite`.

    As xDSL's decorator of this name does; `rewrite` also visits no other ops.
    """
    hints = inspect.signature(method, eval_str=True).parameters
    types: type[Op] = hints["op"].annotation

    def match_and_rewrite(self: P, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, types):
            method(self, op, rewriter)

    _TYPES[match_and_rewrite] = types
    return match_and_rewrite


class _Located(RewritePattern):
    """Apply the first pattern that fits, and place what it inserts where the op was."""

    def __init__(self, patterns: Sequence[RewritePattern], budget: int):
        self.patterns = patterns
        self.budget = budget
        self.location: LocationAttr = UnknownLoc()
        self._by_type: dict[type[Operation], list[RewritePattern]] = {}

    def patterns_for(self, kind: type[Operation]) -> list[RewritePattern]:
        """Return the patterns that may fit ops of a type."""
        chosen = self._by_type.get(kind)
        if chosen is None:
            chosen = self._by_type[kind] = [
                pattern
                for pattern in self.patterns
                if issubclass(
                    kind, _TYPES.get(type(pattern).match_and_rewrite, Operation)
                )
            ]
        return chosen

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if _is_unused(op) and is_trivially_dead(op):
            rewriter.erase(op)
            return
        self.location = op.location
        for pattern in self.patterns_for(type(op)):
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


class _Walker(PatternRewriteWalker):
    """A walker that begins with ops that a pattern may fit, or that nothing uses."""

    def __init__(self, located: _Located):
        listener = PatternRewriterListener(operation_insertion_handler=[located.place])
        super().__init__(located, listener=listener)
        self.located = located

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        patterns_for = self.located.patterns_for
        for inner in op.walk(reverse=True, region_first=True):
            if patterns_for(type(inner)) or _is_unused(inner):
                self._worklist.push(inner)


def _is_unused(op: Operation) -> bool:
    """Return whether `op` has results, of which none is used."""
    results = op.results
    return len(results) > 0 and all(result.first_use is None for result in results)


def rewrite(module: ModuleOp, *patterns: RewritePattern) -> bool:
    """
    Apply `patterns` until none fits, and return whether any did.

    Of several that fit an op the first is applied. An inserted op without a location
    gets that of the op that was matched. Pure ops whose results nobody uses are erased.
    """
    size = sum(1 for _ in module.walk())
    located = _Located(patterns, REWRITES_PER_OP * (size + 10))
    return _Walker(located).rewrite_module(module)
