"""Statistics: sums that skip nan, ranges, weighted means, integrals over samples, covariances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.norms import length, share, tied
from gradcli.primitives.table import Kink, Layout, Shape, general, reduction

GROUP = "reduction"
AXES = "x, axis: axis = None, keepdims: flag = False"
SKIPS = "nan is skipped, and gets gradient 0"

Axes = tuple[int, ...]


def _present(xp: Any, x: Any) -> Any:
    return xp.where(xp.isnan(x), 0.0, 1.0)


reduction("nansum", AXES, lambda x, *, axis: np.nansum(x, axis=axis, keepdims=True),
          lambda xp, _out, x, *, axis: _present(xp, x), selects=True, prepare=layouts.reducing, group=GROUP, edge=SKIPS,
          derivative="d/dx = where(isnan(x), 0, g)", summary="Sum of the elements that are not nan.",
          example="nansum([1, nan])")  # fmt: skip


def _nanmean(x: Any, *, axis: Axes) -> Any:
    return np.nansum(x, axis=axis, keepdims=True) / np.sum(~np.isnan(x), axis=axis, keepdims=True)


def _nanmean_weight(xp: Any, _out: Any, x: Any, *, axis: Axes) -> Any:
    present = _present(xp, x)
    count = xp.sum(present, axis=axis)
    return xp.where(count == 0, 0.0, present / count)


reduction("nanmean", AXES, _nanmean, _nanmean_weight, selects=True, prepare=layouts.reducing, group=GROUP, edge=SKIPS,
          derivative="d/dx = where(isnan(x), 0, g)/sum(not isnan(x))", summary="Mean of the elements that are not nan.",
          example="nanmean([1, nan])")  # fmt: skip


for _name, _best, _word in (("nanmax", np.fmax, "Largest"), ("nanmin", np.fmin, "Smallest")):
    reduction(_name, AXES, lambda x, *, axis, _best=_best: _best.reduce(x, axis=axis, keepdims=True),
              lambda xp, out, x, *, axis: share(xp, x == out, axis), selects=True, prepare=layouts.selecting,
              group=GROUP, edge=SKIPS + "; ties share the gradient equally", derivative="g at the extreme",
              kinks=(Kink(lambda x, *, axis, _best=_best: tied(x, _best.reduce, axis), "a tie: equal elements"),),
              summary=f"{_word} of the elements that are not nan.", example=f"{_name}([1, nan])")  # fmt: skip


def _tied(x: Any, axis: Axes) -> Any:
    return tied(x, np.max, axis) | tied(x, np.min, axis)


def _range_weight(xp: Any, _out: Any, x: Any, *, axis: Axes) -> Any:
    return share(xp, x == xp.max(x, axis=axis), axis) - share(xp, x == xp.min(x, axis=axis), axis)


reduction("ptp", AXES, lambda x, *, axis: np.ptp(x, axis=axis, keepdims=True), _range_weight, selects=True,
          prepare=layouts.selecting, group=GROUP, summary="Largest element less the smallest.",
          example="ptp([1, 5, 3])",
          edge="ties share the gradient equally", derivative="g at the largest, -g at the smallest",
          kinks=(Kink(lambda x, *, axis: _tied(x, axis), "a tie: equal elements"),))  # fmt: skip


def _weighted(name: str, operands: Sequence[Any], axis: Any, keepdims: bool) -> Layout:
    """Weights of one axis belong to the axis that is averaged; all others broadcast."""
    x, weights = operands
    layout = layouts.reducing(name, (x,), axis, keepdims)
    axes = layout.params["axis"]
    shape = weights.shape
    if weights.ndim == 1 and x.ndim > 1 and len(axes) == 1:
        shape = tuple(weights.size if a == axes[0] else 1 for a in range(-x.ndim, 0))
    if not layouts.fills(shape, x.shape):
        raise ShapeMismatch(f"{name}: weights of shape {shape_text(weights.shape)} do not fit {shape_text(x.shape)}")
    return Layout(layout.out, {"axis": axes, "shape": x.shape}, (x.shape, layouts.padded(shape, x.ndim)))


def _total(xp: Any, weights: Any, axis: Axes, shape: Shape) -> Any:
    return xp.sum(weights * np.ones(shape), axis=axis)


def _average(x: Any, w: Any, *, axis: Axes, shape: Shape) -> Any:
    total = np.sum(np.broadcast_to(w, np.broadcast_shapes(w.shape, shape)), axis=axis, keepdims=True)
    return np.sum(x * w, axis=axis, keepdims=True) / total


general(
    "average", "x, axis: axis = None, weights = None or 1, keepdims: flag = False", _average,
    (
        lambda xp, g, _out, _x, w, *, axis, shape: g * w / _total(xp, w, axis, shape),
        lambda xp, g, out, x, w, *, axis, shape: g * (x - out) / _total(xp, w, axis, shape),
    ),
    (
        lambda xp, t, _out, _x, w, *, axis, shape: xp.sum(t * w, axis=axis) / _total(xp, w, axis, shape),
        lambda xp, t, out, x, w, *, axis, shape: xp.sum(t * (x - out), axis=axis) / _total(xp, w, axis, shape),
    ),
    prepare=_weighted, group=GROUP, summary="Mean with weights, which need not add up to 1.",
    example="average([1, 2, 3], weights=[3, 1, 1])",
    derivative="d/dx = g*weights/sum(weights); d/dweights = g*(x - out)/sum(weights)",
)  # fmt: skip


def _sampled(name: str, operands: Sequence[Any], axis: int) -> Layout:
    """`x` is nan where there is none: then the samples lie `dx` apart. Core: the axis last, its places at the end."""
    y, x, dx = operands
    along = layouts.negative_axis(name, axis, y.ndim)
    given = not (x.shape == () and np.isnan(x))
    shape = y.shape
    places = layouts.padded(x.shape, y.ndim)
    if given and x.ndim == 1:
        places = tuple(x.size if a == along else 1 for a in range(-y.ndim, 0))
    fits = not given or (places[along:][:1] == shape[along:][:1] and layouts.fills(places, shape))
    if dx.shape != () or not fits:
        raise ShapeMismatch(f"{name}: samples of shape {shape_text(shape)} at {shape_text(x.shape)} places")
    out = shape[: along + y.ndim] + shape[along + y.ndim + 1 :]
    return Layout(out, {"axis": along, "given": given}, (shape, places, (1,) * y.ndim))


def _ends(xp: Any, x: Any, axis: int) -> tuple[Any, Any]:
    rest = [slice(None)] * (-axis - 1)
    first, last = (xp.index(x, index=(part, *rest), shape=x.shape[axis:]) for part in (slice(0, -1), slice(1, None)))
    return first, last


def _spread(xp: Any, first: Any, last: Any, size: int, axis: int) -> Any:
    """The transpose of `_ends`."""
    rest = [slice(None)] * (-axis - 1)
    shape = (size, *first.shape[axis:][1:])
    low = xp.scatter(first, index=(slice(0, -1), *rest), shape=shape)
    return low + xp.scatter(last, index=(slice(1, None), *rest), shape=(size, *last.shape[axis:][1:]))


def _steps(xp: Any, x: Any, dx: Any, axis: int, given: bool) -> Any:
    if not given:
        return dx
    first, last = _ends(xp, x, axis)
    return last - first


def _heights(xp: Any, y: Any, axis: int) -> Any:
    first, last = _ends(xp, y, axis)
    return 0.5 * (first + last)


def _trapezoid(y: Any, x: Any, dx: Any, *, axis: int, given: bool) -> Any:
    rest = (slice(None),) * (-axis - 1)
    first, last = y[(..., slice(0, -1), *rest)], y[(..., slice(1, None), *rest)]
    step = np.diff(x, axis=axis) if given else dx
    return np.sum(step * (first + last) * 0.5, axis=axis, keepdims=True)


def _y_vjp(xp: Any, g: Any, _out: Any, y: Any, x: Any, dx: Any, *, axis: int, given: bool) -> Any:
    half = 0.5 * g * _steps(xp, x, dx, axis, given)
    return _spread(xp, half, half, y.shape[axis], axis)


def _x_vjp(xp: Any, g: Any, _out: Any, y: Any, x: Any, _dx: Any, *, axis: int, given: bool) -> Any:
    if not given:
        return xp.where(np.False_, g, 0.0)
    area = g * _heights(xp, y, axis)
    return _spread(xp, -area, area, x.shape[axis], axis)


def _dx_vjp(xp: Any, g: Any, _out: Any, y: Any, _x: Any, _dx: Any, *, axis: int, given: bool) -> Any:
    return xp.where(np.False_, g, 0.0) if given else g * xp.sum(_heights(xp, y, axis), axis=(axis,))


def _y_jvp(xp: Any, t: Any, _out: Any, _y: Any, x: Any, dx: Any, *, axis: int, given: bool) -> Any:
    return xp.sum(_steps(xp, x, dx, axis, given) * _heights(xp, t, axis), axis=(axis,))


def _x_jvp(xp: Any, t: Any, _out: Any, y: Any, _x: Any, dx: Any, *, axis: int, given: bool) -> Any:
    if not given:
        return xp.where(np.False_, t, 0.0)
    return xp.sum(_steps(xp, t, dx, axis, given) * _heights(xp, y, axis), axis=(axis,))


def _dx_jvp(xp: Any, t: Any, _out: Any, y: Any, _x: Any, _dx: Any, *, axis: int, given: bool) -> Any:
    return xp.where(np.False_, t, 0.0) if given else t * xp.sum(_heights(xp, y, axis), axis=(axis,))


general("trapezoid", "y, x = None or nan, dx = None or 1, axis: integer = -1", _trapezoid, (_y_vjp, _x_vjp, _dx_vjp),
        (_y_jvp, _x_jvp, _dx_jvp), prepare=_sampled, by_values=True, aliases=("trapz",), group=GROUP,
        summary="Integral over samples y, at the places x or dx apart, by the trapezoid rule.",
        example="trapezoid([1, 2, 3])", derivative="the trapezoid weights")  # fmt: skip


# Covariance: rows of x are variables, its columns observations.


def _observed(name: str, operands: Sequence[Any], ddof: int, rowvar: bool) -> Layout:
    (x,) = operands
    if x.ndim not in (1, 2):
        raise ShapeMismatch(f"{name}: it takes a vector or a matrix, not an array of shape {shape_text(x.shape)}")
    matrix = layouts.padded(x.shape, 2)
    rows, count = matrix if rowvar or x.ndim == 1 else matrix[::-1]
    require(name, (rows, rows))
    if not x.size:
        raise BadArgument(f"{name}: there are no observations")
    params = {"turned": not rowvar and x.ndim == 2, "divisor": np.float64(max(count - ddof, 0))}
    return Layout(() if rows == 1 else (rows, rows), params, (matrix,))


def _turn(xp: Any, x: Any, turned: bool) -> Any:
    return xp.transpose(x, axes=(-1, -2)) if turned else x


def _centred(xp: Any, x: Any, turned: bool = False) -> Any:
    x = _turn(xp, x, turned)
    return x - xp.mean(x, axis=(-1,), count=float(x.shape[-1]))


def _cov(x: Any, *, turned: bool, divisor: Any) -> Any:
    rows = np.swapaxes(x, -1, -2) if turned else x
    deviation = rows - np.mean(rows, axis=-1, keepdims=True)
    return deviation @ np.swapaxes(deviation, -1, -2) / divisor


def _both(xp: Any, g: Any) -> Any:
    return g + xp.transpose(g, axes=(-1, -2))


def _cov_vjp(xp: Any, g: Any, _out: Any, x: Any, *, turned: bool, divisor: Any) -> Any:
    return _turn(xp, _both(xp, g) @ _centred(xp, x, turned) / divisor, turned)


def _cov_jvp(xp: Any, t: Any, _out: Any, x: Any, *, turned: bool, divisor: Any) -> Any:
    moved = _turn(xp, t, turned) @ xp.transpose(_centred(xp, x, turned), axes=(-1, -2))
    return _both(xp, moved) / divisor


general("cov", "x, ddof: integer = 1, rowvar: flag = True", _cov, _cov_vjp, _cov_jvp, prepare=_observed, group=GROUP,
        summary="Covariances of the rows of x (or its columns: rowvar=False), divided by n - ddof.",
        example="cov([[1, 2, 4], [3, 1, 1]])", derivative="(g + g.T) @ deviations / (n - ddof)")  # fmt: skip


def _rows(name: str, operands: Sequence[Any], rowvar: bool) -> Layout:
    layout = _observed(name, operands, 0, rowvar)
    return layout._replace(params={"turned": layout.params["turned"]})


def _directions(xp: Any, x: Any, turned: bool) -> tuple[Any, Any]:
    """Rows as unit vectors, nan where all observations are equal, and their lengths before."""
    rows = _centred(xp, x, turned)
    size = xp.length(rows, axis=(-1,))
    return xp.where(size == 0, np.nan, xp.unit(rows, axis=(-1,))), size


def _corrcoef(x: Any, *, turned: bool) -> Any:
    rows = np.swapaxes(x, -1, -2) if turned else x
    rows = rows - np.mean(rows, axis=-1, keepdims=True)
    rows = rows / length(rows, axis=(-1,))
    found = np.clip(rows @ np.swapaxes(rows, -1, -2), -1.0, 1.0)
    return np.where(np.eye(found.shape[-1], dtype=bool) & (found > 0), 1.0, found)


def _across(xp: Any, flow: Any, unit: Any, size: Any) -> Any:
    """The derivative of row / length(row), which is symmetric."""
    return (flow - unit * xp.sum(unit * flow, axis=(-1,))) / size


def _corrcoef_vjp(xp: Any, g: Any, _out: Any, x: Any, *, turned: bool) -> Any:
    unit, size = _directions(xp, x, turned)
    flow = _across(xp, _both(xp, g) @ unit, unit, size)
    return _turn(xp, _centred(xp, flow), turned)


def _corrcoef_jvp(xp: Any, t: Any, _out: Any, x: Any, *, turned: bool) -> Any:
    unit, size = _directions(xp, x, turned)
    moved = _across(xp, _centred(xp, t, turned), unit, size)
    return _both(xp, moved @ xp.transpose(unit, axes=(-1, -2)))


general("corrcoef", "x, rowvar: flag = True", _corrcoef, _corrcoef_vjp, _corrcoef_jvp, prepare=_rows, group=GROUP,
        summary="Correlations of the rows of x (or its columns: rowvar=False).",
        example="corrcoef([[1, 2, 4], [3, 1, 1]])", edge="nan for a row of equal elements",
        derivative="that of products of unit vectors")  # fmt: skip
