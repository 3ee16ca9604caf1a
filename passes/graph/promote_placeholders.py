"""Make constants of bound placeholders that nothing writes."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.symbols import Promotion, named_in, promotion_of
from glow.dialects.graph.storage import ConstantOp, PlaceholderOp
from glow.support.op_construction import build_op


@dataclass(frozen=True)
class PromotePlaceholdersPass(ModulePass):
    """
    Replace placeholders that are bound, and that no function writes, by constants.

    What is computed from them alone is then folded, and weights are packed. With
    `names` only those are replaced, including resident ones, which keep the value that
    they start with. With `report` the module's `graph.promotion` lists which were
    replaced and why the others were not.

    Level: graph -> graph. Needs: nothing. Inverse: demote-constants.
    Errors: a name that no placeholder has, or one that cannot be a constant, and why.

    ```
    promote-placeholders{names=w,"layer/bias" report=true}
    ```
    """

    name = "promote-placeholders"

    names: tuple[str, ...] = ()
    report: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        promotion = promotion_of(op, self.names)
        _check(self.names, promotion)
        wanted = self.names or promotion.promoted
        for name, placeholder in named_in(op, PlaceholderOp).items():
            if name in wanted:
                Rewriter.replace_op(placeholder, constant_of(placeholder), [])
        if self.report:
            op.attributes["graph.promotion"] = _report(wanted, promotion)


def constant_of(placeholder: PlaceholderOp) -> ConstantOp:
    """Return a constant with the name, the bytes and the notes of `placeholder`."""
    properties = dict(placeholder.properties)
    names = ("sym_name", "resource", "type", "axes")
    properties["resource"] = properties["initial"]
    kept = {name: properties[name] for name in names if name in properties}
    made = build_op(
        ConstantOp, properties=kept, attributes=dict(placeholder.attributes)
    )
    made.location = placeholder.location
    return made


def _check(names: Sequence[str], promotion: Promotion) -> None:
    known = [*promotion.promoted, *promotion.kept]
    listed = ", ".join(f'"{name}"' for name in known) or "none"
    problems = [
        f'cannot promote "{name}": {promotion.kept[name]}'
        if name in promotion.kept
        else f'no placeholder is called "{name}", expected {listed}'
        for name in names
        if name not in promotion.promoted
    ]
    if problems:
        raise PassFailedException("; ".join(problems))


def _report(wanted: Sequence[str], promotion: Promotion) -> DictionaryAttr:
    kept = {name: StringAttr(reason) for name, reason in promotion.kept.items()} | {
        name: StringAttr("it was not named")
        for name in promotion.promoted
        if name not in wanted
    }
    promoted = ArrayAttr([StringAttr(name) for name in wanted])
    return DictionaryAttr({"promoted": promoted, "kept": DictionaryAttr(kept)})
