"""Which stage a module has reached, read from what is in it."""

from typing import cast

from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, TensorType
from xdsl.ir import Attribute, Operation

from glow.support.types import Tensor

_LAYOUT_OPS = frozenset({"graph.fused", "layout.transform"})


def level_of(module: ModuleOp) -> str:
    """
    Return the name of the last stage that `module` looks like the result of.

    A module that could still be fresh from an importer counts as `import`.
    """
    dialects: set[str] = set()
    has_layouts = False
    for op in module.walk():
        dialects.add(op.dialect_name())
        has_layouts = has_layouts or op.name in _LAYOUT_OPS or _has_encoding(op)
    if "llvm" in dialects:
        return "llvm"
    if "memory" in dialects:
        return "memory"
    if has_layouts:
        return "layout"
    if "graph" in dialects:
        return "import"
    loops = {"scf", "vector", "memref"} & dialects
    return "loops" if loops or _takes_buffers(module) else "import"


def _has_encoding(op: Operation) -> bool:
    return any(_is_encoded(result.type) for result in op.results)


def _is_encoded(type_: Attribute) -> bool:
    if not isinstance(type_, TensorType):
        return False
    return not isinstance(cast(Tensor, type_).encoding, NoneAttr)


def _takes_buffers(module: ModuleOp) -> bool:
    return any(
        isinstance(argument.type, MemRefType)
        for op in module.walk()
        for region in op.regions
        for block in region.blocks
        for argument in block.args
    )
