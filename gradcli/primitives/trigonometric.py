"""Trigonometric and hyperbolic functions, and their inverses.

The derivatives are closed families (sech' = -sech tanh; tanh' = sech^2 by way of `bell`, which is more accurate than
a square), so that those of every order are smooth and neither cancel nor overflow. The inverse functions take
(1-x)(1+x) in place of 1-x^2, which cancels beside 1; its slope is -2x, not (1-x) - (1+x), which cancels beside 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.choice import unless
from gradcli.primitives.table import Kink, elementwise

GROUP = "trigonometric"

elementwise("sin", "x", np.sin, lambda xp, _out, x: xp.cos(x), group=GROUP, summary="Sine.", example="sin([0, pi/2])")
elementwise("cos", "x", np.cos, lambda xp, _out, x: -xp.sin(x), group=GROUP, summary="Cosine.", example="cos([0, pi])")
elementwise("tan", "x", np.tan, lambda xp, out, _x: 1.0 + out * out, group=GROUP, summary="Tangent.",
            example="tan([0, pi/4])", domain=((-1.2, 1.2),))  # fmt: skip


elementwise("below_one", "x", lambda x: (1.0 - x) * (1.0 + x), lambda xp, _out, x: -2.0 * x, hidden=True, group=GROUP,
            summary="1 - x**2, exact beside -1 and 1.")  # fmt: skip


def _arc_slope(xp: Any, x: Any) -> Any:
    return 1.0 / xp.sqrt(xp.below_one(x))


_ENDS = Kink(lambda x: np.abs(x) == 1, "the end of the domain, with an infinite slope")
_INSIDE = ((-0.9, 0.9),)

elementwise(
    "asin", "x", np.arcsin, lambda xp, _out, x: _arc_slope(xp, x),
    aliases=("arcsin",), group=GROUP, summary="Angle in [-pi/2, pi/2] with sine x.", example="asin([0, 0.5])",
    derivative="d/dx = 1/sqrt(1 - x**2)",
    edge="at -1 and 1 the gradient is inf; nan outside, value and gradient", domain=_INSIDE, kinks=(_ENDS,),
)  # fmt: skip

elementwise(
    "acos", "x", np.arccos, lambda xp, _out, x: -_arc_slope(xp, x),
    aliases=("arccos",), group=GROUP, summary="Angle in [0, pi] with cosine x.", example="acos([0, 0.5])",
    derivative="d/dx = -1/sqrt(1 - x**2)",
    edge="at -1 and 1 the gradient is -inf; nan outside, value and gradient", domain=_INSIDE, kinks=(_ENDS,),
)  # fmt: skip

elementwise(
    "atan", "x", np.arctan,
    lambda xp, _out, x: xp.square(1.0 / xp.hypot(1.0, x)),  # 1/(1 + x*x) becomes inf*0 in higher orders beyond 1e154
    aliases=("arctan",), group=GROUP, summary="Angle in [-pi/2, pi/2] with tangent x.", example="atan([0, 1])",
)  # fmt: skip


def _atan2_slope(xp: Any, leg: Any, y: Any, x: Any) -> Any:
    # leg / (y^2 + x^2) in two divisions: the squares would overflow beyond 1e154 and vanish below 1e-162.
    h = xp.hypot(y, x)
    return xp.where(xp.logical_or(h == 0, h == np.inf), 0.0, leg / h / h)


elementwise(
    "atan2", "y, x", np.arctan2,
    lambda xp, _out, y, x: _atan2_slope(xp, x, y, x),
    lambda xp, _out, y, x: -_atan2_slope(xp, y, y, x),
    derivative="d/dy = x/(x**2 + y**2); d/dx = -y/(x**2 + y**2)",
    aliases=("arctan2",), group=GROUP, summary="Angle of the point (x, y), in [-pi, pi].", example="atan2(1, [1, -1])",
    about=0, edge="at (0, 0) the gradient is 0", domain=((0.5, 2.0), (-2.0, 2.0)),
    kinks=(
        Kink(lambda y, x: (y == 0) & (x == 0), "the angle of the origin is undefined"),
        Kink(lambda y, x: (y == 0) & (x < 0), "a jump: the angle changes from -pi to pi"),
    ),
)  # fmt: skip

elementwise("sinh", "x", np.sinh, lambda xp, _out, x: xp.cosh(x), group=GROUP, summary="Hyperbolic sine.",
            example="sinh([0, 1])")  # fmt: skip
elementwise("cosh", "x", np.cosh, lambda xp, _out, x: xp.sinh(x), group=GROUP, summary="Hyperbolic cosine.",
            example="cosh([0, 1])")  # fmt: skip
elementwise("tanh", "x", np.tanh, lambda xp, out, x: xp.tanh_slope(x, out), derivative="d/dx = sech(x)**2",
            by_result=True, group=GROUP, summary="Hyperbolic tangent.", example="tanh([0, 1])")  # fmt: skip


def _tanh_slope(x: Any, _t: Any) -> Any:
    # 4*e/(1 + e)^2: see `bell`.
    e = np.asarray(np.abs(x))
    e *= -2.0
    np.exp(e, out=e)
    below = np.asarray(0.5 + 0.25 * e)
    below *= e
    below += 0.25
    return np.divide(e, below, out=e)


elementwise("tanh_slope", "x, t", _tanh_slope, lambda xp, out, _x, t: -2.0 * t * out, 0, hidden=True, group=GROUP,
            summary="Slope of t = tanh(x), from t where that is exact enough.")  # fmt: skip


def _sech(x: Any) -> Any:
    # exp(-|x|) underflows only where the result does; cosh would overflow before.
    e = np.exp(-np.abs(x))
    return 2.0 * e / (1.0 + e * e)


elementwise("sech", "x", _sech, lambda xp, out, x: -out * xp.tanh(x), group=GROUP,
            summary="Hyperbolic secant, 1/cosh(x).", example="sech([0, 1])")  # fmt: skip

elementwise("asinh", "x", np.arcsinh, lambda xp, _out, x: 1.0 / xp.hypot(1.0, x), aliases=("arcsinh",), group=GROUP,
            summary="Inverse hyperbolic sine.", example="asinh([0, 1])")  # fmt: skip

elementwise(
    "acosh", "x", np.arccosh,
    # The two roots apart: x^2 - 1 would cancel beside 1 and be positive below -1. Their product is inf*0 in higher
    # orders at inf.
    lambda xp, _out, x: (1.0 / xp.sqrt(x - 1.0)) * (1.0 / xp.sqrt(x + 1.0)),
    aliases=("arccosh",), group=GROUP, summary="Inverse hyperbolic cosine.", example="acosh([1, 2])",
    edge="at 1 the gradient is inf; nan below, value and gradient", domain=((1.2, 3.0),),
    kinks=(Kink(lambda x: x == 1, "the end of the domain, with an infinite slope"),),
)  # fmt: skip

elementwise(
    "atanh", "x", np.arctanh,
    lambda xp, _out, x: unless(xp, xp.abs(x) > 1) / xp.below_one(x),
    aliases=("arctanh",), group=GROUP, summary="Inverse hyperbolic tangent.", example="atanh([0, 0.5])",
    derivative="d/dx = 1/(1 - x**2)",
    edge="at -1 and 1: value -inf and inf, gradient inf; nan outside, value and gradient", domain=_INSIDE,
    kinks=(Kink(lambda x: np.abs(x) == 1, "a pole: the end of the domain"),),
)  # fmt: skip

elementwise(
    "hypot", "a, b", np.hypot,
    lambda xp, _out, a, b: xp.leg(a, b),
    lambda xp, _out, a, b: xp.leg(b, a),
    derivative="d/da = a/out; d/db = b/out",
    group=GROUP, summary="Length of the hypotenuse, sqrt(a**2 + b**2), without overflow.", example="hypot(3, 4)",
    edge="at (0, 0) the gradient is 0; nan where both are infinite",
    kinks=(Kink(lambda a, b: (a == 0) & (b == 0), "a corner: the length of the zero vector"),),
)  # fmt: skip


def _leg(a: Any, b: Any) -> Any:
    h = np.hypot(a, b)
    found = np.where(h == 0, 0.0, a / h)
    return np.where(np.isinf(a) & np.isfinite(b), np.sign(a), found) if np.any(np.isinf(h)) else found


# An entry of its own, not `where`: the curvature of a length at 0 is infinite, and a branch not taken would hide that.
elementwise(
    "leg", "a, b", _leg,
    lambda xp, _out, a, b: xp.square(xp.leg(b, a)) / xp.hypot(a, b),
    lambda xp, out, a, b: -out * xp.leg(b, a) / xp.hypot(a, b),
    hidden=True, group=GROUP, summary="a/hypot(a, b), the cosine of the angle beside a; 0 at (0, 0).",
)  # fmt: skip
