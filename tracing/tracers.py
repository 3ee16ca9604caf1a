"""Arrays of a function that is traced: what is done with them is written as ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from glow.dialects.graph.tensors import Tensor
from glow.support.errors import UnknownAttributeError
from glow.tracing.registry import FUNCTIONS, function_named
from glow.tracing.user_code import error_here, user_place

_METHODS = (
    *("all", "any", "argmax", "argmin", "argsort", "astype", "clip", "conj", "cumsum"),
    *("conjugate", "cumprod", "diagonal", "dot", "max", "mean", "min", "nonzero"),
    *("prod", "ravel", "repeat", "round", "searchsorted", "squeeze", "std"),
    *("sum", "swapaxes", "take", "trace", "var"),
)

_IN_PLACE = {
    "fill": "np.full_like(x, value)",
    "partition": "np.partition(x, kth)",
    "put": "np.where(mask, value, x)",
    "resize": "np.reshape(x, shape)",
    "setflags": "x as it is",
    "sort": "np.sort(x)",
}
"""Methods that would change an array, and what to write instead."""


def _operator(name: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: _combined(name, self, other)


def _operators(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the methods for `self op other` and `other op self`."""

    def reflected(self: Any, other: Any) -> Any:
        return _combined(name, other, self)

    return _operator(name), reflected


def _combined(name: str, lhs: Any, rhs: Any) -> Any:
    if any(isinstance(each, str | list | tuple | dict) for each in (lhs, rhs)):
        return NotImplemented
    return FUNCTIONS[name](lhs, rhs)


class Tracer:
    """
    An array with only a shape and an element type, while a function is traced.

    It has the operators, indices and methods of NumPy's arrays, and goes into NumPy's
    functions and those of `x.__array_namespace__()`. A Python number that the caller
    passes is one too; `weak` is its type, which gives way to that of an array.
    Errors: TracingError, with the line of the caller, for all that needs elements.
    """

    __slots__ = ("tensor", "weak")
    __array_priority__ = 1000.0

    def __init__(self, tensor: Tensor, weak: type | None = None):
        self.tensor = tensor
        self.weak = weak

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.shape

    @shape.setter
    def shape(self, extents: Any) -> NoReturn:
        raise error_here(
            "x.shape: expected an array that stays as it is; use np.reshape(x, shape)"
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.tensor.dtype

    @property
    def ndim(self) -> int:
        return self.tensor.ndim

    @property
    def size(self) -> int:
        return self.tensor.size

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def T(self) -> Any:
        return FUNCTIONS["transpose"](self)

    @property
    def mT(self) -> Any:
        return FUNCTIONS["matrix_transpose"](self)

    @property
    def real(self) -> Any:
        return FUNCTIONS["real"](self)

    @property
    def imag(self) -> Any:
        return FUNCTIONS["imag"](self)

    def __repr__(self) -> str:
        extents = ", ".join(map(str, self.shape))
        return f"Tracer({self.dtype}[{extents}])"

    def __len__(self) -> int:
        if not self.shape:
            raise error_here("len: expected an array with axes, got one without")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise error_here("expected an array with axes to go over, got one without")
        return (self[index] for index in range(self.shape[0]))

    def __getitem__(self, key: Any) -> Any:
        return FUNCTIONS["__getitem__"](self, key)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise error_here(
            "expected an array that stays as it is, got an assignment to a part of a "
            "traced one; use np.where(mask, value, x), or np.concatenate of its parts"
        )

    def __delitem__(self, key: Any) -> NoReturn:
        raise error_here(
            "expected an array that stays as it is, got a part of a traced one to "
            "delete; use np.delete, or np.concatenate of its parts"
        )

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return import_module("glow.tracing.namespace")

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any
    ) -> Any:
        shown = f"np.{ufunc.__name__}"
        if method != "__call__":
            name = f"{ufunc.__name__}.{method}"
            return function_named(name, f"np.{name}")(*inputs, **named)
        if out := named.pop("out", None):
            _refuse_out(shown, out[0])
        condition = named.pop("where", True)
        if condition is not True:
            raise error_here(f"{shown}: expected no where, use np.where on the result")
        named.pop("casting", None)
        result = function_named(ufunc.__name__, shown)(*inputs, **named)
        return result

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        arguments: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        module = function.__module__.replace("numpy", "np")
        shown = f"{module}.{function.__name__}"
        if named.get("out") is not None:
            _refuse_out(shown, named["out"])
        part = module.partition(".")[2]
        is_apart = part in ("linalg", "fft")
        name = f"{part}.{function.__name__}" if is_apart else function.__name__
        return function_named(name, shown)(*arguments, **named)

    def __array__(self, *given: Any, **named: Any) -> NoReturn:
        raise error_here(
            "expected an array whose elements are known, got a traced one; "
            "use NumPy's functions on it, or compute before the function is traced"
        )

    def __bool__(self) -> NoReturn:
        raise error_here(
            "expected a truth value that is known, got one that depends on a traced "
            "array; use np.where(condition, a, b) for elements, or glow.cond for code"
        )

    def __float__(self) -> NoReturn:
        raise _unknown("float", "keep it an array: x.astype(np.float64)")

    def __int__(self) -> NoReturn:
        raise _unknown("int", "keep it an array: x.astype(np.int64)")

    def __complex__(self) -> NoReturn:
        raise _unknown("complex", "complex numbers are not supported")

    def __index__(self) -> NoReturn:
        raise _unknown(
            "an index or a count",
            "name the argument in static=, use glow.fori_loop for range, or np.take",
        )

    def __round__(self, digits: int | None = None) -> Any:
        rounded = FUNCTIONS["round"](self, digits or 0)
        return rounded.astype(np.int64) if digits is None else rounded

    def __format__(self, spec: str) -> str:
        if spec:
            raise _unknown(
                f"a number to format as {spec!r}", "print what a run returns"
            )
        return repr(self)

    def __hash__(self) -> int:
        raise _unknown("a key of a dict or set", "use its name, or id(x)")

    def __contains__(self, value: object) -> NoReturn:
        raise error_here(
            "in: expected elements that are known, got a traced array; "
            "use (x == value).any()"
        )

    def item(self, *index: int) -> NoReturn:
        raise _unknown("item()", "return the array and ask what the run returns")

    def tolist(self) -> NoReturn:
        raise _unknown("tolist()", "return the array and ask what the run returns")

    def copy(self) -> Tracer:
        return self

    __copy__ = copy

    def __deepcopy__(self, known: Any) -> Tracer:
        return self

    def __reduce__(self) -> NoReturn:
        raise error_here(
            "pickle: expected an array whose elements are known, got a traced one"
        )

    def to_device(self, device: str, /, *, stream: Any = None) -> Tracer:
        if device != "cpu":
            raise error_here(f'to_device: expected "cpu", got {device!r}')
        return self

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        extents = shape[0] if len(shape) == 1 else shape
        return FUNCTIONS["reshape"](self, extents, order=order)

    def transpose(self, *axes: Any) -> Any:
        order = axes[0] if len(axes) == 1 else axes or None
        return FUNCTIONS["transpose"](self, order)

    def flatten(self) -> Any:
        return FUNCTIONS["ravel"](self)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _IN_PLACE:
            return lambda *_, **__: _refuse_change(name)
        if name not in _METHODS:
            text = f"traced arrays have no attribute {name!r}"
            if name.startswith("_"):  # which libraries ask for
                raise AttributeError(text)
            raise UnknownAttributeError(f"{user_place()}: {text}")
        function = function_named(name)
        return lambda *arguments, **named: function(self, *arguments, **named)

    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("subtract")
    __mul__, __rmul__ = _operators("multiply")
    __truediv__, __rtruediv__ = _operators("divide")
    __floordiv__, __rfloordiv__ = _operators("floor_divide")
    __mod__, __rmod__ = _operators("remainder")
    __divmod__, __rdivmod__ = _operators("divmod")
    __pow__, __rpow__ = _operators("power")
    __matmul__, __rmatmul__ = _operators("matmul")
    __and__, __rand__ = _operators("bitwise_and")
    __or__, __ror__ = _operators("bitwise_or")
    __xor__, __rxor__ = _operators("bitwise_xor")
    __lshift__, __rlshift__ = _operators("left_shift")
    __rshift__, __rrshift__ = _operators("right_shift")
    __lt__ = _operator("less")
    __le__ = _operator("less_equal")
    __gt__ = _operator("greater")
    __ge__ = _operator("greater_equal")

    def __eq__(self, other: object) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _combined("equal", self, other)

    def __ne__(self, other: object) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _combined("not_equal", self, other)

    def __neg__(self) -> Any:
        return FUNCTIONS["negative"](self)

    def __pos__(self) -> Any:
        return FUNCTIONS["positive"](self)

    def __abs__(self) -> Any:
        return FUNCTIONS["absolute"](self)

    def __invert__(self) -> Any:
        return FUNCTIONS["invert"](self)


def _unknown(what: str, instead: str) -> Exception:
    return error_here(
        f"{what}: expected a number that is known, got a traced array, whose elements "
        f"are known only at run time; {instead}"
    )


def _refuse_change(name: str) -> NoReturn:
    raise error_here(
        f"x.{name}: expected an array that stays as it is; use {_IN_PLACE[name]}"
    )


def _refuse_out(what: str, out: object) -> NoReturn:
    raise error_here(
        f"{what}: expected no out, as traced arrays stay as they are; "
        "use what the function returns"
    )
