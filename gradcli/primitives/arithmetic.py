"""Arithmetic: the operators of the language."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import Kink, elementwise

GROUP = "arithmetic"

elementwise(
    "add", "a, b", np.add, 1, 1,
    operator="+", group=GROUP, summary="Sum of two values.", example="add([1, 2], 3)",
)  # fmt: skip

elementwise(
    "sub", "a, b", np.subtract, 1, -1,
    operator="-", aliases=("subtract",), group=GROUP, summary="Difference of two values.", example="sub([1, 2], 3)",
)  # fmt: skip

elementwise(
    "mul", "a, b", np.multiply,
    lambda xp, _out, _a, b: b,
    lambda xp, _out, a, _b: a,
    operator="*", aliases=("multiply",), group=GROUP, summary="Product of two values.", example="mul([1, 2], 3)",
)  # fmt: skip

elementwise(
    "div", "a, b", np.true_divide,
    lambda xp, _out, _a, b: 1.0 / b,
    lambda xp, out, _a, b: -out / b,
    operator="/", aliases=("divide", "true_divide"), group=GROUP, summary="Quotient of two values.",
    example="div([1, 2], 4)", edge="at 0 the quotient has a pole: the gradient is infinite, or nan for 0/0",
    domain=((-2.0, 2.0), (0.5, 2.0)), kinks=(Kink(lambda a, b: b == 0, "a pole: division by 0"),),
)  # fmt: skip

elementwise("neg", "x", np.negative, -1, aliases=("negative",), group=GROUP, summary="The value with its sign changed.",
            example="neg([1, -2])")  # fmt: skip

elementwise("pos", "x", lambda x: np.array(x), 1, aliases=("positive", "clone"), group=GROUP,
            summary="The value itself, as a copy.", example="pos([1, -2])")  # fmt: skip


def _slope(a: Any, b: Any) -> Any:
    """b*a**(b - 1), and 0 for 0**0 in place of 0*inf."""
    if b.size == 1 and b.reshape(()) == 2:
        return 2.0 * a
    lower = b - 1.0
    slope = b * a**lower
    # Below 1/2 the exponent may be rounded, which a large base would magnify.
    rounded = lower + 1.0 != b
    if np.any(rounded):
        slope = np.where(rounded & (a != 0), b * a**b / a, slope)
    return np.where(b == 0, 0.0, slope)


def _slope_base(xp: Any, _out: Any, a: Any, b: Any) -> Any:
    # Masking all of b == 0 would lose mixed derivatives; where a is 0 as well there are none.
    return xp.where(xp.logical_and(a == 0, b == 0), 0.0, b * xp.power_slope(a, b - 1.0))


def _mixed(xp: Any, a: Any, b: Any) -> Any:
    """d2(a**b)/da db. At a = 0 its limit: 0 for exponents above 1."""
    flat = xp.logical_and(a == 0, b > 1)
    return xp.where(flat, 0.0, a ** (b - 1.0) * (1.0 + b * xp.log(a)))


def _power_log(a: Any, b: Any) -> Any:
    # 0**b is 0 for all b > 0 (and 1 at b = 0, by convention flat there): its slope in b is 0, not 0*log(0).
    return np.where((a == 0) & (b >= 0), 0.0, a**b * np.log(a))


def _twice(xp: Any, out: Any, a: Any, b: Any) -> Any:
    return xp.where(xp.logical_and(a == 0, b >= 0), 0.0, out * xp.log(a))


elementwise(
    "pow", "a, b", np.power, lambda xp, _out, a, b: xp.power_slope(a, b), lambda xp, _out, a, b: xp.power_log(a, b),
    operator="**", aliases=("power", "float_power"), group=GROUP, summary="First value to the power of the second.",
    example="pow([1, 2, 3], 2)", derivative="d/da = b*a**(b - 1); d/db = out*log(a)",
    edge="0**0 is 1 with gradient 0 both ways; a negative base has no slope in its exponent",
    domain=((0.5, 2.0), (-2.0, 2.0)),
    kinks=(Kink(lambda a, b: (a == 0) & (b < 1) & (b != 0), "0 to a power below 1 has an infinite slope"),),
)  # fmt: skip

elementwise("power_slope", "a, b", _slope, _slope_base, lambda xp, _out, a, b: _mixed(xp, a, b), hidden=True,
            group=GROUP, summary="The slope of a**b in a.")  # fmt: skip
elementwise("power_log", "a, b", _power_log, lambda xp, _out, a, b: _mixed(xp, a, b), _twice, hidden=True, group=GROUP,
            summary="The slope of a**b in b.")  # fmt: skip

elementwise(
    "remainder", "a, b", np.remainder, 1,
    lambda xp, _out, a, b: -xp.floor_divide(a, b),  # floor(a/b) is one too much where the quotient is rounded up
    operator="%", aliases=("mod",), node="Remainder", group=GROUP,
    summary="Remainder of a floor division; it has the sign of b.", example="remainder([5, -5], 3)",
    edge="at multiples of b, where it jumps: the slopes beside the jump, 1 and -(a//b)",
    domain=((0.6, 0.9), (0.3, 0.4)),
    kinks=(Kink(lambda a, b: np.remainder(a, b) == 0, "a jump: a is a multiple of b"),),
)  # fmt: skip

elementwise(
    "floor_divide", "a, b", np.floor_divide, 0, 0,
    operator="//", group=GROUP, summary="Quotient rounded down.", example="floor_divide([5, -5], 3)",
    edge="the gradient is 0 everywhere, also at the jumps", domain=((0.6, 0.9), (0.3, 0.4)),
    kinks=(Kink(lambda a, b: np.remainder(a, b) == 0, "a jump: a is a multiple of b"),),
)  # fmt: skip

elementwise("square", "x", np.square, lambda xp, _out, x: 2.0 * x, group=GROUP, summary="The value times itself.",
            example="square([1, -2])")  # fmt: skip

elementwise("reciprocal", "x", np.reciprocal, lambda xp, out, _x: -out * out, group=GROUP,
            summary="1 divided by the value.", example="reciprocal([1, -2])", domain=((0.5, 2.0),),
            edge="at 0: value inf, gradient -inf",
            kinks=(Kink(lambda x: x == 0, "a pole: division by 0"),))  # fmt: skip

# Conversions that the engine asks for by name.
elementwise("as_number", "x", lambda x: np.array(x, dtype=np.float64), 1, hidden=True, masks=True, group=GROUP,
            summary="A mask as 0 and 1.", example="as_number([1, 2])")  # fmt: skip
elementwise("zero", "x", np.zeros_like, 0, hidden=True, group=GROUP, summary="0 in the shape of x (zero_ in place).",
            example="zero([1, 2])")  # fmt: skip
elementwise("fill", "x, value", lambda x, value: np.broadcast_arrays(x, value)[1].copy(), 0, 1, hidden=True,
            group=GROUP, summary="A value in the shape of x (fill_ in place).", example="fill([1, 2], 3)")  # fmt: skip
