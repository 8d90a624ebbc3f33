"""The gated linear unit: one half of an axis, weighted by the sigmoid of the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.activations import GROUP
from gradcli.primitives.table import Layout, arrays, general


def _halved(name: str, operands: Sequence[Any], axis: int) -> Layout:
    (x,) = operands
    place = layouts.negative_axis(name, axis, x.ndim)
    size = x.shape[place]
    if size % 2:
        raise ShapeMismatch(f"{name}: an axis of size {size} has no two halves")
    out = list(x.shape)
    out[place] = size // 2
    return Layout(tuple(out), {"axis": place})


def _halves(xp: Any, x: Any, axis: int) -> tuple[Any, Any]:
    shape = x.shape[axis:]
    rest = [slice(None)] * (-axis - 1)
    parts = (slice(0, shape[0] // 2), slice(shape[0] // 2, shape[0]))
    first, second = (xp.index(x, index=(part, *rest), shape=shape) for part in parts)
    return first, second


def _glu(x: Any, *, axis: int) -> Any:
    a, b = np.split(x, 2, axis)
    return a * arrays.sigmoid(b)


def _glu_vjp(xp: Any, g: Any, _out: Any, x: Any, *, axis: int) -> Any:
    a, b = _halves(xp, x, axis)
    size, *rest = x.shape[axis:]
    flows = (g * xp.sigmoid(b), g * (a * xp.bell(b)))
    return xp.concatenate(*flows, axis=axis, ends=(size // 2, size), shape=(size, *rest))


def _glu_jvp(xp: Any, t: Any, _out: Any, x: Any, *, axis: int) -> Any:
    (a, b), (left, right) = _halves(xp, x, axis), _halves(xp, t, axis)
    return left * xp.sigmoid(b) + right * (a * xp.bell(b))


general(
    "glu", "x, axis: integer = -1", _glu, _glu_vjp, _glu_jvp, prepare=_halved, group=GROUP,
    summary="a*sigmoid(b), where a and b are the halves of x along an axis.", example="glu([1, 2, 0, 3])",
    derivative="g*sigmoid(b) for the first half, g*a*sigmoid(b)*sigmoid(-b) for the second",
)  # fmt: skip
