"""Special functions against mpmath: value, first and second derivative, in the tails too.

`pytest -rP tests/primitives/test_special.py` prints the worst relative error of each.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from gradcli.engine import Tensor, function, grad
from gradcli.primitives import TABLE
from tests.primitives.special_points import CASES, log_even

BAR = 1e-14
SMALLEST = np.finfo(float).tiny


def f(name: str) -> Any:
    return function(TABLE[name])


def three(program: Any, point: Any) -> list[Any]:
    """Value and two derivatives, at all points at once."""
    x = Tensor(point, requires_grad=True)
    y = program(x)
    (first,) = grad(y.sum(), x, create_graph=True)
    assert first is not None
    (second,) = grad(first.sum(), x)
    assert second is not None
    return [y.array, first.array, second.array]


def far(found: float, exact: Any, scale: float) -> float:
    """The relative error; subnormal and overflowing results count as what they are rounded to."""
    if abs(exact) > np.finfo(float).max:
        return 0.0 if np.isinf(found) else np.inf
    return float(abs(mp.mpf(float(found)) - exact) / max(abs(exact), scale, SMALLEST / BAR))


@pytest.mark.parametrize("name", CASES)
def test_value_and_two_derivatives(name: str) -> None:
    case = CASES[name]
    found = three(lambda x: f(name.split()[0])(x=x, **case.params), case.points)
    worst = [0.0, 0.0, 0.0]
    with mp.workprec(case.bits):
        for i, point in enumerate(case.points):
            exact = case.exact(mp.mpf(float(point)))
            scale = case.scale(point, exact)
            for order in range(3):
                worst[order] = max(worst[order], far(found[order][i], exact[order], scale))
    print(f"{name:12} {'  '.join(f'{w:.1e}' for w in worst)}")
    assert max(worst) <= BAR


def log_beta(a: Any, b: Any) -> tuple[Any, Any, Any]:
    total = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    return total, mp.digamma(a) - mp.digamma(a + b), mp.digamma(b) - mp.digamma(a + b)


def beta(a: Any, b: Any) -> tuple[Any, Any, Any]:
    total, first, second = log_beta(a, b)
    return mp.exp(total), mp.exp(total) * first, mp.exp(total) * second


def sum_of_powers(base: Any) -> Any:
    def exact(a: Any, b: Any) -> tuple[Any, Any, Any]:
        total = base**a + base**b
        return mp.log(total) / mp.log(base), base**a / total, base**b / total

    return exact


GAPS = np.random.default_rng(23).uniform(-300, 300, 60)
SMALL, LARGE = log_even(1e-6, 1e6, 60), np.roll(log_even(1e-6, 1e6, 60), 7)
PAIRS = {
    "betaln": (log_beta, SMALL, LARGE, 1.0),
    "beta": (beta, SMALL**0.3, LARGE**0.3, 0.0),
    "logaddexp": (lambda a, b: sum_of_powers(mp.e)(a, b), GAPS, np.roll(GAPS, 7), 0.1),
    "logaddexp2": (sum_of_powers(mp.mpf(2)), GAPS, np.roll(GAPS, 7), 0.1),
    "xlogy": (lambda a, b: (a * mp.log(b), mp.log(b), a / b), SMALL, LARGE, 0.0),
    "xlog1py": (lambda a, b: (a * mp.log1p(b), mp.log1p(b), a / (1 + b)), SMALL, LARGE, 0.0),
    "rel_entr": (lambda a, b: (a * mp.log(a / b), mp.log(a / b) + 1, -a / b), SMALL, LARGE, 1.0),
}


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two(name: str) -> None:
    exact, a, b, scale = PAIRS[name]
    leaves = [Tensor(a, requires_grad=True), Tensor(b, requires_grad=True)]
    y = f(name)(*leaves)
    found = [y.array, *(g.array for g in grad(y.sum(), leaves) if g is not None)]
    with mp.workprec(2000 if name.startswith("log") else 300):
        for i in range(len(a)):
            for got, want in zip(found, exact(mp.mpf(float(a[i])), mp.mpf(float(b[i]))), strict=True):
                assert far(got[i], want, scale if want is not None and abs(want) > 1e-3 else 0.0) <= BAR, (a[i], b[i])


@pytest.mark.parametrize("name", ["logaddexp", "betaln", "beta", "xlogy", "rel_entr"])
def test_second_derivatives_of_two_are_symmetric(name: str) -> None:
    leaves = [Tensor([0.7, 1e-3], requires_grad=True), Tensor([2.5, 3.0], requires_grad=True)]
    first = grad(f(name)(*leaves).sum(), leaves, create_graph=True)
    mixed = [grad(g.sum(), leaves[1 - i], retain_graph=True)[0] for i, g in enumerate(first) if g is not None]
    np.testing.assert_allclose(mixed[0].array, mixed[1].array, rtol=1e-12)  # type: ignore[union-attr]


# ---- incomplete gamma: the condition number is abs(x - a), so the bar grows with it

A = np.concatenate([log_even(1e-3, 20, 40), log_even(20, 300, 30)])
X = np.concatenate([np.roll(log_even(1e-3, 60, 40), 9), log_even(20, 300, 30) * np.linspace(0.4, 2.0, 30)])


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma(name: str) -> None:
    found = three(lambda x: f(name)(A, x), X)
    sign = 1 if name == "gammainc" else -1
    with mp.workprec(200):
        for i in range(len(A)):
            a, x = mp.mpf(float(A[i])), mp.mpf(float(X[i]))
            ends = (0, x) if sign > 0 else (x, mp.inf)
            density = sign * x ** (a - 1) * mp.exp(-x) / mp.gamma(a)
            exact = mp.gammainc(a, *ends, regularized=True), density, density * ((a - 1) / x - 1)
            for got, want in zip(found, exact, strict=True):
                assert far(got[i], want, 0.0) <= BAR * (2 + abs(A[i] - X[i]) / 25), (name, A[i], X[i])


def test_second_derivative_of_an_incomplete_gamma_at_0() -> None:
    (_, first, second) = three(lambda x: f("gammainc")([1.0, 2.0, 3.0], x), np.zeros(3))
    np.testing.assert_array_equal(first, [1, 0, 0])
    np.testing.assert_array_equal(second, [-1, 1, 0])


def test_sinc_and_exprel_at_0_have_all_derivatives() -> None:
    for name, expected in (
        ("sinc", [0, -(np.pi**2) / 3, 0, np.pi**4 / 5, 0, -(np.pi**6) / 7]),
        ("exprel", [1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6, 1 / 7]),
        ("erf", [2 / np.pi**0.5, 0, -4 / np.pi**0.5, 0, 24 / np.pi**0.5, 0]),
        ("i0", [0, 1 / 2, 0, 3 / 8, 0, 5 / 16]),
        ("j1", [1 / 2, 0, -3 / 8, 0, 5 / 16, 0]),
    ):
        x = Tensor(0.0, requires_grad=True)
        y = f(name)(x)
        for value in expected:
            (y,) = grad(y, x, create_graph=True)
            np.testing.assert_allclose(y.array, value, rtol=1e-14, atol=1e-15)
