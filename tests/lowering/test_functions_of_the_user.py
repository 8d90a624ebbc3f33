"""Functions that a program defines: when their arguments and their other names are evaluated."""

import pytest

import gradcli
from gradcli.errors import UnknownName


def value(text, **at):
    return gradcli.parse(text).evaluate(at).value


def test_arguments_are_evaluated_once():
    """Were `rand()` evaluated twice, a - a would hardly be 0."""
    assert value("f(a) = a - a; f(rand())") == 0
    assert value("f(a) = a - a; g(b) = f(b) + b - b; g(randn())") == 0


def test_every_call_draws_anew():
    assert value("f() = rand(); f() - f()") != 0


def test_other_names_have_their_value_at_the_call():
    assert value("k = 1; f(a) = a*k; y = f(2); k = 10; y + f(2)") == 22


def test_a_caller_s_arguments_are_not_seen_by_what_it_calls():
    assert value("g(b) = a + b; f(a) = g(1); f(100)", a=5) == 6


def test_a_function_can_be_defined_after_one_that_uses_it():
    assert value("f(a) = g(a) + 1; g(a) = 2*a; f(3)") == 7


def test_but_not_after_its_call():
    with pytest.raises(UnknownName, match="no function called g"):
        gradcli.parse("y = g(3); g(a) = 2*a; y")


def test_recursion_that_is_never_called_is_no_error():
    assert value("f(a) = f(a); 2") == 2


def test_a_function_called_twice_on_one_another():
    assert value("f(a) = a + 1; f(f(f(1)))") == 4


def test_gradient_through_functions():
    f = gradcli.parse("s(t) = 1/(1 + exp(-t)); loss(a, b) = -log(s(a*b)); loss(w, x) + loss(w, 2*x)")
    found = f.diff({"w": 0.0, "x": 1.0}).gradient
    assert found == {"w": -1.5, "x": 0.0}


def test_a_function_writes_nothing():
    """A definition is an expression: there is no way to write from within."""
    assert value("a = zeros(2); f(b) = b + 1; c = f(a); c[0] = 9; sum(a)") == 0


def test_deep_calls():
    text = "f0(x) = x + 1\n" + "\n".join(f"f{i}(x) = f{i - 1}(x) + 1" for i in range(1, 2000)) + "\nf1999(0)"
    assert value(text) == 2000
