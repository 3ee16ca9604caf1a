"""From a module at any level to an executable, by a target and options."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Generator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from mmap import mmap

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from glow.analysis.constants import check_present
from glow.analysis.levels import level_of
from glow.graph_modules import context
from glow.lowering.memory_to_loops import MemoryToLoopsPass
from glow.options import DEFAULTS, FOLD_BYTES, Options
from glow.pass_manager import Part, entry_checks, internal_errors_of, plan, run_part
from glow.runtime.interface import Executable, StageReport
from glow.support.errors import CompilationError, RefusedCodeError
from glow.support.mapped_files import mapping_of, release_pages
from glow.support.progress import begin_step, expect_steps
from glow.support.targets import Backend, Target
from glow.support.weights import resources_of

Watch = Callable[[str, ModuleOp], None]
"""A function called after each stage with its name and the module."""

_LOG = logging.getLogger("glow")


@dataclass(frozen=True)
class ModuleCompiler:
    """Makes executables of IR, for a target and options."""

    backend: Backend
    machine: Target
    spec: str
    options: Options
    folder: str | os.PathLike[str] | None
    """Where machine code is kept; empty or None: nowhere."""

    @property
    def derives(self) -> bool:
        """Whether executables may be derived from those of other shapes."""
        whole = self.options.stop_after_pass is None and not self.options.check
        return self.backend.level == "llvm" and whole and not self.options.cache_dir

    def compile(
        self, module: ModuleOp, name: str, watch: Watch | None = None
    ) -> Executable:
        """Lower and link `module`; `watch` is called after each stage."""
        level = level_of(module)
        check_present(module)
        entry = Part(entry_checks(level, self.spec, self.options.trust))
        parts = [entry, *self._plan(level)]
        return self._finish(module, name, parts, _files_of(module), watch)

    def place_and_compile(self, module: ModuleOp, name: str) -> Executable:
        """
        Compile a module of the memory level whose buffers have no places yet.

        It differs only in integers from a module that was compiled, so stages do not
        verify its structure again. It stays at its level, and can be used again.
        """
        placing, lowering, *below = self._from_places
        reports = _lower(module, [placing])
        start = time.perf_counter()
        first, *others = lowering.passes
        with _compilation_errors(), internal_errors_of(f"pass {first.name}"):
            loops = _applied(first, module)
        seconds = time.perf_counter() - start
        rest = replace(lowering, passes=tuple(others))
        reports += _lower(loops, [rest, *below])
        reports[1] = replace(reports[1], seconds=reports[1].seconds + seconds)
        return self._linked(loops, name, reports)

    @cached_property
    def _from_places(self) -> list[Part]:
        """Return the passes from the placing of buffers on, without checks."""
        # The module already has what these options ask of earlier stages.
        below = replace(self.options, states=None, relayout=None, fold_bytes=FOLD_BYTES)
        *_, memory = self._plan("layout", "memory", DEFAULTS)
        passes = tuple(each for each in memory.passes if each.name == "plan-memory")
        parts = [replace(memory, passes=passes), *self._plan("memory", options=below)]
        return [replace(part, checks=False) for part in parts]

    def _plan(
        self, done: str, last: str | None = None, options: Options | None = None
    ) -> list[Part]:
        kernels = "declared" if self.backend.links_kernels else "defined"
        piece_ns = self.machine.costs.piece_ns if self.options.is_shared else 0
        last = last or self.backend.level
        options = options or self.options
        return plan(done, last, self.spec, options, kernels, piece_ns)

    def _finish(
        self,
        module: ModuleOp,
        name: str,
        parts: Sequence[Part],
        files: Set[mmap] = frozenset(),
        watch: Watch | None = None,
    ) -> Executable:
        passes = sum(len(part.passes) for part in parts)
        expect_steps(passes + passes // 2)  # LLVM takes a third of the time or so
        is_code = level_of(module) == self.backend.level
        reports = _lower(module, parts, files, watch)
        return self._linked(module, name, reports, is_code)

    def _linked(
        self,
        module: ModuleOp,
        name: str,
        reports: list[StageReport],
        is_code: bool = False,
    ) -> Executable:
        """Return the executable of a lowered module; `is_code`: lowered by others."""
        start, folder = time.perf_counter(), self.folder or None
        begin_step("machine code")
        try:
            with internal_errors_of(f"target {self.backend.name}"):
                net = self.backend.compile(module, self.machine, cache_dir=folder)
        except RefusedCodeError as error:
            if is_code:  # none of our stages wrote it
                raise CompilationError(str(error)) from error
            raise
        reports.append(StageReport("machine", time.perf_counter() - start, None))
        net.stages = tuple(reports)
        for report in reports:
            _LOG.debug("%s: stage %s took %.3f s", name, report.name, report.seconds)
        net.threads = self.options.threads
        return net


def _files_of(module: ModuleOp) -> set[mmap]:
    """Return the files that constants of `module` are views of."""
    found = (mapping_of(resource.array) for resource in resources_of(module))
    return {file for file in found if file is not None}


def _lower(
    module: ModuleOp,
    parts: Sequence[Part],
    files: Set[mmap] = frozenset(),
    watch: Watch | None = None,
) -> list[StageReport]:
    """Run `parts`, and after each release the pages of `files` that it has read."""
    ctx = context()
    reports: list[StageReport] = []
    with _compilation_errors():
        for part in parts:
            report = run_part(part, ctx, module)
            reports += [] if report is None else [report]
            if watch is not None and report is not None:
                watch(report.name, module)
            for file in files:
                release_pages(file)
    return reports


def _applied(first: ModulePass, module: ModuleOp) -> ModuleOp:
    """Return what a pass makes of `module`, which stays as it is."""
    if isinstance(first, MemoryToLoopsPass):
        return first.lower(module)
    copy = module.clone()
    first.apply(context(), copy)
    return copy


@contextmanager
def _compilation_errors() -> Generator[None]:
    """Turn what passes refuse into a CompilationError of one line."""
    try:
        yield
    except DiagnosticException as error:
        raise CompilationError(" ".join(str(error).split())) from error
