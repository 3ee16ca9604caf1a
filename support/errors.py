"""The errors that users meet; each message says what is wrong and what to do."""


class GlowError(Exception):
    """The base of every error that the input or the caller causes."""


class InvalidModelError(GlowError):
    """A model file is corrupt, truncated or inconsistent."""


class InvalidExecutableError(GlowError):
    """The file of a compiled model is cut, changed, or of another version."""


class UnsupportedModelError(GlowError):
    """A model uses operators, attributes or types that the importer lacks."""


class CompilationError(GlowError):
    """A valid model cannot be compiled for the target that was asked for."""


class TargetError(GlowError, ValueError):
    """No such target, or features that it or this machine does not have."""


class BindingError(GlowError, ValueError):
    """Arguments of a call do not fit the signature; the message lists them all."""


class ExecutionError(GlowError):
    """Data made a run fail; the message names the op and its source node."""


class InternalError(Exception):
    """The compiler broke, not the caller: an invariant that it promised is false."""
