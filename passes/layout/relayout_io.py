"""Let the caller pass inputs and take outputs in another physical order."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import AnyTensorType, ModuleOp, NoneAttr, TensorType
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.symbols import NO_USES, Uses, named_in, uses_of_symbols
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import PlaceholderOp
from glow.dialects.layout.attribute import LayoutAttr, layout_of
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import (
    Layout,
    LayoutError,
    pack,
    requested_layouts,
    row_major,
    unpack,
)
from glow.support.types import shape_of


@dataclass(frozen=True)
class RelayoutIoPass(ModulePass):
    """
    Give placeholders another layout, in which callers then pass and receive arrays.

    `names` and `layouts` are paired in order. Without names, one layout applies to all
    placeholders of its rank. The blocks of a blocked layout must divide the axes, so
    that callers never see padding. The executable's signature has the shape to pass.

    Level: layout -> layout. Needs: arguments-to-placeholders. Then: assign-layouts.
    Errors: all that is wrong in one message: a name that no placeholder has, or twice;
    a layout of another rank, with alignment, halo or padding, or that is none.

    ```
    relayout-io{names=image,"out/y" layouts=NHWC,"[1, 0]"}
    relayout-io{layouts=NHWC}
    ```
    """

    name = "relayout-io"

    names: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        placeholders = named_in(op, PlaceholderOp)
        uses = uses_of_symbols(op)
        shapes = {name: shape_of(p.type) for name, p in placeholders.items()}
        try:
            requested = requested_layouts(self.names, self.layouts, shapes)
        except LayoutError as error:
            raise PassFailedException(str(error)) from None
        for name, layout in requested.items():
            _relay(placeholders[name], layout)
            _follow(uses.get(name, NO_USES), placeholders[name].type, layout)


def _relay(placeholder: PlaceholderOp, layout: Layout) -> None:
    """Give a placeholder, and the value that it starts with, another layout."""
    old, array = layout_of(placeholder.type), placeholder.initial_array
    if placeholder.initial is not None and array is None:
        raise PassFailedException(
            f'the bytes of "{placeholder.sym_name.data}" are absent; name the file '
            "that has them with --weights"
        )
    if array is not None:
        if old is not None:
            array = unpack(old, array, shape_of(placeholder.type))
        placeholder.initial = ResourceAttr.of(pack(layout, array))
    placeholder.type = _type_in(layout, placeholder.type)


def _type_in(layout: Layout, type_: AnyTensorType) -> AnyTensorType:
    """
    Return `type_` in `layout`, also where that changes no byte.

    The caller's array has the shape that the layout says, as in [1, 28, 28, 1].
    """
    encoding = NoneAttr() if layout == row_major(layout.rank) else LayoutAttr(layout)
    return TensorType(type_.element_type, shape_of(type_), encoding)


def _follow(uses: Uses, type_: AnyTensorType, layout: Layout) -> None:
    """Let loads and saves of a placeholder have its new type."""
    for load in uses.loads:
        if load.result.type != type_:
            Rewriter.replace_value_with_new_type(load.result, type_)
    for save in uses.saves:
        if save.value.type == type_:
            continue
        moved = TransformOp(save.value, layout)
        moved.location = save.location
        moved.result.name_hint = save.value.name_hint
        Rewriter.insert_op(moved, InsertPoint.before(save))
        if moved.result.type != type_:
            Rewriter.replace_value_with_new_type(moved.result, type_)
        save.operands = moved.results
