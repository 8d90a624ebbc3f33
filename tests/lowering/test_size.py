"""Large programs: nothing recurses, and the time grows with the length."""

from importlib import import_module

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError, LimitExceeded


def test_a_sum_of_100_000_terms():
    found = gradcli.parse("+".join(["x"] * 100_000)).diff({"x": 2.0})
    assert (found.value, found.gradient["x"]) == (200_000, 100_000)


def test_10_000_parentheses():
    found = gradcli.parse("(" * 10_000 + "x" + ")" * 10_000).diff({"x": 2.0})
    assert (found.value, found.gradient["x"]) == (2, 1)


def test_5_000_calls_within_one_another():
    found = gradcli.parse("neg(" * 5_000 + "x" + ")" * 5_000).diff({"x": 2.0})
    assert (found.value, found.gradient["x"]) == (2, 1)


def test_20_000_statements():
    found = gradcli.parse("y = x\n" + "y = y + 0.001*y\n" * 20_000 + "y").diff({"x": 1e-9})
    np.testing.assert_allclose(found.gradient["x"], 1.001**20_000, rtol=1e-11)
    np.testing.assert_allclose(found.value, 1e-9 * 1.001**20_000, rtol=1e-11)


def test_60_doublings_take_no_time():
    assert gradcli.parse("a = x\n" + "a = a + a\n" * 60 + "a").diff({"x": 1.0}).gradient["x"] == 2.0**60


def test_a_tower_of_powers():
    assert gradcli.parse("2**" * 3000 + "x").evaluate({"x": 1.0}).value == np.inf


def test_many_names():
    n = 3000
    found = gradcli.parse("+".join(f"x{i}**2" for i in range(n))).diff({f"x{i}": float(i) for i in range(n)})
    assert found.gradient == {f"x{i}": 2.0 * i for i in range(n)}


def test_calls_that_double_at_every_level_are_stopped(monkeypatch):
    monkeypatch.setattr(import_module("gradcli.lowering.expressions"), "MAX_STEPS", 50_000)
    text = "f0(x) = x + 1\n" + "\n".join(f"f{i}(x) = f{i - 1}(x) + f{i - 1}(x)" for i in range(1, 30)) + "\nf29(1)"
    with pytest.raises(LimitExceeded, match="more than 50000 operations"):
        gradcli.parse(text).evaluate({})


def test_a_nest_of_lists_beyond_what_arrays_can_have():
    with pytest.raises(GradcliError):
        gradcli.parse("[" * 70 + "1" + "]" * 70).evaluate({})
