"""Extremes that skip nan, signs, jumps and replacements."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import Kink, elementwise

GROUP = "choice"


def _known_share(xp: Any, a: Any, b: Any) -> Any:
    """1 where a wins or b is nan, .5 at ties, 0 where it loses, nan where both are nan."""
    lone = xp.where(xp.isnan(b), xp.where(xp.isnan(a), np.nan, 1.0), 0.0)
    return xp.where(a > b, 1.0, xp.where(a == b, 0.5, lone))


_TIE = Kink(lambda a, b: a == b, "a tie: both are equal")

elementwise(
    "fmax", "a, b", np.fmax,
    lambda xp, _out, a, b: _known_share(xp, a, b),
    lambda xp, _out, a, b: _known_share(xp, b, a),
    selects=True, derivative="d/da = where(a == b, 0.5, where(logical_or(a > b, isnan(b)), 1, 0)); "
    "d/db = where(a == b, 0.5, where(logical_or(b > a, isnan(a)), 1, 0))", group=GROUP,
    summary="The larger of two values; a number wins over nan.", example="fmax([1, nan], 3)",
    edge="at a tie each side gets half; nan gets 0", kinks=(_TIE,),
)  # fmt: skip
elementwise(
    "fmin", "a, b", np.fmin,
    lambda xp, _out, a, b: _known_share(xp, -a, -b),
    lambda xp, _out, a, b: _known_share(xp, -b, -a),
    selects=True, derivative="d/da = where(a == b, 0.5, where(logical_or(a < b, isnan(b)), 1, 0)); "
    "d/db = where(a == b, 0.5, where(logical_or(b < a, isnan(a)), 1, 0))", group=GROUP,
    summary="The smaller of two values; a number wins over nan.",
    example="fmin([1, nan], 3)", edge="at a tie each side gets half; nan gets 0", kinks=(_TIE,),
)  # fmt: skip
elementwise(
    "heaviside", "x, middle = None or 0.5", lambda x, middle: np.heaviside(x, middle), 0,
    lambda xp, _out, x, _middle: xp.where(x == 0, 1.0, 0.0),
    selects=True, group=GROUP, summary="0 below 0, 1 above, and the given value at 0.",
    example="heaviside([-1, 0, 1], 0.5)",
    edge="the gradient in x is 0 everywhere, also at the jump", kinks=(Kink(lambda x, middle: x == 0, "a jump at 0"),),
)  # fmt: skip
elementwise(
    "copysign", "x, sign", np.copysign,
    lambda xp, _out, x, sign: xp.sign(x) * xp.copysign(1.0, sign), 0,
    group=GROUP, summary="The size of x with the sign of the other value.", example="copysign([1, 2], [-1, 1])",
    edge="at x = 0 the gradient is 0", domain=((0.5, 2.0), (0.5, 2.0)),
    kinks=(Kink(lambda x, sign: x == 0, "a corner: x is 0"),
           Kink(lambda x, sign: sign == 0, "a jump: the sign changes")),
)  # fmt: skip


def _nan_to_num(x: Any, *, nan: float, posinf: float | None, neginf: float | None) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


elementwise(
    "nan_to_num", "x, nan: number = 0.0, posinf: number = None, neginf: number = None", _nan_to_num,
    lambda xp, _out, x, *, nan, posinf, neginf: xp.where(xp.isfinite(x), 1.0, 0.0),
    selects=True, derivative="d/dx = where(isfinite(x), 1, 0)", group=GROUP,
    summary="nan replaced by 0, infinities by the largest numbers, or as given.",
    example="nan_to_num([nan, inf, 1], posinf=9)", edge="what is replaced has gradient 0",
)  # fmt: skip
elementwise(
    "smoothstep", "x", lambda x: (lambda t: t * t * (3.0 - 2.0 * t))(np.clip(x, 0.0, 1.0)),
    lambda xp, _out, x: xp.where(xp.logical_or(x < 0, x > 1), 0.0, 6.0 * x * (1.0 - x)),
    selects=True, group=GROUP,
    edge="at 0 and 1 the second derivative is 0, as outside",
    kinks=(Kink(lambda x: (x == 0) | (x == 1), "the curvature jumps at 0 and 1", order=2),),
    summary="3*x**2 - 2*x**3 between 0 and 1; 0 before, 1 after.", example="smoothstep([-1, 0.5, 2])",
    domain=((0.2, 0.8),),
)  # fmt: skip
