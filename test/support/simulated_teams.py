"""Several workers in one thread: pieces of sections in random order, one at a time."""

from __future__ import annotations

import random
from itertools import pairwise

from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.team.sections import CallOp, SectionOp, StrandOp
from glow.lowering.loops_to_llvm.sections import sink_pointers

_TEAM, _SCRATCH = 4, 5
"""The arguments of `main` that only teams have."""


def run_alone(module: ModuleOp, workers: int = 3, seed: int = 0) -> int:
    """
    Make `main` do all pieces itself, as if `workers` had taken them at random.

    Each has memory of its own, in the arena; nobody clears it. Return how many calls
    of strands that takes.
    """
    arena, own = (number_of(module, name) for name in ("arena_bytes", "worker_bytes"))
    own = -(-own // 64) * 64
    start = -(-arena // 64) * 64
    rng, pieces = random.Random(seed), 0
    (main,) = (
        op
        for op in module.ops
        if isinstance(op, func.FuncOp) and op.sym_name.data == "main"
    )
    args = main.body.block.args
    if len(args) <= _TEAM:
        return 0
    sink_pointers(main)
    for section in [op for op in main.body.block.ops if isinstance(op, SectionOp)]:
        todo = [(each, part) for each in section.strands for part in _parts(each, rng)]
        rng.shuffle(todo)
        for strand, part in todo:
            _do(strand, part, section, args, start + rng.randrange(workers) * own)
        pieces += len(todo)
        section.detach()
        section.erase()
    for number in (_SCRATCH, _TEAM):
        main.body.block.erase_arg(args[number])
    main.update_function_type()
    for op in list(module.ops):
        if isinstance(op, func.FuncOp) and op.sym_name.data.startswith("team_"):
            op.detach()
            op.erase()
    for name in ("strands", "sections", "worker_bytes"):
        del module.attributes[f"glow.{name}"]
    module.attributes["glow.arena_bytes"] = IntegerAttr(start + workers * own, i64)
    return pieces


def number_of(module: ModuleOp, name: str) -> int:
    """Return what a module says of itself, 0 if nothing."""
    attribute = module.attributes.get(f"glow.{name}")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def _parts(strand: StrandOp, rng: random.Random) -> list[tuple[int, int]]:
    """Return some neighboring pieces, three times: all at once would take long."""
    cuts = sorted({0, strand.pieces, *(rng.randrange(strand.pieces) for _ in range(2))})
    return list(pairwise(cuts))


def _do(
    strand: StrandOp,
    part: tuple[int, int],
    section: SectionOp,
    args: tuple[SSAValue, ...],
    own: int,
) -> None:
    """Do pieces before `section`, with memory that begins at byte `own`."""
    builder = Builder(InsertPoint.before(section))
    values: dict[SSAValue, SSAValue] = {}
    for op in strand.body.block.ops:
        if isinstance(op, CallOp):
            _call(builder, op, part, values)
        else:
            assert isinstance(op, BaseOp)
            values[op.result] = builder.insert(_pointer(op, args, own)).result


def _pointer(op: BaseOp, args: tuple[SSAValue, ...], own: int) -> BaseOp:
    if op.source is not args[_SCRATCH]:
        return op.clone()
    return BaseOp.create(
        operands=[args[0]],
        result_types=[op.result.type],
        properties={"offset": IntegerAttr(op.offset.value.data + own, i64)},
    )


def _call(
    builder: Builder,
    op: CallOp,
    part: tuple[int, int],
    values: dict[SSAValue, SSAValue],
) -> None:
    units, step = op.units.value.data, op.step.value.data
    bounds = [min(n * step, units) for n in part]
    numbers = [
        builder.insert(ConstantOp(IntegerAttr(n, IndexType()))).result for n in bounds
    ]
    arguments = [values.get(value, value) for value in op.arguments]
    call = func.CallOp(op.callee, [*arguments, *numbers], [])
    call.location = op.location
    builder.insert(call)
