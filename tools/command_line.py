"""Errors of command lines: one line each, on stderr."""

from __future__ import annotations

import argparse
import os
import platform
import re
import shlex
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import requires, version
from typing import Any, NoReturn

from glow.support.errors import GlowError, MissingFileError, missing_files


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that answers a wrong command line with one line."""

    def __init__(self, prog: str, **given: Any):
        super().__init__(prog, **given)
        text = "print versions, and end"
        self.add_argument(
            "--version", action="version", version=versions(prog), help=text
        )

    def error(self, message: str) -> NoReturn:
        fail(message)


def versions(tool: str) -> str:
    """Return the versions of a tool and its dependencies, for bug reports."""
    of = {
        name: version(package)
        for name, package in (
            ("xDSL", "xdsl"),
            ("llvmlite", "llvmlite"),
            ("NumPy", "numpy"),
        )
    } | {"Python": platform.python_version()}
    others = ", ".join(f"{name} {number}" for name, number in of.items())
    return f"{tool} {version('glow-xdsl')} ({others})"


def fail(message: str, *excerpts: str) -> NoReturn:
    """Print one line on stderr, then `excerpts`; end the process with code 1."""
    print(f"error: {one_line(message)}", *excerpts, sep="\n", file=sys.stderr)
    sys.exit(1)


def one_line(message: object) -> str:
    return " ".join(str(message).split())


def run_tool(body: Callable[[], None]) -> None:
    """
    Run `body`; turn what it raises into one line on stderr and exit code 1.

    An error in a text has two more lines, which show its place there.
    """
    warnings.showwarning = _print_warning
    try:
        with missing_files():
            body()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has gone; Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except SystemExit:
        raise
    except BaseException as error:  # xDSL has errors that are not an Exception
        shown = _as_glow_error(error)
        notes = getattr(shown, "__notes__", ()) if isinstance(shown, GlowError) else ()
        fail(describe(shown), *notes)


def _as_glow_error(error: BaseException) -> BaseException:
    """Return `error`, as an InvalidModelError if it is about an invalid text."""
    if "xdsl" in sys.modules:  # tools without a compiler import none
        from xdsl.utils.exceptions import ParseError

        from glow.analysis.validity import InvalidOpError
        from glow.locating_parser import invalid, refused

        if isinstance(error, ParseError):
            return invalid(error)
        if isinstance(error, InvalidOpError):
            return refused(error)
    return error


def describe(error: BaseException) -> str:
    """Return one line for `error`: its message, or that it is a bug of ours."""
    message = _describe_ir_error(error)
    if message is not None:
        return one_line(message)
    match error:
        case OSError() if error.strerror and not isinstance(error, MissingFileError):
            place = f"{error.filename}: " if error.filename else ""
            return f"{place}{error.strerror.lower()}"
        case GlowError() | OSError() | ValueError():
            return one_line(error)
        case MemoryError():
            return f"out of memory: {error}".removesuffix(": ")
        case ImportError() if error.name and not error.name.startswith("glow"):
            return f"expected package {error.name} to be installed{_extra(error.name)}"
        case _:
            return f"{describe_bug(error)}; reproduce with: {shlex.join(sys.argv)}"


def _extra(package: str) -> str:
    """Return how to install a package that an extra of ours has."""
    for line in requires("glow-xdsl") or ():
        name, _, extra = line.partition("; extra == ")
        if extra and re.split(r"[\s<>=!\[;]", name)[0] == package:
            return f": pip install 'glow-xdsl[{extra.strip(chr(34))}]'"
    return ""


def _describe_ir_error(error: BaseException) -> str | None:
    if "xdsl" not in sys.modules:
        return None
    from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException

    match error:
        case DiagnosticException():
            return str(error)
        case ArgSpecParseError():
            return str(error).splitlines()[-1]
        case _:
            return None


def describe_bug(error: BaseException) -> str:
    """Return one line for an internal error, with its place in the source."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        file = os.path.basename(trace.tb_frame.f_code.co_filename)
        place = f" in {file}:{trace.tb_lineno}"
    return one_line(f"internal error{place}: {type(error).__name__}: {error}")


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"warning: {one_line(message)}", file=sys.stderr)
