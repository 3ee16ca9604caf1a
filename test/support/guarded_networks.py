"""
Run networks of every family of kernels on memory whose ends are guarded.

`python guarded_networks.py TARGET...`; inputs, outputs, constants and the arena lie
right before, then right behind a page without access. The arena is NaN before each
run. Prints the name of each network first, so that the last one is the one that died.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from guarded import Array, guarded, guarded_bytes
from onnx import ModelProto
from operators.case import feeds_of, model_of
from operators.recurrent import recurrent
from small_onnx import info, model, node

import glow
from glow.runtime import native

Network = tuple[ModelProto, dict[str, Array]]

RANDOM = np.random.default_rng(5)


def floats(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(np.float32)


def integers(*shape: int) -> Array:
    return RANDOM.integers(1, 9, shape).astype(np.int32)


def conv(
    input: tuple[int, ...], outputs: int, side: int, after: str = "", **options: Any
) -> Network:
    """A convolution with a bias, `after` it a residual or a function."""
    depth = input[1] // options.get("group", 1)
    weights = {"w": floats(outputs, depth, side, side) / 9, "b": floats(outputs)}
    nodes = [node("Conv", "x w b", "c", **options)]
    feeds = {"x": floats(*input)}
    match after:
        case "residual":
            pads = options.get("pads", [0] * 4)
            step = options.get("strides", [1])[0]
            spatial = [(n + 2 * pads[0] - side) // step + 1 for n in input[2:]]
            feeds["r"] = floats(input[0], outputs, *spatial)
            nodes += [node("Softmax", "r", "s", axis=1), node("Add", "c s", "a")]
            nodes += [node("Softmax", "a", "y", axis=1)]
        case "":
            nodes += [node("Identity", "c", "y")]
        case _:
            nodes += [node(after, "c", "y")]
    return model(nodes, {n: a.shape for n, a in feeds.items()}, ["y"], weights), feeds


def one(
    op: str,
    feeds: Mapping[str, Array],
    outputs: str = "y",
    weights: Mapping[str, Array] | None = None,
    **options: Any,
) -> Network:
    """One op over inputs, then weights."""
    kinds = {"float32": "f32", "int32": "i32", "int64": "i64", "bool": "i1"}
    inputs = {n: info(n, a.shape, kinds[str(a.dtype)]) for n, a in feeds.items()}
    names = " ".join([*feeds, *(weights or {})])
    nodes = [node(op, names, outputs, **options)]
    return model(nodes, inputs, outputs.split(), weights), dict(feeds)


def chain(nodes: list[Any], feeds: dict[str, Array], **weights: Array) -> Network:
    shapes = {name: array.shape for name, array in feeds.items()}
    return model(nodes, shapes, ["y"], weights), feeds


def shuffled() -> Iterator[tuple[str, Network]]:
    for order in ([0, 2, 1], [2, 1, 0], [1, 0, 2]):
        yield (
            f"transpose {order}",
            one("Transpose", {"x": floats(3, 37, 19)}, perm=order),
        )
    for planes in ([0, 2, 3, 1], [0, 3, 1, 2]):
        yield (
            f"planes {planes}",
            one("Transpose", {"x": floats(1, 3, 7, 21)}, perm=planes),
        )
        yield (
            f"lines {planes}",
            one("Transpose", {"x": floats(1, 7, 21, 3)}, perm=planes),
        )
    yield "bytes", one("Transpose", {"x": floats(9, 33) > 0}, perm=[1, 0])
    start = {"starts": np.array([-1]), "ends": np.array([-99]), "axes": np.array([1])}
    weights = {**start, "steps": np.array([-2])}
    yield "slice", one("Slice", {"x": floats(5, 35)}, weights=weights)
    yield "pad", one("Pad", {"x": floats(5, 35)}, weights={"p": np.array([1, 3, 0, 2])})
    yield "concat", one("Concat", {"x": floats(5, 7), "z": floats(5, 18)}, axis=1)
    yield from picked()


def picked() -> Iterator[tuple[str, Network]]:
    picks = {"x": floats(9, 37), "i": np.array([[-9, 8], [0, -1]])}
    yield "gather rows", one("Gather", picks, axis=0)
    yield "gather columns", one("Gather", {"x": floats(7, 9), "i": picks["i"]}, axis=1)
    lines = {"x": floats(7, 37), "i": np.array([[-7, 6, 0], [0, -1, 3]])}
    yield "gather elements", one("GatherElements", lines)
    picks = {"x": floats(7, 9, 37), "i": np.array([[-7, 8], [6, -9]])}
    yield "gather tuples", one("GatherND", picks)
    lines |= {"u": floats(2, 3)}
    yield "cumsum", one("CumSum", {"x": floats(3, 37)}, weights={"a": np.array(1)})
    yield "columns", one("CumSum", {"x": floats(3, 37)}, weights={"a": np.array(0)})
    weights = {"d": np.array(37), "v": np.array([0, 1], np.float32)}
    yield "one hot", one("OneHot", {"i": np.array([[3, 36, 99]])}, weights=weights)
    yield from bags()
    weights = {"k": np.array([5])}
    yield "top k", one("TopK", {"x": floats(3, 37)}, "y i", weights=weights)
    yield "trilu", one("Trilu", {"x": floats(9, 37), "k": np.array(11)})
    yield "scatter elements", one("ScatterElements", lines)
    picks |= {"u": floats(2, 37)}
    yield "scatter tuples", one("ScatterND", picks)


def bags() -> Iterator[tuple[str, Network]]:
    """Rows with and without what is left over; fetched ahead up to the last index."""
    picks, lengths = np.array([8, -9, 0, 8, -1]), np.array([2, 0, 3])
    for width in (5, 16, 37, 300):
        feeds = {"x": floats(9, width), "w": floats(5), "i": picks, "l": lengths}
        yield f"bags of {width}", one("SparseLengthsWeightedSum", feeds)
        feeds = {"x": floats(9, width), "i": picks, "o": np.array([0, 2, 2])}
        bag = {"operator": "embedding_bag", "mode": 2}
        yield f"maxima of {width}", one("ATen", feeds, **bag)


def scalar() -> Iterator[tuple[str, Network]]:
    for length in (1, 15, 16, 67):
        yield f"exp {length}", one("Exp", {"x": floats(length)})
        row, column = {"x": floats(3, length)}, {"z": floats(3, 1)}
        yield f"add {length}", one("Add", {**row, **column})
        yield f"less {length}", one("Less", {**row, **column})
        yield f"divide {length}", one("Div", {"x": integers(length), "z": integers(1)})
    yield (
        "reversed",
        chain(
            [
                node("Softmax", "x", "s"),
                node("Slice", "s first last axes steps", "t"),
                node("Mul", "s t", "y"),
            ],
            {"x": floats(5, 19)},
            first=np.array([-1]),
            last=np.array([-99]),
            axes=np.array([1]),
            steps=np.array([-1]),
        ),
    )


def reduced() -> Iterator[tuple[str, Network]]:
    for axis in (0, 1, 2):
        shape, axes = (3, 21, 35), {"axes": np.array([axis])}
        for op in ("ReduceSum",):
            yield f"{op} {axis}", one(op, {"x": floats(*shape)}, weights=axes)
        for op in ("ReduceMax", "ReduceLogSumExp"):
            yield f"{op} {axis}", one(op, {"x": floats(*shape)}, axes=[axis])
        for op in ("ArgMax", "Softmax", "LogSoftmax"):
            yield f"{op} {axis}", one(op, {"x": floats(*shape)}, axis=axis)
    weights = {"s": floats(37), "b": floats(37)}
    yield "layer norm", one("LayerNormalization", {"x": floats(3, 37)}, weights=weights)
    for channels in (5, 16, 35):
        yield f"lrn {channels}", one("LRN", {"x": floats(2, channels, 3, 3)}, size=5)
    image = {"x": floats(1, 19, 9, 11)}
    window = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    yield "max pool", one("MaxPool", image, **window)
    yield "max pool indices", one("MaxPool", image, "y i", **window)
    yield "avg pool", one("AveragePool", image, **window)
    yield "lp pool", one("LpPool", image, **window)
    yield "global pool", one("GlobalAveragePool", image)


def multiplied() -> Iterator[tuple[str, Network]]:
    for rows, columns in ((1, 1), (1, 37), (5, 16), (13, 33), (25, 70)):
        name, left = f"{rows} by {columns}", {"x": floats(rows, 9)}
        weights = {"w": floats(9, columns), "b": floats(columns)}
        yield f"gemm {name}", one("Gemm", left, weights=weights)
        yield f"matmul {name}", one("MatMul", {**left, "z": floats(9, columns)})
        turned = {**left, "z": floats(columns, 9)}
        yield f"transposed {name}", one("Gemm", turned, transB=1)
        nodes = [node("Softmax", "r", "s"), node("MatMul", "x w", "p")]
        sums = [node("Add", "p s", "a"), node("Softmax", "a", "y")]
        feeds, weights = {**left, "r": floats(rows, columns)}, {"w": weights["w"]}
        yield f"residual {name}", chain([*nodes, *sums], feeds, **weights)
        sine = [*nodes, node("Sin", "p", "q"), node("Add", "q s", "a"), sums[1]]
        yield f"apart {name}", chain(sine, feeds, **weights)
    batch = {"x": floats(2, 3, 7, 5), "z": floats(3, 5, 19)}
    yield "batches", one("MatMul", batch)


def convolved() -> Iterator[tuple[str, Network]]:
    padded = {"pads": [1, 1, 1, 1]}
    for after in ("", "Relu", "Sin", "residual"):
        yield f"direct {after}", conv((1, 5, 7, 7), 40, 3, after, **padded)
        yield f"pointwise {after}", conv((2, 8, 5, 5), 19, 1, after)
        yield f"groups {after}", conv((1, 12, 7, 5), 36, 3, after, group=3, **padded)
        wide = {"group": 41, **padded}
        yield f"depthwise {after}", conv((1, 41, 7, 7), 41, 3, after, **wide)
        yield f"winograd {after}", conv((1, 32, 29, 30), 48, 3, after, **padded)
        yield f"small tiles {after}", conv((1, 96, 7, 5), 96, 3, after, **padded)
    yield "stride", conv((1, 3, 21, 23), 24, 5, strides=[2, 2], pads=[2, 2, 2, 2])
    yield "no border", conv((1, 16, 30, 31), 32, 3)
    weights = {"w": floats(6, 20, 3, 3), "b": floats(20)}
    turned = {"strides": [2, 2]}
    yield (
        "transposed",
        one("ConvTranspose", {"x": floats(1, 6, 5, 7)}, weights=weights, **turned),
    )
    unknown = {"x": floats(1, 4, 7, 7), "w": floats(5, 4, 3, 3), "b": floats(5)}
    yield "unknown filter", one("Conv", unknown, **padded)
    bias = {"first": np.array([-1]), "last": np.array([-99])}
    nodes = [
        node("Slice", "v first last axes steps", "b"),
        node("Conv", "x w b", "y", **padded),
    ]
    for name, channels, side in (("direct", 8, 7), ("winograd", 32, 30)):
        feeds = {"x": floats(1, channels, side, side), "v": floats(64)}
        weights = {"axes": np.array([0]), "steps": np.array([-2]), **bias}
        filter = floats(32, channels, 3, 3) / 9
        yield f"strided bias {name}", chain(nodes, feeds, w=filter, **weights)


def empty() -> Iterator[tuple[str, Network]]:
    """Convolutions of nothing: borders are written only where there is memory."""
    sizes = {
        "batch": ((0, 16, 5, 5), (16, 16, 3, 3), 1),
        "depthwise batch": ((0, 16, 5, 5), (16, 1, 3, 3), 16),
        "channels": ((1, 0, 5, 5), (8, 0, 3, 3), 1),
        "outputs": ((1, 16, 5, 5), (0, 16, 3, 3), 1),
        "lines": ((1, 16, 0, 5), (16, 16, 3, 3), 1),
    }
    for name, (input, filter, group) in sizes.items():
        options = {"pads": [2] * 4, "group": group}
        weights = {"w": floats(*filter)}
        yield (
            f"empty {name}",
            one("Conv", {"x": floats(*input)}, weights=weights, **options),
        )


def recurred() -> Iterator[tuple[str, Network]]:
    """Units that fill no block, weights that are known and not."""
    for op, own in (("LSTM", "cp"), ("GRU", ""), ("RNN", "")):
        for constants in ("wrb", ""):
            case = recurrent(op, f"blh{own}", 21, constants=constants)
            yield f"{op} of {constants}", (model_of([case]), feeds_of([case]))
    case = recurrent("GRU", "b", 5, direction="reverse", linear_before_reset=1)
    yield "GRU, reset late", (model_of([case]), feeds_of([case]))


def networks() -> Iterator[tuple[str, Network]]:
    families: tuple[Callable[[], Iterator[tuple[str, Network]]], ...]
    families = (shuffled, scalar, reduced, multiplied, convolved, recurred, empty)
    for family in families:
        yield from family()


def check(network: Network, target: str, expected: Mapping[str, Array]) -> None:
    """Compile and run `network` with everything before, then behind a guard."""
    built, feeds = network
    for at_end in (True, False):

        def place(array: Array, at_end: bool = at_end) -> Array:
            return guarded(array, at_end=at_end)

        def arena(size: int, at_end: bool = at_end) -> Array:
            return guarded_bytes(size, at_end=at_end)

        native.aligned, native.aligned_empty = place, arena
        executable = glow.compile(glow.load(built), target=target)
        out = {name: place(array) for name, array in expected.items()}
        inputs = {name: place(array) for name, array in feeds.items()}
        for array in out.values():
            array.reshape(-1).view(np.uint8)[...] = 0xFF
        executable.run(inputs, out=out)
        for name, wanted in expected.items():
            np.testing.assert_allclose(out[name], wanted, rtol=1e-3, atol=1e-4)


def faults() -> Iterator[tuple[str, Network, tuple[int, ...]]]:
    """Indices that name nothing, none of which may become an address; the result."""
    for index in (9, -10, 1 << 40, -(1 << 62), (1 << 63) - 1, -(1 << 63)):
        for axis in (0, 1):
            feeds = {"x": floats(9, 9), "i": np.array([0, index])}
            out = (2, 9) if axis == 0 else (9, 2)
            yield f"gather {index} along {axis}", one("Gather", feeds, axis=axis), out
        feeds = {"x": floats(9, 9), "i": np.array([[0, index]])}
        yield f"gather element {index}", one("GatherElements", feeds), (1, 2)
        yield f"gather tuple {index}", one("GatherND", feeds), (1,)
        elements = one("ScatterElements", feeds | {"u": floats(1, 2)})
        yield f"scatter element {index}", elements, (9, 9)
        tuples = one("ScatterND", feeds | {"u": floats(1)})
        yield f"scatter tuple {index}", tuples, (9, 9)
        bags = {"x": floats(9, 9), "i": np.array([0, index]), "l": np.array([2])}
        yield f"bag with {index}", one("SparseLengthsSum", bags), (1, 9)
        bags |= {"i": np.array([0, 1]), "l": np.array([index])}
        yield f"bag of {index}", one("SparseLengthsSum", bags), (1, 9)
        bags = {"x": floats(9, 9), "i": np.array([0, 1]), "o": np.array([0, index])}
        after = one("ATen", bags, operator="embedding_bag")
        yield f"bag from {index} on", after, (2, 9)


def check_fault(network: Network, shape: tuple[int, ...], target: str) -> None:
    try:
        check(network, target, {"y": floats(*shape)})
    except glow.ExecutionError:
        return
    raise AssertionError("expected a fault")


def main(targets: list[str]) -> None:
    for name, network in networks():
        built, feeds = network
        reference = glow.compile(glow.load(built), target="reference").run(feeds)
        for target in targets:
            sys.stdout.write(f"{name} on {target}\n")
            sys.stdout.flush()
            check(network, target, reference)
    for name, network, shape in faults():
        for target in targets:
            sys.stdout.write(f"{name} on {target}\n")
            sys.stdout.flush()
            check_fault(network, shape, target)
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main(sys.argv[1:])
