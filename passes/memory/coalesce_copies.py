"""Merge two buffers where one is a copy of all of the other."""

from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from glow.analysis.buffers import Holder, holder_of, root_of
from glow.analysis.directions import functions_of
from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing, find_addressing, same_place
from glow.dialects.memory.base import MemoryOp, buffer_type
from glow.dialects.memory.control_flow import kinds_of_arguments
from glow.dialects.memory.elementwise import CopyOp
from glow.dialects.memory.storage import AllocOp, GetOp, PlaceholderOp, ViewOp
from glow.support.walking import block_ops


class CoalesceCopiesPass(ModulePass):
    """
    Merge an allocation with the buffer that it is copied to or from as a whole.

    The copy is removed; a placeholder that is read and written is then updated in
    place. The other buffer is an allocation or a placeholder that may be written. Both
    have the same bytes without padding, and neither is written while the other's
    contents are still needed, except by an op that declares the pair as in-place.

    Level: memory -> memory. Needs: nothing; before sink-allocs.
    Source: Chaitin, Register allocation and spilling via graph coloring (1982).
    """

    name = "coalesce-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        writable: set[Holder] = {
            placeholder.sym_name.data
            for placeholder in op.ops
            if isinstance(placeholder, PlaceholderOp)
            and placeholder.direction.data != "in"
        }
        for function in functions_of(op):
            block = function.body.block
            kinds = zip(block.args, kinds_of_arguments(function), strict=True)
            written = {argument for argument, kind in kinds if kind.writes}
            _Coalescing(block, writable | written).run()


class _Coalescing:
    """The ops of a block that touch each buffer, by position."""

    def __init__(self, block: Block, writable: set[Holder]):
        self._writable = writable
        self._block = block
        self._touching: dict[Holder, dict[int, MemoryOp]] = {}
        for at, op in enumerate(block_ops(block)):
            if isinstance(op, MemoryOp):
                for value, _ in op.accesses():
                    self._touching.setdefault(holder_of(value), {})[at] = op

    def run(self) -> None:
        # From the end: the last value of a placeholder should be made in it.
        copies = [op for op in self._block.ops if isinstance(op, CopyOp)]
        for copy in reversed(copies):
            if copy.parent is None or not _keeps_bytes(copy):
                continue
            for gone, kept in (copy.operands, reversed(copy.operands)):
                if self._can_be_one(gone, kept):
                    self._merge(root_of(gone), root_of(kept))
                    break

    def _can_be_one(self, gone: SSAValue, kept: SSAValue) -> bool:
        gone, place = root_of(gone), holder_of(kept)
        if not isinstance(gone.owner, AllocOp) or gone == place:
            return False
        if _is_outside(place) and place not in self._writable:
            return False
        return not self._interfere(gone, place)

    def _interfere(self, first: Holder, second: Holder) -> bool:
        """
        Return whether one is written while the contents of the other are wanted.

        Walks back from the end, where contents of buffers from outside are wanted. A
        write, even of all elements, leaves a buffer wanted: that errs towards yes.
        """
        wanted = {place: _is_outside(place) for place in (first, second)}
        ops = self._touching[first] | self._touching[second]
        for _, op in sorted(ops.items(), reverse=True):
            if _connects(op, first, second):
                source, result = map(holder_of, op.operands)
                wanted[source] |= wanted[result]
                wanted[result] = False
                continue
            accesses = [
                (holder_of(value), value, kind) for value, kind in op.accesses()
            ]
            reads = [(place, value) for place, value, kind in accesses if kind.reads]
            writes = [(place, value) for place, value, kind in accesses if kind.writes]
            for one, other in ((first, second), (second, first)):
                written = [value for place, value in writes if place == one]
                if not written:
                    continue
                if wanted[other] or any(place == other for place, _ in writes):
                    return True
                read = [value for place, value in reads if place == other]
                allowed = op.in_place_pairs()
                if any((r, w) not in allowed for r in read for w in written):
                    return True
            for place, _ in reads:
                if place in wanted:
                    wanted[place] = True
        return False

    def _merge(self, gone: SSAValue, kept: SSAValue) -> None:
        """Put `kept` in the place of `gone`; erase the copies between them."""
        first, second = holder_of(gone), holder_of(kept)
        touching = self._touching.pop(first) | self._touching[second]
        for at, op in list(touching.items()):
            if _connects(op, first, second):
                del touching[at]
                Rewriter.erase_op(op)
        self._touching[second] = touching
        alloc, owner = gone.owner, kept.owner
        assert isinstance(alloc, AllocOp)
        assert isinstance(owner, AllocOp | GetOp | Block)
        if not isinstance(owner, Block) and not owner.is_before_in_block(alloc):
            owner.detach()
            self._block.insert_op_before(owner, alloc)
        new = kept
        if kept.type != gone.type:
            view = ViewOp(kept, buffer_type(gone))
            view.location = alloc.location
            self._block.insert_op_before(view, alloc)
            new = view.result
        gone.replace_all_uses_with(new)
        Rewriter.erase_op(alloc)


def _connects(op: MemoryOp, first: Holder, second: Holder) -> bool:
    """Return whether `op` copies all of one buffer to the other, byte by byte."""
    if not isinstance(op, CopyOp):
        return False
    return {*map(holder_of, op.operands)} == {first, second} and _keeps_bytes(op)


def _keeps_bytes(copy: CopyOp) -> bool:
    """Return whether source and result are two whole buffers of the same bytes."""
    count = prod(buffer_type(copy.source).get_shape())
    roots = [root_of(value) for value in copy.operands]
    if not count or any(
        prod(physical_shape_of(buffer_type(r))) != count for r in roots
    ):
        return False
    if not same_place(copy.source, copy.result):
        is_root = list(copy.operands) == roots
        return is_root and copy.source.type == copy.result.type
    addressing = find_addressing(buffer_type(copy.source))
    return addressing is not None and _fills(addressing)


def _fills(addressing: Addressing) -> bool:
    """Return whether each place from 0 on has one element, in whatever order."""
    expected = 1
    for stride, extent in sorted(
        zip(addressing.strides, addressing.shape, strict=True)
    ):
        if extent != 1:
            if stride != expected:
                return False
            expected *= extent
    return addressing.offset == 0


def _is_outside(place: Holder) -> bool:
    """Return whether `place` is there before the function, and after it."""
    return isinstance(place, str | BlockArgument)
