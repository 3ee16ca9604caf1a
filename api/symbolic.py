"""Models with symbolic dimensions that have no extent yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from glow.model import Model
from glow.runtime.symbolic import SymbolicSignature
from glow.support.errors import GlowError

Import = Callable[[Mapping[str, int], Mapping[str, object]], ModuleOp]


class SymbolicModel(Model):
    """
    A model some dimensions of which are known later: IR is made for their extents.

    `specialize` returns it for some; `module` has none, and says what is missing.
    `print(model)` shows what it takes and gives. It keeps the model as it was read.
    """

    def __init__(
        self,
        name: str,
        signature: SymbolicSignature,
        import_: Import,
        bind: Callable[[Mapping[str, object]], Model],
    ):
        self.name = name
        self.signature = signature
        self._import = import_
        self._bind = bind

    @property
    def module(self) -> ModuleOp:
        return self._import({}, {})

    @property
    def dims(self) -> tuple[str, ...]:
        """The symbolic dimensions that have no extent, in the order of the inputs."""
        return self.signature.dims

    def bind(self, arrays: Mapping[str, object]) -> Model:
        """
        Return this model with inputs whose value no run changes any more.

        `arrays` are copied, by name, and say what dimensions of theirs are. Errors:
        BindingError with all names that are no inputs and all arrays that do not fit.
        """
        return self._bind({name: np.array(array) for name, array in arrays.items()})

    def specialize(
        self, dims: Mapping[str, int], constants: Mapping[str, object] | None = None
    ) -> Model:
        """
        Return the model for these extents of its dimensions, and values of inputs.

        Errors: as `glow.load`; they say for which extents the model cannot be.
        """
        try:
            return Model(self.name, self._import(dims, constants or {}))
        except GlowError as error:
            raise named(error, dims) from error.__cause__

    def __str__(self) -> str:
        return f"{self.name}: {self.signature}"


def named(error: GlowError, dims: Mapping[str, int]) -> GlowError:
    """Return `error` with the extents that it is about in front."""
    if dims:
        values = ", ".join(f"{name} = {extent}" for name, extent in dims.items())
        error.args = (f"for {values}: {error}", *error.args[1:])
    return error
