"""Directions, and the distances between all points of two sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.norms import Axes, length, unit
from gradcli.primitives.table import Kink, Layout, general

GROUP = "reduction"


def turned(xp: Any, flow: Any, out: Any, x: Any, *, axis: Axes) -> Any:
    """`across`, but for a vector of length 0, which has no direction."""
    size = xp.length(x, axis=axis)
    return (flow - out * xp.sum(out * flow, axis=axis)) / xp.where(size == 0, np.nan, size)


general("normalize", "x, axis: axis = -1", unit, turned, turned, prepare=layouts.along_axes, group=GROUP,
        summary="x divided by its length along an axis (default: the last).", example="normalize([3, 4])",
        derivative="d/dx = (g - out*sum(out*g))/norm(x)", edge="at length 0: value 0, and the gradient is nan",
        kinks=(Kink(lambda x, *, axis: np.broadcast_to(length(x, axis=axis) == 0, x.shape),
                    "no direction: the length is 0"),))  # fmt: skip


def _pairs(name: str, operands: Sequence[Any]) -> Layout:
    """Rows of a down, rows of b across, coordinates behind."""
    a, b = operands
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-1]:
        raise ShapeMismatch(f"{name}: it takes two matrices whose rows are points of one space, "
                            f"not {shape_text(a.shape)} and {shape_text(b.shape)}")  # fmt: skip
    rank = max(a.ndim, b.ndim)
    first, second = (layouts.padded(x.shape, rank) for x in operands)
    shapes = (*first[:-1], 1, first[-1]), (*second[:-2], 1, *second[-2:])
    whole = layouts.broadcast_shapes(name, shapes)
    require(name, whole)
    return Layout(whole[:-1], {}, shapes)


def _away(xp: Any, g: Any, out: Any, a: Any, b: Any) -> Any:
    way = a - b
    return xp.along(g, out, way, xp.unit(way, axis=(-1,)))


def _apart(xp: Any, t: Any, a: Any, b: Any) -> Any:
    return xp.sum(t * xp.unit(a - b, axis=(-1,)), axis=(-1,))


general("cdist", "a, b", lambda a, b: length(a - b, axis=(-1,)),
        (lambda xp, g, out, a, b: _away(xp, g, out, a, b), lambda xp, g, out, a, b: _away(xp, g, out, b, a)),
        (lambda xp, t, _out, a, b: _apart(xp, t, a, b), lambda xp, t, _out, a, b: _apart(xp, t, b, a)),
        prepare=_pairs, group=GROUP, summary="Distances of each row of a from each row of b.",
        example="cdist([[0, 0], [3, 0]], [[0, 4]])", derivative="d/da[i] = sum of g[i, j]*(a[i] - b[j])/out[i, j]",
        edge="where two points coincide the gradient is 0",
        kinks=(Kink(lambda a, b: length(a - b, axis=(-1,)) == 0, "a corner: two points coincide"),))  # fmt: skip
