"""Import a model: its signature, weights and nodes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

import numpy as np
import onnx
from xdsl.dialects.builtin import AnyTensorType, ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import LoadOp, PlaceholderOp, SaveOp
from glow.formats.onnx.class_names import class_meanings, label_numbers, label_tables
from glow.formats.onnx.emitter import Emitter, hint_of
from glow.formats.onnx.functions import functions_of
from glow.formats.onnx.graph import Environment, GraphImporter
from glow.formats.onnx.operators import other_functions
from glow.formats.onnx.problems import Problems, Unsupported, printable_errors
from glow.formats.onnx.records import (
    DEFAULT_DOMAIN,
    check_distinct,
    opsets_of,
    ordered,
    record_of,
    text_of,
)
from glow.formats.onnx.signature import (
    Dimensions,
    axes_of,
    declared_type,
    given_values,
    kept_inputs,
    states_of,
    type_of,
)
from glow.formats.onnx.source import OnnxLike, OnnxSource, read
from glow.formats.onnx.tensors import weights_of
from glow.support.class_names import classes_of_text
from glow.support.dimensions import AT_MOST
from glow.support.errors import InvalidModelError, UnsupportedModelError
from glow.support.locations import location_of
from glow.support.names import Names
from glow.support.types import dtype_of, element_of, shape_of, tensor_type

MAIN = "main"
FIRST_WITH_OPSETS = 3  # the IR version since which models say their opsets


@printable_errors()
def import_model(
    source: OnnxLike | OnnxSource,
    dims: Mapping[str, int] | None = None,
    constants: Mapping[str, object] | None = None,
    note: Callable[[Hashable], None] | None = None,
) -> ModuleOp:
    """
    Return the graph-level module of an ONNX model: read, or a file, bytes, a proto.

    `dims` gives symbolic dimensions of inputs their extents, `constants` whole inputs
    their value, which makes them weights. Inputs and outputs become
    placeholders, weights constants, nodes the ops of `@main`, each located at its node;
    where a tensor is called `main`, of `@main.1`. `note` is called with integers
    divided or rounded to compute shapes.
    Errors: InvalidModelError with all nodes that are wrong and everything that the
    importer lacks; UnsupportedModelError with the latter alone; BindingError for
    `constants` that do not fit.
    """
    return _ModelImport(read(source), dims or {}, constants or {}).run(note)


class _ModelImport:
    def __init__(
        self,
        source: OnnxSource,
        dims: Mapping[str, int],
        constants: Mapping[str, object],
    ):
        model = source.proto
        if not model.HasField("graph"):
            raise InvalidModelError("the model has no graph")
        self._opsets = opsets_of(model.opset_import)
        if model.ir_version < FIRST_WITH_OPSETS:
            self._opsets.setdefault(DEFAULT_DOMAIN, 1)
        _check_versions(model.ir_version, self._opsets)
        self._model = model
        self._graph = model.graph
        self._folder = source.folder
        self._dims = Dimensions(dims, self._graph.input)
        self._problems = Problems()
        self._states = states_of(self._graph)
        infos = (*self._graph.value_info, *self._graph.output, *self._graph.input)
        self._axes = {info.name: axes_of(info) for info in infos}
        self._axes |= class_meanings(self._graph)
        given = given_values(self._graph.input, constants, self._dims)
        self._weights = weights_of(self._graph, source.payloads, source.folder, given)
        tables = label_tables(self._graph).items()
        labels = {name: label_numbers(table) for name, table in tables}
        self._weights = {**self._weights, **labels}
        self._kept = kept_inputs(self._graph, given)
        self._counts = dict[SSAValue, str]()
        self._initial = {n: r for n, r in self._weights.items() if n in self._kept}
        self._weights = {n: r for n, r in self._weights.items() if n not in self._kept}

    def run(self, note: Callable[[Hashable], None] | None = None) -> ModuleOp:
        inputs = self._inputs()
        outputs = [text_of(o.name, "an output name") for o in self._graph.output]
        check_distinct(outputs, "outputs")
        if not outputs:
            raise InvalidModelError("the graph has no outputs")
        block = Block()
        self._names = Names([*inputs, *outputs])
        entry = self._names.fresh(MAIN)
        emitter = Emitter(block, [*inputs, *outputs, entry], note)
        given = [*inputs, *self._weights]
        records = [record_of(node, self._opsets) for node in self._graph.node]
        nodes = ordered(records, given)
        read = {name for node in nodes for name in node.reads} | set(outputs)
        values = self._loaded(emitter, inputs, read)
        made = {name for node in nodes for name in node.outputs}.union(values)
        for name in outputs:
            if name not in made:
                raise InvalidModelError(f'nothing makes output "{name}"')
        self._importer(emitter).run(nodes, values, outputs)
        self._problems.raise_if_any(inputs)
        results = {name: _present(values[name]) for name in outputs}
        self._save(emitter, results)
        return self._module(entry, emitter, inputs, results, values)

    def _inputs(self) -> dict[str, AnyTensorType | None]:
        """Return the types of inputs that are not weights, None where unsupported."""
        names = [text_of(i.name, "an input name") for i in self._graph.input]
        check_distinct(names, "inputs")
        types: dict[str, AnyTensorType | None] = {}
        for name, info in zip(names, self._graph.input, strict=True):
            if not name:
                raise InvalidModelError("an input has no name")
            if name in self._weights:
                continue
            owner = f'input "{name}"'
            try:
                types[name] = type_of(info, self._dims, owner)
            except Unsupported as problem:
                self._problems.add(str(problem), owner)
                types[name] = None
        self._dims.check_all_used()
        return types

    def _loaded(
        self,
        emitter: Emitter,
        inputs: Mapping[str, AnyTensorType | None],
        read: set[str],
    ) -> Environment:
        """Return the values of inputs and weights; unread weights are left alone."""
        values: Environment = {}
        for name, type_ in inputs.items():
            values[name] = None
            if type_ is not None:
                op = LoadOp(name, type_)
                op.location = location_of(name)
                op.result.name_hint = hint_of(name)
                values[name] = op.result
        for name in self._weights:
            if name not in read:
                continue
            try:
                array = self._weights[name]()
                axes = self._meanings(name, array.ndim)
                values[name] = emitter.constant(array, name, location_of(name), axes)
            except Unsupported as problem:
                self._problems.add(str(problem), f'initializer "{name}"')
                values[name] = None
        return values

    def _meanings(self, name: str, rank: int) -> ArrayAttr[StringAttr] | None:
        """Return what the model says that each axis of a tensor means, if it does."""
        axes = self._axes.get(name, ())
        if axes and classes_of_text(axes[-1]):  # of labels in any shape
            axes = (*("",) * (rank - len(axes)), *axes)
        return ArrayAttr(map(StringAttr, axes)) if len(axes) == rank > 0 else None

    def _importer(self, emitter: Emitter) -> GraphImporter:
        types = ((i.name, declared_type(i)) for i in self._graph.value_info)
        return GraphImporter(
            emitter,
            self._problems,
            functions_of(other_functions(self._model.functions), self._opsets),
            {name: type_ for name, type_ in types if type_ is not None},
            self._folder,
        )

    def _save(self, emitter: Emitter, results: Mapping[str, SSAValue]) -> None:
        for info in self._graph.output:
            value, declared = results[info.name], declared_type(info)
            if declared is not None and declared.element_type != element_of(value):
                raise InvalidModelError(
                    f'output "{info.name}" is declared with elements of '
                    f"{dtype_of(declared.element_type)}, "
                    f"got {dtype_of(element_of(value))}"
                )
            op = SaveOp(self._symbol_of(info.name), value)
            op.location = location_of(info.name)
            emitter.insert(op)
            rows = emitter.rows.get(value)
            if rows is None:
                continue
            symbol = self._counts.get(rows.count)
            if symbol is None:
                symbol = self._names.fresh(f"{info.name}.count")
                self._counts[rows.count] = symbol
                count = SaveOp(symbol, rows.count)
                count.location = op.location
                emitter.insert(count)
            meanings = list(self._axes.get(info.name) or [""] * len(shape_of(value)))
            meanings[rows.axis] = f"{AT_MOST}{symbol}"
            self._axes[info.name] = tuple(meanings)

    def _symbol_of(self, output: str) -> str:
        """Return the placeholder whose value after a run is an output."""
        return self._states.get(output, output)

    def _placeholder(
        self, name: str, direction: str, type_: AnyTensorType
    ) -> PlaceholderOp:
        meanings = self._meanings(name, len(type_.get_shape()))
        kept = self._kept.get(name)
        if kept is None:
            return PlaceholderOp(name, direction, type_, meanings)
        initial = None
        if name in self._initial:
            initial = ResourceAttr.of(self._initial[name]())
        elif kept.begins_as_zeros:
            zeros = np.zeros(type_.get_shape(), dtype_of(type_.element_type))
            initial = ResourceAttr.of(zeros)
        return PlaceholderOp(name, direction, type_, meanings, kept.residency, initial)

    def _module(
        self,
        entry: str,
        emitter: Emitter,
        inputs: Iterable[str],
        results: Mapping[str, SSAValue],
        values: Environment,
    ) -> ModuleOp:
        symbols: list[Operation] = []
        saved = {self._symbol_of(name) for name in results}
        for name in dict.fromkeys([*inputs, *results]):
            if self._symbol_of(name) != name:
                continue
            direction = "out" if name not in inputs else "in"
            if name in inputs and name in saved:
                direction = "inout"
            op = self._placeholder(name, direction, tensor_type(_present(values[name])))
            op.location = location_of(name)
            symbols.append(op)
        for value, name in self._counts.items():
            op = PlaceholderOp(name, "out", tensor_type(value))
            op.location = location_of(name)
            symbols.append(op)
        end = ReturnOp()
        emitter.block.add_op(end)
        main = FuncOp(entry, ((), ()), Region(emitter.block))
        module = ModuleOp([*symbols, *emitter.constants, main, *emitter.functions])
        end.location = main.location = module.location = location_of(
            self._graph.name or MAIN
        )
        return module


def _present(value: SSAValue | None) -> SSAValue:
    assert value is not None, "a value is missing though nothing is unsupported"
    return value


def _check_versions(ir_version: int, opsets: Mapping[str, int]) -> None:
    """Raise where the installed onnx package does not know what the model says."""
    limits = (
        ("IR version", ir_version, int(onnx.IR_VERSION)),
        ("opset", opsets.get(DEFAULT_DOMAIN, 1), onnx.defs.onnx_opset_version()),
    )
    for what, version, newest in limits:
        if not 1 <= version <= newest:
            raise UnsupportedModelError(
                f"the model has {what} {version}, expected 1 to {newest}, "
                f"which is what onnx {onnx.__version__} knows"
            )
