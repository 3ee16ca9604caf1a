"""Write functions that compute the gradients of others."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.tensors import Tensor
from glow.passes.gradient_writer import GradientWriter, erase_unused
from glow.passes.gradients import gradients
from glow.passes.graph.arguments_to_placeholders import body_of
from glow.support.names import Names
from glow.support.types import element_of, is_float, tensor_type


@dataclass(frozen=True)
class DifferentiatePass(ModulePass):
    """
    Add a function that computes the gradients of a function of tensors.

    `@f_gradient` takes what `@f` does, then a gradient for each of its results that has
    floats, and returns the gradients of the arguments `of`, by number; of all that have
    floats if that is empty. With `values` it returns the results of `@f` first. The
    gradient of an argument that no result depends on is 0. `@f_gradient` is a function
    of graph ops as any other, so that its gradient can be taken too.

    Level: graph -> graph. Needs: nothing; before layouts are assigned.
    Errors: no function of that name, or one of several blocks; an argument that
    does not exist or has no floats; an op on the way that has no gradient, with the
    ops from it to the results.
    """

    name = "differentiate"

    function: str = "main"
    of: tuple[int, ...] = ()
    values: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.ops if isinstance(f, FuncOp)}
        if self.function not in functions:
            known = ", ".join(f"@{name}" for name in functions) or "none"
            raise PassFailedException(
                f"expected a function to differentiate out of {known}, "
                f"got @{self.function}"
            )
        original = functions[self.function]
        added = original.clone()
        name = Names(functions, "_").fresh(f"{self.function}_gradient")
        added.sym_name = StringAttr(name)
        op.body.block.insert_op_after(added, original)
        self._differentiate(added, op)

    def _differentiate(self, function: FuncOp, module: ModuleOp) -> None:
        """Replace what a function returns by gradients."""
        block, end = body_of(function)
        of = [block.args[i] for i in self._numbers(block)]
        ops, writer = list(block.ops)[:-1], GradientWriter.before(end, module)
        incoming: dict[SSAValue, Tensor] = {}
        for value in end.arguments:
            if is_float(element_of(value)):
                own = writer.tensor(block.insert_arg(value.type, len(block.args)))
                incoming[value] = incoming[value] + own if value in incoming else own
        found = gradients(incoming, of, ops, writer)
        results = [found[v] if v in found else writer.zeros(v) for v in of]
        values = end.arguments if self.values else ()
        end.operands = [*values, *(result.value for result in results)]
        erase_unused(block)
        types = [arg.type for arg in block.args], [v.type for v in end.arguments]
        function.function_type = function.function_type.from_lists(*types)
        for name in ("arg_attrs", "res_attrs"):
            function.properties.pop(name, None)

    def _numbers(self, block: Block) -> list[int]:
        """Return the numbers of the arguments whose gradients are wanted."""
        floats = [i for i, arg in enumerate(block.args) if is_float(element_of(arg))]
        for number in self.of:
            if number not in range(len(block.args)):
                raise PassFailedException(
                    f"expected an argument of @{self.function} from 0 to "
                    f"{len(block.args) - 1}, got {number}"
                )
            if number not in floats:
                raise PassFailedException(
                    f"expected an argument of floats, got number {number} of type "
                    f"{tensor_type(block.args[number])}"
                )
        return list(self.of) or floats
