"""Tie an output to an input: one placeholder that stays from run to run."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import ne
from typing import TypeVar

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.symbols import NO_USES, Uses, named_in, uses_of_symbols
from glow.dialects.graph.placeholder import RUN, ResourceAttr
from glow.dialects.graph.storage import PlaceholderOp
from glow.dialects.layout.attribute import physical_shape_of
from glow.support.types import dtype_of

T = TypeVar("T")


@dataclass(frozen=True)
class TieStatesPass(ModulePass):
    """
    Make outputs of a run the inputs of the next.

    `outputs` and `inputs` are paired in order. The input becomes a resident placeholder
    that starts as zeros, and the output disappears: a caller's bindings keep the state.

    Level: graph -> graph. Needs: arguments-to-placeholders.
    Errors: all pairs that do not fit: a name that no output or input has, or that is
    used twice; an output of another type than the input.

    ```
    tie-states{outputs=present_key,present_value inputs=past_key,past_value}
    ```
    """

    name = "tie-states"

    outputs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if len(self.outputs) != len(self.inputs):
            raise PassFailedException(
                f"expected an input for each output, got {len(self.outputs)} outputs "
                f"and {len(self.inputs)} inputs"
            )
        placeholders = named_in(op, PlaceholderOp)
        uses = uses_of_symbols(op)
        pairs = list(zip(self.outputs, self.inputs, strict=True))
        passed = {n: p.type for n, p in placeholders.items() if p.residency.data == RUN}
        used = {name: uses.get(name, NO_USES) for name in passed}
        outputs = {
            n: t for n, t in passed.items() if used[n].saves and not used[n].loads
        }
        inputs = {n: t for n, t in passed.items() if not used[n].saves}
        problems = list(problems_of_states(pairs, outputs, inputs, ne, str))
        if problems:
            raise PassFailedException("; ".join(problems))
        for output, input in pairs:
            _tie(placeholders[output], placeholders[input], uses[output])


def problems_of_states(
    pairs: Sequence[tuple[str, str]],
    outputs: Mapping[str, T],
    inputs: Mapping[str, T],
    differ: Callable[[T, T], bool],
    text: Callable[[T], str],
) -> Iterator[str]:
    """Yield what is wrong with each pair of an output and an input."""
    for kind, known, given in (
        ("output", outputs, [output for output, _ in pairs]),
        ("input", inputs, [input for _, input in pairs]),
    ):
        names = ", ".join(f'"{name}"' for name in known) or "none"
        for name, count in Counter(given).items():
            if name not in known:
                yield f'states: expected an {kind} out of {names}, got "{name}"'
            elif count > 1:
                yield f'states: expected each {kind} once, got "{name}" {count} times'
    for output, input in pairs:
        if output in outputs and input in inputs:
            given, wanted = outputs[output], inputs[input]
            if differ(given, wanted):
                yield (
                    f'states: expected output "{output}" of the type of input '
                    f'"{input}", {text(wanted)}, got {text(given)}'
                )


def _tie(output: PlaceholderOp, input: PlaceholderOp, uses: Uses) -> None:
    shape, dtype = physical_shape_of(input.type), dtype_of(input.type.element_type)
    input.direction, input.residency = StringAttr("inout"), StringAttr("resident")
    input.initial = ResourceAttr.of(np.zeros(shape, dtype))
    for save in uses.saves:
        save.symbol = SymbolRefAttr(input.sym_name.data)
    Rewriter.erase_op(output)
