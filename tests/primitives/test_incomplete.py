"""The derivatives of the incomplete gamma functions in their order, against mpmath, in both tails."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

import gradcli
from gradcli.engine import Tensor, function, grad
from gradcli.errors import NotDifferentiable
from gradcli.primitives import TABLE
from tests.primitives.samples import pull, push

inf, nan = np.inf, np.nan
lower, upper = function(TABLE["gammainc"]), function(TABLE["gammaincc"])


def exact(a: float, x: float) -> Any:
    """Term by term of x^a exp(-x)/gamma(a+1) * sum of x^n/(a+1)_n (DLMF 8.11.4), with digits for their cancellation."""
    with mp.workprec(250 + int(3 * x)):
        a, x = mp.mpf(a), mp.mpf(x)
        start, term, steps = mp.log(x) - mp.digamma(a + 1), mp.mpf(1), mp.mpf(0)
        total, n = start, 0
        while n < x or abs(term * steps) > mp.eps * abs(total):
            n += 1
            term, steps = term * x / (a + n), steps + 1 / (a + n)
            total += term * (start - steps)
        return +(mp.exp(a * mp.log(x) - x) / mp.gamma(a + 1) * total)


RNG = np.random.default_rng(51)
LARGE = RNG.uniform(20, 200, 12)
POINTS = np.concatenate(
    [
        np.exp(RNG.uniform(-20, 3, (2, 30))), RNG.uniform(0, 1.5, (2, 30)),
        [RNG.uniform(0, 20, 30), RNG.uniform(0, 60, 30)], [RNG.uniform(0, 2, 15), np.exp(RNG.uniform(-600, -10, 15))],
        [LARGE, LARGE * RNG.uniform(0.5, 2, 12)], [LARGE, LARGE + np.sqrt(LARGE) * RNG.uniform(-3, 3, 12)],
        [[0.5, 15.0], [650.0, 300.0]],
    ],
    axis=1,
)  # fmt: skip


def test_the_slope_in_the_order_everywhere() -> None:
    a, x = POINTS
    wanted = [exact(float(p), float(q)) for p, q in zip(a, x, strict=True)]
    order = Tensor(a, requires_grad=True)
    found = pull(lower(order, x), [order], np.ones(a.shape))[0]
    error = [
        float(abs(mp.mpf(float(f)) - w) / max(abs(w), mp.mpf("1e-290"))) for f, w in zip(found, wanted, strict=True)
    ]
    assert max(error) < 3e-14, POINTS[:, np.argmax(error)]
    np.testing.assert_array_equal(push(lower(order, x), [order], [np.ones(a.shape)]), found)
    np.testing.assert_array_equal(pull(upper(order, x), [order], np.ones(a.shape))[0], -found)


# order, point, derivative of gammainc in the order
KNOWN = [
    (3.0, 2.0, -0.231848672044), (1.0, 1.0, -0.431729710635), (3.0, 0.0, 0.0), (0.5, 0.0, 0.0), (3.0, inf, 0.0),
    (0.0, 1.0, -0.219383934396), (-1.0, 2.0, nan), (2.0, -1.0, nan), (nan, 1.0, nan), (1.0, nan, nan),
]  # fmt: skip


@pytest.mark.parametrize(("a", "x", "slope"), KNOWN)
def test_known_slopes(a: float, x: float, slope: float) -> None:
    """At order 0 it is the exponential integral, -E1(x)."""
    order = Tensor(a, requires_grad=True)
    np.testing.assert_allclose(pull(lower(order, x), [order], np.ones(()))[0], slope, rtol=1e-11)


def test_an_order_far_out() -> None:
    """At a = 1e8 the distribution is normal: the slope is -density(0)/sqrt(a), to one part in a."""
    order = Tensor(1e8, requires_grad=True)
    found = pull(lower(order, 1e8), [order], np.ones(()))[0]
    np.testing.assert_allclose(found, -1e-4 / np.sqrt(2 * np.pi), rtol=1e-8)


def test_the_mixed_second_derivative_is_that_of_the_density() -> None:
    """x^(a-1) exp(-x) (log(x) - digamma(a))/gamma(a), whichever comes first."""
    a, x = Tensor([0.5, 3.0, 30.0], requires_grad=True), Tensor([0.7, 2.0, 25.0], requires_grad=True)
    of_a, of_x = grad(lower(a, x).sum(), [a, x], create_graph=True)
    first, second = grad(of_a.sum(), x, retain_graph=True)[0], grad(of_x.sum(), a)[0]
    wanted = [
        float(mp.mpf(q) ** (p - 1) * mp.exp(-q) * (mp.log(q) - mp.digamma(p)) / mp.gamma(p))
        for p, q in zip(a.array, x.array, strict=True)
    ]
    np.testing.assert_allclose(first.array, wanted, rtol=1e-12)
    np.testing.assert_allclose(second.array, wanted, rtol=1e-12)


def test_a_second_derivative_in_the_order_is_refused() -> None:
    a = Tensor(2.0, requires_grad=True)
    (slope,) = grad(lower(a, 1.0), a, create_graph=True)
    with pytest.raises(NotDifferentiable, match="no second derivative in their first argument"):
        grad(slope, a)


@pytest.mark.parametrize("a", [0.5, 1.0, 2.0, 30.0])
def test_no_slope_of_any_order_is_left_at_infinity(a: float) -> None:
    for text in ("gammainc(a, x)", "gammaincc(a, x)"):
        found = gradcli.parse(f"a = {a}; {text}").diff({"x": np.inf}, order=4)
        assert [*found.derivatives] == [0, 0, 0, 0]
