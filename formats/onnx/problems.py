"""Problems of a model, invalid or unsupported, collected and reported at once."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager

from glow.support.errors import InvalidModelError, UnsupportedModelError

_SHOWN = 4


class Unsupported(Exception):
    """One thing that the importer lacks, perhaps the values of `unknown_inputs`."""

    def __init__(self, what: str, unknown_inputs: Iterable[str] = ()):
        super().__init__(what)
        self.unknown_inputs = frozenset(unknown_inputs)


class Problems:
    """Everything wrong in one model or that the importer lacks, as it was met."""

    def __init__(self) -> None:
        self._invalid: dict[str, InvalidModelError] = {}
        self._owners: dict[str, dict[str, None]] = {}
        self._unknown_inputs: set[str] = set()

    def add(self, what: str, owner: str, unknown_inputs: Iterable[str] = ()) -> None:
        """Note that `owner`, a node or a tensor, needs `what`."""
        self._unknown_inputs.update(unknown_inputs)
        self._owners.setdefault(what, {})[owner] = None

    def add_unknown_inputs(self, names: Iterable[str]) -> None:
        """Note inputs whose values might help."""
        self._unknown_inputs.update(names)

    def add_invalid(self, error: InvalidModelError) -> None:
        """Note what is wrong with a node."""
        self._invalid.setdefault(str(error), error)

    def listed(self) -> list[str]:
        """Return each thing that is lacking with those that need it."""
        parts: list[str] = []
        for what, owners in self._owners.items():
            more = len(owners) - _SHOWN
            names = ", ".join([*owners][:_SHOWN]) + (f" and {more} more" * (more > 0))
            parts.append(f"{what} ({names})")
        return parts

    def copy(self) -> Problems:
        """Return what is known so far."""
        known = Problems()
        known.restore(self)
        return known

    def restore(self, known: Problems) -> None:
        """Go back to the problems in `known`, a copy made before."""
        self._invalid = dict(known._invalid)
        self._owners = {what: dict(of) for what, of in known._owners.items()}
        self._unknown_inputs = set(known._unknown_inputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problems) and vars(self) == vars(other)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __bool__(self) -> bool:
        return bool(self._owners or self._invalid)

    def raise_if_any(self, inputs: Collection[str]) -> None:
        """Raise one error that names each thing and those of `inputs` that need it."""
        unknown = [name for name in inputs if name in self._unknown_inputs]
        lacking = self._lacking(unknown)
        if self._invalid:
            shown = [*self._invalid][:_SHOWN]
            more = len(self._invalid) - _SHOWN
            shown += [f"{more} more nodes are invalid"] * (more > 0)
            first = next(iter(self._invalid.values()))
            shown += [lacking] * bool(lacking)
            raise InvalidModelError("; ".join(shown)) from first.__cause__
        if lacking:
            raise UnsupportedModelError(lacking, unknown)

    def _lacking(self, unknown: Iterable[str]) -> str:
        """Return what is not supported, and which inputs' values would help, if any."""
        if not self._owners:
            return ""
        parts = self.listed()
        values = ", ".join(f'"{name}": ...' for name in unknown)
        if values:
            parts.append(f"values can be given: constants={{{values}}}")
        return f"the model needs what is not supported: {'; '.join(parts)}"


@contextmanager
def printable_errors() -> Generator[None]:
    """Escape characters that cannot be printed in errors about a model."""
    try:
        yield
    except (InvalidModelError, UnsupportedModelError) as error:
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(error))
        error.args = (text, *error.args[1:])
        raise
