"""Running products and log-sums, and the recurrence that both, and all their derivatives, are made of.

`recurrence(a, b)` is s[i] = b[i] + a[i] * s[i-1] along an axis, without a division: right where any element is 0. The
derivatives of a recurrence are recurrences, so that every order is exact (the adjoint runs from the end).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives import layouts
from gradcli.primitives.table import constant, general

GROUP = "reduction"


def _recurrence(a: Any, b: Any, *, axis: int) -> Any:
    a, b = np.broadcast_arrays(a, b)
    out = np.array(np.moveaxis(b, axis, 0))
    factors = np.moveaxis(a, axis, 0)
    for i in range(1, len(out)):
        out[i] += factors[i] * out[i - 1]
    return np.ascontiguousarray(np.moveaxis(out, 0, axis))


def _place(axis: int, part: slice) -> tuple[slice, ...]:
    return (part, *[slice(None)] * (-axis - 1))


def _delayed(xp: Any, x: Any, axis: int, first: float = 0.0) -> Any:
    """x moved on by one along the axis, with `first` in front."""
    shape = x.shape[axis:]
    inner = xp.index(x, index=_place(axis, slice(0, -1)), shape=shape)
    moved = xp.scatter(inner, index=_place(axis, slice(1, None)), shape=shape)
    if not first:
        return moved
    mark = np.zeros(shape)
    mark[:1] = first
    return moved + mark


def _advanced(xp: Any, x: Any, axis: int) -> Any:
    """x moved back by one along the axis, with 0 at the end."""
    shape = x.shape[axis:]
    inner = xp.index(x, index=_place(axis, slice(1, None)), shape=shape)
    return xp.scatter(inner, index=_place(axis, slice(0, -1)), shape=shape)


def _carried(xp: Any, flow: Any, out: Any, axis: int) -> Any:
    """The flow times the result before, of which the first element has none."""
    first = np.zeros(out.shape[axis:], bool)
    first[:1] = True
    return xp.where(first, 0.0, flow * _delayed(xp, out, axis))


def _backwards(xp: Any, a: Any, g: Any, axis: int) -> Any:
    """What each element of b gets: v[i] = g[i] + a[i+1] * v[i+1]."""
    factors = xp.flip(_advanced(xp, a, axis), axis=(axis,))
    return xp.flip(xp.recurrence(factors, xp.flip(g, axis=(axis,)), axis=axis), axis=(axis,))


general(
    "recurrence", "a, b, axis: integer = 0", _recurrence,
    (
        lambda xp, g, out, a, _b, *, axis: _carried(xp, _backwards(xp, a, g, axis), out, axis),
        lambda xp, g, _out, a, _b, *, axis: _backwards(xp, a, g, axis),
    ),
    (
        lambda xp, t, out, a, _b, *, axis: xp.recurrence(a, _carried(xp, t, out, axis), axis=axis),
        lambda xp, t, _out, a, _b, *, axis: xp.recurrence(a, t, axis=axis),
    ),
    hidden=True, group=GROUP, summary="s[i] = b[i] + a[i] * s[i-1] along an axis.",
    prepare=lambda name, operands, axis: layouts.broadcasting(name, operands, axis=axis),
)  # fmt: skip

# out[i] = x[i] * out[i-1]: a change in x[j] counts for out[j-1] at j, and is carried on by the later factors.
general(
    "cumprod", "x, axis: axis = 0", lambda x, *, axis: np.cumprod(x, axis=axis),
    lambda xp, g, out, x, *, axis: _backwards(xp, x, g, axis) * _delayed(xp, out, axis, 1.0),
    lambda xp, t, out, x, *, axis: xp.recurrence(x, t * _delayed(xp, out, axis, 1.0), axis=axis),
    prepare=layouts.along_axis, group=GROUP, summary="Running product along an axis.", example="cumprod([1, 2, 3])",
    derivative="product of the other factors, by multiplication alone: right at zeros",
)  # fmt: skip


def _logcumsumexp(x: Any, *, axis: int) -> Any:
    return np.logaddexp.accumulate(x, axis=axis)


def _running_max(x: Any, *, axis: int) -> Any:
    """The largest so far, 0 where that is -inf: what exponents are taken relative to."""
    largest = np.maximum.accumulate(x, axis=axis)
    return np.where(largest == -np.inf, 0.0, largest)


constant("running_max", "x, axis: integer = 0", _running_max, hidden=True, group=GROUP,
         summary="Largest so far, without a derivative.")  # fmt: skip


def _shares(xp: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """Of each running sum of exp(x): the part that x[i] adds, and the part that was there before; both at most 1.

    Both are the same for every shift of x, so that the shift needs no derivative.
    """
    top = xp.running_max(x, axis=axis)
    before = _delayed(xp, top, axis)
    added = xp.exp(xp.where(x == np.inf, 0.0, x - top))
    kept = xp.exp(xp.where(before == np.inf, 0.0, before - top))
    sums = xp.recurrence(kept, added, axis=axis)
    empty = sums == 0
    whole = xp.where(empty, 1.0, sums)
    return added / whole, kept * _delayed(xp, sums, axis) / whole


def _logcumsumexp_vjp(xp: Any, g: Any, _out: Any, x: Any, *, axis: int) -> Any:
    new, old = _shares(xp, x, axis)
    return _backwards(xp, old, g, axis) * new


def _logcumsumexp_jvp(xp: Any, t: Any, _out: Any, x: Any, *, axis: int) -> Any:
    new, old = _shares(xp, x, axis)
    return xp.recurrence(old, t * new, axis=axis)


general("logcumsumexp", "x, axis: axis = 0", _logcumsumexp, _logcumsumexp_vjp, _logcumsumexp_jvp,
        prepare=layouts.along_axis, group=GROUP, summary="Logarithm of the running sum of exp(x), without overflow.",
        example="logcumsumexp([1000, 1000])", edge="of -inf alone: value -inf, gradient 0",
        derivative="running softmax weights")  # fmt: skip
