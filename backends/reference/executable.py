"""Interpreter of modules at the graph level, op by op."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from glow.analysis.calls import reached_from
from glow.backends.signature import spec_of
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.control_flow import ControlFlowOp
from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.placeholder import Placeholder
from glow.dialects.graph.storage import (
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.dialects.layout.attribute import layout_of
from glow.runtime.frame import Notify
from glow.runtime.image import Parameter
from glow.runtime.image import signature_of as signature_by
from glow.runtime.interface import Executable
from glow.runtime.signature import Signature
from glow.support.arrays import Array
from glow.support.errors import CompilationError, ExecutionError, memory_for
from glow.support.layout import unpack
from glow.support.locations import name_of
from glow.support.types import shape_of

_RUNNABLE = (
    GraphOp,
    FusedOp,
    ControlFlowOp,
    LoadOp,
    SaveOp,
    LiteralOp,
    ReturnOp,
)


class TensorStorage:
    """Keeps each value as the tensor that it is; layouts do not matter."""

    def __init__(self) -> None:
        self._values: dict[SSAValue, Array] = {}

    def write(self, value: SSAValue, array: Array) -> None:
        self._values[value] = array

    def read(self, value: SSAValue) -> Array:
        return self._values[value]

    def free(self, value: SSAValue) -> None:
        del self._values[value]

    def evaluate(self, op: GraphOp | FusedOp) -> None:
        """Compute the results of `op` from its operands."""
        results = op.evaluate([self.read(operand) for operand in op.operands])
        for result, array in zip(op.results, results, strict=True):
            self.write(result, array)


class ReferenceExecutable(Executable):
    """
    The meaning of a module, computed by the ops themselves.

    Errors: a module without one function to run, a constant without bytes, an op that
    has no meaning at this level.
    """

    def __init__(
        self, module: ModuleOp, storage: Callable[[], TensorStorage] = TensorStorage
    ):
        entry = _entry_of(module)
        self._body = entry.body.block
        self._storage = storage
        self._functions: dict[str, Block] = {}
        self._dying: dict[Operation, list[SSAValue]] = {}
        for function in reached_from(entry, module):
            _check_runnable(function)
            self._functions[function.sym_name.data] = function.body.block
            self._dying |= _last_uses(function.body.block)
        self._constants = _constants_of(module)
        super().__init__(signature_of(module))

    @property
    def constants(self) -> tuple[Array, ...]:
        return tuple(self._constants.values())

    def execute(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        states: Sequence[Array] = (),
        notify: Notify | None = None,
    ) -> None:
        signature = self.signature
        specs = (*signature.inputs, *(state.spec for state in signature.states))
        pairs = zip(specs, (*inputs, *states), strict=True)
        written = {*map(id, outputs), *map(id, states)}
        # Arrays updated in place are read, to the end, as they were before the run.
        given = {
            spec.name: spec.unpack(array.copy() if id(array) in written else array)
            for spec, array in pairs
        }
        kept = zip(signature.states, states, strict=True)
        places = {state.spec.name: (state.spec, array) for state, array in kept}
        numbers: dict[str, int] = {}
        for number, spec in enumerate(signature.outputs):
            places[spec.name] = spec, outputs[number]
            numbers[spec.name] = number

        def save(symbol: str, tensor: Array) -> None:
            if symbol in places:
                spec, array = places[symbol]
                array[...] = spec.pack(tensor)
            if notify is not None and symbol in numbers:
                notify(numbers[symbol])

        self._run_block(self._body, (), self._constants | given, save)

    def _run_block(
        self,
        block: Block,
        arguments: Sequence[Array],
        symbols: Mapping[str, Array],
        save: Callable[[str, Array], None],
    ) -> list[Array]:
        """Run the ops of a function's only block; return what that returns."""
        storage, returned = self._storage(), list[Array]()
        for argument, array in zip(block.args, arguments, strict=True):
            storage.write(argument, array)

        def run_function(name: str, arrays: Sequence[Array]) -> list[Array]:
            return self._run_block(self._functions[name], arrays, symbols, save)

        for op in block.ops:
            if isinstance(op, ReturnOp):
                returned = [storage.read(value) for value in op.arguments]
            elif isinstance(op, ControlFlowOp):
                arrays = [storage.read(operand) for operand in op.operands]
                results = op.evaluate(arrays, run_function)
                for result, array in zip(op.results, results, strict=True):
                    storage.write(result, array)
            else:
                _run(op, storage, symbols, save)
            for value in self._dying[op]:
                storage.free(value)
        return returned


@contextmanager
def errors_at(op: Operation) -> Generator[None]:
    """Say which op, and where it is from, in errors of the data and of memory."""
    try:
        with memory_for(f"{op.name}, from {name_of(op)}"):
            yield
    except (ExecutionError, IndexError, ZeroDivisionError) as error:
        place = f"({op.name}, from {name_of(op)})"
        raise ExecutionError(f"{error} {place}") from None


def _run(
    op: Operation,
    storage: TensorStorage,
    symbols: Mapping[str, Array],
    save: Callable[[str, Array], None],
) -> None:
    match op:
        case LoadOp():
            storage.write(op.result, symbols[op.symbol.string_value()])
        case LiteralOp():
            storage.write(op.result, op.array)
        case SaveOp():
            save(op.symbol.string_value(), storage.read(op.value))
        case _:
            assert isinstance(op, GraphOp | FusedOp)
            with errors_at(op):
                storage.evaluate(op)


def _entry_of(module: ModuleOp) -> FuncOp:
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    chosen = [op for op in functions if op.sym_name.data == "main"] or functions
    if len(chosen) != 1:
        names = ", ".join(f"@{op.sym_name.data}" for op in functions) or "none"
        raise CompilationError(f"expected a function @main, got {names}")
    entry = chosen[0]
    if entry.body.block.args:
        raise CompilationError(
            "expected a function without arguments, run arguments-to-placeholders"
        )
    return entry


def _check_runnable(function: FuncOp) -> None:
    for op in function.body.block.ops:
        if not isinstance(op, _RUNNABLE):
            raise CompilationError(f"target reference cannot run {op.name}")


def _constants_of(module: ModuleOp) -> dict[str, Array]:
    """Return constants, and placeholders that are bound, as the tensors they are."""
    arrays: dict[str, Array] = {}
    for op in module.body.ops:
        if isinstance(op, ConstantOp):
            array = _present(op.array, "constant", op.sym_name.data)
        elif isinstance(op, PlaceholderOp) and op.residency.data == "bound":
            array = _present(op.initial_array, "placeholder", op.sym_name.data)
        else:
            continue
        layout = layout_of(op.type)
        arrays[op.sym_name.data] = (
            array if layout is None else unpack(layout, array, shape_of(op.type))
        )
    return arrays


def _present(array: Array | None, kind: str, name: str) -> Array:
    if array is None:
        raise CompilationError(f'{kind} "{name}" has no bytes, give its weights file')
    return array


def signature_of(module: ModuleOp) -> Signature:
    """Return the bindings that the placeholders of `module` ask of a caller."""
    parameters: list[Parameter] = []
    starts: list[Array] = []
    for op in module.body.ops:
        if not isinstance(op, Placeholder):
            continue
        name, initial = op.sym_name.data, None
        if op.initial is not None:
            initial = len(starts)
            starts.append(_present(op.initial_array, "placeholder", name))
        spec = spec_of(name, op.type, op.axes)
        access = op.direction.data, op.residency.data
        parameters.append(Parameter(spec, *access, initial))
    return signature_by(parameters, starts)


def _last_uses(body: Block) -> dict[Operation, list[SSAValue]]:
    """Map each op to the values that no later op reads."""
    dying: dict[Operation, list[SSAValue]] = {}
    alive: set[SSAValue] = set()
    for op in reversed(list(body.ops)):
        values = dict.fromkeys((*op.results, *op.operands))
        dying[op] = [value for value in values if value not in alive]
        alive |= set(dying[op])
    return dying
