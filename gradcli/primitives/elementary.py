"""More elementary functions: powers, reciprocal trigonometric functions and their inverses, angles, floating point."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import Kink, elementwise

ANGLES = "trigonometric"
POWERS = "exponential"
STEPS = "arithmetic"

LN2 = np.log(np.float64(2.0))
LN10 = np.log(np.float64(10.0))
_ABOVE_0 = ((0.5, 2.0),)
_OUTSIDE = ((1.2, 3.0),)

elementwise(
    "rsqrt", "x", lambda x: 1.0 / np.sqrt(x + 0.0),  # + 0.0: the root of -0 is -0
    lambda xp, out, x: -0.5 * out / (x + 0.0),
    group=POWERS, summary="1 divided by the square root.", example="rsqrt([1, 4])", domain=_ABOVE_0, by_result=True,
    edge="at 0: value inf, gradient -inf; nan below, value and gradient",
    kinks=(Kink(lambda x: x == 0, "a pole: division by 0"),),
)  # fmt: skip
elementwise("cube", "x", lambda x: x * x * x, lambda xp, _out, x: 3.0 * xp.square(x), group=POWERS,
            summary="The value to the power of 3.", example="cube([1, -2])")  # fmt: skip
elementwise("exp10", "x", lambda x: np.power(10.0, x), lambda xp, out, _x: LN10 * out, group=POWERS,
            summary="10 to the power of x.", example="exp10([0, 3])")  # fmt: skip


def _is_zero_of_sine(x: Any) -> Any:
    return x == 0


elementwise("sec", "x", lambda x: 1.0 / np.cos(x), lambda xp, out, x: out * xp.tan(x), group=ANGLES,
            summary="Secant, 1/cos(x).", example="sec([0, 1])", domain=((-1.2, 1.2),))  # fmt: skip
elementwise("csc", "x", lambda x: 1.0 / np.sin(x), lambda xp, out, x: -out * xp.cot(x), group=ANGLES,
            summary="Cosecant, 1/sin(x).", example="csc([1, 2])", domain=_ABOVE_0, edge="a pole at 0: gradient -inf",
            kinks=(Kink(_is_zero_of_sine, "a pole: division by 0"),))  # fmt: skip
elementwise("cot", "x", lambda x: 1.0 / np.tan(x), lambda xp, _out, x: -xp.square(xp.csc(x)), group=ANGLES,
            summary="Cotangent, 1/tan(x).", example="cot([1, 2])", domain=_ABOVE_0, edge="a pole at 0: gradient -inf",
            kinks=(Kink(_is_zero_of_sine, "a pole: division by 0"),))  # fmt: skip


def _leg(x: Any) -> Any:
    """sqrt(x^2 - 1), without cancellation beside 1 and without overflow."""
    size = np.abs(x)
    return np.sqrt(size - 1.0) * np.sqrt(size + 1.0)


def _outer_slope(xp: Any, x: Any) -> Any:
    size = xp.abs(x)
    return (1.0 / size) * (1.0 / xp.sqrt(size - 1.0)) * (1.0 / xp.sqrt(size + 1.0))


_OUTER_END = Kink(lambda x: np.abs(x) == 1, "the end of the domain, with an infinite slope")

elementwise(
    "asec", "x", lambda x: np.arctan2(_leg(x), np.sign(x)), lambda xp, _out, x: _outer_slope(xp, x),
    aliases=("arcsec",), group=ANGLES, summary="Angle in [0, pi] with secant x.", example="asec([1, -2])",
    edge="at -1 and 1 the gradient is inf; nan between them, value and gradient", domain=_OUTSIDE, kinks=(_OUTER_END,),
)  # fmt: skip
elementwise(
    "acsc", "x", lambda x: np.arctan2(np.sign(x), _leg(x)), lambda xp, _out, x: -_outer_slope(xp, x),
    aliases=("arccsc",), group=ANGLES, summary="Angle in [-pi/2, pi/2] with cosecant x.", example="acsc([1, -2])",
    edge="at -1 and 1 the gradient is -inf; nan between them, value and gradient", domain=_OUTSIDE, kinks=(_OUTER_END,),
)  # fmt: skip
elementwise(
    "acot", "x", lambda x: np.arctan(1.0 / x), lambda xp, _out, x: -xp.square(1.0 / xp.hypot(1.0, x)),
    aliases=("arccot",), group=ANGLES, summary="Angle in [-pi/2, pi/2] with cotangent x.", example="acot([1, -2])",
    edge="at 0, where it jumps, the gradient is the slope beside the jump, -1", domain=_ABOVE_0,
    kinks=(Kink(lambda x: x == 0, "a jump: the angle changes from -pi/2 to pi/2"),),
)  # fmt: skip
elementwise("haversine", "x", lambda x: np.square(np.sin(0.5 * x)), lambda xp, _out, x: 0.5 * xp.sin(x),
            aliases=("hav",), group=ANGLES, summary="sin(x/2)**2.", example="haversine([0, pi])")  # fmt: skip
elementwise("deg2rad", "x", np.deg2rad, lambda xp, _out, _x: np.float64(np.pi / 180), aliases=("radians",),
            group=ANGLES, summary="Degrees as radians.", example="deg2rad([0, 180])")  # fmt: skip
elementwise("rad2deg", "x", np.rad2deg, lambda xp, _out, _x: np.float64(180 / np.pi), aliases=("degrees",),
            group=ANGLES, summary="Radians as degrees.", example="rad2deg([0, pi])")  # fmt: skip

elementwise(
    "frac", "x", lambda x: x - np.trunc(x), 1, group=STEPS, summary="What trunc cuts off; it has the sign of x.",
    example="frac([2.5, -2.5])", edge="at whole numbers, where it jumps, the gradient is 1 as elsewhere",
    domain=((0.2, 0.8),), kinks=(Kink(lambda x: x == np.trunc(x), "a jump: a whole number"),),
)  # fmt: skip
elementwise(
    "fmod", "a, b", np.fmod, 1, lambda xp, _out, a, b: -xp.copysign(xp.floor_divide(xp.abs(a), xp.abs(b)), a / b),
    group=STEPS, summary="Remainder of a division rounded towards 0; it has the sign of a.", example="fmod([5, -5], 3)",
    edge="at multiples of b, where it jumps: the slopes beside the jump, 1 and -trunc(a/b)",
    domain=((0.6, 0.9), (0.3, 0.4)), kinks=(Kink(lambda a, b: np.fmod(a, b) == 0, "a jump: a is a multiple of b"),),
)  # fmt: skip
elementwise(
    "lerp", "start, end, weight", lambda a, b, w: np.where(np.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1.0 - w)),
    lambda xp, _out, _a, _b, w: 1.0 - w,
    lambda xp, _out, _a, _b, w: w,
    lambda xp, _out, a, b, _w: b - a,
    about=0, group=STEPS, summary="start + weight*(end - start).", example="lerp(0, 10, [0.25, 1])",
)  # fmt: skip


def _ldexp(x: Any, exponent: Any) -> Any:
    whole = np.floor(exponent)
    scaled = np.ldexp(x * np.exp2(exponent - whole), np.clip(np.nan_to_num(whole), -3000, 3000).astype(np.int32))
    return np.where(np.isinf(exponent), x * np.exp2(exponent), scaled)


elementwise(
    "ldexp", "x, exponent", _ldexp,
    lambda xp, _out, _x, exponent: xp.exp2(exponent),
    lambda xp, out, _x, _exponent: LN2 * out,
    group=STEPS, summary="x*2**exponent.", example="ldexp([1, 3], 2)",
)  # fmt: skip
elementwise("nextafter", "x, target", np.nextafter, 1, 0, group=STEPS,
            summary="The next floating-point number after x towards the target.",
            example="nextafter(1, [0, 2])")  # fmt: skip


def _csch(x: Any) -> Any:
    # exp(-|x|) underflows only where the result does; sinh would overflow before.
    size = np.abs(x)
    return np.where(size < 1, 1.0 / np.sinh(x), np.sign(x) * 2.0 * np.exp(-size) / -np.expm1(-2.0 * size))


elementwise("csch", "x", _csch, lambda xp, out, x: -out * xp.coth(x), group=ANGLES,
            summary="Hyperbolic cosecant, 1/sinh(x).", example="csch([1, 2])", domain=_ABOVE_0,
            edge="a pole at 0: gradient -inf",
            kinks=(Kink(_is_zero_of_sine, "a pole: division by 0"),))  # fmt: skip
elementwise("coth", "x", lambda x: 1.0 / np.tanh(x), lambda xp, _out, x: -xp.square(xp.csch(x)), group=ANGLES,
            summary="Hyperbolic cotangent, 1/tanh(x).", example="coth([1, 2])", domain=_ABOVE_0,
            edge="a pole at 0: gradient -inf",
            kinks=(Kink(_is_zero_of_sine, "a pole: division by 0"),))  # fmt: skip
