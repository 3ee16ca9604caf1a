"""Models in memory: IR with its constants, or a source to make IR from later."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, PassFailedException, VerifyException

from glow.analysis.levels import level_of
from glow.backends.signature import spec_of
from glow.dialects.graph.placeholder import Placeholder, StoredConstant
from glow.graph_modules import bound, context, exported, graph_module
from glow.locating_parser import LocatingParser, invalid
from glow.options import Options, target_spec
from glow.runtime.notebook import html_table
from glow.support.arguments import names_in
from glow.support.arrays import Array
from glow.support.errors import (
    InvalidModelError,
    UnsupportedModelError,
)
from glow.support.names import with_article
from glow.support.printing import layer_text
from glow.support.targets import resolve
from glow.support.types import shape_of

if TYPE_CHECKING:
    pass

_KINDS = {"out": "output", "inout": "state", "resident": "state", "bound": "bound"}
_READS = ("graph.load", "memory.get")


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
        Return this model with some inputs fixed to `arrays`, by name.

        The arrays are copied. The result is compiled as if they were constants of the
        model, and no longer takes these inputs; they may be bound again.
        Errors: BindingError with all names that are not inputs and all arrays that do
        not fit; ValueError for a model past the graph level.
        """
        return Model(self.name, bound(self.module, arrays))

    def ir(self, level: str, target: str = "cpu") -> str:
        """
        Return the text of this model at a level, as `glow-opt --stop-after` prints it.

        Levels are import, graph, layout, memory, loops and llvm. Errors: ValueError for
        another word; CompilationError for a level that the model is past, or that it
        cannot be lowered to.
        """
        from glow.pass_manager import lowered

        return layer_text(lowered(context(), self.module, level, target))

    def memory_report(self, target: str = "cpu", memory_bytes: int = 0) -> str:
        """
        Return a table of the values that stay alive for long, such as for gradients.

        It says whether each is kept or computed again, and why, and its bytes; and how
        many bytes are alive at once with this choice, and if all are kept.
        `memory_bytes` is that of `glow.compile`. Errors: CompilationError for a model
        past the graph level.
        """
        from glow.memory_report import memory_report
        from glow.pass_manager import lowered

        options = Options(disable=("recompute-values",))
        module = lowered(context(), self.module, "graph", target, options)
        return memory_report(module, memory_bytes)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        opset: int | None = None,
        external_data: bool | None = None,
    ) -> None:
        """
        Write this model, which is at the graph level, as ONNX; docs/export.md has more.

        Open dimensions stay open, as far as ONNX can express what depends on them. A
        `path` that ends in `.onnx.txt` gets text to read. `opset` is from 13 on, by
        default the newest that ONNX Runtime takes. Weights of more than a GiB, or with
        `external_data`, lie beside it in `path` and `.data`.
        Errors: UnsupportedModelError, which lists all ops that ONNX cannot express;
        InvalidModelError for constants without bytes; ValueError for another opset,
        suffix or level; OSError.
        """
        from glow.formats.onnx import save_model

        save_model(self._exported(opset), Path(path), external_data)

    def _exported(self, opset: int | None) -> Any:
        return exported(self.module, self.name, opset)

    def emit_c(
        self,
        path: str | os.PathLike[str],
        target: str = "cpu",
        *,
        states: Mapping[str, str] | None = None,
        relayout: Mapping[str, str] | str | None = None,
    ) -> None:
        """
        Write code to link with a program of C, for one thread; docs/embedding.md.

        `path` is the header, such as `net.h`; `net.o` and `net.weights.o` lie beside
        it. `target` may be another machine, such as "cpu:neon". `states` and `relayout`
        are those of `glow.compile`. Errors: ValueError for a name that is not valid in
        C, or open dimensions; CompilationError for a target or model without such code;
        OSError.
        """
        from glow.c_files import check_header, write_c_files
        from glow.pass_manager import lowered

        check_header(Path(path))
        backend = resolve(target_spec(target, None))
        options = Options(states=states, relayout=relayout)
        module = lowered(context(), self.module, backend.level, target, options)
        write_c_files(module, target, Path(path))

    def free(self, names: Sequence[str] | str) -> tuple[Model, dict[str, Array]]:
        """
        Return this model with constants as inputs, and the values that they had.

        It undoes `bind`: training passes the weights as inputs, and binds the result.
        Errors: BindingError for names that are not constants of floats; ValueError as
        `gradient`.
        """
        from glow.model_gradient import free_constants

        module = self._known_module("free constants")
        arrays = free_constants(module, names_in("names of constants", names))
        return Model(self.name, module), arrays

    def _known_module(self, purpose: str) -> ModuleOp:
        """Return a copy of the module, which has no open dimensions, to change."""
        if self.dims:
            raise ValueError(
                f"expected a model of known dimensions to {purpose}, got open ones: "
                f"{', '.join(self.dims)}; see specialize"
            )
        return graph_module(self.module, purpose)

    def gradient(self, of: Sequence[str] | str, loss: str | None = None) -> Model:
        """
        Return this model with further outputs: the gradients of one of its outputs.

        `loss` names that output, of one number; by default the only one. `of` names
        inputs and constants. The gradient of x is called `x_gradient`; outputs stay.
        Errors: BindingError for unknown names, a loss of several numbers, and names
        that it does not depend on; UnsupportedModelError for an op on the way that has
        no gradient; ValueError for a model past the graph level, or with dimensions
        that are open.
        """
        from glow.model_gradient import add_gradients

        module = self._known_module("take gradients")
        try:
            add_gradients(module, names_in("names of inputs or constants", of), loss)
        except PassFailedException as error:
            raise UnsupportedModelError(str(error)) from None
        return Model(self.name, module)

    def __str__(self) -> str:
        return str(self.module)

    def __repr__(self) -> str:
        """Return its name, level, arrays, parameters and how many ops of each kind."""
        arrays = (f"{kind} {name}: {array}" for kind, name, array in self._arrays())
        kinds = (f"{count} {name}" for name, count in self._kinds())
        parts = [
            f"{level_of(self.module)} level",
            *arrays,
            ", ".join(kinds) or "no ops",
        ]
        return f"<Model {self.name}: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Return a table of its arrays and its kinds of ops, for notebooks."""
        caption = f"Model {self.name}: {level_of(self.module)} level"
        kinds = (("op", name, count) for name, count in self._kinds())
        rows = [*self._arrays(), *kinds]
        return html_table(caption, ["", "name", "array or count"], rows)

    def _arrays(self) -> list[tuple[str, str, str]]:
        """Return kind, name and type of what a caller binds, and of all constants."""
        rows: list[tuple[str, str, str]] = []
        sizes: list[int] = []
        for op in self.module.body.ops:
            if isinstance(op, StoredConstant):
                sizes.append(prod(shape_of(op.type)))
            elif isinstance(op, Placeholder):
                words = op.direction.data, op.residency.data
                kind = next((_KINDS[word] for word in words if word in _KINDS), "input")
                name = op.sym_name.data
                rows.append((kind, name, spec_of(name, op.type, op.axes).description))
        if sizes:
            rows.append(("constants", f"{len(sizes):,}", f"{sum(sizes):,} elements"))
        return rows

    def _kinds(self) -> list[tuple[str, int]]:
        ops = (op.name for op in self.module.walk() if op.results)
        return Counter(name for name in ops if name not in _READS).most_common()


def debug_text(model: object) -> str:
    """Return IR with all its locations as text; raise ValueError for other models."""
    if isinstance(model, Model) and model.dims:
        raise ValueError("expected IR, got a model with symbolic dimensions")
    module = model.module if isinstance(model, Model) else model
    if not isinstance(module, ModuleOp):
        raise ValueError(f"expected IR, got {with_article(type(model).__name__)}")
    text = StringIO()
    Printer(text, print_debuginfo=True).print_op(module)
    return text.getvalue()


def parse_text(ctx: Context, text: str, name: str) -> ModuleOp:
    """Parse and verify `text`; InvalidModelError names file, line and column."""
    try:
        return LocatingParser(ctx, text, name).parse_module()
    except ParseError as error:
        raise invalid(error) from None
    except VerifyException as error:
        raise InvalidModelError(f"{name}: {error}") from None
