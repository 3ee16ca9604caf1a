"""The attribute that ties a constant to its bytes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from glow.support.resources import Handle, Resource, find_resource


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
        resource = self.data.find()
        return None if resource is None else resource.array

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
