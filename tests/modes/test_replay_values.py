"""Calls one to five of one Expression whose values take other ways: orders, masks, ties, sizes, draws."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli

WIDE = np.linspace(-1.0, 1.0, 40_000).reshape(200, 200)

RUNS = {
    "((x > 0) + (x > 1))*y": [({"x": x, "y": 3.0}, ((x > 0) + 0.0 + (x > 1)) * 3.0) for x in (2.0, 2, 1.5, 0.5, -1, 9)],
    "sum(sort(y)*[1, 2])": [({"y": y}, min(y) + 2 * max(y)) for y in ([2.0, 1], [2, 1], [2, 1], [1, 2], [3, 3])],
    "topk(x, 1)[0]": [({"x": x}, max(x)) for x in ([3.0, 2], [3, 2], [3, 2], [2, 4], [1, 7], [5, 5])],
    "sort(x, descending=True)[0]": [({"x": x}, max(x)) for x in ([2.0, 1], [2, 1], [2, 1], [1, 2], [4, 4], [3, 8])],
    "median(x)": [({"x": x}, np.median(x)) for x in ([3.0, 2, 1], [3, 2, 1], [3, 2, 1], [1, 9, 2], [7, 7, 1])],
    "det(X)": [({"X": [[1.0, b], [3.0, 6.0]]}, 6.0 - 3.0 * b) for b in (1.0, 1.0, 1.0, 2.0, 5.0)],
    "x[argmax(x)]": [({"x": x}, max(x)) for x in ([1.0, 2], [1, 2], [1, 2], [4, 3], [5, 5])],
    "sum(x[x > 1])": [({"x": x}, sum(t for t in x if t > 1)) for x in ([1.0, 2], [1, 2], [1, 2], [4, 3], [0, 0])],
    "sum(ones(3)*x)": [({"x": x}, 3 * x) for x in (1.0, 2.0, 3.0, 4.0, 5.0)],
    "sum(logaddexp(x, y))": [
        ({"x": WIDE * k, "y": WIDE[0] + k}, np.sum(np.logaddexp(WIDE * k, WIDE[0] + k))) for k in (1.0, 2.0, 3.0, 4.0)
    ],
    "sum(logaddexp(x, y)*2)": [
        ({"x": WIDE * k, "y": WIDE[:, :1]}, 2 * np.sum(np.logaddexp(WIDE * k, WIDE[:, :1]))) for k in (1.0, 2.0, 3.0, 4)
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", RUNS)
def test_every_call_gives_what_its_own_values_give(text: str) -> None:
    f = gradcli.parse(text)
    for at, value in RUNS[text]:
        found, fresh = f.diff(at), gradcli.parse(text).diff(at)
        np.testing.assert_allclose(found.value, value, rtol=1e-13)
        np.testing.assert_allclose(f.evaluate(at).value, value, rtol=1e-13)
        assert found.notes == fresh.notes
        for name, gradient in fresh.gradient.items():
            np.testing.assert_allclose(found.gradient[name], gradient, rtol=1e-13)


def test_a_matrix_is_looked_at_in_every_call() -> None:
    f, good = gradcli.parse("cholesky(A)[0, 0]"), [[4.0, 1.0], [1.0, 3.0]]
    for _ in range(4):
        assert f.diff({"A": good}).value == 2
    with pytest.raises(gradcli.errors.BadArgument, match="not symmetric"):
        f.diff({"A": [[4.0, 1.0], [2.0, 3.0]]})
    assert f.diff({"A": good}).value == 2


def test_a_program_that_writes_into_its_draws_is_checked_with_the_same_ones() -> None:
    for text in ("y = rand(3); y *= x; sum(y**2)", "y = rand(3); y[0] = y[0]*x; sum(y**2)*x"):
        found = gradcli.parse(text).check({"x": 2.0})
        assert found.passed
        worst = found.variables["x"]
        assert np.isfinite([worst.reverse, worst.forward, worst.numeric]).all()
        np.testing.assert_allclose(worst.numeric, worst.reverse, rtol=1e-6)
