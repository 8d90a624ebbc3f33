"""Activations of neural networks.

The logistic family is closed: softplus' = sigmoid, sigmoid' = bell, bell' = -bell tanh(x/2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import Kink, elementwise

GROUP = "activation"


def _sigmoid(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1.0) / (1.0 + e)


def _bell(x: Any) -> Any:
    # e/(1 + e)^2, but each rounding counts once: this form is within 2.3 ulp, the product of two sigmoids within 4.1.
    e = np.asarray(-np.abs(x))
    np.exp(e, out=e)
    below = np.asarray(2.0 + e)
    below *= e
    below += 1.0
    return np.divide(e, below, out=e)


elementwise("bell", "x", _bell, lambda xp, out, x: -out * xp.tanh(0.5 * x), hidden=True, group=GROUP,
            summary="Density of the logistic distribution, the slope of sigmoid.")  # fmt: skip

elementwise(
    "sigmoid", "x", _sigmoid,
    lambda xp, _out, x: xp.bell(x),  # out*(1 - out) would cancel where out is near 1
    derivative="d/dx = exp(-x)/(1 + exp(-x))**2",
    aliases=("expit",), by_result=True, group=GROUP,
    summary="Logistic function, 1/(1 + exp(-x)).", example="sigmoid([0, 1])",
)  # fmt: skip

elementwise("softplus", "x", lambda x: np.logaddexp(0.0, x), lambda xp, _out, x: xp.sigmoid(x), group=GROUP,
            summary="log(1 + exp(x)), without overflow.", example="softplus([0, 1000])")  # fmt: skip

elementwise(
    "relu", "x", lambda x: np.maximum(x, 0.0),
    lambda xp, _out, x: xp.where(x <= 0, 0.0, 1.0),  # so that nan passes its cotangent on
    selects=True, by_result=True, group=GROUP, summary="x where it is positive, 0 elsewhere.",
    example="relu([1, -2])",
    edge="at 0 the gradient is 0", kinks=(Kink(lambda x: x == 0, "a corner: the slope is 0 before 0 and 1 after"),),
)  # fmt: skip
