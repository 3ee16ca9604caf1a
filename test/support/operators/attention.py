"""Cases of attention and rotary embeddings."""

from __future__ import annotations

import numpy as np

from operators.case import BOOL, F32, F64, I64, Array, Case, case, draw

OP = "Attention"
BATCH, KEYS, PAST = 2, 5, 3


def _attention() -> list[Case]:
    found: list[Case] = []
    for heads, kv_heads, length in ((4, 4, 5), (4, 2, 3), (6, 1, 2)):
        query, key, value = given = _heads(heads, kv_heads, length)
        past = (_past(kv_heads, 8), _past(kv_heads, 6))
        total = KEYS + PAST
        mask = draw((length, total), BOOL)
        bias = draw((BATCH, heads, length, total))
        found += [
            _case(*given),
            _case(*given, is_causal=1, scale=0.3),
            _case(*given, draw((length, KEYS), BOOL, seed=1)),
            _case(*given, draw((BATCH, 1, 1, KEYS)), softcap=1.5),
            _case(*given, None, *past, outputs=3, is_causal=1),
            _case(*given, mask, *past, outputs=3),
            _case(*given, bias, *past, outputs=3, is_causal=1, softcap=2.0),
        ]
        flat = [a.swapaxes(1, 2).reshape(BATCH, a.shape[2], -1) for a in given]
        counts = {"q_num_heads": heads, "kv_num_heads": kv_heads}
        found += [
            _case(*flat, **counts),
            _case(*flat, bias, *past, outputs=3, **counts),
        ]
        for mode in range(4):
            scores = {"outputs": 4, "qk_matmul_output_mode": mode, "softcap": 0.7}
            found.append(_case(query, key, value, bias, *past, **scores))
    return found


def _newer() -> list[Case]:
    """Return cases of what came later: a cache from outside, windows."""
    found: list[Case] = []
    given, valid = _heads(4, 2, 3), np.array([4, 2], I64)
    short = draw((3, 4), BOOL, seed=2)
    for causal in (0, 1):
        rest = {"opset": 24, "is_causal": causal}
        found += [
            _case(*given, None, None, None, valid, **rest),
            _case(*given, short, None, None, valid, **rest),
            _case(*given, draw((3, 4)), **rest),
        ]
        for left, right in ((1, -1), (-1, 0), (0, 0), (1, 2)):
            windows = {"left_window_size": left, "right_window_size": right}
            rest = {"opset": 25, "is_causal": causal, **windows}
            found.append(_case(*given, **rest))
            found.append(_case(*given, None, None, None, valid, **rest))
    wide = [array.astype(F64) for array in given]
    found += [_case(*wide), _case(*wide, is_causal=1, softmax_precision=1)]
    return [*found, _case(*given, softmax_precision=11)]


def _heads(heads: int, kv_heads: int, length: int) -> tuple[Array, Array, Array]:
    query = draw((BATCH, heads, length, 8))
    key = draw((BATCH, kv_heads, KEYS, 8), seed=1)
    return query, key, draw((BATCH, kv_heads, KEYS, 6), seed=2)


def _past(kv_heads: int, elements: int) -> Array:
    return draw((BATCH, kv_heads, PAST, elements), seed=3)


def _case(*inputs: Array | None, opset: int = 23, **rest: object) -> Case:
    outputs = rest.pop("outputs", 1)
    assert isinstance(outputs, int)
    return case(OP, *inputs, opset=opset, outputs=outputs, **rest)


def _rotary() -> list[Case]:
    found: list[Case] = []
    positions = np.array([[3, 0, 8, 5], [1, 1, 2, 7]], I64)
    for turned in (0, 4):
        half = (turned or 8) // 2
        cos, sin = draw((9, half), F32, -1, 1), draw((9, half), F32, -1, 1, 1)
        for interleaved in (0, 1):
            rest = {"rotary_embedding_dim": turned, "interleaved": interleaved}
            data = draw((2, 3, 4, 8))
            found += [
                _rotated(data, cos, sin, positions, **rest),
                _rotated(data, cos[positions], sin[positions], **rest),
            ]
            flat = draw((2, 4, 24))
            found += [
                _rotated(flat, cos, sin, positions, num_heads=3, **rest),
                _rotated(flat, cos[positions], sin[positions], num_heads=3, **rest),
            ]
    return found


def _rotated(*inputs: Array, **rest: object) -> Case:
    return case("RotaryEmbedding", *inputs, opset=23, **rest)


CASES = [*_attention(), *_newer(), *_rotary()]
