"""Worst errors of values and derivatives of elementwise functions, in units of the last place, against mpmath."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np

from gradcli.engine import Tensor, function, grad
from gradcli.primitives import TABLE
from tests.primitives import test_accuracy, test_elementary, test_orders, test_special
from tests.primitives.special_points import CASES

LARGEST = np.finfo(float).max
SMALLEST = np.finfo(float).tiny

SELU_SCALE, SELU_ALPHA = mp.mpf("1.0507009873554804934193349852946"), mp.mpf("1.6732632423543772848170429916717")

VALUES: dict[str, Callable[..., Any]] = {
    **{name: exact for name, (exact, _) in test_orders.EXACT.items()},
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "rsqrt": lambda x: 1 / mp.sqrt(x), "cube": lambda x: x**3,
    "exp10": lambda x: mp.mpf(10) ** x, "sec": mp.sec, "csc": mp.csc, "cot": mp.cot, "acot": mp.acot,
    "asec": mp.asec, "acsc": mp.acsc, "haversine": lambda x: mp.sin(x / 2) ** 2, "csch": mp.csch,
    "coth": mp.coth, "sech": mp.sech, "deg2rad": lambda x: x * mp.pi / 180,
    "rad2deg": lambda x: x * 180 / mp.pi, "smoothstep": lambda x: x * x * (3 - 2 * x),
    "softsign": lambda x: x / (1 + abs(x)), "logsigmoid": lambda x: -mp.log1p(mp.exp(-x)),
    "elu": lambda x: x if x > 0 else mp.expm1(x), "celu": lambda x: x if x > 0 else mp.expm1(x),
    "selu": lambda x: SELU_SCALE * (x if x > 0 else SELU_ALPHA * mp.expm1(x)),
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "hypot": mp.hypot, "atan2": mp.atan2,
    "pow": lambda a, b: a**b,
}  # fmt: skip


def ulps(found: float, exact: Any, scale: float = 0.0) -> float:
    """What overflows is left out; below the smallest normal number the unit stays that of the latter."""
    if abs(exact) > LARGEST:
        return 0.0
    return float(abs(mp.mpf(float(found)) - exact) / mp.mpf(float(np.spacing(max(abs(float(exact)), scale, SMALLEST)))))


def _elementary() -> Iterator[tuple[str, int, float]]:
    for name, (slope, points) in {**test_accuracy.DERIVATIVES, **test_elementary.DERIVATIVES}.items():
        x = Tensor(points, requires_grad=True)
        y = function(TABLE[name])(x)
        (g,) = grad(y.sum(), x)
        assert g is not None
        places = [mp.mpf(float(p)) for p in points]
        if name in VALUES:
            yield name, 0, max(map(ulps, y.array, map(VALUES[name], places)))
        yield name, 1, max(map(ulps, g.array, map(slope, places)))


def _of_two() -> Iterator[tuple[str, int, float]]:
    for name, (slopes, points) in test_accuracy.PARTIALS.items():
        leaves = [Tensor(p, requires_grad=True) for p in points]
        y = function(TABLE[name])(*leaves)
        pairs = [(mp.mpf(float(a)), mp.mpf(float(b))) for a, b in zip(*points, strict=True)]
        if name in VALUES:
            yield name, 0, max(ulps(f, VALUES[name](*pair)) for f, pair in zip(y.array, pairs, strict=True))
        for g, slope in zip(grad(y.sum(), leaves), slopes, strict=True):
            assert g is not None
            yield name, 1, max(ulps(f, slope(*pair)) for f, pair in zip(g.array, pairs, strict=True))


def _special() -> Iterator[tuple[str, int, float]]:
    for label, case in CASES.items():
        name = label.split()[0]
        found = test_special.three(
            lambda x, name=name, case=case: function(TABLE[name])(x=x, **case.params), case.points
        )
        with mp.workprec(case.bits):
            for i, point in enumerate(case.points):
                exact = case.exact(mp.mpf(float(point)))
                scale = case.scale(point, exact)
                for order in (0, 1):
                    yield name, order, ulps(found[order][i], exact[order], scale)


@cache
def measured() -> dict[str, tuple[float, float]]:
    """The worst error of the value and of the derivative of each function."""
    worst: dict[str, list[float]] = {}
    with mp.workprec(300):
        for name, order, error in (*_elementary(), *_of_two(), *_special()):
            pair = worst.setdefault(name, [0.0, 0.0])
            pair[order] = max(pair[order], error)
    return {name: (value, slope) for name, (value, slope) in worst.items()}
