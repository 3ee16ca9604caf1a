"""Tensors in files of compiled models, as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from glow.runtime.image import Parameter
from glow.runtime.tensor_spec import TensorSpec
from glow.support.dtypes import dtype_named, name_in_files


def parameter_entry(parameter: Parameter) -> dict[str, Any]:
    """Return a tensor of the caller as a file has it."""
    return {
        "direction": parameter.direction,
        "residency": parameter.residency,
        "initial": parameter.initial,
        **spec_entry(parameter.spec),
    }


def parameter_of(entry: Mapping[str, Any]) -> Parameter:
    """Return the parameter that an entry of a file describes."""
    spec = TensorSpec(**spec_fields(entry))
    return Parameter(spec, entry["direction"], entry["residency"], entry["initial"])


def spec_entry(spec: TensorSpec) -> dict[str, Any]:
    """Return a tensor as a file has it; `spec_fields` reads it."""
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
