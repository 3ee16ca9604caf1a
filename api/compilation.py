"""Compile a model, or find what it was compiled to before; needs no xDSL for that."""

from __future__ import annotations

import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from glow.executables import load_saved
from glow.options import Options, say_single_threaded, target_spec
from glow.runtime.interface import StageReport
from glow.source import Source
from glow.support.errors import CompilationError, GlowError
from glow.support.file_cache import FileCache
from glow.support.fingerprint import fingerprint
from glow.support.targets import identity_of, resolve

if TYPE_CHECKING:
    from glow.runtime.interface import Executable

SUFFIX = ".executable"
"""How files of the cache end: unlike those that users save, they may be removed."""


def compile_source(source: Source, target: str, options: Options) -> Executable:
    """
    Return what `source` compiles to, from `options.cache_dir` if it is there.

    The files there are those of `Executable.save`. One that is damaged counts as
    absent and is written anew.
    """
    if options.threads > 1:
        say_single_threaded()
    key = key_of(source, target, options)
    if key is None:
        return _compiled(source, target, options)
    assert options.cache_dir is not None
    cache = FileCache(Path(options.cache_dir), SUFFIX, options.cache_bytes)
    found = _kept(cache, key)
    if found is None:
        found = _compiled(source, target, options)
        # What was compiled must be what was looked up: others may write to the file.
        if not source.is_file or key_of(source, target, options) == key:
            with suppress(CompilationError):  # a backend may load and not save
                cache.put(key, found.save)
    return found


def _compiled(source: Source, target: str, options: Options) -> Executable:
    from glow.compiler import compile_model

    return compile_model(source, target, options)


def key_of(source: Source, target: str, options: Options) -> str | None:
    """
    Return what tells this compilation from others; None where nothing is kept.

    Nor is anything of a model that is compiled for shapes: each of them is, by itself.
    Errors: a TargetError for a backend that there is not.
    """
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
        # Whatever comes first, this or the first run, checks the constants.
        found = load_saved(cache.path(key), verify=True)
    except FileNotFoundError:
        return None
    except (GlowError, OSError):
        cache.drop(key)
        return None
    cache.touch(key)
    found.stages = (StageReport("cache", time.perf_counter() - start, None),)
    return found
