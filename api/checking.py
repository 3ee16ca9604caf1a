"""Run a module after each pass, and name the first pass that changes its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from glow.analysis.levels import level_of
from glow.backends.reference.executable import ReferenceExecutable
from glow.backends.reference.memory import MemoryExecutable
from glow.backends.reference.physical import PhysicalStorage
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.fused import FusedOp
from glow.graph_modules import context
from glow.model import debug_text
from glow.options import DEFAULTS, Options
from glow.pass_manager import (
    Part,
    check_stage,
    entry_checks,
    plan,
    run_part,
    run_passes,
)
from glow.passes.graph.arguments_to_placeholders import ArgumentsToPlaceholdersPass
from glow.passes.graph.infer_io import InferIoPass
from glow.reduction import Fragment, reduced
from glow.reproducers import save_reproducer
from glow.runtime.comparison import error_of, random_inputs, tolerance_of
from glow.runtime.interface import Executable
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arrays import Array
from glow.support.dtypes import is_floating
from glow.support.errors import BindingError, GlowError, InternalError
from glow.support.locations import name_of
from glow.support.targets import resolve, target_of

RunResults = dict[str, Array]
"""Results of a run by name, with axes in the model's order."""


_CODE = ("loops", "llvm")


@dataclass(frozen=True)
class Checked:
    """A pass that changed the module, and the largest error that it made."""

    name: str
    error: float


def check_passes(
    module: ModuleOp,
    spec: str,
    options: Options = DEFAULTS,
    inputs: Mapping[str, Array] | None = None,
    passes: Sequence[ModulePass] | None = None,
) -> list[Checked]:
    """
    Run `passes`, by default those to machine code for target `spec`, and `module` too.

    It is run after each pass that changes it: at the graph level by `compute`, at the
    layout level by reading bytes as kernels would, at the memory level by its
    interpreter, and below that by compiling the rest. `inputs` are random where they
    are not given.
    Errors: BindingError for inputs that `module` lacks; InternalError for the first
    pass after which a result differs by more than rounding. It names the ops, their
    nodes in the model, and a command that reproduces it.
    """
    level, backend = level_of(module), resolve(spec)
    run_passes(entry_checks(level, spec, options.trust), context(), module)
    checker = _PassChecker(module, spec, options, inputs or {})
    if passes is not None:
        parts = [Part(tuple(passes))]
    else:
        kernels = "declared" if backend.links_kernels else "defined"
        parts = plan(level, backend.level, spec, options, kernels)
    for part in parts:
        run_passes(part.passes, checker.ctx, module, checker.observe)
        if part.ends is not None:
            check_stage(part.ends, module)
    return checker.checked


class _PassChecker:
    """Runs a module as it was before the first pass, and after each of them."""

    def __init__(
        self,
        module: ModuleOp,
        spec: str,
        options: Options,
        inputs: Mapping[str, Array],
    ):
        self.ctx = context()
        self.checked: list[Checked] = []
        self._machine = _Machine(spec, options)
        self._inputs = self._machine.tensors_for(module, inputs)
        self._start, self._text = module.clone(), debug_text(module)
        self._since: list[ModulePass] = []
        self._results = self._machine.run(module, self._inputs)

    def observe(self, each: ModulePass, module: ModuleOp, seconds: float) -> None:
        """Compare the results of `module` after pass `each` with those before it."""
        self._since.append(each)
        text = debug_text(module)
        if text != self._text and self._machine.can_run(module):
            self._text = text
            self._compare(each, module)
        if _is_graph(module):
            self._start, self._since = module.clone(), []

    def _compare(self, each: ModulePass, module: ModuleOp) -> None:
        results, problem = self._machine.attempt(module, self._inputs)
        if problem is None:
            problem = _difference(results, self._results)
        if problem is not None:
            raise InternalError(self._report(each, problem))
        known = results.keys() & self._results.keys()
        errors = [error_of(results[name], self._results[name]) for name in known]
        self.checked.append(Checked(each.name, max(errors, default=0.0)))
        self._results = self._results | results

    def _report(self, each: ModulePass, problem: str) -> str:
        """Save the smallest module that shows `problem`; return a message about it."""
        start, inputs = self._start, dict(self._inputs)
        part = None
        if _is_graph(start) or level_of(start) == "layout":
            part = self._reduced()
        where = ""
        if part is not None:
            start, inputs = part
            ops = [op for op in start.walk() if isinstance(op, GraphOp | FusedOp)]
            where = " of " + ", ".join(f"{op.name} (from {name_of(op)})" for op in ops)
            if self._machine.fails(start, {}, self._since):
                inputs = {}  # random ones fail, too
        passes = ",".join(str(each.spec()) for each in self._since)
        target = self._machine.spec.partition(":")
        arguments = ["--target", target[0], "-p", passes]
        arguments += ["--cpu-features", target[2]] if target[2] else []
        message = f"pass {each.name} changes the results{where}: {problem}"
        command = save_reproducer(start, "glow-bisect", arguments, message, inputs)
        return f"{message}; reproduce with: {command}"

    def _reduced(self) -> Fragment | None:
        fails = self._machine.fails
        start = _with_placeholders(self._start)
        return reduced(start, self._inputs, lambda part: fails(*part, self._since))


class _Machine:
    """Runs modules of any level for one target and one set of options."""

    def __init__(self, spec: str, options: Options):
        self.spec, self._options = spec, options

    def can_run(self, module: ModuleOp) -> bool:
        """Return whether this process can run a module of this level."""
        is_code = not _is_graph(module) and level_of(module) in ("import", *_CODE)
        return target_of(self.spec).runs_here or not is_code

    def fails(
        self,
        module: ModuleOp,
        inputs: Mapping[str, Array],
        passes: Sequence[ModulePass],
    ) -> bool:
        """Return whether the last of `passes` changes the results of `module`."""
        module, ctx = module.clone(), context()
        *before, last = passes
        inputs = self.tensors_for(module, inputs)
        try:
            run_passes(before, ctx, module)
            expected = self.run(module, inputs)
            run_passes([last], ctx, module)
        except (GlowError, InternalError, DiagnosticException, LookupError):
            return False  # another kind of failure
        results, problem = self.attempt(module, inputs)
        return problem is not None or _difference(results, expected) is not None

    def attempt(
        self, module: ModuleOp, inputs: Mapping[str, Array]
    ) -> tuple[RunResults, str | None]:
        """Return what `module` computes, or why it cannot be run."""
        try:
            return self.run(module, inputs), None
        except (GlowError, InternalError, DiagnosticException) as error:
            return {}, f"it cannot be run any more: {' '.join(str(error).split())}"

    def run(self, module: ModuleOp, inputs: Mapping[str, Array]) -> RunResults:
        """Return the outputs of a run of `module`, and the states after it, by name."""
        net = self._executable(module)
        specs = [*net.inputs, *(state.spec for state in net.signature.states)]
        given = {s.name: s.pack(inputs[s.name]) for s in specs if s.name in inputs}
        bindings = net.bind({name: array.copy() for name, array in given.items()})
        outputs = bindings.run()
        results = {s.name: s.unpack(outputs[s.name]).copy() for s in net.outputs}
        for state in net.signature.states:
            array = bindings[state.spec.name]
            assert array is not None
            results[state.spec.name] = state.spec.unpack(array).copy()
        tied = (self._options.states or {}).items()
        kept = {name: results[state] for name, state in tied if state in results}
        return results | {n: a for n, a in kept.items() if n not in results}

    def tensors_for(self, module: ModuleOp, inputs: Mapping[str, Array]) -> RunResults:
        """Return a tensor for each input of `module`: the given one, or random."""
        net = self._executable(module)
        drawn = random_inputs(net.signature, 0)
        tensors = {spec.name: spec.unpack(drawn[spec.name]) for spec in net.inputs}
        specs = [*net.inputs, *(state.spec for state in net.signature.states)]
        _check_inputs(specs, inputs)
        return tensors | dict(inputs)

    def _executable(self, module: ModuleOp) -> Executable:
        copy, level = module.clone(), level_of(module)
        if level == "memory":
            return MemoryExecutable(copy)
        if level == "layout":
            return ReferenceExecutable(copy, lambda: PhysicalStorage(self.spec))
        if _is_graph(module):
            return ReferenceExecutable(_with_placeholders(copy))
        backend, ctx = resolve(self.spec), context()
        kernels = "declared" if backend.links_kernels else "defined"
        level = "llvm" if level == "llvm" else "loops"  # whose calls look fresh
        for part in plan(level, backend.level, self.spec, kernels=kernels):
            run_part(part, ctx, copy)
        executable: Any = backend.compile(copy, target_of(self.spec))
        return executable


def _check_inputs(specs: Sequence[TensorSpec], inputs: Mapping[str, Array]) -> None:
    """Raise a BindingError for tensors whose name or type is not in `specs`."""
    tensors = {
        spec.name: TensorSpec(spec.name, spec.tensor_shape or spec.shape, spec.dtype)
        for spec in specs
    }
    for name, array in inputs.items():
        if name not in tensors:
            known = ", ".join(tensors) or "none"
            raise BindingError(f'no input is called "{name}", expected {known}')
        if problem := tensors[name].problem_with(array):
            raise BindingError(f'input "{name}": {problem}')


def _is_graph(module: ModuleOp) -> bool:
    """Return whether `module` is at the graph level, before layouts are assigned."""
    of_main = "glow.constants" in module.attributes  # a module of calls looks fresh
    return level_of(module) in ("import", "graph") and not of_main


def _with_placeholders(module: ModuleOp) -> ModuleOp:
    """Return a copy of a graph without arguments, each placeholder with a direction."""
    copy, ctx = module.clone(), context()
    for each in (ArgumentsToPlaceholdersPass(), InferIoPass()):
        each.apply(ctx, copy)
    return copy


def _difference(results: RunResults, expected: RunResults) -> str | None:
    """Return how results differ by more than rounding; None if they do not."""
    for name in results.keys() & expected.keys():
        got, wanted = results[name], expected[name]
        if got.shape != wanted.shape or got.dtype != wanted.dtype:
            kinds = [f"{a.dtype}{list(a.shape)}" for a in (wanted, got)]
            return f'"{name}": expected {kinds[0]}, got {kinds[1]}'
        bound = tolerance_of(wanted.dtype) if is_floating(wanted.dtype) else 0.0
        error = error_of(got, wanted)
        if error > bound or not (bound or np.array_equal(got, wanted)):
            return f'"{name}": expected an error of at most {bound:g}, got {error:.2g}'
    return None
