"""Symbols that a function reads before it writes them, and those that it writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from glow.analysis.buffers import accesses_of, symbol_of
from glow.dialects.graph.storage import LoadOp, SaveOp
from glow.dialects.memory.base import Kind
from glow.support.walking import ops_in, ops_of


@dataclass
class Accesses:
    """Accesses of a function to a symbol of the graph or the memory level."""

    reads: Operation | None = None
    """The first op that reads what the symbol held before the run."""
    writes: Operation | None = None
    """The last op that writes to it: what it holds then is what it holds after."""

    @property
    def direction(self) -> str | None:
        """in, out or inout; None: nothing reads or writes it."""
        if self.writes is None:
            return None if self.reads is None else "in"
        return "out" if self.reads is None else "inout"


def accesses_to_symbols(function: FuncOp) -> dict[str, Accesses]:
    """
    Return what the ops of `function` do to each symbol that they name, in order.

    At the graph level a load reads and a save writes. At the memory level ops read and
    write operands; a read after a write does not count, as it sees nothing older.
    """
    accesses: dict[str, Accesses] = {}
    for op in ops_in(function.body):
        named = list(_named(op))
        for symbol, kind in named:
            known = accesses.setdefault(symbol, Accesses())
            if kind.reads and known.reads is None and known.writes is None:
                known.reads = op
        for symbol, kind in named:
            if kind.writes:
                accesses[symbol].writes = op
    return accesses


def _named(op: Operation) -> Iterator[tuple[str, Kind]]:
    match op:
        case LoadOp():
            yield op.symbol.string_value(), Kind.IN
        case SaveOp():
            yield op.symbol.string_value(), Kind.OUT
        case _:
            for value, kind in accesses_of(op):
                if (symbol := symbol_of(value)) is not None:
                    yield symbol, kind


def directions_of(functions: Iterable[FuncOp]) -> dict[str, str]:
    """Return in, out or inout of each symbol that one of `functions` uses."""
    reads: dict[str, bool] = {}
    writes: dict[str, bool] = {}
    for function in functions:
        for symbol, accesses in accesses_to_symbols(function).items():
            reads[symbol] = reads.get(symbol, False) or accesses.reads is not None
            writes[symbol] = writes.get(symbol, False) or accesses.writes is not None
    kinds = {(True, False): "in", (False, True): "out", (True, True): "inout"}
    return {symbol: kinds[reads[symbol], writes[symbol]] for symbol in reads}


def functions_of(module: ModuleOp) -> list[FuncOp]:
    """Return the functions of `module` that have a body."""
    return [op for op in ops_of(module.ops, FuncOp) if op.body.blocks]
