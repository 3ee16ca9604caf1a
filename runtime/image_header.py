"""What files of compiled models say about tensors, as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from glow.runtime.image import Binding
from glow.runtime.signature import TensorSpec
from glow.support.dtypes import dtype_named, name_in_files


def binding_entry(binding: Binding) -> dict[str, Any]:
    """Return what a file says about a tensor of the caller."""
    return {
        "direction": binding.direction,
        "residency": binding.residency,
        "initial": binding.initial,
        **spec_entry(binding.spec),
    }


def binding_of(entry: Mapping[str, Any]) -> Binding:
    """Return what `binding_entry` was given."""
    spec = TensorSpec(**spec_fields(entry))
    return Binding(spec, entry["direction"], entry["residency"], entry["initial"])


def spec_entry(spec: TensorSpec) -> dict[str, Any]:
    """Return what a file says about a tensor; `spec_fields` reads it."""
    return asdict(spec) | {"dtype": name_in_files(spec.dtype)}


def spec_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the spec that `entry` was made of."""
    stored = entry["tensor_shape"]
    return {
        "name": entry["name"],
        "shape": tuple(entry["shape"]),
        "dtype": dtype_named(entry["dtype"]),
        "layout": entry["layout"],
        "tensor_shape": None if stored is None else tuple(stored),
        "axes": tuple(entry["axes"]),
    }
