"""Alternatives, parts of numbers, distances, indices of triangles, and random numbers with parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import BadArgument, NotDifferentiable, ShapeMismatch


def slope(text: str, **at: Any) -> Any:
    return np.asarray(gradcli.parse(text).diff(at, wrt=["x"]).gradient["x"])


def test_select_takes_the_first_condition_that_holds() -> None:
    text = "sum(select([x > 0, x > -1], [log(x), sqrt(x + 1)], 7))"
    np.testing.assert_allclose(slope(text, x=[1.0, -0.75, -3.0]), [1, 1, 0], rtol=1e-12)
    assert float(gradcli.parse(text).evaluate({"x": [1.0, -0.75, -3.0]}).value) == 7.5
    with pytest.raises(ShapeMismatch, match="as many conditions as choices"):
        slope("sum(select([x > 0], [x, x]))", x=[1.0])


def test_the_parts_of_a_number() -> None:
    np.testing.assert_array_equal(slope("sum(modf(x)[0]**2) + sum(modf(x)[1])", x=[1.5, -2.25]), [1, -0.5])
    found = gradcli.parse("modf(x)[0]").jacobian({"x": [2.0, 1.5, np.inf]})
    np.testing.assert_array_equal(found.value, [0, 0.5, 0])
    assert [note.reason for note in found.notes] == ["a jump: a whole number"]


def test_distances_are_smooth_where_their_squares_are() -> None:
    points = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_array_equal(slope("sum(cdist(x, x))", x=points), [[-1.2, -1.6], [1.2, 1.6]])
    hessian = gradcli.parse("sum(cdist(x, [[0, 0]])**2)").hessian({"x": [[0.0, 0.0]]}).hessian["x"]["x"]
    np.testing.assert_array_equal(np.reshape(hessian, (2, 2)), 2 * np.eye(2))
    assert [n.reason for n in gradcli.parse("sum(cdist(x, x))").diff({"x": points}).notes] == [
        "a corner: two points coincide"
    ]


@pytest.mark.parametrize("text", ["sum(x[tril_indices(2)]**2)", "i = tril_indices(2); sum(x[i]**2)",
                                  "sum(x[tril_indices(2)[0], tril_indices(2)[1]]**2)"])  # fmt: skip
def test_several_results_are_one_index_each(text: str) -> None:
    np.testing.assert_array_equal(slope(text, x=[[1.0, 2.0], [3.0, 4.0]]), [[2, 0], [6, 8]])


def test_several_results_in_a_write() -> None:
    text = "y = zeros(2, 2); y[triu_indices(2, 1)] = x; sum(y**2)"
    np.testing.assert_array_equal(slope(text, x=[3.0]), [6])
    x = gradcli.tensor([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(x[gradcli.triu_indices(2)].numpy(), [1, 2, 4])


def test_random_numbers_with_parameters() -> None:
    def draw(text: str) -> Any:
        gradcli.manual_seed(1)
        return np.asarray(gradcli.parse(text).evaluate({}).value)

    np.testing.assert_array_equal(draw("normal(10, 2, (2, 3))"), draw("10 + 2*randn(2, 3)"))
    np.testing.assert_array_equal(draw("uniform(-1, 3, 4)"), draw("-1 + 4*rand(4)"))
    dice = draw("randint(1, 7, 1000)")
    assert set(dice.tolist()) == {1, 2, 3, 4, 5, 6}
    assert draw("uniform()").shape == ()
    with pytest.raises(BadArgument, match="no whole number"):
        draw("randint(3, 3)")


def test_the_parameters_of_random_numbers_have_no_silent_gradient() -> None:
    with pytest.raises(NotDifferentiable, match="normal: no derivative is known with respect to mean"):
        slope("normal(x, 1)", x=1.0)
    assert slope("x*normal(0, 1)", x=2.0) != 0
    assert gradcli.parse("x*sum(randint(0, 9, 3))").check({"x": 2.0}).passed
