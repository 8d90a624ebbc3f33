"""Hessians against differences of gradients, for functions whose second derivatives have rules of their own."""

import numpy as np
import pytest

import gradcli

CASES = [
    ("sum(gammainc(2.5, x))", [0.7, 2.0]),
    ("sum(gammaincc(1.5, x))", [0.7, 2.0]),
    ("sum(gammainc(1.5, x)**2)", [0.3, 4.0]),
    ("sum(j0(x) + j1(x))", [0.7, 3.0]),
    ("sum(i0(x)*i1(x))", [0.7, 1.5]),
    ("sum(x**y)", [0.7, 2.0, 0.5]),
    ("norm(x, 3)", [0.7, -2.0, 0.5]),
    ("norm(x, 1.5)", [0.7, -2.0, 0.5]),
    ("norm(x)*std(x)", [0.7, -2.0, 0.5]),
    ("std(x, ddof=1)**3", [0.7, -2.0, 0.5]),
    ("det([[x[0], 2, x[1]], [3, x[2], 1], [x[0], 1, x[1]**2]])", [0.7, -2.0, 0.5]),
    ("det(x*[[1, 2, 0, 1], [0, 3, 1, 1], [2, 0, 1, 1], [1, 1, 1, 5]] + eye(4))", [0.7, -2.0, 0.5, 1.3]),
    ("y = x*1; y[0] = 5; sum(x*y**2)", [0.7, -2.0, 0.5]),
    ("y = outer(x, x); y[:2, 1:] = x[0]; sum(y**3)", [0.7, -2.0, 0.5]),
    ("sum(logspace(x[0], x[1], 4, base=3))", [0.2, 0.7]),
    ("sum(hardswish(x))", [-1.5, -4.0, 0.5]),  # at -1.5 the slope passes through 0
    ("mse_loss(x**2, [1, 2, 3])", [0.7, -2.0, 0.5]),
    ("huber_loss(x**2, [1, 2, 3])", [0.7, -2.0, 0.5]),
    ("smooth_l1_loss(x**2, [1, 2, 3], beta=0.5)", [0.7, -2.0, 0.5]),
]


@pytest.mark.parametrize(("text", "x"), CASES, ids=[text for text, _ in CASES])
def test_hessian_is_the_difference_of_gradients(text, x):
    f = gradcli.parse(text)
    x = np.array(x)
    more = {"y": x[::-1].copy()} if "y" in f.names else {}
    found = f.hessian({"x": x, **more}, wrt=["x"]).hessian["x"]["x"]
    h = 1e-5

    def gradient(at):
        return np.asarray(f.diff({"x": at, **more}, wrt=["x"]).gradient["x"])

    steps = np.eye(x.size) * h
    numeric = np.array([(gradient(x + step) - gradient(x - step)) / (2 * h) for step in steps])
    assert np.allclose(found, numeric, rtol=1e-6, atol=1e-7 * max(1.0, abs(numeric).max()))


@pytest.mark.parametrize(
    ("text", "slopes"),
    [
        ("l1_loss(x, [1, 2, 3])", [-1 / 3, -1 / 3, 1 / 3]),
        ("smooth_l1_loss(x, [1, 2, 3], beta=0.5)", [-0.2, -1 / 3, 1 / 3]),
        ("huber_loss(x, [1, 2, 3], delta=0.5)", [-0.1, -0.5 / 3, 0.5 / 3]),
        ("mse_loss(x, [1, 2, 3])", [-0.2, -8 / 3, 2 / 3]),
    ],
)
def test_losses_look_at_the_difference(text, slopes):
    x = np.array([0.7, -2.0, 4.0])
    assert np.allclose(gradcli.parse(text).diff({"x": x}).gradient["x"], slopes, rtol=1e-12)
