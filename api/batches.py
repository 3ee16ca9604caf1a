"""Models as functions from a batch of rows to a batch of rows, for data frameworks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from glow.runtime.dynamic import DynamicExecutable
from glow.runtime.interface import Executable
from glow.runtime.rows import run_by_rows
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arguments import check_integer, names_in
from glow.support.arrays import Array
from glow.support.errors import BindingError
from glow.support.names import with_article

ROWS = 32
"""How many rows are run at once where the model leaves it open."""

_OWN = "rows", "outputs", "keep", "example_inputs"


class BatchFunction:
    """
    A model as a function from a batch to a batch; see `glow.udf`, which makes one.

    It is pickled by a reference to a file of the executable, so that processes share
    its constants.
    """

    def __init__(
        self, executable: Executable, outputs: Sequence[str], keep: Sequence[str]
    ):
        self.executable = executable
        self.outputs = tuple(outputs)
        self.keep = tuple(keep)
        self.rows = executable.inputs[0].shape[0]
        """How many rows are run at once."""
        self.__name__ = "glow_udf"  # frameworks show it

    def __repr__(self) -> str:
        return f"<glow.udf {self.executable.signature}, {self.rows} rows at once>"

    def __call__(self, batch: Any) -> Any:
        """
        Return the outputs for a batch, as a batch of the same kind.

        Errors: a BindingError that lists the columns that are missing or do not fit;
        TypeError for what is not a batch; those of a run.
        """
        if isinstance(batch, Iterator):  # Spark's mapInPandas passes these
            return map(self, cast(Iterator[Any], batch))
        if isinstance(batch, Mapping):
            return self._run(cast(Mapping[str, Any], batch))
        pandas, arrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
        if pandas is not None and isinstance(batch, pandas.DataFrame):
            return self._run_frame(pandas, batch)
        if arrow is not None and isinstance(batch, arrow.RecordBatch | arrow.Table):
            return self._run_arrow(arrow, batch)
        got = with_article(type(batch).__name__)
        raise TypeError(
            "expected a batch: a dict of arrays, a pandas.DataFrame, a pyarrow "
            f"RecordBatch or Table, or an iterator of them, got {got}"
        )

    def _run(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        specs = self.executable.inputs
        missing = [spec.name for spec in specs if spec.name not in batch]
        missing += [name for name in self.keep if name not in batch]
        if missing:
            have = ", ".join(batch) or "none"
            raise BindingError(
                f"missing columns {', '.join(missing)}; there are {have}"
            )
        arrays: dict[str, Array] = {}
        problems: list[str] = []
        for spec in specs:
            try:
                arrays[spec.name] = _rows_of(batch[spec.name], spec)
            except (TypeError, ValueError, OverflowError) as error:
                problems.append(f"column {spec.name}: {error}")
        counts = {name: len(array) for name, array in arrays.items()}
        if len(set(counts.values())) > 1:
            lengths = ", ".join(f"{name} has {count}" for name, count in counts.items())
            problems.append(f"expected columns of as many rows, got {lengths}")
        if problems:
            raise BindingError("; ".join(problems))
        return {name: batch[name] for name in self.keep} | self._results(arrays)

    def _results(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        count = len(next(iter(arrays.values())))
        specs = [s for s in self.executable.outputs if s.name in self.outputs]
        results = {s.name: np.empty((count, *s.shape[1:]), s.dtype) for s in specs}
        run_by_rows(self.executable, arrays, results, list(arrays))
        return {name: results[name] for name in self.outputs}

    def _run_frame(self, pandas: Any, frame: Any) -> Any:
        columns = {str(name): frame[name] for name in frame.columns}
        results = self._run(columns)
        wide = {
            name: list(column) if np.ndim(column) > 1 else column
            for name, column in results.items()
        }
        return pandas.DataFrame(wide, index=frame.index)

    def _run_arrow(self, arrow: Any, batch: Any) -> Any:
        columns = {name: batch.column(name) for name in batch.schema.names}
        results = self._run({n: _of_arrow(arrow, c) for n, c in columns.items()})
        kept = {name: columns[name] for name in self.keep}
        wide = {
            name: arrow.FixedShapeTensorArray.from_numpy_ndarray(column)
            if column.ndim > 1
            else arrow.array(column)
            for name, column in results.items()
            if name not in kept
        }
        return cast(Any, type(batch)).from_pydict(kept | wide)


def _of_arrow(arrow: Any, column: Any) -> Any:
    """Return a column as an array, which has an element per row where rows vary."""
    if isinstance(column, arrow.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, arrow.ChunkedArray):  # without chunks
            return np.empty(0)
    if isinstance(column, arrow.FixedShapeTensorArray):
        return column.to_numpy_ndarray()
    if arrow.types.is_fixed_size_list(column.type) and not column.null_count:
        values = _of_arrow(arrow, column.flatten())
        return values.reshape(len(column), column.type.list_size)
    return column.to_numpy(zero_copy_only=False)


def _rows_of(column: Any, spec: TensorSpec) -> Array:
    """
    Return a column as rows of an input, `[rows, ...]`.

    A row may be an array, nested lists, or its elements in one list. Numbers become
    those of the input where the kind allows that; integers that it cannot hold, and
    fractions for integers, raise ValueError.
    """
    tail = spec.shape[1:]
    wanted = f"expected rows of {list(tail)}"
    try:
        array = np.asarray(column)
        if array.dtype == object and array.ndim:  # an array or a list per row
            array = np.asarray([np.asarray(row) for row in array])
    except ValueError:
        raise ValueError(f"{wanted}, got some of other shapes") from None
    if not array.ndim:
        got = with_article(type(column).__name__)
        raise ValueError(f"{wanted} in an array or a list, got {got}")
    if array.dtype == object:
        raise ValueError("expected numbers in every row, got something else")
    if array.shape[1:] != tail:
        if array[:1].size != (np.prod(tail, dtype=int) if len(array) else 0):
            got = f"rows of {list(array.shape[1:])}" if array.ndim > 1 else "numbers"
            raise ValueError(f"{wanted}, got {got}")
        array = array.reshape(-1, *tail)
    if array.dtype == spec.dtype:
        return array
    if not np.can_cast(array.dtype, spec.dtype, "same_kind") and array.size:
        raise ValueError(f"expected {spec.dtype}, got {array.dtype}")
    converted = array.astype(spec.dtype)
    if spec.dtype.kind in "iu" and not np.array_equal(converted, array):
        raise ValueError(f"expected numbers that {spec.dtype} holds, got others")
    return converted


def udf(
    model: Any,
    target: str = "cpu",
    *,
    rows: int | None = None,
    outputs: Sequence[str] | str | None = None,
    keep: Sequence[str] | str = (),
    threads: int | None = 1,
    **options: Any,
) -> BatchFunction:
    """
    Return a model as a function from a batch to a batch, for data frameworks.

        dataset.map_batches(glow.udf("net.onnx", keep=["id"]))

    `model` is what `glow.compile` takes with its `options`, or an executable. A batch
    is a dict of arrays, a `pandas.DataFrame`, a `pyarrow` RecordBatch or Table, or an
    iterator of those; columns have the names of the inputs. Of the outputs those called
    `outputs` come back, by default all, after the columns in `keep`, which pass as they
    are and have other names; both may be one name or a list. The first axis of all
    inputs and outputs must be the batch. `rows` are run at once, 32 where the model
    leaves it open; the last ones are filled up, so results do not depend on how rows
    are split into batches, bit for bit, if the model computes each row on its own.
    Errors: BindingError for models of other inputs or outputs, and for names that they
    lack, or that are kept and an output; ValueError for less than one row; TypeError
    for other options; those of `glow.compile`.
    """
    if rows is not None:
        check_integer("rows", rows)
        if rows < 1:
            raise ValueError(f"expected at least one row at once, got rows={rows}")
    kept = names_in("names of columns as keep", keep)
    if isinstance(model, Executable):
        net = model
        if options:
            raise TypeError(f"an executable takes no {', '.join(options)}")
    else:
        # Imported here: a function that is only unpickled compiles nothing.
        from glow.compilation import Source, compile_source
        from glow.options import Options

        source = Source(model, example_inputs=options.pop("example_inputs", None))
        given = Options.named("glow.udf", _OWN, {"threads": threads, **options})
        net = compile_source(source, target, given)
    if isinstance(net, DynamicExecutable):
        net = _for_rows(net, rows or ROWS)
    _check_rows(net, rows)
    names = [spec.name for spec in net.outputs]
    chosen = names if outputs is None else names_in("names of outputs", outputs)
    if unknown := [name for name in chosen if name not in names]:
        raise BindingError(
            f"no output is called {', '.join(unknown)}; there are {', '.join(names)}"
        )
    if both := [name for name in kept if name in chosen]:
        raise BindingError(
            f"expected names in keep that no output has, got {', '.join(both)}; rename "
            "the column, or leave that output out with outputs=[...]"
        )
    return BatchFunction(net, chosen, kept)


def _for_rows(net: DynamicExecutable, rows: int) -> Executable:
    firsts = {(spec.extents or (None,))[0] for spec in net.inputs}
    others = [name for name in net.dims if name not in firsts]
    if others:
        dims = ", ".join(f'"{name}": ...' for name in others)
        raise BindingError(
            f"dimensions {', '.join(others)} are not known; load the model with "
            f"dims={{{dims}}}"
        )
    return net.specialize(dict.fromkeys(net.dims, rows))


def _check_rows(net: Executable, rows: int | None) -> None:
    """Raise a BindingError unless all inputs and outputs have equally many rows."""
    if not net.inputs:
        raise BindingError("expected a model with inputs, got one without")
    specs = *net.inputs, *net.outputs
    wanted = rows or next((s.shape[0] for s in specs if s.shape), 1)
    wrong = [str(spec) for spec in specs if spec.shape[:1] != (wanted,)]
    if wrong:
        raise BindingError(
            f"expected the batch, {wanted} rows, as first axis of all inputs and "
            f"outputs, got {'; '.join(wrong)}"
        )
    net.signature.check_whole("batches")
    if net.signature.states:
        raise BindingError("expected a model without states, as rows have no order")
