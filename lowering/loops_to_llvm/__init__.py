"""
Lower the loops level to the llvm dialect.

One walk over each function builds its `llvm.func` from a table of rules, one per op
type. Operands and types are converted as they are met, so there are no casts, no sweep
over types, and no `cf` in between (which is accepted, too). A memref is a bare pointer
to its first element; its type says how indices become an offset.
"""

from dataclasses import dataclass
from importlib import import_module

from xdsl.context import Context
from xdsl.dialects import func, llvm, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from glow.lowering.loops_to_llvm.state import Externals
from glow.lowering.loops_to_llvm.symbols import lower_function, lower_global

# Each registers the rules of a dialect.
for _rules in ("arithmetic", "control", "mathematics", "memory", "vectors"):
    import_module(f"{__name__}.{_rules}")


@dataclass(frozen=True)
class LoopsToLlvmPass(ModulePass):
    """
    Replace every function and global by its counterpart in the llvm dialect.

    index becomes i64, a memref a pointer, an i1 in memory a byte, floats of 16 bits
    the i16 that has their bits. `fma` becomes llvm.fmuladd, which fuses where the
    target can. A loop is tested at its end, and in front unless it has the attribute
    `nonempty`.

    Level: loops -> llvm. Needs: expand-math, for functions of f32 to be fast.
    Errors: an op without a rule, vectors of several axes, dynamic inner strides.
    """

    name = "loops-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        externals = Externals()
        block = op.body.block
        for old in list(block.ops):
            new = _lowered(old, externals)
            if new is not None:
                new.location = old.location
                block.insert_op_before(new, old)
                old.detach()
                old.erase()
        known = {f.sym_name.data for f in block.ops if isinstance(f, llvm.FuncOp)}
        for declaration in externals.declarations():
            if declaration.sym_name.data not in known:
                block.add_op(declaration)


def _lowered(op: Operation, externals: Externals) -> Operation | None:
    match op:
        case func.FuncOp():
            return lower_function(op, externals)
        case memref.GlobalOp():
            return lower_global(op)
        case _:
            return None
