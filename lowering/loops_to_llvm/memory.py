"""Rules for `memref` and the accesses of `vector`: addresses, loads, stores."""

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects import arith, llvm, memref, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnitAttr,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.llvm_ext import memory as ext
from glow.lowering.loops_to_llvm.state import Translation, lowers
from glow.lowering.loops_to_llvm.types import (
    PTR,
    constant_of,
    converted,
    integer,
    is_bool,
    size_of,
    stored,
    with_element,
)
from glow.support.attributes import i32_array
from glow.support.op_construction import build_op, result_of
from glow.support.walking import operands_of

_DYNAMIC = i32_array(llvm.GEP_USE_SSA_VAL)
_NO_WRAP_FLAGS = IntegerAttr(0, i32)
_NO_SIGNED_WRAP = IntegerAttr(1, i32)
_NOT_ATOMIC = integer(0)
_I32_LIMIT = 2**31


def strides_of(type_: MemRefType[Any]) -> tuple[int, ...]:
    """Return the strides of a buffer in elements; only the first may be dynamic."""
    layout = type_.layout
    if isinstance(layout, StridedLayoutAttr):
        strides = layout.get_strides()
        if any(stride is None for stride in strides):
            raise PassFailedException(f"expected static strides, got {type_}")
        return tuple(stride for stride in strides if stride is not None)
    if not isinstance(layout, NoneAttr):
        raise PassFailedException(f"expected a row-major or strided type, got {type_}")
    inner = type_.get_shape()[1:]
    if DYNAMIC_INDEX in inner:
        raise PassFailedException(f"expected static inner axes, got {type_}")
    return tuple(prod(inner[i:]) for i in range(type_.get_num_dims()))


def gep(
    f: Translation, pointer: SSAValue, element: Attribute, index: SSAValue | int
) -> SSAValue:
    """Append `pointer + index` elements; not `inbounds`, as kernels prefetch beyond."""
    if isinstance(index, int) and not -_I32_LIMIT < index < _I32_LIMIT:
        index = f.constant(index)
    is_static = isinstance(index, int)
    return f.make(
        llvm.GEPOp,
        [pointer] if is_static else [pointer, index],
        PTR,
        rawConstantIndices=i32_array(index) if is_static else _DYNAMIC,
        elem_type=element,
        noWrapFlags=_NO_WRAP_FLAGS,
    )


def address(f: Translation, base: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    """Return the pointer to an element of buffer `base`."""
    (element, strides), pointer = f.once(_elements_of, base.type), f[base]
    for index, stride in zip(indices, strides, strict=True):
        pointer = _advance(f, pointer, index, element, stride)
    return pointer


def _elements_of(type_: Any) -> tuple[Attribute, tuple[int, ...]]:
    """Return the type of a buffer's elements in memory, and its strides."""
    return stored(type_.element_type), strides_of(type_)


def _advance(
    f: Translation, pointer: SSAValue, index: SSAValue, element: Attribute, stride: int
) -> SSAValue:
    """
    Return `pointer + index * stride`, which a block computes once.

    Constant parts become literal offsets, and so displacements of instructions. The
    part of a sum that is known outside of a loop is added to the pointer there, so that
    no instruction in the loop has to (`LoopStrengthReduce` of LLVM, which would find
    this too, takes half of its time).
    """
    known = constant_of(index)
    if known is not None:
        return pointer if known == 0 else gep(f, pointer, element, known * stride)
    owner = index.owner
    if type(owner) is arith.AddiOp:
        lhs, rhs = operands_of(owner)
        known = constant_of(rhs)
        if known is not None:
            start = _advance(f, pointer, lhs, element, stride)
            return gep(f, start, element, known * stride)
        if stride == 1:
            pointer, index = _row(f, pointer, owner, element)
    key = pointer, index, stride * f.once(size_of, element)
    found = f.addresses.get(key)
    if found is None:
        offset = f[index]
        if stride != 1:
            offset = f.make(
                llvm.MulOp,
                [offset, f.constant(stride)],
                offset.type,
                overflowFlags=_NO_SIGNED_WRAP,
            )
        found = f.addresses[key] = gep(f, pointer, element, offset)
    return found


def _row(
    f: Translation, pointer: SSAValue, index: arith.AddiOp, element: Attribute
) -> tuple[SSAValue, SSAValue]:
    """
    Return a pointer and an index whose sum is `pointer + index`.

    If `pointer` is an argument of the function, the part of `index` from another block
    is added to it where that part is defined.
    """
    inner, start = operands_of(index)
    if _block(f[start]) is f.block:
        inner, start = start, inner
    is_argument = pointer.owner is f.region.blocks.first
    if (
        not is_argument
        or _block(f[inner]) is not f.block
        or _block(f[start]) is f.block
    ):
        return pointer, index.result
    key = pointer, start, f.once(size_of, element)
    found = f.rows.get(key)
    if found is None:
        properties = {
            "rawConstantIndices": _DYNAMIC,
            "elem_type": element,
            "noWrapFlags": _NO_WRAP_FLAGS,
        }
        operands, types = [pointer, f[start]], [PTR]
        moved = build_op(
            llvm.GEPOp, operands=operands, result_types=types, properties=properties
        )
        f.make_at(f[start], moved)
        found = f.rows[key] = result_of(moved)
    return found, inner


def _block(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if type(owner) is Block else cast(Operation, owner).parent


def _alignment(
    f: Translation, op: Operation, type_: Attribute, counted_in: IntegerType = i64
) -> IntegerAttr[Any]:
    """Return the alignment that `op` promises, or the size of an element."""
    promised = op.attributes.get("alignment")
    if isinstance(promised, IntegerAttr):
        return integer(promised.value.data, counted_in)
    return integer(f.once(size_of, cast(Any, type_).element_type), counted_in)


def from_memory(f: Translation, value: SSAValue, type_: Attribute) -> SSAValue:
    """Return a loaded value as `type_`: the low bit of a byte is a bool."""
    return f.make(llvm.TruncOp, [value], type_) if is_bool(type_) else value


def to_memory(f: Translation, value: SSAValue) -> SSAValue:
    """Return `value` in the type that it has in memory."""
    if not is_bool(value.type):
        return value
    return f.make(llvm.ZExtOp, [value], with_element(value.type, i8))


@lowers(memref.LoadOp, vector.LoadOp)
def _load(f: Translation, op: memref.LoadOp | vector.LoadOp) -> None:
    base, *indices = operands_of(op)
    result = result_of(op).type
    value = f.make(
        llvm.LoadOp,
        [address(f, base, indices)],
        f.once(stored, result),
        alignment=_alignment(f, op, base.type),
        ordering=_NOT_ATOMIC,
    )
    f.replace(op, from_memory(f, value, result))


@lowers(memref.StoreOp, vector.StoreOp)
def _store(f: Translation, op: memref.StoreOp | vector.StoreOp) -> None:
    source, base, *indices = operands_of(op)
    value = to_memory(f, f[source])
    properties: dict[str, Attribute] = {
        "alignment": _alignment(f, op, base.type),
        "ordering": _NOT_ATOMIC,
    }
    if op.nontemporal.value.data:
        properties["nontemporal"] = UnitAttr()
    operands = [value, address(f, base, indices)]
    f.do(build_op(llvm.StoreOp, operands=operands, properties=properties))


@lowers(vector.MaskedLoadOp)
def _masked_load(f: Translation, op: vector.MaskedLoadOp) -> None:
    otherwise = to_memory(f, f[op.pass_thru])
    value = f.make(
        ext.MaskedLoadOp,
        [address(f, op.base, op.indices), f[op.mask], otherwise],
        otherwise.type,
        alignment=_alignment(f, op, op.base.type, i32),
    )
    f.replace(op, from_memory(f, value, op.result.type))


@lowers(vector.MaskedStoreOp)
def _masked_store(f: Translation, op: vector.MaskedStoreOp) -> None:
    value = to_memory(f, f[op.value_to_store])
    operands = [value, address(f, op.base, op.indices), f[op.mask]]
    properties = {"alignment": _alignment(f, op, op.base.type, i32)}
    f.do(build_op(ext.MaskedStoreOp, operands=operands, properties=properties))


@lowers(ext.GatherLanesOp)
def _gather(f: Translation, op: ext.GatherLanesOp) -> None:
    type_ = op.result.type
    pointer = address(f, op.base, op.at) if op.at else f[op.base]
    loaded = ext.GatherLanesOp(pointer, None, f[op.offsets], stored(type_))
    f.do(loaded)
    f.replace(op, from_memory(f, loaded.result, type_))


@lowers(ext.PrefetchOp)
def _prefetch(f: Translation, op: ext.PrefetchOp) -> None:
    data_cache = f.constant(1, i32)
    access = f.constant(int(op.write is not None), i32)
    locality = f.constant(op.locality.value.data, i32)
    pointer = address(f, op.base, op.indices)
    operands = [pointer, access, locality, data_cache]
    f.intrinsic("llvm.prefetch.p0", operands, None)


@lowers(ext.MemcpyOp, ext.MemsetOp)
def _block_move(f: Translation, op: Operation) -> None:
    is_copy = isinstance(op, ext.MemcpyOp)
    name = "llvm.memcpy.p0.p0.i64" if is_copy else "llvm.memset.p0.i64"
    f.intrinsic(name, [*f.all(op.operands), f.constant(0, i1)], None)


@lowers(memref.CopyOp)
def _copy(f: Translation, op: memref.CopyOp) -> None:
    for value in op.operands:
        type_: Any = value.type
        if DYNAMIC_INDEX in type_.get_shape() or type_.layout != NoneAttr():
            raise PassFailedException(
                f"memref.copy expects static row-major buffers, got {type_}"
            )
    type_ = op.source.type
    size = prod(type_.get_shape()) * size_of(type_.element_type)
    operands = [f[op.destination], f[op.source], f.constant(size), f.constant(0, i1)]
    f.intrinsic("llvm.memcpy.p0.p0.i64", operands, None)


@lowers(memref.AllocaOp)
def _alloca(f: Translation, op: memref.AllocaOp) -> None:
    """Reserve scratch in the entry block, so that a loop does not grow the stack."""
    type_: Any = op.memref.type
    if DYNAMIC_INDEX in type_.get_shape():
        raise PassFailedException(f"memref.alloca expects a static size, got {type_}")
    count = f.constant(prod(type_.get_shape()))
    alignment = op.alignment.value.data if op.alignment is not None else 64
    alloca = build_op(
        llvm.AllocaOp,
        operands=[count],
        result_types=[PTR],
        properties={
            "alignment": integer(alignment),
            "elem_type": stored(type_.element_type),
        },
    )
    alloca.location = f.location
    entry = f.region.blocks.first
    assert entry is not None
    entry.insert_op_after(alloca, count.owner)  # pyright: ignore
    f.replace(op, alloca.res)


@lowers(memref.GetGlobalOp)
def _get_global(f: Translation, op: memref.GetGlobalOp) -> None:
    f.replace(op, f.make(llvm.AddressOfOp, [], PTR, global_name=op.name_))


@lowers(memref.CastOp, memref.MemorySpaceCastOp, memref.AssumeAlignmentOp)
def _cast(f: Translation, op: Operation) -> None:
    f.values[op.results[0]] = f[op.operands[0]]


@lowers(memref.ViewOp)
def _view(f: Translation, op: memref.ViewOp) -> None:
    f.values[op.result] = _advance(f, f[op.source], op.byte_shift, i8, 1)


@lowers(ext.BaseOp)
def _base(f: Translation, op: ext.BaseOp) -> None:
    pointer, start = f[op.source], op.offset.value.data
    if op.entry is not None:
        number = op.entry.value.data
        place = gep(f, pointer, PTR, number) if number else pointer
        numbers = {"alignment": integer(size_of(PTR)), "ordering": _NOT_ATOMIC}
        pointer = f.make(llvm.LoadOp, [place], PTR, **numbers)
    f.values[op.result] = gep(f, pointer, i8, start) if start else pointer


@lowers(memref.SubviewOp, memref.ReinterpretCastOp)
def _subview(f: Translation, op: memref.SubviewOp | memref.ReinterpretCastOp) -> None:
    """Move to the first element; the result's strides are in its type."""
    source: Any = op.source.type
    element, pointer = stored(source.element_type), f[op.source]
    dynamic, offsets = iter(op.offsets), op.static_offsets.get_values()
    # A cast has one offset, in elements.
    strides = strides_of(source) if isinstance(op, memref.SubviewOp) else (1,)
    for offset, stride in zip(offsets, strides, strict=True):
        if offset == DYNAMIC_INDEX:
            pointer = _advance(f, pointer, next(dynamic), element, stride)
        elif offset:
            pointer = gep(f, pointer, element, offset * stride)
    f.values[op.results[0]] = pointer


@lowers(memref.DimOp)
def _dim(f: Translation, op: memref.DimOp) -> None:
    axis, type_ = constant_of(op.index), op.source.type
    if axis is None or not isinstance(type_, MemRefType):
        raise PassFailedException("memref.dim expects a constant axis of a memref")
    extent = type_.get_shape()[axis]
    if extent == DYNAMIC_INDEX:
        raise PassFailedException(f"memref.dim of a dynamic axis of {type_}")
    f.values[op.result] = f.constant(extent)


@lowers(memref.ExtractAlignedPointerAsIndexOp)
def _pointer_as_index(
    f: Translation, op: memref.ExtractAlignedPointerAsIndexOp
) -> None:
    result = converted(op.aligned_pointer.type)
    f.replace(op, f.make(llvm.PtrToIntOp, [f[op.source]], result))
