"""Decompositions of matrices in traced functions: what makes them one, and NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from grids import slow_but

import glow

SHAPES = [(5, 3), (3, 6), (2, 4, 4), (1, 1)]


def _jit(function: Any, target: str = "reference") -> Any:
    return glow.jit(function, target=target)


def _check_orthonormal(q: Any, tolerance: float) -> None:
    wanted = np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *q.shape[-1:] * 2))
    np.testing.assert_allclose(q.mT @ q, wanted, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_qr_has_the_signs_of_lapack(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape)
    for mode in ("reduced", "complete"):
        found = _jit(lambda x, mode=mode: np.linalg.qr(x, mode))(x)
        for got, wanted in zip(found, np.linalg.qr(x, mode), strict=True):
            np.testing.assert_allclose(got, wanted, atol=1e-12)
    r = _jit(lambda x: np.linalg.qr(x, "r"))(x)
    np.testing.assert_allclose(r, np.linalg.qr(x, "r"), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shape", slow_but(SHAPES, SHAPES[0]))
def test_singular_values_and_vectors(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).standard_normal(shape)

    def decompose(x: Any) -> Any:
        return np.linalg.svd(x), np.linalg.pinv(x)

    (u, s, vh), inverse = _jit(decompose)(x)
    expected = np.linalg.svd(x)
    assert (u.shape, vh.shape) == (expected.U.shape, expected.Vh.shape)
    np.testing.assert_allclose(s, expected.S, atol=1e-12)
    count = s.shape[-1]
    product = u[..., :count] * s[..., None, :] @ vh[..., :count, :]
    np.testing.assert_allclose(product, x, atol=1e-12)
    _check_orthonormal(u, 1e-12)
    _check_orthonormal(vh.mT, 1e-12)
    np.testing.assert_allclose(inverse, np.linalg.pinv(x), atol=1e-10)


@pytest.mark.slow
def test_directions_that_a_matrix_lacks_are_orthogonal_to_the_others() -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((6, 2)) @ rng.standard_normal((2, 4))

    def decompose(x: Any) -> Any:
        ranks = np.linalg.matrix_rank(x), np.linalg.matrix_rank(x, tol=1e3)
        return np.linalg.svd(x), ranks, np.linalg.pinv(x)

    zeros = np.zeros((3, 3))
    (u, s, vh), ranks, inverse = _jit(decompose)(x.astype(np.float32))
    _check_orthonormal(u, 1e-5)
    np.testing.assert_allclose(u[:, :4] * s @ vh, x, atol=1e-5)
    np.testing.assert_allclose(inverse, np.linalg.pinv(x), atol=1e-5)
    assert ranks == (2, 0)
    (u, s, vh), ranks, inverse = _jit(decompose)(zeros)
    _check_orthonormal(u, 1e-12)
    assert not s.any()
    assert ranks == (0, 0)
    assert not inverse.any()
    assert _jit(lambda x: np.linalg.matrix_rank(x[0]))(x) == 1


@pytest.mark.slow
@pytest.mark.parametrize("uplo", ["L", "U"])
def test_eigenvalues_come_from_one_triangle(uplo: Any) -> None:
    x = np.random.default_rng(3).standard_normal((2, 5, 5)).astype(np.float32)
    values, vectors = _jit(lambda x: np.linalg.eigh(x, uplo))(x)
    np.testing.assert_allclose(values, np.linalg.eigh(x, uplo)[0], atol=1e-5)
    _check_orthonormal(vectors, 1e-5)
    half = np.tril(x) if uplo == "L" else np.triu(x).mT
    whole = half + np.tril(half, -1).mT
    np.testing.assert_allclose(whole @ vectors, vectors * values[:, None], atol=1e-5)


@pytest.mark.slow
def test_machine_code_computes_the_same() -> None:
    x = np.random.default_rng(4).standard_normal((24, 24)).astype(np.float32)

    def decompose(x: Any) -> Any:
        return np.linalg.eigvalsh(x), np.linalg.svdvals(x), np.linalg.qr(x).R

    found = _jit(decompose, "cpu")(x)
    for got, wanted in zip(found, decompose(x.astype(float)), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-4)
