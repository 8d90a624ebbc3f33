"""One of several alternatives at each place, and the two parts of a number; indices of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.table import Kink, Layout, constant, general

Axes = tuple[int, ...]


def _truth(x: Any) -> Any:
    return x if x.dtype == bool else x != 0


def _first_true(c: Any, *, axis: Axes) -> Any:
    true = _truth(c)
    return true & (np.cumsum(true, axis=axis[0]) == 1)


constant("first_true", "conditions, axis: axis", _first_true, masks=True, hidden=True, group="choice",
         summary="Mask of the first of the conditions that hold.")  # fmt: skip


def _alternatives(name: str, operands: Sequence[Any]) -> Layout:
    """Alternatives lie along the first axis of both, places along the others."""
    c, x, default = operands
    if c.ndim == 0 or x.ndim == 0 or c.shape[0] != x.shape[0]:
        raise ShapeMismatch(f"{name}: it takes as many conditions as choices, not arrays of shapes "
                            f"{shape_text(c.shape)} and {shape_text(x.shape)}")  # fmt: skip
    out = layouts.broadcast_shapes(name, (c.shape[1:], x.shape[1:], default.shape))
    require(name, (c.shape[0], *out))
    cores = tuple((*y.shape[:1], *layouts.padded(y.shape[1:], len(out))) for y in (c, x))
    return Layout(out, {"axis": (-len(out) - 1,)}, (*cores, (1, *layouts.padded(default.shape, len(out)))))


def _select(c: Any, x: Any, default: Any, *, axis: Axes) -> Any:
    first = _first_true(c, axis=axis)
    chosen = np.sum(np.where(first, x, 0.0), axis=axis, keepdims=True)
    return np.where(np.any(first, axis=axis, keepdims=True), chosen, default)


general(
    "select", "conditions, choices, default = None or 0", _select,
    (0,
     lambda xp, g, _out, c, _x, _d, *, axis: xp.where(xp.first_true(c, axis=axis), g, 0.0),
     lambda xp, g, _out, c, _x, _d, *, axis: xp.where(xp.any(c, axis=axis), 0.0, g)),
    (lambda xp, t, _out, _c, _x, _d, *, axis: xp.sum(xp.where(np.False_, t, 0.0), axis=axis),
     lambda xp, t, _out, c, _x, _d, *, axis: xp.sum(xp.where(xp.first_true(c, axis=axis), t, 0.0), axis=axis),
     lambda xp, t, _out, c, _x, _d, *, axis: xp.where(xp.any(c, axis=axis), 0.0, t)),
    prepare=_alternatives, masks=True, group="choice",
    summary="At each place the choice of the first condition that holds, or the default.",
    example="select([[1, 0, 0], [1, 1, 0]], [[1, 2, 3], [10, 20, 30]], -1)",
    derivative="g where the choice was taken, 0 elsewhere",
    edge="what is not chosen contributes exactly 0, even if it is nan or inf",
)  # fmt: skip


def _modf(x: Any) -> Any:
    whole = np.trunc(x)
    return np.concatenate((np.where(np.isinf(x), np.copysign(0.0, x), x - whole), whole), axis=-1)


def _first_half(xp: Any, t: Any, _out: Any, _x: Any) -> Any:
    n = t.shape[-1]
    return xp.scatter(t, index=(slice(0, n),), shape=(2 * n,))


def _two(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    return Layout((2 * x.size,), {}, ((x.size,),), (x.shape, x.shape))


general("modf", "x", _modf, lambda xp, g, _out, _x: g[..., : g.shape[-1] // 2], _first_half, prepare=_two,
        group="arithmetic", summary="Two results: what trunc cuts off, and the whole number that is left.",
        example="modf([2.5, -2.5])[0]", derivative="1 for the first result, 0 for the second",
        edge="at whole numbers, where both jump, the gradients are 1 and 0 as elsewhere",
        kinks=(Kink(lambda x: np.tile(x == np.trunc(x), 2), "a jump: a whole number"),))  # fmt: skip


def _triangle(name: str, operands: Sequence[Any], n: int, k: int, m: int | None) -> Layout:
    shape = (n, n if m is None else m)
    layouts.sizes(name, shape)
    require(name, shape)
    found = np.tri(*shape, k=k, dtype=bool) if name == "tril_indices" else ~np.tri(*shape, k=k - 1, dtype=bool)
    places = np.stack(np.nonzero(found)).astype(np.float64)
    return Layout((places.size,), {"places": places.ravel()}, None, (places[0].shape,) * 2)


for _name, _word in (("tril_indices", "below"), ("triu_indices", "above")):
    constant(_name, "n: integer, k: integer = 0, m: integer = None", lambda *, places: places.copy(),
             prepare=_triangle, group="indexing",
             summary=f"Two results: rows and columns of what lies {_word} diagonal k of an n by m matrix, or on it.",
             example=f"{_name}(2)[0]")  # fmt: skip
