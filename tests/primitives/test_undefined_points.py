"""Where a derivative is undefined, both modes say the same: nan, or infinities with signs that mean something."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli

nan, inf = np.nan, np.inf

# program, point, Jacobian
POINTS: list[tuple[str, Any, Any]] = [
    ("normalize(x)", [0.0, 0.0], [[nan, nan], [nan, nan]]),
    ("normalize(x)[1]", [[0.0, 0.0], [3.0, 4.0]], [[[0, 0], [0.128, -0.096]], [[0, 0], [-0.096, 0.072]]]),
    ("cosine_similarity(x, [1, 2])", [0.0, 0.0], [nan, nan]),
    ("cosine_similarity([0, 0], x)", [1.0, 2.0], [0, 0]),
    # The adjugate is [[4, -2], [-2, 1]].
    ("logdet(x)", [[1.0, 2], [2, 4]], [[inf, -inf], [-inf, inf]]),
    ("logdet(x)", [[0.0, 0], [0, 4]], [[inf, nan], [nan, nan]]),
    ("logdet(x)", [[0.0, 0], [0, 0]], [[nan, nan], [nan, nan]]),
    ("logdet(x)", [[0.0]], [[inf]]),
    ("slogdet(x)[1]", [[1.0, 2], [2, 4]], [[inf, -inf], [-inf, inf]]),
    ("logdet(x)[1]", [[[1.0, 2], [2, 4]], [[2, 0], [0, 4]]], [[[0, 0], [0, 0]], [[0.5, 0], [0, 0.25]]]),
]


@pytest.mark.parametrize("mode", ["rows", "stacked", "columns"])
@pytest.mark.parametrize(("text", "at", "expected"), POINTS, ids=[f"{text} {at}" for text, at, _ in POINTS])
def test_jacobians(text: str, at: Any, expected: Any, mode: str) -> None:
    found = gradcli.parse(text).jacobian({"x": at}, mode=mode)
    np.testing.assert_allclose(found.jacobian["x"], expected, rtol=1e-13, atol=1e-300)
    assert bool(found.notes) == (not np.isfinite(expected).all() or text.startswith("cosine_similarity([0"))


@pytest.mark.parametrize("shapes", [((3, 3), (1, 3)), ((1, 3), (3, 3)), ((3, 3), (3,)), ((), (2, 2))])
@pytest.mark.parametrize("text", ["copysign(x, s)*x", "fmod(x, s)*x", "maximum(x, s)**2", "xlogy(s, x)**2"])
def test_kinks_told_by_one_operand_that_is_spread(text: str, shapes: Any) -> None:
    x, s = map(np.zeros, shapes)
    found = gradcli.parse(f"sum({text})").hessian({"x": x, "s": s + 0.5})
    assert found.hessian["x"]["s"].shape == x.shape + s.shape
