"""Reductions: functions of all elements along one or more axes. The core keeps those axes with size 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives import layouts
from gradcli.primitives.table import linear

GROUP = "reduction"
AXES = "x, axis: axis = None, keepdims: flag = False"


def _sum(x: Any, *, axis: tuple[int, ...]) -> Any:
    return np.sum(x, axis=axis, keepdims=True)


def _mean(x: Any, *, axis: tuple[int, ...], count: float) -> Any:
    return np.sum(x, axis=axis, keepdims=True) / np.float64(count)


# The engine spreads a cotangent over the axes that were summed by itself.
linear("sum", AXES, _sum, lambda xp, g, *, axis: g, prepare=layouts.reducing, group=GROUP,
       summary="Sum of the elements.", example="sum([[1, 2], [3, 4]], axis=0)")  # fmt: skip

linear("mean", AXES, _mean, lambda xp, g, *, axis, count: g / count, prepare=layouts.counting, group=GROUP,
       summary="Mean of the elements.", example="mean([[1, 2], [3, 4]], axis=0)",
       edge="of no elements: value nan")  # fmt: skip
