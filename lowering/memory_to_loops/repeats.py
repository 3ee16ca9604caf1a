"""Calls of ops that differ in their buffers alone: made once, then repeated."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from glow.analysis.buffers import holder_of, root_of
from glow.lowering.memory_to_loops.kernels.kernel import Argument, PreparedCall
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.lowering.memory_to_loops.storage import Storage
from glow.support.attributes import numbering
from glow.support.walking import operands_of, ops_right_in


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """A call of the first op of some that are alike."""

    call: PreparedCall
    passed: Mapping[str, Argument]
    numbers: Mapping[str, int]
    """The operand of the op that an argument points into, by name; none for tables."""
    group: int | None
    """Calls with the same number touch none of each other's elements."""


class Repeats:
    """The calls of ops so far, for later ones that are alike."""

    def __init__(self, storage: Storage):
        self._storage, self._number_of = storage, numbering()
        self._known: dict[Hashable, Sequence[RecordedCall]] = {}
        self._operands: Mapping[SSAValue, int] = {}
        self._recorded: list[RecordedCall] = []
        self._is_alone = False

    def likeness_of(self, op: Operation) -> Hashable:
        """
        Return a key that is equal for ops that differ in buffers alone, or None.

        It has all that a rule may ask of an op: types and properties, regions as
        programs, which operands are in one buffer, and whether it is constant.
        """
        number_of, is_constant = self._number_of, self._storage.is_constant
        places: dict[Hashable, int] = {}
        key: list[Hashable] = [type(op)]
        for value in operands_of(op):
            root, number = root_of(value), number_of(value.type)
            key += number, number if root is value else number_of(root.type)
            key.append(places.setdefault(holder_of(root), len(places)))
            key.append(is_constant(root))
        for region in op.regions:
            ops = ops_right_in(region)
            if not _is_program(ops):
                return None
            key.append(ScalarProgram.of(region) if ops else None)
        key += op.properties
        key += map(number_of, op.properties.values())
        return tuple(key)

    def find(self, likeness: Hashable) -> Sequence[RecordedCall] | None:
        """Return the calls of ops alike, None if there was none."""
        return self._known.get(likeness)

    def begin(self, op: Operation) -> None:
        """Note the calls of `op` from here on."""
        self._operands = {value: n for n, value in enumerate(operands_of(op))}
        self._recorded, self._is_alone = [], False

    def add(
        self, call: PreparedCall, passed: Mapping[str, Argument], group: int | None
    ) -> None:
        """Note a call of the current op."""
        named = ((name, each.buffer) for name, each in passed.items())
        buffers = {name: buffer for name, buffer in named if buffer is not None}
        if all(buffer in self._operands for buffer in buffers.values()):
            numbers = {name: self._operands[each] for name, each in buffers.items()}
            self._recorded.append(RecordedCall(call, passed, numbers, group))
        else:
            self.refuse()

    def refuse(self) -> None:
        """Say that the calls of the current op depend on more than its likeness."""
        self._is_alone = True

    def end(self, likeness: Hashable) -> None:
        """Keep the calls of the current op for those that are alike."""
        if likeness is not None and not self._is_alone:
            self._known[likeness] = self._recorded
        self._recorded, self._is_alone = [], True


def _is_program(ops: Sequence[Operation]) -> bool:
    """Return whether `ops` of a block are scalar ops of one result, and its end."""
    return all(len(op.results) == 1 and not op.regions for op in ops[:-1])
