"""Ops that take no longer than reading their results."""

from glow.dialects.graph import activation, binary, logic, select, unary
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp

CHEAP = (
    *(activation.LeakyReluOp, activation.ReluOp),
    *(binary.AddOp, binary.DivOp, binary.MaxOp, binary.MinOp, binary.MulOp),
    *(binary.SubOp, unary.AbsOp, unary.NegOp, unary.SignOp, unary.SqrtOp),
    *(logic.AndOp, logic.EqualOp, logic.GreaterOp, logic.GreaterOrEqualOp),
    *(logic.LessOp, logic.LessOrEqualOp, logic.NotOp, logic.OrOp),
    *(select.CastOp, select.ClipOp, select.WhereOp),
    *(ExpandOp, ReshapeOp, TransposeOp),
)
"""A few instructions for each element, or none."""
