"""Derivatives of a**b to second order over the whole range of doubles, against mpmath; and where they have limits only.

Ulps count from the smallest normal number up. The mixed derivative a**(b-1)*(1 + b*log(a)) passes through 0: there its
error is counted in ulps of the first term.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from gradcli.engine import Tensor, grad
from tests.primitives.accuracy import LARGEST, ulps
from tests.primitives.samples import pull, push
from tests.primitives.test_accuracy import POWERS

inf, nan = np.inf, np.nan

NEGATIVE = (-np.exp2(np.random.default_rng(31).uniform(-1074, 1024, 300)),
            np.random.default_rng(32).integers(-40, 41, 300).astype(float))  # fmt: skip


def exact(a: float, b: float, n: int, m: int) -> tuple[Any, Any]:
    """d^(n+m)(a**b)/da^n db^m, and the size of its largest term."""
    x, y = mp.mpf(a), mp.mpf(b)
    falling = {0: mp.mpf(1), 1: y, 2: y * (y - 1)}[n]
    power = mp.exp((y - n) * mp.log(abs(x))) * (-1 if a < 0 and (int(b) - n) % 2 else 1)
    if n == m == 1:
        return power * (1 + y * mp.log(x)), power
    return falling * power * (mp.log(x) ** m if m else 1), 0


def second(a: Any, b: Any) -> dict[tuple[int, int], Any]:
    x, y = Tensor(a, requires_grad=True), Tensor(b, requires_grad=True)
    of_a, of_b = grad((x**y).sum(), [x, y], create_graph=True)
    (aa, ab), (bb,) = grad(of_a.sum(), [x, y], retain_graph=True), grad(of_b.sum(), [y], retain_graph=True)
    (ba,) = grad(of_b.sum(), [x])
    return {(1, 0): of_a.array, (0, 1): of_b.array, (2, 0): aa.array, (1, 1): ab.array, (0, 2): bb.array,
            (-1, -1): ba.array}  # fmt: skip


def test_to_second_order_over_the_whole_range() -> None:
    a, b = POWERS
    found = second(a, b)
    np.testing.assert_array_equal(found[1, 1], found.pop((-1, -1)))
    with mp.workprec(300):
        for (n, m), array in found.items():
            rows = [exact(float(x), float(y), n, m) for x, y in zip(a, b, strict=True)]
            scales = [float(s) if s < LARGEST else inf for _, s in rows]
            assert ulps(array, [e for e, _ in rows], scales) < 6, (n, m)
            over = np.array([abs(e) > LARGEST for e, _ in rows])
            assert np.isinf(array[over]).all()


def test_whole_powers_of_negative_numbers() -> None:
    a, b = NEGATIVE
    x = Tensor(a, requires_grad=True)
    (first,) = grad((x ** Tensor(b)).sum(), x, create_graph=True)
    (curved,) = grad(first.sum(), x)
    with mp.workprec(300):
        for n, array in ((1, first.array), (2, curved.array)):
            assert ulps(array, [exact(float(x), float(y), n, 0)[0] for x, y in zip(a, b, strict=True)]) < 6


@pytest.mark.parametrize("exponent", [0.5, -0.5, 2.0, 3.0, -1.0, 0.3, 1e-3, -0.7, 1 / 3, 7.0, 40.0])
def test_one_exponent_for_all_and_forward_alike(exponent: float) -> None:
    x = Tensor(np.exp2(np.random.default_rng(33).uniform(-1074, 1024, 300)), requires_grad=True)
    y = x**exponent
    with mp.workprec(300):
        slopes = [exact(float(v), exponent, 1, 0)[0] for v in x.array]
        for found in (pull(y, [x], np.ones(300))[0], push(x**exponent, [x], [np.ones(300)])):
            assert ulps(found, slopes) < 4


@pytest.mark.parametrize("base", [2.0, 0.5, 1e-300, 5e-324, 1e300, 1.0000000000000002])
def test_one_base_for_all(base: float) -> None:
    y = Tensor(np.random.default_rng(34).uniform(-1, 1, 300) * 744 / abs(np.log(base)), requires_grad=True)
    with mp.workprec(300):
        slopes = [exact(base, float(v), 0, 1)[0] for v in y.array]
        for found in (pull(base**y, [y], np.ones(300))[0], push(base**y, [y], [np.ones(300)])):
            assert ulps(found, slopes) < 4


# From a report: a, b, derivative in a.
STEEP = [(2.3e-308, -0.00390625, -2.7023661938604116e306), (1e-310, 0.0009765625, 4.8636875598129162e306),
         (1.000000000000737, -1e15, -8.7038991653271525e-306)]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "slope"), STEEP)
def test_a_factor_beyond_the_range(a: float, b: float, slope: float) -> None:
    np.testing.assert_allclose(second([a], [b])[1, 0], [slope], rtol=4e-16)


def test_an_exponent_that_rounding_changes() -> None:
    found = second([2.4663658711737474e-96], [-1.3026882084099534])
    np.testing.assert_allclose(found[1, 1], [4.1147523933623338558e222], rtol=4e-16)


# a, b, and the limits of d/da, d/db, d2/da2, d2/dadb, d2/db2; at (0, 0) a**b falls from inf through 1 to 0.
LIMITS = [
    (inf, 0.3, (0, inf, 0, 0, inf)), (inf, -2.0, (0, 0, 0, 0, 0)), (inf, 1.0, (1, inf, 0, inf, inf)),
    (inf, 0.0, (0, inf, 0, 0, inf)), (0.0, 2.5, (0, 0, 0, 0, 0)), (0.0, 0.0, (0, -inf, 0, inf, inf)),
    (0.0, -1.0, (-inf, -inf, inf, inf, inf)), (2.0, -inf, (0, 0, 0, 0, 0)), (0.5, inf, (0, 0, 0, 0, 0)),
    (-3.0, 2.0, (-6, nan, 2, nan, nan)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "limits"), LIMITS)
def test_limits(a: float, b: float, limits: tuple[float, ...]) -> None:
    found = second([a], [b])
    orders = ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
    np.testing.assert_array_equal(np.ravel([found[order] for order in orders]), limits)


@pytest.mark.parametrize("program", [lambda x: x**x, lambda x: x ** (2 * x), lambda x: (2 * x) ** x])
def test_a_power_of_itself_falls_at_0(program: Any) -> None:
    """x**x = exp(x*log(x)) has the slope log(x) + 1, and the second derivative is as 1/x."""
    x = Tensor(0.0, requires_grad=True)
    (first,) = grad(program(x), x, create_graph=True)
    assert first.array == -inf
    assert grad(first, x)[0].array == inf
    assert push(program(x), [x], [np.ones(())]) == -inf
