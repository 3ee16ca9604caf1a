"""Executables in files: loaded by path, and passed by file to other processes."""

from __future__ import annotations

import copyreg
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING

from glow.runtime.dynamic import DynamicExecutable
from glow.runtime.image import Image, SavedFile
from glow.runtime.image_file import content_of, read_images
from glow.runtime.interface import Executable
from glow.runtime.native import NativeExecutable
from glow.support.arguments import check_threads
from glow.support.dimensions import Dims
from glow.support.errors import (
    BindingError,
    CompilationError,
    InvalidExecutableError,
    TargetError,
    missing_files,
)
from glow.support.files import (
    CACHE_BYTES,
    CACHE_VARIABLE,
    FileCache,
    user_cache_dir,
)
from glow.support.targets import resolve

if TYPE_CHECKING:
    from glow.runtime.symbolic import Symbols

SUFFIX = ".executable"
"""The suffix of files of the cache, which, unlike saved ones, may be removed."""

RESTORED = 8
"""How many unpickled executables a process keeps, to return them again."""


@missing_files()
def load_saved(
    path: str | os.PathLike[str],
    verify: bool,
    threads: int | None,
    change: Callable[[Image], Image] | None = None,
) -> Executable:
    """
    Return the executable in a file; see `glow.load_executable`.

    With `change`, each image is replaced by what that returns, and there is no file.
    """
    check_threads(threads)
    images, symbols = read_images(Path(path), verify)
    images = images if change is None else [change(image) for image in images]
    backend = resolve(images[0].machine.backend)
    if backend.load is None:
        raise TargetError(f"{path}: target {backend.name} loads no executables")
    nets = [backend.load(image) for image in images]
    for net in nets:
        net.threads = threads
    net = nets[0] if symbols is None else _dynamic(path, symbols, nets)
    if change is None:
        net.file = SavedFile(os.path.abspath(path), content_of(Path(path)))
    return net


def _dynamic(
    path: str | os.PathLike[str], symbols: Symbols, nets: Sequence[Executable]
) -> Executable:
    """Return an executable that runs those of a file, and compiles no others."""
    by_dims = {
        tuple(sorted(dims.items())): net
        for dims, net in zip(symbols.dims, nets, strict=True)
    }
    known = " or ".join(_described(dims) for dims in symbols.dims)

    def look_up(dims: Dims) -> Executable:
        net = by_dims.get(tuple(sorted(dims.items())))
        if net is None:
            raise BindingError(
                f"{path}: expected {known}, which it is compiled for, got "
                f"{_described(dims)}; compile the model for more shapes and save it"
            )
        return net

    net = DynamicExecutable(symbols.signature, look_up, len(nets))
    for dims in symbols.dims:
        net.specialize(dims)
    return net


def _described(dims: Dims) -> str:
    return ", ".join(f"{name} = {extent}" for name, extent in dims.items())


def _reduced(net: Executable) -> tuple[Callable[..., Executable], tuple[object, ...]]:
    """
    Pickle a reference to a file of an executable, so that processes share constants.

    One that has no file is written to the user's cache, where `restore` looks, too.
    An executable of symbolic dimensions keeps what it has compiled, but no compiler.
    Errors: PicklingError where nothing can be written.
    """
    if net.file is None:
        net.file = _kept_in_cache(net)
    return restore, (net.file, net.threads)


def _kept_in_cache(net: Executable) -> SavedFile:
    folder = user_cache_dir()
    if folder is None:
        raise PicklingError(
            f"expected a folder for the file of an executable, got none: set "
            f"{CACHE_VARIABLE}, or save it, load that and pickle what was loaded"
        )
    cache = FileCache(folder, SUFFIX, CACHE_BYTES)
    unnamed = cache.path(os.urandom(16).hex())
    try:
        net.save(unnamed)
        content = content_of(unnamed)
        cache.put(content, lambda path: os.replace(unnamed, path))
    except CompilationError as error:
        raise PicklingError(str(error)) from None
    except OSError as error:
        raise PicklingError(f"an executable cannot be written: {error}") from None
    finally:
        with suppress(OSError):
            unnamed.unlink()
    path = cache.path(content)
    if not path.exists():
        raise PicklingError(
            f"an executable cannot be kept in {folder}: it is larger than "
            f"{CACHE_BYTES} bytes; save it, load that and pickle what was loaded"
        )
    return SavedFile(str(path), content)


@lru_cache(maxsize=RESTORED)
def restore(file: SavedFile, threads: int | None) -> Executable:
    """
    Return the executable that was pickled, as the same object each time.

    Its file is looked for at its path and, by content, in the cache of this user, so
    that machines may share it or have copies. Errors: InvalidExecutableError where it
    is in neither; TargetError for a machine that cannot run it.
    """
    folder = user_cache_dir()
    kept = [] if folder is None else [folder / f"{file.content}{SUFFIX}"]
    for path in (Path(file.path), *kept):
        with suppress(OSError, InvalidExecutableError):
            if content_of(path) == file.content:
                with suppress(OSError):
                    os.utime(path)  # so that the cache keeps it
                return load_saved(path, False, threads)
    raise InvalidExecutableError(
        f"{file.path}: the file of the executable that was pickled is not here, nor "
        f"in {folder}; set {CACHE_VARIABLE} to a folder that all processes share"
    )


for _class in (NativeExecutable, DynamicExecutable):
    copyreg.pickle(_class, _reduced)
