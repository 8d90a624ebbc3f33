"""Norms of vectors and matrices, by order.

The length of a vector (order 2) is scaled where its squares would overflow or vanish. At 0, where every norm has a
corner, the gradient is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives import layouts
from gradcli.primitives.table import Kink, Layout, arrays, general, reduction

GROUP = "reduction"

Axes = tuple[int, ...]


def length(x: Any, *, axis: Axes) -> Any:
    """The square root of the sum of squares, right at every scale."""
    plain = np.sqrt(np.sum(x * x, axis=axis, keepdims=True))
    safe = (plain > 1e-140) & (plain < 1e150)
    if np.all(safe):
        return plain
    # To divide by a power of two near the largest element rounds nothing.
    largest = np.max(np.abs(x), axis=axis, keepdims=True, initial=0.0)
    exponent = np.clip(np.frexp(largest)[1], -1000, 1000)
    scaled = np.ldexp(x, -exponent)
    root = np.sqrt(np.sum(scaled * scaled, axis=axis, keepdims=True))
    return np.where(safe, plain, np.ldexp(root, exponent))


def unit(x: Any, *, axis: Axes) -> Any:
    """x divided by its length: the limit where one element is infinite, nan where several are."""
    size = length(x, axis=axis)
    found = np.where(size == 0, 0.0, x / size)
    if not np.any(np.isinf(size)):
        return found
    infinite = np.isinf(x)
    alone = np.sum(infinite, axis=axis, keepdims=True) == 1
    return np.where(infinite & alone & np.isinf(size), np.sign(x), found)


def across(xp: Any, flow: Any, out: Any, x: Any, *, axis: Axes) -> Any:
    return (flow - out * xp.sum(out * flow, axis=axis)) / xp.length(x, axis=axis)


# An entry of its own, not `where`: the curvature of a length at 0 is infinite, and a branch not taken would hide that.
# Its derivative is symmetric, so that vjp and jvp are one.
general("unit", "x, axis: axis = None", unit, across, across, hidden=True, prepare=layouts.along_axes, group=GROUP,
        summary="x divided by its length; 0 where that is 0.")  # fmt: skip

reduction("length", "x, axis: axis = None, keepdims: flag = False", length,
          lambda xp, _out, x, *, axis: xp.unit(x, axis=axis), direction=lambda xp, x, *, axis: x, hidden=True,
          prepare=layouts.reducing, group=GROUP,
          summary="Square root of the sum of squares.")  # fmt: skip


def share(xp: Any, chosen: Any, axis: Axes) -> Any:
    """A mask as weights that add up to 1: ties share equally; nan where nothing is marked."""
    marks = xp.where(chosen, 1.0, 0.0)
    return marks / xp.sum(marks, axis=axis)


def tied(x: Any, extreme: Any, axis: Axes) -> Any:
    """The elements that are the extreme one, where there are several."""
    best = x == extreme(x, axis=axis, keepdims=True)
    return best & (np.sum(best, axis=axis, keepdims=True) > 1)


def _power_sum(x: Any, order: float, axis: Axes) -> Any:
    largest = np.max(np.abs(x), axis=axis, keepdims=True, initial=0.0)
    scale = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
    return scale * np.sum(np.abs(x / scale) ** order, axis=axis, keepdims=True) ** (1.0 / np.float64(order))


def _power_weight(xp: Any, out: Any, x: Any, axis: Axes, order: float) -> Any:
    # Below order 1 the norm has a cusp wherever an element is 0.
    corner = out == 0 if order > 1 else x == 0
    # Of what is infinite the share is 1, if it is so alone.
    infinite = xp.logical_and(xp.abs(x) == np.inf, out == np.inf)
    alone = xp.where(xp.sum(xp.as_number(infinite), axis=axis) == 1, 1.0, np.nan)
    part = xp.where(infinite, alone, xp.abs(x) / out)
    return xp.sign(x) * xp.where(corner, 0.0, part ** (order - 1.0))


def _behind(xp: Any, x: Any, axis: Axes, back: bool = False) -> Any:
    """x with the two axes of its matrices moved behind all others, or from there back to their places."""
    first, second = sorted(axis)
    order = [*(a for a in range(first, 0) if a not in axis), first, second]
    if back:
        order = [order.index(a) - len(order) for a in range(first, 0)]
    return xp.transpose(x, axes=tuple(order))


def _singular(x: Any, axis: Axes, order: str) -> Any:
    """Sum, largest or smallest of the singular values."""
    s = arrays.svdvals(_behind(arrays, x, axis))
    found = np.sum(s, axis=-1) if order == "nuc" else s[..., 0 if order == "2" else -1]
    return _behind(arrays, found[..., None, None], axis, back=True)


def _singular_weight(xp: Any, x: Any, axis: Axes, order: str) -> Any:
    # Imported late, as the table does: what singular values need is a third of the start-up time.
    from gradcli.primitives.matrixnorms import extreme_slope

    y = _behind(xp, x, axis)
    return _behind(xp, xp.polar(y) if order == "nuc" else extreme_slope(xp, y, order == "2"), axis, back=True)


def _singular_corner(x: Any, axis: Axes, order: str) -> Any:
    from gradcli.primitives.matrixnorms import tied_extremes, vanishing

    y = _behind(arrays, x, axis)
    corner = vanishing(y) if order == "nuc" else tied_extremes(y, order == "2")
    return np.broadcast_to(_behind(arrays, corner, axis, back=True), x.shape)


def _norm(x: Any, *, axis: Axes, order: Any, inner: Axes) -> Any:
    """For the orders inf and -inf: the extreme, over all axes, of the absolute sums over the `inner` ones.

    Orders that are texts are those of singular values.
    """
    if isinstance(order, str):
        return _singular(x, axis, order)
    if order == 2:
        return length(x, axis=axis)
    if order == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=True)
    if order == 0:
        return np.sum(x != 0, axis=axis, keepdims=True).astype(np.float64)
    if np.isinf(order):
        extreme = np.max if order > 0 else np.min
        return extreme(np.sum(np.abs(x), axis=inner, keepdims=True), axis=axis, keepdims=True)
    return _power_sum(x, order, axis)


def _norm_weight(xp: Any, out: Any, x: Any, *, axis: Axes, order: Any, inner: Axes) -> Any:
    if isinstance(order, str):
        return _singular_weight(xp, x, axis, order)
    if order == 2:
        return xp.unit(x, axis=axis)
    if order == 1:
        return xp.sign(x)
    if order == 0:
        return xp.zero(x)
    if np.isinf(order):
        return xp.sign(x) * share(xp, xp.sum(xp.abs(x), axis=inner) == out, axis)
    return _power_weight(xp, out, x, axis, order)


def _norm_choice(xp: Any, out: Any, x: Any, *, axis: Axes, order: Any, inner: Axes) -> Any:
    """The extreme sums; none of what is only counted."""
    if order == 0:
        return np.zeros(x.shape, bool)
    return False if isinstance(order, str) or not np.isinf(order) else xp.sum(xp.abs(x), axis=inner) == out


def _norm_direction(xp: Any, x: Any, *, axis: Axes, order: Any, inner: Axes) -> Any:
    return x if order == 2 else None


def _corner(x: Any, *, axis: Axes, order: Any, inner: Axes) -> Any:
    """The elements at which the norm is not smooth."""
    if isinstance(order, str):
        return _singular_corner(x, axis, order)
    if np.isinf(order):
        sums = np.sum(np.abs(x), axis=inner, keepdims=True)
        best = sums == _norm(x, axis=axis, order=order, inner=inner)
        tied = best & (np.sum(best, axis=axis, keepdims=True) > 1)
        return np.broadcast_to(tied, x.shape) | (best & (x == 0))
    return (x == 0) if order <= 1 else np.broadcast_to(_norm(x, axis=axis, order=order, inner=inner) == 0, x.shape)


def _ordered(name: str, operands: Sequence[Any], ord: Any, axis: Any, keepdims: bool) -> Layout:
    """NumPy's reading of `ord`: of a matrix where there are two axes, of a vector where there is one."""
    (x,) = operands
    given = axis if isinstance(axis, tuple) else (axis,) if axis is not None else tuple(range(x.ndim))
    order: float | str = 2.0
    inner: Axes = ()
    if ord is not None and len(given) == 2:
        rows, columns = (layouts.negative_axis(name, a, x.ndim) for a in given)
        order, inner = _matrix_order(name, ord, rows, columns)
    elif ord is not None:
        if len(given) != 1:
            raise BadArgument(f"{name}: an order needs 1 or 2 axes, not {len(given)}", help="name them by axis")
        order = _vector_order(name, ord)
    layout = layouts.selecting if order in (np.inf, -np.inf, "2", "-2") else layouts.reducing
    return layout(name, operands, given, keepdims, order=order, inner=inner)


def _vector_order(name: str, ord: Any) -> float:
    if isinstance(ord, str) or np.isnan(ord):
        raise BadArgument(f"{name}: the order of a vector norm is a number, not {ord!r}")
    return float(ord)


def _matrix_order(name: str, ord: Any, rows: int, columns: int) -> tuple[float | str, Axes]:
    """The largest column sum (1) and row sum (inf) are of order inf, with one axis summed before."""
    if ord == "fro":
        return 2.0, ()
    if ord in ("nuc", 2, -2):
        return ord if ord == "nuc" else f"{ord:g}", ()
    if ord not in (1, -1, np.inf, -np.inf):
        raise BadArgument(f"{name}: a matrix has no norm of order {ord!r} here",
                          help='the orders are "fro", "nuc", 1, -1, 2, -2, inf and -inf')  # fmt: skip
    return np.copysign(np.inf, ord), (rows if abs(ord) == 1 else columns,)


reduction(
    "norm", "x, ord: string = None, axis: axis = None, keepdims: flag = False", _norm, _norm_weight,
    direction=_norm_direction, selects=_norm_choice, prepare=_ordered, group=GROUP,
    derivative='x/out of order 2; sign(x)*(abs(x)/out)**(p - 1) of order p; U @ Vh of order "nuc"',
    summary="Norm of a vector or matrix; the orders are those of numpy.linalg.norm.",
    example="norm([3, 4])",
    edge="at 0 the gradient of a vector norm is 0; ties share it equally (the orders inf, -inf; 2 and -2 of a matrix); "
         "that of order 0, a count, is 0 everywhere",
    domain=((0.5, 2.0),), kinks=(Kink(_corner, "a corner of the norm: a zero or a tie"),),
)  # fmt: skip
