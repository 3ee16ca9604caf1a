"""Collect what the importer lacks, to tell it all at once."""

from __future__ import annotations

from glow.support.errors import UnsupportedModelError

_SHOWN = 4


class Unsupported(Exception):
    """One thing in a model that the importer lacks; collected, never shown alone."""


class Problems:
    """Everything in one model that the importer lacks, in the order it was met."""

    def __init__(self) -> None:
        self._owners: dict[str, list[str]] = {}

    def add(self, what: str, owner: str) -> None:
        """Note that `owner`, a node or a tensor, needs `what`."""
        owners = self._owners.setdefault(what, [])
        if owner not in owners:
            owners.append(owner)

    def __bool__(self) -> bool:
        return bool(self._owners)

    def raise_if_any(self) -> None:
        """Raise one error that names each thing and those that need it."""
        if not self._owners:
            return
        parts: list[str] = []
        for what, owners in self._owners.items():
            more = len(owners) - _SHOWN
            names = ", ".join(owners[:_SHOWN]) + (f" and {more} more" * (more > 0))
            parts.append(f"{what} ({names})")
        raise UnsupportedModelError(
            f"the model needs what is not supported: {'; '.join(parts)}"
        )
