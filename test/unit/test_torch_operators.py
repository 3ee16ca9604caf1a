"""Operators of ATen against PyTorch's own, where that is installed."""

from typing import Any

import numpy as np
import pytest
from fx_graphs import OperatorGraph

torch = pytest.importorskip("torch")


def _n(*shape: int) -> Any:
    return torch.randn(*shape)


X, IMAGE = (2, 3, 4), (2, 4, 6, 6)
IDS = torch.tensor([[2, 0, 1], [1, 1, 0]])
UNARY = (
    *("abs", "ceil", "cos", "erf", "exp", "expm1", "floor", "gelu", "hardsigmoid"),
    *("hardswish", "hardtanh", "leaky_relu", "mish", "neg", "relu", "round", "sigmoid"),
    *("sign", "silu", "sin", "softplus", "tanh", "trunc", "elu", "sum", "mean", "amax"),
    *("amin", "prod", "argmax", "argmin", "var_mean.correction", "any", "all"),
    *("squeeze", "sort", "zeros_like", "detach"),
)
_QKV = (_n(24, 8), _n(24), _n(8, 8), _n(8))
_HIDDEN = torch.tensor([[False, True, False], [False, False, True]])
_LAYER = (*_QKV, True, True, 1e-5, *(_n(8) for _ in range(4)))
_LAYER += (_n(16, 8), _n(16), _n(8, 16), _n(8))
OPERATORS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *((name, (_n(*X),), {}) for name in UNARY),
    ("log1p", (_n(*X).abs(),), {}),
    ("rsqrt", (_n(*X).abs() + 1,), {}),
    ("gelu", (_n(*X),), {"approximate": "tanh"}),
    ("elu", (_n(*X), 0.5, 2.0, 3.0), {}),
    ("softplus", (_n(*X), 2.0), {}),
    ("threshold", (_n(*X), 0.5, 2.0), {}),
    ("hardshrink", (_n(*X),), {}),
    ("softshrink", (_n(*X),), {}),
    ("add.Tensor", (_n(*X), _n(3, 1)), {"alpha": 2}),
    ("sub.Tensor", (IDS, 1.5), {}),
    ("rsub.Scalar", (IDS, 3), {}),
    ("div.Tensor_mode", (_n(*X), _n(*X)), {"rounding_mode": "floor"}),
    ("div.Tensor_mode", (IDS - 1, 2), {"rounding_mode": "trunc"}),
    ("div.Tensor_mode", (IDS, 2), {"rounding_mode": None}),
    ("remainder.Scalar", (IDS - 1, 2), {}),
    ("fmod.Scalar", (_n(*X), 0.5), {}),
    ("atan2", (_n(*X), _n(*X)), {}),
    *(("pow.Tensor_Scalar", (_n(*X).abs(), e), {}) for e in (2, 3, 0.5, -0.5, -1, 1.7)),
    ("pow.Scalar", (2.0, _n(*X)), {}),
    ("bitwise_and.Tensor", (IDS, IDS + 1), {}),
    ("logical_not", (IDS,), {}),
    ("clamp", (_n(*X), -0.5, 0.5), {}),
    ("clamp.Tensor", (_n(*X), _n(3, 1), None), {}),
    ("nan_to_num", (torch.tensor([torch.nan, torch.inf, 1.0]), 2.0), {}),
    ("sum.dim_IntList", (IDS, [0], True), {}),
    ("mean.dim", (_n(*X), [0, -1]), {}),
    ("prod.dim_int", (_n(*X), 1), {}),
    ("max.dim", (_n(*X), 1), {}),
    ("min.dim", (_n(*X), -1, True), {}),
    ("std.correction", (_n(*X), [0, 2]), {"correction": 0}),
    ("cumsum", (IDS, 1), {}),
    ("cumprod", (_n(*X), 2), {}),
    ("_log_softmax", (_n(*X), 1, False), {}),
    ("logsumexp", (_n(*X), [0, 1], True), {}),
    *(("linalg_vector_norm", (_n(*X), o, [1]), {}) for o in (1, 2, 3, float("inf"))),
    ("sort", (_n(*X), 1, True), {}),
    ("topk", (_n(*X), 2, -1, False), {}),
    ("roll", (_n(*X), [1, -1], [0, 2]), {}),
    ("roll", (_n(*X), [5]), {}),
    ("flip", (_n(*X), [0, 2]), {}),
    ("repeat", (_n(2, 3), [2, 1, 2]), {}),
    ("unfold", (_n(*X), 2, 2, 2), {}),
    ("split.Tensor", (_n(*X), 2, 1), {}),
    ("unbind.int", (_n(*X), 1), {}),
    ("select_scatter", (_n(*X), _n(2, 4), 1, -1), {}),
    ("slice_scatter", (_n(*X), _n(2, 2, 4), 1, 0, 3, 2), {}),
    ("slice_scatter", (_n(*X), _n(2, 1, 4), 1, 1, 2), {}),
    ("diagonal", (_n(*X), 1, 1, 2), {}),
    ("tril", (_n(*X), -1), {}),
    ("reflection_pad2d", (_n(*IMAGE), [1, 2, 0, 1]), {}),
    ("replication_pad1d", (_n(*X), [1, 2]), {}),
    ("constant_pad_nd", (_n(*X), [1, -1, 0, 2], 3.0), {}),
    ("pixel_shuffle", (_n(*IMAGE), 2), {}),
    ("index.Tensor", (_n(3, 4, 5), [None, IDS, IDS]), {}),
    ("index.Tensor", (_n(3, 4, 5), [IDS, None, IDS]), {}),
    ("index_select", (_n(*X), 1, IDS[0]), {}),
    ("gather", (_n(*X), 1, IDS[:, :2, None]), {}),
    ("scatter.src", (_n(2, 3), 1, IDS[:, :2], _n(2, 3)), {}),
    ("scatter.value", (_n(2, 3), 0, IDS[:, :1] % 2, 5.0), {}),
    ("scatter_add", (_n(2, 3), 1, IDS, _n(2, 3)), {}),
    ("scatter_reduce.two", (_n(2, 3), 1, IDS, _n(2, 3), "amax"), {}),
    ("index_put", (_n(3, 4), [IDS, IDS], _n(3)), {}),
    ("index_put", (_n(2, 3, 4), [None, IDS[0]], _n(2, 3, 4), True), {}),
    ("index_put", (_n(2, 3), [torch.tensor([True, False])], torch.tensor(2.0)), {}),
    ("index_add", (_n(*X), 1, IDS[0], _n(*X)), {"alpha": 2}),
    *(
        ("_transformer_encoder_layer_fwd", (_n(2, 3, 8), 8, 2, *_LAYER, *mask), {})
        for mask in ((), (_HIDDEN[:1].repeat(3, 1), 0), (_HIDDEN, 1))
    ),
    ("linspace", (0, 1, 5), {}),
    ("eye.m", (2, 3), {}),
    ("baddbmm", (_n(2, 3, 5), _n(*X), _n(2, 4, 5)), {"beta": 2, "alpha": 0.5}),
    ("mv", (_n(3, 4), _n(4)), {}),
    *(
        ("convolution", (_n(*IMAGE), _n(*w), _n(6), *rest), {})
        for w, rest in (
            ((6, 4, 3, 3), ([2, 1], [1, 0], [1, 2], False, [0, 0], 1)),
            ((6, 2, 3, 3), ([1], [1], [1], False, [0], 2)),
            ((4, 6, 3, 3), ([2, 2], [1, 1], [1, 1], True, [1, 0], 1)),
        )
    ),
    ("native_layer_norm", (_n(*X), [3, 4], _n(3, 4), None, 1e-5), {}),
    ("native_group_norm", (_n(*IMAGE), _n(4), _n(4), 2, 4, 36, 2, 1e-5), {}),
    (
        "native_batch_norm",
        (_n(*IMAGE), _n(4), _n(4), _n(4), _n(4).abs(), True, 0.1, 1e-5),
        {},
    ),
    ("max_pool2d_with_indices", (_n(*IMAGE), [3, 2], [2, 2], [1, 0], [1, 1], True), {}),
    ("avg_pool2d", (_n(*IMAGE), [3, 3], [2, 2], [1, 1], False, False), {}),
    ("avg_pool2d", (_n(*IMAGE), [3, 3], [1, 1], [0, 0], False, True, 5), {}),
    ("_adaptive_avg_pool2d", (_n(*IMAGE), [4, 3]), {}),
    ("upsample_bilinear2d.vec", (_n(*IMAGE), [9, 4], False, None), {}),
    ("upsample_bilinear2d.vec", (_n(*IMAGE), None, True, [2.0, 1.5]), {}),
    ("upsample_bicubic2d.vec", (_n(*IMAGE), [9, 12], False, None), {}),
    ("upsample_nearest2d.vec", (_n(*IMAGE), None, [1.7, 0.6]), {}),
    ("upsample_nearest1d", (_n(*X), [7]), {}),
    ("embedding_dense_backward", (_n(2, 3, 4), IDS, 5, 1, False), {}),
    (
        "avg_pool2d_backward",
        (_n(2, 4, 3, 3), _n(*IMAGE), [2, 2], [2, 2], [0, 0], False, True, None),
        {},
    ),
    ("_adaptive_avg_pool2d_backward", (_n(2, 4, 4, 3), _n(*IMAGE)), {}),
    ("upsample_bilinear2d_backward", (_n(2, 4, 9, 9), [9, 9], IMAGE, False), {}),
    (
        "convolution_backward",
        (
            _n(2, 6, 6, 6),
            _n(*IMAGE),
            _n(6, 4, 3, 3),
            [6],
            [1, 1],
            [1, 1],
            [1, 1],
            False,
            [0, 0],
            1,
            [True] * 3,
        ),
        {},
    ),
]


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [pytest.param(*each, id=f"{each[0]}-{i}") for i, each in enumerate(OPERATORS)],
)
def test_operators_are_those_of_pytorch(
    name: str, arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    base, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, base), overload or "default")
    expected = operator(*arguments, **named)
    several = isinstance(expected, tuple | list)
    given = tuple(map(_array, arguments))
    graph = OperatorGraph(name, given, named, len(expected) if several else None)
    for one, other in zip(
        graph.run(), expected if several else [expected], strict=True
    ):
        np.testing.assert_allclose(one, other.numpy(), rtol=2e-4, atol=2e-5)
        assert one.dtype == other.numpy().dtype


def _array(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_array, value))
    return value.numpy() if isinstance(value, torch.Tensor) else value
