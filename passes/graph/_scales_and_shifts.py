"""Ops that scale and shift by constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.base import Array
from glow.dialects.graph.binary import AddOp, DivOp, MulOp, SubOp
from glow.dialects.graph.normalization import BatchNormOp
from glow.passes.constants import Constants
from glow.support.types import element_of, is_float, shape_of


@dataclass(frozen=True)
class Affine:
    """scale * input + shift in f64, of which all broadcast together."""

    input: SSAValue
    scale: Array
    shift: Array


def affine_of(op: Operation, constants: Constants) -> Affine | None:
    """Return what `op` scales and shifts by, where it does that and they are known."""
    match op:
        case BatchNormOp():
            affine = _of_batch_norm(op, constants)
        case AddOp() | MulOp() | SubOp() | DivOp() if is_float(element_of(op.result)):
            affine = _of_binary(op, op.lhs, constants.array_of(op.rhs))
            if affine is None and isinstance(op, AddOp | MulOp):
                affine = _of_binary(op, op.rhs, constants.array_of(op.lhs))
        case _:
            return None
    if affine is None:
        return None
    finite = np.isfinite(affine.scale).all() and np.isfinite(affine.shift).all()
    return affine if finite else None


def _of_batch_norm(op: BatchNormOp, constants: Constants) -> Affine | None:
    """(x - mean) * factor + bias = factor * x + (bias - mean * factor)"""
    ones, zeros = (np.full(shape_of(op.mean), number) for number in (1.0, 0.0))
    arrays = [
        default if value is None else constants.array_of(value)
        for value, default in (
            (op.mean, zeros),
            (op.variance, ones),
            (op.scale, ones),
            (op.bias, zeros),
        )
    ]
    known = [array.astype(np.float64) for array in arrays if array is not None]
    if len(known) != len(arrays):
        return None
    mean, variance, scale, bias = known
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + op.epsilon)
    shape = (-1,) + (1,) * (len(shape_of(op.input)) - 2)
    shift = bias - mean * factor
    return Affine(op.input, factor.reshape(shape), shift.reshape(shape))


def _of_binary(op: Operation, input: SSAValue, array: Array | None) -> Affine | None:
    if array is None:
        return None
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
