"""Let the caller pass inputs and take outputs in another physical order."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, NoneAttr, TensorType
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.symbols import Uses, uses_of_symbols
from glow.dialects.graph.resource import ResourceAttr
from glow.dialects.graph.storage import PlaceholderOp
from glow.dialects.layout.attribute import LayoutAttr, layout_of
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import (
    Layout,
    LayoutError,
    pack,
    parse_layout,
    physical_shape,
    print_layout,
    row_major,
    unpack,
)
from glow.support.types import Tensor, shape_of


@dataclass(frozen=True)
class RelayoutIoPass(ModulePass):
    """
    Give placeholders another layout: the caller passes and takes arrays in it.

    `names` and `layouts` go together, one layout per name. Without names there is one
    layout, of all placeholders of its rank. A blocked layout is fine where its blocks
    divide the axes, so that no padding is the caller's business. The executable's
    signature says which shape is to be passed.

    Level: layout -> layout. Needs: arguments-to-placeholders. Then: assign-layouts.
    Errors: a name that no placeholder has, or twice; a layout of another rank, with
    alignment, halo or padding, or that is none.

    ```
    relayout-io{names=image,"out/y" layouts=NHWC,"[1, 0]"}
    relayout-io{layouts=NHWC}
    ```
    """

    name = "relayout-io"

    names: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        placeholders = {
            p.sym_name.data: p for p in op.body.ops if isinstance(p, PlaceholderOp)
        }
        uses = uses_of_symbols(op)
        for name, layout in self._requests(placeholders).items():
            placeholder = placeholders[name]
            _check(name, layout, placeholder.type)
            _relay(placeholder, layout)
            _follow(uses.get(name, Uses([], [])), placeholder.type, layout)

    def _requests(self, placeholders: dict[str, PlaceholderOp]) -> dict[str, Layout]:
        """Return the layout of each placeholder that gets one."""
        layouts = [_parsed(text) for text in self.layouts]
        if not self.names and len(layouts) == 1:
            return _all_of_rank(layouts[0], placeholders)
        if len(self.names) != len(layouts):
            raise PassFailedException(
                f"expected a layout for each name, got {len(self.names)} names and "
                f"{len(layouts)} layouts"
            )
        for name in self.names:
            if name not in placeholders:
                known = ", ".join(f'"{known}"' for known in placeholders) or "none"
                raise PassFailedException(
                    f"expected the name of an input or output out of {known}, "
                    f'got "{name}"'
                )
        if len(set(self.names)) != len(self.names):
            raise PassFailedException(
                f"expected each name once, got {', '.join(self.names)}"
            )
        return dict(zip(self.names, layouts, strict=True))


def _parsed(text: str) -> Layout:
    try:
        return parse_layout(text)
    except LayoutError as error:
        raise PassFailedException(
            f'layout "{text}", column {error.column}: {error}'
        ) from None


def _all_of_rank(
    layout: Layout, placeholders: dict[str, PlaceholderOp]
) -> dict[str, Layout]:
    found = {
        name: layout
        for name, placeholder in placeholders.items()
        if len(shape_of(placeholder.type)) == layout.rank
    }
    if not found:
        raise PassFailedException(
            f"expected an input or output of rank {layout.rank} for layout "
            f"{print_layout(layout)}, got none"
        )
    return found


def _check(name: str, layout: Layout, type_: Tensor) -> None:
    """Raise unless a caller can bind a tensor of `type_` in `layout`."""
    shape, text = shape_of(type_), print_layout(layout)
    if layout.rank != len(shape):
        raise PassFailedException(
            f'expected a layout of rank {len(shape)} for "{name}", got {text} of rank '
            f"{layout.rank}"
        )
    if layout.is_aligned or layout.has_halo:
        raise PassFailedException(
            f'expected a layout without alignment and halo for "{name}", got {text}'
        )
    stored = physical_shape(layout, shape)
    if prod(stored) != prod(shape):
        raise PassFailedException(
            f'expected blocks that divide the axes of "{name}", which is '
            f"{list(shape)}, got {text}"
        )


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


def _type_in(layout: Layout, type_: Tensor) -> Tensor:
    """
    Return `type_` in `layout`, also where that changes no byte.

    The caller's array has the shape that the layout says, as in [1, 28, 28, 1].
    """
    encoding = NoneAttr() if layout == row_major(layout.rank) else LayoutAttr(layout)
    return TensorType(type_.element_type, shape_of(type_), encoding)


def _follow(uses: Uses, type_: Tensor, layout: Layout) -> None:
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
