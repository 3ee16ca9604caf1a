"""Physical layouts in plain Python: where the elements of a logical tensor lie."""

from glow.support.arrays import Extents
from glow.support.layout.address import (
    address,
    address_map,
    check_shape,
    equivalent,
    physical_shape,
    physical_strides,
    row_major_strides,
    size_of,
    strides_of,
)
from glow.support.layout.pack import pack, unpack
from glow.support.layout.parser import parse_layout, parse_layout_in
from glow.support.layout.physical import (
    Dim,
    Halo,
    Layout,
    LayoutError,
    channels_last,
    permuted,
    row_major,
)
from glow.support.layout.request import requested_layouts
from glow.support.layout.reshape import axis_runs, relabeled, reshaped, unblocked
from glow.support.layout.text import print_layout

__all__ = [
    "Dim",
    "Extents",
    "Halo",
    "Layout",
    "LayoutError",
    "address",
    "address_map",
    "axis_runs",
    "channels_last",
    "check_shape",
    "equivalent",
    "pack",
    "parse_layout",
    "parse_layout_in",
    "permuted",
    "physical_shape",
    "physical_strides",
    "print_layout",
    "relabeled",
    "requested_layouts",
    "reshaped",
    "row_major",
    "row_major_strides",
    "size_of",
    "strides_of",
    "unblocked",
    "unpack",
]
