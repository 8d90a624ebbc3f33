"""Elementwise functions at 20 points each against 16 exact digits: value, first and second derivative.

What may be off is stated point by point: a few units of the last place, or 8 times the error of the better of two other
tools where both lose digits, but nowhere more than `MOST`. Only where an expression as it is written takes the
difference of two terms that float64 has rounded, no program of it can do better than one rounding of the larger.
"""

import numpy as np
import pytest

import gradcli
from tests.cases.commands import given, options, text
from tests.cases.comparing import mismatch
from tests.cases.reading import array, family

CASES = family("accuracy.json")
SMALLEST = 2.3e-308
MOST = 1e-10

CANCELLING = {
    # log(x) is -1 + 3e-17 at 1/e, where the next numbers are 1e-16 away; the slope is x**x + x**x*log(x).
    ("x**x", "d1"): lambda x: x**x,
    # cosh(x) is rounded beside 1: its logarithm has no more digits than cosh(x) - 1.
    ("log(cosh(x))", "value"): lambda x: np.ones_like(x),
    # The slope is sinh(x)/cosh(x), whose slope is 1 - (sinh(x)/cosh(x))**2; logcosh(x) has no such terms.
    ("log(cosh(x))", "d2"): lambda x: np.ones_like(x),
}
"""The size of the terms whose difference a result is: the condition number is that size by the result."""


def within(case, got, want, key):
    allowed = np.minimum(array(case.tolerance["rel_err_allowed"][key]), MOST) * np.maximum(np.abs(want), SMALLEST)
    if (case.text, key) in CANCELLING:
        (x,) = case.wrt
        allowed = allowed + 2 * np.finfo(float).eps * CANCELLING[case.text, key](case.at[x])
    return mismatch(got, want, allowed)


@pytest.mark.parametrize("case", CASES)
def test_value(case):
    assert not within(case, gradcli.parse(case.text).evaluate(case.at).value, case.value, "value")


@pytest.mark.parametrize("case", CASES)
def test_derivative(case):
    (x,) = case.wrt
    want = array(case.more["derivative"][x])
    pulled = gradcli.parse(f"sum({case.text})").diff(case.at, wrt=[x]).gradient[x]
    assert not within(case, pulled, want, "d1")
    pushed = gradcli.parse(case.text).jvp(case.at, tangent={x: np.ones_like(case.at[x])}).tangent
    assert not within(case, pushed, want, "d1")


@pytest.mark.parametrize("case", CASES)
def test_second_derivative(case):
    (x,) = case.wrt
    second = gradcli.parse(f"sum({case.text})").hessian(case.at, wrt=[x]).hessian[x][x]
    assert not within(case, np.diag(second), array(case.more["second_derivative"][x]), "d2")
    assert not second[~np.eye(len(second), dtype=bool)].any()


@pytest.mark.parametrize("case", CASES)
def test_command(run, case):
    (x,) = case.wrt
    ones = text(np.ones_like(case.at[x]))
    found = run("diff", case.text, *given(case.at), *options(case.wrt), "--grad-output", ones, "--json").json
    assert not within(case, array(found["value"]), case.value, "value")
    assert not within(case, array(found["gradient"][x]), array(case.more["derivative"][x]), "d1")
