"""Kinks, ties, poles and the ends of domains: value and gradient by hand, forward the same as reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.engine import Tensor, function
from gradcli.errors import BadArgument
from gradcli.primitives import TABLE
from tests.primitives.samples import pull, push

inf, nan, pi = np.inf, np.nan, np.pi

# name, operands, value, gradient of each operand
Case = tuple[str, list[Any], Any, list[Any]]

POINTS: list[Case] = [
    ("abs", [[0.0, -0.0, -2.0, nan]], [0, 0, 2, nan], [[0, 0, -1, nan]]),
    ("sign", [[0.0, -3.0, inf]], [0, -1, 1], [[0, 0, 0]]),
    ("floor", [[2.0, -1.5]], [2, -2], [[0, 0]]),
    ("ceil", [[2.0, -1.5]], [2, -1], [[0, 0]]),
    ("trunc", [[2.5, -1.5]], [2, -1], [[0, 0]]),
    ("round", [[2.5, 3.5, -0.5]], [2, 4, 0], [[0, 0, 0]]),
    ("sqrt", [[0.0, -0.0, -1.0, inf]], [0, 0, nan, inf], [[inf, inf, nan, 0]]),
    ("cbrt", [[0.0, -8.0, -0.0]], [0, -2, 0], [[inf, 1 / 12, inf]]),
    ("reciprocal", [[0.0, -2.0]], [inf, -0.5], [[-inf, -0.25]]),
    ("exp", [[1000.0, -inf]], [inf, 0], [[inf, 0]]),
    ("exp2", [[2000.0, 3.0]], [inf, 8], [[inf, 8 * np.log(2)]]),
    ("expm1", [[1000.0, -inf]], [inf, -1], [[inf, 0]]),
    ("log", [[0.0, -0.0, -1.0, inf]], [-inf, -inf, nan, inf], [[inf, inf, nan, 0]]),
    ("log2", [[0.0, -1.0]], [-inf, nan], [[inf, nan]]),
    ("log10", [[0.0, -1.0]], [-inf, nan], [[inf, nan]]),
    ("log1p", [[-1.0, -2.0]], [-inf, nan], [[inf, nan]]),
    ("tanh", [[inf, -1000.0, 0.0]], [1, -1, 0], [[0, 0, 1]]),
    ("sech", [[inf, 1000.0, 0.0]], [0, 0, 1], [[0, 0, 0]]),
    ("asin", [[1.0, -1.0, 2.0]], [pi / 2, -pi / 2, nan], [[inf, inf, nan]]),
    ("acos", [[1.0, -1.0, 2.0]], [0, pi, nan], [[-inf, -inf, nan]]),
    ("acosh", [[1.0, 0.5, -2.0]], [0, nan, nan], [[inf, nan, nan]]),
    ("atanh", [[1.0, -1.0, 2.0, -3.0]], [inf, -inf, nan, nan], [[inf, inf, nan, nan]]),
    ("atan2", [[0.0, 0.0], [0.0, -1.0]], [0, pi], [[0, -1], [0, 0]]),
    ("hypot", [[0.0, 3e200, inf, -inf, 5.0, inf], [0.0, 4e200, 1.0, 1e308, inf, inf]], [0, 5e200, inf, inf, inf, inf],
     [[0, 0.6, 1, -1, 0, nan], [0, 0.8, 0, 0, 1, nan]]),
    ("atan2", [[inf, 1.0, inf], [1.0, -inf, inf]], [pi / 2, pi, pi / 4], [[0, 0, 0], [0, 0, 0]]),
    ("pow", [[0.0, 0.0, 0.0], [2.0, 1.0, 0.0]], [0, 0, 1], [[0, 1, 0], [0, 0, -inf]]),
    ("pow", [[inf, inf, inf, inf], [0.3, -1.0, 0.0, 1.0]], [inf, 0, 1, inf], [[0, 0, 0, 1], [inf, 0, inf, inf]]),
    ("pow", [[0.0, 0.0], [0.5, -1.0]], [0, inf], [[inf, -inf], [0, -inf]]),
    ("pow", [[-2.0, -2.0, -2.0], [2.0, 3.0, 0.5]], [4, -8, nan], [[-4, 12, nan], [nan, nan, nan]]),
    ("div", [[0.0, 1.0], [0.0, 0.0]], [nan, inf], [[inf, inf], [nan, -inf]]),
    ("remainder", [[5.0, -5.0, 6.0, 5.0], [3.0, 3.0, 3.0, 0.0]], [2, 1, 0, nan], [[1] * 4, [-1, 2, -2, -inf]]),
    # Here a/b is rounded up to a whole number.
    ("remainder", [[-0.25, 0.3], [-0.001, 0.1]], [-0.25 % -0.001, 0.3 % 0.1], [[1, 1], [-249, -2]]),
    ("floor_divide", [[5.0], [3.0]], [1], [[0], [0]]),
    ("maximum", [[1.0, nan, 3.0], [1.0, 1.0, 2.0]], [1, nan, 3], [[0.5, nan, 1], [0.5, nan, 0]]),
    ("minimum", [[1.0, nan, 3.0], [1.0, 1.0, 2.0]], [1, nan, 2], [[0.5, nan, 0], [0.5, nan, 1]]),
    ("where", [[2.0, 0.0], [1.0, 1.0], [3.0, 3.0]], [1, 3], [[0, 0], [1, 0], [0, 1]]),
    ("relu", [[0.0, -0.0, -1.0, 2.0]], [0, 0, 0, 2], [[0, 0, 0, 1]]),
    ("sigmoid", [[0.0, 1000.0, -1000.0]], [0.5, 1, 0], [[0.25, 0, 0]]),
    ("softplus", [[0.0, 1000.0, -1000.0]], [np.log(2), 1000, 0], [[0.5, 1, 0]]),
    ("clip", [[1.0, -1.0, 5.0, 0.0], -1.0, 1.0], [1, -1, 1, 0], [[1, 1, 0, 1], 0, 1]),
    ("clip", [[0.0, 2.0, 5.0], 3.0, 1.0], [1, 1, 1], [[0, 0, 0], 0, 3]),
    ("clip", [[0.0], 1.0, 1.0], [1], [[0], 1, 0]),
    ("prod", [[0.0, 2.0, 3.0]], 0, [[6, 0, 0]]),
    ("prod", [[0.0, 0.0, 3.0]], 0, [[0, 0, 0]]),
    ("max", [[1.0, 3.0, 3.0]], 3, [[0, 0.5, 0.5]]),
    ("max", [[nan, 1.0]], nan, [[nan, nan]]),
    ("min", [[1.0, 1.0, 3.0]], 1, [[0.5, 0.5, 0]]),
    ("var", [[1.0, 1.0]], 0, [[0, 0]]),
    ("std", [[1.0, 1.0]], 0, [[0, 0]]),
    ("std", [[3e200, 5e200]], 1e200, [[-0.5, 0.5]]),
    ("logsumexp", [[0.0, 0.0]], np.log(2), [[0.5, 0.5]]),
    ("logsumexp", [[1000.0, 1000.0]], 1000 + np.log(2), [[0.5, 0.5]]),
    ("logsumexp", [[-inf, 0.0]], 0, [[0, 1]]),
    ("logsumexp", [[-inf, -inf]], -inf, [[0, 0]]),
    ("softmax", [[1000.0, 0.0]], [1, 0], [[0, 0]]),
    ("log_softmax", [[1000.0, 0.0]], [0, -1000], [[-1, 1]]),
    ("norm", [[0.0, 0.0]], 0, [[0, 0]]),
    ("norm", [[3e200, 4e200]], 5e200, [[0.6, 0.8]]),
    ("norm", [[3e-200, 4e-200]], 5e-200, [[0.6, 0.8]]),
    ("norm", [[inf, 1.0]], inf, [[1, 0]]),
    ("norm", [[-inf, 1.0, -2.0]], inf, [[-1, 0, 0]]),
    ("norm", [[inf, 1.0, -inf]], inf, [[nan, 0, nan]]),
    ("logsumexp", [[inf, 0.0]], inf, [[1, 0]]),
    ("logsumexp", [[inf, 0.0, inf]], inf, [[0.5, 0, 0.5]]),
    ("softmax", [[inf, 0.0]], [1, 0], [[0, 0]]),
    ("log_softmax", [[inf, 0.0]], [0, -inf], [[-1, 1]]),
    ("normalize", [[inf, 0.0]], [1, 0], [[0, 0]]),
    ("std", [[5.0]], 0, [[0]]),
    ("mean", [[]], nan, [[]]),
    ("sum", [[nan, 1.0]], nan, [[1, 1]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "value", "gradients"), POINTS)
def test_point(name: str, operands: list[Any], value: Any, gradients: list[Any]) -> None:
    leaves = [Tensor(x, requires_grad=True) for x in operands]
    y = function(TABLE[name])(*leaves)
    np.testing.assert_allclose(y.array, value, rtol=1e-15)
    for found, expected in zip(pull(y, leaves, np.ones(y.shape)), gradients, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    for i, (x, expected) in enumerate(zip(leaves, gradients, strict=True)):
        fixed = [x if j == i else Tensor(z.array) for j, z in enumerate(leaves)]
        slope = push(function(TABLE[name])(*fixed), [x], [np.ones(x.shape)])
        if TABLE[name].kind == "elementwise" and y.shape == x.shape:
            np.testing.assert_allclose(slope, expected, rtol=1e-14, atol=1e-15)
        elif not np.isnan(expected).any() and y.shape == ():
            np.testing.assert_allclose(slope, np.sum(expected), atol=1e-15, rtol=1e-12)


def test_a_zero_that_has_a_sign_is_a_zero() -> None:
    """sqrt and log end at 0: -0 is that end too, and the slope there that from the right."""
    for name in ("sqrt", "log", "log2", "log10", "logit"):
        x = Tensor([-0.0], requires_grad=True)
        assert pull(function(TABLE[name])(x), [x], np.ones(1))[0] == inf
    x, y = Tensor([-0.0, 1.0], requires_grad=True), Tensor([1.0, -0.0], requires_grad=True)
    slopes = pull(function(TABLE["log_quotient"])(x, y), [x, y], np.ones(2))
    np.testing.assert_array_equal(slopes, [[inf, 1], [-1, -inf]])


ORDERS = [
    (1, [0.0, -2.0], [0, -1]), (inf, [3.0, -3.0], [0.5, -0.5]), (inf, [0.0, 0.0], [0, 0]), (3, [0.0, 0.0], [0, 0]),
    (0.5, [0.0, 4.0], [0, 1]), (-inf, [1.0, 3.0], [1, 0]), (2, [0.0, 0.0], [0, 0]), (1, [0.0, 0.0], [0, 0]),
    (3, [-2.0, 0.0], [-1, 0]), (3, [-inf, 2.0], [-1, 0]), (1.5, [inf, inf], [nan, nan]), (0, [3.0, 0.0], [0, 0]),
    (-1, [1.0, -2.0], [4 / 9, -1 / 9]), (-1, [0.0, 2.0], [0, 0]), (-2, [inf, 2.0], [0, 1]),
]  # fmt: skip


@pytest.mark.parametrize(("order", "point", "gradient"), ORDERS)
def test_corner_of_a_norm(order: float, point: list[float], gradient: list[float]) -> None:
    x = Tensor(point, requires_grad=True)
    y = function(TABLE["norm"])(x, order)
    np.testing.assert_allclose(pull(y, [x], np.float64(1))[0], gradient, rtol=1e-15)


def test_one_element_has_no_deviation_with_ddof_1() -> None:
    for name in ("var", "std"):
        x = Tensor([2.0], requires_grad=True)
        y = function(TABLE[name])(x, ddof=1)
        assert np.isnan(y.array)
        assert np.isnan(pull(y, [x], np.float64(1))[0]).all()


def marked(name: str, *operands: Any, **params: Any) -> list[bool]:
    found: Any = False
    for kink in TABLE[name].kinks:
        found = found | kink.where(*map(np.asarray, operands), **params)
    return np.ravel(found).tolist()


KINKS: list[tuple[str, list[Any], list[bool]]] = [
    ("abs", [[0.0, 1.0]], [True, False]),
    ("log1p", [[-1.0, 0.0]], [True, False]),
    ("round", [[2.5, -0.5, 2.0]], [True, True, False]),
    ("floor", [[2.0, 2.5]], [True, False]),
    ("clip", [[0.0, 1.0], 1.0, 2.0], [False, True]),
    ("atan2", [[0.0, 0.0, 0.0], [0.0, -1.0, 1.0]], [True, True, False]),
    ("pow", [[0.0, 0.0, 0.0, 1.0], [0.5, 2.0, 0.0, 0.5]], [True, False, False, False]),
]


@pytest.mark.parametrize(("name", "operands", "expected"), KINKS)
def test_kinks_are_found(name: str, operands: list[Any], expected: list[bool]) -> None:
    assert marked(name, *operands) == expected


@pytest.mark.parametrize("name", ["max", "min"])
def test_ties_are_found(name: str) -> None:
    assert marked(name, [[2.0, 2.0], [1.0, 3.0]], axis=(-1,)) == [True, True, False, False]


def test_kinks_of_norms_are_found() -> None:
    x = np.array([3.0, -3.0, 0.0])
    assert marked("norm", x, axis=(-1,), order=inf, inner=()) == [True, True, False]
    assert marked("norm", x, axis=(-1,), order=1.0, inner=()) == [False, False, True]
    assert marked("norm", 0 * x, axis=(-1,), order=2.0, inner=()) == [True] * 3
    rows = [[1.0, 1.0], [0.0, 3.0]]
    # The largest row sum is 3, and of its row the 0 is a corner.
    assert marked("norm", rows, axis=(-2, -1), order=inf, inner=(-1,)) == [False, False, True, False]
    assert marked("std", [[1.0, 1.0], [1.0, 2.0]], axis=(-1,), count=2.0, divisor=2.0) == [True, True, False, False]


Call = Callable[[], Any]
REFUSED: list[tuple[str, Call, str]] = [
    ("no elements", lambda: function(TABLE["max"])([]), "nothing to choose from"),
    ("no elements along", lambda: function(TABLE["min"])(np.zeros((2, 0)), axis=1), "nothing to choose from"),
    ("max of two", lambda: function(TABLE["max"])([1], [2]), "at most 1"),
    ("order nan", lambda: function(TABLE["norm"])([1, 2], nan), "is a number, not nan"),
    ("a word for a vector", lambda: function(TABLE["norm"])([1, 2], "fro"), "is a number, not 'fro'"),
    ("nuclear of a vector", lambda: function(TABLE["norm"])([1, 2], "nuc"), "is a number, not 'nuc'"),
    ("order 3 of a matrix", lambda: function(TABLE["norm"])([[1, 2], [3, 4]], 3), "no norm of order 3"),
    ("a foreign word", lambda: function(TABLE["norm"])([[1, 2]], "__class__"), "no norm of order"),
    ("an order of three axes", lambda: function(TABLE["norm"])(np.ones((1, 1, 1)), 1), "1 or 2 axes"),
    ("numbers to a mask", lambda: function(TABLE["bitwise_and"])([1], [2]), "masks only"),
    ("a number inverted", lambda: function(TABLE["bitwise_not"])(3), "masks only"),
    ("a mask and a number", lambda: function(TABLE["bitwise_or"])(np.array([True]), 1), "masks only"),
]


@pytest.mark.parametrize(("call", "message"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(call: Call, message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()


def test_the_hint_for_two_arguments_of_max() -> None:
    with pytest.raises(BadArgument) as caught:
        function(TABLE["max"])([1, 2], [3, 4])
    assert caught.value.help == "max(x, axis=0) or maximum(x, y)?"
