"""ONNX models: IR at once, or where dimensions are open, once these are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from glow.importers.onnx import (
    OnnxSource,
    declaration_of,
    import_model,
    open_dimensions,
    read,
)
from glow.importers.onnx.declaration import Declared
from glow.model import Model
from glow.runtime.symbolic import SymbolicSignature
from glow.runtime.symbolic_spec import SymbolicSpec, symbolic_spec
from glow.support.garbage import no_collection
from glow.symbolic import SymbolicModel


def load_onnx(
    name: str, source: Any, dims: Mapping[str, int], constants: Mapping[str, object]
) -> Model:
    """Read an ONNX model; one whose dimensions are all known becomes IR at once."""
    found = read(source)
    if open_dimensions(found, dims, constants):
        return symbolic_model(name, found, dims, constants)
    return Model(name, import_model(found, dims, constants))


def symbolic_model(
    name: str,
    source: OnnxSource,
    dims: Mapping[str, int],
    constants: Mapping[str, object],
) -> SymbolicModel:
    """Return a model that becomes IR later, with what it declares as signature."""
    declared = declaration_of(source, dims, constants)
    signature = SymbolicSignature(
        tuple(map(_spec, declared.inputs)),
        tuple(map(_spec, declared.outputs)),
        known=declared.dims,
    )
    kept = source.owned()

    @no_collection()
    def import_(
        more_dims: Mapping[str, int], more_constants: Mapping[str, object]
    ) -> ModuleOp:
        return import_model(
            kept, {**dims, **more_dims}, {**constants, **more_constants}
        )

    return SymbolicModel(
        name,
        signature,
        import_,
        lambda arrays: load_onnx(name, kept, dims, {**constants, **arrays}),
    )


def _spec(declared: Declared) -> SymbolicSpec:
    return symbolic_spec(declared.name, declared.shape, declared.dtype, declared.axes)
