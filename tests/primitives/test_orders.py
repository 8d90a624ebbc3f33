"""Derivatives up to the fourth, of the same rules run on the graph: at 0, everywhere else, and far out in the tails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import gradcli
from gradcli.engine import Tensor, function, grad
from gradcli.primitives import TABLE


def derivatives(f: Callable[[Tensor], Tensor], point: Any, count: int) -> list[Any]:
    """f', f'', ... of an elementwise f, at all points at once."""
    x = Tensor(point, requires_grad=True)
    y, found = f(x), []
    for _ in range(count):
        y = grad(y.sum(), x, create_graph=True)[0] if y.requires_grad else Tensor(np.zeros(x.shape))
        found.append(y.array)
    return found


def f(name: str) -> Any:
    return function(TABLE[name])


AT_0: dict[str, tuple[Callable[[Tensor], Tensor], list[float]]] = {
    "x**2": (lambda x: x**2, [0, 2, 0, 0]),
    "exp(-x**2)": (lambda x: f("exp")(-(x**2)), [0, -2, 0, 12]),
    "tanh": (f("tanh"), [1, 0, -2, 0, 16]),
    "sech": (f("sech"), [0, -1, 0, 5]),
    "softplus": (f("softplus"), [0.5, 0.25, 0, -0.125]),
    "sigmoid": (f("sigmoid"), [0.25, 0, -0.125, 0]),
    "sqrt(1+x**2)": (lambda x: f("sqrt")(1 + x**2), [0, 1, 0, -3]),
    "hypot(1, x)": (lambda x: f("hypot")(1, x), [0, 1, 0, -3]),
    "asinh": (f("asinh"), [1, 0, -1, 0]),
    "atan": (f("atan"), [1, 0, -2, 0]),
    "expm1": (f("expm1"), [1, 1, 1, 1]),
    "prod([x, x])": (lambda x: f("prod")(f("stack")([x, x])), [0, 2, 0, 0]),
    "prod([x, x, x, x])": (lambda x: f("prod")(f("stack")([x, x, x, x])), [0, 0, 0, 24]),
    "x**3": (lambda x: x**3, [0, 0, 6, 0]),
    "max([x, x - 1])**2": (lambda x: f("max")(f("stack")([x, x - 1])) ** 2, [0, 2, 0]),
    "var([x, -x])": (lambda x: f("var")(f("stack")([x, -x])), [0, 2, 0, 0]),
    "logsumexp([x, -x])": (lambda x: f("logsumexp")(f("stack")([x, -x])), [0, 1, 0, -2]),
}


@pytest.mark.parametrize("name", AT_0)
def test_at_0(name: str) -> None:
    program, expected = AT_0[name]
    np.testing.assert_allclose(derivatives(program, 0.0, len(expected)), expected, rtol=1e-14, atol=1e-15)


def test_x_to_the_x_at_1() -> None:
    np.testing.assert_allclose(derivatives(lambda x: x**x, 1.0, 4), [1, 2, 3, 8], rtol=1e-14)


def test_hessian_of_x_to_the_y() -> None:
    x, y = Tensor(2.0, requires_grad=True), Tensor(0.0, requires_grad=True)
    gx, gy = grad(x**y, [x, y], create_graph=True)
    rows = [[h.item() for h in grad(g, [x, y], retain_graph=True) if h is not None] for g in (gx, gy)]
    np.testing.assert_allclose(rows, [[0, 0.5], [0.5, np.log(2) ** 2]], rtol=1e-15)


LINE = np.array([-1000.0, -700.0, -40.0, -5.0, -1.0, -0.3, -1e-9, 0.0, 1e-9, 0.3, 1.0, 5.0, 40.0, 700.0, 1000.0])
MIDDLE = np.array([-20.0, -3.0, -0.7, -1e-9, 0.0, 1e-9, 0.7, 3.0, 20.0])
ABOVE_0 = np.array([1e-9, 0.01, 0.7, 1.0, 3.0, 1e6])
INSIDE = np.array([-0.99, -0.5, -1e-9, 0.0, 0.3, 0.999])

Exact = Callable[[Any], Any]
EXACT: dict[str, tuple[Exact, Any]] = {
    "tanh": (mp.tanh, LINE), "sech": (mp.sech, LINE), "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), LINE),
    "softplus": (lambda x: mp.log1p(mp.exp(x)), LINE), "atan": (mp.atan, LINE), "asinh": (mp.asinh, LINE),
    "exp": (mp.exp, MIDDLE), "exp2": (lambda x: mp.mpf(2) ** x, MIDDLE), "expm1": (mp.expm1, MIDDLE),
    "sinh": (mp.sinh, MIDDLE), "cosh": (mp.cosh, MIDDLE), "sin": (mp.sin, MIDDLE), "cos": (mp.cos, MIDDLE),
    "tan": (mp.tan, MIDDLE), "log": (mp.log, ABOVE_0), "log2": (lambda x: mp.log(x, 2), ABOVE_0),
    "log10": (mp.log10, ABOVE_0), "log1p": (mp.log1p, ABOVE_0), "sqrt": (mp.sqrt, ABOVE_0), "cbrt": (mp.cbrt, ABOVE_0),
    "asin": (mp.asin, INSIDE), "acos": (mp.acos, INSIDE), "atanh": (mp.atanh, INSIDE), "acosh": (mp.acosh, 1 + ABOVE_0),
    "reciprocal": (lambda x: 1 / x, ABOVE_0), "square": (lambda x: x * x, MIDDLE),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_orders_1_to_4(name: str) -> None:
    """To 9 digits of the largest term: derivatives of high order pass through 0, where digits are lost."""
    exact, points = EXACT[name]
    found = derivatives(f(name), points, 4)
    with mp.workprec(400):
        for i, point in enumerate(points):
            coefficients = mp.taylor(exact, mp.mpf(float(point)), 4)
            expected = [float(mp.factorial(n) * c) for n, c in enumerate(coefficients)][1:]
            for order, value in enumerate(expected):
                scale = max(map(abs, expected[: order + 1]))
                assert abs(found[order][i] - value) <= 1e-9 * scale + 1e-300, (name, point, order + 1)


@pytest.mark.parametrize("name", ["tanh", "sech", "sigmoid", "softplus", "atan", "asinh"])
def test_tails_hold_no_nan(name: str) -> None:
    far = np.array([-1e300, -1e5, -1000.0, 1000.0, 1e5, 1e300])
    for values in derivatives(f(name), far, 4):
        assert np.isfinite(values).all()


def hessian(program: Callable[[Tensor], Tensor], point: Any) -> Any:
    x = Tensor(point, requires_grad=True)
    (g,) = grad(program(x), x, create_graph=True)
    assert g is not None
    (h,) = grad(g, x, np.eye(x.array.size), is_grads_batched=True)
    assert h is not None
    return h.array


def test_hessian_of_a_product_with_zeros() -> None:
    np.testing.assert_array_equal(hessian(f("prod"), [0.0, 0.0, 5.0]), [[0, 5, 0], [5, 0, 0], [0, 0, 0]])
    expected = [[0, 12, 0, 0], [12, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(hessian(f("prod"), [0.0, 0.0, 3.0, 4.0]), expected)
    np.testing.assert_array_equal(hessian(f("prod"), [0.0, 0.0, 0.0, 4.0]), np.zeros((4, 4)))


def test_third_derivative_of_a_product_of_zeros() -> None:
    x = Tensor([0.0, 0.0, 0.0], requires_grad=True)
    (g,) = grad(f("prod")(x), x, create_graph=True)
    (h,) = grad(g[0], x, create_graph=True)  # type: ignore[index]
    (t,) = grad(h[1], x)  # type: ignore[index]
    assert t is not None
    np.testing.assert_array_equal(t.array, [0, 0, 1])


@pytest.mark.parametrize(
    "program", [f("norm"), lambda x: f("norm")(x) * f("norm")(x), lambda x: f("hypot")(x[0], x[1])]
)
def test_the_curvature_of_a_length_at_0_is_not_a_silent_0(program: Callable[[Tensor], Tensor]) -> None:
    assert not np.isfinite(hessian(program, [0.0, 0.0])).any()


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x: f("norm")(x) ** 2, [[2, 0], [0, 2]]),
        (lambda x: f("norm")(x) ** 4, [[0, 0], [0, 0]]),
        (lambda x: f("length")(x) ** 2, [[2, 0], [0, 2]]),
        (lambda x: f("cos")(f("norm")(x)), [[-1, 0], [0, -1]]),
        (lambda x: 3 * f("norm")(x) ** 2 + x[0], [[6, 0], [0, 6]]),
        (lambda x: f("std")(x) ** 2, [[0.5, -0.5], [-0.5, 0.5]]),
    ],
)
def test_smooth_functions_of_a_length_have_their_curvature_at_0(
    program: Callable[[Tensor], Tensor], expected: list[list[float]]
) -> None:
    np.testing.assert_array_equal(hessian(program, [0.0, 0.0]), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("norm([t, t])**4", [0, 0, 0, 96]),  # 4*t**4
        ("cos(norm([t, t]))", [0, -2, 0, 4]),  # cos(sqrt(2)*t)
        ("(1 + t)*cosh(std([t, -t]))", [1, 1, 3, 1]),  # (1 + t)*cosh(t)
    ],
)
def test_smooth_functions_of_a_length_at_0_to_the_fourth_order(text: str, expected: list[float]) -> None:
    found = gradcli.parse(text).diff({"t": 0.0}, order=4)
    np.testing.assert_allclose(found.derivatives, expected, rtol=1e-14, atol=1e-14)


def test_curvature_of_a_length_at_every_scale() -> None:
    for scale in (1e-200, 1.0, 1e200):
        expected = np.array([[0.64, -0.48], [-0.48, 0.36]]) / (5 * scale)
        np.testing.assert_allclose(hessian(f("norm"), [3 * scale, 4 * scale]), expected, rtol=1e-14)
        np.testing.assert_allclose(
            hessian(lambda x: f("hypot")(x[0], x[1]), [3 * scale, 4 * scale]), expected, rtol=1e-14
        )


@pytest.mark.parametrize("name", ["log", "log2", "log10", "log1p", "sqrt", "asin", "acosh", "atanh"])
def test_outside_of_a_domain_every_derivative_is_nan(name: str) -> None:
    x = Tensor(-3.0, requires_grad=True)
    y: Any = f(name)(x)
    for _ in range(3):
        (y,) = grad(y, x, create_graph=True)
        assert np.isnan(y.array)


@pytest.mark.parametrize(("exponent", "mixed"), [(0.5, -np.inf), (1.0, -np.inf), (1.5, 0.0), (2.0, 0.0)])
def test_mixed_derivative_of_a_power_at_0(exponent: float, mixed: float) -> None:
    """Its limit, from x**(y-1)*(1 + y*log(x))."""
    found = hessian(lambda z: z[0] ** z[1], [0.0, exponent])
    assert found[0][1] == found[1][0] == mixed
