"""Models in memory: IR with its constants."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.universe import Universe
from xdsl.utils.exceptions import ParseError, VerifyException

from glow.locating_parser import LocatingParser
from glow.support.errors import InvalidModelError


class Model:
    """
    A model as IR, at any level; `print(model)` shows it.

    Compiling leaves it unchanged, so one model can be compiled several times.
    """

    def __init__(self, name: str, module: ModuleOp):
        self.name = name
        self._module = module

    @property
    def module(self) -> ModuleOp:
        return self._module

    @property
    def dims(self) -> tuple[str, ...]:
        """The symbolic dimensions that have no extent; IR has none."""
        return ()

    def bind(self, arrays: Mapping[str, object]) -> Model:
        """
        Return this model with inputs whose value no run changes any more.

        `arrays` are copied, by name. The result is compiled as if they were constants
        of the model, and no longer takes them; what was bound may be bound anew.
        Errors: BindingError with all names that are no inputs and all arrays that do
        not fit; ValueError for a model past the graph level.
        """
        from glow.binding import bound

        return Model(self.name, bound(self.module, arrays))

    def __str__(self) -> str:
        return str(self.module)


def context() -> Context:
    """Return a context that knows every dialect; each loads when it is met."""
    found = Context()
    for name, load in Universe.get_multiverse().all_dialects.items():
        found.register_dialect(name, load)
    return found


def debug_text(model: object) -> str:
    """
    Return IR with all its locations as text.

    Errors: ValueError for what is no IR.
    """
    if isinstance(model, Model) and model.dims:
        raise ValueError("expected IR, got a model with symbolic dimensions")
    module = model.module if isinstance(model, Model) else model
    if not isinstance(module, ModuleOp):
        raise ValueError(f"expected IR, got {type(model).__name__}")
    text = StringIO()
    Printer(text, print_debuginfo=True).print_op(module)
    return text.getvalue()


def parse_text(ctx: Context, text: str | bytes, name: str) -> ModuleOp:
    """
    Parse `text`, verify it, and tell ops where they stand in it.

    Errors: InvalidModelError with file, line and column.
    """
    try:
        content = text.decode() if isinstance(text, bytes) else text
        return LocatingParser(ctx, content, name).parse_module()
    except ParseError as error:
        raise InvalidModelError(describe_parse_error(error)) from None
    except (VerifyException, UnicodeDecodeError) as error:
        raise InvalidModelError(f"{name}: {error}") from None


def describe_parse_error(error: ParseError) -> str:
    """Return one line: where in which file, and what is wrong there."""
    message = " ".join(error.msg.split())
    return f"{error.span.get_location()}: {message}"
