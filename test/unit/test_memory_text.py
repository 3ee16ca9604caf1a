"""The memory level at 10,000 ops: printed, parsed back and verified, twice over."""

from collections.abc import Callable
from functools import partial

import pytest
from counted_calls import is_linear
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.printer import Printer
from xdsl.universe import Universe

STEP = """
  memory.elementwise ins(%a{0} : memref<4xf32>) outs(%a{1} : memref<4xf32>) {{
  ^bb0(%e: f32):
    memory.yield %e : f32
  }}
  %a{2} = memory.alloc : memref<4xf32>"""


def chain(steps: int) -> str:
    body = "".join(STEP.format(i, i + 1, i + 2) for i in range(steps))
    return f"""
memory.placeholder @x "in" : memref<4xf32>
func.func @main() {{
  %a0 = memory.get @x : memref<4xf32>
  %a1 = memory.alloc : memref<4xf32>{body}
  func.return
}}
"""


def context() -> Context:
    ctx = Context()
    for name, dialect in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, dialect)
    return ctx


def printed(module: ModuleOp, *, generic: bool) -> str:
    from io import StringIO

    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "generic"),
    [
        (2_000, False),
        pytest.param(10_000, False, marks=pytest.mark.full),
        pytest.param(10_000, True, marks=pytest.mark.full),
    ],
)
def test_thousands_of_ops_come_back(size: int, generic: bool) -> None:
    module = Parser(context(), chain(size // 3)).parse_module()
    module.verify()
    text = printed(module, generic=generic)
    again = Parser(context(), text).parse_module()
    again.verify()
    assert printed(again, generic=generic) == text


def passes_over(steps: int) -> Callable[[], None]:
    module = Parser(context(), chain(steps)).parse_module()
    passes = Universe.get_multiverse().all_passes
    text = "share-buffers,sink-allocs,insert-deallocs,plan-memory,verify-memory"
    pipeline = PassPipeline.parse_spec(passes, text)
    return partial(pipeline.apply, context(), module)


@pytest.mark.slow
def test_passes_over_memory_take_linear_time() -> None:
    assert is_linear(passes_over, 250)
