"""Errors of xDSL in the words of a command line."""

from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError

from glow.model import describe_parse_error


def describe_ir_error(error: BaseException) -> str | None:
    """Return the message of an error of xDSL's; None for other errors."""
    match error:
        case ParseError():
            return describe_parse_error(error)
        case DiagnosticException():
            return str(error)
        case ArgSpecParseError():
            return str(error).splitlines()[-1]
        case _:
            return None
