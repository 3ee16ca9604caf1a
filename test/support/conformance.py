"""ONNX's own cases for single nodes, run through the importer on a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, numpy_helper

import glow
from glow.support.errors import GlowError, UnsupportedModelError

Array = NDArray[Any]
AT_RUN_TIME = "known only at run time"


@dataclass
class Report:
    """Names of cases by what became of them; `baked` had inputs made constants."""

    passed: list[str] = field(default_factory=list)
    baked: list[str] = field(default_factory=list)
    unsupported: dict[str, str] = field(default_factory=dict)
    invalid: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"{len(self.passed)} passed ({len(self.baked)} with constant inputs), "
            f"{len(self.unsupported)} unsupported, {len(self.invalid)} refused as "
            f"invalid, {len(self.wrong)} wrong"
        )


def run_suite(target: str) -> Report:
    """Run every case; ops that need shapes as constants get them as constants."""
    from onnx.backend.test.case.node import collect_testcases

    report = Report()
    with np.errstate(all="ignore"):
        cases = collect_testcases(None)
    for case in cases:
        try:
            _run_case(case, target, report)
        except UnsupportedModelError as error:
            report.unsupported[case.name] = str(error)
        except GlowError as error:
            report.invalid[case.name] = str(error)
    return report


def _run_case(case: Any, target: str, report: Report) -> None:
    model: ModelProto = case.model
    try:
        net = glow.compile(model, target=target)
    except UnsupportedModelError as error:
        if AT_RUN_TIME not in str(error):
            raise
        model = _baked(model, case.data_sets[0][0])
        net = glow.compile(model, target=target)
        report.baked.append(case.name)
    wanted = {spec.name for spec in net.signature.inputs}
    for given, expected in case.data_sets:
        feeds = {k: v for k, v in _named(model.graph.input, given) if k in wanted}
        actual = net.run(feeds)
        for name, array in _named(model.graph.output, expected):
            found = _difference(actual[name], array, case)
            if found is not None:
                report.wrong[case.name] = f"{name}: {found}"
                return
    report.passed.append(case.name)


def _named(infos: Sequence[Any], values: Sequence[Any]) -> Iterator[tuple[str, Array]]:
    for info, value in zip(infos, values, strict=False):
        if isinstance(value, TensorProto):
            yield info.name, numpy_helper.to_array(value)
        else:
            yield info.name, np.asarray(value)


def _baked(model: ModelProto, values: Sequence[Any]) -> ModelProto:
    """Return the model with its short integer and scalar inputs as weights."""
    found = ModelProto()
    found.CopyFrom(model)
    for name, array in _named(model.graph.input, values):
        if array.ndim == 0 or (array.dtype.kind in "ib" and array.ndim == 1):
            found.graph.initializer.append(numpy_helper.from_array(array, name))
    return found


def _difference(actual: Array, expected: Array, case: Any) -> str | None:
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        return (
            f"expected {expected.dtype}{list(expected.shape)}, "
            f"got {actual.dtype}{list(actual.shape)}"
        )
    tolerance: Mapping[str, float] = {"rtol": case.rtol, "atol": max(case.atol, 1e-6)}
    same = np.isclose(actual, expected, equal_nan=True, **tolerance)
    return None if same.all() else f"{int((~same).sum())} of {same.size} differ"
