"""Executables for one shape after the other, derived from earlier ones if possible."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from glow.analysis.module_templates import verify_integers
from glow.dialects.memory.attention import AttentionOp
from glow.lowering.graph_to_memory.attention import decide_blocks
from glow.module_compiler import ModuleCompiler
from glow.runtime.interface import Executable
from glow.shape_families import ShapeFamilies
from glow.support.dimensions import Dims
from glow.support.errors import GlowError, InternalError
from glow.support.forking import lock_free_in_children
from glow.support.garbage import no_collection
from glow.support.interpolation import Point
from glow.support.walking import ops_in, ops_of

_LOG = logging.getLogger("glow")

Note = Callable[[Hashable], None]


class MakeModule(Protocol):
    """Makes the module of a model for some extents; `note` gets what was rounded."""

    def __call__(self, dims: Dims, note: Note | None = None, /) -> ModuleOp: ...


class ShapeCompiler:
    """
    Makes an executable for each shape of one model.

    For a shape between others that agree, it is derived: integers of the memory level
    follow from theirs, buffers are placed anew, and rows and tables are made from that.
    For any other shape, and if what was derived turns out to be invalid, it is compiled
    from the model.
    """

    def __init__(
        self,
        name: str,
        dims: Sequence[str],
        compiler: ModuleCompiler,
        make_module: MakeModule,
    ):
        self._name, self._dims = name, tuple(dims)
        self._compiler = compiler
        self._make_module = make_module
        self._families = ShapeFamilies()
        self._lock = lock_free_in_children()
        self._limits: dict[int, int] = {}
        """Extents by axis from which on there is no code, or code of another form."""

    @no_collection()
    def compile(self, dims: Dims) -> Executable:
        """Return the executable for `dims`. Errors: as of compilations."""
        point = tuple(dims[name] for name in self._dims)
        net = self._derived(point) or self._derived_below(point)
        return net or self._whole(point)

    def _derived(self, point: Point) -> Executable | None:
        start = time.perf_counter()
        with self._lock:  # shapes share a module, and are derived one by one
            module = self._families.derive(point)
            if module is None:
                return None
            for op in ops_of(ops_in(module.body), AttentionOp):
                decide_blocks(self._compiler.machine, op)
            try:
                verify_integers(module)
                net = self._compiler.place_and_compile(module, self._name)
            except (GlowError, InternalError, VerifyException) as error:
                text = self._text(point)
                _LOG.info("%s: cannot derive %s: %s", self._name, text, error)
                return None
        self._log(point, "derived", start)
        return net

    def _derived_below(self, point: Point) -> Executable | None:
        """Return code for a shape beyond known ones, after compiling a larger one."""
        with self._lock:
            beyond = self._families.beyond(point, self._limits)
        if beyond is None:
            return None
        self._sample(beyond)
        net = self._derived(point)
        if net is None:
            for axis, (x, y) in enumerate(zip(point, beyond, strict=True)):
                if x != y:
                    self._limits[axis] = min(y, self._limits.get(axis, y))
        return net

    @no_collection()
    def _sample(self, point: Point) -> None:
        """Compile for a shape ahead of its first call, if the model can have it."""
        try:
            self._whole(point)
        except GlowError as error:
            _LOG.debug("%s: no %s: %s", self._name, self._text(point), error)

    def _whole(self, point: Point) -> Executable:
        _LOG.info("%s: compiling for %s", self._name, self._text(point))
        start = time.perf_counter()
        notes: list[Hashable] = []
        module = self._make_module(self._dims_of(point), notes.append)
        seen: list[ModuleOp] = []

        def watch(stage: str, module: ModuleOp) -> None:
            if stage == "memory":
                seen.append(module.clone())

        net = self._compiler.compile(module, self._name, watch)
        with self._lock:
            for each in seen:  # now that its constants are those of the executable
                self._families.add(point, each, notes)
        self._log(point, "compiled", start)
        return net

    def _dims_of(self, point: Point) -> Dims:
        return dict(zip(self._dims, point, strict=True))

    def _text(self, point: Point) -> str:
        return text_of(self._dims_of(point))

    def _log(self, point: Point, how: str, start: float) -> None:
        ms = (time.perf_counter() - start) * 1e3
        _LOG.info("%s: %s for %s in %.0f ms", self._name, how, self._text(point), ms)


def text_of(dims: Dims) -> str:
    """Return extents as log lines have them."""
    return ", ".join(f"{name}={extent}" for name, extent in dims.items())
