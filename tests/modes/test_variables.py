"""Which variables a derivative is taken by: the rule of the contract, sentence by sentence."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError, NotDifferentiable, UnknownName

V = np.array([1.0, 2.0, 3.0])
MASK = np.array([True, False, True])


def gradient(text, at, **options):
    return gradcli.parse(text).diff(at, **options).gradient


def listed(found):
    return {name: np.asarray(g).tolist() for name, g in found.items()}


def test_names_with_a_value_that_are_read_in_order_of_appearance():
    found = gradient("y*x + sum(z)", {"x": 2.0, "z": V, "y": 3.0, "unread": 1.0})
    assert list(found) == ["y", "x", "z"]
    assert listed(found) == {"y": 2, "x": 3, "z": [1, 1, 1]}


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("sum(x[m])", {"m": MASK}),
        ("sum(where(m, x, 0))", {"m": MASK}),
        ("x[i]", {"i": 1}),
        ("sum(x[i:])", {"i": 1}),
        ("sum(x[[i, j]])", {"i": 1, "j": 0}),
        ("x[i + 1]", {"i": 1}),
        ("sum(x[order])", {"order": [2, 0, 1]}),
        ("sum(reshape(x, n, 1))", {"n": 3}),
        ("sum(x*ones(n))", {"n": 3}),
        ("sum(sum(x, axis=k))", {"k": 0}),
        ("k2 = k - 1; sum(sum(x, axis=k2))", {"k": 1}),
        ("sum(x*ones(shape(like)))", {"like": V}),
        ("sum(x*ones_like(like))", {"like": V}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_masks_and_names_used_only_as_index_shape_or_axis_are_left_out(text, at):
    assert list(gradient(text, {"x": V, **at})) == ["x"]


def test_a_name_used_as_index_and_as_a_value_is_in():
    assert listed(gradient("i*x[i]", {"x": V, "i": 1.0})) == {"i": 2, "x": [0, 1, 0]}


def test_a_name_whose_every_write_is_overwritten_is_still_read():
    assert listed(gradient("a = zeros(2); a[0] = x; a[0] = 5; sum(a)", {"x": 2.0})) == {"x": 0}


def test_wrt_takes_those_in_its_order():
    at = {"x": 2.0, "y": 3.0, "z": 5.0}
    assert list(gradient("x*y*z", at, wrt=["z", "x"]).items()) == [("z", 6), ("x", 15)]
    assert list(gradient("x*y*z", at, wrt=["y"])) == ["y"]


def test_wrt_twice_the_same():
    assert list(gradient("x*y", {"x": 2.0, "y": 3.0}, wrt=["x", "x"])) == ["x"]


def test_wrt_as_one_name():
    assert gradient("xy*z", {"xy": 2.0, "z": 3.0}, wrt="xy") == {"xy": 3.0}


def test_wrt_of_a_name_that_is_not_read_gives_zeros_of_its_shape():
    found = gradient("x**2", {"x": 2.0, "unread": np.ones((2, 3))}, wrt=["unread", "x"])
    assert listed(found) == {"unread": [[0, 0, 0], [0, 0, 0]], "x": 4}


def test_wrt_of_a_name_used_only_as_index_gives_zero():
    assert listed(gradient("x[i]", {"x": V, "i": 1}, wrt=["i"])) == {"i": 0}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("q", "no value for q"),
        ("pi", "pi is a constant"),
        ("a", "a is assigned"),
        ("m", "m is a mask"),
        ("", "'' is not a name"),
        ("x[0, 1]", "'x[0, 1]' is not a name"),
        ("x=1", "'x=1' is not a name"),
    ],
)
def test_wrt_of_what_is_no_variable_is_an_error_with_the_reason(name, reason):
    with pytest.raises(UnknownName) as caught:
        gradient("a = x**2; a*pi + sum(m)", {"x": 2.0, "m": MASK}, wrt=[name])
    assert reason in caught.value.message
    assert caught.value.exit_code == 4


def test_a_constant_with_a_value_is_a_variable():
    assert listed(gradient("e*x", {"x": 2.0, "e": 3.0})) == {"e": 2, "x": 3}
    assert gradcli.parse("pi*x").diff({"x": 2.0, "pi": 3.0}, wrt=["pi"]).gradient == {"pi": 2.0}


def test_a_rebound_input_is_still_the_input():
    found = gradcli.parse("x = x**2; x + 1").diff({"x": 3.0})
    assert (found.value, found.gradient["x"]) == (10, 6)
    assert gradcli.parse("x = x**2; x + 1").diff({"x": 3.0}, wrt=["x"]).gradient["x"] == 6


@pytest.mark.parametrize("text", ["1 + 2", "pi", "sum(m)", "zeros(3)[n]"])
def test_none_left(text):
    found = gradcli.parse(text).diff({"m": MASK, "n": 2})
    assert found.gradient == {}
    assert found.point == {}


def test_the_same_rule_holds_for_jacobians_and_hessians():
    at = {"x": V, "i": 1, "m": MASK, "unread": 2.0}
    assert list(gradcli.parse("x[i]*x[m]").jacobian(at).jacobian) == ["x"]
    assert list(gradcli.parse("x[i]*sum(x[m])").hessian(at).hessian) == ["x"]
    assert list(gradcli.parse("x[i]*x[m]").vjp(at, cotangent=[1, 1]).gradient) == ["x"]
    assert list(gradcli.parse("x*y").jacobian({"x": V, "y": V}, wrt=["y", "x"]).jacobian) == ["y", "x"]
    assert gradcli.parse("x*2").jacobian({"x": V, "unread": 2.0}, wrt=["unread"]).jacobian["unread"].tolist() == [0] * 3


def test_a_graph_without_variables_is_refused():
    with pytest.raises(NotDifferentiable, match="there is no graph"):
        gradcli.parse("1 + 2").graph({})


def test_the_point_is_what_was_given():
    found = gradcli.parse("x*k").diff({"x": 2, "k": np.float32(1.5)})
    assert found.point == {"x": 2.0, "k": 1.5}
    assert type(found.point["x"]) is np.float64


def test_several_expressions_make_a_jacobian_and_nothing_else():
    f = gradcli.parse(["x + y", "x*y"])
    assert f.jacobian({"x": 2.0, "y": 3.0}).jacobian["x"].tolist() == [1, 3]
    with pytest.raises(GradcliError):
        f.diff({"x": 2.0, "y": 3.0})
