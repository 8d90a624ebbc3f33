"""The value of every entry against an expression that does not come from the table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.engine import function
from gradcli.primitives import TABLE
from tests.primitives import matrix_calls, order_calls, special_calls
from tests.primitives.samples import SAMPLES, Sample, each

Reference = Callable[..., Any]


def pointwise(f: Callable[[float], float]) -> Reference:
    """A function of Python's math module, element by element."""
    return lambda x: np.array([f(float(v)) for v in np.ravel(x)]).reshape(np.shape(x))


def moment(power: float) -> Reference:
    def spread(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return np.var(x, axis=axis, ddof=ddof, keepdims=keepdims) ** power

    return spread


def lse(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


def shares(x: Any, axis: Any = -1) -> Any:
    return np.exp(x) / np.sum(np.exp(x), axis=axis if np.ndim(x) else None, keepdims=True)


def written(x: Any, value: Any, index: Any) -> Any:
    out = np.array(x)
    out[index] = value
    return out


def norms(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord is None and (np.ndim(axis) > 0 or axis is None):
        return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))
    return np.linalg.norm(x, ord, axis, keepdims)


REFERENCES: dict[str, Reference] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda x: 0 - x, "pos": lambda x: x, "pow": lambda a, b: np.exp(b * np.log(a)), "square": lambda x: x * x,
    "remainder": lambda a, b: a - b * np.floor(a / b), "floor_divide": lambda a, b: np.floor(a / b),
    "reciprocal": lambda x: 1 / x, "as_number": lambda x: x, "zero": lambda x: 0 * x, "fill": lambda x, v: 0 * x + v,
    "where": lambda c, a, b: c * a + ~c * b, "maximum": lambda a, b: (a + b + abs(a - b)) / 2,
    "minimum": lambda a, b: (a + b - abs(a - b)) / 2, "abs": lambda x: np.sqrt(x * x),
    "sign": pointwise(lambda v: (v > 0) - (v < 0)), "floor": pointwise(math.floor), "ceil": pointwise(math.ceil),
    "trunc": pointwise(math.trunc), "round": pointwise(round), "clip": lambda x, lo, hi: np.clip(x, lo, hi),
    "exp": pointwise(math.exp), "exp2": pointwise(math.exp2), "expm1": pointwise(math.expm1),
    "log": pointwise(math.log), "log2": pointwise(math.log2), "log10": pointwise(math.log10),
    "log1p": pointwise(math.log1p), "sqrt": pointwise(math.sqrt), "cbrt": pointwise(math.cbrt),
    "sin": pointwise(math.sin), "cos": pointwise(math.cos), "tan": pointwise(math.tan), "asin": pointwise(math.asin),
    "acos": pointwise(math.acos), "atan": pointwise(math.atan), "atan2": lambda y, x: np.angle(x + 1j * y),
    "sinh": pointwise(math.sinh), "cosh": pointwise(math.cosh), "tanh": pointwise(math.tanh),
    "sech": lambda x: 1 / np.cosh(x), "asinh": pointwise(math.asinh), "acosh": pointwise(math.acosh),
    "atanh": pointwise(math.atanh), "hypot": lambda a, b: np.sqrt(a * a + b * b),
    "leg": lambda a, b: a / np.sqrt(a * a + b * b), "below_one": lambda x: 1 - x * x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "bell": lambda x: 1 / (np.exp(x) + 2 + np.exp(-x)),
    "softplus": lambda x: np.log(1 + np.exp(x)), "relu": lambda x: x * (x > 0),
    "sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min, "var": moment(1), "std": moment(0.5),
    "logsumexp": lse, "softmax": shares, "log_softmax": lambda x, axis=-1: np.log(shares(x, axis)),
    "length": lambda x, axis=None, keepdims=False: np.sqrt(np.sum(x**2, axis=axis, keepdims=keepdims)),
    "unit": lambda x, axis=None: x / np.sqrt(np.sum(x**2, axis=axis, keepdims=True)), "norm": norms,
    "cumsum": lambda x, axis=0: np.cumsum(x, axis), "reshape": lambda x, shape: np.reshape(x, shape), "ravel": np.ravel,
    "expand_dims": np.expand_dims, "squeeze": np.squeeze, "transpose": np.transpose, "broadcast_to": np.broadcast_to,
    "flip": np.flip, "index": lambda x, index: x[index], "trace": np.trace,
    "diag": lambda x, k=0: np.diag(x, k), "matmul": lambda a, b: a @ b, "dot": np.dot, "inner": np.inner,
    "outer": np.outer, "concatenate": lambda *xs, axis=0: np.concatenate(xs, axis),
    "stack": lambda *xs, axis=0: np.stack(xs, axis), "assign": written, "full": lambda v, shape: np.full(shape, v),
    "arange": lambda a, b, c: np.arange(0, a, c) if np.isnan(b) else np.arange(a, b, c), "linspace": np.linspace,
    **matrix_calls.REFERENCES, **order_calls.REFERENCES,
    **special_calls.REFERENCES,
}  # fmt: skip


@each(SAMPLES)
def test_value(sample: Sample) -> None:
    value = sample(*sample.operands).array
    expected = REFERENCES[sample.name](*sample.operands, **sample.params)
    assert value.shape == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-14)


MASKS = {
    "less": [True, False, False], "less_equal": [True, True, False], "greater": [False, False, True],
    "greater_equal": [False, True, True], "equal": [False, True, False], "not_equal": [True, False, True],
}  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), MASKS.items())
def test_comparisons(name: str, expected: list[bool]) -> None:
    found = function(TABLE[name])([1, 2, 3], 2).array
    assert found.dtype == bool
    assert found.tolist() == expected


def test_logic_takes_any_number() -> None:
    logic = {name: function(TABLE[name]) for name in ("logical_and", "logical_or", "logical_not")}
    assert logic["logical_and"]([0, 2, np.nan], [1, -1, 1]).tolist() == [False, True, True]
    assert logic["logical_or"]([0, 2, 0], [0, 0, -0.5]).tolist() == [False, True, True]
    assert logic["logical_not"]([0, 2]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("isnan", [True, False, False]), ("isinf", [False, True, False]), ("isfinite", [False, False, True])],
)
def test_tests_for_special_values(name: str, expected: list[bool]) -> None:
    assert function(TABLE[name])([np.nan, -np.inf, 1]).tolist() == expected
