"""Cases of choices and loops, whose bodies see nothing of the graph around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from operators.case import Array, Case, case, draw

KINDS = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "b": TensorProto.BOOL}
SHAPES = {"f": None, "i": (), "b": ()}


def body(
    nodes: Sequence[NodeProto], inputs: str, outputs: str, **weights: Any
) -> GraphProto:
    """Return a graph; the first letter of a name says its type."""
    given, made = (
        [
            helper.make_tensor_value_info(n, KINDS[n[0]], SHAPES[n[0]])
            for n in names.split()
        ]
        for names in (inputs, outputs)
    )
    arrays = [numpy_helper.from_array(np.array(v), n) for n, v in weights.items()]
    return helper.make_graph(nodes, "body", given, made, arrays)


def node(op: str, inputs: str, output: str, **attributes: Any) -> NodeProto:
    return helper.make_node(op, inputs.split(), [output], **attributes)


def growing(condition: Sequence[NodeProto]) -> GraphProto:
    """Return a body that adds the iteration, and puts out what it had before."""
    nodes = [
        node("Cast", "i", "f_i", to=TensorProto.FLOAT),
        *condition,
        node("Add", "f f_i", "f_sum"),
        node("Mul", "f f_two", "f_twice"),
    ]
    return body(nodes, "i b f", "b_next f_sum f_twice", f_two=np.float32(2))


def summing(outputs: str = "f_sum f_copy") -> GraphProto:
    nodes = [node("Add", "f f_part", "f_sum"), node("Identity", "f_sum", "f_copy")]
    return body(nodes, "f f_part", outputs)


def _decided_by_runs(x: Array) -> list[Case]:
    """Return choices and loops whose conditions are inputs."""
    deciding = {
        "then_branch": body([node("Neg", "f_w", "f_y")], "", "f_y", f_w=x),
        "else_branch": body([], "", "f_w", f_w=x),
    }
    nodes = [
        node("ReduceSum", "f", "f_all", keepdims=0),
        node("Less", "f_all f_most", "b_next"),
        node("Mul", "f f_w", "f_y"),
    ]
    while_small = body(nodes, "i b f", "b_next f_y", f_most=np.float32(90), f_w=x + 3)
    return [
        *(case("If", np.array(flag), **deciding) for flag in (False, [True])),
        *(
            case("Loop", limit, flag, x + 3, outputs=1, body=while_small)
            for limit in (None, np.array(2), np.array([7]))
            for flag in (None, np.array(False), np.array([True]))
            if limit is not None or flag is not None
        ),
        case("Loop", np.array(6), None, x, constants=[0], outputs=1, body=while_small),
        case("Loop", np.array(-1), np.array(True), x, outputs=1, body=while_small),
    ]


def _cases() -> list[Case]:
    x, yes, no = draw((2, 3)), np.array(True), np.array([False])
    branches = {
        "then_branch": body([node("Neg", "f_w", "f_y")], "", "f_y", f_w=x),
        "else_branch": body([], "", "f_w", f_w=x[0]),
    }
    always = growing([node("Identity", "b", "b_next")])
    until = growing([node("Less", "f_i f_two", "b_next")])
    three, long = np.array(3), np.array([9])
    backward = {"scan_input_directions": [1], "scan_output_directions": [1]}
    last = {"scan_input_axes": [-1], "scan_output_axes": [-1]}
    scanned = draw((4, 3, 5))
    return [
        *_decided_by_runs(x),
        case("If", yes, constants=[0], **branches),
        case("If", no, constants=[0], **branches),
        case("Loop", three, None, x, constants=[0], outputs=2, body=always),
        case("Loop", three, yes, x, constants=[0, 1], outputs=2, body=always),
        case("Loop", long, yes, x, constants=[0, 1], outputs=2, body=until),
        case("Loop", None, yes, x, constants=[1], outputs=2, body=until),
        *(
            case(
                *("Scan", None, draw((2, 5)), draw((2, 4, 5))),
                outputs=2,
                opset=8,
                num_scan_inputs=1,
                body=summing(),
                directions=[direction],
            )
            for direction in (0, 1)
        ),
        *(
            case(
                "Scan",
                draw(start),
                scanned,
                outputs=2,
                num_scan_inputs=1,
                body=summing(),
                **attributes,
            )
            for start, attributes in (
                ((3, 5), {}),
                ((3, 5), backward),
                ((4, 3), last),
                ((4, 3), {**last, **backward}),
            )
        ),
    ]


CASES = _cases()
