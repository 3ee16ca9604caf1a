"""Object files linked into this process; what an executable saved needs no more."""

from __future__ import annotations

import ctypes.util
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

from glow.backends.cpu.binding import llvm
from glow.backends.cpu.host import cpu_target, missing_features
from glow.backends.cpu.objects import machine_for
from glow.runtime.constant_pool import CONSTANTS
from glow.runtime.image import ENTRY, Image
from glow.runtime.native import NativeExecutable
from glow.support.errors import CompilationError, InternalError, TargetError
from glow.support.targets import Target

_NUMBERS = count()


@cache
def _linker(target: Target) -> Any:
    """Return the linker of this process, which finds the functions of libm too."""
    library = ctypes.util.find_library("m")
    if library is not None:
        llvm.load_library_permanently(library)
    return llvm.create_lljit_compiler(machine_for(target))


class Jit:
    """
    Object files linked into this process; the code lives as long as this value.

    Errors: a CompilationError where `target` is not what this process runs on.
    """

    def __init__(
        self, objects: Sequence[bytes], symbols: Sequence[str], target: Target
    ):
        if not target.runs_here:
            raise CompilationError(
                f"expected a target that runs here, got {target.isa} code for"
                f" {target.triple}; only its assembly and object code can be written"
            )
        builder = llvm.JITLibraryBuilder()
        for data in objects:
            builder.add_object_img(data)
        for symbol in symbols:
            builder.export_symbol(symbol)
        builder.add_current_process()
        name = f"glow.{next(_NUMBERS)}"
        try:
            self._tracker = builder.link(_linker(target), name)
        except RuntimeError as error:
            reason = " ".join(str(error).split())
            raise InternalError(f"cannot link compiled code: {reason}") from error

    def address(self, symbol: str) -> int:
        """Return the address of a function that is not private."""
        return self._tracker[symbol]


def link_image(image: Image, target: Target) -> NativeExecutable:
    """Return a compiled model as something to call."""
    code = Jit(image.objects, [ENTRY], target)
    return NativeExecutable(image, code.address(ENTRY), code)


def load_image(image: Image) -> NativeExecutable:
    """
    Return what was compiled, here or elsewhere, as something to call.

    Constants that have been read already, to be checked, are shared with others.
    Errors: a TargetError where this machine cannot run the code.
    """
    host = cpu_target()
    machine = image.machine
    if machine.triple != host.triple:
        raise TargetError(f"expected code for {host.triple}, got {machine.triple}")
    missing = missing_features(machine.features)
    if missing:
        raise TargetError(
            f"expected a processor with {', '.join(missing)}, which this one lacks;"
            " compile the model on this machine, or with cpu_features"
        )
    if image.check is None:
        image = replace(image, constants=tuple(map(CONSTANTS.share, image.constants)))
    return link_image(image, host)
