"""Trigonometric and hyperbolic functions, and their inverses.

The derivatives are closed families (tanh' = sech^2, sech' = -sech tanh), so that those of every order are smooth and
neither cancel nor overflow; the inverse functions take (1-x)(1+x) in place of 1-x^2, which cancels beside 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import elementwise

GROUP = "trigonometric"

elementwise("sin", "x", np.sin, lambda xp, _out, x: xp.cos(x), group=GROUP, summary="Sine.", example="sin([0, pi/2])")
elementwise("cos", "x", np.cos, lambda xp, _out, x: -xp.sin(x), group=GROUP, summary="Cosine.", example="cos([0, pi])")
elementwise("tan", "x", np.tan, lambda xp, out, _x: 1.0 + out * out, group=GROUP, summary="Tangent.",
            example="tan([0, pi/4])", domain=((-1.2, 1.2),))  # fmt: skip
elementwise("tanh", "x", np.tanh, lambda xp, _out, x: xp.square(xp.sech(x)), group=GROUP, summary="Hyperbolic tangent.",
            example="tanh([0, 1])")  # fmt: skip


def _sech(x: Any) -> Any:
    # exp(-|x|) underflows only where the result does; cosh would overflow before.
    e = np.exp(-np.abs(x))
    return 2.0 * e / (1.0 + e * e)


elementwise("sech", "x", _sech, lambda xp, out, x: -out * xp.tanh(x), group=GROUP, summary="Hyperbolic secant, 1/cosh(x).",
            example="sech([0, 1])")  # fmt: skip
