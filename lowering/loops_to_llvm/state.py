"""State of the lowering: blocks of a function, lowered values, handlers of ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple, TypeVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    IntegerType,
    LocationAttr,
    StringAttr,
    UnknownLoc,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.lowering.loops_to_llvm.types import (
    constant_of,
    converted,
    integer,
    suffix,
)
from glow.support.attributes import OfAttributes, i32_array, symbol_reference
from glow.support.op_construction import append_op, build_op, result_of
from glow.support.walking import block_ops, operands_of

T = TypeVar("T")


class _Postponed(NamedTuple):
    """An op to be lowered by `handler` once its result is used, behind `after`."""

    op: Operation
    handler: LoopsHandler
    block: Block
    after: Operation | None
    number: int


class Translation:
    """The state of lowering one function: the insertion block and lowered values."""

    def __init__(self, externals: dict[str, llvm.FuncOp], target: str):
        self.target = target
        self.externals = externals
        """Declarations of functions outside the module, by name."""
        self.region = Region()
        self.block = Block()
        self.values: dict[SSAValue, SSAValue] = {}
        self.blocks: dict[Block, Block] = {}
        self.addresses: dict[tuple[SSAValue, SSAValue, int], SSAValue] = {}
        """Pointers computed in this block, by base, index and bytes per step."""
        self.rows: dict[tuple[SSAValue, SSAValue, int], SSAValue] = {}
        """Pointers computed where their index is, in front of a loop."""
        self._shared: dict[Any, SSAValue] = {}
        self._count = count()
        self._memos: dict[Any, OfAttributes[Any]] = {}
        self._postponed: dict[SSAValue, _Postponed] = {}
        self._numbers: dict[Operation, int] = {}
        """The order of the ops that were put between others."""
        self.location: LocationAttr = UnknownLoc()
        """The location of the op being lowered."""

    def __getitem__(self, value: SSAValue) -> SSAValue:
        """Return the lowered `value`; an index constant is made where it is used."""
        lowered = self.values.get(value)
        if lowered is None and value in self._postponed:
            self._catch_up(self._postponed.pop(value))
            lowered = self.values[value]
        if lowered is None:
            known = constant_of(value)
            assert known is not None, f"used before it is lowered: {value}"
            lowered = self.values[value] = self.constant(known)
        return lowered

    def all(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return [self[value] for value in values]

    def do(self, op: Operation) -> None:
        """Append `op`."""
        op.location = self.location
        append_op(self.block, op)

    def make(
        self,
        op: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        **properties: Attribute,
    ) -> SSAValue:
        """Append an op with one result, without the cost of its constructor."""
        types = [result]
        made = build_op(
            op, operands=operands, result_types=types, properties=properties
        )
        self.do(made)
        return result_of(made)

    def once(self, function: Callable[[Attribute], T], attribute: Attribute) -> T:
        """Return what `function` returns for an attribute, and ask it only once."""
        memo = self._memos.get(function)
        if memo is None:
            memo = self._memos[function] = OfAttributes(function)
        return memo(attribute)

    def converted(self, type_: Attribute) -> Attribute:
        return self.once(converted, type_)

    def postpone(self, op: Operation, handler: LoopsHandler) -> None:
        """Let `handler` append one op for `op` here, but only if its result is used."""
        place = self.block, self.block.last_op, next(self._count)
        self._postponed[result_of(op)] = _Postponed(op, handler, *place)

    def _catch_up(self, late: _Postponed) -> None:
        """Lower an op that was postponed, and put it where it would have stood."""
        self.all(operands_of(late.op))
        outer, self.block = self.block, Block()
        self.apply(late.handler, late.op)
        made, self.block = self.block.last_op, outer
        assert made is not None
        made.detach()
        self._numbers[made] = late.number
        before = late.after
        following = late.block.first_op if before is None else before.next_op
        while following is not None and self._is_ahead(following, late):
            before, following = following, following.next_op
        if following is not None:
            late.block.insert_op_before(made, following)
        else:
            late.block.add_op(made)

    def _is_ahead(self, op: Operation, late: _Postponed) -> bool:
        """Return whether `op`, although put there since, stays in front of `late`."""
        if type(op) in (llvm.ConstantOp, llvm.UndefOp):
            return True
        return self._numbers.get(op, late.number) < late.number

    def make_at(self, value: SSAValue, op: Operation) -> None:
        """Put `op` where `value` is defined, in a block that is complete."""
        op.location = self.location
        self._numbers[op] = -1
        owner = value.owner
        if isinstance(owner, Block):
            assert owner.first_op is not None
            owner.insert_op_before(op, owner.first_op)
        else:
            assert owner.parent is not None
            owner.parent.insert_op_after(op, owner)

    def replace(self, source: Operation, value: SSAValue) -> None:
        """Let `value` stand for the one result of `source`."""
        result = result_of(source)
        value.name_hint = value.name_hint or result.name_hint
        self.values[result] = value

    def open(self, block: Block) -> Block:
        """Go on in `block`, appended to the function."""
        self.region.add_block(block)
        self.block = block
        self.addresses.clear()
        return block

    def block_for(self, source: Block) -> Block:
        """Return a block with the converted arguments of `source`, which map to it."""
        new = Block(arg_types=[self.converted(arg.type) for arg in source.args])
        for old, arg in zip(source.args, new.args, strict=True):
            arg.name_hint = old.name_hint
            self.values[old] = arg
        return new

    def constant(self, value: int, type_: IntegerType = i64) -> SSAValue:
        """Return an integer constant, made once per function in its entry block."""
        properties = {"value": integer(value, type_)}
        return self._first((value, type_), llvm.ConstantOp, type_, properties)

    def undef(self, type_: Attribute) -> SSAValue:
        """Return an undefined value, made once per function in its entry block."""
        return self._first(type_, llvm.UndefOp, type_, {})

    def _first(
        self,
        key: Any,
        kind: type[Operation],
        type_: Attribute,
        properties: Mapping[str, Attribute],
    ) -> SSAValue:
        found = self._shared.get(key)
        if found is None:
            entry = self.region.blocks.first
            assert entry is not None
            op = build_op(kind, result_types=[type_], properties=properties)
            op.location = self.location
            if entry.first_op is None:
                entry.add_op(op)
            else:
                entry.insert_op_before(op, entry.first_op)
            found = self._shared[key] = result_of(op)
        return found

    def intrinsic(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute | None,
        flags: llvm.FastMathAttr | None = None,
    ) -> llvm.CallIntrinsicOp:
        """Append a call of the LLVM intrinsic of this full name."""
        properties: dict[str, Attribute] = {
            "intrin": StringAttr(name),
            "op_bundle_sizes": i32_array(),
            "operandSegmentSizes": i32_array(len(operands), 0),
        }
        if flags is not None:
            properties["fastmathFlags"] = flags
        op = build_op(
            llvm.CallIntrinsicOp,
            operands=operands,
            result_types=[] if result is None else [result],
            properties=properties,
        )
        self.do(op)
        return op

    def overloaded(
        self,
        name: str,
        operands: Sequence[SSAValue],
        flags: llvm.FastMathAttr | None = None,
    ) -> SSAValue:
        """Append `name`, mangled by the type of the first operand and the result."""
        type_ = operands[0].type
        full_name = f"{name}.{self.once(suffix, type_)}"
        return self.intrinsic(full_name, operands, type_, flags).results[0]

    def call(
        self, callee: str, operands: Sequence[SSAValue], result: Attribute
    ) -> SSAValue:
        """Append a call of a function outside the module."""
        inputs = [value.type for value in operands]
        if callee not in self.externals:
            type_ = llvm.LLVMFunctionType(inputs, result)
            op = llvm.FuncOp(callee, type_, llvm.LinkageAttr("external"))
            op.location = self.location
            self.externals[callee] = op
        call = call_op(callee, operands, [result])
        self.do(call)
        return call.results[0]

    def branch(
        self,
        condition: SSAValue,
        then: tuple[Block, Sequence[SSAValue]],
        otherwise: tuple[Block, Sequence[SSAValue]],
    ) -> None:
        """Append a conditional branch to two blocks with their arguments."""
        sizes = i32_array(1, len(then[1]), len(otherwise[1]))
        op = llvm.CondBrOp.create(
            operands=[condition, *then[1], *otherwise[1]],
            properties={"operandSegmentSizes": sizes},
            successors=[then[0], otherwise[0]],
        )
        self.do(op)

    def jump(self, block: Block, arguments: Sequence[SSAValue]) -> None:
        self.do(llvm.BrOp.create(operands=arguments, successors=[block]))

    def run(self, block: Block) -> None:
        """Lower every op of `block`."""
        for op in block_ops(block):
            self.lower(op)

    def body(self, block: Block) -> Operation:
        """Lower every op of `block` but the last, which is returned."""
        last = block.last_op
        assert last is not None
        for op in block_ops(block):
            if op is not last:
                self.lower(op)
        return last

    def lower(self, op: Operation) -> None:
        handler = HANDLERS.get(type(op))
        if handler is None:
            raise PassFailedException(f"loops-to-llvm has no rule for {op.name}")
        self.apply(handler, op)

    def apply(self, handler: LoopsHandler, op: Operation) -> None:
        """Lower `op` by `handler`."""
        outer, self.location = self.location, op.location
        handler(self, op)
        self.location = outer


def call_op(
    callee: str | None, operands: Sequence[SSAValue], results: Sequence[Attribute]
) -> llvm.CallOp:
    """Return a call of the symbol `callee`, or of the pointer that comes first."""
    properties: dict[str, Attribute] = {
        **({} if callee is None else {"callee": symbol_reference(callee)}),
        "op_bundle_sizes": i32_array(),
        "operandSegmentSizes": i32_array(len(operands), 0),
        "CConv": _C_CONVENTION,
        "TailCallKind": _NO_TAIL,
        "fastmathFlags": _NO_FLAGS,
    }
    return build_op(
        llvm.CallOp, operands=operands, result_types=results, properties=properties
    )


_C_CONVENTION = llvm.CallingConventionAttr("ccc")
_NO_TAIL = llvm.TailCallKindAttr(llvm.TailCallKind.NONE)
_NO_FLAGS = llvm.FastMathAttr(None)

LoopsHandler = Callable[[Translation, Any], None]
HANDLERS: dict[type[Operation], LoopsHandler] = {}


def lowers(*ops: type[Operation]) -> Callable[[LoopsHandler], LoopsHandler]:
    """Register a function as the rule for some op types."""

    def register(handler: LoopsHandler) -> LoopsHandler:
        HANDLERS.update(dict.fromkeys(ops, handler))
        return handler

    return register
