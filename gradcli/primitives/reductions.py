"""Reductions: functions of all elements along one or more axes. The core keeps those axes with size 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.primitives import layouts
from gradcli.primitives.norms import length, share, tied
from gradcli.primitives.table import Kink, Layout, general, linear, reduction

GROUP = "reduction"
AXES = "x, axis: axis = None, keepdims: flag = False"

Axes = tuple[int, ...]


def _sum(x: Any, *, axis: Axes) -> Any:
    return np.sum(x, axis=axis, keepdims=True)


def _mean(x: Any, *, axis: Axes, count: float) -> Any:
    return np.sum(x, axis=axis, keepdims=True) / np.float64(count)


# The engine spreads a cotangent over the axes that were summed by itself.
linear("sum", AXES, _sum, lambda xp, g, *, axis: g, prepare=layouts.reducing, group=GROUP,
       summary="Sum of the elements.", example="sum([[1, 2], [3, 4]], axis=0)")  # fmt: skip

linear("mean", AXES, _mean, lambda xp, g, *, axis, count: g / count, prepare=layouts.counting, group=GROUP,
       summary="Mean of the elements.", example="mean([[1, 2], [3, 4]], axis=0)",
       edge="of no elements: value nan")  # fmt: skip


def _others(xp: Any, x: Any, axis: int) -> Any:
    """For each element the product of all others along one axis, by multiplication alone: right where any are 0.

    Elements are paired, the others of a pair found first, and each then multiplied by its partner: log(n) levels.
    """
    n = x.shape[axis]
    if n <= 1:
        return 1.0
    if n == 2:
        return xp.flip(x, axis=(axis,))

    def part(y: Any, start: int, stop: int) -> Any:
        return xp.index(y, index=(slice(start, stop), *[slice(None)] * (-axis - 1)), shape=y.shape[axis:])

    def join(*parts: Any) -> Any:
        ends = tuple(int(end) for end in np.cumsum([p.shape[axis] for p in parts]))
        return xp.concatenate(*parts, axis=axis, ends=ends, shape=(ends[-1], *x.shape[axis:][1:]))

    half = n // 2
    a, b, odd = part(x, 0, half), part(x, half, 2 * half), n % 2 == 1
    rest = _others(xp, join(a * b, part(x, n - 1, n)) if odd else a * b, axis)
    pairs = part(rest, 0, half) if odd else rest
    return join(pairs * b, pairs * a, part(rest, half, half + 1)) if odd else join(pairs * b, pairs * a)


def _prod_weight(xp: Any, _out: Any, x: Any, *, axis: Axes) -> Any:
    weight = 1.0
    for a in axis:
        weight = weight * _others(xp, x, a)
        x = xp.prod(x, axis=(a,))
    return weight


reduction("prod", AXES, lambda x, *, axis: np.prod(x, axis=axis, keepdims=True), _prod_weight, prepare=layouts.reducing,
          derivative="d/dx[i] = product of the other elements", group=GROUP, summary="Product of the elements.",
          example="prod([1, 2, 3])")  # fmt: skip


def _extreme_weight(xp: Any, out: Any, x: Any, *, axis: Axes) -> Any:
    return share(xp, x == out, axis)


# What stands for an empty array is seen by rules alone, for which `largest` of no element is below any other number.
for _name, _alias, _forward, _none, _word in (
    ("max", "amax", np.max, -np.inf, "Largest"), ("min", "amin", np.min, np.inf, "Smallest")
):  # fmt: skip
    reduction(
        _name, "x, *, axis: axis = None, keepdims: flag = False",
        lambda x, *, axis, _forward=_forward, _none=_none: _forward(x, axis=axis, keepdims=True, initial=_none),
        _extreme_weight,
        selects=True, prepare=layouts.selecting, by_result=True, aliases=(_alias,), group=GROUP,
        derivative="d/dx = (x == out)/sum(x == out)", summary=f"{_word} of the elements.",
        example=f"{_name}([[1, 5], [3, 4]], axis=0)", edge="ties share the gradient equally; nan if any element is nan",
        misuse=f"{_name}(x, axis=0) or {_name}imum(x, y)?",
        kinks=(Kink(lambda x, *, axis, _forward=_forward: tied(x, _forward, axis), "a tie: equal elements"),),
    )  # fmt: skip


def _alike(marks: Any, x: Any) -> Any:
    return np.broadcast_to(marks, x.shape)


def _averaging(name: str, operands: Sequence[Any], axis: Any, ddof: int, keepdims: bool) -> Layout:
    """`divisor` is the number of elements less `ddof`, as a NumPy scalar: it may be 0."""
    layout = layouts.counting(name, operands, axis, keepdims)
    divisor = np.float64(max(layout.params["count"] - ddof, 0.0))
    return Layout(layout.out, {**layout.params, "divisor": divisor})


def _centred(xp: Any, x: Any, axis: Axes, count: float) -> Any:
    return x - xp.mean(x, axis=axis, count=count)


def _var(x: Any, *, axis: Axes, count: float, divisor: Any) -> Any:
    return np.sum(np.square(x - _mean(x, axis=axis, count=count)), axis=axis, keepdims=True) / divisor


def _std(x: Any, *, axis: Axes, count: float, divisor: Any) -> Any:
    return length(x - _mean(x, axis=axis, count=count), axis=axis) / np.sqrt(divisor)


def _level(x: Any, axis: Axes) -> Any:
    """Where the elements along the axes are all equal, of which there must be some."""
    highest, lowest = (f(x, axis=axis, keepdims=True, initial=i) for f, i in ((np.max, -np.inf), (np.min, np.inf)))
    return highest == lowest


MOMENT = "x, axis: axis = None, ddof: integer = 0, keepdims: flag = False"

reduction(
    "var", MOMENT, _var,
    lambda xp, _out, x, *, axis, count, divisor: 2.0 / divisor * _centred(xp, x, axis, count),
    prepare=_averaging, group=GROUP, derivative="d/dx = 2*(x - mean(x))/(size(x) - ddof)",
    summary="Variance: mean square deviation, divided by n - ddof.",
    example="var([1, 2, 3, 4])", edge="nan where n - ddof is 0",
)  # fmt: skip


def _std_weight(xp: Any, x: Any, axis: Axes, count: float, divisor: Any) -> Any:
    centred = _centred(xp, x, axis, count)
    # A single element has no deviation, wherever it is: no corner, and derivatives 0 of every order.
    return (centred if count == 1 else xp.unit(centred, axis=axis)) / xp.sqrt(divisor)


reduction(
    "std", MOMENT, _std,
    lambda xp, _out, x, *, axis, count, divisor: _std_weight(xp, x, axis, count, divisor),
    direction=lambda xp, x, *, axis, count, divisor: _centred(xp, x, axis, count) / divisor,
    prepare=_averaging, group=GROUP, derivative="d/dx = (x - mean(x))/(out*(size(x) - ddof))",
    summary="Standard deviation: square root of the variance.",
    example="std([1, 2, 3, 4])", edge="of equal elements the gradient is 0; nan where n - ddof is 0",
    kinks=(Kink(lambda x, *, axis, count, divisor: _alike(_level(x, axis) & (count > 1), x),
                "a corner: the elements are equal"),),
)  # fmt: skip


def _finite_max(x: Any, axis: Axes) -> Any:
    largest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    return np.where(np.isinf(largest), 0.0, largest)


def _logsumexp(x: Any, *, axis: Axes) -> Any:
    shift = _finite_max(x, axis)
    return shift + np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True))


def _logsumexp_weight(xp: Any, out: Any, x: Any, axis: Axes) -> Any:
    weight = xp.where(out == np.inf, share(xp, x == out, axis), xp.softmax(x, axis=axis))
    return xp.where(out == -np.inf, 0.0, weight)


reduction(
    "logsumexp", AXES, _logsumexp,
    lambda xp, out, x, *, axis: _logsumexp_weight(xp, out, x, axis),
    prepare=layouts.reducing, group=GROUP, derivative="d/dx = softmax(x)",
    summary="log(sum(exp(x))), without overflow.",
    example="logsumexp([1000, 1000])",
    edge="of -inf alone: value -inf, gradient 0; elements that are inf share the gradient equally",
    kinks=(Kink(lambda x, *, axis: _alike(np.max(x, axis=axis, keepdims=True, initial=-np.inf) == -np.inf, x),
                "the logarithm of 0: all elements are -inf"),
           Kink(lambda x, *, axis: (x == np.inf) & (np.sum(x == np.inf, axis=axis, keepdims=True) > 1),
                "a tie: several elements are inf")),
)  # fmt: skip


def below_largest(x: Any, axis: Axes) -> Any:
    """x less its largest element: 0 where that is inf, and nan where several elements are."""
    largest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    gap = x - largest
    if not np.any(largest == np.inf):
        return gap
    infinite = x == np.inf
    return np.where(infinite & (np.sum(infinite, axis=axis, keepdims=True) == 1), 0.0, gap)


def _softmax(x: Any, *, axis: Axes) -> Any:
    e = np.exp(below_largest(x, axis))
    return e / np.sum(e, axis=axis, keepdims=True)


def _softmax_flow(xp: Any, flow: Any, out: Any, _x: Any, *, axis: Axes) -> Any:
    return out * (flow - xp.sum(out * flow, axis=axis))


general("softmax", "x, axis: axis = -1", _softmax, _softmax_flow, _softmax_flow, prepare=layouts.along_axes,
        group=GROUP, derivative="d/dx = out*(g - sum(g*out))", summary="exp(x), divided by its sum along the axis.",
        example="softmax([1, 2, 3])")  # fmt: skip


def log_softmax(x: Any, *, axis: Axes) -> Any:
    shifted = below_largest(x, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


general(
    "log_softmax", "x, axis: axis = -1", log_softmax,
    lambda xp, g, _out, x, *, axis: g - xp.softmax(x, axis=axis) * xp.sum(g, axis=axis),
    lambda xp, t, _out, x, *, axis: t - xp.sum(xp.softmax(x, axis=axis) * t, axis=axis),
    prepare=layouts.along_axes, by_result=True, group=GROUP, derivative="d/dx = g - softmax(x)*sum(g)",
    summary="Logarithm of softmax, without overflow.",
    example="log_softmax([1, 2, 3])",
)  # fmt: skip


def _cumsum(x: Any, *, axis: int) -> Any:
    return np.cumsum(x, axis=axis)


def _cumsum_adjoint(xp: Any, g: Any, *, axis: int) -> Any:
    return xp.flip(xp.cumsum(xp.flip(g, axis=(axis,)), axis=axis), axis=(axis,))


linear("cumsum", "x, axis: axis = 0", _cumsum, _cumsum_adjoint, prepare=layouts.along_axis, group=GROUP,
       summary="Running sum along an axis.", example="cumsum([1, 2, 3])")  # fmt: skip
