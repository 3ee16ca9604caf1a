"""The interface of executables, which all backends implement."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from typing import Any, NoReturn, cast, overload

from glow.runtime.bindings import Bindings
from glow.runtime.foreign_arrays import of_kind
from glow.runtime.frame import Frame, Notify, OnOutput, OutputNotifier
from glow.runtime.image import Image, SavedFile
from glow.runtime.notebook import html_table
from glow.runtime.profile import Record
from glow.runtime.signature import Signature
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arguments import check_by_name
from glow.support.arrays import Array
from glow.support.errors import CompilationError
from glow.support.names import with_article


@dataclass(frozen=True)
class StageReport:
    """The time that a stage took, and the number of ops after it; None: no IR."""

    name: str
    seconds: float
    ops: int | None


class PlainFrame(Frame):
    """A frame of an executable that takes arrays anew at each run."""

    def __init__(self, execute: Callable[..., None], signature: Signature):
        self._execute = execute
        self._read = len(signature.inputs)
        self._passed = self._read + len(signature.outputs)
        self._arrays: list[Any] = [None] * (self._passed + len(signature.states))

    def place(self, slot: int, array: Array) -> None:
        self._arrays[slot] = array

    def run(self, notify: Notify | None = None) -> None:
        arrays, read, passed = self._arrays, self._read, self._passed
        self._execute(arrays[:read], arrays[read:passed], arrays[passed:], notify)


class Executable(ABC):
    """
    A compiled model: call it with arrays, as often and from as many threads as needed.

    It is independent of the IR it was made from. Errors: a BindingError for arrays
    that do not fit the signature, an ExecutionError where the data makes a run fail.
    """

    def __init__(self, signature: Signature):
        self.signature = signature
        self.stages: tuple[StageReport, ...] = ()
        """A report of each stage of its compilation."""
        self.threads: int | None = None
        """The most threads of a run, set before the first; None: all it may use."""
        self.file: SavedFile | None = None
        """The file of what it is now, if there is one."""
        self._input_names = tuple(spec.name for spec in signature.inputs)
        self._output_names = tuple(spec.name for spec in signature.outputs)
        self._is_cut = signature.is_cut

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """The tensors that a call takes, in order."""
        return self.signature.inputs

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """The tensors that a call returns, in order."""
        return self.signature.results

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>"

    def _repr_html_(self) -> str:
        """Return a table of what it takes and gives, for notebooks."""
        states = tuple(state.spec for state in self.signature.states)
        parts = ("input", self.inputs), ("output", self.outputs), ("state", states)
        rows = [(kind, s.name, s.description) for kind, each in parts for s in each]
        size = f"{self.constant_bytes:,} bytes of constants"
        caption = f"{type(self).__name__}: {size}, {self.arena_bytes:,} of arena"
        return html_table(caption, ["", "name", "array"], rows)

    def __call__(self, *arrays: object, **named: object) -> Array | tuple[Array, ...]:
        """
        Run on inputs in order or by name; return the output, or a tuple of several.

        Arrays are those of NumPy, objects with `__dlpack__` or `__array__`, and lists.
        """
        if not named and self.signature.fit(arrays):
            results = self._fresh()
            self.execute(cast(Sequence[Array], arrays), results, self._start())
        else:
            results = self._run(self.signature.positional(arrays, named), None)
        if self._is_cut:
            results = tuple(self._named(results).values())
        return results[0] if len(results) == 1 else results

    @overload
    def run(self, inputs: None, out: Mapping[str, object], /) -> list[Any]: ...
    @overload
    def run(
        self,
        inputs: Mapping[str, object] | Sequence[object],
        out: Mapping[str, object] | None = None,
        on_output: OnOutput | None = None,
        *,
        like: object = None,
    ) -> dict[str, Any]: ...
    def run(
        self,
        inputs: Mapping[str, object] | Sequence[object] | None,
        out: Mapping[str, object] | None = None,
        on_output: OnOutput | None = None,
        *,
        like: object = None,
    ) -> dict[str, Any] | list[Any]:
        """
        Run on named inputs; return the outputs by name, in `out` where given.

        They are arrays of NumPy or, without a copy, what `like` is, such as a tensor.
        A list or tuple has the inputs in order. `on_output` is called once with the
        name and the array of each output, in a thread of the run, when it is ready; the
        run may go on, so it must not write there. What it raises ends the calls and is
        raised after the run. `run(None, inputs)` gives a list, as ONNX Runtime's does.
        """
        if inputs is None and out:
            return list(self.run(out).values())
        if out is not None and out.__class__ is not dict:  # which is fast
            check_by_name("out", out)
        given = self.signature.named(inputs)
        if like is not None:
            return of_kind(self.run(given, out, on_output), like)
        if on_output is not None:
            return self._run_with_callback(given, out, on_output)
        arrays: tuple[Any, ...] = tuple(map(given.get, self._input_names))
        results = None
        # The short way, if nothing is wrong or copied: it matters for small models.
        if len(given) == len(arrays) and self.signature.fit(arrays):
            results = self._fitting(out, arrays) if out else self._fresh()
        if results is None:
            results = self._run(given, out)
        else:
            self.execute(arrays, results, self._start())
        return self._named(results)

    def _named(self, results: Sequence[Array]) -> dict[str, Array]:
        """Return results by name, cut to the rows that this run has computed."""
        named = dict(zip(self._output_names, results, strict=True))
        return self.signature.cut(named) if self._is_cut else named

    def _start(self) -> Sequence[Array]:
        """Return states for a run whose states are dropped."""
        states = self.signature.states
        return [state.start() for state in states] if states else ()

    def _fresh(self) -> tuple[Array, ...]:
        return tuple(map(TensorSpec.empty, self.signature.outputs))

    def _fitting(
        self, out: Mapping[str, Any], inputs: Sequence[Array]
    ) -> tuple[Array, ...] | None:
        """Return the buffers of `out` in order if results can go straight there."""
        buffers: tuple[Any, ...] = tuple(map(out.get, self._output_names))
        if len(out) != len(buffers):
            return None
        return buffers if self.signature.fit_outputs(buffers, inputs) else None

    def _run(
        self, inputs: Mapping[str, object], out: Mapping[str, object] | None
    ) -> tuple[Array, ...]:
        arguments = self.signature.bind(inputs, out)
        self.execute(arguments.inputs, arguments.outputs, self._start())
        return arguments.results()

    def _run_with_callback(
        self,
        inputs: Mapping[str, object],
        out: Mapping[str, object] | None,
        on_output: OnOutput,
    ) -> dict[str, Array]:
        names = self._output_names
        self.signature.check_whole("on_output")
        arguments, states = self.signature.bind(inputs, out), self._start()
        notifier = OutputNotifier(names, arguments.deliver, on_output)
        arrays = arguments.inputs, arguments.outputs, states
        notifier.run(lambda notify: self.execute(*arrays, notify))
        return {name: notifier.delivered[i] for i, name in enumerate(names)}

    def profile(
        self,
        inputs: Mapping[str, object],
        runs: int = 1,
        after_run: Callable[[], object] | None = None,
    ) -> tuple[Record, ...]:
        """
        Return when each call of `runs` runs on named inputs began and ended.

        The model must have been compiled with `profile=True`; one more run goes before.
        States start as the model says, or as `inputs` do, which no run changes.
        `after_run` is called after each run, such as to measure its clock rate.
        Errors: a CompilationError for a model compiled without it, a ValueError for
        less than one run, and those of a run.
        """
        raise CompilationError(
            "expected an executable that was compiled with profile=True to profile, got"
            " one without; compile the model again (glow-run MODEL --profile)"
        )

    @property
    def arena_bytes(self) -> int:
        """The bytes that each concurrent run works in, beside inputs and outputs."""
        return 0

    @property
    def constants(self) -> tuple[Array, ...]:
        """The arrays that were compiled in; other executables may share them."""
        return ()

    @property
    def constant_bytes(self) -> int:
        """The bytes of its constants, shared or not."""
        return sum(array.nbytes for array in self.constants)

    def bind(
        self, arrays: Mapping[str, object] | None = None, arena: object = None
    ) -> Bindings:
        """
        Return places for the arrays of one caller, which run after run uses.

        `arrays` are bound by name, as by `bindings[name] = array`; states not among
        them start as the model says. `arena` is memory to work in: at least
        `arena_bytes` bytes (uint8), at a multiple of 64, apart from all arrays. Errors:
        a BindingError that names all of `arrays` that do not fit, or says what `arena`
        must be.
        """
        return Bindings(
            self.signature, self.frame, self.arena_bytes, arrays or {}, arena
        )

    def frame(self, arena: Array | None = None) -> Frame:
        """Return a frame that works in `arena`, or in memory of its own."""
        return PlainFrame(self.execute, self.signature)

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write machine code, constants and signature to a file, whole or not at all.

        `glow.load_executable` reads it, in any process on such a machine. Errors: a
        CompilationError where the target makes no machine code, and OSError.
        """
        from glow.runtime.image_file import write_images

        write_images(Path(path), [self.image()])

    def __reduce__(self) -> NoReturn:
        # `glow.runtime.saved` pickles those of machine code.
        raise PicklingError(
            "expected an executable of machine code to pickle, got "
            f"{with_article(type(self).__name__)}; compile for target cpu"
        )

    def image(self) -> Image:
        """Return it as plain data, as files hold it; errors as of `save`."""
        raise CompilationError(
            "expected an executable of machine code to save, got "
            f"{with_article(type(self).__name__)}; compile for target cpu"
        )

    @abstractmethod
    def execute(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        states: Sequence[Array] = (),
        notify: Notify | None = None,
    ) -> None:
        """
        Fill `outputs` from `inputs` and update `states`, which fit the signature.

        They are contiguous, but for inputs that are outputs too, perhaps in one array.
        `notify` may be called with the number of each output that is ready while the
        run goes on; it raises nothing.
        """
