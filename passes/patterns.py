"""Rewrite patterns that are functions of an op, and the driver that applies them."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, ClassVar, get_type_hints

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, NoneAttr, TensorType, UnknownLoc
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.tensors import OpList, Tensor
from glow.passes.constants import Constants
from glow.support.arrays import Array
from glow.support.walking import ops_in

# Far more than patterns that settle need: they finish in a few rounds over the ops.
REWRITES_PER_OP = 100

Results = Tensor | SSAValue | Sequence[Tensor | SSAValue | None] | None
"""Replacements of an op's results; None where the pattern does not match."""


class Replacement(OpList):
    """
    The writer of the ops that replace a matched one.

    Their location is that of the matched op, unless another is given. They are inserted
    once the pattern returns results, and forgotten where it returns None. A pattern
    that changes anything else does so by the `rewriter`, and returns None.
    """

    def __init__(self, op: Operation, constants: Constants, rewriter: PatternRewriter):
        super().__init__()
        self.location = op.location
        self.constants = constants
        self.rewriter = rewriter

    def insert(self, op: Operation) -> Sequence[SSAValue]:
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        self.ops.append(op)
        return op.results

    def constant(self, array: Array, name: str | None = None) -> SSAValue:
        """Return a value with these elements; one by symbol is called `name`."""
        return self.insert(self.constants.make(array, name, self.location))[0]

    def folded(self, array: Array, old: SSAValue) -> SSAValue:
        """Return a constant that takes the place of `old`, and is called after it."""
        return self.constant(array, self.constants.folded_name(old))

    def discard(self) -> None:
        """Forget the ops, so that they use nothing."""
        for op in reversed(self.ops):
            op.erase()
        self.ops.clear()


Pattern = Callable[[Any, Replacement], Results]
"""
A function of an op and of its replacement, which returns what takes its place.

It is called for ops of the type that its parameter `op` is annotated with.
"""


def _function_of(pattern: Pattern) -> Callable[..., Results]:
    return getattr(pattern, "func", pattern)  # look inside a `partial`


@cache
def _types_of(function: Callable[..., Results]) -> Any:
    return get_type_hints(function)["op"]


def matched_types(pattern: Pattern) -> Any:
    """Return the type of op, or types, that a pattern is for."""
    return _types_of(_function_of(pattern))


class _Driver(RewritePattern):
    """Apply the first pattern that fits, and place what it inserts where the op was."""

    def __init__(
        self,
        patterns: Sequence[Pattern],
        constants: Constants,
        on_layouts: bool,
    ):
        self._patterns, self._constants = patterns, constants
        self._on_layouts, self._budget = on_layouts, -1
        self._location = UnknownLoc()
        self._by_type: dict[type[Operation], list[Pattern]] = {}

    def patterns_for(self, kind: type[Operation]) -> list[Pattern]:
        """Return the patterns that may fit ops of a type."""
        chosen = self._by_type.get(kind)
        if chosen is None:
            chosen = self._by_type[kind] = [
                pattern
                for pattern in self._patterns
                if issubclass(kind, matched_types(pattern))
            ]
        return chosen

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if _is_unused(op) and is_trivially_dead(op):
            rewriter.erase(op)
            return
        patterns = self.patterns_for(type(op))
        if not patterns or not (self._on_layouts or _is_plain(op)):
            return
        self._location = op.location
        new = Replacement(op, self._constants, rewriter)
        for pattern in patterns:
            results = pattern(op, new)
            if results is not None:
                _replace(op, new, results)
            elif new.ops:
                new.discard()
            if rewriter.has_done_action:
                self._count(pattern)
                return
            new.location = op.location

    def begin(self, ops: int) -> None:
        """Begin a round over `ops` ops; the first round sets the budget of all."""
        if self._budget < 0:
            self._budget = REWRITES_PER_OP * (ops + 10)

    def _count(self, pattern: Pattern) -> None:
        """Raise when the patterns seem never to settle."""
        self._budget -= 1
        if self._budget < 0:
            name = _function_of(pattern).__name__
            raise PassFailedException(
                f"expected patterns that settle, got {name} again and again"
            )

    def place(self, op: Operation) -> None:
        for inner in (op, *ops_in(*op.regions)):
            if isinstance(inner.location, UnknownLoc):
                inner.location = self._location


def _replace(op: Operation, new: Replacement, results: Results) -> None:
    """Put what a pattern wrote in the place of `op`."""
    several = (results,) if isinstance(results, Tensor | SSAValue) else results
    values = [r.value if isinstance(r, Tensor) else r for r in several or ()]
    new.rewriter.replace(op, new.ops, values)


class _Walker(PatternRewriteWalker):
    """A walker that begins with ops that a pattern may fit, or that nothing uses."""

    def __init__(self, driver: _Driver):
        listener = PatternRewriterListener(operation_insertion_handler=[driver.place])
        super().__init__(driver, listener=listener)
        self.driver = driver

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        assert isinstance(op, Region)  # the body of the module
        # Each class is asked for once: most passes look at few of the ops.
        fits, ops = dict[type[Operation], bool](), ops_in(op)
        self.driver.begin(len(ops))
        for inner in reversed(ops):
            kind = type(inner)
            if kind not in fits:
                fits[kind] = bool(self.driver.patterns_for(kind))
            if fits[kind] or _is_unused(inner):
                self._worklist.push(inner)


def _is_unused(op: Operation) -> bool:
    """Return whether `op` has results, all unused."""
    results = op.results
    for result in results:  # a generator takes longer, and many ops are asked
        if result.first_use is not None:
            return False
    return bool(results)


def _is_plain(op: Operation) -> bool:
    """Return whether no result of `op` has a layout."""
    types = (result.type for result in op.results)
    return all(
        not isinstance(type_, TensorType) or isinstance(type_.encoding, NoneAttr)
        for type_ in types
    )


def rewrite(
    module: ModuleOp,
    *patterns: Pattern,
    constants: Constants | None = None,
    on_layouts: bool = False,
) -> bool:
    """
    Apply `patterns` until none fits, and return whether any did.

    Of several that fit an op the first is applied; with `on_layouts` also to ops whose
    results have a layout. An inserted op without a location gets that of the op that
    was matched. Pure ops whose results are unused are erased.
    """
    constants = constants or Constants(module)
    driver = _Driver(patterns, constants, on_layouts)
    return _Walker(driver).rewrite_module(module)


class RewritePass(ModulePass):
    """A pass that applies its patterns until none fits."""

    patterns: ClassVar[Sequence[Pattern]] = ()
    on_layouts: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, *self.patterns, on_layouts=self.on_layouts)
