"""The compilation stages, in order: the one place that says what runs when."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from string import Template

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    PassFailedException,
    VerifyException,
)

from glow.analysis.validity import verify_module
from glow.dialects.graph.base import GraphOp
from glow.runtime.interface import StageReport
from glow.support.errors import GlowError, InternalError
from glow.support.locations import name_of


@dataclass(frozen=True)
class Stage:
    """
    Passes that run together, and what they leave behind.

    `passes` is pipeline text, as `glow-opt -p` takes it, with `$target` for the target
    and `$kernels` for whether kernels are defined or only declared; `optional` names
    those that only improve code, so that a search for a broken pass may leave them out.
    An op of none of the `dialects` that remains is an error.
    """

    name: str
    passes: str
    dialects: frozenset[str]
    optional: frozenset[str] = frozenset()


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


STAGES = (
    Stage(
        name="graph",
        passes="arguments-to-placeholders,infer-io,promote-placeholders,"
        "fold-constants,fold-scatters,fold-gathers,"
        "remove-identities,sink-expansions,decompose-einsum,form-embedding-bags,"
        "recognize-functions,"
        "recognize-rotary-embedding,recognize-attention,elide-optionals,"
        "decompose-rotary-embedding,decompose-attention{target=$target},"
        "sink-transposes,fold-movement,remove-identities,fold-batch-norm,"
        "fold-bias,decompose-batch-norm,decompose-losses,"
        "legalize-optionals{target=$target},fold-constants,cse,dce,"
        "remove-dead-constants",
        dialects=_names("builtin func graph"),
        optional=_names(
            "promote-placeholders fold-constants fold-scatters fold-gathers "
            "remove-identities sink-expansions form-embedding-bags "
            "recognize-functions recognize-rotary-embedding recognize-attention "
            "elide-optionals sink-transposes fold-movement fold-batch-norm fold-bias "
            "cse dce remove-dead-constants"
        ),
    ),
    Stage(
        name="layout",
        passes="assign-layouts{target=$target},fold-layout-transforms,"
        "remove-dead-constants,group-ops,verify-layouts{target=$target}",
        dialects=_names("builtin func graph layout"),
        optional=_names("group-ops"),
    ),
    Stage(
        name="memory",
        passes="graph-to-memory{target=$target},coalesce-copies,share-buffers,"
        "sink-allocs,insert-deallocs,plan-memory,mark-outputs,verify-memory",
        dialects=_names("builtin func memory memref arith math llvm_ext"),
        optional=_names("coalesce-copies share-buffers sink-allocs"),
    ),
    Stage(
        name="loops",
        passes="memory-to-loops{target=$target kernels=$kernels}",
        dialects=_names("builtin func scf arith math vector memref llvm_ext"),
    ),
    Stage(
        name="llvm",
        passes="expand-math,loops-to-llvm",
        dialects=_names("builtin llvm llvm_ext"),
    ),
)

STAGE_NAMES = tuple(stage.name for stage in STAGES)

# Forms of machine code that a backend emits after the last stage.
FORMS = ("llvm-ir", "asm", "object")

Observer = Callable[[ModulePass, ModuleOp, float], None]
"""Told of each pass that ran, the module since, and how many seconds it took."""


def stages_between(done: str, last: str) -> tuple[Stage, ...]:
    """Return the stages to run when `done` is complete, up to and with `last`."""
    order = ("import", *STAGE_NAMES)
    return STAGES[order.index(done) : order.index(last)]


def pipeline_text(
    stages: Iterable[Stage], target: str, kernels: str = "defined"
) -> str:
    """Return what `glow-opt -p` needs to repeat `stages` for `target`."""
    values = {
        "target": target if target.isidentifier() else f'"{target}"',
        "kernels": kernels,
    }
    texts = (Template(stage.passes).substitute(values) for stage in stages)
    return ",".join(text for text in texts if text)


def parse_passes(text: str) -> tuple[ModulePass, ...]:
    """
    Return the passes of pipeline `text`.

    Errors: ValueError for text that does not parse, an unknown pass or option.
    """
    available = Universe.get_multiverse().all_passes
    try:
        specs = tuple(parse_pipeline(text))
    except ArgSpecParseError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ValueError(f"cannot parse passes {text!r}: {reason}") from None
    return tuple(_pass_of(spec, available) for spec in specs)


def _pass_of(
    spec: ArgSpec, available: Mapping[str, Callable[[], type[ModulePass]]]
) -> ModulePass:
    if spec.name not in available:
        close = get_close_matches(spec.name, available)
        hint = f", did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"expected the name of a pass, got {spec.name!r}{hint}")
    try:
        return available[spec.name]().from_spec(spec)
    except ValueError as error:
        raise ValueError(f"pass {spec.name}: {error}") from None


def run_passes(
    passes: Sequence[ModulePass],
    ctx: Context,
    module: ModuleOp,
    observer: Observer | None = None,
) -> None:
    """
    Apply `passes` in order.

    Errors: what a pass refuses; InternalError for anything else that a pass raises.
    """
    for each in passes:
        start = time.perf_counter()
        try:
            each.apply(ctx, module)
        except (DiagnosticException, GlowError):
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise InternalError(f"pass {each.name} broke: {what}") from error
        if observer is not None:
            observer(each, module, time.perf_counter() - start)


def check_stage(stage: Stage, module: ModuleOp) -> None:
    """
    Raise unless `module` is what `stage` promises.

    Errors: InternalError for an invalid module, PassFailedException for ops that the
    stage could not lower, with the model's names for them.
    """
    try:
        verify_module(module)
    except VerifyException as error:
        raise InternalError(f"stage {stage.name} broke the module: {error}") from None
    left: dict[str, Operation] = {}
    for op in module.walk():
        if _dialect_of(op) not in stage.dialects:
            left.setdefault(op.name, op)
    if left:
        ops = ", ".join(f"{name} (at {name_of(op)})" for name, op in left.items())
        raise PassFailedException(f"stage {stage.name} cannot express {ops}")


def _dialect_of(op: Operation) -> str:
    """Return the dialect that `op` counts as: one of another package, as `graph`."""
    name = op.dialect_name()
    return "graph" if isinstance(op, GraphOp) and name != "layout" else name


def run_stage(
    stage: Stage,
    passes: Sequence[ModulePass],
    ctx: Context,
    module: ModuleOp,
    observer: Observer | None = None,
) -> StageReport:
    """Run `passes`, those of `stage`, and check what they leave."""
    start = time.perf_counter()
    run_passes(passes, ctx, module, observer)
    check_stage(stage, module)
    seconds = time.perf_counter() - start
    return StageReport(stage.name, seconds, sum(1 for _ in module.walk()))
