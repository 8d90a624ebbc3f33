"""By order of size: sorted, ranked, in the middle, the largest so far; and positions and counts, which have no slope.

What is chosen at a point is chosen around it too, but for ties: the gradient goes to the elements that were chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import shape_text
from gradcli.primitives.gather import grid, lanes, read
from gradcli.primitives.table import Kink, Layout, Shape, constant, general, linear

GROUP = "order"

Axis = int | tuple[int, ...] | None


def _lines(name: str, x: Any, axis: int | None) -> tuple[Any, Any, int]:
    """Positions and values, and the axis along which they are compared (None: all elements as one line)."""
    if axis is None or x.ndim == 0:
        return grid(name, x).ravel(), x.ravel(), -1
    return grid(name, x), x, layouts.negative_axis(name, axis, x.ndim)


def _ranks(values: Any, axis: int, descending: bool) -> Any:
    """Stable; nan is last either way, as in NumPy."""
    return np.argsort(-values if descending else values, axis=axis, kind="stable")


def _groups(values: Any, ranks: Any, axis: int) -> Any:
    """Elements numbered from 1, equal ones of a line alike; `ranks` sort it, in either direction."""
    ordered = np.moveaxis(np.take_along_axis(values, ranks, axis), axis, -1)
    new = np.ones(ordered.shape, bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    out = np.empty(values.shape, np.intp)
    np.put_along_axis(out, ranks, np.moveaxis(np.cumsum(new).reshape(new.shape), -1, axis), axis)
    return out


def _comparing(choose: Callable[..., Any]) -> Any:
    """The layout of an entry that reads its operand at ranks: `choose(name, ranks, values, axis, **params)` finds them.

    The ranks that it is given sort each line, `descending` or not.
    """

    def prepare(name: str, operands: Sequence[Any], axis: int | None, **params: Any) -> Layout:
        (x,) = operands
        places, values, along = _lines(name, x, axis)
        descending = params.pop("largest", params.pop("descending", False))
        ranks = _ranks(values, along, descending)
        chosen = choose(name, ranks, values, along, **params)
        groups = _groups(values, ranks, along)
        found, ties = (np.take_along_axis(a, chosen, along) for a in (places, groups))
        counts, seen = (np.bincount(a.ravel(), minlength=groups.size + 1) for a in (groups, ties))
        params = {"index": (found,), "shape": (x.size,), "tied": counts[ties] > 1,
                  "ties": np.where(seen[ties] < counts[ties], -ties, ties)}  # fmt: skip
        lone = x.ndim == 0 and axis is not None and found.size == 1
        return Layout(() if lone else found.shape, params, ((x.size,),))

    return prepare


def _first(name: str, ranks: Any, values: Any, axis: int, k: int) -> Any:
    if not 0 <= k <= values.shape[axis]:
        raise BadArgument(f"{name}: there are {values.shape[axis]} elements to choose {k} from")
    return np.take(ranks, range(k), axis=axis)


def _partitioned(name: str, ranks: Any, values: Any, axis: int, kth: int) -> Any:
    if not -values.shape[axis] <= kth < values.shape[axis]:
        raise BadArgument(f"{name}: there is no element {kth} among {values.shape[axis]}")
    return np.argpartition(values, kth, axis=axis)


def _running(best: Any) -> Any:
    """The extreme so far: of ties the last, and tied is what has an equal before it."""

    def prepare(name: str, operands: Sequence[Any], axis: int) -> Layout:
        (x,) = operands
        places, values, along = _lines(name, x, axis)
        extreme = best.accumulate(values, axis=along)
        hit = (values == extreme) | (np.isnan(values) & np.isnan(extreme))
        counter = np.indices(values.shape)[along]
        last = np.maximum.accumulate(np.where(hit, counter, 0), axis=along)
        before = np.take_along_axis(extreme, np.maximum(counter - 1, 0), along)
        first = np.maximum.accumulate(np.where((extreme != before) & ~np.isnan(before), counter, 0), axis=along)
        params = {"index": (np.take_along_axis(places, last, along),), "shape": (x.size,), "tied": first != last}
        return Layout(x.shape, params, ((x.size,),))

    return prepare


def _order(name: str, text: str, prepare: Any, ties: Any = None, **facts: Any) -> None:
    linear(name, text, lambda x, *, index, shape, **_: read(x, index=index, shape=shape),
           lambda xp, g, *, index, shape, **_: xp.scatter(g, index=index, shape=shape), prepare=prepare,
           by_values=True, group=GROUP, kinks=(Kink(lambda x, *, tied, **_: tied, "a tie: equal elements", ties),),
           **facts)  # fmt: skip


_TIES: dict[str, Any] = {
    "ties": lambda x, *, ties, **_: ties,
    "edge": "ties keep their order: the gradient goes to the first; what treats them alike does not feel it",
}


_order("sort", "x, axis: axis = -1, descending: flag = False",
       _comparing(lambda name, ranks, values, axis: ranks), **_TIES,
       summary="Elements in ascending order along an axis (default: the last).", example="sort([3, 1, 2])")  # fmt: skip
_order("topk", "x, k: integer, axis: integer = -1, largest: flag = True", _comparing(_first), **_TIES,
       summary="The k largest elements, in descending order.", example="topk([3, 1, 2], 2)")  # fmt: skip
_order("partition", "x, kth: integer, axis: axis = -1", _comparing(_partitioned), **_TIES,
       summary="Rearranged so that element kth is in its sorted place, smaller ones before it.",
       example="partition([3, 1, 2], 1)")  # fmt: skip
for _name, _best, _word in (("cummax", np.maximum, "Largest"), ("cummin", np.minimum, "Smallest")):
    _order(_name, "x, axis: integer = 0", _running(_best), edge="of tied elements the last gets the gradient",
           summary=f"{_word} element so far, along an axis.", example=f"{_name}([1, 3, 2])")  # fmt: skip


def _blended(name: str, x: Any, level: float, axis: Axis, keepdims: bool) -> Layout:
    """Each result lies between two elements in sorted order: `part` of the way from `low` to `high`."""
    layout = layouts.selecting(name, (x,), axis, keepdims)
    places = lanes(name, x, layout.params["axis"])
    values = x.ravel()[places]
    ranks = _ranks(values, -1, False)
    position = level * (places.shape[-1] - 1)
    below = int(np.floor(position))
    last = ranks[..., -1]
    undefined = np.isnan(_picked(values, last))  # nan is sorted last, and makes the result nan
    low, high = (np.where(undefined, last, ranks[..., k]) for k in (below, min(below + 1, places.shape[-1] - 1)))
    part = np.float64(position - below)
    params = {
        "low": _picked(places, low), "high": _picked(places, high), "part": part,
        "shape": (x.size,), "tied": _middle_ties(_groups(values, ranks, -1), low, high, part),
    }  # fmt: skip
    return Layout(layout.out, params, ((x.size,),))


def _middle_ties(groups: Any, low: Any, high: Any, part: float) -> Any:
    """Where elements that are weighted differently are equal: two in the middle by half each are not told apart."""
    counts = np.bincount(groups.ravel())
    below, above = _picked(groups, low), _picked(groups, high)
    tied = (counts[below] > 1) | ((counts[above] > 1) & (part > 0))
    return tied & ~((below == above) & (counts[below] == 2) & (part == 0.5))


def _picked(lines: Any, ranks: Any) -> Any:
    return np.take_along_axis(lines, ranks[..., None], -1)[..., 0]


def _median(name: str, operands: Sequence[Any], axis: Axis, keepdims: bool) -> Layout:
    return _blended(name, operands[0], 0.5, axis, keepdims)


def _quantile(whole: float) -> Any:
    """`span` is how far the place among the elements moves where q does."""

    def prepare(name: str, operands: Sequence[Any], axis: Axis, keepdims: bool) -> Layout:
        x, q = operands
        if q.ndim:
            raise BadArgument(f"{name}: q is one number, not an array of shape {shape_text(q.shape)}")
        if not 0 <= q <= whole:
            raise BadArgument(f"{name}: q lies between 0 and {whole:g}, not {float(q):g}")
        layout = _blended(name, x, float(q) / whole, axis, keepdims)
        low = layout.params["low"]
        span = (x.size // max(low.size, 1) - 1) / whole
        return Layout(layout.out, {**layout.params, "span": span, "at": float(q)}, ((x.size,), (1,) * low.ndim))

    return prepare


def _blend(x: Any, *, low: Any, high: Any, part: Any, shape: Shape, tied: Any) -> Any:
    a, b = x[..., low], x[..., high]
    return np.where(a == b, a, a * (1.0 - part) + b * part) if part else np.array(a)


def _blend_adjoint(xp: Any, g: Any, *, low: Any, high: Any, part: Any, shape: Shape, tied: Any) -> Any:
    below = xp.scatter(g * (1.0 - part), index=(low,), shape=shape)
    return below + xp.scatter(g * part, index=(high,), shape=shape) if part else below


def _gap(xp: Any, x: Any, low: Any, high: Any, span: float, shape: Shape) -> Any:
    """The slope in q, between the two elements."""
    return span * (xp.index(x, index=(high,), shape=shape) - xp.index(x, index=(low,), shape=shape))


def _part(q: Any, part: Any, span: float, at: float) -> Any:
    """`part` as what it is of q, whose value is `at`."""
    return part + span * (q - at)


def _part_vjp(
    xp: Any, g: Any, _out: Any, _x: Any, q: Any, *, low: Any, high: Any, part: Any, shape: Shape, span: float,
    at: float, **_: Any,
) -> Any:  # fmt: skip
    above = _part(q, part, span, at)
    return xp.scatter(g * (1.0 - above), index=(low,), shape=shape) + xp.scatter(g * above, index=(high,), shape=shape)


def _part_jvp(
    xp: Any, t: Any, _out: Any, _x: Any, q: Any, *, low: Any, high: Any, part: Any, shape: Shape, span: float,
    at: float, **_: Any,
) -> Any:  # fmt: skip
    above = _part(q, part, span, at)
    return xp.index(t, index=(low,), shape=shape) * (1.0 - above) + xp.index(t, index=(high,), shape=shape) * above


_MIDDLE: dict[str, Any] = {
    "by_values": True, "group": GROUP, "edge": "of two middle elements each has its share; ties keep their order",
    "kinks": (Kink(lambda x, *others, tied, **_: tied, "a tie: equal elements"),),
}  # fmt: skip
_LEVEL: dict[str, Any] = {
    **_MIDDLE, "edge": _MIDDLE["edge"] + "; where q hits an element, the slope in q is that of the gap above",
    "derivative": "in x the two parts of g; in q the gap between the two elements, times what q moves the place",
}  # fmt: skip


def _level(name: str, whole: float, **facts: Any) -> None:
    general(
        name, "x, q, axis: axis = None, keepdims: flag = False",
        lambda x, _q, *, span, at, **params: _blend(x, **params),
        (_part_vjp,
         lambda xp, g, _out, x, _q, *, low, high, span, shape, **_: g * _gap(xp, x, low, high, span, shape)),
        (_part_jvp,
         lambda xp, t, _out, x, _q, *, low, high, span, shape, **_: t * _gap(xp, x, low, high, span, shape)),
        prepare=_quantile(whole), domain=((-2.0, 2.0), (0.1 * whole, 0.9 * whole)), **_LEVEL, **facts,
    )  # fmt: skip


linear("median", "x, axis: axis = None, keepdims: flag = False", _blend, _blend_adjoint, prepare=_median, **_MIDDLE,
       summary="The middle element, or the mean of the two.", example="median([3, 1, 2])")  # fmt: skip
_level("quantile", 1.0, summary="What a part q of the elements lies below, interpolated linearly.",
       example="quantile([1, 2, 3, 4], 0.25)")  # fmt: skip
_level("percentile", 100.0, summary="quantile with q from 0 to 100.", example="percentile([1, 2, 3, 4], 25)")


# Positions and counts are constant around almost every point, and their jumps no derivative.


def _flat(name: str, operands: Sequence[Any], axis: int | None, keepdims: bool) -> Layout:
    (x,) = operands
    if axis is not None:
        layout = layouts.selecting(name, operands, axis, keepdims)
        return layout._replace(params={"along": layout.params["axis"][0]})
    if not x.size:
        raise BadArgument(f"{name}: nothing to choose from: the array has shape {shape_text(x.shape)}")
    return Layout((1,) * x.ndim if keepdims else (), {"along": -1}, ((x.size,),))


def _ranked(name: str, operands: Sequence[Any], axis: int | None, descending: bool) -> Layout:
    (x,) = operands
    if axis is None or x.ndim == 0:
        return Layout((x.size,) if x.ndim else (), {"along": -1, "descending": descending}, ((x.size,),))
    return Layout(x.shape, {"along": layouts.negative_axis(name, axis, x.ndim), "descending": descending})


def _still(xp: Any, t: Any, _out: Any, _x: Any, **_params: Any) -> Any:
    return xp.where(np.False_, t, 0.0)


def step(
    name: str, text: str, forward: Any, what: str = "a position or count", of: Any = np.float64, **facts: Any
) -> None:
    """An entry that says where, how many or whether: constant almost everywhere, every use of its slope gets a note."""
    general(name, text, lambda x, **params: np.asarray(forward(x, **params), of), 0, _still, discrete=True,
            group=GROUP, derivative="0",
            edge="no derivative: it is constant but for jumps, and 0 is what is shown",
            kinks=(Kink(lambda x, **_: np.ones((1,) * x.ndim, bool), f"{what}: it has no derivative"),),
            **facts)  # fmt: skip


for _name, _where, _word in (("argmax", np.argmax, "largest"), ("argmin", np.argmin, "smallest")):
    step(_name, "x, axis: integer = None, keepdims: flag = False",
         lambda x, *, along, _where=_where: _where(x, axis=along, keepdims=True), prepare=_flat,
         summary=f"Position of the {_word} element, the first of ties; no derivative.",
         example=f"{_name}([3, 1, 2])")  # fmt: skip
step("argsort", "x, axis: axis = -1, descending: flag = False",
     lambda x, *, along, descending: _ranks(x, along, descending), prepare=_ranked,
     summary="Positions of the elements in sorted order; no derivative.", example="argsort([3, 1, 2])")  # fmt: skip
step("count_nonzero", "x, axis: axis = None, keepdims: flag = False",
     lambda x, *, axis: np.sum(x != 0, axis=axis, keepdims=True), prepare=layouts.reducing,
     summary="How many elements are not 0; no derivative.", example="count_nonzero([3, 0, 2])")  # fmt: skip

for _name, _test, _word in (("any", np.any, "any element is"), ("all", np.all, "all elements are")):
    step(_name, "x, axis: axis = None, keepdims: flag = False",
         lambda x, *, axis, _test=_test: _test(x != 0, axis=axis, keepdims=True), "true or false", bool,
         prepare=layouts.reducing, masks=True, summary=f"Whether {_word} true (not 0); no derivative.",
         example=f"{_name}([1, 0])")  # fmt: skip


def _searching(name: str, operands: Sequence[Any], right: bool) -> Layout:
    x, value = operands
    if x.ndim != 1:
        raise ShapeMismatch(f"{name}: it searches in a sorted vector, not in an array of shape {shape_text(x.shape)}")
    return Layout(value.shape, {"right": right})


constant("searchsorted", "x, value, right: flag = False",
         lambda x, value, *, right: np.asarray(np.searchsorted(x, value, "right" if right else "left"), np.float64),
         prepare=_searching, group=GROUP, summary="Where a value belongs in a sorted vector; no derivative.",
         example="searchsorted([1, 2, 3], 2.5)")  # fmt: skip
