"""Determinants, right at singular matrices too, in every order of derivative.

The derivative of det(A) is its matrix of cofactors. Up to size 3 both are written out, without a division, so that
whole numbers give whole numbers. Of larger matrices that are well conditioned it is det(A) * inv(A).T.
Elsewhere A is bordered with the singular vectors of its smallest singular values, as constants: B = [[A, U], [V.T, 0]]
is then invertible, and by Jacobi's theorem on complementary minors

    det(A) = det(B) * det(D),   D the last block of inv(B),

where D is small and its determinant is written out without a division. That is an identity in A, so that whatever is
derived from it is exact at singular matrices too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.primitives.matrices import GROUP, as_scalar, lapack, several, square, swap
from gradcli.primitives.table import Kink, Layout, Shape, general

WELL = 1e-3
"""Singular values above this part of the largest are safe to divide by."""

SMALL = 3
"""Determinants up to this size are written out."""

WRITTEN_OUT = 4
"""The widest border; of a matrix that lacks more of full rank, the first 4 derivatives are all 0."""


class Border(NamedTuple):
    """Ones in the border of the matrix, in the shape of the whole; how wide it is; whether all derivatives vanish."""

    whole: Any
    width: int
    vanishing: bool


def border_of(x: Any) -> Border | None:
    """None where every matrix of the stack is well conditioned; those that are not finite do not count."""
    n = x.shape[-1]
    if n <= SMALL:
        return None
    x = np.where(np.isfinite(x).all(axis=(-2, -1), keepdims=True), x, np.eye(n))
    s = np.linalg.svd(x, compute_uv=False)
    largest = s[..., :1]
    missing = int(np.max(np.sum(s <= WELL * largest, axis=-1), initial=0))
    if not missing:
        return None
    lost = np.sum(s <= n * np.finfo(float).eps * largest, axis=-1)
    width = min(missing, WRITTEN_OUT)
    u, s, vh = np.linalg.svd(x)
    scale = np.where(largest > 0, largest, 1.0)[..., None]
    whole = np.zeros((*x.shape[:-2], n + width, n + width))
    whole[..., :n, n:] = u[..., n - width :] * scale
    whole[..., n:, :n] = vh[..., n - width :, :] * scale
    return Border(whole, width, bool(np.all(lost > WRITTEN_OUT)))


def _minor(d: Any, rows: tuple[int, ...], columns: tuple[int, ...]) -> Any:
    """The determinant of some rows and columns, by expansion along the first row."""
    if not rows:
        return 1.0
    total: Any = 0.0
    for k, column in enumerate(columns):
        rest = _minor(d, rows[1:], columns[:k] + columns[k + 1 :])
        first = rows[0]
        term = d[..., first : first + 1, column : column + 1] * rest
        total = total + term if k % 2 == 0 else total - term
    return total


def _small_cofactors(d: Any, size: int) -> Any:
    places = tuple(range(size))
    total: Any = 0.0
    for i in places:
        for j in places:
            unit = np.zeros((size, size))
            unit[i, j] = (-1.0) ** (i + j)
            total = total + _minor(d, places[:i] + places[i + 1 :], places[:j] + places[j + 1 :]) * unit
    return total


def cofactors(xp: Any, out: Any, x: Any, border: Border | None) -> Any:
    """The derivative of the determinant, as a matrix."""
    n = x.shape[-1]
    if n <= SMALL:
        return _small_cofactors(x, n)
    if border is None:
        return out * swap(xp, xp.inv(x, strict=True))
    if border.vanishing:
        return 0.0
    size = n + border.width
    inside = (slice(0, n), slice(0, n))
    whole = xp.scatter(x, index=inside, shape=(size, size)) + border.whole
    w = xp.inv(whole, strict=True)
    d = w[..., n:, n:]
    places = tuple(range(border.width))
    across = swap(xp, w[..., n:, :n]) @ _small_cofactors(d, border.width) @ swap(xp, w[..., :n, n:])
    # Adding 0 makes -0, which would be printed, a 0.
    return xp.det(whole, border=None) * (_minor(d, places, places) * swap(xp, w[..., :n, :n]) - across) + 0.0


def _det(x: Any, *, border: Border | None) -> Any:
    n = x.shape[-1]
    if 0 < n <= SMALL:
        return np.array(_minor(x, tuple(range(n)), tuple(range(n))))
    return lapack("det", np.linalg.det, x, axes=0)[..., None, None]


def _bordered(name: str, operands: Sequence[Any]) -> Layout:
    layout = as_scalar(name, operands)
    return layout._replace(params={"border": border_of(operands[0])})


general(
    "det", "x", _det,
    lambda xp, g, out, x, *, border: g * cofactors(xp, out, x, border),
    lambda xp, t, out, x, *, border: xp.sum(t * cofactors(xp, out, x, border), axis=(-2, -1)),
    prepare=_bordered, by_values=True, group=GROUP, summary="Determinant.", example="det([[1, 2], [3, 4]])",
    derivative="g * cofactors(x), also where x is singular",
)  # fmt: skip


def _singular(x: Any) -> Any:
    return (_sign_and_log(x)[..., 0] == 0)[..., None, None]


_POLE: dict[str, Any] = {"group": GROUP, "edge": "of a singular matrix: value -inf, gradient inf"}
_REASON = "a pole: the matrix is singular"


def _inverse(xp: Any, x: Any) -> Any:
    return swap(xp, xp.inv(x, strict=False))


general(
    "logdet", "x", lambda x: _sign_and_log(x)[..., 1][..., None, None],
    lambda xp, g, _out, x: g * _inverse(xp, x),
    lambda xp, t, _out, x: xp.sum(t * _inverse(xp, x), axis=(-2, -1)),
    prepare=as_scalar, kinks=(Kink(_singular, _REASON),), **_POLE,
    summary="Logarithm of the absolute determinant; slogdet gives its sign too.", example="logdet([[1, 2], [3, 4]])",
    derivative="d/dx = g * inv(x).T",
)  # fmt: skip


def _sign_and_log(x: Any) -> Any:
    return lapack("slogdet", lambda x: np.stack(np.linalg.slogdet(x), axis=-1), x, axes=1)


def _slogdet_jvp(xp: Any, t: Any, _out: Any, x: Any) -> Any:
    slope = xp.sum(t * _inverse(xp, x), axis=(-2, -1))[..., 0]
    return xp.where(np.array([False, True]), slope, 0.0)


def _numbers(name: str, operands: Sequence[Any]) -> Layout:
    square(name, operands[0])
    empty: Shape = ()
    return several(operands[0].shape[:-2], empty, empty)


general(
    "slogdet", "x", _sign_and_log, lambda xp, g, _out, x: g[..., 1:, None] * _inverse(xp, x), _slogdet_jvp,
    prepare=_numbers, kinks=(Kink(lambda x: _singular(x)[..., 0], _REASON),), **_POLE,
    summary="Two results: the sign of the determinant, and the logarithm of its absolute value.",
    example="slogdet([[1, 2], [3, 4]])[1]", derivative="0 of the sign; g * inv(x).T of the logarithm",
)  # fmt: skip
