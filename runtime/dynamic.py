"""Executables of models whose dimensions are known only when they run."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any, Generic, TypeVar, overload
from weakref import WeakKeyDictionary

from glow.runtime.bindings import Bindings
from glow.runtime.frame import Notify, OnOutput
from glow.runtime.interface import Executable
from glow.runtime.profile import Record
from glow.runtime.symbolic import SymbolicSignature, Symbols
from glow.support.arrays import Array, address_of
from glow.support.dimensions import Dims
from glow.support.errors import BindingError, CompilationError
from glow.support.forking import lock_free_in_children, undivided

Made = TypeVar("Made")


class Specializations(Generic[Made]):
    """
    At most `size` things by key, such as executables; the least recently used one goes.

    Of threads that ask for the same one, one makes it and the others wait.
    """

    def __init__(self, size: int):
        if size < 1:
            raise ValueError(f"expected a cache_size of at least 1, got {size}")
        self.size = size
        self._lock = lock_free_in_children()
        self._ready: OrderedDict[Hashable, Made] = OrderedDict()
        self._pending: dict[Hashable, Future[Made]] = {}

    def find(self, key: Hashable) -> Made | None:
        """Return what is kept for `key`, if it still is."""
        with self._lock:
            net = self._ready.get(key)
            if net is not None:
                self._ready.move_to_end(key)
        return net

    @undivided()  # a child would wait for a promise of a thread that it lacks
    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is kept for `key`, or `make` it; errors are not kept."""
        while True:
            with self._lock:
                net = self._ready.get(key)
                if net is not None:
                    self._ready.move_to_end(key)
                    return net
                others = self._pending.get(key)
                if others is None:
                    own = self._pending[key] = Future[Made]()
                    break
            try:
                return others.result()
            except CancelledError:
                continue  # the thread that made it was interrupted
        return self._made(key, make, own)

    def _made(
        self,
        key: Hashable,
        make: Callable[[], Made],
        promise: Future[Made],
    ) -> Made:
        """Keep what `make` makes, and pass it to the threads that wait for it."""
        try:
            net = make()
        except BaseException as error:
            with self._lock:
                del self._pending[key]
            if isinstance(error, Exception):
                promise.set_exception(error)
            else:
                promise.cancel()
            raise
        with self._lock:
            del self._pending[key]
            self._ready[key] = net
            if len(self._ready) > self.size:
                self._ready.popitem(last=False)
        promise.set_result(net)
        return net

    def items(self) -> tuple[tuple[Hashable, Made], ...]:
        """Return keys with their executables, the most recently used last."""
        with self._lock:
            return tuple(self._ready.items())


class DynamicExecutable(Executable):
    """
    A model with symbolic dimensions: it is compiled for each shape that comes along.

    A call runs what was compiled for the shapes of its inputs, and compiles where there
    is nothing yet: one thread does while others that want the same wait. What was
    compiled for the last `cache_size` shapes is kept, with shared constants and
    kernels. Errors: as of other executables, which name dimensions that two arrays
    disagree on or that the model cannot have.
    """

    def __init__(
        self,
        signature: SymbolicSignature,
        compile: Callable[[Dims], Executable],
        cache_size: int,
    ):
        super().__init__(signature)
        self._symbols = signature
        self._compile = compile
        self._kept = Specializations[Executable](cache_size)
        self._extents: WeakKeyDictionary[Executable, dict[str, int]] = (
            WeakKeyDictionary()
        )

    @property
    def dims(self) -> tuple[str, ...]:
        """The symbolic dimensions, in the order of the inputs."""
        return self._symbols.dims

    @property
    def compiled(self) -> tuple[dict[str, int], ...]:
        """The extents that are compiled, those used last at the end."""
        return tuple(dims for dims, _ in self._compiled())

    def _compiled(self) -> list[tuple[dict[str, int], Executable]]:
        return [(self._extents[net].copy(), net) for _, net in self._kept.items()]

    @property
    def arena_bytes(self) -> int:
        """The bytes that a run works in, for the largest shape that is compiled."""
        return max((net.arena_bytes for _, net in self._compiled()), default=0)

    @property
    def constants(self) -> tuple[Array, ...]:
        """The constants of all shapes that there are, shared ones once."""
        arrays = (array for _, net in self._compiled() for array in net.constants)
        return tuple({address_of(array): array for array in arrays}.values())

    def dims_of(self, arrays: Mapping[str, object]) -> Dims:
        """
        Return the extents that inputs and states by name, not all, give to dimensions.

        Errors: a BindingError for what does not fit, and for dimensions of none.
        """
        return self._symbols.dims_of(arrays, partial=True)

    def specialize(self, dims: Mapping[str, int]) -> Executable:
        """
        Return the executable for these extents, compiled if need be.

        It goes on if it is no longer kept here. Errors: a BindingError that lists
        missing, unknown or negative dimensions; what compiling raises.
        """
        problems = self._symbols.check_dims(dims)
        if problems:
            raise BindingError("; ".join(problems))
        return self._for({name: int(extent) for name, extent in dims.items()})

    def __call__(self, *arrays: object, **named: object) -> Array | tuple[Array, ...]:
        net = None if named else self._found(arrays)
        if net is None:
            given = self.signature.positional(arrays, named)
            net = self._for(self._symbols.dims_of(given))
        return net(*arrays, **named)

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
        if inputs is None and out:
            return list(self.run(out).values())
        given = self.signature.named(inputs)
        net = self._found([given.get(name) for name in self._input_names])
        if net is None:
            net = self._for(self._symbols.dims_of(given))
        return net.run(given, out, on_output, like=like)

    def profile(
        self,
        inputs: Mapping[str, object],
        runs: int = 1,
        after_run: Callable[[], object] | None = None,
    ) -> tuple[Record, ...]:
        net = self._for(self._dims_given(inputs))
        return net.profile(inputs, runs, after_run)

    def bind(
        self, arrays: Mapping[str, object] | None = None, arena: object = None
    ) -> Bindings:
        """
        Return places for the arrays of one caller, which have one shape for all runs.

        `arrays` must have inputs, or states, that say what each dimension is. States
        belong to these extents: who goes on with others binds anew, and gives the
        states what they hold then. Errors: a BindingError that names all that misfit.
        """
        given = arrays or {}
        return self._for(self._dims_given(given)).bind(given, arena)

    def _dims_given(self, arrays: Mapping[str, object]) -> Dims:
        """Return the extents that those of `arrays` say that are inputs or states."""
        names = {*self._input_names, *(s.spec.name for s in self.signature.states)}
        return self.dims_of({n: array for n, array in arrays.items() if n in names})

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write the executables of all shapes that are kept to one file.

        `glow.load_executable` returns one that runs these shapes, and compiles no
        others. Errors: as of other executables; a CompilationError without a shape.
        """
        from glow.runtime.image_file import write_images

        nets = self._compiled()
        if not nets:
            dims = ", ".join(f'"{name}": ...' for name in self.dims)
            raise CompilationError(
                "expected a shape to save an executable for, got none; name some when "
                f"the model is compiled, shapes={{{dims}}}, or specialize({{{dims}}})"
            )
        symbols = Symbols(self._symbols, tuple(dims for dims, _ in nets))
        write_images(Path(path), [net.image() for _, net in nets], symbols)

    def execute(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        states: Sequence[Array] = (),
        notify: Notify | None = None,
    ) -> None:
        kept = [state.spec.name for state in self.signature.states]
        arrays = dict(zip((*self._input_names, *kept), (*inputs, *states), strict=True))
        self._for(self.dims_of(arrays)).execute(inputs, outputs, states, notify)

    def _found(self, arrays: Sequence[Any]) -> Executable | None:
        """Return the executable for arrays of these shapes, if there is one."""
        try:
            return self._kept.find(tuple([array.shape for array in arrays]))
        except (AttributeError, TypeError):
            return None  # what has no shape, or strange ones, is to be complained about

    def _for(self, dims: Dims) -> Executable:
        def compiled() -> Executable:
            net = self._compile(dims)
            self._extents[net] = {name: dims[name] for name in self.dims}
            self.file = None  # it lacks this one
            return net

        return self._kept.get(self._symbols.shapes_of(dims), compiled)
