"""Headers of C for compiled models: what to pass, how large it is, what went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from glow.runtime.image import Parameter
from glow.support.arrays import ALIGNMENT, Array
from glow.support.dtypes import is_narrow, is_small
from glow.support.names import Names

# Names that no parameter may have: words of C and C++, and those of functions here.
_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class
compl concept const consteval constexpr constinit const_cast continue co_await
co_return co_yield decltype default delete do double dynamic_cast else enum explicit
export extern false float for friend goto if inline int long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires restrict return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid
typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t
while xor xor_eq linux unix null weights arena code from i
"""


@dataclass(frozen=True)
class Interface:
    """What C sees of a model: `name` is that of the file and begins all others."""

    name: str
    target: str
    parameters: Sequence[Parameter]
    arena_bytes: int
    weights_bytes: int
    starts: Sequence[tuple[int, Array] | None]
    """The offset in the weights, and the array, of each parameter's initial value."""
    messages: Sequence[str]

    @property
    def identifiers(self) -> list[str]:
        """The names of parameters in C, which allows fewer than models do."""
        names = Names(_WORDS.split(), "_")
        found: list[str] = []
        for parameter in self.parameters:
            name = re.sub(r"\W+", "_", parameter.spec.name, flags=re.ASCII).strip("_")
            name = name if name[:1].isalpha() else f"x{name}"
            taken = names.fresh(name.lower())  # macros are in upper case
            found.append(name + taken[len(name) :])
        return found


def header_of(model: Interface) -> str:
    """Return the header that declares a model."""
    return "\n".join([*_lines(model), ""])


def _lines(model: Interface) -> Iterator[str]:
    upper, names = model.name.upper(), model.identifiers
    yield f"/* A model as compiled code for {_plain(model.target)};"
    yield "   see docs/embedding.md of Glow on xDSL. */"
    yield from ("", f"#ifndef {upper}_H", f"#define {upper}_H", "")
    yield from ("#include <stddef.h>", "#include <stdint.h>", "")
    yield from ("#ifdef __cplusplus", 'extern "C" {', "#endif", "")
    yield "/* The memory that a run works in; what it holds before does not matter. */"
    yield f"#define {upper}_ARENA_BYTES {_size(model.arena_bytes)}"
    yield f"#define {upper}_ARENA_ALIGNMENT {ALIGNMENT}"
    yield ""
    yield f"/* The constants, in {model.name}.weights.o. */"
    yield f"#define {upper}_WEIGHTS_BYTES {_size(model.weights_bytes)}"
    yield f"#define {upper}_WEIGHTS_ALIGNMENT {ALIGNMENT}"
    yield f"extern const unsigned char {model.name}_weights[];"
    for name, parameter in zip(names, model.parameters, strict=True):
        yield from _array(f"{upper}_{name.upper()}", name, parameter)
    yield from _run(model, names)
    pairs = zip(names, model.parameters, model.starts, strict=True)
    for name, parameter, start in pairs:
        if start is not None:
            yield from _start(model.name, name, parameter, start)
    yield from _fault(model)
    yield from ("", "#ifdef __cplusplus", "}", "#endif", "", "#endif")


_DIRECTIONS = {"in": "read", "out": "written", "inout": "read and written"}


def _array(macro: str, name: str, parameter: Parameter) -> Iterator[str]:
    spec, count = parameter.spec, prod(parameter.spec.shape)
    notes = [str(spec), _DIRECTIONS[parameter.direction], _elements(spec.dtype)]
    if parameter.residency == "resident":
        notes.insert(1, "a state")
    if spec.counted:
        notes.append(f"as many of axis {spec.counted[0]} as {spec.counted[1]} says")
    yield ""
    yield f"/* {_plain('; '.join(filter(None, notes)))}. */"
    yield f"#define {macro}_COUNT {_size(count)}"
    yield f"#define {macro}_BYTES {_size(spec.nbytes)}"
    yield f"#define {macro}_ALIGNMENT {spec.dtype.itemsize}"


def _run(model: Interface, names: Sequence[str]) -> Iterator[str]:
    yield ""
    yield "/* Run the model, on one thread. Return 0, or the code of the first fault:"
    yield "   outputs mean nothing then. Several threads may call it at once, each with"
    yield "   an arena of its own. No two arrays may overlap. It calls and allocates"
    yield "   nothing, and writes only what is not const here. */"
    yield f"int {model.name}_run("
    for name, parameter in zip(names, model.parameters, strict=True):
        yield f"    {_declared(parameter, name)},"
    yield from ("    const void *weights,", "    void *arena);")


def _start(
    model: str, name: str, parameter: Parameter, start: tuple[int, Array]
) -> Iterator[str]:
    place, array = start
    type_ = _type(parameter.spec.dtype)
    index = "i" if array.shape == parameter.spec.shape and array.ndim else "0"
    yield ""
    yield f"/* Fill state {name} with what it starts as. */"
    yield f"static inline void {model}_start_{name}("
    yield f"    {type_} *{name}, const void *weights)"
    yield "{"
    yield f"    const {type_} *from ="
    yield f"        (const {type_} *)((const char *)weights + {_size(place)});"
    yield f"    for (size_t i = 0; i < {_size(prod(parameter.spec.shape))}; i++)"
    yield f"        {name}[i] = from[{index}];"
    yield "}"


def _fault(model: Interface) -> Iterator[str]:
    yield from ("", "/* Return what a code means. */")
    yield f"static inline const char *{model.name}_fault(int code)"
    yield from ("{", "    switch (code) {", '    case 0: return "";')
    for code, message in enumerate(model.messages, 1):
        yield f"    case {code}: return {_literal(message)};"
    yield from ('    default: return "unknown fault";', "    }", "}")


def _declared(parameter: Parameter, name: str) -> str:
    const = "const " if parameter.direction == "in" else ""
    return f"{const}{_type(parameter.spec.dtype)} *{name}"


def _type(dtype: np.dtype[np.generic]) -> str:
    """Return the type that C has for elements; floats of 16 bits are their bits."""
    if dtype.name in ("float32", "float64"):
        return {"float32": "float", "float64": "double"}[dtype.name]
    if is_small(dtype):
        return "uint8_t" if dtype.name.startswith("u") else "int8_t"
    if dtype.kind in "iu":
        return f"{dtype.name}_t"
    return f"uint{8 * dtype.itemsize}_t"


def _elements(dtype: np.dtype[np.generic]) -> str:
    """Return what the elements of C stand for, where its types do not say that."""
    if dtype.kind == "b":
        return "0 or 1"
    if is_small(dtype):
        return "a number in each byte"
    return "bits of floats" if is_narrow(dtype) else ""


def _size(number: int) -> str:
    return f"(size_t){number}" if number > 0x7FFFFFFF else str(number)


def _plain(text: str) -> str:
    """Return text that neither ends nor begins a comment."""
    text = " ".join(text.split())
    return re.sub(r"(?<=[*/])(?=[*/])", " ", text)


def _literal(text: str) -> str:
    """Return text as a string of C, whose trigraphs and octal numbers it avoids."""
    pieces = [
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode(errors="replace")
    ]
    return f'"{"".join(pieces)}"'
