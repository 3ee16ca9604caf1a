"""
Files of compiled models.

A file is 64 bytes (magic, version of the format, length and SHA-256 of the header), the
header as JSON, and from the next page on the payload: object files, and aligned
constants, which are mapped and not read. The header has a SHA-256 for each object and
each block of constants. A model with symbolic dimensions has an image for each shape
that it is compiled for; what they share is there once.

Such a file holds machine code: load only what you trust. Checksums find only damage.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from glow.runtime.image import Image, Machine, Parameter, TeamSizes
from glow.runtime.profile import Profile
from glow.support.arrays import ALIGNMENT, Array, address_of
from glow.support.dtypes import dtype_named, name_in_files
from glow.support.errors import InvalidExecutableError
from glow.support.extensions import installed_version
from glow.support.files import EXECUTABLE_MAGIC, replace_file

if TYPE_CHECKING:
    from glow.runtime.symbolic import Symbols

FORMAT = 8
"""To be counted up when files or what machine code expects of its caller change."""

BLOCK_BYTES = 4 << 20

_PREAMBLE = struct.Struct("<16sIIQ32s")  # magic, format, 0, bytes of the header, digest
_PAGE = 4096

_Part = TypeVar("_Part")


@dataclass(frozen=True)
class _Parts:
    """The parts of all images, each once, and which of them each image has."""

    objects: tuple[bytes, ...]
    constants: tuple[Array, ...]
    of_images: tuple[dict[str, list[int]], ...]


def write_images(
    path: Path, images: Sequence[Image], symbols: Symbols | None = None
) -> None:
    """
    Write a compiled model to `path`; the file appears whole or not at all.

    A model that is compiled for several shapes has several images, for one machine.
    """
    parts = _parts_of(images)
    header = json.dumps(_header_of(images, parts, symbols)).encode()
    digest = sha256(header).digest()
    preamble = _PREAMBLE.pack(EXECUTABLE_MAGIC, FORMAT, 0, len(header), digest)
    filling = bytes(-(len(preamble) + len(header)) % _PAGE)
    replace_file(path, (preamble, header, filling, *_payload_of(parts)))


def _parts_of(images: Sequence[Image]) -> _Parts:
    objects: dict[bytes, int] = {}
    constants: dict[tuple[int, str, tuple[int, ...]], tuple[int, Array]] = {}
    of_images: list[dict[str, list[int]]] = []
    for image in images:
        codes = [objects.setdefault(code, len(objects)) for code in image.objects]
        arrays: list[int] = []
        for array in image.constants:  # equal ones of a process are one array
            key = address_of(array), array.dtype.str, array.shape
            arrays.append(constants.setdefault(key, (len(constants), array))[0])
        of_images.append({"objects": codes, "constants": arrays})
    held = tuple(array for _, array in constants.values())
    return _Parts(tuple(objects), held, tuple(of_images))


def _header_of(
    images: Sequence[Image], parts: _Parts, symbols: Symbols | None
) -> dict[str, Any]:
    codes, code_bytes = _placed([len(code) for code in parts.objects], 0)
    start = code_bytes + -code_bytes % _PAGE
    places, end = _placed([array.nbytes for array in parts.constants], start)
    return {
        "glow": installed_version(),
        "machine": asdict(images[0].machine),
        "images": [
            {
                "arena_bytes": image.arena_bytes,
                "messages": image.messages,
                "profile": None if image.profile is None else image.profile.entry(),
                "team": None if image.team is None else asdict(image.team),
                "bindings": [parameter.entry() for parameter in image.parameters],
                **numbers,
            }
            for image, numbers in zip(images, parts.of_images, strict=True)
        ],
        "symbols": None if symbols is None else symbols.entry(),
        "objects": [
            {"offset": offset, "bytes": len(code), "sha256": sha256(code).hexdigest()}
            for offset, code in zip(codes, parts.objects, strict=True)
        ],
        "constants": [
            {"offset": at, "dtype": name_in_files(array.dtype), "shape": array.shape}
            for at, array in zip(places, parts.constants, strict=True)
        ],
        "block_bytes": BLOCK_BYTES,
        "blocks": _digests(_constant_pieces(parts)),
        "start": start,
        "end": end,
    }


def _placed(sizes: Sequence[int], start: int) -> tuple[list[int], int]:
    """Return where pieces of these sizes begin, and where the last one's room ends."""
    offsets: list[int] = []
    for size in sizes:
        offsets.append(start)
        start += size + -size % ALIGNMENT
    return offsets, start


def _payload_of(parts: _Parts) -> Iterator[bytes | memoryview]:
    _, code_bytes = _placed([len(code) for code in parts.objects], 0)
    yield from _padded(parts.objects)
    yield bytes(-code_bytes % _PAGE)
    yield from _constant_pieces(parts)


def _constant_pieces(parts: _Parts) -> Iterator[bytes | memoryview]:
    return _padded(array.reshape(-1).view(np.uint8).data for array in parts.constants)


def _padded(pieces: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    for data in pieces:
        yield data
        yield bytes(-len(data) % ALIGNMENT)


def _digests(pieces: Iterator[bytes | memoryview]) -> list[str]:
    """Return the SHA-256 of each block of all `pieces` together."""
    sums: list[str] = []
    block, room = sha256(), BLOCK_BYTES
    for piece in pieces:
        view = memoryview(piece)
        while len(view):
            part, view = view[:room], view[room:]
            block.update(part)
            room -= len(part)
            if not room:
                sums.append(block.hexdigest())
                block, room = sha256(), BLOCK_BYTES
    return sums if room == BLOCK_BYTES else [*sums, block.hexdigest()]


def read_images(
    path: Path, verify: bool = False
) -> tuple[tuple[Image, ...], Symbols | None]:
    """
    Return the compiled model in a file, its constants mapped, and its symbols if any.

    Constants are checked by `Image.check`, or at once with `verify`. Errors:
    InvalidExecutableError for a file that is not one, or is cut, changed or of another
    version; OSError.
    """
    with path.open("rb") as file:
        start = file.read(_PREAMBLE.size)
        length = _header_length(path, start)
        text = file.read(length)
        _check_format(path, start, text)
        if sha256(text).digest() != _PREAMBLE.unpack(start)[4]:
            raise InvalidExecutableError(f"{path}: the header is cut or changed")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    payload = _PREAMBLE.size + length
    reader = _Reader(path, json.loads(text), data, payload + -payload % _PAGE)
    if verify:
        reader.check()
    return reader.images(None if verify else reader.check), reader.symbols


def content_of(path: Path) -> str:
    """
    Return the digest of the header of a file, which has those of code and constants.

    Errors: InvalidExecutableError for a file that is not an executable; OSError.
    """
    with path.open("rb") as file:
        start = file.read(_PREAMBLE.size)
    _header_length(path, start)
    return _PREAMBLE.unpack(start)[4].hex()


def _header_length(path: Path, start: bytes) -> int:
    """Return how long the header is, by the bytes before it."""
    if not start.startswith(EXECUTABLE_MAGIC):
        raise InvalidExecutableError(f"{path}: expected a saved executable")
    if len(start) < _PREAMBLE.size:
        raise InvalidExecutableError(f"{path}: the header is cut or changed")
    return min(_PREAMBLE.unpack(start)[3], path.stat().st_size)


def _check_format(path: Path, start: bytes, header: bytes) -> None:
    """Raise unless a file has the format of this version; say which one wrote it."""
    format_ = _PREAMBLE.unpack(start)[1]
    if format_ == FORMAT:
        return
    try:
        writer = f"glow-xdsl {json.loads(header)['glow']}"
    except (ValueError, KeyError, TypeError):
        writer = "another version"
    raise InvalidExecutableError(
        f"{path}: expected format {FORMAT}, got format {format_} of {writer}; "
        "compile the model again"
    )


class _Reader:
    """A file whose header is as it was written."""

    def __init__(self, path: Path, header: Any, data: mmap.mmap, payload: int):
        self._path = path
        self._header = header
        self._data = data
        self._payload = payload
        self._is_checked = False
        expected, got = payload + header["end"], len(data)
        if got != expected:
            raise InvalidExecutableError(
                f"{path}: expected {expected} bytes, got {got}; the file is cut or"
                " changed"
            )

    def images(self, check: Callable[[], None] | None) -> tuple[Image, ...]:
        header = self._header
        machine = header["machine"]
        made_for = Machine(**machine | {"features": tuple(machine["features"])})
        objects = tuple(map(self._object, header["objects"]))
        constants = tuple(map(self._constant, header["constants"]))
        return tuple(
            Image(
                made_for,
                _picked(objects, each["objects"]),
                tuple(map(Parameter.of, each["bindings"])),
                each["arena_bytes"],
                _picked(constants, each["constants"]),
                tuple(each["messages"]),
                None if each["profile"] is None else Profile.of(each["profile"]),
                None if each["team"] is None else TeamSizes(**each["team"]),
                check,
            )
            for each in header["images"]
        )

    @property
    def symbols(self) -> Symbols | None:
        entry = self._header["symbols"]
        if entry is None:
            return None
        from glow.runtime.symbolic import symbols_of

        return symbols_of(entry)

    def check(self) -> None:
        """Raise where a block of constants is not as it was written; once is enough."""
        if self._is_checked:
            return
        view = memoryview(self._data)[self._payload :]
        start, step = self._header["start"], self._header["block_bytes"]
        for number, expected in enumerate(self._header["blocks"]):
            first = start + number * step
            block = view[first : min(first + step, self._header["end"])]
            if sha256(block).hexdigest() != expected:
                raise InvalidExecutableError(
                    f"{self._path}: the constants at byte {self._payload + first} and"
                    " after it are changed"
                )
        self._is_checked = True

    def _object(self, entry: Any) -> bytes:
        first = self._payload + entry["offset"]
        code = self._data[first : first + entry["bytes"]]
        if sha256(code).hexdigest() != entry["sha256"]:
            raise InvalidExecutableError(f"{self._path}: the machine code is changed")
        return code

    def _constant(self, entry: Any) -> Array:
        shape, dtype = tuple(entry["shape"]), dtype_named(entry["dtype"])
        count = int(np.prod(shape, dtype=np.int64))
        place = self._payload + entry["offset"]
        if not count:  # what has no bytes may lie beyond the last one
            return np.empty(shape, dtype)
        flat = np.frombuffer(self._data, dtype, count, place)
        return flat.reshape(shape)


def _picked(parts: Sequence[_Part], numbers: Sequence[int]) -> tuple[_Part, ...]:
    return tuple(parts[number] for number in numbers)
