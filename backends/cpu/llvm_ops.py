"""LLVM IR of each op of the llvm and llvm_ext dialects."""

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Operation

from glow.backends.cpu.llvm_text import Writer, constant_text
from glow.dialects.llvm_ext import conversion, elementwise, memory

_BINARY: dict[type[Operation], str] = {
    llvm.AddOp: "add",
    llvm.SubOp: "sub",
    llvm.MulOp: "mul",
    llvm.UDivOp: "udiv",
    llvm.SDivOp: "sdiv",
    llvm.URemOp: "urem",
    llvm.SRemOp: "srem",
    llvm.AndOp: "and",
    llvm.OrOp: "or",
    llvm.XOrOp: "xor",
    llvm.ShlOp: "shl",
    llvm.LShrOp: "lshr",
    llvm.AShrOp: "ashr",
    llvm.FAddOp: "fadd",
    llvm.FSubOp: "fsub",
    llvm.FMulOp: "fmul",
    llvm.FDivOp: "fdiv",
    llvm.FRemOp: "frem",
}
_CONVERSIONS: dict[type[Operation], str] = {
    llvm.TruncOp: "trunc",
    llvm.ZExtOp: "zext",
    llvm.SExtOp: "sext",
    llvm.BitcastOp: "bitcast",
    llvm.SIToFPOp: "sitofp",
    llvm.FPExtOp: "fpext",
    llvm.FPTruncOp: "fptrunc",
    llvm.PtrToIntOp: "ptrtoint",
    llvm.IntToPtrOp: "inttoptr",
    conversion.UIToFPOp: "uitofp",
    conversion.FPToSIOp: "fptosi",
    conversion.FPToUIOp: "fptoui",
}
_INTRINSICS: dict[type[Operation], str] = {
    llvm.FAbsOp: "llvm.fabs",
    llvm.FCeilOp: "llvm.ceil",
    llvm.FSqrtOp: "llvm.sqrt",
    llvm.FFloorOp: "llvm.floor",
    llvm.VectorFMaxOp: "llvm.maxnum",
    llvm.VectorFMinOp: "llvm.minnum",
    llvm.FCopySignOp: "llvm.copysign",
    llvm.FMAOp: "llvm.fma",
}
_WRAP = ("", " nsw", " nuw", " nuw nsw")
# LLVM's own order; the attribute holds a set.
_FLAG_ORDER = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
_ICMP = tuple(flag.value for flag in llvm.ALL_ICMP_FLAGS)
_FCMP = tuple(arith.CMPF_COMPARISON_OPERATIONS)

WRITERS: dict[type[Operation], Callable[[Writer, Any], None]] = {}


def writes(
    *ops: type[Operation],
) -> Callable[[Callable[[Writer, Any], None]], Callable[[Writer, Any], None]]:
    """Register a function as the writer of some op types."""

    def register(writer: Callable[[Writer, Any], None]):
        WRITERS.update(dict.fromkeys(ops, writer))
        return writer

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


@writes(*_BINARY)
def _binary(w: Writer, op: Operation) -> None:
    lhs, rhs = op.operands
    flags = _integer_flags(op)
    head = f"{_BINARY[type(op)]}{flags} {_fast_math(op)}"
    w.define(op, f"{head}{w.typed(lhs)}, {w.names[rhs]}")


@writes(llvm.FNegOp)
def _fneg(w: Writer, op: llvm.FNegOp) -> None:
    w.define(op, f"fneg {_fast_math(op)}{w.typed(op.arg)}")


@writes(*_CONVERSIONS)
def _conversion(w: Writer, op: Operation) -> None:
    flags = _integer_flags(op) + (" nneg" if "nonNeg" in op.properties else "")
    source, result = op.operands[0], op.results[0]
    head = f"{_CONVERSIONS[type(op)]}{flags} {w.typed(source)}"
    w.define(op, f"{head} to {w.type(result.type)}")


@writes(conversion.FPToSISatOp, conversion.FPToUISatOp)
def _saturating(w: Writer, op: Operation) -> None:
    name = "fptosi" if isinstance(op, conversion.FPToSISatOp) else "fptoui"
    source, result = op.operands[0].type, op.results[0].type
    callee = f"llvm.{name}.sat.{w.suffix(result)}.{w.suffix(source)}"
    w.call(op, callee, op.operands)


@writes(*_INTRINSICS)
def _intrinsic(w: Writer, op: Operation) -> None:
    callee = f"{_INTRINSICS[type(op)]}.{w.suffix(op.results[0].type)}"
    w.call(op, callee, op.operands, _fast_math(op))


@writes(llvm.CallIntrinsicOp)
def _call_intrinsic(w: Writer, op: llvm.CallIntrinsicOp) -> None:
    w.call(op, op.intrin.data, op.args, _fast_math(op))


@writes(llvm.ICmpOp)
def _icmp(w: Writer, op: llvm.ICmpOp) -> None:
    predicate = _ICMP[op.predicate.value.data]
    w.define(op, f"icmp {predicate} {w.typed(op.lhs)}, {w.names[op.rhs]}")


@writes(llvm.FCmpOp, elementwise.CmpfOp)
def _fcmp(w: Writer, op: llvm.FCmpOp | elementwise.CmpfOp) -> None:
    lhs, rhs = op.operands
    predicate = _FCMP[op.predicate.value.data]
    w.define(op, f"fcmp {_fast_math(op)}{predicate} {w.typed(lhs)}, {w.names[rhs]}")


@writes(llvm.SelectOp, elementwise.SelectOp)
def _select(w: Writer, op: Operation) -> None:
    w.define(op, f"select {_fast_math(op)}{w.arguments(op.operands)}")


@writes(llvm.ConstantOp)
def _constant(w: Writer, op: llvm.ConstantOp) -> None:
    w.names[op.result] = constant_text(w, op.result.type, op.value)


@writes(llvm.UndefOp)
def _undef(w: Writer, op: llvm.UndefOp) -> None:
    w.names[op.res] = "undef"


@writes(llvm.ZeroOp)
def _zero(w: Writer, op: llvm.ZeroOp) -> None:
    w.names[op.res] = "zeroinitializer"


@writes(llvm.AddressOfOp)
def _address_of(w: Writer, op: llvm.AddressOfOp) -> None:
    name = op.global_name.string_value()
    w.globals[name] = None
    w.names[op.result] = f"@{name}"


@writes(llvm.GEPOp)
def _gep(w: Writer, op: llvm.GEPOp) -> None:
    dynamic = iter(op.ssa_indices)
    indices = ", ".join(
        w.typed(next(dynamic)) if index == llvm.GEP_USE_SSA_VAL else f"i64 {index}"
        for index in op.rawConstantIndices.iter_values()
    )
    inbounds = "inbounds " if op.inbounds is not None else ""
    element = w.type(op.elem_type)
    w.define(op, f"getelementptr {inbounds}{element}, {w.typed(op.ptr)}, {indices}")


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    return (
        f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""
    )


def _refuse_atomic(op: Operation) -> None:
    ordering = op.properties.get("ordering")
    is_plain = not isinstance(ordering, IntegerAttr) or ordering.value.data == 0
    assert is_plain, f"no LLVM text for an atomic {op.name}"


@writes(llvm.LoadOp)
def _load(w: Writer, op: llvm.LoadOp) -> None:
    _refuse_atomic(op)
    result = w.type(op.dereferenced_value.type)
    w.define(op, f"load {result}, {w.typed(op.ptr)}{_alignment(op)}")


@writes(llvm.StoreOp)
def _store(w: Writer, op: llvm.StoreOp) -> None:
    _refuse_atomic(op)
    volatile = "volatile " if op.volatile_ is not None else ""
    hint = ""
    if op.nontemporal is not None:
        hint, w.uses_nontemporal = ", !nontemporal !0", True
    operands = w.arguments(op.operands)
    w.line(f"store {volatile}{operands}{_alignment(op)}{hint}")


@writes(llvm.AllocaOp)
def _alloca(w: Writer, op: llvm.AllocaOp) -> None:
    w.define(op, f"alloca {w.type(op.elem_type)}, {w.typed(op.size)}{_alignment(op)}")


@writes(memory.MaskedLoadOp)
def _masked_load(w: Writer, op: memory.MaskedLoadOp) -> None:
    callee = f"llvm.masked.load.{w.suffix(op.result.type)}.p0"
    w.call(op, callee, op.operands, attributes={0: _aligned(op)})


@writes(memory.MaskedStoreOp)
def _masked_store(w: Writer, op: memory.MaskedStoreOp) -> None:
    callee = f"llvm.masked.store.{w.suffix(op.value.type)}.p0"
    w.call(op, callee, op.operands, attributes={1: _aligned(op)})


def _aligned(op: memory.MaskedLoadOp | memory.MaskedStoreOp) -> str:
    return f" align {op.alignment.value.data}"


@writes(llvm.InsertElementOp, memory.ExtractElementOp)
def _element(w: Writer, op: Operation) -> None:
    is_insert = isinstance(op, llvm.InsertElementOp)
    name = "insertelement" if is_insert else "extractelement"
    w.define(op, f"{name} {w.arguments(op.operands)}")


@writes(llvm.ShuffleVectorOp)
def _shuffle(w: Writer, op: llvm.ShuffleVectorOp) -> None:
    values = list(op.mask.iter_values())
    lanes = ", ".join(f"i32 {v}" if v >= 0 else "i32 poison" for v in values)
    mask = f"<{len(values)} x i32> <{lanes}>"
    w.define(op, f"shufflevector {w.arguments(op.operands)}, {mask}")


def _positions(position: DenseArrayBase[Any]) -> str:
    return ", ".join(str(index) for index in position.iter_values())


@writes(llvm.ExtractValueOp)
def _extract_value(w: Writer, op: llvm.ExtractValueOp) -> None:
    w.define(op, f"extractvalue {w.typed(op.container)}, {_positions(op.position)}")


@writes(llvm.InsertValueOp)
def _insert_value(w: Writer, op: llvm.InsertValueOp) -> None:
    operands = f"{w.typed(op.container)}, {w.typed(op.value)}"
    w.define(op, f"insertvalue {operands}, {_positions(op.position)}")


@writes(llvm.CallOp)
def _call(w: Writer, op: llvm.CallOp) -> None:
    callee = op.callee
    result = w.type(op.results[0].type) if op.results else "void"
    if callee is None:
        pointer, *arguments = op.args
        assert not op.results, "no LLVM text for what a pointer returns"
        w.line(f"call {result} {w.names[pointer]}({w.arguments(arguments)})")
        return
    name = callee.string_value()
    types = ", ".join(w.type(value.type) for value in op.args)
    w.callees[name] = f"declare {result} @{name}({types})"
    text = f"call {result} @{name}({w.arguments(op.args)})"
    if op.results:
        w.define(op, text)
    else:
        w.line(text)


@writes(llvm.BrOp)
def _br(w: Writer, op: llvm.BrOp) -> None:
    w.line(f"br {w.edge(op.successor, op.arguments)}")


@writes(llvm.CondBrOp)
def _cond_br(w: Writer, op: llvm.CondBrOp) -> None:
    """A phi tells edges apart by their block: two edges to one need another block."""
    condition, then = w.typed(op.cond), w.edge(op.then_block, op.then_arguments)
    if op.then_block is not op.else_block:
        otherwise = w.edge(op.else_block, op.else_arguments)
        w.line(f"br {condition}, {then}, {otherwise}")
        return
    otherwise, block = w.trampoline(op.else_block, op.else_arguments)
    w.line(f"br {condition}, {then}, {otherwise}")
    w.lines.append(block)


@writes(llvm.ReturnOp)
def _return(w: Writer, op: llvm.ReturnOp) -> None:
    w.line("ret void" if op.arg is None else f"ret {w.typed(op.arg)}")


@writes(llvm.UnreachableOp)
def _unreachable(w: Writer, op: llvm.UnreachableOp) -> None:
    w.line("unreachable")
