"""Worst errors of values and derivatives of elementwise functions, in units of the last place, against mpmath."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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


def ulps(found: Any, exact: Iterable[Any], scales: Any = 0.0) -> float:
    """The worst error. What overflows is left out; below the smallest normal number the unit stays that of the latter.

    An exact value is taken as two floats, its rounded value and the rest: of numbers close to it, as those found are,
    the difference then is exact as well.
    """
    pairs = [(high := float(e), float(e - high) if abs(high) <= LARGEST else np.nan) for e in exact]
    high, low = np.array(pairs).T
    with np.errstate(all="ignore"):
        unit = np.spacing(np.maximum(np.maximum(np.abs(high), scales), SMALLEST))
        error = np.abs((np.asarray(found) - high) - low) / unit
    return float(np.max(error[np.isfinite(high)], initial=0.0))


ELEMENTARY = {**test_accuracy.DERIVATIVES, **test_elementary.DERIVATIVES}
NAMES = {*ELEMENTARY, *test_accuracy.PARTIALS, *(label.split()[0] for label in CASES)}


def _elementary(name: str) -> Iterator[tuple[int, float]]:
    if name not in ELEMENTARY:
        return
    slope, points = ELEMENTARY[name]
    x = Tensor(points, requires_grad=True)
    y = function(TABLE[name])(x)
    (g,) = grad(y.sum(), x)
    assert g is not None
    places = [mp.mpf(float(p)) for p in points]
    if name in VALUES:
        yield 0, ulps(y.array, map(VALUES[name], places))
    yield 1, ulps(g.array, map(slope, places))


def _of_two(name: str) -> Iterator[tuple[int, float]]:
    if name not in test_accuracy.PARTIALS:
        return
    slopes, points = test_accuracy.PARTIALS[name]
    leaves = [Tensor(p, requires_grad=True) for p in points]
    y = function(TABLE[name])(*leaves)
    pairs = [(mp.mpf(float(a)), mp.mpf(float(b))) for a, b in zip(*points, strict=True)]
    if name in VALUES:
        yield 0, ulps(y.array, (VALUES[name](a, b) for a, b in pairs))
    for g, slope in zip(grad(y.sum(), leaves), slopes, strict=True):
        assert g is not None
        yield 1, ulps(g.array, (slope(a, b) for a, b in pairs))


def _special(name: str) -> Iterator[tuple[int, float]]:
    call = function(TABLE[name])
    for case in (case for label, case in CASES.items() if label.split()[0] == name):
        found = test_special.three(lambda x, case=case: call(x=x, **case.params), case.points)
        with mp.workprec(case.bits):
            exact = [case.exact(mp.mpf(float(point))) for point in case.points]
            scales = [case.scale(point, triple) for point, triple in zip(case.points, exact, strict=True)]
            for order in (0, 1):
                yield order, ulps(found[order], [triple[order] for triple in exact], scales)


@cache
def measured(name: str) -> tuple[float, float]:
    """The worst error of the value and of the derivative of a function."""
    worst = [0.0, 0.0]
    with mp.workprec(300):
        for order, error in (*_elementary(name), *_of_two(name), *_special(name)):
            worst[order] = max(worst[order], error)
    return worst[0], worst[1]
