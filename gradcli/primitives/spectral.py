"""Eigenvalues and eigenvectors of symmetric matrices.

With x = V diag(w) V.T and E = V.T dx V the values move by the diagonal of E, the vectors by V (F * E) with
F[i, j] = 1/(w[j] - w[i]). At repeated values the vectors are not defined (nan), but symmetric functions of the values
stay smooth: the gradient V diag(g) V.T of such a function is an entry of its own, whose derivative takes the quotients
(g[i] - g[j])/(w[i] - w[j]), and at repeated values turns the vectors with the direction, so that E has no
elements there off its diagonal (Lewis and Sendov, "Twice differentiable spectral functions", 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.primitives.matrices import (
    GROUP,
    alike,
    joined,
    lapack,
    packed,
    require_symmetric,
    several,
    swap,
    symmetric,
    symmetric_part,
    unpacked,
)
from gradcli.primitives.table import Kink, Layout, constant, general

REPEATED = 1e-13
"""Values as near as this, relative to the largest, count as equal: rounding leaves no more of a difference."""

_VALUES_REASON = "repeated eigenvalues: each alone has a corner, only their symmetric functions are smooth"
_VECTORS_REASON = "repeated eigenvalues: their eigenvectors are not defined"


def _near(w: Any) -> Any:
    """Which pairs of ascending values count as equal; every value equals itself."""
    size = np.max(np.abs(w), axis=-1, keepdims=True, initial=0.0)[..., None]
    return np.abs(w[..., :, None] - w[..., None, :]) <= REPEATED * size


def vectors(x: Any) -> Any:
    return lapack("eigh", lambda x: np.linalg.eigh(x)[1], x, infinite=False)


def _eigh(x: Any) -> Any:
    def parts(x: Any) -> Any:
        w, v = np.linalg.eigh(x)
        return joined((w, 1), (v, 2))

    return lapack("eigh", parts, symmetric_part(x), axes=1, infinite=False)


def _spectrum(name: str, operands: Sequence[Any]) -> Layout:
    require_symmetric(name, operands[0])
    n = operands[0].shape[-1]
    return several(operands[0].shape[:-2], (n,), (n, n))


def parts(out: Any, n: int) -> list[Any]:
    return unpacked(out, (n,), (n, n))


def _turning(xp: Any, w: Any) -> Any:
    """F: 1/(w[j] - w[i]), 0 on the diagonal, nan where the values are equal."""
    n = w.shape[-1]
    gap = w[..., None, :] - w[..., :, None]
    same = xp.equal_values(w)
    return xp.where(np.eye(n, dtype=bool), 0.0, xp.where(same, np.nan, 1.0 / xp.where(same, 1.0, gap)))


constant("equal_values", "w", _near, hidden=True, group=GROUP, summary="Which pairs of values count as equal.")


def _eigh_vjp(xp: Any, g: Any, out: Any, x: Any) -> Any:
    n = x.shape[-1]
    w, v = parts(out, n)
    gw, gv = parts(g, n)
    used = xp.count_nonzero(gv, axis=(-2,)) != 0
    # What no cotangent asks for stays out, also where it is not defined.
    pairs = xp.logical_or(used, swap(xp, used))
    turned = xp.where(pairs, _turning(xp, w) * (swap(xp, v) @ gv), 0.0)
    return symmetric(xp, v @ (turned + xp.eye(shape=(n, n)) * gw[..., None, :]) @ swap(xp, v))


def diagonal(xp: Any, x: Any) -> Any:
    """Of a square matrix, as a vector."""
    return xp.sum(x * xp.eye(shape=x.shape[-2:]), axis=(-1,))[..., 0]


def _eigh_jvp(xp: Any, t: Any, out: Any, x: Any) -> Any:
    w, v = parts(out, x.shape[-1])
    e = swap(xp, v) @ symmetric(xp, t) @ v
    return packed(xp, (diagonal(xp, e), 1), (v @ (_turning(xp, w) * e), 2))


def repeated(values: Any) -> Any:
    """Which values have an equal."""
    return np.sum(_near(values), axis=-1) > 1


def groups(values: Any) -> Any:
    """Sorted values numbered from 1, equal ones alike, those of other matrices otherwise."""
    size = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    new = np.ones(values.shape, bool)
    new[..., 1:] = np.abs(np.diff(values, axis=-1)) > REPEATED * size
    return np.cumsum(new).reshape(values.shape)


def _repeated_first(x: Any) -> Any:
    """The packed results' values that have an equal; nothing of the vectors."""
    same = repeated(_eigvalsh(x))
    n = x.shape[-1]
    return joined((same, 1), (np.zeros((*same.shape[:-1], n, n), bool), 2))


def _groups_first(x: Any) -> Any:
    found = groups(_eigvalsh(x))
    n = x.shape[-1]
    return joined((found, 1), (np.zeros((*found.shape[:-1], n, n), found.dtype), 2))


def _undefined(x: Any) -> Any:
    """Those elements of the packed results that belong to vectors at repeated values."""
    same = repeated(_eigvalsh(x))
    n = x.shape[-1]
    vectors = np.broadcast_to(same[..., None, :], (*same.shape[:-1], n, n))
    return joined((np.zeros(same.shape, bool), 1), (vectors, 2))


general("eigh", "x", _eigh, _eigh_vjp, _eigh_jvp, prepare=_spectrum, symmetric=True, by_values=True,
        group=GROUP,
        summary="Two results: eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns.",
        example="eigh([[2, 1], [1, 2]])[0]", edge="at repeated eigenvalues the gradient of the vectors is nan",
        kinks=(Kink(_undefined, _VECTORS_REASON), Kink(_repeated_first, _VALUES_REASON, _groups_first)),
        derivative="V @ (diag(gw) + F * (V.T @ gV)) @ V.T, with F = 1/(w[j] - w[i])")  # fmt: skip


# Eigenvalues alone


def _only_values(name: str, operands: Sequence[Any]) -> Layout:
    require_symmetric(name, operands[0])
    return Layout(operands[0].shape[:-1])


def _eigvalsh(x: Any) -> Any:
    return lapack("eigvalsh", np.linalg.eigvalsh, symmetric_part(x), axes=1, infinite=False)


def _eigvalsh_vjp(xp: Any, g: Any, _out: Any, x: Any) -> Any:
    n = x.shape[-1]
    return xp.recomposed(xp.beside(alike(xp, x, g.shape[:-1], 2), g), n=n)


def _eigvalsh_jvp(xp: Any, t: Any, _out: Any, x: Any) -> Any:
    w, v = parts(xp.eigh(x), x.shape[-1])
    e = swap(xp, v) @ symmetric(xp, t) @ v
    turn = xp.adapted(w, e)
    return diagonal(xp, swap(xp, turn) @ e @ turn)


general("eigvalsh", "x", _eigvalsh, _eigvalsh_vjp, _eigvalsh_jvp, prepare=_only_values, by_values=True,
        symmetric=True, group=GROUP,
        summary="Eigenvalues of a symmetric matrix, ascending.", example="eigvalsh([[2, 1], [1, 2]])",
        edge="at repeated values one choice of eigenvectors counts; symmetric functions of the values do not feel it",
        kinks=(Kink(lambda x: repeated(_eigvalsh(x)), _VALUES_REASON, lambda x: groups(_eigvalsh(x))),),
        derivative="V @ diag(g) @ V.T")  # fmt: skip


def _adapted(w: Any, e: Any) -> Any:
    """A rotation among equal values that makes E diagonal there; the identity where none are equal."""
    same = np.broadcast_to(_near(w), e.shape)
    turn = np.broadcast_to(np.eye(e.shape[-1]), e.shape).copy()
    for place in np.argwhere((np.sum(same, axis=-1) > 1).any(axis=-1)):
        at = tuple(place)
        done = 0
        while done < e.shape[-1]:
            stop = done + int(np.sum(same[at][done, done:]))
            block = (*at, slice(done, stop), slice(done, stop))
            turn[block] = vectors(e[block])
            done = stop
    return turn


constant("adapted", "w, e", _adapted, hidden=True, group=GROUP, summary="Rotation among equal values.")


def _side(i: int) -> Any:
    return lambda xp, h, _out, x, g: unpacked(h, x.shape[-2:], g.shape[-1:])[i]


# Data stay data beside a flow: `packed` would take their zeros for structural ones.
general(
    "beside", "x, g", lambda x, g: joined((x, 2), (g, 1)), (_side(0), _side(1)),
    (
        lambda xp, t, _out, _x, g: packed(xp, (t, 2), (np.zeros((*t.shape[:-2], g.shape[-1])), 1)),
        lambda xp, t, _out, x, _g: packed(xp, (np.zeros((*t.shape[:-1], *x.shape[-2:])), 2), (t, 1)),
    ),
    hidden=True, group=GROUP, summary="A matrix and its weights, packed.",
)  # fmt: skip


def _split(z: Any, n: int) -> list[Any]:
    return unpacked(z, (n, n), (n,))


def _recomposed(z: Any, *, n: int) -> Any:
    x, g = _split(z, n)
    v = vectors(symmetric_part(x))
    return (v * g[..., None, :]) @ np.swapaxes(v, -1, -2)


def unknown(xp: Any, e: Any, undefined: float) -> Any:
    """What stands for (0/0) * e: 0 where e is 0 up to rounding."""
    size = xp.max(xp.abs(e), axis=(-2, -1))
    return xp.where(xp.abs(e) <= REPEATED * size, 0.0, undefined)


def _divided(xp: Any, w: Any, g: Any, e: Any, undefined: float) -> Any:
    """(g[i] - g[j])/(w[i] - w[j]) * E, 0 on the diagonal."""
    same = xp.equal_values(w)
    gap = xp.where(same, 1.0, w[..., :, None] - w[..., None, :])
    product = (g[..., :, None] - g[..., None, :]) / gap * e
    return xp.where(np.eye(w.shape[-1], dtype=bool), 0.0, xp.where(same, unknown(xp, e, undefined), product))


def _recomposed_vjp(xp: Any, h: Any, _out: Any, z: Any, *, n: int) -> Any:
    """In reverse the vectors cannot be turned, as `eigvalsh` would have to turn its own: nan where they had to be."""
    x, g = _split(z, n)
    w, v = parts(xp.eigh(x), n)
    inner = swap(xp, v) @ symmetric(xp, h) @ v
    gx = v @ _divided(xp, w, g, inner, np.nan) @ swap(xp, v)
    return packed(xp, (gx, 2), (diagonal(xp, inner), 1))


def _recomposed_jvp(xp: Any, t: Any, _out: Any, z: Any, *, n: int) -> Any:
    x, g = _split(z, n)
    tx, tg = _split(t, n)
    w, v = parts(xp.eigh(x), n)
    e = swap(xp, v) @ symmetric(xp, tx) @ v
    v = v @ xp.adapted(w, e)
    e = swap(xp, v) @ symmetric(xp, tx) @ v
    return v @ (_divided(xp, w, g, e, 0.0) + xp.eye(shape=(n, n)) * tg[..., None, :]) @ swap(xp, v)


general("recomposed", "z, n: integer", _recomposed, _recomposed_vjp, _recomposed_jvp, hidden=True, group=GROUP,
        summary="V @ diag(g) @ V.T, of x and g packed into z.")  # fmt: skip
