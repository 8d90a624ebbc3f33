"""Exponentials, logarithms and roots. Outside of its domain a function is nan, and so is its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.choice import unless
from gradcli.primitives.table import Kink, elementwise

GROUP = "exponential"

LN2 = np.log(np.float64(2.0))
LOG2_E = np.float64(1.4426950408889634)  # 1/log(2)
LOG10_E = np.float64(0.4342944819032518)  # 1/log(10)
POSITIVE = ((0.5, 2.0),)


def _log_slope(xp: Any, x: Any, scale: Any = 1.0) -> Any:
    # + 0.0 turns -0 into 0: a function that ends at 0 has its slope from the right.
    return unless(xp, x < 0) * (scale / (x + 0.0))


elementwise(
    "exp", "x", np.exp, lambda xp, out, _x: out, group=GROUP, summary="e to the power of x.", example="exp([0, 1])"
)
elementwise("exp2", "x", np.exp2, lambda xp, out, _x: LN2 * out, group=GROUP, summary="2 to the power of x.",
            example="exp2([0, 3])")  # fmt: skip
elementwise("expm1", "x", np.expm1, lambda xp, _out, x: xp.exp(x), by_result=True, group=GROUP,
            summary="exp(x) - 1, exact for small x too.", example="expm1([0, 1e-10])")  # fmt: skip

_LOG_EDGE = "at 0: value -inf, gradient inf; nan below, value and gradient"

elementwise(
    "log", "x", np.log, lambda xp, _out, x: _log_slope(xp, x),
    aliases=("ln",), group=GROUP, summary="Natural logarithm.", example="log([1, 2])", edge=_LOG_EDGE, domain=POSITIVE,
    kinks=(Kink(lambda x: x == 0, "a pole: the logarithm of 0"),),
)  # fmt: skip

elementwise(
    "log2", "x", np.log2, lambda xp, _out, x: _log_slope(xp, x, LOG2_E),
    group=GROUP, summary="Logarithm to the base 2.", example="log2([1, 8])", edge=_LOG_EDGE, domain=POSITIVE,
    kinks=(Kink(lambda x: x == 0, "a pole: the logarithm of 0"),),
)  # fmt: skip

elementwise(
    "log10", "x", np.log10, lambda xp, _out, x: _log_slope(xp, x, LOG10_E),
    group=GROUP, summary="Logarithm to the base 10.", example="log10([1, 1000])", edge=_LOG_EDGE, domain=POSITIVE,
    kinks=(Kink(lambda x: x == 0, "a pole: the logarithm of 0"),),
)  # fmt: skip

elementwise(
    "log1p", "x", np.log1p, lambda xp, _out, x: _log_slope(xp, 1.0 + x),
    group=GROUP, summary="log(1 + x), exact for small x too.", example="log1p([0, 1e-10])",
    edge="at -1: value -inf, gradient inf; nan below, value and gradient", domain=((-0.5, 2.0),),
    kinks=(Kink(lambda x: x == -1, "a pole: the logarithm of 0"),),
)  # fmt: skip

elementwise(
    "sqrt", "x", np.sqrt, lambda xp, out, _x: 0.5 / (out + 0.0),  # + 0.0: the root of -0 is -0
    group=GROUP, summary="Square root.", example="sqrt([1, 4])", domain=POSITIVE,
    edge="at 0: gradient inf; nan below, value and gradient",
    kinks=(Kink(lambda x: x == 0, "the square root of 0 has an infinite slope"),),
)  # fmt: skip


def _cbrt(x: Any) -> Any:
    """With one step of Newton's method: the C library's root may be 2.5 ulp off, and the slope 7."""
    root = np.cbrt(x)
    step = (root - x / (root * root)) / 3.0
    return np.where(np.isfinite(step), root - step, root)


elementwise(
    "cbrt", "x", _cbrt, lambda xp, out, _x: xp.square(1.0 / out) / 3.0,  # 1/out**2: 0*inf in higher orders
    group=GROUP, summary="Cube root, of negative numbers too.", example="cbrt([-8, 27])", domain=POSITIVE,
    edge="at 0: gradient inf", kinks=(Kink(lambda x: x == 0, "the cube root of 0 has an infinite slope"),),
)  # fmt: skip
