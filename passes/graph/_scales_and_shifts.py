"""Ops that scale and shift by constants."""

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.binary import AddOp, DivOp, MulOp, SubOp
from glow.dialects.graph.normalization import BatchNormOp
from glow.passes.constants import Constants
from glow.passes.graph.operands import in_both_orders
from glow.support.arrays import Array
from glow.support.types import element_of, is_float, shape_of

Scaling = BatchNormOp | AddOp | MulOp | SubOp | DivOp


@dataclass(frozen=True)
class Affine:
    """scale * input + shift in f64; all three broadcast together."""

    input: SSAValue
    scale: Array
    shift: Array


def affine_of(op: Scaling, constants: Constants) -> Affine | None:
    """Return the scale and shift that `op` applies, or None unless they are known."""
    match op:
        case BatchNormOp():
            affine = _of_batch_norm(op, constants)
        case _ if is_float(element_of(op.result)):
            pairs = ((x, constants.array_of(other)) for x, other in in_both_orders(op))
            known = (_of_binary(op, x, a) for x, a in pairs if a is not None)
            affine = next(known, None)
        case _:
            return None
    if affine is None or not np.isfinite(affine.scale).all():
        return None
    return affine if np.isfinite(affine.shift).all() else None


def _of_batch_norm(op: BatchNormOp, constants: Constants) -> Affine | None:
    """(x - mean) * factor + bias = factor * x + (bias - mean * factor)"""
    slots = ((op.mean, 0.0), (op.variance, 1.0), (op.scale, 1.0), (op.bias, 0.0))
    known: list[Array] = []
    for value, default in slots:
        array = np.full(shape_of(op.mean), default)
        if value is not None:
            array = constants.array_of(value)
        if array is None:
            return None
        known.append(array.astype(np.float64))
    mean, variance, scale, bias = known
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + op.epsilon)
    shape = (-1,) + (1,) * (len(shape_of(op.input)) - 2)
    shift = bias - mean * factor
    return Affine(op.input, factor.reshape(shape), shift.reshape(shape))


def _of_binary(op: Operation, input: SSAValue, array: Array) -> Affine:
    array = array.astype(np.float64)
    zero, one = np.zeros(()), np.ones(())
    match op:
        case AddOp():
            return Affine(input, one, array)
        case SubOp():
            return Affine(input, one, -array)
        case MulOp():
            return Affine(input, array, zero)
        case _:
            with np.errstate(divide="ignore"):
                return Affine(input, 1 / array, zero)


def along(array: Array, axis: int, shape: tuple[int, ...]) -> Array | None:
    """Return `array`, which broadcasts to `shape`, as a vector along `axis`."""
    full = (1,) * (len(shape) - array.ndim) + array.shape
    if any(extent != 1 for i, extent in enumerate(full) if i != axis):
        return None
    return np.broadcast_to(array.reshape(-1), (shape[axis],))
