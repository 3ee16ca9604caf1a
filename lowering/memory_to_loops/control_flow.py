"""Choices and loops: each a function of its own, which calls the kernels of bodies."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects import func
from xdsl.dialects.builtin import i8, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.codegen.casts import convert
from glow.codegen.functions import maximum
from glow.codegen.loops import Var, branches, repeated, when
from glow.codegen.memory import Memory, flat
from glow.codegen.values import INDEX, Value, constant, index
from glow.codegen.writer import Writer, current, emit, writing_to
from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.control_flow import ControlFlowOp, IfOp, LoopOp
from glow.lowering.memory_to_loops._ops import active_ops, lower_op
from glow.lowering.memory_to_loops.kernels.kernel import Fault, Work
from glow.lowering.memory_to_loops.kernels.library_function import PRIVATE
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.op_construction import build_op

_ITERATIONS = 8
"""The iterations that a loop is assumed to have, where its limit is unknown."""


@lowers(IfOp)
def lower_if(main: Main, op: IfOp) -> None:
    function = _Function(main, op)
    with function.writing():
        for holds in branches(function.memory(op.condition)[0]):
            function.do(op.callees[0 if holds else 1])
    function.call()


@lowers(LoopOp)
def lower_loop(main: Main, op: LoopOp) -> None:
    """Test whether there is an iteration before the first one, and after each."""
    function = _Function(main, op)
    with function.writing():
        limit = None
        if op.limit is not None:
            number = function.memory(op.limit)[0]
            limit = convert(maximum(number, constant(0, i64)), INDEX)

        def goes_on(iteration: Value) -> Value:
            parts: list[Value] = []
            if limit is not None:
                parts.append(iteration < limit)
            if op.condition is not None:
                parts.append(function.memory(op.condition)[0])
            first, *others = parts
            return first & others[0] if others else first

        with when(goes_on(index(0))):
            iteration = Var(index(0))
            for each in repeated(iteration):
                function.memory(op.iteration)[0] = convert(iteration.value, i64)
                function.do(op.callees[0])
                iteration.value = iteration.value + 1
                each.again = goes_on(iteration.value)
        if op.must_end is not None:
            assert op.condition is not None
            code = main.message(op, op.STILL_TRUE)
            function.report(function.memory(op.condition)[0], code)
    function.call(_ITERATIONS)


class _Function:
    """The function of an op: it is passed the start of each buffer of the op."""

    def __init__(self, main: Main, op: ControlFlowOp):
        self._main, self._op = main, op
        buffers = list(dict.fromkeys(op.operands))
        self._names = {buffer: f"buffer_{n}" for n, buffer in enumerate(buffers)}
        self._passed = {name: main.bytes_of(b) for b, name in self._names.items()}
        others = {name: main.argument(name) for name in ("constants", "fault")}
        self._others = list(others.values())
        types: dict[str, Attribute] = dict.fromkeys(self._passed, flat(i8))
        types |= {name: value.type for name, value in others.items()}
        types |= {"begin": INDEX, "end": INDEX}
        self._function = FuncOp(
            main.fresh_name(op.name.partition(".")[2]),
            (list(types.values()), []),
            visibility=PRIVATE,
        )
        self._function.location = op.location
        self._arguments = dict(zip(types, self._function.body.block.args, strict=True))
        for name, argument in self._arguments.items():
            argument.name_hint = name
        self._cost = 0

    @contextmanager
    def writing(self) -> Generator[None]:
        """Write the body of the function in a `with` block."""
        block = self._function.body.block
        with writing_to(Writer(block, block, location=self._op.location)) as writer:
            yield
            writer.add(func.ReturnOp())

    def memory(self, buffer: SSAValue) -> Memory:
        """Return the elements of a buffer of the op."""
        source = self._arguments[self._names[buffer]]
        element = buffer_type(buffer).element_type
        base = build_op(BaseOp, operands=[source], result_types=[flat(element)])
        return Memory.of(emit(base), element)

    def report(self, condition: Value, code: int) -> None:
        """Note a fault where the condition holds."""
        memory = Memory.of(self._arguments["fault"], i32)
        Fault(memory, constant(code, i32)).report(condition)

    def do(self, callee: str) -> None:
        """Write what function `callee` of the module does."""
        op, arguments = self._op, dict(self._arguments)
        source = self._main.callees[callee].body.block
        pairs = zip(source.args, op.passed(), strict=True)
        places: dict[SSAValue, str] = {
            argument: self._names[buffer] for argument, (buffer, _) in pairs
        }
        # Without a frame, there may be allocations of no bytes: anywhere.
        frame = op.operands[0] if op.frame is None else op.frame
        arguments["arena"] = arguments[self._names[frame]]
        inner = self._main.within(current().block, arguments, places)
        for each in active_ops(source):
            lower_op(inner, each)
        self._cost += inner.spent

    def call(self, iterations: int = 1) -> None:
        """Let `main` call the function."""
        self._main.functions.append(self._function)
        self._main.call_function(
            self._function.sym_name.data,
            self._passed,
            self._others,
            Work(1, max(1, self._cost * iterations)),
        )
