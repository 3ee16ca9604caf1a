"""Rules for the atomic accesses of `llvm_ext`: the same ops, by pointer."""

from __future__ import annotations

from xdsl.ir import Operation

from glow.dialects.llvm_ext import atomics
from glow.lowering.loops_to_llvm.memory import address
from glow.lowering.loops_to_llvm.state import Translation, lowers
from glow.support.op_construction import build_op


@lowers(atomics.AtomicLoadOp, atomics.AtomicStoreOp)
@lowers(atomics.AtomicRMWOp, atomics.CompareExchangeOp)
def _access(f: Translation, op: atomics.Atomic) -> None:
    operands = [*f.all(op.numbers), address(f, op.base, op.indices)]
    kind: type[Operation] = type(op)
    if op.results:
        f.replace(op, f.make(kind, operands, op.results[0].type, **op.properties))
    else:
        f.do(build_op(kind, operands=operands, properties=op.properties))
