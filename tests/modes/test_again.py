"""One Expression called five times: what the first calls leave behind must not show in the later ones."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import ShapeMismatch

RNG = np.random.default_rng(3)


def points(**shapes: tuple[int, ...]) -> list[dict[str, np.ndarray]]:
    return [{name: RNG.uniform(0.5, 2.0, shape) for name, shape in shapes.items()} for _ in range(5)]


@pytest.mark.parametrize("at", [[{"x": np.array(value)} for value in (2.0, 3.0, -1.0, 0.5, 4.0)]])
def test_a_product_with_ones_has_their_shape(at: list[dict[str, np.ndarray]]) -> None:
    f = gradcli.parse("sum(ones(3)*x)")
    for point in at:
        found = f.diff(point)
        assert (found.value, found.gradient["x"]) == (3 * point["x"], 3.0)


def test_the_operands_of_a_large_function_may_have_two_shapes() -> None:
    """`lerp` takes several passes, and goes by blocks from 16,384 elements on."""
    f = gradcli.parse("sum(lerp(X, y, w)**2)")
    for at in points(X=(200, 100), y=(100,), w=()):
        X, y, w = at["X"], at["y"], at["w"]
        inner = X + w * (y - X)
        found = f.diff(at)
        np.testing.assert_allclose(found.value, (inner**2).sum(), rtol=1e-12)
        np.testing.assert_allclose(found.gradient["X"], 2 * inner * (1 - w), rtol=1e-12)
        np.testing.assert_allclose(found.gradient["y"], (2 * inner * w).sum(axis=0), rtol=1e-11)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_a_view_outlives_what_it_is_a_view_of(size: int) -> None:
    """The transpose of y is read when nobody reads y any more, and exp makes room for another result of its size."""
    f = gradcli.parse("y = sin(X)*2; z = y.T; w = exp(X); v = w*3; z + v")
    for at in points(X=(size, size)):
        np.testing.assert_allclose(
            f.evaluate(at).value, (2 * np.sin(at["X"])).T + 3 * np.exp(at["X"]), rtol=1e-14, strict=True
        )


def test_a_program_may_write_into_its_random_numbers() -> None:
    f = gradcli.parse("u = rand(3); a = sum(u); u[0] = x; sum(u)*x - a*x")
    found = f.check({"x": 2.0})
    assert found.passed
    (one,) = found.variables.values()
    assert one.numeric is not None
    # u[0] is the number that was drawn, and x stands in its place: the slope is 2*x - u[0].
    assert 3.0 <= one.reverse <= 4.0
    np.testing.assert_allclose(one.numeric, one.reverse, rtol=1e-8)


def test_a_directional_derivative_says_what_it_is_of() -> None:
    found = gradcli.parse("x**2*y").jvp({"x": 3.0, "y": 2.0}, {"x": 1.0})
    assert (found.expression, found.value, found.tangent) == ("x**2*y", 18.0, 12.0)


def test_a_claim_has_the_shape_of_its_block() -> None:
    f = gradcli.parse("x*y")
    at = {"x": [1.0, 2.0], "y": 3.0}
    assert f.check(at, against={"x": [[3.0, 0.0], [0.0, 3.0]], "y": [1.0, 2.0]}).passed
    assert not f.check(at, against={"y": [1.0, 2.5]}).passed
    with pytest.raises(ShapeMismatch):
        f.check(at, against={"x": [3.0, 3.0]})
