"""Places in the code that is traced: the innermost line that is not the library's."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from inspect import signature
from itertools import islice
from traceback import walk_tb
from types import CodeType, FrameType
from typing import NamedTuple

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr
from xdsl.utils.exceptions import VerifyException

from glow.support.errors import GlowError, TracingError
from glow.support.locations import location_of
from glow.support.names import with_article

_LIBRARIES = sys.stdlib_module_names - {"__main__"} | {"glow", "numpy"}


class SourcePlace(NamedTuple):
    """A line of a file, and where in it an expression begins."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def location(self) -> LocationAttr:
        return FileLineColLoc(
            StringAttr(self.file), IntAttr(self.line), IntAttr(self.column)
        )


class NodePlace(NamedTuple):
    """A node of another library's graph, by its name."""

    name: str

    def __str__(self) -> str:
        return self.name

    def location(self) -> LocationAttr:
        return location_of(self.name)


_NODE: ContextVar[NodePlace | None] = ContextVar("node", default=None)


@contextmanager
def at_node(name: str) -> Generator[None]:
    """Let all that is traced lie at a node of a graph instead of a line of code."""
    token = _NODE.set(NodePlace(name))
    try:
        yield
    finally:
        _NODE.reset(token)


def user_place() -> SourcePlace | NodePlace:
    """Return the place in the caller's code that calls the library."""
    node = _NODE.get()
    if node is not None:
        return node
    frame = user_frame()
    return _place(frame.f_code, frame.f_lasti, frame.f_lineno)


def user_frame() -> FrameType:
    """Return the innermost frame of code that is not the library's."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    last = frame
    while frame is not None:
        last = frame
        if _is_users(frame):
            break
        frame = frame.f_back
    return last


def _is_users(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__") or ""
    return module.partition(".")[0] not in _LIBRARIES


@lru_cache(1 << 12)
def _place(code: CodeType, instruction: int, line: int) -> SourcePlace:
    positions = next(islice(code.co_positions(), instruction // 2, None), None)
    column = (positions[2] if positions else None) or 0
    return SourcePlace(_shown(code.co_filename), line, column + 1)


def _shown(file: str) -> str:
    """Return the name of a file from here, if it is below the working directory."""
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):
        return file
    return file if relative.startswith(os.pardir) else relative


def error_here(message: str) -> TracingError:
    """Return an error that begins with the line of the caller's code."""
    return TracingError(f"{user_place()}: {message}")


def check_function(what: str, function: object, takes: int | None = None) -> None:
    """
    Raise an error at the caller's line unless `function` can be called.

    With `takes`, it must be possible to call it with that many arguments.
    """
    if not callable(function):
        kind = with_article(type(function).__name__)
        raise error_here(f"{what}: expected a function, got {kind}")
    if takes is None:
        return
    try:
        signature(function).bind(*range(takes))
    except TypeError:
        name = getattr(function, "__name__", "function")
        raise error_here(
            f"{what}: expected a function of {takes} arguments, got "
            f"{name}{signature(function)}"
        ) from None
    except ValueError:  # without a signature, as some functions of C
        return


@contextmanager
def blamed_on_user() -> Generator[None]:
    """Turn an error about traced arrays, by others, into one at the user's line."""
    try:
        yield
    except TypeError as error:
        if isinstance(error, GlowError) or "Tracer" not in str(error):
            raise
        places = [
            _place(frame.f_code, frame.f_lasti, line)
            for frame, line in walk_tb(error.__traceback__)
            if _is_users(frame)
        ]
        raise TracingError(
            f"{places[-1] if places else user_place()}: expected an array or a number "
            f"whose elements are known, got a traced one: {error}"
        ) from None


@contextmanager
def blamed_on_caller(what: str) -> Generator[None]:
    """Turn an error of a call of `what` into one at the caller's line."""
    try:
        yield
    except GlowError:
        raise
    except (VerifyException, ValueError, TypeError, IndexError) as error:
        message = " ".join(str(error).split())
        raise error_here(f"{what}: {message}") from None
