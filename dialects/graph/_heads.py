"""Operands that hold heads: parts of a vector that are treated apart."""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

Shape = tuple[int, ...]


def split_heads(
    name: str, shape: Shape, count_name: str, heads: int | None
) -> tuple[int, int, int, int]:
    """
    Return batch, heads, positions and elements of a head of operand `name`.

    Of rank 4 it is [batch, heads, positions, elements]. Of rank 3 it is [batch,
    positions, heads * elements], and property `count_name` says how many `heads`.
    """
    if len(shape) == 4:
        if heads is not None:
            raise VerifyException(f"expected {count_name} only where {name} has rank 3")
        return shape
    if len(shape) != 3:
        raise VerifyException(f"expected {name} of rank 3 or 4, got {list(shape)}")
    if heads is None:
        raise VerifyException(f"expected {count_name}, since {name} has rank 3")
    if heads < 1 or shape[2] % heads:
        raise VerifyException(
            f"expected {count_name} that divides {shape[2]} elements of {name}, "
            f"got {heads}"
        )
    return shape[0], heads, shape[1], shape[2] // heads
