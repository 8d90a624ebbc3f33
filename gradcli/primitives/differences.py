"""Neighbours along an axis: differences, slopes, and sums of products in a sliding window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import shape_text
from gradcli.primitives.gather import grid
from gradcli.primitives.table import Layout, Shape, bilinear, linear

GROUP = "shape"


def _stepped(name: str, operands: Sequence[Any], n: int, axis: int) -> Layout:
    (x,) = operands
    along = layouts.negative_axis(name, axis, x.ndim)
    if n < 0:
        raise BadArgument(f"{name}: the order is at least 0, not {n}")
    size = x.shape[along]
    n = min(n, size)
    out = (*x.shape[: along + x.ndim], size - n, *x.shape[along + x.ndim + 1 :])
    return Layout(out, {"n": n, "axis": along})


def _undone(g: Any, n: int, axis: int) -> Any:
    """The transpose of n differences: -1 times differences of what is 0 beyond both ends."""
    before = [(n, n) if i == g.ndim + axis else (0, 0) for i in range(g.ndim)]
    return (-1.0) ** n * np.diff(np.pad(g, before), n, axis)


linear("diff", "x, n: integer = 1, axis: integer = -1", lambda x, *, n, axis: np.diff(x, n, axis) if n else np.array(x),
       lambda xp, g, *, n, axis: xp.diff_adjoint(g, n=n, axis=axis), prepare=_stepped, group=GROUP,
       summary="Differences of neighbours along an axis, n times.", example="diff([1, 4, 9])")  # fmt: skip
linear("diff_adjoint", "g, n: integer, axis: integer", lambda g, *, n, axis: _undone(g, n, axis),
       lambda xp, h, *, n, axis: xp.diff(h, n=n, axis=axis), hidden=True, group=GROUP,
       summary="The transpose of differences.")  # fmt: skip


def _sloping(name: str, operands: Sequence[Any], spacing: float, axis: int | None) -> Layout:
    """Central differences inside, one-sided ones at both ends; core: the flattened operand."""
    (x,) = operands
    if axis is None and x.ndim != 1:
        raise BadArgument(f"{name}: of an array of shape {shape_text(x.shape)} it needs the axis",
                          help=f"{name}(x, axis=0)")  # fmt: skip
    along = layouts.negative_axis(name, -1 if axis is None else axis, x.ndim)
    size = x.shape[along]
    if size < 2:
        raise ShapeMismatch(f"{name}: at least 2 elements are needed, there are {size}")
    places, steps = grid(name, x), np.arange(size)
    before, after = np.maximum(steps - 1, 0), np.minimum(steps + 1, size - 1)
    span = ((after - before) * spacing).reshape((size,) + (1,) * (-along - 1))
    low, high = (np.take(places, found, along) for found in (before, after))
    return Layout(x.shape, {"low": low, "high": high, "span": span, "shape": (x.size,)}, ((x.size,),))


def _slope_adjoint(xp: Any, g: Any, *, low: Any, high: Any, span: Any, shape: Shape) -> Any:
    part = g / span
    return xp.scatter(part, index=(high,), shape=shape) - xp.scatter(part, index=(low,), shape=shape)


linear("gradient", "x, spacing: number = 1, axis: integer = None",
       lambda x, *, low, high, span, shape: (x[..., high] - x[..., low]) / span, _slope_adjoint,
       prepare=_sloping, group=GROUP, summary="Slopes of samples along an axis, by central differences.",
       example="gradient([1, 4, 9])")  # fmt: skip


def _window(name: str, a: int, v: int, mode: str | None, default: str) -> tuple[int, int]:
    """Which part of the full convolution is asked for: its first element, and how many."""
    mode = default if mode is None else mode
    short, long = sorted((a, v))
    windows = {"full": (0, a + v - 1), "same": ((short - 1) // 2, long), "valid": (short - 1, long - short + 1)}
    if mode not in windows:
        raise BadArgument(f"{name}: there is no mode {mode!r}", help='the modes are "full", "same" and "valid"')
    return windows[mode]


def _sliding(default: str) -> Any:
    def prepare(name: str, operands: Sequence[Any], mode: str | None) -> Layout:
        a, v = operands
        if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
            shapes = " and ".join(shape_text(x.shape) for x in operands)
            raise ShapeMismatch(f"{name}: it takes two vectors with elements, not {shapes}")
        start, length = _window(name, a.size, v.size, mode, default)
        if default == "valid":
            # NumPy reverses the result of a correlation where the second vector is longer.
            start = a.size + v.size - 1 - start - length if a.size < v.size else start
        return Layout((length,), {"start": start, "length": length})

    return prepare


def _convolve(a: Any, v: Any, *, start: int, length: int) -> Any:
    """Elements start, start+1, ... of the full convolution; beyond its ends it is 0."""
    if v.shape[-1] > a.shape[-1]:
        a, v = v, a
    size, steps = a.shape[-1], v.shape[-1]
    out = np.zeros((*np.broadcast_shapes(a.shape[:-1], v.shape[:-1]), length))
    for j in range(steps):
        first, last = max(j - start, 0), min(j - start + size, length)
        if first < last:
            out[..., first:last] += a[..., first + start - j : last + start - j] * v[..., j : j + 1]
    return out


def _turned(xp: Any, x: Any) -> Any:
    return xp.flip(x, axis=(-1,))


def _slide_a(xp: Any, g: Any, _out: Any, a: Any, v: Any, *, start: int, length: int) -> Any:
    """In a full convolution, what `a[i]` gets is the sum of g[i + j] * v[j]: g convolved with v reversed."""
    return xp.convolve(g, _turned(xp, v), start=v.shape[-1] - 1 - start, length=a.shape[-1])


def _slide_v(xp: Any, g: Any, _out: Any, a: Any, v: Any, *, start: int, length: int) -> Any:
    return xp.convolve(g, _turned(xp, a), start=a.shape[-1] - 1 - start, length=v.shape[-1])


bilinear("convolve", "a, v, mode: string = None", _convolve, _slide_a, _slide_v, prepare=_sliding("full"), group=GROUP,
         summary='Sums of products of a with v reversed and moved along; mode "full", "same" or "valid".',
         example="convolve([1, 2, 3], [1, 1])", derivative="convolutions of g with the other, reversed")  # fmt: skip


def _correlate(a: Any, v: Any, *, start: int, length: int) -> Any:
    return _convolve(a, np.flip(v, -1), start=start, length=length)


bilinear("correlate", "a, v, mode: string = None", _correlate,
         lambda xp, g, _out, a, v, *, start, length: xp.convolve(
             g, v, start=v.shape[-1] - 1 - start, length=a.shape[-1]),
         lambda xp, g, _out, a, v, *, start, length: _turned(xp, xp.convolve(
             g, _turned(xp, a), start=a.shape[-1] - 1 - start, length=v.shape[-1])),
         prepare=_sliding("valid"), group=GROUP, summary="Sums of products of a with v moved along (default: valid).",
         example="correlate([1, 2, 3], [1, 1])", derivative="convolutions of g with the other")  # fmt: skip
