"""Folding scales and shifts into products changes no number beyond rounding."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from graph_code import Array, module_of, run
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.normalization import BatchNormOp
from glow.dialects.graph.storage import ConstantOp
from glow.passes.graph.decompose_batch_norm import DecomposeBatchNormPass
from glow.passes.graph.fold_batch_norm import FoldBatchNormPass
from glow.passes.graph.remove_dead_constants import RemoveDeadConstantsPass

RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Array:
    return RANDOM.normal(0, 1, shape).astype(np.float32)


def normalized(product: SSAValue, **values: SSAValue) -> Sequence[SSAValue]:
    """Return batch norm, then a scale and a shift, of `product`."""
    parameters = [values[name] for name in ("mean", "variance", "scale", "shift")]
    found = BatchNormOp(product, *parameters).result
    found = MulOp(found, values["factor"]).result
    return [AddOp(values["offset"], found).result]


PRODUCTS: dict[str, tuple[tuple[int, ...], tuple[int, ...], Callable[..., Any]]] = {
    "conv": ((2, 4, 7, 5), (6, 2, 3, 3), lambda x, w, b: ConvOp(x, w, b, group=2)),
    "conv_1d": ((2, 3, 7), (6, 3, 3), ConvOp),
    "conv_transpose": (
        (1, 4, 3, 5),
        (4, 3, 2, 2),
        lambda x, w, b: ConvTransposeOp(x, w, b, group=2, strides=(2, 1)),
    ),
    "matmul": ((5, 4), (4, 6), MatMulOp),
    "matmul_transposed": (
        (5, 4),
        (6, 4),
        lambda x, w, b: MatMulOp(x, w, b, transpose_rhs=True),
    ),
}


def build(name: str, with_bias: bool) -> tuple[ModuleOp, Array]:
    input_shape, weight_shape, product = PRODUCTS[name]
    ones = (1,) * (len(input_shape) - 2)
    constants = {
        "w": floats(*weight_shape),
        "b": floats(6),
        **{key: floats(6) for key in ("scale", "shift", "mean")},
        "variance": np.abs(floats(6)) + np.float32(0.1),
        "factor": floats(6, *ones),
        "offset": floats(1, 6, *ones),
    }

    def body(x: SSAValue, **values: SSAValue) -> Sequence[SSAValue]:
        bias = values.pop("b") if with_bias else None
        return normalized(product(x, values.pop("w"), bias).result, **values)

    x = floats(*input_shape)
    return module_of([x], constants, body), x


@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("name", PRODUCTS)
def test_result_is_the_same(name: str, with_bias: bool) -> None:
    module, x = build(name, with_bias)
    expected = run(module, [x])
    for step in (FoldBatchNormPass(), RemoveDeadConstantsPass()):
        step.apply(Context(), module)
    names = {op.name for op in module.walk()}
    assert not names & {"graph.batch_norm", "graph.mul", "graph.add"}
    np.testing.assert_allclose(run(module, [x]), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("with_bias", [False, True])
def test_new_constants_are_named_after_the_old(with_bias: bool) -> None:
    def body(x: SSAValue, w: SSAValue, b: SSAValue, s: SSAValue) -> Sequence[SSAValue]:
        product = MatMulOp(x, w, b if with_bias else None).result
        return [AddOp(MulOp(product, s).result, s).result]

    constants = {"w": floats(4, 20), "b": floats(20), "s": floats(20)}
    module = module_of([floats(3, 4)], constants, body)
    for step in (FoldBatchNormPass(), RemoveDeadConstantsPass()):
        step.apply(Context(), module)
    names = {op.sym_name.data for op in module.ops if isinstance(op, ConstantOp)}
    bias = "b_folded_1" if with_bias else "w_bias_folded"
    assert names == {"w_folded", bias}


@pytest.mark.parametrize("known", [False, True])
def test_decomposed_result_is_the_same(known: bool) -> None:
    x, names = floats(2, 6, 3), ("mean", "variance", "scale", "bias")
    parameters = [floats(6), np.abs(floats(6)), floats(6), floats(6)]

    def body(x: SSAValue, *args: SSAValue, **values: SSAValue) -> Sequence[SSAValue]:
        return [BatchNormOp(x, *(args or map(values.get, names))).result]

    arguments = [x] if known else [x, *parameters]
    constants = dict(zip(names, parameters, strict=True)) if known else {}
    module = module_of(arguments, constants, body)
    expected = run(module, arguments)
    DecomposeBatchNormPass().apply(Context(), module)
    assert "graph.batch_norm" not in {op.name for op in module.walk()}
    found = run(module, arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
