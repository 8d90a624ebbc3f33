"""Large programs: nothing recurses, and the time grows with the length."""

from importlib import import_module
from time import process_time

import numpy as np
import pytest

import gradcli
from gradcli.errors import BadArgument, GradcliError, LimitExceeded


def seconds(work):
    start = process_time()
    work()
    return process_time() - start


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


@pytest.mark.parametrize("body", ["a", "a + 1"])
@pytest.mark.parametrize(
    "twice", ["f{0}(f{0}(a))", "f{0}(a) + f{0}(a)", "[f{0}(a), f{0}(a)][0]", "sum(f{0}(f{0}(a)), axis=None)"]
)
def test_calls_are_counted_before_they_are_written_out(body, twice):
    """Not even calls of functions that do nothing may double at every level without an end."""
    lines = [f"f0(a) = {body}", *(f"f{i}(a) = {twice.format(i - 1)}" for i in range(1, 60))]
    start = process_time()
    with pytest.raises(LimitExceeded, match="more than 1000000 operations") as caught:
        gradcli.parse("\n".join([*lines, "f59(x)"]))
    assert process_time() - start < 1
    assert caught.value.source.cut(caught.value.span) == "f59(x)"


def test_calls_count_together(monkeypatch):
    monkeypatch.setattr(import_module("gradcli.lowering.expressions"), "MAX_STEPS", 1000)
    text = "f(a) = a\ng(a) = f(f(f(a)))\nh(a) = g(a) + g(a)\n"
    assert gradcli.parse(text + "+".join(["h(x)"] * 80)).evaluate({"x": 1.0}).value == 160  # 10 a call: 2 g, 6 f, +, h
    with pytest.raises(LimitExceeded):
        gradcli.parse(text + "+".join(["h(x)"] * 101))


def test_a_function_that_calls_itself_among_others_is_found():
    text = "f(a) = g(a) + h(a)\ng(a) = h(h(a))\nh(a) = k(a)*2\nk(a) = 1 + g(a)\nf(x)"
    with pytest.raises(BadArgument, match="g calls itself"):
        gradcli.parse(text)


def test_a_function_may_be_defined_anew_between_calls():
    text = "f(a) = 2*a\ng(a) = f(a) + 1\ny = g(x)\nf(a) = g0(a)\ng0(a) = a**2\ny*g(x)"
    assert gradcli.parse(text).evaluate({"x": 3.0}).value == 7 * 10


def test_a_chain_of_functions_takes_time_in_proportion():
    chain = "f0(a) = 2*a\n" + "".join(f"f{i}(a) = f{i - 1}(a)\n" for i in range(1, 10_000)) + "f9999(x)"
    assert seconds(lambda: gradcli.parse(chain)) < 4
    assert gradcli.parse(chain).evaluate({"x": 3.0}).value == 6


def test_a_trace_of_many_calls_takes_time_in_proportion():
    f, at = gradcli.parse("+".join(["norm(x)*x[0]"] * 1500)), {"x": [3.0, 4.0]}
    assert seconds(lambda: [f.diff(at) for _ in range(4)]) < 4
    np.testing.assert_allclose(f.diff(at).gradient["x"], [1500 * (5 + 9 / 5), 1500 * 12 / 5], rtol=1e-10)


def test_columns_made_by_hand_are_looked_for_once():
    text = "z = y[:, 0][:, None]\n" + "z = z + 1\n" * 5000 + "w = 0\n" + "w = w + sum(z - x)\n" * 5000 + "w"
    f = gradcli.parse(text)
    assert seconds(lambda: f.evaluate({"x": [1.0, 2.0], "y": [[1.0], [2.0]]})) < 6


def test_many_draws_take_time_in_proportion():
    f = gradcli.parse("+".join(["rand()"] * 8000))
    assert seconds(lambda: f.evaluate({})) < 4


def test_a_nest_of_lists_beyond_what_arrays_can_have():
    with pytest.raises(GradcliError):
        gradcli.parse("[" * 70 + "1" + "]" * 70).evaluate({})
