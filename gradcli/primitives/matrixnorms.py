"""Norms and numbers of a matrix that are made of its singular values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives.matrices import GROUP, matrix, singular_parts, swap
from gradcli.primitives.norms import share
from gradcli.primitives.order import step
from gradcli.primitives.singular import beyond, parts, values, weighted
from gradcli.primitives.spectral import REPEATED
from gradcli.primitives.table import Kink, Layout, general


def _one_number(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    matrix(name, x)
    return Layout(x.shape[:-2])


def vanishing(x: Any) -> Any:
    s = values(x)
    return np.any(s <= REPEATED * np.max(s, axis=-1, keepdims=True, initial=0.0), axis=-1)[..., None, None]


def _polar(x: Any) -> Any:
    u, _, vh = singular_parts(x)
    return u @ vh


def _polar_flow(xp: Any, t: Any, _out: Any, x: Any) -> Any:
    """U K Vh with K = (E - E.T)/(s[i] + s[j]), and what moves out of the span; symmetric, so vjp and jvp are one."""
    u, s, vh = parts(xp.svd(x), x)
    v = swap(xp, vh)
    e = swap(xp, u) @ t @ v
    total = s[..., :, None] + s[..., None, :]
    found = u @ xp.where(np.eye(s.shape[-1], dtype=bool), 0.0, (e - swap(xp, e)) / total) @ vh
    row = s[..., None, :]
    if x.shape[-2] > x.shape[-1]:
        found = found + (beyond(xp, u, t @ v) / row) @ vh
    if x.shape[-1] > x.shape[-2]:
        found = found + u @ swap(xp, beyond(xp, v, swap(xp, t) @ u) / row)
    return found


general("polar", "x", _polar, _polar_flow, _polar_flow, hidden=True, group=GROUP,
        summary="U @ Vh, the slope of the nuclear norm.")  # fmt: skip

general("nuclear_norm", "x", lambda x: np.sum(values(x), axis=-1)[..., None, None],
        lambda xp, g, _out, x: g * xp.polar(x),
        lambda xp, t, _out, x: xp.sum(t * xp.polar(x), axis=(-2, -1)),
        prepare=_one_number, by_result=True, group=GROUP, summary="Sum of the singular values.",
        example="nuclear_norm([[1, 2], [3, 4]])", edge="where the rank is not full: U @ Vh of the reduced svd",
        kinks=(Kink(vanishing, "a corner: the rank is not full"),), derivative="g * U @ Vh")  # fmt: skip


def _extremes(s: Any, largest: bool) -> Any:
    """Which values are as large as the first, or as small as the last, up to rounding."""
    room = REPEATED * s[..., :1]
    return s >= s[..., :1] - room if largest else s <= s[..., -1:] + room


def extreme_slope(xp: Any, x: Any, largest: bool) -> Any:
    """d/dx of the largest or smallest singular value: equal shares of those that are equal."""
    return weighted(xp, share(xp, _extremes(xp.svdvals(x), largest), (-1,)), x)


def tied_extremes(x: Any, largest: bool) -> Any:
    """Where the largest or smallest singular value has an equal, or is 0."""
    s = values(x)
    several = np.sum(_extremes(s, largest), axis=-1) > 1
    zero = False if largest else s[..., -1] <= REPEATED * s[..., 0]
    return (several | zero)[..., None, None]


general("spectral_norm", "x", lambda x: np.max(values(x), axis=-1, initial=0.0)[..., None, None],
        lambda xp, g, _out, x: g * extreme_slope(xp, x, True),
        lambda xp, t, _out, x: xp.sum(t * extreme_slope(xp, x, True), axis=(-2, -1)),
        prepare=_one_number, group=GROUP, summary="Largest singular value.", example="spectral_norm([[1, 2], [3, 4]])",
        edge="ties share the gradient equally",
        kinks=(Kink(lambda x: tied_extremes(x, True), "a tie: equal largest singular values"),),
        derivative="g * u @ vh of the largest singular value")  # fmt: skip


def _ends(size: int) -> tuple[Any, Any]:
    eye = np.eye(size)
    return eye[0], eye[-1]


def _tied_ends(x: Any) -> Any:
    return tied_extremes(x, True) | tied_extremes(x, False)


def _not_empty(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    layout = _one_number(name, operands)
    if 0 in x.shape[-2:]:
        raise BadArgument(f"{name}: an empty matrix has no singular values")
    return layout


def _cond_slope(xp: Any, x: Any) -> Any:
    s = xp.svdvals(x)
    first, last = _ends(s.shape[-1])
    largest, smallest = s[..., :1], s[..., -1:]
    return weighted(xp, first / smallest - last * (largest / smallest**2), x)


def _cond(x: Any) -> Any:
    s = values(x)
    return (s[..., 0] / s[..., -1])[..., None, None]


general("cond", "x", _cond, lambda xp, g, _out, x: g * _cond_slope(xp, x),
        lambda xp, t, _out, x: xp.sum(t * _cond_slope(xp, x), axis=(-2, -1)),
        prepare=_not_empty, group=GROUP, summary="Condition number: the largest singular value by the smallest.",
        by_result=True, example="cond([[1, 2], [3, 4]])",
        edge="of a singular matrix: value inf or very large, gradient as well",
        kinks=(Kink(vanishing, "a pole: the rank is not full"),
               Kink(_tied_ends, "a corner: repeated largest or smallest singular values")),
        derivative="that of s[0]/s[-1]")  # fmt: skip


def _rank(x: Any) -> Any:
    s = values(x)
    noise = np.max(s, axis=-1, keepdims=True, initial=0.0) * max(x.shape[-2:]) * np.finfo(float).eps
    return np.sum(s > noise, axis=-1)[..., None, None]


step("matrix_rank", "x", _rank, prepare=_one_number, summary="Number of singular values that are not 0; no derivative.",
     example="matrix_rank([[1, 2], [2, 4]])")  # fmt: skip
