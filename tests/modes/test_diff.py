"""Value and gradient, cotangents, higher orders, and the notes that come with them."""

import numpy as np
import pytest

import gradcli
from gradcli.engine.state import state
from gradcli.errors import GraphFreed, LimitExceeded, NotDifferentiable, ShapeMismatch, UsageProblem

V = np.array([1.0, 2.0, 3.0])


def test_the_sample():
    found = gradcli.parse("(x+2)**2+3").diff({"x": 2})
    assert (found.expression, found.value, found.gradient) == ("(x+2)**2+3", 19.0, {"x": 8.0})
    assert type(found.gradient["x"]) is np.float64
    assert found.notes == ()


def test_gradients_are_those_of_the_caller():
    f = gradcli.parse("sum(x**2)")
    first = f.diff({"x": V}).gradient["x"]
    first[:] = 0
    assert f.diff({"x": V}).gradient["x"].tolist() == [2, 4, 6]


def test_a_vector_needs_a_cotangent():
    with pytest.raises(NotDifferentiable) as caught:
        gradcli.parse("y = 2*x; y**2").diff({"x": V})
    error = caught.value
    assert error.message == "the result has shape 3, a gradient needs a scalar"
    assert error.source.cut(error.span) == "y**2"
    assert "--grad-output" in error.help


@pytest.mark.parametrize("text", ["[x]", "[[x]]"])
def test_one_element_needs_none(text):
    assert gradcli.parse(text).diff({"x": 2.0}).gradient == {"x": 1.0}


def test_with_a_cotangent():
    found = gradcli.parse("x**2").diff({"x": V}, grad_output=[1, 0.1, 0.01])
    assert found.gradient["x"].tolist() == [2, 0.4, 0.06]
    assert gradcli.parse("x**2").diff({"x": 3.0}, grad_output=10).gradient["x"] == 60


@pytest.mark.parametrize("given", [1.0, [1.0, 2.0], [[1.0, 1.0, 1.0]]], ids=str)
def test_a_cotangent_is_not_broadcast(given):
    with pytest.raises(ShapeMismatch, match="grad-output has shape"):
        gradcli.parse("x**2").diff({"x": V}, grad_output=given)


def test_vjp_is_the_same_contraction():
    at, v = {"x": V, "k": 2.0}, [1.0, 2.0, 4.0]
    f = gradcli.parse("k*x**2")
    found = f.vjp(at, cotangent=v)
    assert {n: np.asarray(g).tolist() for n, g in found.gradient.items()} == {"k": 45, "x": [4, 16, 48]}
    assert found.gradient["k"] == f.diff(at, grad_output=v).gradient["k"]


def test_jvp_along_a_direction():
    f = gradcli.parse("k*x**2")
    at = {"x": V, "k": 2.0}
    assert f.jvp(at, tangent={"x": [1, 0, 0]}).tangent.tolist() == [4, 0, 0]
    assert f.jvp(at, tangent={"x": [1, 1, 1], "k": 1}).tangent.tolist() == [5, 12, 21]
    with pytest.raises(ShapeMismatch):
        f.jvp(at, tangent={"x": 1.0})


def test_hessian_blocks():
    found = gradcli.parse("k*sum(x**3)").hessian({"k": 2.0, "x": [1.0, 2.0]})
    assert found.value == 18
    assert found.gradient["x"].tolist() == [6, 24]
    assert found.hessian["k"]["k"] == 0
    assert found.hessian["k"]["x"].tolist() == found.hessian["x"]["k"].tolist() == [3, 12]
    assert found.hessian["x"]["x"].tolist() == [[12, 0], [0, 24]]


def test_a_hessian_needs_a_scalar():
    with pytest.raises(NotDifferentiable, match="Hessian needs a scalar"):
        gradcli.parse("x**2").hessian({"x": V})


# Orders

ORDERS = [
    ("x**3", 3.0, [27, 18, 6, 0, 0]),
    ("2*x", 3.0, [2, 0, 0]),
    ("7 + 0*x", 3.0, [0, 0]),
    ("sin(x)", 0.0, [1, 0, -1, 0, 1, 0, -1]),
    ("exp(-x**2)", 0.0, [0, -2, 0, 12]),
    ("x**x", 1.0, [1, 2, 3, 8]),
    ("log(x)", 1.0, [1, -1, 2, -6, 24]),
    ("y = x**2; y*y", 2.0, [32, 48, 48, 24, 0]),
    ("a = zeros(2); a[0] = x**2; a[1] = a[0]*x; sum(a)", 2.0, [16, 14, 6, 0]),
    ("where(x > 0, x**2, 0)", 3.0, [6, 2, 0]),
    ("det([[x, 1], [1, x]])", 2.0, [4, 2, 0]),
    ("floor(x)", 0.5, [0, 0]),
    ("x*x*x*x*x", 1.0, [5, 20, 60, 120, 120, 0, 0]),
    ("x**30", 1.0, list(np.cumprod(np.arange(30.0, 10.0, -1.0)))),
]


@pytest.mark.parametrize(("text", "at", "expected"), ORDERS, ids=[case[0] for case in ORDERS])
def test_derivatives_up_to_an_order(text, at, expected):
    found = gradcli.parse(text).diff({"x": at}, order=len(expected))
    np.testing.assert_allclose(found.derivatives, expected, rtol=1e-13, atol=1e-13)
    assert found.gradient["x"] == found.derivatives[0]


def test_order_1_is_the_gradient_alone():
    assert gradcli.parse("x**2").diff({"x": 2.0}, order=1).derivatives == ()


@pytest.mark.parametrize("order", [0, -1])
def test_there_is_no_order_below_1(order):
    with pytest.raises(UsageProblem, match="no derivative of order"):
        gradcli.parse("x").diff({"x": 1.0}, order=order)


@pytest.mark.parametrize(
    ("text", "at"),
    [("x*y", {"x": 1.0, "y": 1.0}), ("sum(x**2)", {"x": V}), ("x*ones(2)", {"x": 1.0}), ("[x]", {"x": 1.0})],
)
def test_a_higher_order_needs_one_scalar_variable_and_a_scalar_result(text, at):
    with pytest.raises(NotDifferentiable):
        gradcli.parse(text).diff(at, order=2)


def test_one_of_several_variables_can_be_named():
    assert gradcli.parse("x**3*y").diff({"x": 2.0, "y": 5.0}, wrt=["x"], order=2).derivatives == (60, 60)


def test_an_order_that_would_take_too_many_nodes_is_refused_before_they_are_made():
    before = state.sequence
    with pytest.raises(LimitExceeded, match="order 1000 would take more than 1000000 nodes") as caught:
        gradcli.parse("exp(sin(x)*x)").diff({"x": 1.0}, order=1000)
    assert state.sequence - before < 50_000
    assert "is within reach" in caught.value.help


def test_the_node_limit_holds_where_growth_was_not_foreseen(monkeypatch):
    monkeypatch.setattr("gradcli.engine.state.MAX_NODES", 5_000)
    with pytest.raises(LimitExceeded, match="past 5000 nodes"):
        gradcli.parse("exp(sin(x)*x)").diff({"x": 1.0}, order=1000)


def test_a_high_order_of_a_polynomial_ends_early():
    found = gradcli.parse("x**2").diff({"x": 3.0}, order=1000)
    assert found.derivatives[:3] == (6, 2, 0)
    assert not any(found.derivatives[2:])


# Values that are not numbers, and notes


def test_values_that_are_not_finite_come_through():
    found = gradcli.parse("1/x").diff({"x": 0.0})
    assert (found.value, found.gradient["x"]) == (np.inf, -np.inf)


def test_a_kink_is_noted_with_its_place():
    (note,) = gradcli.parse("sum(abs(x))").diff({"x": [1.0, 0.0]}).notes
    assert (note.operation, note.source, note.span, note.index) == ("abs", "abs(x)", (4, 10), (1,))
    assert "corner" in note.reason


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("abs(x)", 1.0),  # not at the kink
        ("abs(x)**3", 0.0),  # smooth: nothing flows through the kink
        ("where(x > 0, x, 0)", 1.0),
        ("abs(x)[1]", [0.0, 1.0]),  # another element's kink
        ("x**2 + 3*x", 0.0),
    ],
)
def test_what_is_smooth_is_not_noted(text, at):
    assert gradcli.parse(text).diff({"x": at}).notes == ()


def test_an_honest_nan_is_noted():
    found = gradcli.parse("sqrt(x)**2").diff({"x": 0.0})
    assert np.isnan(found.gradient["x"])
    assert [note.source for note in found.notes] == ["sqrt(x)"]


LANES = [
    ("sqrt(x)[1]", [0.0, 4.0], [0, 0.25]),
    ("max(sqrt(x))", [0.0, 1.0], [0, 0.5]),
    ("clip(log(x), -1, 1)", 0.0, 0),
    ("relu(log(x))", 0.0, 0),
    ("maximum(log(x), -1)", 0.0, 0),
    ("sum(where(x > 0, sqrt(x), 0))", [0.0, -1.0, 4.0], [0, 0, 0.25]),
    ("y = 1*sqrt(x); y[0] = 0; sum(y)", [0.0, 4.0], [0, 0.25]),
]


@pytest.mark.parametrize(("text", "at", "expected"), LANES, ids=[case[0] for case in LANES])
def test_what_was_not_selected_contributes_nothing(text, at, expected):
    f = gradcli.parse(text)
    assert np.asarray(f.diff({"x": at}).gradient["x"]).tolist() == expected
    assert f.jvp({"x": at}, tangent={"x": np.ones_like(at)}).tangent == np.sum(expected)


def test_an_expression_can_be_differentiated_again_and_again():
    f = gradcli.parse("exp(x)*x")
    for _ in range(3):
        try:
            assert f.diff({"x": 0.0}).gradient["x"] == 1
        except GraphFreed:  # pragma: no cover
            pytest.fail("a graph was kept between two calls")
