"""Results that are not finite say which operation made them so."""

import pytest

import gradcli


@pytest.mark.parametrize(
    ("text", "x", "source", "reason"),
    [
        ("1/(1 + exp(-x))", -800, "exp(-x)", "an overflow"),
        ("2**x", 1024, "2**x", "an overflow"),
        ("log(sum(exp([x, 0])))", 1000, "exp([x, 0])", "an overflow"),
        ("log(x)", -1, "log(x)", "undefined"),
        ("sqrt(x)**2", 0, "sqrt(x)", "the square root of 0"),
        ("acos(x)", 2, "acos(x)", "undefined"),
    ],
)
def test_gradient(text, x, source, reason):
    (note,) = gradcli.parse(text).diff({"x": x}).notes
    assert note.source == source
    assert note.reason.startswith(reason)


@pytest.mark.parametrize("text", ["x*2", "nan*2", "x + 1/inf"])
def test_numbers_that_were_given_so_need_no_reason(text):
    assert gradcli.parse(text).evaluate({"x": float("nan")}).notes == ()


def test_value():
    (note,) = gradcli.parse("9**9**9").evaluate({}).notes
    assert (note.operation, note.span, note.index) == ("pow", (0, 7), ())
    (note,) = gradcli.parse("3*log([1, x])").evaluate({"x": 0}).notes
    assert (note.source, note.index, note.reason) == ("log([1, x])", (1,), "a pole: the logarithm of 0")


def test_element_of_a_jacobian():
    (note,) = gradcli.parse("exp(x)").jacobian({"x": [1, 1000]}).notes
    assert note.index == (1,)


def test_random_numbers_are_those_that_were_drawn():
    gradcli.manual_seed(0)
    f = gradcli.parse("exp(1000*rand(3) + x)")
    found = f.evaluate({"x": 200})
    (note,) = found.notes
    assert found.value[note.index] == float("inf")
    assert note.index[0] == min(i for i in range(3) if found.value[i] == float("inf"))
