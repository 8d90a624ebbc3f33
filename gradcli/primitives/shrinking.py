"""Activations made of straight pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import Kink, elementwise

GROUP = "activation"


def _between(xp: Any, x: Any, low: Any, high: Any, slope: float = 1.0) -> Any:
    """The slope strictly between two bounds, 0 at and beyond them."""
    return xp.where(xp.logical_or(x <= low, x >= high), 0.0, slope)


def _at(*places: float) -> tuple[Kink, ...]:
    return (Kink(lambda x: np.isin(x, places), "a corner between two straight pieces"),)


elementwise(
    "relu6", "x", lambda x: np.minimum(np.maximum(x, 0.0), 6.0), lambda xp, _out, x: _between(xp, x, 0.0, 6.0),
    selects=True, group=GROUP, summary="x between 0 and 6; 0 before, 6 after.", example="relu6([-1, 3, 9])",
    edge="at 0 and 6 the gradient is 0", kinks=_at(0.0, 6.0),
)  # fmt: skip
elementwise(
    "hardtanh", "x, min_val = None or -1.0, max_val = None or 1.0",
    lambda x, low, high: np.minimum(np.maximum(x, low), high),
    lambda xp, _out, x, low, high: _between(xp, x, low, high),
    lambda xp, _out, x, low, high: xp.where(xp.logical_and(x <= low, low <= high), 1.0, 0.0),
    lambda xp, _out, x, low, high: xp.where(xp.logical_or(x >= high, low > high), 1.0, 0.0),
    selects=True, group=GROUP, summary="x between two bounds, the nearer bound elsewhere.",
    example="hardtanh([-3, 0.5, 3])",
    edge="at a bound the gradient goes to the bound, 0 to x; where min_val > max_val the result is max_val",
    domain=((-2.0, 2.0), (-1.0, -0.5), (0.5, 1.0)),
    kinks=(Kink(lambda x, low, high: (x == low) | (x == high), "a corner: x lies at a bound"),),
)  # fmt: skip
elementwise(
    "hardsigmoid", "x", lambda x: np.minimum(np.maximum(x / 6.0 + 0.5, 0.0), 1.0),
    lambda xp, _out, x: _between(xp, x, -3.0, 3.0, 1 / 6),
    selects=True, group=GROUP, summary="x/6 + 1/2, but at least 0 and at most 1.", example="hardsigmoid([-4, 0, 4])",
    edge="at -3 and 3 the gradient is 0", kinks=_at(-3.0, 3.0),
)  # fmt: skip
elementwise(
    "hardswish", "x", lambda x: np.where(x <= -3, 0.0, np.where(x >= 3, x, x * (x + 3.0) / 6.0)),
    lambda xp, _out, x: xp.where(x <= -3, 0.0, xp.where(x >= 3, 1.0, x / 3.0 + 0.5)),
    selects=lambda xp, x: xp.logical_not(x <= -3), group=GROUP, summary="x*hardsigmoid(x).",
    example="hardswish([-4, 1, 4])",
    edge="at -3 the gradient is 0, at 3 it is 1", kinks=_at(-3.0, 3.0),
)  # fmt: skip

_THRESHOLD = Kink(lambda x, lambd: np.abs(x) == lambd, "a corner or jump: x lies at the threshold")


def _outside(xp: Any, x: Any, lambd: Any) -> Any:
    return xp.where(xp.abs(x) <= lambd, 0.0, 1.0)


elementwise(
    "softshrink", "x, lambd = None or 0.5",
    lambda x, lambd: np.where(np.abs(x) <= lambd, 0.0, x - np.copysign(lambd, x)),
    lambda xp, _out, x, lambd: _outside(xp, x, lambd),
    lambda xp, _out, x, lambd: -xp.sign(x) * _outside(xp, x, lambd),
    selects=True, group=GROUP, summary="x moved towards 0 by lambd, and 0 within.", example="softshrink([1, -2, 0.1])",
    edge="at the threshold the gradient is 0", domain=((0.5, 2.0), (0.2, 0.4)), kinks=(_THRESHOLD,),
)  # fmt: skip
elementwise(
    "hardshrink", "x, lambd = None or 0.5", lambda x, lambd: np.where(np.abs(x) <= lambd, 0.0, x),
    lambda xp, _out, x, lambd: _outside(xp, x, lambd), 0,
    selects=True, group=GROUP, summary="x, but 0 where its size is at most lambd.", example="hardshrink([1, -2, 0.1])",
    edge="at the threshold the gradient is 0", domain=((0.5, 2.0), (0.2, 0.4)), kinks=(_THRESHOLD,),
)  # fmt: skip
elementwise(
    "threshold", "x, threshold, value", lambda x, threshold, value: np.where(x <= threshold, value, x),
    lambda xp, _out, x, threshold, _value: xp.where(x <= threshold, 0.0, 1.0), 0,
    lambda xp, _out, x, threshold, _value: xp.where(x <= threshold, 1.0, 0.0),
    selects=True, group=GROUP, summary="x where it exceeds the threshold, the value elsewhere.",
    example="threshold([1, 3], 2, 0)", edge="at the threshold the gradient is 0",
    domain=((0.5, 2.0), (0.2, 0.4), (0, 1)),
    kinks=(Kink(lambda x, threshold, value: x == threshold, "a jump: x lies at the threshold"),),
)  # fmt: skip
