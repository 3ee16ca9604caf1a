"""Folding of constants that have bytes, which text alone cannot give them."""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.storage import ConstantOp, LoadOp
from glow.dialects.graph.unary import NegOp
from glow.passes.graph.fold_constants import FoldConstantsPass
from glow.passes.graph.remove_dead_constants import RemoveDeadConstantsPass
from glow.support.arrays import Array
from glow.support.types import element_type_of, tensor

WEIGHT = np.arange(24, dtype=np.float32).reshape(2, 12)


def module_of(
    array: Array,
    taken: str,
    *,
    name: str | None = None,
    layout: Attribute | None = None,
) -> ModuleOp:
    """Return a function that loads @w, transposes and reshapes it, and returns it."""
    element = element_type_of(array.dtype)
    load = LoadOp("w", TensorType(element, array.shape, layout or NoneAttr()))
    transposed = TransposeOp(load.result, permutation=(1, 0))
    reshaped = ReshapeOp(transposed.result, shape=(24,))
    if name is not None:
        reshaped.location = NameLoc(StringAttr(name), NoneAttr())
    block = Block([load, transposed, reshaped, ReturnOp(reshaped.result)])
    types = [reshaped.result.type]
    main = FuncOp("main", ((), types), Region(block))
    return ModuleOp([ConstantOp("w", array), ConstantOp(taken, array), main])


def fold(module: ModuleOp) -> dict[str, Array | None]:
    """Return the constants of `module` when it is folded and cleaned up."""
    for step in (FoldConstantsPass(), RemoveDeadConstantsPass()):
        step.apply(Context(), module)
        module.verify()
    found = (op for op in module.ops if isinstance(op, ConstantOp))
    return {op.sym_name.data: op.array for op in found}


def test_constant_is_named_after_the_one_it_came_from() -> None:
    ((name, array),) = fold(module_of(WEIGHT, "unrelated")).items()
    assert name == "w_transpose_reshape"
    np.testing.assert_array_equal(array, WEIGHT.T.reshape(24))


def test_constant_is_named_after_its_node() -> None:
    assert list(fold(module_of(WEIGHT, "unrelated", name="/head/Reshape"))) == [
        "/head/Reshape"
    ]


def test_names_stay_unique() -> None:
    module = module_of(WEIGHT, "w_transpose_reshape")
    FoldConstantsPass().apply(Context(), module)
    names = [op.sym_name.data for op in module.ops if isinstance(op, ConstantOp)]
    assert names == ["w", "w_transpose_reshape", "w_transpose_reshape_1"]


def test_constant_in_physical_order_is_kept() -> None:
    """Its bytes are not an array of the logical shape."""
    module = module_of(WEIGHT, "unrelated", layout=StringAttr("some layout"))
    FoldConstantsPass().apply(Context(), module)
    assert any(isinstance(op, TransposeOp) for op in module.walk())


def test_folding_leaves_what_depends_on_an_argument() -> None:
    block = Block(arg_types=[tensor(element_type_of(WEIGHT.dtype), (2,))])
    negated = NegOp(block.args[0])
    block.add_ops([negated, ReturnOp(negated.result)])
    types = [negated.result.type]
    module = ModuleOp([FuncOp("main", (types, types), Region(block))])
    FoldConstantsPass().apply(Context(), module)
    assert negated.parent is block
