"""SSA form is verified: xDSL's own verifier accepts every module refused here."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from glow.analysis.validity import verify_module
from glow.graph_modules import context
from glow.model import parse_text
from glow.support.errors import InvalidModelError


def parse(text: str) -> ModuleOp:
    ctx = Context(allow_unregistered=True)
    for name, load in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, load)
    return Parser(ctx, text).parse_module()


def refusal(text: str) -> str:
    module = parse(text)
    module.verify()
    with pytest.raises(VerifyException) as caught:
        verify_module(module)
    return str(caught.value)


def test_nested_uses_are_accepted() -> None:
    verify_module(
        parse("""
        func.func @f(%a: i1, %n: index) {
          "test.op"() ({
            "test.termop"(%a) : (i1) -> ()
          }) : () -> ()
          func.return
        }""")
    )


def test_use_before_definition_is_refused() -> None:
    message = refusal("""
        func.func @f() {
          "test.op"(%a) : (i32) -> () loc("early")
          %a = "test.op"() : () -> i32
          func.return
        }""")
    assert message == "test.op at early: operand 0 is used before it is defined"


def test_use_inside_the_defining_op_is_refused() -> None:
    message = refusal("""
        %a = "test.op"() ({
          "test.termop"(%a) : (i32) -> () loc("inner")
        }) : () -> i32""")
    assert message.startswith("test.termop at inner: operand 0")


BRANCHES = """
    func.func @f(%c: i1) {{
      cf.cond_br %c, ^left, ^right
    ^left:
      %a = "test.op"() : () -> i32
      cf.br ^join
    ^right:
      cf.br ^join
    ^join:
      {use}
      func.return
    }}"""


def test_value_of_one_branch_is_refused_after_both() -> None:
    use = '"test.op"(%a) : (i32) -> () loc("after")'
    assert "at after: operand 0" in refusal(BRANCHES.format(use=use))


def test_argument_is_accepted_after_both_branches() -> None:
    verify_module(parse(BRANCHES.format(use='"test.op"(%c) : (i1) -> ()')))


def test_value_of_the_loop_is_refused_in_its_header() -> None:
    message = refusal("""
        func.func @f(%c: i1) {
          cf.br ^header
        ^header:
          cf.cond_br %c, ^body, ^done
        ^body:
          %a = "test.op"() : () -> i32
          cf.br ^header
        ^done:
          "test.op"(%a) : (i32) -> ()
          func.return
        }""")
    assert "operand 0 is used before it is defined" in message


def test_value_is_accepted_in_the_blocks_it_dominates() -> None:
    verify_module(
        parse("""
        func.func @f(%c: i1) {
          %a = "test.op"() : () -> i32
          cf.br ^header(%a : i32)
        ^header(%i: i32):
          cf.cond_br %c, ^header(%a : i32), ^done
        ^done:
          "test.op"(%a, %i) : (i32, i32) -> ()
          func.return
        }""")
    )


def test_use_in_an_unreachable_block_is_accepted() -> None:
    verify_module(
        parse("""
        func.func @f() {
          func.return
        ^never:
          %a = "test.op"() : () -> i32
          cf.br ^also
        ^also:
          "test.op"(%a) : (i32) -> ()
          func.return
        }""")
    )


def test_branch_with_too_few_arguments_is_refused() -> None:
    message = refusal("""
        func.func @f(%a: i32) {
          cf.br ^next
        ^next(%x: i32):
          func.return
        }""")
    assert message.endswith("expected to pass (i32), got ()")


def test_branch_with_another_type_is_refused() -> None:
    message = refusal("""
        func.func @f(%c: i1, %a: i32) {
          cf.cond_br %c, ^next(%a : i32), ^next(%c : i1)
        ^next(%x: i32):
          func.return
        }""")
    assert message.endswith("expected to pass (i32), got (i1)")


def test_what_an_op_refuses_names_op_and_place() -> None:
    module = parse("""
        func.func @f(%a: tensor<2xf32>) {
          %0 = graph.relu %a : (tensor<2xf32>) -> tensor<3xf32> loc("conv1/relu")
          func.return
        }""")
    with pytest.raises(VerifyException) as caught:
        verify_module(module)
    message = str(caught.value)
    assert message.startswith("graph.relu at conv1/relu: expected result")
    assert "\n" not in message
    assert "graph.relu" in caught.value.__notes__[0]


def test_what_xdsl_refuses_by_errors_of_no_class_is_refused() -> None:
    text = """
        func.func @f(%m: memref<4xf32>) {
          %x = memref.load %m[] : memref<4xf32>
          func.return
        }"""
    with pytest.raises(
        VerifyException, match=r"memref.load at .*expected an index for"
    ):
        verify_module(parse(text))


def test_what_xdsl_asserts_of_a_text_is_an_error_of_the_text() -> None:
    text = "%c = graph.literal dense<[1.0, (2.0, 3.0]> : tensor<2xf32> : tensor<2xf32>"
    with pytest.raises(InvalidModelError, match=r"net.mlir:1:.*nexpected token"):
        parse_text(context(), text, "net.mlir")


def test_what_xdsl_cannot_store_is_an_error_of_the_text() -> None:
    text = """
        func.func @f(%v: vector<2xf32>) {
          %s = llvm.shufflevector %v, %v [0, 5000000000] : vector<2xf32>
          func.return
        }"""
    with pytest.raises(InvalidModelError, match=r"net.mlir:3:"):
        parse_text(context(), text, "net.mlir")


def test_values_that_a_text_never_defines_are_refused() -> None:
    text = """
        func.func @f(%n: index) {
          scf.for %i = %n to %n step %i {
          }
          func.return
        }"""
    with pytest.raises(VerifyException, match="operand 2 is a value that nothing def"):
        verify_module(parse(text))
