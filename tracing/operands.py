"""Operands of traced functions as tensors, in the types that NumPy gives them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from glow.dialects.graph.elements import number_of
from glow.dialects.graph.tensors import Tensor
from glow.support.arrays import Array
from glow.support.names import with_article
from glow.support.types import element_type_of
from glow.tracing.trace import Trace, current_trace
from glow.tracing.tracers import Tracer
from glow.tracing.variables import Variable

_NUMBERS = (int, float)
_ZEROS: dict[Any, Any] = {int: 0, float: 0.0}


def is_operand(value: object) -> bool:
    """Return whether a value is an array or a number, traced or not."""
    if isinstance(value, type):
        return False
    is_own = isinstance(value, Tracer | Variable | int | float)
    return is_own or hasattr(value, "__array__")


def known_array(operand: Any) -> Array | None:
    """Return an operand whose elements are known as an array; None for others."""
    if isinstance(operand, Tracer | Variable):
        return None
    return _array(operand)


def _array(operand: Any) -> Array:
    is_plain = isinstance(operand, int | float | list | tuple)
    if not is_plain and not hasattr(operand, "__array__"):
        raise TypeError(
            f"expected an array or a number, got {with_article(type(operand).__name__)}"
        )
    array = np.asarray(cast(Any, operand))
    element_type_of(array.dtype)
    return array


def weak_type(operand: Any) -> type | None:
    """Return int or float for a number of that type, which gives way to arrays."""
    if isinstance(operand, Tracer):
        return operand.weak
    kinds = (kind for kind in _NUMBERS if type(operand) is kind)
    return next(kinds, None)


def dtype_of(operand: Any) -> np.dtype[Any]:
    """Return the element type of an operand, a number's by itself."""
    if isinstance(operand, Tracer | Variable):
        return operand.dtype
    return _array(operand).dtype


def kind_of(operand: Any) -> Any:
    """Return the element type of an operand, or the Python type of a number."""
    return weak_type(operand) or dtype_of(operand)


def result_type(*operands: Any) -> np.dtype[Any]:
    """Return the element type that NumPy gives to operands of several types."""
    kinds = [kind_of(each) for each in operands]
    given = [_ZEROS.get(kind, kind) for kind in kinds]
    made = np.result_type(*given)
    return made if made.kind != "c" else np.dtype(complex)


def tensor_of(operand: Any, dtype: Any = None) -> Tensor:
    """Return an operand as a tensor of the current trace, converted to `dtype`."""
    trace = current_trace()
    if isinstance(operand, Variable):
        operand = operand.value
    if isinstance(operand, Tracer):
        own = trace.adopt(operand.tensor)
        return own if dtype is None else own.astype(np.dtype(dtype))
    if weak_type(operand) is not None and dtype is not None:
        return _number(trace, operand, np.dtype(dtype))
    array = _array(operand)
    if dtype is not None and array.dtype != dtype and array.size <= 8:
        array = array.astype(dtype)
    made = trace.tensor(array)
    return made if dtype is None else made.astype(np.dtype(dtype))


def _number(trace: Trace, number: float, dtype: np.dtype[Any]) -> Tensor:
    element = element_type_of(dtype)
    if dtype.kind == "b":
        return trace.tensor(np.array(bool(number)))
    return trace.tensor(number_of(number, element))


def as_tracer(operand: Any) -> Tracer:
    """Return an operand as an array of the current trace."""
    return Tracer(tensor_of(operand), weak_type(operand))


def promoted(*operands: Any, dtype: Any = None) -> tuple[Tensor, ...]:
    """Return operands as tensors of one element type, by default NumPy's for them."""
    wanted = result_type(*operands) if dtype is None else np.dtype(dtype)
    return tuple(tensor_of(each, wanted) for each in operands)


def common_weak(*operands: Any) -> type | None:
    """Return the type of a result of numbers alone; None if one is an array."""
    kinds = [weak_type(each) for each in operands]
    if None in kinds:
        return None
    return float if float in kinds else int
