"""Linear systems: inverses, solutions, pseudo-inverses, least squares.

The rules are those of Giles, "An extended collection of matrix derivative results" (2008); for the pseudo-inverse
Golub and Pereyra (1973), valid while the rank stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives.budget import shape_text
from gradcli.primitives.layouts import broadcast_shapes, padded
from gradcli.primitives.matrices import (
    GROUP,
    as_matrix,
    lapack,
    lower,
    matrix,
    singular_parts,
    singular_values,
    square,
    swap,
)
from gradcli.primitives.table import Kink, Layout, general


def _inv(x: Any, *, strict: bool) -> Any:
    """Without `strict` a singular matrix has a pole for an inverse: the slope of its log-determinant."""
    if strict:
        return lapack("inv", np.linalg.inv, x)
    try:
        return lapack("inv", np.linalg.inv, x)
    except BadArgument:
        out = np.empty(x.shape)
        for place in np.ndindex(x.shape[:-2]):
            try:
                out[place] = lapack("inv", np.linalg.inv, x[place])
            except BadArgument:
                out[place] = _pole(x[place])
        return out


def _pole(x: Any) -> Any:
    """What adjugate/det tends to at a singular matrix, for a determinant above 0: infinities with the signs of the
    adjugate, nan where that is 0 and nothing can be said."""
    u, s, vh = np.linalg.svd(x)
    signs = np.linalg.det(u) * np.linalg.det(vh) * np.outer(vh[-1], u[:, -1])
    deficient = np.sum(s <= len(s) * np.finfo(float).eps * s[:1]) > 1
    return np.where(deficient | (np.abs(signs) < 1e-12), np.nan, np.sign(signs) * np.inf)


general(
    "inv", "x", _inv,
    lambda xp, g, out, _x, *, strict: -(swap(xp, out) @ g @ swap(xp, out)),
    lambda xp, t, out, _x, *, strict: -(out @ t @ out),
    prepare=lambda name, operands: as_matrix(name, operands, strict=True), aliases=("inverse",), group=GROUP,
    summary="Inverse of a square matrix.", example="inv([[1, 2], [3, 4]])", derivative="d/dx = -out.T @ g @ out.T",
)  # fmt: skip


def _system(name: str, operands: Sequence[Any], **params: Any) -> Layout:
    """A vector on the right counts as one column; stacks in front broadcast."""
    a, b = operands
    square(name, a)
    return _sides(name, a, b, a.shape[-1], **params)


def _sides(name: str, a: Any, b: Any, unknowns: int, **params: Any) -> Layout:
    right = (*b.shape, 1) if b.ndim == 1 else b.shape
    if b.ndim == 0 or right[-2] != a.shape[-2]:
        raise ShapeMismatch(f"{name}: {a.shape[-2]} equations, but a right side of shape {shape_text(b.shape)}")
    stack = broadcast_shapes(name, (a.shape[:-2], right[:-2]))
    out = (*stack, unknowns, *right[-1:]) if b.ndim > 1 else (*stack, unknowns)
    rank = len(stack) + 2
    return Layout(out, params, (padded(a.shape, rank), padded(right, rank)))


def _solve(a: Any, b: Any) -> Any:
    return lapack("solve", np.linalg.solve, a, b)


general(
    "solve", "a, b", _solve,
    (
        lambda xp, g, out, a, _b: -(xp.solve(swap(xp, a), g) @ swap(xp, out)),
        lambda xp, g, _out, a, _b: xp.solve(swap(xp, a), g),
    ),
    (
        lambda xp, t, out, a, _b: -xp.solve(a, t @ out),
        lambda xp, t, _out, a, _b: xp.solve(a, t),
    ),
    prepare=_system, group=GROUP, summary="The x with a @ x = b, for a square matrix a.",
    example="solve([[2, 0], [0, 4]], [2, 4])", derivative="d/db = solve(a.T, g); d/da = -solve(a.T, g) @ out.T",
)  # fmt: skip


def _half(xp: Any, a: Any, low: bool) -> Any:
    return lower(xp, a) if low else swap(xp, lower(xp, swap(xp, a)))


def _solve_triangular(a: Any, b: Any, *, lower: bool) -> Any:
    return lapack("solve_triangular", np.linalg.solve, np.tril(a) if lower else np.triu(a), b)


def _turned_solve(xp: Any, a: Any, g: Any, low: bool) -> Any:
    return xp.solve_triangular(swap(xp, a), g, lower=not low)


general(
    "solve_triangular", "a, b, lower: flag = False", _solve_triangular,
    (
        lambda xp, g, out, a, _b, *, lower: -_half(xp, _turned_solve(xp, a, g, lower) @ swap(xp, out), lower),
        lambda xp, g, _out, a, _b, *, lower: _turned_solve(xp, a, g, lower),
    ),
    (
        lambda xp, t, out, a, _b, *, lower: -xp.solve_triangular(a, _half(xp, t, lower) @ out, lower=lower),
        lambda xp, t, _out, a, _b, *, lower: xp.solve_triangular(a, t, lower=lower),
    ),
    prepare=_system, group=GROUP, example="solve_triangular([[2, 0], [1, 4]], [2, 5], lower=True)",
    summary="solve with the upper (lower=True: lower) triangle of a; the other half is not read.",
    derivative="that of solve, for the triangle that is read",
)  # fmt: skip


def rank_loss(x: Any) -> Any:
    """Where a matrix has less than full rank, in the shape (..., 1, 1)."""
    s = singular_values(x)
    small = s <= np.max(s, axis=-1, keepdims=True, initial=0.0) * max(x.shape[-2:]) * np.finfo(float).eps
    return np.any(small, axis=-1)[..., None, None]


_DEFICIENT: dict[str, Any] = {
    "group": GROUP, "edge": "where the rank is not full: the derivative among matrices of the same rank",
}  # fmt: skip
_REASON = "the rank is not full: the result jumps when it changes"


def _inverted(x: Any) -> tuple[Any, Any, Any]:
    """U.T, Vh.T, and the inverses of the singular values as a column, 0 for those that are 0 up to rounding."""
    u, s, vh = singular_parts(x)
    small = s <= np.max(s, axis=-1, keepdims=True, initial=0.0) * max(x.shape[-2:]) * np.finfo(float).eps
    return np.swapaxes(u, -1, -2), np.swapaxes(vh, -1, -2), np.where(small, 0.0, 1.0 / s)[..., None]


def _pinv(x: Any) -> Any:
    u, v, inverse = _inverted(x)
    return v @ (inverse * u)


def _pinv_jvp(xp: Any, t: Any, out: Any, x: Any) -> Any:
    turned, pt = swap(xp, t), swap(xp, out)
    rows, columns = np.eye(x.shape[-2]) - x @ out, np.eye(x.shape[-1]) - out @ x
    return -(out @ t @ out) + out @ pt @ turned @ rows + columns @ turned @ pt @ out


def _pinv_vjp(xp: Any, g: Any, out: Any, x: Any) -> Any:
    turned, pt = swap(xp, g), swap(xp, out)
    rows, columns = np.eye(x.shape[-2]) - x @ out, np.eye(x.shape[-1]) - out @ x
    return -(pt @ g @ pt) + rows @ turned @ out @ pt + pt @ out @ turned @ columns


def _turned_matrix(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    matrix(name, x)
    return Layout((*x.shape[:-2], x.shape[-1], x.shape[-2]))


general("pinv", "x", _pinv, _pinv_vjp, _pinv_jvp, prepare=_turned_matrix, kinks=(Kink(rank_loss, _REASON),),
        **_DEFICIENT, summary="Pseudo-inverse (Moore and Penrose).", example="pinv([[1, 2], [3, 4], [5, 6]])",
        derivative="Golub and Pereyra: -out.T @ g @ out.T and two terms of the null spaces")  # fmt: skip


def _least(name: str, operands: Sequence[Any]) -> Layout:
    a, b = operands
    matrix(name, a)
    return _sides(name, a, b, a.shape[-1])


def _lstsq(a: Any, b: Any) -> Any:
    """By singular values, without their square: as accurate as the problem allows."""
    u, v, inverse = _inverted(a)
    return v @ (inverse * (u @ b))


def _lstsq_vjp(xp: Any, g: Any, out: Any, a: Any, b: Any) -> Any:
    p = xp.pinv(a)
    pt = swap(xp, p)
    beyond = g - p @ (a @ g)
    return (b - a @ out) @ swap(xp, p @ (pt @ g)) - (pt @ g) @ swap(xp, out) + (pt @ out) @ swap(xp, beyond)


def _lstsq_jvp(xp: Any, t: Any, out: Any, a: Any, b: Any) -> Any:
    p = xp.pinv(a)
    turned, pt = swap(xp, t), swap(xp, p)
    beyond = turned @ (pt @ out)
    return p @ (pt @ (turned @ (b - a @ out))) - p @ (t @ out) + beyond - p @ (a @ beyond)


general("lstsq", "a, b", _lstsq, (_lstsq_vjp, lambda xp, g, _out, a, _b: swap(xp, xp.pinv(a)) @ g),
        (_lstsq_jvp, lambda xp, t, _out, a, _b: xp.pinv(a) @ t), prepare=_least,
        kinks=(Kink(lambda a, b: rank_loss(a), _REASON),), **_DEFICIENT,
        summary="The x for which a @ x is closest to b.", example="lstsq([[1, 0], [1, 1], [1, 2]], [1, 2, 4])",
        derivative="d/db = pinv(a).T @ g; d/da that of pinv(a) @ b")  # fmt: skip
