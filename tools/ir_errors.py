"""Errors of xDSL in the words of a command line."""

from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError

from glow.model import describe_parse_error


def describe_ir_error(error: BaseException) -> str | None:
    """Return what `error` says; None where it is no error of xDSL's."""
    match error:
        case ParseError():
            return describe_parse_error(error)
        case DiagnosticException():
            return str(error)
        case ArgSpecParseError():
            return str(error).splitlines()[-1]
        case _:
            return None
