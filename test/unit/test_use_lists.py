"""What the verifier says of modules whose links do not agree, and whom it blames."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from graph_code import module_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

import glow
from glow.analysis.use_lists import broken_links
from glow.analysis.validity import verify_module
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.unary import ExpOp, NegOp
from glow.model import Model
from glow.support.errors import InvalidModelError
from glow.support.walking import ops_in


def network() -> tuple[ModuleOp, list[Operation]]:
    """Return a module, and its ops: a split, of whose parts exp and neg take one."""

    def body(x: Any) -> list[Any]:
        first, second = SplitOp(x, axis=0, sizes=[2, 2]).outputs
        return [ExpOp(first).result, NegOp(second).result]

    module = module_of([np.ones(4, np.float32)], {}, body)
    main = next(iter(module.ops))
    return module, list(main.regions[0].block.ops)


def test_links_of_a_module_agree() -> None:
    module, _ = network()
    assert list(broken_links(module, ops_in(module.body))) == []


def check_fault(module: ModuleOp, message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        verify_module(module)


def test_an_op_that_was_taken_out_and_still_uses_a_value() -> None:
    module, (split, *_) = network()
    NegOp(split.results[0])
    check_fault(
        module, r"graph.split .*: result 0 is used by graph.neg, which is not in"
    )


def test_a_use_that_an_argument_lists() -> None:
    module, (split, *_) = network()
    block = cast(Block, split.parent)
    NegOp(block.args[0])
    check_fault(
        module, r"func.func .*: argument 0 is used by graph.neg, which is not in"
    )


def test_a_use_that_is_listed_and_is_none() -> None:
    module, (split, exp, *_) = network()
    exp._operands = (split.results[1],)  # pyright: ignore[reportAttributeAccessIssue]
    check_fault(module, "result 0 lists graph.exp as a user, which does not use it")


def test_a_use_that_is_not_listed() -> None:
    module, (split, *_) = network()
    split.results[0].first_use = None
    check_fault(module, "result 0 does not list all of its uses")


def test_a_result_of_several_that_has_the_number_of_another() -> None:
    module, (split, *_) = network()
    split.results[1].index = 0
    check_fault(module, "result 1 does not know that it is that")


def test_an_op_without_its_block() -> None:
    module, (_, exp, *_) = network()
    exp.parent = None
    check_fault(module, "func.func .*: an op does not know that it is in a block")


def test_an_argument_of_another_block() -> None:
    module, (split, *_) = network()
    cast(Block, split.parent).args[0].index = 3
    check_fault(module, "argument 0 does not know that it is that")


def test_a_region_of_another_op() -> None:
    module, (split, *_) = network()
    function = cast(Operation, split.parent_op())
    function.regions[0].parent = None
    check_fault(module, "func.func .*: a region does not know that it is of this op")


def test_a_broken_module_that_is_passed_is_reported() -> None:
    module, (split, exp, *_) = network()
    exp.detach()
    cast(Block, split.parent).insert_op_before(exp, split)
    message = "the module that was passed: graph.exp .* used before it is defined"
    for model in (module, Model("m", module)):
        with pytest.raises(InvalidModelError, match=message):
            glow.compile(model)


def test_a_broken_module_that_is_exported_is_reported() -> None:
    module, (split, *_) = network()
    NegOp(split.results[0])
    with pytest.raises(InvalidModelError, match=r"module to export: graph\.split"):
        Model("m", module).export("net.onnx")
