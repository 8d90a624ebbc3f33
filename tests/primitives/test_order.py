"""Order, running results and statistics: ties, zeros, nan and other awkward points, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import Tensor, function, grad
from gradcli.errors import BadArgument, EvaluationError
from gradcli.primitives import TABLE

nan, inf = np.nan, np.inf


def slope(text: str, x: Any) -> Any:
    return np.asarray(gradcli.parse(text).diff({"x": np.asarray(x, float)}).gradient["x"])


def jacobian(text: str, x: Any) -> Any:
    return np.asarray(gradcli.parse(text).jacobian({"x": np.asarray(x, float)}).jacobian["x"])


def notes(text: str, x: Any) -> list[str]:
    return [note.reason for note in gradcli.parse(text).diff({"x": np.asarray(x, float)}).notes]


GRADIENTS: list[tuple[str, list[float], list[float]]] = [
    ("sum(sort(x)*[1, 10, 100])", [2, 1, 2], [10, 1, 100]),
    ("sum(sort(x, descending=True)*[1, 10])", [1, 3], [10, 1]),
    ("sum(topk(x, 2)*[1, 10])", [1, 3, 3], [0, 1, 10]),
    ("sum(topk(x, 1, largest=False))", [1, 1, 3], [1, 0, 0]),
    ("sum(cummax(x))", [2, 2, 1], [1, 2, 0]), ("sum(cummin(x))", [2, 1, 3], [1, 2, 0]),
    ("median(x)", [4, 1, 3, 2], [0, 0, 0.5, 0.5]), ("median(x)", [3, 1, 2], [0, 0, 1]), ("median(x)", [1, nan], [0, 1]),
    ("quantile(x, 0.25)", [1, 2, 3, 4], [0.25, 0.75, 0, 0]), ("percentile(x, 0)", [2, 1], [0, 1]),
    ("quantile(x, 1)", [2, 1], [1, 0]), ("quantile(x, 0.5)", [inf, 1, 2], [0, 0, 1]),
    ("ptp(x)", [1, 1], [0, 0]), ("ptp(x)", [1, 5, 5, 3], [-1, 0.5, 0.5, 0]),
    ("nansum(x)", [nan, 1], [0, 1]), ("nanmean(x)", [nan, 1, 3], [0, 0.5, 0.5]), ("nanmax(x)", [nan, 1, 3], [0, 0, 1]),
    ("nanmean(x**2)", [nan, 1, 2, 3, 4], [0, 0.5, 1, 1.5, 2]), ("nansum(sqrt(x))", [-1, 4], [0, 0.25]),
    ("sum(cumprod(x))", [0, 2, 3], [9, 0, 0]), ("sum(cumprod(x))", [0, 0, 3], [1, 0, 0]),
    ("sum(cumprod(x))", [0, 3, 0, 5], [4, 0, 0, 0]), ("cumprod(x)[-1]", [2, 0, 3], [0, 6, 0]),
    ("logcumsumexp(x)[1]", [1000, 1000], [0.5, 0.5]), ("sum(logcumsumexp(x))", [-1000, 0], [1, 1]),
    ("logcumsumexp(x)[1]", [-inf, 0], [0, 1]), ("logcumsumexp(x)[1]", [-inf, -inf], [0, 0]),
    ("average(x, weights=[3, 1])", [1, 2], [0.75, 0.25]), ("average([1, 3], weights=x)", [1, 1], [-0.5, 0.5]),
    ("trapezoid(x)", [1, 2, 4], [0.5, 1, 0.5]), ("trapezoid(x, [0, 1, 3])", [1, 2, 4], [0.5, 1.5, 1]),
    ("trapezoid([1, 2, 4], x)", [0, 1, 3], [-1.5, -1.5, 3]), ("sum(trapezoid([1, 2, 4], dx=x[0]))", [1], [4.5]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x", "expected"), GRADIENTS)
def test_gradient(text: str, x: list[float], expected: list[float]) -> None:
    np.testing.assert_allclose(slope(text, x), expected, rtol=1e-14, atol=1e-15)


LANES: list[tuple[str, list[float], Any]] = [
    ("sort(sqrt(x))[1]", [0, 1], [0, 0.5]), ("sort(sqrt(x))", [0, 1], [[inf, 0], [0, 0.5]]),
    ("median(sqrt(x))", [0, 1, 4], [0, 0.5, 0]), ("topk(sqrt(x), 1)", [0, 1], [[0, 0.5]]),
    ("cummax(sqrt(x))[1]", [0, 1], [0, 0.5]), ("ptp(where(x > 0, log(x), 0))", [1, 2, -1], [-0.5, 0.5, 0]),
    ("nanmax(sqrt(x))", [0, 1], [0, 0.5]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x", "expected"), LANES)
def test_what_is_not_chosen_contributes_nothing(text: str, x: list[float], expected: Any) -> None:
    np.testing.assert_allclose(jacobian(text, x), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "x", "count"),
    [
        ("sort(x)[0]", [1, 1, 2], 1), ("sort(x)[2]", [1, 1, 2], 0), ("median(x)", [1, 2, 2], 1),
        ("median(x)", [1, 1, 2, 3], 1), ("median(x)", [0, 0, 1, 2, 3], 0),
        ("sum(sort(x)*[[1, 2], [3, 4]])", [[1, 2], [1, 2]], 0), ("ptp(x)", [1, 1], 1),
        ("topk(x, 1)[0]", [3, 1, 1], 0), ("quantile(x, 0.5)", [1, 2, 3], 0),
    ],
)  # fmt: skip
def test_ties_carry_a_note_where_they_matter(text: str, x: Any, count: int) -> None:
    assert notes(text, x) == ["a tie: equal elements"] * count


@pytest.mark.parametrize("text", ["argmax(x)", "argmin(x)", "sum(argsort(x))", "count_nonzero(x)"])
def test_positions_and_counts_have_no_derivative(text: str) -> None:
    np.testing.assert_array_equal(slope(text, [3, 1, 2]), np.zeros(3))
    assert notes(text, [3, 1, 2]) == ["a position or count: it has no derivative"]


@pytest.mark.parametrize("text", ["any(x)", "all(x)", "any(x)*sum(x**0)", "sum(any([x, x], axis=0))", "any(x - 3)"])
def test_truths_have_no_derivative(text: str) -> None:
    np.testing.assert_array_equal(slope(text, [3, 1, 2]), np.zeros(3))
    assert notes(text, [3, 1, 2]) == ["true or false: it has no derivative"]
    f = gradcli.parse(text)
    for x in ([3, 1, 2], [1, 2, 3], [3, 1, 2], [0, 0, 1]):
        found = f.diff({"x": x})
        np.testing.assert_array_equal(found.gradient["x"], np.zeros(3))
        assert [note.reason for note in found.notes] == ["true or false: it has no derivative"]


def test_truths_that_only_choose_carry_no_note() -> None:
    for text in ("where(any(x), 2*x[0], x[1])", "any(x > 1)*x[0]*2"):
        np.testing.assert_array_equal(slope(text, [3, 1, 2]), [2, 0, 0])
        assert notes(text, [3, 1, 2]) == []


def test_a_position_may_choose_an_element() -> None:
    np.testing.assert_array_equal(slope("x[argmax(x)]**2", [3, 1, 2]), [6, 0, 0])
    assert notes("x[argmax(x)]**2", [3, 1, 2]) == []


def test_any_and_all_are_masks() -> None:
    for text, expected in (("any(x > 2)", True), ("all(x > 2)", False), ("all(x)", True)):
        assert bool(gradcli.parse(text).evaluate({"x": [1.0, 3.0]}).value) is expected
    value = gradcli.parse("any(x > 2, axis=1)").evaluate({"x": [[1.0, 3.0], [0.0, 1.0]]}).value
    np.testing.assert_array_equal(value, [True, False])


def test_higher_derivatives_of_running_products_at_zeros() -> None:
    """d3/dx0 dx1 dx2 of x0*x1*x2 is 1, at zeros too."""
    x = Tensor([0.0, 0.0, 0.0], requires_grad=True)
    y = function(TABLE["cumprod"])(x)[2]
    for i in range(3):
        (found,) = grad(y, x, create_graph=True)
        assert found is not None
        y = found[i]
    assert y.item() == 1


def test_hessian_of_a_running_product() -> None:
    x = np.array([0.0, 2.0, 0.0])
    found = gradcli.parse("sum(cumprod(x))").hessian({"x": x}).hessian["x"]["x"]
    # x0 + x0*x1 + x0*x1*x2
    np.testing.assert_allclose(found, [[0, 1, 2], [1, 0, 0], [2, 0, 0]], rtol=1e-12)


def test_covariance_of_equal_elements() -> None:
    assert np.isnan(slope("corrcoef(x)[0, 1]", [[1, 1, 1], [1, 2, 4]])).any()
    np.testing.assert_array_equal(slope("cov(x)[0, 0]", [[1, 1, 1], [1, 2, 4]])[0], np.zeros(3))


def test_correlation_does_not_feel_scale_and_shift() -> None:
    found = slope("corrcoef(x)[0, 1]", [[1, 2, 4], [3, 1, 1]])
    np.testing.assert_allclose(np.sum(found, axis=1), 0, atol=1e-15, rtol=1e-12)
    np.testing.assert_allclose(np.sum(found * [[1, 2, 4], [3, 1, 1]], axis=1), 0, atol=1e-15, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "x", "message"),
    [
        ("sum(topk(x, 4))", [1, 2], "2 elements to choose 4 from"),
        ("quantile(x, 2)", [1, 2], "q lies between 0 and 1"),
        ("median(x)", [], "nothing to choose from"), ("argmax(x)", [], "nothing to choose from"),
        ("sum(partition(x, 5))", [1, 2], "no element 5"),
        ("average(x, weights=[1, 2, 3])", [1, 2], "do not|must match"),
        ("sort(x, axis=3)", [1, 2], "no axis 3"), ("cov(x)", [[[1.0]]], "a vector or a matrix"),
    ],
)  # fmt: skip
def test_refused(text: str, x: Any, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        slope(text, x)


@pytest.mark.parametrize(("text", "q", "slope_in_q"), [
    ("quantile([5, 1, 2], q)", 0.7, 6.0), ("quantile([5, 1, 2], q)", 0.2, 2.0), ("quantile([5, 1, 2], q)", 0.5, 6.0),
    ("percentile([5, 1, 2], q)", 70.0, 0.06), ("quantile([4], q)", 0.3, 0.0),
    ("sum(quantile([[5, 1, 2], [0, 0, 9]], q, axis=1))", 0.7, 24.0),
])  # fmt: skip
def test_the_slope_of_a_quantile_in_its_level(text: str, q: float, slope_in_q: float) -> None:
    """The gap to the next element, by the part that is one step; at an element that of the gap above."""
    for _ in range(3):
        np.testing.assert_allclose(gradcli.parse(text).diff({"q": q}).gradient["q"], slope_in_q, rtol=1e-14)
    np.testing.assert_allclose(gradcli.parse(text).jvp({"q": q}, tangent={"q": 1.0}).tangent, slope_in_q, rtol=1e-14)


def test_a_level_of_several_numbers_is_refused() -> None:
    with pytest.raises(EvaluationError, match="q is one number"):
        gradcli.parse("quantile([1, 2, 3], q)").diff({"q": [0.5, 0.2]})


def test_several_axes_and_kept_ones() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    for name, reference in (("median", np.median), ("ptp", np.ptp), ("nanmean", np.nanmean)):
        found = function(TABLE[name])(x, axis=(0, 2), keepdims=True).array
        np.testing.assert_allclose(found, reference(x, axis=(0, 2), keepdims=True), rtol=1e-12)


def test_places_that_are_not_given_have_derivative_0() -> None:
    program = gradcli.parse("trapezoid([1, 2, 4], x)")
    assert program.diff({"x": nan}).gradient["x"] == 0
    assert program.jvp({"x": nan}, {"x": 1.0}).tangent == 0


def test_no_elements() -> None:
    assert function(TABLE["nansum"])([]).item() == 0
    assert function(TABLE["sort"])([]).shape == (0,)
    with pytest.raises(BadArgument):
        function(TABLE["ptp"])([])
