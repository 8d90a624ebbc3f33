"""Factors of a matrix: Cholesky and QR.

Cholesky after Murray, "Differentiation of the Cholesky decomposition" (2016), QR after Walter and Lehmann (2010); both
rules read the factors themselves, which makes them differentiable again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.primitives.matrices import (
    GROUP,
    joined,
    lapack,
    lower,
    matrix,
    packed,
    require_symmetric,
    several,
    swap,
    symmetric,
    symmetric_part,
    unpacked,
)
from gradcli.primitives.solving import rank_loss
from gradcli.primitives.table import Kink, Layout, general


def _definite(name: str, operands: Sequence[Any]) -> Layout:
    require_symmetric(name, operands[0])
    return Layout(operands[0].shape)


def _cholesky(x: Any) -> Any:
    return lapack("cholesky", np.linalg.cholesky, symmetric_part(x), infinite=False)


def _half_lower(xp: Any, x: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    return lower(xp, x, -1) + 0.5 * xp.eye(shape=x.shape[-2:]) * x


def _cholesky_vjp(xp: Any, g: Any, out: Any, _x: Any) -> Any:
    turned = swap(xp, out)
    inner = symmetric(xp, _half_lower(xp, turned @ g))
    left = xp.solve_triangular(turned, inner, lower=False)
    return symmetric(xp, swap(xp, xp.solve_triangular(turned, swap(xp, left), lower=False)))


def _cholesky_jvp(xp: Any, t: Any, out: Any, _x: Any) -> Any:
    left = xp.solve_triangular(out, symmetric(xp, t), lower=True)
    return out @ _half_lower(xp, swap(xp, xp.solve_triangular(out, swap(xp, left), lower=True)))


general("cholesky", "x", _cholesky, _cholesky_vjp, _cholesky_jvp, prepare=_definite, by_values=True,
        symmetric=True, group=GROUP,
        summary="The lower triangular L with L @ L.T = x, of a symmetric positive definite matrix.",
        example="cholesky([[2, 1], [1, 3]])", edge="the gradient is symmetric, as x must be",
        derivative="inv(L).T @ half(L.T @ g) @ inv(L), symmetrised")  # fmt: skip


def _factored(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    matrix(name, x)
    rows, columns = x.shape[-2:]
    size = min(rows, columns)
    return several(x.shape[:-2], (rows, size), (size, columns))


def _qr(x: Any) -> Any:
    return lapack("qr", lambda x: joined(*((part, 2) for part in np.linalg.qr(x))), x, axes=1, infinite=False)


def _loses_rank(x: Any) -> Any:
    return rank_loss(x[..., :, : min(x.shape[-2:])])[..., 0]


def _factors(out: Any, x: Any) -> list[Any]:
    rows, columns = x.shape[-2:]
    size = min(rows, columns)
    return unpacked(out, (rows, size), (size, columns))


def _over(xp: Any, a: Any, r: Any) -> Any:
    """a @ inv(r) for an upper triangle r."""
    return swap(xp, xp.solve_triangular(swap(xp, r), swap(xp, a), lower=True))


def _full_rank(xp: Any, r: Any) -> Any:
    """The square triangle of R, whose diagonal is 0 where it is rounding alone: the derivative has to be refused there
    on every machine."""
    size = r.shape[-2]
    u = r[..., :, :size]
    small = xp.abs(u) <= size * np.finfo(float).eps * xp.max(xp.abs(u), axis=(-2, -1))
    return xp.where(xp.logical_and(small, np.eye(size, dtype=bool)), 0.0, u)


def _qr_vjp(xp: Any, g: Any, out: Any, x: Any) -> Any:
    """Of a wide matrix [X, Y] the factors are those of X, and Q.T @ Y."""
    q, r = _factors(out, x)
    gq, gr = _factors(g, x)
    size = r.shape[-2]
    gr = xp.where(np.tri(size, x.shape[-1], -1, bool), 0.0, gr)
    u, gu = _full_rank(xp, r), gr[..., :, :size]
    if x.shape[-1] > size:
        gq = gq + x[..., :, size:] @ swap(xp, gr[..., :, size:])
    m = u @ swap(xp, gu) - swap(xp, gq) @ q
    mirrored = lower(xp, m) + swap(xp, lower(xp, m, -1))
    first = swap(xp, xp.solve_triangular(u, swap(xp, gq + q @ mirrored), lower=False))
    if x.shape[-1] == size:
        return first
    rest = q @ gr[..., :, size:]
    shape = (x.shape[-2], x.shape[-1])
    return xp.scatter(first, index=(slice(None), slice(0, size)), shape=shape) + xp.scatter(
        rest, index=(slice(None), slice(size, None)), shape=shape
    )


def _qr_jvp(xp: Any, t: Any, out: Any, x: Any) -> Any:
    q, r = _factors(out, x)
    size = r.shape[-2]
    moved = _over(xp, t[..., :, :size], _full_rank(xp, r))
    c = swap(xp, q) @ moved
    turn = lower(xp, c, -1) - swap(xp, lower(xp, c, -1))
    below = np.tri(size, x.shape[-1], -1, bool)
    return packed(xp, (moved - q @ (c - turn), 2), (xp.where(below, 0.0, swap(xp, q) @ t - turn @ r), 2))


general("qr", "x", _qr, _qr_vjp, _qr_jvp, prepare=_factored, by_result=True, group=GROUP,
        summary="Two results: Q with orthonormal columns and the upper triangular R, with Q @ R = x.",
        example="qr([[1, 2], [3, 4]])[1]", edge="where the rank is not full the factors are not defined",
        kinks=(Kink(_loses_rank, "the rank is not full: the factors are not defined"),),
        derivative="Walter and Lehmann: (gQ + Q @ mirrored) @ inv(R).T")  # fmt: skip
