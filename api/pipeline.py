"""The pipeline: a table of stages and of their steps, with a reason for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from string import Template

from glow.registry import universe
from glow.support.extensions import PIPELINE, broken, entry_points_of, load


@dataclass(frozen=True)
class Step:
    """
    A pass of the pipeline, and why it runs where it does.

    `text` is what `glow-opt -p` takes, with `$target` for the target, `$kernels` for
    whether kernels are defined or only declared, `$profile` for whether runs note when
    each call begins and ends, `$piece_ns` for the least nanoseconds of a piece of work,
    0 for one thread, `$apart` for how many more ops small buffers keep their memory,
    `$fold_bytes` for the bytes that folding may hold, and `$memory_bytes` for those
    that values should fit in.
    """

    text: str
    reason: str
    optional: bool = False
    """Whether code is right without it, so that it may be disabled."""
    option: str = ""
    """The argument of `glow.compile` that it carries out, and does not run without."""

    @property
    def name(self) -> str:
        return self.text.partition("{")[0]

    @property
    def options(self) -> frozenset[str]:
        """The arguments of `glow.compile` that it carries out or reads."""
        return frozenset({self.option, *Template(self.text).get_identifiers()}) - {""}

    @property
    def verifies(self) -> bool:
        """Whether it also checks modules that enter the pipeline after its stage."""
        return self.name.startswith("verify-")


@dataclass(frozen=True)
class Stage:
    """
    Steps that lead to one level; an op of no other dialect may remain after them.

    Leading steps with an `option` also run where a pipeline ends just before the stage.
    """

    name: str
    dialects: frozenset[str]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class AddedStep:
    """
    A step of another package, named by an entry point of the group `glow.pipeline`.

    It runs before the first or after the last step of a name, in the same stage.
    """

    step: Step
    before: str = ""
    after: str = ""


def _stage(name: str, dialects: str, table: str) -> Stage:
    """Return a stage from its table: a line with a pass, then one with the reason."""
    lines = table.strip().splitlines()
    steps = tuple(map(_step, lines[::2], lines[1::2]))
    return Stage(name, frozenset(dialects.split()), steps)


def _step(line: str, reason: str) -> Step:
    text, _, note = line.rstrip(")").partition("  (")
    option = note.removeprefix("for ") if note.startswith("for ") else ""
    return Step(text, reason.strip(), note == "optional", option)


_GRAPH = """
inline-functions{target=$target}
    Passes, layouts and kernels are for ops; composites that the target keeps stay.
arguments-to-placeholders
    Later passes look up callers' arrays by name.
tie-states  (for states)
    The caller wants outputs kept as inputs of the next run.
infer-io
    Only storage that no function writes may be folded.
promote-placeholders  (optional)
    Bound inputs become constants, so that what depends only on them is folded.
specialize-functions  (optional)
    Bodies of loops see constants that are passed to them, so that these are packed.
unroll-loops  (optional)
    Iterations that are written out are folded and fused like other ops.
fold-constants{memory_bytes=$fold_bytes}  (optional)
    Exporters compute shapes and masks in the model; recognizers need the values.
fold-scatters  (optional)
    An assignment to known places is a concatenation, which is fused.
fold-gathers  (optional)
    A gather from places at regular distances is a slice, which copies nothing.
remove-identities  (optional)
    Ops that return their operand hide patterns from recognizers.
sink-expansions  (optional)
    Arithmetic on a mask is done before it is expanded, not after.
decompose-einsum
    Targets have kernels for its products and sums.
form-embedding-bags  (optional)
    Rows of a table are added up in place instead of gathered first.
recognize-functions  (optional)
    A norm or an activation as one op is one kernel, or part of one.
recognize-rotary-embedding  (optional)
    All ways to write it are then computed by one kernel.
recognize-attention  (optional)
    The kernel of attention never has all scores in memory.
elide-optionals  (optional)
    A bias of zeros or a scale of ones would be computed for nothing.
decompose-rotary-embedding
    Products of halves are elementwise, and fused.
decompose-attention{target=$target}
    For targets without a kernel for attention: products and a softmax.
sink-transposes  (optional)
    Models with channels first and last become the same graph; transposes meet.
fold-movement  (optional)
    Transposes that now follow each other are merged, or done by a product.
remove-identities  (optional)
    Merged movements often move nothing.
fold-batch-norm  (optional)
    With no transpose between, a scale goes into the weights of a product.
fold-bias  (optional)
    A product adds its bias at no cost.
trim-filters  (optional)
    Taps of dilated filters that read but padding need not be multiplied.
decompose-batch-norm
    What was not folded is elementwise, and fused with its neighbors.
decompose-losses
    Targets have kernels for the parts of a loss.
legalize-optionals{target=$target}
    A target may take an op only with, or without, an optional operand.
fold-constants{memory_bytes=$fold_bytes}  (optional)
    The rewrites above leave arithmetic on weights.
hoist-splits  (optional)
    What is computed before and after a split is one kernel, which reads parts in place.
cse  (optional)
    Equal values are computed once.
dce  (optional)
    Values that nothing reads are not computed.
hoist-updates  (optional)
    Gradients need not stay until all are there.
recompute-values{memory_bytes=$memory_bytes}  (optional)
    A training step need not keep what follows from what it keeps anyway.
remove-dead-constants  (optional)
    Originals of folded weights would stay in memory and in files.
verify-symbols
    Placeholders become buffers, whose types loads and saves must match.
"""
_LAYOUT = """
relayout-io  (for relayout)
    The caller wants arrays in another layout, which the other layouts should match.
assign-layouts{target=$target}
    Kernels are fast in some orders only; all are chosen together.
fold-layout-transforms
    Transforms that cancel are removed; constants are packed now, not in each run.
remove-dead-constants
    Unpacked originals would stay in memory and in files.
group-ops  (optional)
    What one kernel computes is one op; rewrites above look at single ops.
verify-layouts{target=$target}
    The next stages take layouts as they are: a wrong one gives wrong numbers.
"""
_MEMORY = """
graph-to-memory{target=$target}
    Every value needs a place in memory.
coalesce-copies  (optional)
    A value computed directly at its destination needs no copy.
share-buffers  (optional)
    A result may overwrite an operand that nothing reads later.
sink-allocs  (optional)
    Buffers that live for a shorter time share more of the arena.
insert-deallocs
    The plan needs to know when a buffer is free again.
plan-memory{target=$target apart=$apart}
    All buffers lie in one arena, so that no run allocates memory.
mark-outputs
    Callers may read an output before the run ends; no later pass may move a write.
verify-memory
    Below, a use of a buffer outside its lifetime would just be wrong numbers.
"""
_LOOPS = """
memory-to-loops{target=$target kernels=$kernels profile=$profile piece_ns=$piece_ns}
    A layer becomes a call of a kernel with a row of integers.
"""
_LLVM = """
expand-math{target=$target}
    Polynomials run on vectors; functions of the C library do not.
loops-to-llvm{target=$target main=$main}
    LLVM compiles only its own dialect.
"""

STAGES = (
    _stage("graph", "builtin func graph", _GRAPH),
    _stage("layout", "builtin func graph layout", _LAYOUT),
    _stage("memory", "builtin func memory memref arith math llvm_ext", _MEMORY),
    _stage("loops", "builtin func scf arith math vector memref llvm_ext team", _LOOPS),
    _stage("llvm", "builtin llvm llvm_ext", _LLVM),
)
STAGE_NAMES = tuple(stage.name for stage in STAGES)
LEVELS = ("import", *STAGE_NAMES)
"""The levels in order: that of a fresh model, then that which each stage leads to."""


@cache
def stages() -> tuple[Stage, ...]:
    """
    Return the stages, with the steps that other packages add one after the other.

    Errors: ExtensionError for one that does not load, has no place or no such pass.
    """
    extended = list(STAGES)
    for point in entry_points_of(PIPELINE):
        added = load(point, AddedStep)
        place, name = added.before or added.after, added.step.name
        if name not in universe().all_passes:
            raise broken(point, f"expected the name of a pass, got {name!r}")
        if added.before and added.after:
            raise broken(point, "expected a step to run before or after, got both")
        for number, stage in enumerate(extended):
            names = [step.name for step in stage.steps]
            if place in names:
                back = names[::-1].index(place)
                at = names.index(place) if added.before else len(names) - back
                steps = (*stage.steps[:at], added.step, *stage.steps[at:])
                extended[number] = replace(stage, steps=steps)
                break
        else:
            raise broken(point, f"expected the name of a step, got {place!r}")
    return tuple(extended)


def stages_between(done: str, last: str) -> tuple[Stage, ...]:
    """Return the stages to run when `done` is complete, up to and with `last`."""
    return stages()[LEVELS.index(done) : LEVELS.index(last)]
