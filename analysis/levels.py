"""The stage that a module has reached, read from its ops."""

from xdsl.dialects.builtin import MemRefType, ModuleOp

from glow.support.walking import ops_in


def level_of(module: ModuleOp) -> str:
    """
    Return the name of the last stage that `module` looks like the result of.

    A module that could still be fresh from an importer counts as `import`, also if some
    values have layouts: those are what its author wants of inputs and outputs, until
    assign-layouts has left its note or ops are grouped.
    """
    names = {op.name for op in ops_in(module.body)}
    dialects = {name.partition(".")[0] for name in names}
    if "llvm" in dialects:
        return "llvm"
    if "memory" in dialects:
        return "memory"
    if dialects & {"graph", "layout"}:
        if "graph.fused" in names or "layout.assignment" in module.attributes:
            return "layout"
        return "graph" if "layout" in dialects else "import"
    loops = {"scf", "vector", "memref"} & dialects
    return "loops" if loops or _takes_buffers(module) else "import"


def _takes_buffers(module: ModuleOp) -> bool:
    return any(
        isinstance(argument.type, MemRefType)
        for op in ops_in(module.body)
        for region in op.regions
        for block in region.blocks
        for argument in block.args
    )
