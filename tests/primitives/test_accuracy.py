"""Exact derivatives of elementwise entries, from mpmath, and points everywhere in the domain, beside its ends, and in
the tails; `accuracy` measures there, and `test_accuracy_table` holds the figures to a bar.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

from tests.primitives.samples import ENTRIES, INTERNAL
from tests.primitives.special_points import MEASURED

COUNT = 500

Exact = Callable[..., Any]


def both_signs(low: float, high: float) -> Any:
    """Magnitudes even on a logarithmic scale."""
    x = np.exp(np.random.default_rng(11).uniform(np.log(low), np.log(high), COUNT))
    return np.concatenate([x, -x])


def positive(low: float, high: float) -> Any:
    return np.abs(both_signs(low, high)[:COUNT])


def even(low: float, high: float) -> Any:
    return np.random.default_rng(12).uniform(low, high, COUNT)


def beside(end: float, low: float = 1e-15) -> Any:
    """Points that come close to `end` from the inside of [-end, end]."""
    gaps = positive(low, 0.5)
    return np.concatenate([end - gaps, gaps - end])


ONE = mp.mpf(1)
EVERYWHERE = np.concatenate([both_signs(1e-300, 1e300), even(-10, 10)])
TAILS = np.concatenate([both_signs(1e-300, 700), even(-10, 10)])
ABOVE_0 = np.concatenate([positive(1e-300, 1e300), even(0.5, 2)])
INSIDE_1 = np.concatenate([both_signs(1e-300, 1), beside(1.0)])

DERIVATIVES: dict[str, tuple[Exact, Any]] = {
    "exp": (mp.exp, TAILS),
    "exp2": (lambda x: mp.log(2) * mp.mpf(2) ** x, np.concatenate([both_signs(1e-300, 1000), even(-10, 10)])),
    "expm1": (mp.exp, TAILS),
    "log": (lambda x: ONE / x, ABOVE_0),
    "log2": (lambda x: ONE / (x * mp.log(2)), ABOVE_0),
    "log10": (lambda x: ONE / (x * mp.log(10)), ABOVE_0),
    "log1p": (lambda x: ONE / (1 + x), np.concatenate([positive(1e-300, 1e300), -positive(1e-300, 1), beside(1.0)])),
    "sqrt": (lambda x: 1 / (2 * mp.sqrt(x)), ABOVE_0),
    "cbrt": (lambda x: 1 / (3 * mp.cbrt(abs(x)) ** 2), EVERYWHERE),
    "square": (lambda x: 2 * x, EVERYWHERE / 2),
    "reciprocal": (lambda x: -1 / x**2, both_signs(1e-150, 1e150)),
    "sin": (mp.cos, np.concatenate([both_signs(1e-300, 1e15), even(-10, 10)])),
    "cos": (lambda x: -mp.sin(x), np.concatenate([both_signs(1e-300, 1e15), even(-10, 10)])),
    "tan": (lambda x: mp.sec(x) ** 2, np.concatenate([both_signs(1e-300, 1e15), even(-10, 10)])),
    "asin": (lambda x: 1 / mp.sqrt(1 - x * x), INSIDE_1),
    "acos": (lambda x: -1 / mp.sqrt(1 - x * x), INSIDE_1),
    "atan": (lambda x: 1 / (1 + x * x), EVERYWHERE),
    "sinh": (mp.cosh, TAILS),
    "cosh": (mp.sinh, TAILS),
    "tanh": (lambda x: mp.sech(x) ** 2, np.concatenate([TAILS, even(-360, 360)])),
    "sech": (lambda x: -mp.sech(x) * mp.tanh(x), TAILS),
    "asinh": (lambda x: 1 / mp.sqrt(1 + x * x), EVERYWHERE),
    "acosh": (lambda x: 1 / mp.sqrt(x * x - 1), 1 + positive(1e-15, 1e300)),
    "atanh": (lambda x: 1 / (1 - x * x), INSIDE_1),
    "below_one": (lambda x: -2 * x, INSIDE_1),
    "sigmoid": (lambda x: 1 / (mp.exp(x) + 2 + mp.exp(-x)), TAILS),
    "bell": (lambda x: -mp.tanh(x / 2) / (mp.exp(x) + 2 + mp.exp(-x)), TAILS),
    "softplus": (lambda x: 1 / (1 + mp.exp(-x)), TAILS),
}


def _powers() -> tuple[Any, Any]:
    """Bases from everywhere, near 1, and at home, with exponents for which the power is a number; and small ones."""
    rng = np.random.default_rng(13)
    wide = np.exp2(rng.uniform(-1074, 1024, COUNT))
    near = 1 + rng.choice([-1, 1], COUNT) * np.exp2(rng.uniform(-52, -1, COUNT))
    home = np.exp(rng.uniform(-3, 3, COUNT))
    tiny = np.exp2(rng.uniform(-1074, 0, COUNT)) * rng.choice([-1, 1], COUNT)
    fitting = [rng.uniform(-745, 745, COUNT) / np.abs(np.log(base)) for base in (wide, near)]
    exponents = [*fitting, rng.uniform(-5, 5, COUNT), tiny, rng.integers(-5, 6, COUNT).astype(float)]
    return np.concatenate([wide, near, home, wide, wide]), np.concatenate(exponents)


POWERS = _powers()
A, B = both_signs(1e-150, 1e150), np.roll(both_signs(1e-150, 1e150), 57)
PARTIALS: dict[str, tuple[tuple[Exact, Exact], tuple[Any, Any]]] = {
    "mul": ((lambda a, b: b, lambda a, b: a), (A, B)),
    "div": ((lambda a, b: 1 / b, lambda a, b: -a / b**2),
            (both_signs(1e-50, 1e50), np.roll(both_signs(1e-100, 1e100), 57))),
    "hypot": ((lambda a, b: a / mp.hypot(a, b), lambda a, b: b / mp.hypot(a, b)), (A, B)),
    "atan2": ((lambda a, b: b / (a * a + b * b), lambda a, b: -a / (a * a + b * b)), (A, B)),
    "leg": (
        (lambda a, b: b * b / mp.hypot(a, b) ** 3, lambda a, b: -a * b / mp.hypot(a, b) ** 3),
        (A, B),
    ),
    "pow": (
        (lambda a, b: b * a ** (b - 1), lambda a, b: a**b * mp.log(a)),
        POWERS,
    ),
}  # fmt: skip

# Partial derivatives that only choose: 0, 1, or a half.
CHOOSERS = {
    "add", "sub", "neg", "pos", "as_number", "zero", "fill", "where", "maximum", "minimum", "abs", "sign", "floor",
    "ceil", "trunc", "round", "clip", "relu", "remainder", "floor_divide",
}  # fmt: skip


def test_every_elementwise_entry_is_measured() -> None:
    known = {*DERIVATIVES, *PARTIALS, *CHOOSERS, *MEASURED}
    assert {entry.name for entry in ENTRIES if entry.kind == "elementwise" and entry.name not in INTERNAL} == known
