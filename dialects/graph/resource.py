"""The attribute that ties a constant to its bytes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from glow.support.resources import Resource, find_resource


class Handle:
    """A digest, and the bytes behind it if this process has them."""

    def __init__(self, resource: Resource | None, digest: str | None = None):
        self.resource = resource
        self._digest = digest

    @property
    def digest(self) -> str:
        if self._digest is None:
            assert self.resource is not None
            self._digest = self.resource.digest
        return self._digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Handle):
            return NotImplemented
        same = self.resource is not None and self.resource is other.resource
        return same or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@irdl_attr_definition
class ResourceAttr(Data[Handle]):
    """
    The bytes of a constant, by the SHA-256 of dtype, shape and content.

    ```mlir
    #graph.resource<"9f86d081884c7d65...">
    ```
    """

    name = "graph.resource"

    @staticmethod
    def of(array: NDArray[Any]) -> ResourceAttr:
        return ResourceAttr(Handle(Resource(array)))

    @property
    def array(self) -> NDArray[Any] | None:
        """The bytes, or None where only the digest is known."""
        if self.data.resource is None:
            self.data.resource = find_resource(self.data.digest)
        return None if self.data.resource is None else self.data.resource.array

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Handle:
        with parser.in_angle_brackets():
            digest = parser.parse_str_literal(" (a SHA-256 digest)")
        if len(digest) != 64 or any(c not in "0123456789abcdef" for c in digest):
            parser.raise_error(f"expected 64 hexadecimal digits, got {digest!r}")
        return Handle(find_resource(digest), digest)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data.digest)
