"""Matrices of every scale: what counts as equal or as 0 is told by the largest value, and a 0 has no sign."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import Tensor, function, grad
from gradcli.primitives import TABLE

TALL = np.array([[2.0, 0.3], [-0.4, 1.0], [0.1, 0.5]])


def curvature(text: str, x: Any) -> Any:
    return np.asarray(gradcli.parse(text).hessian({"x": x}).hessian["x"]["x"])


@pytest.mark.parametrize("scale", [1e-20, 1e20])
@pytest.mark.parametrize("x", [TALL, TALL.T, TALL[:2]], ids=["tall", "wide", "square"])
def test_curvature_of_singular_values(x: Any, scale: float) -> None:
    """Singular values are homogeneous of degree 1, so that their second derivatives are of degree -1."""
    text = "sum(svdvals(x)*[1, 3])"
    expected = curvature(text, x)
    np.testing.assert_allclose(
        scale * curvature(text, scale * x), expected, atol=1e-13 * np.abs(expected).max(), rtol=1e-12
    )


def second(name: str, x: Any, cotangent: Any) -> Any:
    """Reverse over reverse: how the gradient of the sum of values goes with x, weighted with `cotangent`."""
    leaf = Tensor(x, requires_grad=True)
    (g,) = grad(function(TABLE[name])(leaf).sum(), leaf, create_graph=True)
    assert g is not None
    (h,) = grad(g, leaf, Tensor(cotangent))
    assert h is not None
    return h.array


@pytest.mark.parametrize("size", [1.0, 1e-20])
@pytest.mark.parametrize("name", ["eigvalsh", "svdvals"])
def test_what_is_not_known_does_not_become_so_when_it_is_small(name: str, size: float) -> None:
    turned = np.array([[0.0, size], [size, 0.0]])
    assert np.isnan(second(name, np.eye(2), turned)).any()


@pytest.mark.parametrize("least", [0.0, 0.75e-13])
def test_singular_values_that_count_as_0_have_no_curvature(least: float) -> None:
    cotangent = np.zeros((3, 3))
    cotangent[1, 2], cotangent[2, 1] = 1.0, -1.0
    assert np.isnan(second("svdvals", np.diag([1.0, least, least]), cotangent)).any()


@pytest.mark.parametrize(
    "x",
    [np.eye(2), np.diag([2.0, 3.0, 0.0]), np.diag([2.0, 3.0, 4.0, 0.0]), -np.diag([1.0, 1, 1, 0]), np.zeros((6, 6))],
)
def test_zeros_in_the_gradient_of_a_determinant_have_no_sign(x: Any) -> None:
    found = np.asarray(gradcli.parse("det(x)").diff({"x": x}).gradient["x"])
    assert not np.signbit(found[found == 0]).any()
