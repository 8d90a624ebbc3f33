"""A check where there is no number to agree on: outside of a domain, at poles and jumps, where values overflow."""

import numpy as np
import pytest

import gradcli

inf, nan = np.inf, np.nan

NO_NUMBER = [
    ("log(x)", -1.0), ("log(x)", [1.0, -1.0]), ("sum(sqrt(abs(x)))", [0.0, 1.0, -2.0]), ("sqrt(x)", -4.0),
    ("arcsin(x)", 2.0), ("x*log(x)", 0.0), ("x - x", inf), ("sin(x)", inf), ("sum(x)", [nan, 1.0]), ("2*x", nan),
    ("x/x", 0.0), ("sqrt(x)**2", 0.0), ("exp(x)*0", 1000.0), ("sign(x)", 0.0), ("heaviside(x, 0.5)", 0.0),
    ("x.T", inf), ("det(x)", [[nan, 1.0], [2.0, 3.0]]), ("(-1)**x", 0.5), ("gamma(x)", -1.0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x"), NO_NUMBER)
def test_nan_agrees_with_nothing(text, x):
    found = gradcli.parse(text).check({"x": x})
    one = found.variables["x"]
    assert not found.passed
    assert not one.passed
    assert one.note == "not a number here"
    assert np.isnan([one.reverse, one.forward, one.numeric]).any()
    assert found.culprit is None


POLES = [
    ("sqrt(x)", 0.0, inf), ("log(x)", 0.0, inf), ("1/x", 0.0, -inf), ("arcsin(x)", 1.0, inf), ("arccos(x)", 1.0, -inf),
    ("cbrt(x)", 0.0, inf), ("exp(x)", 1000.0, inf), ("-exp(x)", 1000.0, -inf), ("x**2", 1e200, 2e200),
    ("x**3", 1e200, inf), ("sqrt(x)", [0.0, 4.0], inf),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x", "slope"), POLES)
def test_modes_that_are_infinite_alike_agree_and_the_result_says_so(text, x, slope):
    found = gradcli.parse(text).check({"x": x})
    one = found.variables["x"]
    assert found.passed
    assert one.reverse == one.forward == slope
    assert bool(one.note) == np.isinf(slope)


CLAIMS = [
    ("sqrt(x)", 0.0, 5.0), ("sqrt(x)", 0.0, -inf), ("sqrt(x)", 0.0, nan), ("log(x)", -1.0, nan), ("log(x)", -1.0, -1.0),
    ("sum(sqrt(abs(x)))", [0.0], [0.0]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x", "claim"), CLAIMS)
def test_no_claim_fits_what_is_no_number(text, x, claim):
    found = gradcli.parse(text).check({"x": x}, against={"x": claim})
    assert not found.passed
    assert found.variables["x"].note


def test_a_pole_in_one_mode_alone_is_a_disagreement(monkeypatch):
    from gradcli.modes import check

    whole = check.push
    for wrong in (inf, -inf, nan, 2.5):
        monkeypatch.setattr(check, "push", lambda *a, wrong=wrong, **k: np.full_like(whole(*a, **k), wrong))
        for text, x in (("sin(x)", 2.0), ("sqrt(x)", 0.0)):
            found = gradcli.parse(text).check({"x": x})
            assert found.passed == (text == "sqrt(x)" and wrong == inf), (text, wrong)


def test_what_is_not_finite_is_the_worst_entry_that_passes():
    one = gradcli.parse("sqrt(x)").check({"x": [4.0, 0.0, 9.0]}).variables["x"]
    assert one.worst == (1, 1)
    one = gradcli.parse("log(x)").check({"x": [4.0, -1.0, 0.0]}).variables["x"]
    assert one.worst[0] == 1


SMALL = [1e-300, 1e-100, 1e-20, 1e-9, 3.7e-5]


@pytest.mark.parametrize("x", SMALL)
@pytest.mark.parametrize("text", ["log(x)", "sqrt(x)", "1/x", "x**0.3", "exp(x)", "sin(x) + 1", "x**2"])
def test_difference_quotients_know_points_near_0(text, x):
    if text == "1/x" and x == 1e-300:
        x = 1e-150
    one = gradcli.parse(text).check({"x": x}).variables["x"]
    assert one.passed
    assert one.numeric == pytest.approx(one.reverse, rel=1e-6, abs=1e-9)


def test_difference_quotients_stay_in_the_domain():
    assert gradcli.parse("cholesky(x)").check({"x": [[1e-4]]}).variables["x"].numeric == pytest.approx(50.0)
    assert gradcli.parse("inv(x)").check({"x": [[1e-4]]}).variables["x"].numeric == pytest.approx(-1e8)


@pytest.mark.parametrize("text", ["sin(1e9*x)", "round(1e6*x)", "floor(1e6*x)*x", "x + floor(1e9*x)*0"])
def test_values_that_turn_quickly_are_told(text):
    assert gradcli.parse(text).check({"x": 0.3000004711}).passed


def test_a_slope_that_the_last_bit_of_the_point_decides_is_not_told():
    found = gradcli.parse("sin(1e14*x)").check({"x": 0.3000004711})
    assert found.variables["x"].note == "not a number here"
    assert found.culprit is None
