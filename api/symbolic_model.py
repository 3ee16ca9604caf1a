"""Models whose dimensions are open: ONNX, of which each set of extents becomes IR."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from glow.graph_modules import exported
from glow.model import Model
from glow.runtime.notebook import html_table
from glow.runtime.symbolic import SymbolicSignature
from glow.runtime.tensor_spec import symbolic_spec
from glow.support.errors import GlowError, UnsupportedModelError
from glow.support.garbage import no_collection

if TYPE_CHECKING:
    from glow.formats.onnx import OnnxSource

_TRIED = (32, 7, 1)
"""The extents of open dimensions for which `check_support` imports a model."""


class SymbolicModel(Model):
    """
    A model with symbolic dimensions: `specialize` makes IR for given extents.

    `module` raises an error that says what is missing; `print(model)` shows the inputs
    and outputs.
    """

    def __init__(
        self,
        name: str,
        source: OnnxSource,
        dims: Mapping[str, int],
        constants: Mapping[str, object],
    ):
        """`dims` and `constants` are known already."""
        from glow.formats.onnx import declaration_of

        inputs, outputs, known = declaration_of(source, dims, constants)
        self.name = name
        self.signature = SymbolicSignature(
            tuple(symbolic_spec(*each) for each in inputs),
            tuple(symbolic_spec(*each) for each in outputs),
            known=known,
        )
        self._source = source.owned()
        self._dims, self._constants = dims, constants

    @property
    def module(self) -> ModuleOp:
        return self._import({}, {})

    @no_collection()
    def _import(
        self,
        dims: Mapping[str, int],
        constants: Mapping[str, object],
        note: Callable[[Hashable], None] | None = None,
    ) -> ModuleOp:
        from glow.formats.onnx import import_model

        given = {**self._constants, **constants}
        return import_model(self._source, {**self._dims, **dims}, given, note)

    @property
    def dims(self) -> tuple[str, ...]:
        """The symbolic dimensions that have no extent, in the order of the inputs."""
        return self.signature.dims

    def bind(self, arrays: Mapping[str, object]) -> Model:
        """As of `Model`; the arrays also fix the extents of their dimensions."""
        own = {name: np.array(array) for name, array in arrays.items()}
        given = {**self._constants, **own}
        return load_onnx(self.name, self._source, self._dims, given)

    def check_support(self) -> None:
        """
        Raise UnsupportedModelError for what is not supported whatever the extents are.

        The model is imported for some extents, and raises if all fail alike: a value
        that must be known is not, or an operator has a form that we lack. Calls report
        what fails for certain extents only.
        """
        refused: list[UnsupportedModelError] = []
        for extent in _TRIED:
            try:
                self._import(dict.fromkeys(self.dims, extent), {})
            except UnsupportedModelError as error:
                refused.append(error)
            except GlowError:  # the model does not allow these extents
                continue
            else:
                return
        if len(refused) > 1 and len(set(map(str, refused))) == 1:
            raise refused[0]

    def specialize(
        self,
        dims: Mapping[str, int],
        constants: Mapping[str, object] | None = None,
        note: Callable[[Hashable], None] | None = None,
    ) -> Model:
        """
        Return the model for these extents of its dimensions, and values of inputs.

        `note` is called with the integers divided or rounded to compute shapes.
        Errors: as `glow.load`; each message begins with the extents.
        """
        try:
            return Model(self.name, self._import(dims, constants or {}, note))
        except GlowError as error:
            raise named(error, dims) from error.__cause__

    def _exported(self, opset: int | None) -> Any:
        """Return the ONNX model for all extents, without calls if else unsupported."""
        from glow.formats.onnx import export_open_model

        inputs = {s.name: s.extents or s.shape for s in self.signature.inputs}

        def export(dims: Mapping[str, int], keeps_calls: bool = True) -> Any:
            module = self.specialize(dims).module
            return exported(module, self.name, opset, keeps_calls)

        try:
            return export_open_model(export, self.dims, inputs)
        except UnsupportedModelError:
            whole = partial(export, keeps_calls=False)
            return export_open_model(whole, self.dims, inputs)

    def __str__(self) -> str:
        return f"{self.name}: {self.signature}"

    def __repr__(self) -> str:
        return f"<SymbolicModel {self}>"

    def _repr_html_(self) -> str:
        """Return a table of its inputs and outputs, for notebooks."""
        parts = ("input", self.signature.inputs), ("output", self.signature.outputs)
        rows = [(kind, s.name, s.description) for kind, each in parts for s in each]
        return html_table(f"SymbolicModel {self.name}", ["", "name", "array"], rows)


def load_onnx(
    name: str,
    source: Any,
    dims: Mapping[str, int],
    constants: Mapping[str, object] | None = None,
) -> Model:
    """Read an ONNX model; one whose dimensions are all known becomes IR at once."""
    from glow.formats.onnx import import_model, open_dimensions, read

    given = constants or {}
    opened = read(source)
    if open_dimensions(opened, dims, given):
        model = SymbolicModel(name, opened, dims, given)
        model.check_support()
        return model
    return Model(name, import_model(opened, dims, given))


def named(error: GlowError, dims: Mapping[str, int]) -> GlowError:
    """Return `error` with the extents that it is about in front."""
    if dims:
        values = ", ".join(f"{name} = {extent}" for name, extent in dims.items())
        error.args = (f"for {values}: {error}", *error.args[1:])
    return error


def copied(model: object) -> Model | None:
    """Return a model in memory with IR of its own; None for others."""
    match model:
        case SymbolicModel():
            return model
        case Model(name=name, module=module):
            return Model(name, module.clone())
        case ModuleOp():
            return Model("model", model.clone())
        case _:
            return None
