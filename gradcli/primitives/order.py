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
TIES = "ties keep their order: the gradient goes to the first"

Axis = int | tuple[int, ...] | None


def _lines(name: str, x: Any, axis: int | None) -> tuple[Any, Any, int]:
    """Positions and values, and the axis along which they are compared (None: all elements as one line)."""
    if axis is None or x.ndim == 0:
        return grid(name, x).ravel(), x.ravel(), -1
    return grid(name, x), x, layouts.negative_axis(name, axis, x.ndim)


def _ranks(values: Any, axis: int, descending: bool) -> Any:
    """Stable; nan is last either way, as in NumPy."""
    return np.argsort(-values if descending else values, axis=axis, kind="stable")


def _tied(values: Any, ranks: Any, axis: int) -> Any:
    """Which elements have an equal in their line; `ranks` sort it, in either direction."""
    ordered = np.moveaxis(np.take_along_axis(values, ranks, axis), axis, -1)
    same = ordered[..., 1:] == ordered[..., :-1]
    none = np.zeros((*ordered.shape[:-1], min(ordered.shape[-1], 1)), bool)
    marks = np.concatenate((none, same), -1) | np.concatenate((same, none), -1)
    out = np.empty(values.shape, bool)
    np.put_along_axis(out, ranks, np.moveaxis(marks, -1, axis), axis)
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
        found, tied = (np.take_along_axis(a, chosen, along) for a in (places, _tied(values, ranks, along)))
        shape = () if x.ndim == 0 and found.size == 1 else found.shape
        return Layout(shape, {"index": (found,), "shape": (x.size,), "tied": tied}, ((x.size,),))

    return prepare


def _first(name: str, ranks: Any, values: Any, axis: int, k: int) -> Any:
    if not 0 <= k <= values.shape[axis]:
        raise BadArgument(f"{name}: there are {values.shape[axis]} elements to choose {k} from")
    return np.take(ranks, range(k), axis=axis)


def _partitioned(name: str, ranks: Any, values: Any, axis: int, kth: int) -> Any:
    if not -values.shape[axis] <= kth < values.shape[axis]:
        raise BadArgument(f"{name}: there is no element {kth} among {values.shape[axis]}")
    return np.argpartition(values, kth, axis=axis)


def _running(best: Any) -> Callable[..., Any]:
    """The rank of the extreme so far; of ties the last."""

    def choose(name: str, ranks: Any, values: Any, axis: int) -> Any:
        extreme = best.accumulate(values, axis=axis)
        hit = (values == extreme) | (np.isnan(values) & np.isnan(extreme))
        return np.maximum.accumulate(np.where(hit, np.indices(values.shape)[axis], 0), axis=axis)

    return choose


def _order(name: str, text: str, choose: Callable[..., Any], edge: str = TIES, **facts: Any) -> None:
    linear(name, text, lambda x, *, index, shape, tied: read(x, index=index, shape=shape),
           lambda xp, g, *, index, shape, tied: xp.scatter(g, index=index, shape=shape), prepare=_comparing(choose),
           group=GROUP, edge=edge, kinks=(Kink(lambda x, *, index, shape, tied: tied, "a tie: equal elements"),),
           **facts)  # fmt: skip


_order("sort", "x, axis: axis = -1, descending: flag = False",
       lambda name, ranks, values, axis: ranks,
       summary="Elements in ascending order along an axis (default: the last).", example="sort([3, 1, 2])")  # fmt: skip
_order("topk", "x, k: integer, axis: integer = -1, largest: flag = True", _first,
       summary="The k largest elements, in descending order.", example="topk([3, 1, 2], 2)")  # fmt: skip
_order("partition", "x, kth: integer, axis: axis = -1", _partitioned,
       summary="Rearranged so that element kth is in its sorted place, smaller ones before it.",
       example="partition([3, 1, 2], 1)")  # fmt: skip
for _name, _best, _word in (("cummax", np.maximum, "Largest"), ("cummin", np.minimum, "Smallest")):
    _order(_name, "x, axis: integer = 0", _running(_best), "of tied elements the last gets the gradient",
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
    low, high = (
        np.where(undefined, last, ranks[..., k]) for k in (below, min(below + 1, places.shape[-1] - 1))
    )
    marks = _tied(values, ranks, -1)
    params = {
        "low": _picked(places, low), "high": _picked(places, high), "part": np.float64(position - below),
        "shape": (x.size,), "tied": _picked(marks, low) | _picked(marks, high),
    }  # fmt: skip
    return Layout(layout.out, params, ((x.size,),))


def _picked(lines: Any, ranks: Any) -> Any:
    return np.take_along_axis(lines, ranks[..., None], -1)[..., 0]


def _median(name: str, operands: Sequence[Any], axis: Axis, keepdims: bool) -> Layout:
    return _blended(name, operands[0], 0.5, axis, keepdims)


def _quantile(whole: float) -> Any:
    def prepare(name: str, operands: Sequence[Any], q: float, axis: Axis, keepdims: bool) -> Layout:
        if not 0 <= q <= whole:
            raise BadArgument(f"{name}: q lies between 0 and {whole:g}, not {q:g}")
        return _blended(name, operands[0], q / whole, axis, keepdims)

    return prepare


def _blend(x: Any, *, low: Any, high: Any, part: Any, shape: Shape, tied: Any) -> Any:
    a, b = x[..., low], x[..., high]
    return np.where(a == b, a, a * (1.0 - part) + b * part) if part else np.array(a)


def _blend_adjoint(xp: Any, g: Any, *, low: Any, high: Any, part: Any, shape: Shape, tied: Any) -> Any:
    below = xp.scatter(g * (1.0 - part), index=(low,), shape=shape)
    return below + xp.scatter(g * part, index=(high,), shape=shape) if part else below


_MIDDLE: dict[str, Any] = {
    "group": GROUP, "edge": "of two middle elements each has its share; ties keep their order",
    "kinks": (Kink(lambda x, *, tied, **_: tied, "a tie: equal elements"),),
}  # fmt: skip

linear("median", "x, axis: axis = None, keepdims: flag = False", _blend, _blend_adjoint, prepare=_median, **_MIDDLE,
       summary="The middle element, or the mean of the two.", example="median([3, 1, 2])")  # fmt: skip
linear("quantile", "x, q: number, axis: axis = None, keepdims: flag = False", _blend, _blend_adjoint,
       prepare=_quantile(1.0), **_MIDDLE, summary="What a part q of the elements lies below, interpolated linearly.",
       example="quantile([1, 2, 3, 4], 0.25)")  # fmt: skip
linear("percentile", "x, q: number, axis: axis = None, keepdims: flag = False", _blend, _blend_adjoint,
       prepare=_quantile(100.0), **_MIDDLE, summary="quantile with q from 0 to 100.",
       example="percentile([1, 2, 3, 4], 25)")  # fmt: skip


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
    return t * 0.0


_STEP: dict[str, Any] = {
    "group": GROUP, "derivative": "0", "edge": "no derivative: it is constant but for jumps, and 0 is what is shown",
    "kinks": (Kink(lambda x, **_: np.ones((1,) * x.ndim, bool), "a position or count: it has no derivative"),),
}  # fmt: skip


def step(name: str, text: str, forward: Any, **facts: Any) -> None:
    """An entry that says where or how many: constant almost everywhere, and every use of its slope gets a note."""
    general(name, text, lambda x, **params: np.asarray(forward(x, **params), np.float64), 0, _still, **_STEP, **facts)  # type: ignore[arg-type]


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
    constant(_name, "x, axis: axis = None, keepdims: flag = False",
             lambda x, *, axis, _test=_test: np.asarray(_test(x != 0, axis=axis, keepdims=True)),
             prepare=layouts.reducing, masks=True, group=GROUP, summary=f"Whether {_word} true (not 0); no derivative.",
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
