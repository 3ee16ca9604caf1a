"""Quick checks of ops accept what the compiler makes, and nothing that xDSL refuses."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import growing
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr, UnitAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

import glow
from glow.analysis.declarations import declaration_of
from glow.analysis.validity import verify_module
from glow.graph_modules import context
from glow.model import Model, parse_text
from glow.options import DEFAULTS
from glow.pass_manager import plan, run_passes
from glow.pipeline import LEVELS
from glow.support.walking import ops_in

NAMES = "convolutions", "softmaxes", "concat"


@pytest.fixture(scope="module")
def ops() -> list[Operation]:
    """Return ops of all levels, of kernels too."""
    modules: list[ModuleOp] = []
    for name in NAMES:
        model = glow.load(growing.SHAPES[name](6).SerializeToString())
        assert isinstance(model, Model)
        module = model.module.clone()
        for done, level in pairwise(LEVELS):
            for part in plan(done, level, "cpu:avx2", DEFAULTS):
                run_passes(part.passes, context(), module)
            modules.append(module.clone())
    return [op for module in modules for op in ops_in(module.body)]


def accepted(op: Operation) -> bool:
    declaration = declaration_of(type(op))
    return declaration is not None and declaration.accepts(op)


@pytest.mark.slow
def test_ops_of_all_levels_are_accepted(ops: list[Operation]) -> None:
    left = {op.name for op in ops if not accepted(op)}
    own = {name for name in left if name.split(".")[0] not in ("llvm", "scf", "vector")}
    assert not own, "xDSL checks each of these anew"


def wrong_ones(op: Operation) -> Iterator[Operation]:
    """Yield ops like `op`, with most of the things that can be wrong about one."""
    operands, types = list(op.operands), [result.type for result in op.results]
    changed = [*types]
    for i in range(len(types)):
        for other in (i1, UnitAttr(), *(value.type for value in operands)):
            yield remade(op, types=[*types[:i], other, *types[i + 1 :]])
    yield remade(op, types=[*changed, i32])
    yield remade(op, types=types[1:])
    for i in range(len(operands)):
        yield remade(op, operands=operands[:i] + operands[i + 1 :])
        yield remade(op, operands=[*operands[:i], operands[0], *operands[i + 1 :]])
    yield remade(op, operands=[*operands, *operands[:1]])
    for name in op.properties:
        yield remade(op, {k: v for k, v in op.properties.items() if k != name})
        for other in (UnitAttr(), StringAttr("other"), *op.properties.values()):
            yield remade(op, op.properties | {name: other})
    yield remade(op, op.properties | {"unknown": UnitAttr()})


def remade(
    op: Operation,
    properties: Mapping[str, Attribute] | None = None,
    operands: Sequence[SSAValue] | None = None,
    types: Sequence[Attribute] | None = None,
) -> Operation:
    new = type(op).create(
        operands=op.operands if operands is None else operands,
        result_types=[r.type for r in op.results] if types is None else types,
        properties=op.properties if properties is None else properties,
        attributes=op.attributes,
        successors=op.successors,
    )
    for region in op.regions:
        new.add_region(region.clone())
    return new


@pytest.mark.slow
def test_nothing_is_accepted_that_xdsl_refuses(ops: list[Operation]) -> None:
    kinds = {(op.name, len(op.operands), tuple(op.properties)): op for op in ops}
    refused = 0
    for op in kinds.values():
        for wrong in wrong_ones(op):
            if accepted(wrong):
                wrong.verify(verify_nested_ops=False)
            else:
                refused += 1
            wrong.erase(safe_erase=False)
    assert refused > 1000


def test_values_from_outside_a_function_are_not_accepted() -> None:
    text = """
        func.func @f(%a: index) {
          scf.for %i = %a to %a step %a {
            %b = arith.addi %a, %i : index
          }
          func.return
        }"""
    module = parse_text(context(), text, "f.mlir")
    (function,) = module.ops
    assert accepted(function)
    add = next(op for op in ops_in(function.body) if isinstance(op, arith.AddiOp))
    outer = arith.ConstantOp.from_int_and_width(1, IndexType())
    module.body.block.insert_op_before(outer, function)
    add.operands[0] = outer.result
    assert not accepted(function)
    with pytest.raises(VerifyException, match="IsolatedFromAbove"):
        verify_module(module)
