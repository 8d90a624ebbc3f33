"""Slopes at infinity: where a smooth function has a value there, its slope is the limit of its slopes."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from gradcli.engine import Tensor, function, grad
from gradcli.primitives import TABLE
from tests.primitives.accuracy import ELEMENTARY
from tests.primitives.samples import pull, push

inf, nan = np.inf, np.nan


def limit(name: str, sign: int) -> float:
    """Where the exact slope goes, from two places far out."""
    near, far = (ELEMENTARY[name][0](sign * mp.mpf(10) ** digits) for digits in (160, 320))
    if abs(far - near) <= 1e-9 * abs(far):
        return float(far)
    return 0.0 if abs(far) < abs(near) else float(mp.sign(far)) * inf


TOLD_ELSEWHERE = {"sin", "cos", "tan", "sec", "csc", "cot", "haversine", "smoothstep"}
"""Waves, which have no limit, and what is a constant far out."""
ENDS = [(name, sign) for name in ELEMENTARY for sign in (1, -1) if name not in TOLD_ELSEWHERE]


@pytest.mark.parametrize(("name", "sign"), ENDS)
def test_slope_at_infinity(name: str, sign: int) -> None:
    x = Tensor(sign * inf, requires_grad=True)
    y = function(TABLE[name])(x)
    if np.isnan(y.array):
        assert np.isnan(pull(y, [x], np.ones(()))[0]), "outside of the domain there is no slope"
        return
    if name == "entr" and sign < 0:
        return  # -inf by convention, outside of the domain
    expected = limit(name, sign)
    assert pull(y, [x], np.ones(()))[0] == expected
    assert push(function(TABLE[name])(x), [x], [np.ones(())]) == expected
    if np.isfinite(expected):
        (slope,) = grad(function(TABLE[name])(x), x, create_graph=True)
        curved = grad(slope, x)[0].array if slope.requires_grad else 0.0
        assert curved in {"square": (2,), "below_one": (-2,)}.get(name, (0,))


# name, operands, first and second derivative in the first of them
POINTS: list[tuple[str, list[Any], float, float]] = [
    ("log_ndtr", [inf], 0, 0), ("log_ndtr", [-inf], inf, -1), ("log_ndtr", [-1e300], 1e300, -1),
    ("hypot", [inf, 1.0], 1, 0), ("hypot", [-inf, 1e308], -1, 0), ("hypot", [1.0, inf], 0, 0),
    ("atan2", [inf, 1.0], 0, 0), ("atan2", [1.0, inf], 0, 0), ("atan2", [inf, -inf], 0, 0),
    ("celu", [2.0, nan], 1, 0), ("celu", [2.0, 0.0], 1, 0), ("celu", [inf, inf], 1, 0), ("celu", [-inf, 2.0], 0, 0),
    ("elu", [2.0, nan], 1, 0), ("leaky_relu", [2.0, nan], 1, 0), ("prelu", [2.0, inf], 1, 0),
    ("log1mexp", [0.0], inf, -inf), ("cbrt", [-inf], 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "first", "second"), POINTS)
def test_point(name: str, operands: list[Any], first: float, second: float) -> None:
    x = Tensor(operands[0], requires_grad=True)
    (slope,) = grad(function(TABLE[name])(x, *operands[1:]), x, create_graph=True)
    pushed = push(function(TABLE[name])(x, *operands[1:]), [x], [np.ones(())])
    np.testing.assert_allclose([slope.array, pushed], first, rtol=1e-15)
    if slope.requires_grad:
        np.testing.assert_allclose(grad(slope, x)[0].array, second, rtol=1e-15)


GATES = ["leaky_relu", "prelu", "elu", "celu", "softshrink", "hardshrink", "threshold", "hardtanh", "clip"]


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_parameters_of_a_branch_that_is_not_taken(name: str, bad: float) -> None:
    """Wherever such a parameter leaves the value what it is, its gradient is 0 and that in x is a number."""
    values = [p for p in TABLE[name].signature.parameters if p.type == "value"]
    for place in range(1, len(values)):
        for point in (2.0, -2.0):
            given = [-0.5, 0.75][: len(values) - 1] if name in ("hardtanh", "clip") else [0.5, 0.25][: len(values) - 1]
            leaves = [Tensor(point, requires_grad=True), *(Tensor(p, requires_grad=True) for p in given)]
            usual = function(TABLE[name])(*leaves)
            leaves[place] = Tensor(bad, requires_grad=True)
            y = function(TABLE[name])(*leaves)
            other = function(TABLE[name])(*[Tensor(7.5) if i == place else x for i, x in enumerate(leaves)])
            if usual.array == y.array == other.array:
                slopes = pull(y, leaves, np.ones(()))
                assert slopes[place] == 0
                assert not np.isnan(slopes[0])


def test_the_slope_of_celu_in_its_parameter() -> None:
    alpha = Tensor([1.0, nan, 2.0, 0.5, 0.5], requires_grad=True)
    x = Tensor([1.0, 1.0, -inf, -1.0, -1e-9], requires_grad=True)
    slopes = pull(function(TABLE["celu"])(x, alpha), [x, alpha], np.ones(5))
    z = mp.mpf(-2)
    exact = [0, 0, -1, mp.expm1(z) - z * mp.exp(z), -(mp.mpf(2e-9) ** 2) / 2 * (1 - mp.mpf(4e-9) / 3)]
    np.testing.assert_allclose(slopes[1], np.array([float(e) for e in exact]), rtol=1e-14)
    np.testing.assert_allclose(slopes[0], [1, 1, 0, np.exp(-2), 1], rtol=1e-8)
