"""Arithmetic: the operators of the language."""

from __future__ import annotations

import math
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


def _cofactor(b: Any, log: Any, n: int, m: int) -> Any:
    """What stands before a**(b - n) in d^(n+m)(a**b)/da^n db^m: with f = b*(b - 1)*...*(b - n + 1) the sum over j of
    (m over j) * d^j f/db^j * log(a)**(m - j).
    """
    taylor: list[Any] = [1.0]  # d^j f/db^j divided by j!
    for k in range(n):
        if k > m and not np.any(taylor):  # what a whole exponent has above its own order
            break
        shifted = [*(t * (b - k) for t in taylor), 0.0]
        taylor = shifted[:1] if m == 0 else [t + s for t, s in zip(shifted, [0.0, *taylor], strict=True)][: m + 1]
    total: Any = taylor[0]
    for j in range(1, m + 1):
        total = total * log
        if j < len(taylor):
            total = total + math.perm(m, j) * taylor[j]
    return total


def _unrounded(before: Any, a: Any, b: Any, exponent: Any, n: int) -> Any:
    """`before` times what a**(b - n) lacks where `exponent` = b - n was rounded: small orders have more digits than
    there is room for beside n, and very large ones have no room for n. The rest is D. Knuth's, of a sum of two.
    """
    part = exponent - b
    rest = (b - (exponent - part)) - (n + part)
    if not np.any(rest):
        return before
    size = np.asarray(np.abs(a))
    shift = np.asarray(np.log(size, out=size) * rest)
    shift[~np.isfinite(shift)] = 0.0
    shift += 1.0
    shift *= before
    return shift


def _by_roots(size: Any, exponent: Any, before: Any, n: int) -> Any:
    """|before| * size**exponent, root after root of the power: each product lies between the first and the last."""
    pieces = 2 * max(n, 1)
    root = size ** (exponent / pieces)
    whole = np.abs(before)
    for _ in range(pieces):
        whole = np.where(root == 0, 0.0, whole * root)
    return whole


def _plain(b: Any) -> Any:
    """Whether nothing of what `_power_slope` minds can happen to b*a**(b - 1)."""
    return (0.1 <= b <= 4.0 or -4.0 <= b <= -1.0) and (b - 1.0) + 1.0 == b


def _power_slope(a: Any, b: Any, *, n: int, m: int) -> Any:
    """d^(n+m)(a**b)/da^n db^m, right to a few ulp wherever it is representable: a**(b - n) may overflow, or vanish,
    where its product with what stands before it does not.
    """
    exponent = b - float(n)
    if n == 1 and m == 0 and b.size == 1 and _plain(b.reshape(())):
        return 2.0 * a if b.reshape(()) == 2 else b * a**exponent
    log = np.log(a) if m else 0.0
    ends = m > 0 and not np.all(np.isfinite(log))
    before = _cofactor(b, np.clip(log, -1e10, 1e10) if ends else log, n, m)
    if n > 0 and not (b.min(initial=n) >= 0.5 * n and b.max(initial=n) <= 2.0**53):
        before = _unrounded(before, a, b, exponent, n)
    power = np.asarray(a**exponent)
    size = np.abs(power)
    if size.min(initial=1.0) > 1e-290 and size.max(initial=1.0) < 1e290:
        found = np.multiply(before, power, out=power)
    else:
        careful = np.copysign(_by_roots(np.abs(a), exponent, before, n), np.sign(before) * np.copysign(1.0, power))
        found = np.where((size < 1e-290) | (size > 1e290), careful, before * power)
        found = np.where(before == 0, 0.0, found)
    return _at_ends(found, a, exponent, before) if ends else found


def _at_ends(found: Any, a: Any, exponent: Any, before: Any) -> Any:
    """A derivative in the exponent where the base is 0 or infinite: its limit. Bases below 0 have none."""
    flat = np.where(a == 0, exponent > 0, exponent < 0) | (before == 0)
    end = ((a == 0) | (a == np.inf)) & ~np.isnan(exponent)
    return np.where(a < 0, np.nan, np.where(end, np.where(flat, 0.0, before * np.inf), found))


elementwise(
    "pow", "a, b", np.power,
    lambda xp, _out, a, b: xp.power_slope(a, b, n=1, m=0),
    lambda xp, _out, a, b: xp.power_slope(a, b, n=0, m=1),
    operator="**", aliases=("power", "float_power"), group=GROUP, summary="First value to the power of the second.",
    example="pow([1, 2, 3], 2)", derivative="d/da = b*a**(b - 1); d/db = out*log(a)",
    edge="x**0 is 1 with slope 0, also at 0; in its exponent 0**0 falls at once, with slope -inf; a negative base has "
         "no slope in its exponent", domain=((0.5, 2.0), (-2.0, 2.0)),
    kinks=(Kink(lambda a, b: (a == 0) & (b < 1) & (b != 0), "0 to a power below 1 has an infinite slope"),
           Kink(lambda a, b: (a == 0) & (b > 1) & (b < 2), "0 to a power below 2 has an infinite curvature", order=2)),
)  # fmt: skip

# One entry for the derivatives of every order, closed under differentiation.
elementwise("power_slope", "a, b, *, n: integer, m: integer", _power_slope,
            lambda xp, _out, a, b, *, n, m: xp.power_slope(a, b, n=n + 1, m=m),
            lambda xp, _out, a, b, *, n, m: xp.power_slope(a, b, n=n, m=m + 1), hidden=True,
            group=GROUP, summary="Derivative of a**b, of order n in a and m in b.")  # fmt: skip

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
