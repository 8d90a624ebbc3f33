"""Elementwise functions at 20 points each against 16 exact digits: value, first and second derivative.

What may be off is stated point by point: a few units of the last place, or 8 times the error of the better of two other
tools where both lose digits.
"""

import numpy as np
import pytest

import gradcli
from tests.cases.commands import given, options, text
from tests.cases.comparing import mismatch
from tests.cases.reading import array, family

CASES = family("accuracy.json")
SMALLEST = 2.3e-308


def within(case, got, want, key):
    allowed = array(case.tolerance["rel_err_allowed"][key]) * np.maximum(np.abs(want), SMALLEST)
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
