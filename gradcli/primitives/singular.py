"""Singular values and vectors, and the norms that are made of them.

With x = U S Vh and E = U.T dx Vh.T the values move by the diagonal of E (Townsend, "Differentiating the singular value
decomposition", 2016, has the vectors). As in `spectral`, the gradient U diag(g) Vh of a function of the values is an
entry of its own: its derivative takes (g[i] - g[j])/(s[i] - s[j]) times the symmetric part of E and
(g[i] + g[j])/(s[i] + s[j]) times the skew one, and turns the vectors with the direction at repeated values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.primitives.matrices import (
    GROUP,
    alike,
    joined,
    matrix,
    packed,
    several,
    singular_parts,
    singular_values,
    swap,
    symmetric_part,
    unpacked,
)
from gradcli.primitives.spectral import REPEATED, diagonal, groups, repeated, unknown, vectors
from gradcli.primitives.table import Kink, Layout, Shape, constant, general

_VALUES_REASON = "repeated or vanishing singular values: each alone has a corner"
_VECTORS_REASON = "repeated or vanishing singular values: their vectors are not defined"


def _shapes(x: Any) -> tuple[Shape, Shape, Shape]:
    rows, columns = x.shape[-2:]
    size = min(rows, columns)
    return (rows, size), (size,), (size, columns)


def _svd(x: Any) -> Any:
    u, s, vh = singular_parts(x)
    return joined((u, 2), (s, 1), (vh, 2))


def parts(out: Any, x: Any) -> tuple[Any, Any, Any]:
    u, s, vh = unpacked(out, *_shapes(x))
    return u, s, vh


def _reduced(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    matrix(name, x)
    return several(x.shape[:-2], *_shapes(x))


def _turning(xp: Any, s: Any) -> Any:
    """1/(s[j]**2 - s[i]**2), 0 on the diagonal, nan where the values are equal."""
    same = xp.equal_values(s)
    gap = (s[..., None, :] - s[..., :, None]) * (s[..., None, :] + s[..., :, None])
    inverse = xp.where(same, np.nan, 1.0 / xp.where(same, 1.0, gap))
    return xp.where(np.eye(s.shape[-1], dtype=bool), 0.0, inverse)


def beyond(xp: Any, basis: Any, x: Any) -> Any:
    """What of the columns of x lies outside of the span of the basis."""
    return x - basis @ (swap(xp, basis) @ x)


def _used(xp: Any, g: Any) -> Any:
    return xp.count_nonzero(g, axis=(-2,)) != 0


def _svd_vjp(xp: Any, g: Any, out: Any, x: Any) -> Any:
    u, s, vh = parts(out, x)
    gu, gs, gvh = parts(g, x)
    v, gv = swap(xp, vh), swap(xp, gvh)
    row = s[..., None, :]
    used_u, used_v = _used(xp, gu), _used(xp, gv)
    used = xp.logical_or(used_u, used_v)
    pairs = xp.logical_or(used, swap(xp, used))
    f = _turning(xp, s)
    skew_u, skew_v = (a - swap(xp, a) for a in (swap(xp, u) @ gu, swap(xp, v) @ gv))
    inner = xp.where(pairs, f * skew_u * row + swap(xp, row) * (f * skew_v), 0.0)
    found = u @ (inner + xp.eye(shape=(s.shape[-1],) * 2) * gs[..., None, :]) @ vh
    if x.shape[-2] > x.shape[-1]:
        found = found + xp.where(used_u, beyond(xp, u, gu) / row, 0.0) @ vh
    if x.shape[-1] > x.shape[-2]:
        found = found + u @ swap(xp, xp.where(used_v, beyond(xp, v, gv) / row, 0.0))
    return found


def _svd_jvp(xp: Any, t: Any, out: Any, x: Any) -> Any:
    u, s, vh = parts(out, x)
    v, row = swap(xp, vh), s[..., None, :]
    e = swap(xp, u) @ t @ v
    f = _turning(xp, s)
    du = u @ (f * (e * row + swap(xp, row * e)))
    dv = v @ (f * (swap(xp, row) * e + swap(xp, e) * row))
    if x.shape[-2] > x.shape[-1]:
        du = du + beyond(xp, u, t @ v) / row
    if x.shape[-1] > x.shape[-2]:
        dv = dv + beyond(xp, v, swap(xp, t) @ u) / row
    return packed(xp, (du, 2), (diagonal(xp, e), 1), (swap(xp, dv), 2))


def values(x: Any) -> Any:
    return singular_values(x)


def _awkward(x: Any) -> Any:
    """Values that have an equal, or are 0."""
    s = values(x)
    return repeated(s) | (s <= REPEATED * np.max(s, axis=-1, keepdims=True, initial=0.0))


def _groups(x: Any) -> Any:
    """Values that vanish are tied with their negatives."""
    s = values(x)
    found = groups(s)
    return np.where(s <= REPEATED * np.max(s, axis=-1, keepdims=True, initial=0.0), -found, found)


def _beside(x: Any, marks: Any, of_values: bool) -> Any:
    """Marks of values where those of the packed results are, or those of their vectors."""
    (rows, size), _, (_, columns) = _shapes(x)
    stack = marks.shape[:-1]
    left = np.broadcast_to(marks[..., None, :], (*stack, rows, size))
    right = np.broadcast_to(marks[..., :, None], (*stack, size, columns))
    vectors = 0 if of_values else 1
    return joined((left * vectors, 2), (marks * (1 - vectors), 1), (right * vectors, 2))


def _undefined(x: Any) -> Any:
    return _beside(x, _awkward(x), of_values=False) != 0


def _awkward_first(x: Any) -> Any:
    return _beside(x, _awkward(x), of_values=True) != 0


def _groups_first(x: Any) -> Any:
    return _beside(x, _groups(x), of_values=True)


general("svd", "x", _svd, _svd_vjp, _svd_jvp, prepare=_reduced, by_result=True, group=GROUP,
        summary="Three results: U, the singular values s, and Vh, with U @ diag(s) @ Vh = x (reduced).",
        example="svd([[1, 2], [3, 4]])[1]", edge="at repeated singular values the gradient of the vectors is nan",
        kinks=(Kink(_undefined, _VECTORS_REASON), Kink(_awkward_first, _VALUES_REASON, _groups_first)),
        derivative="Townsend: U @ (diag(gs) + F terms) @ Vh, with F = 1/(s[j]**2 - s[i]**2)")  # fmt: skip


# Singular values alone


def _only_values(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    matrix(name, x)
    return Layout((*x.shape[:-2], min(x.shape[-2:])))


def weighted(xp: Any, g: Any, x: Any) -> Any:
    """U diag(g) Vh."""
    stack = np.broadcast_shapes(g.shape[:-1], x.shape[:-2])
    both = xp.beside(alike(xp, x, stack, 2), alike(xp, g, stack, 1))
    return xp.resized(both, shape=x.shape[-2:])


def _svdvals_jvp(xp: Any, t: Any, _out: Any, x: Any) -> Any:
    u, s, vh = parts(xp.svd(x), x)
    e = swap(xp, u) @ t @ swap(xp, vh)
    left, right = _turned(xp, s, e)
    return diagonal(xp, swap(xp, left) @ e @ right)


general("svdvals", "x", values, lambda xp, g, _out, x: weighted(xp, g, x), _svdvals_jvp, prepare=_only_values,
        by_result=True, group=GROUP, summary="Singular values, in descending order.",
        example="svdvals([[1, 2], [3, 4]])",
        edge="at repeated values one choice of vectors counts; symmetric functions of the values do not feel it",
        kinks=(Kink(_awkward, _VALUES_REASON, _groups),), derivative="U @ diag(g) @ Vh")  # fmt: skip


def _adapted_pair(s: Any, e: Any) -> Any:
    """Rotations of U and V among equal values that make E diagonal there: the same one where the values are not 0."""
    size = np.max(s, axis=-1, keepdims=True, initial=0.0)
    same = np.abs(s[..., :, None] - s[..., None, :]) <= REPEATED * size[..., None]
    same = np.broadcast_to(same, e.shape)
    zero = np.broadcast_to(s <= REPEATED * size, e.shape[:-1])
    turns = np.broadcast_to(np.eye(e.shape[-1]), (2, *e.shape)).copy()
    for place in np.argwhere((np.sum(same, axis=-1) > 1).any(axis=-1) | zero.any(axis=-1)):
        at = tuple(place)
        done = 0
        while done < e.shape[-1]:
            stop = done + int(np.sum(same[at][done, done:]))
            block = e[(*at, slice(done, stop), slice(done, stop))]
            if zero[at][done]:
                p, _, qh = singular_parts(block)
                pair = p, qh.T
            else:
                pair = (vectors(symmetric_part(block)),) * 2
            for turn, q in zip(turns, pair, strict=True):
                turn[(*at, slice(done, stop), slice(done, stop))] = q
            done = stop
    return joined((turns[0], 2), (turns[1], 2))


constant("adapted_pair", "s, e", _adapted_pair, hidden=True, group=GROUP, summary="Rotations among equal values.")


def _turned(xp: Any, s: Any, e: Any) -> tuple[Any, Any]:
    n = e.shape[-1]
    left, right = unpacked(xp.adapted_pair(s, e), (n, n), (n, n))
    return left, right


def _split(z: Any, shape: Shape) -> tuple[Any, Any]:
    x, g = unpacked(z, shape, (min(shape),))
    return x, g


def _resized(z: Any, *, shape: Shape) -> Any:
    x, g = _split(z, shape)
    u, _, vh = singular_parts(x)
    return (u * g[..., None, :]) @ vh


def _outside(xp: Any, beyond_span: Any, g: Any, s: Any) -> Any:
    """Columns outside of the span times g/s; nan where s is 0, for there the vectors would have to leave the span."""
    zero = (s <= REPEATED * xp.max(s, axis=(-1,)))[..., None, :]
    quotient = (g / xp.where(zero[..., 0, :], 1.0, s))[..., None, :]
    return xp.where(zero, unknown(xp, beyond_span, np.nan), beyond_span * quotient)


def _second(xp: Any, x: Any, g: Any, t: Any, u: Any, s: Any, vh: Any, undefined: float) -> Any:
    """How U diag(g) Vh moves with x along t, for fixed g; `undefined` stands for quotients 0/0."""
    v = swap(xp, vh)
    e = swap(xp, u) @ t @ v
    eye = np.eye(s.shape[-1], dtype=bool)
    same = xp.equal_values(s)
    less = (g[..., :, None] - g[..., None, :]) / xp.where(same, 1.0, s[..., :, None] - s[..., None, :])
    even, odd = e + swap(xp, e), e - swap(xp, e)
    total = s[..., :, None] + s[..., None, :]
    none = total <= 2.0 * REPEATED * xp.max(s, axis=(-1,))[..., None]
    more = (g[..., :, None] + g[..., None, :]) / xp.where(none, 1.0, total)
    stretched = xp.where(same, unknown(xp, even, undefined), less * even)
    turned = xp.where(none, unknown(xp, odd, undefined), more * odd)
    found = u @ xp.where(eye, 0.0, 0.5 * (stretched + turned)) @ vh
    if x.shape[-2] > x.shape[-1]:
        found = found + _outside(xp, beyond(xp, u, t @ v), g, s) @ vh
    if x.shape[-1] > x.shape[-2]:
        found = found + u @ swap(xp, _outside(xp, beyond(xp, v, swap(xp, t) @ u), g, s))
    return found


def _resized_vjp(xp: Any, h: Any, _out: Any, z: Any, *, shape: Shape) -> Any:
    """The second derivative is symmetric, so that it is its own transpose; as in `recomposed`, nothing is turned."""
    x, g = _split(z, shape)
    u, s, vh = parts(xp.svd(x), x)
    moved = _second(xp, x, g, h, u, s, vh, np.nan)
    return packed(xp, (moved, 2), (diagonal(xp, swap(xp, u) @ h @ swap(xp, vh)), 1))


def _resized_jvp(xp: Any, t: Any, _out: Any, z: Any, *, shape: Shape) -> Any:
    x, g = _split(z, shape)
    tx, tg = _split(t, shape)
    u, s, vh = parts(xp.svd(x), x)
    left, right = _turned(xp, s, swap(xp, u) @ tx @ swap(xp, vh))
    u, vh = u @ left, swap(xp, right) @ vh
    return _second(xp, x, g, tx, u, s, vh, 0.0) + (u * tg[..., None, :]) @ vh


general("resized", "z, shape: shape", _resized, _resized_vjp, _resized_jvp, hidden=True, group=GROUP,
        summary="U @ diag(g) @ Vh, of x and g packed into z.")  # fmt: skip
