"""Three ways to a derivative, side by side."""

import numpy as np
import pytest

import gradcli


def test_a_smooth_program_passes():
    found = gradcli.parse("exp(-b*t)*x").check({"b": 0.5, "t": 2.0, "x": 3.0})
    assert found.passed
    assert list(found.variables) == ["b", "t", "x"]
    for name, verdict in found.variables.items():
        assert verdict.passed, name
        assert verdict.max_error < 1e-9
        assert verdict.reverse == pytest.approx(verdict.forward, rel=1e-14)
        assert verdict.reverse == pytest.approx(verdict.numeric, rel=1e-9)


def test_a_jacobian_is_checked_entry_by_entry():
    found = gradcli.parse("A@v").check({"A": [[1.0, 2.0], [3.0, 4.0]], "v": [1.0, 2.0]})
    assert found.passed
    assert len(found.variables["A"].worst) == 3
    assert len(found.variables["v"].worst) == 2


def test_a_kink_is_told_with_both_of_its_sides():
    verdict = gradcli.parse("abs(x)").check({"x": 0.0}).variables["x"]
    assert (verdict.reverse, verdict.left, verdict.right) == pytest.approx((0, -1, 1), abs=1e-9)
    assert verdict.note


def test_detach_makes_a_derivative_that_is_not_that_of_the_values():
    found = gradcli.parse("x*detach(x)").check({"x": 3.0})
    assert not found.passed
    verdict = found.variables["x"]
    assert (verdict.reverse, verdict.forward) == (3, 3)
    assert verdict.numeric == pytest.approx(6, rel=1e-9)


def test_the_worst_entry_is_named():
    found = gradcli.parse("sum(x[:2]**2) + x[2]*detach(x[2])").check({"x": [1.0, 2.0, 3.0]})
    assert found.variables["x"].worst == (2,)


def test_random_draws_are_the_same_in_every_evaluation():
    assert gradcli.parse("sum(x*rand(3) + randn(3))").check({"x": np.ones(3)}).passed


@pytest.mark.parametrize("claim", [np.nan, np.inf, -np.inf])
def test_a_claim_that_is_not_finite_needs_a_slope_that_is_not(claim):
    assert not gradcli.parse("x**2").check({"x": 3.0}, against={"x": claim}).passed
    assert gradcli.parse("sqrt(x)").check({"x": 0.0}, against={"x": claim}).passed == (claim == np.inf)


def test_of_a_large_variable_some_entries_are_compared_and_the_result_says_so():
    few = gradcli.parse("sum(x**2)").check({"x": np.linspace(1, 2, 30_000)}).variables["x"]
    assert few.passed
    assert 1 <= few.compared[0] < 200
    assert few.compared[1] == 30_000
    assert gradcli.parse("sum(x**2)").check({"x": np.linspace(1, 2, 50)}).variables["x"].compared == (50, 50)


def test_slow_functions_are_compared_at_fewer_entries():
    x = np.linspace(0.5, 2, 150)
    quick, slow = (gradcli.parse(f"sum({name}(x))").check({"x": x}).variables["x"] for name in ("exp", "lgamma"))
    assert quick.compared == (150, 150)
    assert slow.passed
    assert slow.compared[0] < 100


@pytest.mark.parametrize(
    "text", ["lgamma(x)*sin(x)", "erf(x)*x", "digamma(x)", "j0(x) - x", "beta(x, 2)", "ndtr(x)**2"]
)
def test_special_functions_have_no_kinks(text):
    found = gradcli.parse(text).check({"x": [1.0, 2.0, 3.0]}).variables["x"]
    assert found.passed
    assert found.note == ""
    assert found.max_error < 1e-7


def test_claims_about_names_that_move_nothing():
    """As for a direction: a name with a value that only dead code reads, or nothing at all, has derivative 0."""
    f = gradcli.parse("u = 2*d; x**3")
    at = {"x": 2.0, "d": [1.0, 2.0], "q": 3.0}
    found = f.check(at, against={"d": [0.0, 0.0], "x": 12.0})
    assert found.passed
    assert list(found.variables) == ["x", "d"]
    assert not f.check(at, against={"q": 1.0}).passed
    with pytest.raises(gradcli.GradcliError, match="there is no value for z"):
        f.check(at, against={"z": 0.0})
    with pytest.raises(gradcli.GradcliError, match="d is none of the variables: x"):
        f.check(at, wrt=["x"], against={"d": [0.0, 0.0]})
