"""State that traced functions read and replace, and that stays from run to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from xdsl.utils.exceptions import VerifyException

from glow.support.arrays import Array, aligned_array
from glow.support.types import element_type_of
from glow.tracing.registry import FUNCTIONS
from glow.tracing.trace import TracedModule, current_trace, is_tracing
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import error_here


class Variable(NDArrayOperatorsMixin):
    """
    An array that traced functions read and write: each run leaves its new elements.

    `v.value` is what it holds. In a function that is traced it is a traced array, and
    `v.value = x` says what it holds after the run. Elsewhere both are NumPy arrays, and
    the one read is the memory that runs update, in place. It is an operand as any
    array is, `v + 1`, and `v += 1` assigns; only `==` compares identity.
    Errors: TypeError for what is not an array of numbers; ValueError for an assignment
    of another shape or type; in a trace TracingError for both, and for an assignment in
    a composite or the body of a loop, which return values instead.
    """

    __hash__ = object.__hash__  # pyright: ignore[reportAssignmentType]

    def __init__(self, array: Any, name: str = ""):
        given = np.asarray(array)
        try:
            element_type_of(given.dtype)
        except VerifyException as error:
            raise TypeError(f"Variable: {error}") from None
        self.name = name
        self.array: Array = aligned_array(given.shape, given.dtype)
        """The memory that runs read and write."""
        self.array[...] = given

    @property
    def value(self) -> Any:
        if not is_tracing():
            return self.array
        trace = current_trace()
        return Tracer(trace.adopt(_state(trace.program, self)[1]))

    @value.setter
    def value(self, value: Any) -> None:
        if is_tracing():
            self._assign(value)
            return
        given = np.asarray(value)
        if given.shape != self.shape or not np.can_cast(given.dtype, self.dtype):
            raise ValueError(
                f"expected {self.dtype} of shape {list(self.shape)} to assign, got "
                f"{given.dtype} of shape {list(given.shape)}"
            )
        self.array[...] = given

    def _assign(self, value: Any) -> None:
        trace = current_trace()
        if trace is not trace.program.main:
            raise error_here(
                "Variable: expected an assignment in the function that is traced, got "
                "one in a composite or the body of a loop; return the value from it"
            )
        made = FUNCTIONS["asarray"](value, dtype=None)
        if made.weak is not None:
            made = made.astype(self.dtype)
        if (made.shape, made.dtype) != (self.shape, self.dtype):
            raise error_here(
                f"Variable: expected {self.dtype}{list(self.shape)} to assign, got "
                f"{made.dtype}{list(made.shape)}; convert it with astype or reshape"
            )
        storage, _ = _state(trace.program, self)
        trace.program.variables[id(self)] = self, storage, trace.adopt(made.tensor)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __repr__(self) -> str:
        extents = ", ".join(map(str, self.shape))
        return f"Variable({self.dtype}[{extents}])"

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.value, dtype, copy=copy)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any
    ) -> Any:
        out = named.pop("out", None)
        result = getattr(ufunc, method)(*_values(inputs), **named)
        if out is None:
            return result
        if out != (self,):
            raise error_here(f"np.{ufunc.__name__}: expected no out, got {out}")
        self.value = result
        return self

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        arguments: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        return function(*_values(arguments), **_values(named))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.value, name)


def _state(program: TracedModule, variable: Variable) -> tuple[Any, Any]:
    """Return the storage of a variable, and what it holds so far, in `@main`."""
    if id(variable) not in program.variables:
        name = variable.name or program.names.get(id(variable)) or "state"
        storage = program.state(name, variable.array.copy())
        loaded = program.main.load(storage)
        program.variables[id(variable)] = variable, storage, loaded
        program.know(
            variable.array, lambda trace: trace.adopt(_state(program, variable)[1])
        )
    return program.variables[id(variable)][1:]


def _values(given: Any) -> Any:
    """Return arguments of a function with the values of variables in their place."""
    if isinstance(given, Variable):
        return given.value
    if isinstance(given, tuple | list):
        values = map(_values, cast(Sequence[Any], given))
        return tuple(values) if isinstance(given, tuple) else list(values)
    if isinstance(given, Mapping):
        return {key: _values(each) for key, each in cast(Any, given).items()}
    return given
