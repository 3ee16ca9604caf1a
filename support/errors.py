"""Errors that users meet; each message says what is wrong and what to do."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path


class GlowError(Exception):
    """The base of every error that the input or the caller causes."""


class InvalidModelError(GlowError):
    """A model file is corrupt, truncated or inconsistent."""


class InvalidExecutableError(GlowError):
    """The file of a compiled model is cut, changed, or of another version."""


class UnsupportedModelError(GlowError):
    """
    A model uses operators, attributes or types that the importer lacks.

    `unknown_inputs` names the inputs that must have a value when the model is imported,
    as far as the import came; it is empty where that would not help.
    """

    def __init__(self, message: str, unknown_inputs: Iterable[str] = ()):
        super().__init__(message)
        self.unknown_inputs = frozenset(unknown_inputs)


class CompilationError(GlowError):
    """A valid model cannot be compiled for the requested target."""


class TargetError(GlowError, ValueError):
    """No such target, or features that it or this machine does not have."""


class ExtensionError(GlowError):
    """A package that adds to Glow is broken; the message names it."""


class BindingError(GlowError, ValueError):
    """Arguments of a call do not fit the signature; the message lists them all."""


class TracingError(GlowError, TypeError):
    """Code cannot be traced; the message begins with its line."""


class UnknownAttributeError(TracingError, AttributeError):
    """Traced arrays lack an attribute."""


class OutOfMemoryError(GlowError, MemoryError):
    """There is less memory than compiling or running takes, which the message says."""


class ExecutionError(GlowError):
    """Data made a run fail; the message names the op and its source node."""


class InternalError(Exception):
    """The compiler broke, not the caller: an invariant that it promised is false."""


class RefusedCodeError(InternalError):
    """The generator of machine code refused code, be it from us or from a text."""


class MissingFileError(FileNotFoundError):
    """No such file, or no folder for it; the message says where it was sought."""

    def __str__(self) -> str:
        path = Path(self.filename)
        sought = "" if path.is_absolute() else f"; the current folder is {_here()}"
        has_folder = path.parent.is_dir()
        what = "no such file or directory" if has_folder else f"no folder {path.parent}"
        return f"{path}: {what}{sought}"


def _here() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return "gone"


@contextmanager
def missing_files() -> Generator[None]:
    """Raise MissingFileError for a file that is not there, or cannot be made there."""
    try:
        yield
    except FileNotFoundError as error:
        if error.filename is None:
            raise
        name = str(error.filename)
        raise MissingFileError(error.errno, error.strerror, name) from None


@contextmanager
def memory_for(what: str) -> Generator[None]:
    """Raise OutOfMemoryError, which names `what`, where there is not enough memory."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except MemoryError as error:
        reason = str(error) or "out of memory"
        raise OutOfMemoryError(f"{what}: {reason[0].lower()}{reason[1:]}") from None
