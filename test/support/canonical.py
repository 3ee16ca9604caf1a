"""The canonical text of a module, to compare structures by."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from glow.graph_modules import context
from glow.passes.graph.arguments_to_placeholders import ArgumentsToPlaceholdersPass
from glow.passes.graph.canonical_form import CanonicalFormPass


def canonical(module: ModuleOp, rename: bool = False) -> str:
    """Return the text of a module once it is in canonical form."""
    module = module.clone()
    ArgumentsToPlaceholdersPass().apply(context(), module)
    CanonicalFormPass(rename).apply(context(), module)
    module.verify()
    return str(module)
