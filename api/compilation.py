"""
Executables: compiled, found in a folder of such, or read from a file.

The compiler is imported where something is to be compiled, and not before.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from glow.options import Options, say_single_threaded, target_spec
from glow.runtime.image_file import read_images
from glow.runtime.interface import Executable, StageReport
from glow.source import Source
from glow.support.errors import BindingError, CompilationError, GlowError, TargetError
from glow.support.files import FileCache
from glow.support.fingerprint import fingerprint
from glow.support.targets import resolve
from glow.targets import identity_of

if TYPE_CHECKING:
    from glow.runtime.symbolic import Dims, Symbols

SUFFIX = ".executable"
"""The suffix of files of the cache, which, unlike saved ones, may be removed."""


def compile_source(source: Source, target: str, options: Options) -> Executable:
    """Compile `source`, or load it from `options.cache_dir` if it is there, whole."""
    if options.threads > 1:
        say_single_threaded()
    key = key_of(source, target, options)
    if key is None:
        return _compiled(source, target, options)
    assert options.cache_dir is not None
    cache = FileCache(Path(options.cache_dir), SUFFIX, options.cache_bytes)
    net = _kept(cache, key)
    if net is None:
        net = _compiled(source, target, options)
        # What was compiled must be what was looked up: others may write to the file.
        if not source.is_file or key_of(source, target, options) == key:
            with suppress(CompilationError):  # a backend may load and not save
                cache.put(key, net.save)
    return net


def _compiled(source: Source, target: str, options: Options) -> Executable:
    from glow.compiler import compile_model

    static = replace(options, shapes=())
    return compile_model(
        source, target, options, lambda m: compile_source(Source(m), target, static)
    )


def key_of(source: Source, target: str, options: Options) -> str | None:
    """Return the key of a compilation in the cache; None if it is not to be kept."""
    if options.cache_dir is None or not options.cache_bytes or options.shapes:
        return None
    spec = target_spec(target, options.cpu_features)
    content = None if resolve(spec).load is None else source.digest()
    if content is None:
        return None
    parts = [fingerprint(), identity_of(spec), repr(options.of_result()), content]
    return sha256("\n".join(parts).encode()).hexdigest()


def _kept(cache: FileCache, key: str) -> Executable | None:
    """Return the executable in a file of the cache; a damaged file is removed."""
    start = time.perf_counter()
    try:
        net = load_saved(cache.path(key), verify=True)
    except FileNotFoundError:
        return None
    except (GlowError, OSError):
        cache.drop(key)
        return None
    cache.touch(key)
    net.stages = (StageReport("cache", time.perf_counter() - start, None),)
    return net


def load_saved(path: str | os.PathLike[str], verify: bool) -> Executable:
    """Return the executable in a file; see `glow.load_executable`."""
    images, symbols = read_images(Path(path), verify)
    backend = resolve(images[0].machine.backend)
    if backend.load is None:
        raise TargetError(f"{path}: target {backend.name} loads no executables")
    nets = [backend.load(image) for image in images]
    return nets[0] if symbols is None else _dynamic(path, symbols, nets)


def _dynamic(
    path: str | os.PathLike[str], symbols: Symbols, nets: Sequence[Executable]
) -> Executable:
    """Return an executable that runs those of a file, and compiles no others."""
    from glow.runtime.dynamic import DynamicExecutable

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
