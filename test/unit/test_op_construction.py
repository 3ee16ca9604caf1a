"""Ops that are initialized in less time are those that xDSL's constructor makes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import StringAttr, f32, i32
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    region_def,
    result_def,
    var_operand_def,
    var_result_def,
)

from glow.support.op_construction import initialize

A, B, C = TestOp(result_types=[f32, i32, f32]).results


@irdl_op_definition
class Several(IRDLOperation):
    name = "test.several"

    first = operand_def(AnyAttr())
    maybe = opt_operand_def(AnyAttr())
    many = var_operand_def(AnyAttr())
    made = result_def(AnyAttr())
    also = opt_result_def(AnyAttr())
    others = var_result_def(AnyAttr())
    text = opt_prop_def(StringAttr)
    body = region_def()

    irdl_options = (
        AttrSizedOperandSegments(as_property=True),
        AttrSizedResultSegments(as_property=True),
    )


Slots = Sequence[SSAValue | Sequence[SSAValue] | None]
Types = Sequence[Attribute | Sequence[Attribute] | None]


def parts_of(op: IRDLOperation) -> tuple[object, ...]:
    types = [result.type for result in op.results]
    return tuple(op.operands), types, op.properties, op.attributes, len(op.regions)


@pytest.mark.parametrize(
    ("slots", "types"),
    [
        ([A, B, [C]], [f32, i32, [f32, i32]]),
        ([A, None, []], [f32, None, []]),
        ([A, None, [B, C]], [i32, None, [f32]]),
        ([A, [B], (C,)], [i32, [f32], (f32,)]),
    ],
)
@pytest.mark.parametrize("text", [None, StringAttr("x")])
def test_ops_are_those_of_the_constructor(
    slots: Slots, types: Types, text: StringAttr | None
) -> None:
    ours = object.__new__(Several)
    initialize(ours, slots, types, {"text": text}, [Region()])
    theirs = Several.build(
        operands=slots,
        result_types=types,
        properties={"text": text},
        regions=[Region()],
    )
    assert parts_of(ours) == parts_of(theirs)
    ours.verify()


@pytest.mark.parametrize(
    ("slots", "types"),
    [
        ([None, None, []], [f32, None, []]),
        ([A, None, []], [None, None, []]),
        ([A, None, []], [f32, None]),
        ([A, None], [f32, None, []]),
    ],
)
def test_slots_that_are_not_taken_are_refused(slots: Slots, types: Types) -> None:
    with pytest.raises(ValueError, match=r"test.several|Expected 3"):
        initialize(object.__new__(Several), slots, types, {}, [Region()])
