"""Signatures of executables, from the types and placeholders of a module."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, MemRefType, StringAttr
from xdsl.ir import Attribute

from glow.dialects.layout.attribute import layout_of, physical_shape_of
from glow.runtime.tensor_spec import TensorSpec
from glow.support.layout import print_layout
from glow.support.types import dtype_of


def spec_of(
    name: str,
    type_: AnyTensorType | MemRefType[Attribute],
    axes: Iterable[StringAttr] | None = None,
) -> TensorSpec:
    """Return the spec of an array that holds a `type_`, in its layout if it has one."""
    dtype = np.dtype(dtype_of(type_.element_type))
    meanings = tuple(axis.data for axis in axes or ())
    layout, shape = layout_of(type_), tuple(type_.get_shape())
    if layout is None:
        return TensorSpec(name, shape, dtype, axes=meanings)
    stored = physical_shape_of(type_)
    return TensorSpec(name, stored, dtype, print_layout(layout), shape, meanings)
