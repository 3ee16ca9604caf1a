"""The rewrite driver: locations, dead ops, patterns that never settle."""

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import Builtin, NameLoc, NoneAttr, StringAttr, UnknownLoc
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from glow.passes.patterns import Replacement, Results, rewrite
from glow.support.locations import fuse, name_of


def parse(text: str):
    context = Context()
    for dialect in (Builtin, test.Test):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def make_two(op: test.TestOp, new: Replacement) -> Results:
    """One op becomes two."""
    if "done" in op.attributes:
        return None
    done = {"done": StringAttr("yes")}
    new.insert(test.TestOp(attributes=done))
    return new.insert(test.TestOp(attributes=done))


def restless(op: test.TestOp, new: Replacement) -> Results:
    return new.insert(test.TestOp())


def test_every_new_op_has_the_location_of_the_old() -> None:
    module = parse('"test.op"() : () -> () loc("conv1")')
    assert rewrite(module, make_two)
    assert [name_of(op) for op in module.ops] == ["conv1", "conv1"]
    assert not rewrite(module, make_two)


def test_dead_pure_ops_go() -> None:
    module = parse('%0 = "test.pureop"() : () -> i32 "test.op"() {done} : () -> ()')
    assert rewrite(module, make_two)
    assert not [op for op in module.ops if isinstance(op, test.TestPureOp)]


def test_patterns_that_never_settle_are_refused() -> None:
    module = parse('"test.op"() : () -> ()')
    with pytest.raises(PassFailedException, match="got restless again"):
        rewrite(module, restless)


def test_fused_locations_are_flat_and_distinct() -> None:
    a, b = (NameLoc(StringAttr(name), NoneAttr()) for name in "ab")
    assert fuse() == UnknownLoc()
    assert fuse(a, UnknownLoc(), a) == a
    assert fuse(fuse(a, b), a) == fuse(a, b)
    op = test.TestOp()
    op.location = fuse(b, a)
    assert name_of(op) == "b + a"


def test_only_ops_of_the_hinted_type_are_tried() -> None:
    tried: list[str] = []

    def watch(op: test.TestPureOp, new: Replacement) -> None:
        tried.append(op.name)

    rewrite(
        parse('%0 = "test.pureop"() : () -> i32 "test.op"(%0) : (i32) -> ()'), watch
    )
    assert tried == ["test.pureop"]
