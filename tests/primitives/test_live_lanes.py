"""A lane that was not selected contributes exactly 0, whatever its own derivative is: in all sweeps and in stacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.engine import Tensor, function
from gradcli.primitives import TABLE
from tests.primitives.samples import pull, push

inf, nan = np.inf, np.nan


def f(name: str) -> Any:
    return function(TABLE[name])


log, sqrt, maximum, relu, where, clip = map(f, ("log", "sqrt", "maximum", "relu", "where", "clip"))

Program = Callable[[Tensor], Tensor]

# program, point, Jacobian
CASES: dict[str, tuple[Program, list[float], Any]] = {
    "sqrt(x)": (sqrt, [0, 1], [[inf, 0], [0, 0.5]]),
    "sqrt(x)[1]": (lambda x: sqrt(x)[1], [0, 1], [0, 0.5]),
    "sqrt(x)[[1, 1]]": (lambda x: sqrt(x)[[1, 1]], [0, 1], [[0, 0.5], [0, 0.5]]),
    "max(sqrt(x))": (lambda x: f("max")(sqrt(x)), [0, 1], [0, 0.5]),
    "min(-sqrt(x))": (lambda x: f("min")(-sqrt(x)), [0, 1], [0, -0.5]),
    "clip(log(x), -1, 1)": (lambda x: clip(log(x), -1, 1), [0, 1], [[0, 0], [0, 1]]),
    "relu(log(x))": (lambda x: relu(log(x)), [0, 0.5, 2], [[0, 0, 0], [0, 0, 0], [0, 0, 0.5]]),
    "maximum(log(x), -1)": (lambda x: maximum(log(x), -1), [0, 1], [[0, 0], [0, 1]]),
    "where(x > 0, sqrt(x), 0)": (
        lambda x: where(x > 0, sqrt(x), 0), [0, -1, 4], [[0, 0, 0], [0, 0, 0], [0, 0, 0.25]]
    ),
    "where(x > 0, log(x), x)": (lambda x: where(x > 0, log(x), x), [-1, 2], [[1, 0], [0, 0.5]]),
    "sum(where(x > 0, sqrt(x), 0))": (lambda x: where(x > 0, sqrt(x), 0).sum(), [0, -1, 4], [0, 0, 0.25]),
    "max(where(x > 0, log(x), x))": (lambda x: f("max")(where(x > 0, log(x), x)), [-1, 2], [0, 0.5]),
    "diag(reshape(sqrt(x), 2x2))": (
        lambda x: f("diag")(sqrt(x).reshape((2, 2))), [1, 0, 0, 1], [[0.5, 0, 0, 0], [0, 0, 0, 0.5]]
    ),
    "trace(reshape(sqrt(x), 2x2))": (lambda x: f("trace")(sqrt(x).reshape((2, 2))), [1, 0, 0, 1], [0.5, 0, 0, 0.5]),
    "stack(sqrt(x))[1]": (lambda x: f("stack")([sqrt(x[0]), sqrt(x[1])])[1], [0, 1], [0, 0.5]),
    "cumsum(sqrt(x))[0]": (lambda x: f("cumsum")(sqrt(x))[0], [1, 0], [0.5, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_jacobian(name: str) -> None:
    program, point, jacobian = CASES[name]
    expected = np.asarray(jacobian, dtype=float)
    x = Tensor(point, requires_grad=True)
    y = program(x)
    basis = np.eye(x.array.size)
    rows = np.eye(y.array.size).reshape(y.array.size, *y.shape)
    full = expected.reshape(y.array.size, x.array.size)

    np.testing.assert_allclose(pull(y, [x], rows, lead=1)[0], full, rtol=1e-12)
    np.testing.assert_allclose(push(y, [x], [basis], lead=1).reshape(x.array.size, -1).T, full, rtol=1e-12)
    for i, row in enumerate(rows):
        np.testing.assert_allclose(pull(y, [x], row)[0], full[i], rtol=1e-12)
    for j, direction in enumerate(basis):
        np.testing.assert_allclose(np.ravel(push(y, [x], [direction])), full[:, j], rtol=1e-12)


def test_a_zero_out_of_arithmetic_is_no_excuse() -> None:
    x = Tensor([0.0], requires_grad=True)
    y = sqrt(x) ** 2
    assert np.isnan(pull(y, [x], np.ones(1))[0]).all()
    assert np.isnan(push(y, [x], [np.ones(1)])).all()


def test_nan_that_was_selected_stays() -> None:
    x = Tensor([-1.0, 4.0], requires_grad=True)
    y = clip(log(x), -1, 1)
    np.testing.assert_array_equal(pull(y, [x], np.ones(2))[0], [nan, 0])


@pytest.mark.parametrize("name", ["clip(log(x), -1, 1)", "maximum(log(x), -1)", "where(x > 0, sqrt(x), 0)"])
def test_second_order(name: str) -> None:
    from gradcli.engine import grad

    program, point, _ = CASES[name]
    x = Tensor(point, requires_grad=True)
    (g,) = grad(program(x).sum(), x, create_graph=True)
    assert g is not None
    (h,) = grad(g.sum(), x)
    assert h is not None
    assert np.isfinite(h.array).all()
