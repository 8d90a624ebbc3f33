"""Derivatives of derivatives. The values are derivatives known in closed form, not those of another library."""

from math import log, pi

import numpy as np
import pytest

import gradcli
from gradcli import tensor


def derivatives(f, at, order):
    x = tensor(at, requires_grad=True)
    y, found = f(x), []
    for _ in range(order):
        if not y.requires_grad:
            found.append(0.0)
            continue
        (y,) = gradcli.grad(y, x, create_graph=True, materialize_grads=True)
        found.append(y.item())
    return found


CASES = {
    "x**2": (lambda x: x**2, 0.0, [0, 2, 0, 0]),
    "x**5": (lambda x: x**5, 2.0, [80, 160, 240, 240]),
    "exp(-x**2)": (lambda x: gradcli.exp(-(x**2)), 0.0, [0, -2, 0, 12]),
    "tanh": (lambda x: gradcli.tanh(x), 0.0, [1, 0, -2, 0, 16]),
    "sin": (lambda x: gradcli.sin(x), 0.0, [1, 0, -1, 0, 1]),
    "exp": (lambda x: gradcli.exp(x), 0.0, [1, 1, 1, 1, 1]),
    "log": (lambda x: gradcli.log(x), 2.0, [1 / 2, -1 / 4, 1 / 4, -3 / 8]),
    "1/x": (lambda x: 1 / x, 2.0, [-1 / 4, 1 / 4, -3 / 8, 3 / 4]),
    "sqrt(1+x**2)": (lambda x: gradcli.sqrt(1 + x**2), 0.0, [0, 1, 0, -3]),
    "sqrt": (lambda x: gradcli.sqrt(x), 1.0, [1 / 2, -1 / 4, 3 / 8, -15 / 16]),
    "prod([x, x])": (lambda x: gradcli.prod(gradcli.stack([x, x])), 0.0, [0, 2, 0]),
    "x**x": (lambda x: x**x, 1.0, [1, 2, 3, 8]),
    "sinc": (lambda x: gradcli.sinc(x), 0.0, [0, -(pi**2) / 3, 0, pi**4 / 5]),
    "norm([x, x])**2": (lambda x: gradcli.norm(gradcli.stack([x, x])) ** 2, 0.0, [0, 4]),
    "softplus": (lambda x: gradcli.softplus(x), 0.0, [1 / 2, 1 / 4, 0, -1 / 8]),
    "sigmoid": (lambda x: gradcli.sigmoid(x), 0.0, [1 / 4, 0, -1 / 8, 0]),
    "where": (lambda x: gradcli.where(x > 0, x**3, 0.0), 2.0, [12, 12, 6, 0]),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_derivatives(name):
    f, at, expected = CASES[name]
    np.testing.assert_allclose(derivatives(f, at, len(expected)), expected, rtol=1e-12, atol=1e-13)


def hessian(f, *at):
    xs = [tensor(a, requires_grad=True) for a in at]
    first = gradcli.grad(f(*xs), xs, create_graph=True)
    return [[h.item() for h in gradcli.grad(g, xs, retain_graph=True, materialize_grads=True)] for g in first]


def test_hessian_of_a_power_in_both_of_its_operands():
    found = hessian(lambda x, y: x**y, 2.0, 0.0)
    np.testing.assert_allclose(found, [[0, 0.5], [0.5, log(2) ** 2]], rtol=1e-14)


def test_hessian_of_a_product():
    assert hessian(lambda x, y: x**2 * y**3, 2.0, 3.0) == [[54, 108], [108, 72]]


@pytest.mark.parametrize(
    ("matrix", "gradient"),
    [
        ([[1.0, 1.0], [1.0, 1.0]], [[1, -1], [-1, 1]]),
        ([[1.0, 2.0], [2.0, 4.0]], [[4, -2], [-2, 1]]),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], [[-3, 6, -3], [6, -12, 6], [-3, 6, -3]]),
    ],
    ids=["ones", "rank 1", "1 to 9"],
)
def test_det_of_a_singular_matrix_has_its_cofactors_as_gradient(matrix, gradient):
    a = tensor(matrix, requires_grad=True)
    gradcli.det(a).backward()
    np.testing.assert_allclose(a.grad.numpy(), gradient, rtol=1e-12, atol=1e-12)


def test_gradient_of_a_hessian_vector_product():
    x = tensor([1.0, 2.0], requires_grad=True)
    (g,) = gradcli.grad((x**4).sum(), x, create_graph=True)
    (hv,) = gradcli.grad(g @ tensor([1.0, 10.0]), x, create_graph=True)
    (third,) = gradcli.grad(hv.sum(), x)
    assert hv.tolist() == [12, 480]
    assert third.tolist() == [24, 480]
