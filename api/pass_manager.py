"""Choose the passes that a compilation runs, run them, and check what they leave."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from itertools import count, takewhile
from string import Template
from typing import Any, Literal, get_args, get_origin, get_type_hints

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterListType, parse_pipeline
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    PassFailedException,
    VerifyException,
)

from glow.analysis.levels import level_of
from glow.analysis.validity import verify_module
from glow.dialects.graph.base import GraphOp
from glow.options import DEFAULTS, FOLD_BYTES, Options, target_spec
from glow.pipeline import LEVELS, STAGES, Stage, Step, stages, stages_between
from glow.registry import universe
from glow.runtime.interface import StageReport
from glow.support.errors import CompilationError, GlowError, InternalError, memory_for
from glow.support.locations import name_of
from glow.support.names import did_you_mean
from glow.support.progress import begin_step
from glow.support.walking import ops_in

Observer = Callable[[ModulePass, ModuleOp, float], None]
"""A function called after each pass with the pass, the module and its seconds."""

Parameters = Mapping[str, ParameterListType]


@dataclass(frozen=True)
class Part:
    """Passes that run together, and the stage that is complete after them, if any."""

    passes: tuple[ModulePass, ...]
    ends: Stage | None = None
    checks: bool = True
    """Whether what the stage leaves is verified."""


def plan(
    done: str,
    last: str,
    target: str,
    options: Options = DEFAULTS,
    kernels: str = "defined",
    piece_ns: int = 0,
) -> list[Part]:
    """
    Return the passes that take a module from level `done` to level `last`.

    Errors: CompilationError where the step for one of `options` does not run;
    ValueError for a pass to disable that is unknown or that code needs.
    """
    groups: list[tuple[Sequence[Step], Stage | None]] = [
        (stage.steps, stage) for stage in stages_between(done, last)
    ]
    for following in stages()[LEVELS.index(last) :][:1]:
        steps = takewhile(lambda step: step.option, following.steps)
        groups.append((list(steps), None))
    requests = _requests(options)
    steps = [step for group, _ in groups for step in group]
    _check_requests(requests, steps, f"levels {done} to {last}")
    _check_disabled(options.disable, steps)
    numbers = count()

    def runs(step: Step) -> bool:
        if step.option and step.option not in requests:
            return False
        is_late = next(numbers) >= (options.stop_after_pass or 0)
        left_out = options.stop_after_pass is not None and is_late
        return not step.optional or not (left_out or step.name in options.disable)

    chosen = [([step for step in group if runs(step)], end) for group, end in groups]
    values = _values(target, options, kernels, piece_ns)
    made = [(tuple(_pass_for(s, values, requests) for s in c), e) for c, e in chosen]
    return [Part(passes, end) for passes, end in made if passes or end]


def entry_checks(
    level: str, target: str, trust: bool = False
) -> tuple[ModulePass, ...]:
    """
    Return the passes that verify a module which enters the pipeline at `level`.

    They check what its author, and not our stages, has to guarantee; with `trust` they
    do not check which functions its code calls.
    """
    if LEVELS.index(level) >= LEVELS.index("loops"):
        text = f"verify-code{{trust={str(trust).lower()}}}"
        return parse_passes(text)
    values = _values(target)
    steps = (step for stage in stages_between("import", level) for step in stage.steps)
    return tuple(_pass_for(step, values, {}) for step in steps if step.verifies)


def _requests(options: Options) -> dict[str, Parameters]:
    """Return the parameters of steps that carry out one of `options`, by its name."""
    requests: dict[str, Parameters] = {}
    if states := options.states:
        names, inputs = tuple(states), tuple(states.values())
        requests["states"] = {"outputs": names, "inputs": inputs}
    if options.relayout:
        names, layouts = options.layouts
        requests["relayout"] = {"names": names, "layouts": layouts}
    if options.profile:
        requests["profile"] = {}
    if options.fold_bytes != FOLD_BYTES:
        requests["fold_bytes"] = {}
    if options.memory_bytes:
        requests["memory_bytes"] = {}
    return requests


def _check_requests(
    requests: Iterable[str], steps: Sequence[Step], levels: str
) -> None:
    carried = {name for step in steps for name in step.options}
    missing = set(requests) - carried
    for stage in STAGES:
        for option in (name for step in stage.steps for name in step.options):
            if option in missing:
                raise CompilationError(
                    f"{option}: expected to go through stage {stage.name}, got {levels}"
                )


def _check_disabled(disable: Iterable[str], steps: Sequence[Step]) -> None:
    optional = {step.name for step in steps if step.optional}
    if unknown := sorted(set(disable) - optional):
        known = ", ".join(sorted(optional)) or "none"
        raise ValueError(
            f"expected passes to disable out of {known}, got {', '.join(unknown)}"
        )


def _pass_for(
    step: Step, values: Mapping[str, str], requests: Mapping[str, Parameters]
) -> ModulePass:
    text = Template(step.text).substitute(values)
    if step.option not in requests:
        return _known_pass(text)
    (spec,) = parse_pipeline(text)
    parameters = {**spec.parameters, **requests[step.option]}
    return _pass_of(ArgSpec(spec.name, parameters), universe().all_passes)


_APART = 6
"""The ops of a block of an image network: its memory is reused by the next but one."""


@cache
def _known_pass(text: str) -> ModulePass:
    """Return the pass of a step, which is the same in all compilations."""
    (each,) = parse_passes(text)
    return each


def _values(
    target: str,
    options: Options = DEFAULTS,
    kernels: str = "defined",
    piece_ns: int = 0,
) -> dict[str, str]:
    """Return what stands for `$target` and so on in the text of a step."""
    return {
        "target": _text_of(target),
        "kernels": kernels,
        "main": "numbers" if kernels == "declared" else "code",
        "profile": str(options.profile).lower(),
        "piece_ns": str(piece_ns),
        "apart": str(_APART if piece_ns else 0),
        "fold_bytes": str(options.fold_bytes),
        "memory_bytes": str(options.memory_bytes),
    }


def _text_of(target: str) -> str:
    return target if target.isidentifier() else f'"{target}"'


def pipeline_text(
    of: Iterable[Stage], target: str, kernels: str = "defined", piece_ns: int = 0
) -> str:
    """Return the passes of stages as text for `glow-opt -p`."""
    values = _values(target, DEFAULTS, kernels, piece_ns)
    steps = (step for stage in of for step in stage.steps if not step.option)
    return ",".join(Template(step.text).substitute(values) for step in steps)


def parse_passes(text: str) -> tuple[ModulePass, ...]:
    """Return the passes of pipeline `text`; ValueError if it is invalid."""
    available = universe().all_passes
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
        hint = did_you_mean(spec.name, available)
        raise ValueError(f"expected the name of a pass, got {spec.name!r}{hint}")
    pass_type = available[spec.name]()
    try:
        return pass_type.from_spec(spec)
    except ValueError as error:
        problems = "; ".join(_problems_of_options(spec, pass_type)) or error
        raise ValueError(f"pass {spec.name}: {problems}") from None


def _problems_of_options(spec: ArgSpec, pass_type: type[ModulePass]) -> Iterator[str]:
    """Yield a message for each option that the pass does not take."""
    types = get_type_hints(pass_type)
    known = {each.name: types[each.name] for each in fields(pass_type) if each.init}
    for option, given in spec.normalize_parameter_names().parameters.items():
        if option not in known:
            hint = did_you_mean(option, known) or f", expected {' or '.join(known)}"
            yield f"it has no option {option}{hint if known else ''}"
            continue
        try:
            pass_type.from_spec(ArgSpec(spec.name, {option: given}))
        except ValueError:
            values = ",".join(map(str, given)) or "no value"
            yield f"expected {option} to be {_type_text(known[option])}, got {values}"


def _type_text(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return " or ".join(get_args(hint))
    return hint.__name__ if isinstance(hint, type) else str(hint)


@contextmanager
def internal_errors_of(what: str) -> Generator[None]:
    """Turn unexpected exceptions into an InternalError: `what` broke."""
    try:
        with memory_for(what):
            yield
    except (DiagnosticException, GlowError, InternalError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise InternalError(f"{what} broke: {reason}") from error


def run_passes(
    passes: Sequence[ModulePass],
    ctx: Context,
    module: ModuleOp,
    observer: Observer | None = None,
) -> None:
    """Apply `passes`; raise InternalError if one fails other than by a refusal."""
    for each in passes:
        start = time.perf_counter()
        begin_step(each.name)
        with internal_errors_of(f"pass {each.name}"):
            each.apply(ctx, module)
        if observer is not None:
            observer(each, module, time.perf_counter() - start)


def check_stage(stage: Stage, module: ModuleOp) -> None:
    """
    Raise unless `module` is valid and has ops of the stage's dialects only.

    Errors: InternalError for an invalid module, PassFailedException for ops that the
    stage could not lower, with the model's names for them.
    """
    try:
        verify_module(module)
    except VerifyException as error:
        raise InternalError(f"stage {stage.name} broke the module: {error}") from None
    left: dict[str, Operation] = {}
    places = dict[type[Operation], bool]()
    for op in ops_in(module.body):
        kind = type(op)
        if kind not in places:
            dialect = kind.dialect_name()
            # To ask whether it is a subclass asks all 150 subclasses of GraphOp.
            if GraphOp in kind.__mro__ and dialect != "layout":
                dialect = "graph"  # also of another package
            places[kind] = dialect in stage.dialects
        if not places[kind]:
            left.setdefault(op.name, op)
    if left:
        ops = ", ".join(f"{name} (at {name_of(op)})" for name, op in left.items())
        raise PassFailedException(f"stage {stage.name} cannot express {ops}")


def run_part(part: Part, ctx: Context, module: ModuleOp) -> StageReport | None:
    """Run passes and check what they leave; return a report if that ends a stage."""
    start = time.perf_counter()
    run_passes(part.passes, ctx, module)
    if part.ends is None:
        return None
    if part.checks:
        check_stage(part.ends, module)
    seconds = time.perf_counter() - start
    return StageReport(part.ends.name, seconds, 1 + len(ops_in(module.body)))


def lowered(
    ctx: Context,
    module: ModuleOp,
    level: str,
    target: str,
    options: Options = DEFAULTS,
) -> ModuleOp:
    """
    Return a copy of `module` at `level`, lowered for `target`.

    Errors: ValueError for an unknown level, CompilationError for one that the module
    is past, and for what the passes refuse.
    """
    target = target_spec(target, None)
    if level not in LEVELS:
        known = ", ".join(LEVELS)
        raise ValueError(f"expected a level out of {known}, got {level!r}")
    done = level_of(module)
    if LEVELS.index(level) < LEVELS.index(done):
        raise CompilationError(f"expected a level from {done} on, got {level}")
    copy = module.clone()
    parts = [Part(entry_checks(done, target)), *plan(done, level, target, options)]
    try:
        for part in parts:
            run_part(part, ctx, copy)
    except DiagnosticException as error:
        raise CompilationError(" ".join(str(error).split())) from error
    return copy
