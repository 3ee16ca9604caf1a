"""LLVM IR of each op of the llvm and llvm_ext dialects."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.llvm import LLVM
from xdsl.ir import Operation

from glow.backends.cpu.llvm_text import LlvmWriter, constant_text
from glow.dialects.llvm_ext import atomics, conversion, elementwise, memory
from glow.support.attributes import numbers_of
from glow.support.discovery import mnemonic, ops_named
from glow.support.errors import CompilationError
from glow.support.op_construction import result_of
from glow.support.types import dtype_of
from glow.support.walking import operands_of

_WRAP = ("", " nsw", " nuw", " nuw nsw")
# LLVM's own order; the attribute holds a set.
_FLAG_ORDER = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
_ICMP = tuple(flag.value for flag in llvm.ALL_ICMP_FLAGS)
_FCMP = tuple(arith.CMPF_COMPARISON_OPERATIONS)

WriteOp: TypeAlias = Callable[[LlvmWriter, Any], None]
WRITERS: dict[type[Operation], WriteOp] = {}


def writes(*ops: type[Operation]) -> Callable[[WriteOp], WriteOp]:
    """Register a function as the writer of some op types."""

    def register(rule: WriteOp) -> WriteOp:
        WRITERS.update(dict.fromkeys(ops, rule))
        return rule

    return register


def _fast_math(op: Operation) -> str:
    flags = op.properties.get("fastmathFlags")
    if not isinstance(flags, llvm.FastMathAttr) or not flags.data:
        return ""
    present = {flag.value for flag in flags.data}
    if present >= set(_FLAG_ORDER):
        return "fast "
    return "".join(f"{flag} " for flag in _FLAG_ORDER if flag in present)


def _integer_flags(op: Operation) -> str:
    flags = ""
    overflow = op.properties.get("overflowFlags")
    if isinstance(overflow, IntegerAttr):
        flags = _WRAP[overflow.value.data]
    elif isinstance(overflow, llvm.OverflowAttr):
        flags = _WRAP[overflow.to_int()]
    for name, text in (("isExact", " exact"), ("isDisjoint", " disjoint")):
        flags += text if name in op.properties else ""
    return flags


@writes(*ops_named(LLVM, "add sub mul udiv sdiv urem srem and or xor shl lshr ashr"))
@writes(*ops_named(LLVM, "fadd fsub fmul fdiv frem"))
def _binary(w: LlvmWriter, op: Operation) -> None:
    lhs, rhs = operands_of(op)
    head = f"{mnemonic(op)}{_integer_flags(op)} {_fast_math(op)}"
    w.define(op, f"{head}{w.typed(lhs)}, {w.names[rhs]}")


@writes(llvm.FNegOp)
def _fneg(w: LlvmWriter, op: llvm.FNegOp) -> None:
    w.define(op, f"fneg {_fast_math(op)}{w.typed(op.arg)}")


@writes(*ops_named(LLVM, "trunc zext sext bitcast sitofp fpext fptrunc"))
@writes(*ops_named(LLVM, "ptrtoint inttoptr"))
@writes(conversion.UIToFPOp, conversion.FPToSIOp, conversion.FPToUIOp)
def _conversion(w: LlvmWriter, op: Operation) -> None:
    flags = _integer_flags(op) + (" nneg" if "nonNeg" in op.properties else "")
    (source,), result = operands_of(op), w.type(result_of(op).type)
    w.define(op, f"{mnemonic(op)}{flags} {w.typed(source)} to {result}")


@writes(conversion.FPToSISatOp, conversion.FPToUISatOp)
def _saturating(w: LlvmWriter, op: Operation) -> None:
    name = mnemonic(op).replace("_", ".")
    source, result = op.operands[0].type, op.results[0].type
    callee = f"llvm.{name}.{w.suffix(result)}.{w.suffix(source)}"
    w.call(op, callee, op.operands)


@writes(*ops_named(LLVM, "intr.fabs intr.ceil intr.sqrt intr.floor intr.maxnum"))
@writes(*ops_named(LLVM, "intr.minnum intr.copysign intr.fma"))
def _intrinsic(w: LlvmWriter, op: Operation) -> None:
    callee = f"llvm.{mnemonic(op)}.{w.suffix(op.results[0].type)}"
    w.call(op, callee, op.operands, _fast_math(op))


@writes(llvm.CallIntrinsicOp)
def _call_intrinsic(w: LlvmWriter, op: llvm.CallIntrinsicOp) -> None:
    has_bundles = numbers_of(op.op_bundle_sizes)
    arguments = op.args if has_bundles else operands_of(op)
    w.call(op, op.intrin.data, arguments, _fast_math(op))


@writes(llvm.ICmpOp)
def _icmp(w: LlvmWriter, op: llvm.ICmpOp) -> None:
    predicate = _ICMP[op.predicate.value.data]
    lhs, rhs = operands_of(op)
    w.define(op, f"icmp {predicate} {w.typed(lhs)}, {w.names[rhs]}")


@writes(llvm.FCmpOp, elementwise.CmpfOp)
def _fcmp(w: LlvmWriter, op: llvm.FCmpOp | elementwise.CmpfOp) -> None:
    lhs, rhs = op.operands
    predicate = _FCMP[op.predicate.value.data]
    w.define(op, f"fcmp {_fast_math(op)}{predicate} {w.typed(lhs)}, {w.names[rhs]}")


@writes(llvm.SelectOp, elementwise.SelectOp)
def _select(w: LlvmWriter, op: Operation) -> None:
    w.define(op, f"select {_fast_math(op)}{w.arguments(op.operands)}")


@writes(llvm.ConstantOp)
def _constant(w: LlvmWriter, op: llvm.ConstantOp) -> None:
    w.names[op.result] = constant_text(w, op.result.type, op.value)


@writes(llvm.UndefOp, llvm.ZeroOp)
def _undef(w: LlvmWriter, op: llvm.UndefOp | llvm.ZeroOp) -> None:
    is_zero = isinstance(op, llvm.ZeroOp)
    w.names[op.res] = "zeroinitializer" if is_zero else "undef"


@writes(llvm.AddressOfOp)
def _address_of(w: LlvmWriter, op: llvm.AddressOfOp) -> None:
    name = op.global_name.string_value()
    w.globals[name] = None
    w.names[op.result] = f"@{name}"


@writes(llvm.GEPOp)
def _gep(w: LlvmWriter, op: llvm.GEPOp) -> None:
    pointer, *dynamic = operands_of(op)
    given = iter(dynamic)
    indices = [
        w.typed(next(given)) if index == llvm.GEP_USE_SSA_VAL else f"i64 {index}"
        for index in numbers_of(op.rawConstantIndices)
    ]
    inbounds = "inbounds " if op.inbounds is not None else ""
    element = w.type(op.elem_type)
    operands = ", ".join([element, w.typed(pointer), *indices])
    w.define(op, f"getelementptr {inbounds}{operands}")


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    return (
        f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""
    )


def _refuse_atomic(op: Operation) -> None:
    ordering = op.properties.get("ordering")
    is_plain = not isinstance(ordering, IntegerAttr) or ordering.value.data == 0
    if not is_plain:
        raise CompilationError(f"no LLVM text for an atomic {op.name}")


@writes(llvm.LoadOp)
def _load(w: LlvmWriter, op: llvm.LoadOp) -> None:
    _refuse_atomic(op)
    (pointer,), result = operands_of(op), w.type(result_of(op).type)
    w.define(op, f"load {result}, {w.typed(pointer)}{_alignment(op)}")


@writes(llvm.StoreOp)
def _store(w: LlvmWriter, op: llvm.StoreOp) -> None:
    _refuse_atomic(op)
    volatile = "volatile " if op.volatile_ is not None else ""
    hint = ""
    if op.nontemporal is not None:
        hint, w.uses_nontemporal = ", !nontemporal !0", True
    operands = w.arguments(operands_of(op))
    w.line(f"store {volatile}{operands}{_alignment(op)}{hint}")


@writes(atomics.AtomicLoadOp, atomics.AtomicStoreOp)
def _atomic(w: LlvmWriter, op: atomics.AtomicLoadOp | atomics.AtomicStoreOp) -> None:
    if isinstance(op, atomics.AtomicLoadOp):
        type_, order = w.type(op.result.type), f"seq_cst, align {op.bytes}"
        w.define(op, f"load atomic {type_}, {w.typed(op.base)} {order}")
    else:
        operands = w.arguments([op.value, op.base])
        w.line(f"store atomic {operands} release, align {op.bytes}")


@writes(atomics.AtomicRMWOp)
def _atomic_rmw(w: LlvmWriter, op: atomics.AtomicRMWOp) -> None:
    operands = w.arguments([op.base, op.value])
    w.define(op, f"atomicrmw {op.kind.data} {operands} seq_cst")


@writes(atomics.CompareExchangeOp)
def _compare_exchange(w: LlvmWriter, op: atomics.CompareExchangeOp) -> None:
    """LLVM returns the old value and whether it was the expected one."""
    pair, type_ = f"%pair{w.name(op.result)[1:]}", w.type(op.result.type)
    operands = w.arguments([op.base, op.expected, op.new])
    w.line(f"{pair} = cmpxchg {operands} seq_cst seq_cst")
    w.line(f"{w.names[op.result]} = extractvalue {{ {type_}, i1 }} {pair}, 0")


@writes(llvm.AllocaOp)
def _alloca(w: LlvmWriter, op: llvm.AllocaOp) -> None:
    w.define(op, f"alloca {w.type(op.elem_type)}, {w.typed(op.size)}{_alignment(op)}")


@writes(memory.MaskedLoadOp, memory.MaskedStoreOp)
def _masked(w: LlvmWriter, op: memory.MaskedLoadOp | memory.MaskedStoreOp) -> None:
    is_load = isinstance(op, memory.MaskedLoadOp)
    name, value = ("load", op.result) if is_load else ("store", op.value)
    callee = f"llvm.masked.{name}.{w.suffix(value.type)}.p0"
    alignment = {list(op.operands).index(op.pointer): _alignment(op).lstrip(",")}
    w.call(op, callee, op.operands, attributes=alignment)


@writes(memory.GatherLanesOp)
def _gather(w: LlvmWriter, op: memory.GatherLanesOp) -> None:
    """LLVM gathers by a vector of pointers."""
    type_: Any = op.result.type
    lanes, element = type_.get_shape()[0], w.type(type_.element_type)
    pointers = f"%places{w.name(op.result)[1:]}"
    base, offsets = w.names[op.base], w.typed(op.offsets)
    w.line(f"{pointers} = getelementptr {element}, ptr {base}, {offsets}")
    callee = f"llvm.masked.gather.{w.suffix(type_)}.v{lanes}p0"
    places, mask, result = f"<{lanes} x ptr>", f"<{lanes} x i1>", w.type(type_)
    w.declared[callee] = f"declare {result} @{callee}({places}, {mask}, {result})"
    places += f" align {dtype_of(type_.element_type).itemsize} {pointers}"
    mask += f" <{', '.join(['i1 true'] * lanes)}>"
    call = f"call {result} @{callee}({places}, {mask}, {result} poison)"
    w.line(f"{w.names[op.result]} = {call}")


@writes(llvm.InsertElementOp, memory.ExtractElementOp)
def _element(w: LlvmWriter, op: Operation) -> None:
    w.define(op, f"{mnemonic(op)} {w.arguments(operands_of(op))}")


@writes(llvm.ShuffleVectorOp)
def _shuffle(w: LlvmWriter, op: llvm.ShuffleVectorOp) -> None:
    mask = _mask(numbers_of(op.mask))
    w.define(op, f"shufflevector {w.arguments(operands_of(op))}, {mask}")


@lru_cache(1 << 10)
def _mask(lanes: Sequence[int]) -> str:
    texts = ", ".join(f"i32 {n}" if n >= 0 else "i32 poison" for n in lanes)
    return f"<{len(lanes)} x i32> <{texts}>"


@writes(llvm.ExtractValueOp, llvm.InsertValueOp)
def _value(w: LlvmWriter, op: llvm.ExtractValueOp | llvm.InsertValueOp) -> None:
    positions = ", ".join(map(str, op.position.iter_values()))
    w.define(op, f"{mnemonic(op)} {w.arguments(op.operands)}, {positions}")


@writes(llvm.CallOp)
def _call(w: LlvmWriter, op: llvm.CallOp) -> None:
    callee = op.callee
    result = w.type(op.results[0].type) if op.results else "void"
    if callee is None:
        pointer, *arguments = op.args
        if op.results:
            raise CompilationError("no LLVM text for the result of a function pointer")
        w.line(f"call {result} {w.names[pointer]}({w.arguments(arguments)})")
        return
    name = callee.string_value()
    types = ", ".join(w.type(value.type) for value in op.args)
    w.callees[name] = f"declare {result} @{name}({types})"
    w.define(op, f"call {result} @{name}({w.arguments(op.args)})")


@writes(llvm.BrOp)
def _br(w: LlvmWriter, op: llvm.BrOp) -> None:
    w.line(f"br {w.edge(op.successor, op.arguments)}")


@writes(llvm.CondBrOp)
def _cond_br(w: LlvmWriter, op: llvm.CondBrOp) -> None:
    """A phi names edges by their source: a second edge to a block needs another one."""
    condition, then = w.typed(op.cond), w.edge(op.then_block, op.then_arguments)
    between = f"{w.label}.to.{w.labels[op.else_block]}"
    is_one = op.then_block is op.else_block
    start = between if is_one else w.label
    otherwise = w.edge(op.else_block, op.else_arguments, start)
    w.line(f"br {condition}, {then}, {f'label %{between}' if is_one else otherwise}")
    if is_one:
        w.lines.append(f"{between}:\n  br {otherwise}")


@writes(llvm.ReturnOp)
def _return(w: LlvmWriter, op: llvm.ReturnOp) -> None:
    w.line("ret void" if op.arg is None else f"ret {w.typed(op.arg)}")


@writes(llvm.UnreachableOp)
def _unreachable(w: LlvmWriter, op: llvm.UnreachableOp) -> None:
    w.line("unreachable")
