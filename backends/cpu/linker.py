"""Linking of object files into this process, and of saved executables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol
from weakref import WeakValueDictionary

from glow.backends.cpu.elf import UnknownFormError
from glow.backends.cpu.elf_linker import LinkedCode, link_elf
from glow.backends.cpu.processor import missing_features, other_kind
from glow.runtime.constant_pool import CONSTANTS
from glow.runtime.image import ENTRY, Image
from glow.runtime.native import NativeExecutable
from glow.runtime.team import RUN, WORK, TeamCode
from glow.support.errors import TargetError


class Code(Protocol):
    """Functions in this process; they live as long as this value."""

    def address(self, symbol: str) -> int:
        """Return the address of a function that is not private."""
        ...


_LINKED: WeakValueDictionary[tuple[bytes, ...], LinkedCode] = WeakValueDictionary()


def link(objects: Sequence[bytes], symbols: Sequence[str]) -> Code:
    """
    Return the functions `symbols` of object files for this kind of machine.

    Code without variables is linked once for the same objects, such as those of several
    shapes of a model. LLVM, which takes long to load, links files that our linker does
    not support.
    """
    key = tuple(objects)
    code = _LINKED.get(key)
    if code is not None:
        return code
    try:
        code = _LINKED[key] = link_elf(objects)
        return code
    except UnknownFormError:
        from glow.backends.cpu.code_generation import JitCode

        return JitCode(objects, symbols)


def link_image(image: Image) -> NativeExecutable:
    """Return a compiled model as an executable."""
    if image.team is None:
        code = link(image.objects, [ENTRY])
        return NativeExecutable(image, code.address(ENTRY), code)
    code = link(image.objects, [ENTRY, RUN, WORK])
    team = TeamCode(code.address(RUN), code.address(WORK), code)
    return NativeExecutable(image, code.address(ENTRY), code, team)


def load_image(image: Image) -> NativeExecutable:
    """Return a saved model as an executable; a TargetError if it cannot run here."""
    machine = image.machine
    host = other_kind(machine.triple)
    if host is not None:
        raise TargetError(f"expected code for {host}, got {machine.triple}")
    missing = missing_features(machine.features)
    if missing:
        raise TargetError(
            f"expected a processor with {', '.join(missing)}, which this one lacks;"
            " compile the model on this machine, or with cpu_features"
        )
    if image.check is None:  # constants have been read already
        image = replace(image, constants=tuple(map(CONSTANTS.share, image.constants)))
    return link_image(image)
