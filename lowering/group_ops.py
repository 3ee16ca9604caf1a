"""Put ops that one kernel will compute into one `graph.fused`."""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from glow.analysis.cheap_ops import CHEAP
from glow.analysis.directions import functions_of
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.fused import FusedOp, YieldOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.layout.attribute import strides_of
from glow.dialects.memory import products
from glow.lowering.memory_to_loops.rules import rule_of
from glow.support.locations import fuse
from glow.support.types import (
    dtype_of,
    element_of,
    is_float,
    shape_of,
    tensor_type,
)

PRODUCTS: dict[type[Operation], type[Operation]] = {
    ConvOp: products.ConvOp,
    MatMulOp: products.MatMulOp,
}
"""
The ops that take the ops after them first, and always; by op, the one on buffers.

Products compute for longer, and so hide better the reads of other operands.
"""

_FULL = 64
"""Columns that fill four vectors, as many as kernels of pools compute at once."""

# Larger kernels gain nothing: they are bound by what they compute.
MEMBERS = 64

"""The most ops of a group, of which only the last has readers outside."""


def groups_of(block: Block) -> list[list[Operation]]:
    """
    Return disjoint groups of at least two ops of `block`, in the order of their ends.

    A group can stand where its last op does: what it reads is defined before that, and
    values inside have no other readers. Takes O(n log n) time for n ops.
    """
    return _Search(block).groups()


class _Search:
    def __init__(self, block: Block):
        self._ops = list(block.ops)
        self._order = {op: number for number, op in enumerate(self._ops)}
        self._elementwise = {op for op in self._ops if isinstance(op, ElementwiseOp)}
        self._taken: set[Operation] = set()

    def groups(self) -> list[list[Operation]]:
        groups: list[list[Operation]] = []
        # Of two products that an addition joins, the later one gets the addition: by
        # then the other is there.
        takers = [op for op in reversed(self._ops) if _columns_of(op) is not None]
        for op in sorted(takers, key=lambda op: type(op) not in PRODUCTS):
            group = self._epilogue(op)
            if type(op) in PRODUCTS or _pays(group):
                self._take(groups, group)
        for op in reversed(self._ops):
            if self._is_free(op):
                self._take(groups, self._tree(op))
        return sorted(groups, key=lambda group: self._order[group[-1]])

    def _take(self, groups: list[list[Operation]], group: list[Operation]) -> None:
        if len(group) > 1:
            groups.append(group)
            self._taken.update(group)

    def _is_free(self, op: Operation) -> bool:
        return op in self._elementwise and op not in self._taken

    def _epilogue(self, product: Operation) -> list[Operation]:
        """Return a product or pool and ops after it, with one value read outside."""
        group: list[Operation] = [product]
        inside: set[Operation] = {product}
        closed = 1
        readers = _Queue(self._order, step=1)
        readers.push(_readers(product))
        while len(group) < MEMBERS and (number := readers.pop()) is not None:
            op = self._ops[number]
            if not self._is_free(op) or not _fits_epilogue(op, product):
                break
            group.append(op)
            inside.add(op)
            readers.push(_readers(op))
            if not any(_leaks(member, inside) for member in group[:-1]):
                closed = len(group)
        return group[:closed]

    def _tree(self, root: Operation) -> list[Operation]:
        """Return `root` and the elementwise ops before it that only it needs."""
        inside: set[Operation] = {root}
        sources = _Queue(self._order, step=-1)
        sources.push(_sources(root))
        while len(inside) < MEMBERS and (number := sources.pop()) is not None:
            op = self._ops[number]
            if not self._is_free(op) or _leaks(op, inside):
                continue
            if _is_alike(op.results[0], root.results[0]):
                inside.add(op)
                sources.push(_sources(op))
        return sorted(inside, key=self._order.__getitem__)


class _Queue:
    """Positions of ops of the block, each once, in or against their order."""

    def __init__(self, order: dict[Operation, int], step: int):
        self._order = order
        self._step = step
        self._heap: list[int] = []
        self._seen: set[int] = set()

    def push(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            number = self._order.get(op)
            if number is not None and number not in self._seen:
                self._seen.add(number)
                heappush(self._heap, number * self._step)

    def pop(self) -> int | None:
        return heappop(self._heap) * self._step if self._heap else None


def _readers(op: Operation) -> Iterable[Operation]:
    return (use.operation for use in op.results[0].uses)


def _sources(op: Operation) -> Iterable[Operation]:
    return (v.owner for v in op.operands if isinstance(v.owner, Operation))


def _leaks(op: Operation, inside: set[Operation]) -> bool:
    """Return whether an op outside reads `op`."""
    return any(reader not in inside for reader in _readers(op))


def _is_alike(one: SSAValue, other: SSAValue) -> bool:
    """Return whether one loop over the elements can compute both values."""
    a, b = tensor_type(one), tensor_type(other)
    return a.get_shape() == b.get_shape() and a.encoding == b.encoding


def _fits_epilogue(op: Operation, product: Operation) -> bool:
    """Return whether `op` can work on registers that hold a tile of `product`."""
    result = product.results[0]
    element = element_of(result)
    values = (*op.operands, *op.results)
    return (
        _is_alike(op.results[0], result)
        and all(element_of(value) == element for value in values)
        and all(_is_readable(value, product) for value in op.operands)
    )


def _columns_of(op: Operation) -> int | None:
    """Return the axis, from the last, of the columns of `op`; None without epilogue."""
    rule = rule_of(PRODUCTS.get(type(op), type(op)))
    if rule is None or rule.epilogue is None or len(op.results) > 1:
        return None
    axis = rule.epilogue
    return axis if axis < 0 else axis - len(shape_of(op.results[0]))


def _pays(group: Sequence[Operation]) -> bool:
    """
    Return whether a pool and what follows take less time in one kernel.

    A pool begins new vectors at each place. Where these are few or not full, functions
    such as exp are faster in an elementwise kernel, which runs on from place to place;
    where they are single numbers, all ops are. Integers are left out: kernels of pools
    do not report divisions by zero.
    """
    pool, *after = group
    values = (*pool.operands, *pool.results)
    if not all(is_float(element_of(v)) and _has_columns(v, pool) for v in values):
        return False
    columns = shape_of(pool.results[0])[_columns_of(pool) or 0]
    return columns % _FULL == 0 or all(isinstance(op, CHEAP) for op in after)


def _is_readable(value: SSAValue, product: Operation) -> bool:
    """Return whether elements of `value` for adjacent columns of `product` adjoin."""
    return _is_alike(value, product.results[0]) or _has_columns(value, product)


def _has_columns(value: SSAValue, product: Operation) -> bool:
    """Return whether elements of `value` along the axis of the columns adjoin."""
    axis = _columns_of(product) or 0
    return -axis > len(shape_of(value)) or _adjoin(value, axis)


def _adjoin(value: SSAValue, axis: int) -> bool:
    """Return whether neighbors along `axis` lie beside each other, if there are any."""
    shape = shape_of(value)
    if shape[axis] == 1:
        return True
    itemsize = dtype_of(element_of(value)).itemsize
    strides = strides_of(tensor_type(value).encoding, shape, itemsize)
    return strides is not None and strides[0][axis] == 1


class GroupOpsPass(ModulePass):
    """
    Group ops whose kernels take others, such as convolutions, products and pools, with
    the elementwise ops that follow, and elementwise ops with each other. Pools of
    integers or with indices stay alone, and so do those of few channels that functions
    such as exp follow.

    A group has one result, the value of its last op; its other values have no readers
    outside, so nothing is computed twice. Ops that nothing reads are dropped before.
    All values have the result's shape and layout; operands may broadcast.

    Level: layout -> layout. Needs: assigned layouts; runs last, as other rewrites
    expect single ops.
    """

    name = "group-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of(op):
            region_dce(function.body)
            for block in function.body.blocks:
                for group in groups_of(block):
                    _fuse(group)


def _fuse(group: Sequence[Operation]) -> None:
    """Move `group` into one op that stands where its last op stood."""
    last = group[-1]
    block = last.parent
    assert block is not None
    inside = set(group)
    inputs = list(
        dict.fromkeys(
            operand
            for op in group
            for operand in op.operands
            if operand.owner not in inside
        )
    )
    body = Block(arg_types=[value.type for value in inputs])
    fused = FusedOp(inputs, [value.type for value in last.results], Region(body))
    fused.location = fuse(*(op.location for op in group))
    Rewriter.insert_op(fused, InsertPoint.before(last))
    for old, new in zip(last.results, fused.outputs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    _move(group, body, dict(zip(inputs, body.args, strict=True)))


def _move(
    group: Sequence[Operation], body: Block, arguments: dict[SSAValue, SSAValue]
) -> None:
    for value, argument in arguments.items():
        argument.name_hint = value.name_hint
    for op in group:
        op.detach()
        op.operands = [arguments.get(operand, operand) for operand in op.operands]
        body.add_op(op)
    end = YieldOp(*group[-1].results)
    end.location = group[-1].location
    body.add_op(end)
