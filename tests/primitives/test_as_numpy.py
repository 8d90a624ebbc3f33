"""Shapes and values as NumPy's namesakes have them: degenerate shapes, axis=None, every order of a norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine import Tensor, function, grad
from gradcli.primitives import TABLE

ONES = [(1,), (3,), (1, 1), (1, 3), (3, 1), (2, 3), (1, 1, 1)]


def drawn(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(41).uniform(0.5, 2.0, shape)


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
@pytest.mark.parametrize("shape", [s for s in ONES if len(s) < 3])
@pytest.mark.parametrize("rowvar", [True, False])
def test_covariances(name: str, shape: tuple[int, ...], rowvar: bool) -> None:
    if shape == (1, 1) or shape[0 if not rowvar and len(shape) == 2 else -1] == 1:
        return  # one observation: nan, and a warning of NumPy's
    found = function(TABLE[name])(drawn(shape), rowvar=rowvar)
    expected = getattr(np, name)(drawn(shape), rowvar=rowvar)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.array, expected, rtol=1e-14)


@pytest.mark.parametrize("shape", [(1, 1), (3, 1)])
def test_covariances_of_one_observation(shape: tuple[int, ...]) -> None:
    found = function(TABLE["cov"])(drawn(shape))
    assert found.shape == (() if shape[0] == 1 else (3, 3))
    assert np.isnan(found.array).all()


REDUCTIONS = ["sum", "mean", "prod", "max", "min", "ptp", "var", "std", "median", "nansum", "nanmean", "nanmax",
              "count_nonzero", "any", "all", "argmax", "argmin"]  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("shape", [(), *ONES])
def test_reductions_over_all_axes(name: str, shape: tuple[int, ...]) -> None:
    for given in ({}, {"axis": None}):
        found = function(TABLE[name])(drawn(shape), **given)
        expected = getattr(np, name)(drawn(shape), **given)
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found.array, expected, rtol=1e-14)


# Call and its result with axis=None.
FLAT: list[tuple[str, list[Any], Any]] = [
    ("take", [[[1.0, 2.0], [3.0, 4.0]], [0, 3]], [1, 4]), ("argsort", [[[3.0, 1.0]]], [1, 0]),
    ("sort", [[[3.0, 1.0], [2.0, 0.0]]], [0, 1, 2, 3]), ("sort", [3.0], [3]), ("cumsum", [[[1.0, 2.0], [3.0, 4.0]]],
    [1, 3, 6, 10]), ("cumprod", [[[1.0, 2.0], [3.0, 4.0]]], [1, 2, 6, 24]), ("cumsum", [2.0], [2]),
    ("repeat", [[[1.0, 2.0]], 2], [1, 1, 2, 2]), ("take_along_axis", [[[1.0, 2.0], [3.0, 4.0]], [3, 0]], [4, 1]),
    ("concatenate", [[[[1.0, 2.0]], [3.0], 4.0]], [1, 2, 3, 4]), ("argmax", [[[1.0, 5.0], [7.0, 2.0]]], 2),
    ("argmin", [[[1.0, 5.0], [7.0, 0.0]]], 3), ("squeeze", [[[5.0]]], 5),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "expected"), FLAT)
def test_axis_none(name: str, given: list[Any], expected: Any) -> None:
    np.testing.assert_array_equal(function(TABLE[name])(*given, axis=None).array, expected)


def test_the_derivative_along_all_axes_as_one() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    weights = np.array([1.0, 10.0, 100.0, 1000.0])
    (found,) = grad((function(TABLE["cumsum"])(x, axis=None) * weights).sum(), x)
    np.testing.assert_array_equal(found.array, [[1111, 1110], [1100, 1000]])
    (found,) = grad((function(TABLE["cumprod"])(x, axis=None) * weights).sum(), x)
    np.testing.assert_array_equal(found.array, [[1 + 20 + 600 + 24000, 10 + 300 + 12000], [200 + 8000, 6000]])
    parts = [Tensor([[1.0, 2.0]], requires_grad=True), Tensor(3.0, requires_grad=True)]
    found = grad((function(TABLE["concatenate"])(parts, axis=None) * weights[:3]).sum(), parts)
    np.testing.assert_array_equal(found[0].array, [[1, 10]])
    assert found[1].array == 100


ORDERS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    *(((4,), {"ord": order}) for order in (None, 0, 1, 2, 3, 0.5, -1, -2, -0.5, np.inf, -np.inf)),
    *(((3, 4), {"ord": order, "axis": axis}) for order in (0, -1, -2, 2.5) for axis in (0, 1, -1)),
    *(((3, 4), {"ord": order}) for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)),
    ((2, 3, 4), {"ord": 1, "axis": (0, 2)}), ((2, 3, 4), {"ord": 0, "axis": 1, "keepdims": True}), ((1,), {"ord": -3}),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "params"), ORDERS)
def test_norms_by_order(shape: tuple[int, ...], params: dict[str, Any]) -> None:
    x = drawn(shape) * np.where(np.arange(np.prod(shape)) % 2, -1.0, 1.0).reshape(shape)
    found = function(TABLE["norm"])(x, **params)
    expected = np.linalg.norm(x, **params)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.array, expected, rtol=1e-14)
    zeros = np.where(np.arange(x.size).reshape(shape) == 1, 0.0, x)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            function(TABLE["norm"])(zeros, **params).array, np.linalg.norm(zeros, **params), rtol=1e-14
        )


def test_the_count_of_what_is_not_0_is_flat() -> None:
    x = Tensor([1.0, 0.0, 3.0], requires_grad=True)
    (found,) = grad(function(TABLE["norm"])(x, 0), x, create_graph=True)
    np.testing.assert_array_equal(found.array, [0, 0, 0])


def test_the_harmonic_norm() -> None:
    """(1/1 + 1/2 + 1/3 + 1/4)**-1 is 0.48, its slope (0.48/x)**2."""
    x = Tensor([1.0, 2.0, -3.0, 4.0], requires_grad=True)
    y = function(TABLE["norm"])(x, -1)
    np.testing.assert_allclose(y.array, 0.48, rtol=1e-15)
    np.testing.assert_allclose(grad(y, x)[0].array, [0.2304, 0.0576, -0.0256, 0.0144], rtol=1e-14)
