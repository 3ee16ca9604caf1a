"""Everything that handles any op handles each with and without its optional slots."""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest
from graph_code import module_of
from optionals import OPS, after, found_in, module_with, pairs, variants, with_slot
from random_ops.call import Call
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

import glow
from glow.backends.reference.executable import ReferenceExecutable
from glow.backends.reference.physical import PhysicalStorage
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.layer_norm import LayerNormOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.pooling import MaxPoolOp
from glow.dialects.graph.presence import optional_slots, presence_of
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import pipeline_text, plan, run_part
from glow.pipeline import stages_between
from glow.runtime.comparison import error_of
from glow.support.types import has_layout, shape_of
from glow.tools.graph_drawing import dot_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN

every_op = pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)


def presences(module: ModuleOp, op: type[GraphOp]) -> list[frozenset[str]]:
    return [presence_of(each) for each in found_in(module, op)]


def lowered(module: ModuleOp, last: str) -> ModuleOp:
    """Return `module` for cpu behind stage `last`; each stage verifies it."""
    for part in plan("import", last, "cpu"):
        run_part(part, context(), module)
    return module


@every_op
def test_each_slot_is_absent_and_present_here(op: type[GraphOp]) -> None:
    found = [presence_of(call.build()) for call in variants(op)]
    for slot in optional_slots(op):
        assert {slot in presence for presence in found} == {True, False}, slot


@every_op
def test_clone_print_and_parse(op: type[GraphOp]) -> None:
    module = module_with(variants(op))
    expected = presences(module, op)
    clone = module.clone()
    assert clone.is_structurally_equivalent(module)
    assert presences(clone, op) == expected
    again = parse_text(context(), str(module), "test")
    assert again.is_structurally_equivalent(module)
    assert presences(again, op) == expected


@every_op
def test_the_number_of_slots_stays(op: type[GraphOp]) -> None:
    made = [call.build() for call in variants(op)]
    assert len({len(each.slots()) for each in made}) == 1
    for each in made:
        absent = set(optional_slots(op)) - presence_of(each)
        assert all(not getattr(each, name) for name in absent)


@every_op
def test_a_required_operand_is_missed(op: type[GraphOp]) -> None:
    for call in variants(op):
        made = call.build()
        less = op.create(
            operands=made.operands[1:],
            result_types=[result.type for result in made.results],
            properties=made.properties,
        )
        with pytest.raises(VerifyException):
            less.verify()


@every_op
def test_common_subexpressions_and_dead_code(op: type[GraphOp]) -> None:
    for call in variants(op):

        def twice(*arguments: SSAValue, call: Call = call) -> list[SSAValue]:
            ops = [call.build(arguments) for _ in range(2)]
            return [result for each in ops for result in each.results]

        module = module_of(call.arrays, {}, twice)
        after(module, "cse")
        assert len(found_in(module, op)) == 1, "with the same absences they are one"

        def unread(*arguments: SSAValue, call: Call = call) -> list[SSAValue]:
            call.build(arguments)
            return list(arguments)

        module = module_of(call.arrays, {}, unread)
        after(module, "dce")
        assert not found_in(module, op)


@every_op
def test_another_presence_is_another_value(op: type[GraphOp]) -> None:
    for present, absent in pairs(op):

        def both(
            *arguments: SSAValue, present: Call = present, absent: Call = absent
        ) -> list[SSAValue]:
            whole = present.build(arguments)
            kept = {id(array) for array in absent.arrays}
            left = zip(arguments, present.arrays, strict=True)
            less = absent.build([value for value, a in left if id(a) in kept])
            return [*whole.results, *less.results]

        module = module_of(present.arrays, {}, both)
        after(module, "cse")
        assert len(found_in(module, op)) == 2


@every_op
def test_neighbors_are_not_mixed_up(op: type[GraphOp]) -> None:
    """One value in one slot, or in the next one, is not the same."""
    slots = optional_slots(op).operands
    for present, _ in pairs(op):
        for one, other in pairwise(slots):
            array = np.ones((), present.arrays[0].dtype)
            shared = next((a for a in present.arrays[1:]), array)
            calls = [
                with_slot(with_slot(present, one, shared), other, None),
                with_slot(with_slot(present, one, None), other, shared),
            ]
            if not all(len(c.arrays) == 2 and c.is_valid for c in calls):
                continue

            def both(*arguments: SSAValue, calls: list[Call] = calls) -> list[SSAValue]:
                ops = [call.build(arguments) for call in calls]
                return [result for each in ops for result in each.results]

            module = module_of(calls[0].arrays, {}, both)
            after(module, "cse")
            assert len({frozenset(p) for p in presences(module, op)}) == 2
            text = str(module)
            assert str(parse_text(context(), text, "test")) == text


@every_op
def test_constants_fold(op: type[GraphOp]) -> None:
    for call in variants(op):
        names = [f"c{number}" for number in range(len(call.arrays))]
        constants = dict(zip(names, call.arrays, strict=True))

        def body(call: Call = call, **loads: SSAValue) -> list[SSAValue]:
            return list(call.build(list(loads.values())).results)

        module = module_of([], constants, body)
        after(module, "fold-constants")
        assert not found_in(module, op)


@every_op
def test_drawing_has_an_edge_for_each_operand_that_is_there(op: type[GraphOp]) -> None:
    for call in variants(op):
        module = module_with([call])
        (made,) = found_in(module, op)
        (node,) = re.findall(rf'(n\d+) \[label="{re.escape(op.name)}', dot_of(module))
        edges = re.findall(rf"-> {node}\b", dot_of(module))
        assert len(edges) == len(made.operands)


@pytest.mark.slow
@every_op
def test_groups_are_the_same(op: type[GraphOp]) -> None:
    """What is fused behind an op does not depend on what it is given."""
    for present, absent in pairs(op):
        if present.arrays[0].dtype != np.float32:
            continue

        def body(*arguments: SSAValue, call: Call) -> list[SSAValue]:
            made = call.build(arguments)
            return [ReluOp(made.results[0]).result, *made.results[1:]]

        modules = [
            lowered(module_of(call.arrays, {}, partial(body, call=call)), "layout")
            for call in (present, absent)
        ]
        if all(found_in(module, op) for module in modules):  # not written as others
            counts = [str(module).count("graph.fused") for module in modules]
            assert counts[0] == counts[1]


def turned(call: Call) -> ModuleOp:
    """Return `call` on operands, and with results, that are transposed around it."""

    def transposed(value: SSAValue) -> SSAValue:
        order = range(len(shape_of(value)))[::-1]
        return TransposeOp(value, permutation=order).result

    def body(*arguments: SSAValue) -> list[SSAValue]:
        made = call.build([transposed(value) for value in arguments])
        return [transposed(result) for result in made.results]

    return module_of([array.T for array in call.arrays], {}, body)


@every_op
def test_layouts_are_assigned(op: type[GraphOp]) -> None:
    """In them the kernels of cpu read and write the same numbers, whatever is given."""
    for call in variants(op):
        module = turned(call)
        stage = pipeline_text(stages_between("graph", "layout"), "cpu")
        after(module, f"arguments-to-placeholders,{stage}")
        assert len(found_in(module, op)) == 1
        assert presences(module, op) == [presence_of(call.build())]
        run = ReferenceExecutable(module, partial(PhysicalStorage, "cpu"))
        results = run(*(array.T for array in call.arrays))
        found = results if isinstance(results, tuple) else (results,)
        for one, other in zip(found, call.expected(), strict=True):
            assert error_of(one.T, other) <= 1e-5, str(call)


@pytest.mark.parametrize("op", [ConvOp, MaxPoolOp, LayerNormOp])
def test_layouts_are_others_than_row_major(op: type[GraphOp]) -> None:
    """So the test above tells them apart, with optional slots and without."""
    laid_out: set[bool] = set()
    for call in variants(op):
        module = turned(call)
        after(module, "assign-layouts,verify-layouts")
        (made,) = found_in(module, op)
        if any(map(has_layout, (*made.operands, *made.results))):
            laid_out.add(bool(presence_of(made)))
    assert laid_out == {True, False}


@pytest.mark.slow
@every_op
def test_a_neutral_operand_costs_no_byte(op: type[GraphOp]) -> None:
    """Arena, constants and calls are those of a program written without it."""
    for call in variants(op):
        given = module_with([call])
        after(given, "materialize-optionals")
        texts = [str(lowered(m, "memory")) for m in (given, module_with([call]))]
        assert texts[0] == texts[1]
        assert "glow.arena_bytes" in texts[0]


@cache
def everything() -> tuple[tuple[Call, ...], ModuleOp]:
    chosen = tuple(call for op in OPS for call in variants(op))
    return chosen, module_with(list(chosen))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_every_presence_runs_and_is_right(target: str) -> None:
    chosen, module = everything()
    arrays = [array for call in chosen for array in call.arrays]
    found = iter(glow.compile(module.clone(), target=target)(*arrays))
    for call in chosen:
        for expected in call.expected():
            assert error_of(np.asarray(next(found)), expected) <= 1e-5, str(call)
