"""Runs on as many rows as there are, by code for another number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from glow.runtime.frame import Notify
from glow.runtime.interface import Executable
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arrays import Array


def run_by_rows(
    net: Executable,
    arrays: Mapping[str, Array],
    results: Mapping[str, Array],
    of_rows: Sequence[str],
) -> None:
    """
    Fill `results` for inputs by name, of which those in `of_rows` are passed in parts.

    Parts are along the first axis, of as many rows as `net` takes. The last one is
    filled up with the last row again, so that no strange numbers arise. Each row must
    be computed on its own.
    """
    rows = next(s.shape[0] for s in net.inputs if s.name in of_rows)
    count = len(arrays[of_rows[0]])
    for start in range(0, count, rows):
        given = dict(arrays)
        for name in of_rows:
            part = arrays[name][start : start + rows]
            lacking = rows - len(part)
            if lacking:
                part = np.concatenate([part, np.repeat(part[-1:], lacking, 0)])
            given[name] = part
        found = net.run(given)
        for name, array in results.items():
            array[start : start + rows] = found[name][: count - start]


class ByRows(Executable):
    """Runs a model on `count` rows by `net`, which takes another number of rows."""

    def __init__(self, net: Executable, count: int, of_rows: Sequence[str]):
        def resized(spec: TensorSpec) -> TensorSpec:
            return replace(spec, shape=(count, *spec.shape[1:]))

        inputs = (resized(s) if s.name in of_rows else s for s in net.inputs)
        outputs = map(resized, net.signature.outputs)
        signature = replace(net.signature, inputs=(*inputs,), outputs=(*outputs,))
        super().__init__(signature)
        self._net, self._of_rows = net, of_rows

    def execute(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        states: Sequence[Array] = (),
        notify: Notify | None = None,
    ) -> None:
        arrays = dict(zip(self._input_names, inputs, strict=True))
        results = dict(zip(self._output_names, outputs, strict=True))
        run_by_rows(self._net, arrays, results, self._of_rows)
        for number in range(len(outputs)):
            if notify is not None:
                notify(number)
