"""Checks of the shapes and elements of operands; how shapes broadcast."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.support.types import element_of, shape_of, tensor_type


def broadcasts_to(value: SSAValue, shape: Sequence[int]) -> bool:
    """Return whether `value` broadcasts to exactly `shape` by NumPy's rule."""
    own = shape_of(value)
    tail = shape[len(shape) - len(own) :]
    return len(own) <= len(shape) and all(
        extent in (1, whole) for extent, whole in zip(own, tail, strict=True)
    )


def check_rank(name: str, value: SSAValue, least: int) -> tuple[int, ...]:
    """Return the shape of `value`, which has at least so many axes."""
    shape = shape_of(value)
    if len(shape) < least:
        raise VerifyException(
            f"expected {name} of rank {least} or more, got {tensor_type(value)}"
        )
    return shape


def check_shape(
    name: str, value: SSAValue | None, shape: Sequence[int], note: str = ""
) -> None:
    """Raise unless `value`, if there is one, has this shape."""
    if value is not None and shape_of(value) != tuple(shape):
        raise VerifyException(
            f"expected {name} of shape {list(shape)}{note}, got {tensor_type(value)}"
        )


def check_broadcasts(name: str, value: SSAValue | None, shape: Sequence[int]) -> None:
    """Raise unless `value`, if there is one, broadcasts to `shape`."""
    if value is not None and not broadcasts_to(value, shape):
        raise VerifyException(
            f"expected a {name} that broadcasts to {list(shape)}, "
            f"got {tensor_type(value)}"
        )


def broadcast(*values: SSAValue | Attribute) -> tuple[int, ...]:
    """Return the shape that tensors `values` have together by NumPy's rule."""
    try:
        return np.broadcast_shapes(*(shape_of(value) for value in values))
    except ValueError:
        types = " with ".join(str(tensor_type(value)) for value in values)
        raise VerifyException(f"cannot broadcast {types}") from None


def same_element(*values: SSAValue | Attribute | None) -> Attribute:
    """Return the one element type of `values`, absent ones left out."""
    elements = [element_of(value) for value in values if value is not None]
    if any(element != elements[0] for element in elements):
        names = ", ".join(str(element) for element in elements)
        raise VerifyException(f"expected one element type, got {names}")
    return elements[0]


def check_result(
    result: SSAValue, expected: AnyTensorType, name: str = "result"
) -> None:
    """Raise unless `result` has this shape and element type, whatever its layout."""
    actual = tensor_type(result)
    if (actual.shape, actual.element_type) != (expected.shape, expected.element_type):
        raise VerifyException(f"expected {name} {expected}, got {actual}")
