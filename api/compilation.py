"""
Executables: compiled from models, found in a cache, or read from a file.

The compiler is imported only when something is to be compiled.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from glow.options import Options, target_spec
from glow.runtime.image import Image
from glow.runtime.interface import Executable, StageReport
from glow.runtime.saved import SUFFIX, load_saved
from glow.support import files
from glow.support.arrays import blocks_of
from glow.support.errors import CompilationError, GlowError
from glow.support.files import FileCache, kind_of_file
from glow.support.fingerprint import fingerprint
from glow.support.garbage import no_collection
from glow.support.mapped_files import contents_of, forget
from glow.support.targets import resolve
from glow.targets import identity_of

if TYPE_CHECKING:
    from glow.model import Model
    from glow.unnamed_models import UnnamedModel

_LOG = logging.getLogger("glow")
_BYTES: tuple[type, ...] = bytes, bytearray, memoryview


@dataclass(frozen=True)
class Source:
    """The arguments of `glow.load`: a model, or its file, and how to read it."""

    model: object
    dims: Mapping[str, int] = field(default_factory=lambda: {})
    weights: str | os.PathLike[str] | None = None
    constants: Mapping[str, object] | None = None
    example_inputs: object = None
    form: str | None = None
    """The canonical text of the model, without its names; None: not computed."""

    def load(self) -> Model:
        """
        Return the model, with IR of its own; see `glow.load`.

        Errors: InvalidModelError for IR that is not valid, text or in memory.
        """
        from glow.loading import check_valid, load_model
        from glow.symbolic_model import SymbolicModel, copied

        model = copied(self.model)
        if model is None:
            given = self.dims, self.weights, self.constants, self.example_inputs
            return load_model(self.model, *given)
        if not isinstance(model, SymbolicModel):
            check_valid(model.module, "the module that was passed")
        return model

    @property
    def is_file(self) -> bool:
        """Whether the model is in a file, which others may change at any time."""
        return isinstance(self.model, str | os.PathLike)

    def kind(self) -> str | None:
        """Return the suffix of its kind of file; None in memory. Errors: OSError."""
        return kind_of_file(Path(str(self.model))) if self.is_file else None

    def digest(self) -> str | None:
        """
        Return a digest of the content of the model; None if it cannot be computed.

        IR counts in canonical form, or else as text with locations, as messages show
        them. File names do not count, except those of textual IR, which are part of its
        locations.
        """
        try:
            if self.weights is not None and self.kind() == files.MODEL:
                return None  # which loading refuses
            parts = [self.form] if self.form else list(_content_of(self.model))
        except (OSError, ValueError, ImportError, GlowError):
            return None
        for name, extent in sorted(self.dims.items()):
            parts.append(f"dim {name!r} {extent}")
        for name, value in sorted((self.constants or {}).items()):
            array = np.asarray(value)
            if array.dtype.hasobject:
                return None
            held = sha256(array.tobytes()).hexdigest()
            parts.append(f"constant {name!r} {array.dtype.str} {array.shape} {held}")
        return sha256("\n".join(parts).encode()).hexdigest()


def compile_source(source: Source, target: str, options: Options) -> Executable:
    """
    Compile `source`, or load its executable from `options.cache_dir` if it is there.

    Cached executables of IR at the graph level have numbers for names, and serve all
    models that differ only in names or in the order of independent ops.
    """
    plain = _unnamed(source, target, options)
    if plain is None:
        return _kept_or_compiled(source, target, options)
    known = replace(source, model=plain.model, form=plain.form)
    try:
        return _kept_or_compiled(known, target, options, plain.named)
    except GlowError:  # whose message should have the names
        return _compiled(source, target, options)


def _unnamed(source: Source, target: str, options: Options) -> UnnamedModel | None:
    """Return IR to be looked up without its names, which `options` do not need."""
    if source.is_file or isinstance(source.model, _BYTES):
        return None
    if not _is_kept(target, options) or options.states or options.relayout:
        return None
    from glow.model import Model
    from glow.symbolic_model import SymbolicModel, copied
    from glow.unnamed_models import unnamed

    model = copied(source.model)
    if not isinstance(model, Model) or isinstance(model, SymbolicModel):
        return None
    return unnamed(source.load())


def _kept_or_compiled(
    source: Source,
    target: str,
    options: Options,
    change: Callable[[Image], Image] | None = None,
) -> Executable:
    """Return the kept executable, or compile and keep it; `change` gives it names."""
    key = key_of(source, target, options)
    if key is None:
        return _compiled(source, target, options)
    assert options.cache_dir
    cache = FileCache(Path(options.cache_dir), SUFFIX, options.cache_bytes)
    net = _kept(cache, key, options.threads, change)
    outcome = "not there" if net is None else "found"
    _LOG.debug("executable %s in %s: %s", key[:12], options.cache_dir, outcome)
    if net is None:
        net = _compiled(source, target, options)
        # What was compiled must be what was looked up: others may write to the file.
        if not source.is_file or key_of(source, target, options) == key:
            with suppress(CompilationError):  # a backend may load and not save
                cache.put(key, net.save)
        if change is not None:
            net = _changed(net, change)
    return net


def _changed(net: Executable, change: Callable[[Image], Image]) -> Executable:
    """Return an executable of the image that `change` makes of that of `net`."""
    image = change(net.image())
    load = resolve(image.machine.backend).load
    assert load is not None
    made: Executable = load(image)
    made.stages, made.threads = net.stages, net.threads
    return made


def _compiled(source: Source, target: str, options: Options) -> Executable:
    with no_collection():  # imported modules stay: nothing to collect
        from glow.compiler import compile_model

    static = replace(options, shapes=())
    return compile_model(
        source.load,
        target,
        options,
        lambda m: compile_source(Source(m), target, static),
    )


def key_of(source: Source, target: str, options: Options) -> str | None:
    """Return the key of a compilation in the cache; None if it is not to be kept."""
    content = source.digest() if _is_kept(target, options) else None
    if content is None:
        return None
    spec = target_spec(target, options.cpu_features, options.accuracy)
    parts = [fingerprint(), identity_of(spec), repr(options.of_result()), content]
    return sha256("\n".join(parts).encode()).hexdigest()


def _is_kept(target: str, options: Options) -> bool:
    """Return whether executables for a target are kept in a folder."""
    if not (options.cache_dir and options.cache_bytes):
        return False
    spec = target_spec(target, options.cpu_features, options.accuracy)
    return not (options.shapes or options.check) and resolve(spec).load is not None


def _kept(
    cache: FileCache,
    key: str,
    threads: int | None,
    change: Callable[[Image], Image] | None,
) -> Executable | None:
    """Return the executable in a file of the cache; a damaged file is removed."""
    start = time.perf_counter()
    try:
        net = load_saved(cache.path(key), True, threads, change)
    except FileNotFoundError:
        return None
    except (GlowError, OSError):
        cache.drop(key)
        return None
    cache.touch(key)
    net.stages = (StageReport("cache", time.perf_counter() - start, None),)
    return net


def _content_of(model: object) -> Iterator[str]:
    """Yield texts that are equal for models of equal content."""
    if isinstance(model, str | os.PathLike):
        yield from _content_of_file(Path(cast(str | os.PathLike[str], model)))
    elif isinstance(model, _BYTES):
        yield f"onnx {sha256(bytes(cast(bytes, model))).hexdigest()}"
    elif hasattr(model, "SerializeToString"):
        data: bytes = cast(Any, model).SerializeToString(deterministic=True)
        yield f"onnx {sha256(data).hexdigest()}"
    else:
        from glow.model import debug_text

        yield f"ir {debug_text(model)}"


def _content_of_file(path: Path) -> Iterator[str]:
    match kind_of_file(path):
        case files.TEXT:  # it names its constants by digest
            yield f"text {str(path)!r} {sha256(path.read_bytes()).hexdigest()}"
        case files.MODEL:
            data = contents_of(path)
            yield f"onnx {_digest_of(data)}"
            for name in _external_files(data):
                yield f"file {name!r} {_digest_of(contents_of(path.parent / name))}"
        case suffix:
            raise ValueError(f"expected a model, got {suffix!r}")


def _digest_of(data: memoryview) -> str:
    """Return the SHA-256 of bytes; memory of mapped ones is given back once read."""
    digest = sha256()
    for block in blocks_of(np.frombuffer(data, np.uint8)):
        digest.update(block.data)
        forget(block)
    return digest.hexdigest()


def _external_files(data: memoryview) -> list[str]:
    has_locations = re.search(b"location", data) is not None
    forget(np.frombuffer(data, np.uint8))
    if not has_locations:
        return []
    from glow.formats.external_data import external_files

    return external_files(bytes(data))
