"""Models without names: models that differ in names alone share a compilation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FusedLoc,
    LocationAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnknownLoc,
)
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from glow.analysis.levels import level_of
from glow.analysis.symbols import named_in
from glow.dialects.graph.storage import LoadOp, PlaceholderOp, SaveOp
from glow.graph_modules import context
from glow.model import Model, debug_text
from glow.passes.graph.arguments_to_placeholders import ArgumentsToPlaceholdersPass
from glow.passes.graph.canonical_form import CanonicalFormPass
from glow.passes.graph.infer_io import InferIoPass
from glow.runtime.image import Image
from glow.support.locations import fuse, location_of, name_at, name_of

# Of Unicode's private use: no name has these.
_NUMBER = re.compile("\ue000([0-9]+)\ue001")


@dataclass(frozen=True)
class UnnamedModel:
    """
    A model whose placeholders and locations have numbers for names.

    Numbers follow its canonical form: models of one form have the same.
    """

    model: Model
    form: str
    """The canonical form, with locations: what a compilation depends on."""
    names: tuple[str, ...]
    """The name that each number stands for."""

    def named(self, image: Image) -> Image:
        """Return the image of a model of the same form, with the names of this one."""
        profile = image.profile
        if profile is not None:
            groups = (replace(g, name=self._named(g.name)) for g in profile.groups)
            profile = replace(profile, groups=tuple(groups))
        parameters = tuple(
            replace(each, spec=replace(each.spec, name=self._named(each.spec.name)))
            for each in image.parameters
        )
        messages = tuple(map(self._named, image.messages))
        return replace(image, parameters=parameters, messages=messages, profile=profile)

    def _named(self, text: str) -> str:
        return _NUMBER.sub(lambda found: self.names[int(found[1])], text)


def unnamed(model: Model) -> UnnamedModel | None:
    """
    Return `model`, changed in place, without its names; None if it has no form.

    It has none past the graph level, and where functions are not lists of ops.
    """
    if level_of(model.module) != "import":
        return None
    module = model.module
    try:
        for each in (ArgumentsToPlaceholdersPass(), InferIoPass()):
            each.apply(context(), module)
        form = module.clone()
        CanonicalFormPass().apply(context(), form)
    except DiagnosticException:
        return None
    numbers = _NumberedNames()
    for name in named_in(form, PlaceholderOp):
        numbers.of(f"placeholder {name}", name)
    numbers.write(form)
    count = len(numbers.names)
    numbers.write(module)
    text = debug_text(form)
    if len(numbers.names) > count or len([*form.walk()]) != len([*module.walk()]):
        # The form leaves out ops that are duplicates or unused: add the places of all.
        places = sorted(f"{op.name} {name_of(op)}" for op in module.walk())
        text = "\n".join([text, *places])
    return UnnamedModel(model, text, tuple(numbers.names))


class _NumberedNames:
    """The names of a model, in the order in which they are met, each once."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, str] = {}

    def of(self, key: str, name: str) -> str:
        """Return the text that stands for a name; it has a number for each key."""
        if key not in self._numbers:
            self._numbers[key] = f"\ue000{len(self.names)}\ue001"
            self.names.append(name)
        return self._numbers[key]

    def write(self, module: ModuleOp) -> None:
        """Replace names of placeholders and locations by their numbers."""
        for op in module.walk():
            op.location = self._location(op)
            if isinstance(op, PlaceholderOp):
                name = op.sym_name.data
                op.sym_name = StringAttr(self.of(f"placeholder {name}", name))
            elif isinstance(op, LoadOp | SaveOp):
                name = op.symbol.string_value()
                if f"placeholder {name}" in self._numbers:
                    op.symbol = SymbolRefAttr(self.of(f"placeholder {name}", name))

    def _location(self, op: Operation) -> LocationAttr:
        match op.location:
            case UnknownLoc():
                return op.location
            case FusedLoc(locations=parts):
                pieces = cast(Iterable[LocationAttr], cast(ArrayAttr[Any], parts))
            case only:
                pieces = (only,)
        names = [name_at(each) for each in pieces if not isinstance(each, UnknownLoc)]
        return fuse(*(location_of(self.of(f"at {name}", name)) for name in names))
