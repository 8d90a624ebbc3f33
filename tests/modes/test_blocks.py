"""Results that come in several blocks: every mode, streamed or in little memory, against derivatives made by hand."""

import numpy as np
import pytest

import gradcli
from gradcli.modes.jacobian import BYTES_PER_ENTRY, MODES, STREAMED
from gradcli.primitives import budget

N = 3 * STREAMED + 5
RNG = np.random.default_rng(7)
X, Y = RNG.uniform(0.5, 2.0, (2, N))
B = RNG.uniform(0.5, 2.0, (N, 4))
V = np.array([0.5, -1.0, 2.0, 0.25])
TIGHT = 1 << 20
"""Bytes: some thirty rows of N numbers at a time."""

JACOBIANS = {
    "x**2*y": {"x": np.diag(2 * X * Y), "y": np.diag(X**2)},
    "x*sum(x)": {"x": np.diag(np.full(N, X.sum())) + X[:, None]},
    "exp(y) - x[::-1]": {"x": -np.eye(N)[::-1], "y": np.diag(np.exp(Y))},
    "x*y[0] + x[3]*y": {
        "x": Y[0] * np.eye(N) + np.outer(Y, np.eye(N)[3]),
        "y": np.outer(X, np.eye(N)[0]) + X[3] * np.eye(N),
    },
    "x[1:]*x[:-1]": {"x": np.eye(N)[1:] * X[:-1, None] + np.eye(N)[:-1] * X[1:, None]},
    "B@v": {"B": np.einsum("ik,j->ikj", np.eye(N), V), "v": B},
    "sin(x*v[0])": {"x": np.diag(V[0] * np.cos(V[0] * X)), "v": np.outer(X * np.cos(V[0] * X), np.eye(4)[0])},
    "x*(y*y)": {"x": np.diag(Y * Y), "y": np.diag(2 * X * Y)},
    "-x": {"x": -np.eye(N)},
}
WHOLE = {"x": X, "y": Y, "B": B, "v": V}


def given(text: str) -> dict[str, np.ndarray]:
    return {name: WHOLE[name] for name in gradcli.parse(text).names}


def room_for(jacobian: dict[str, np.ndarray], mode: str) -> int:
    """Memory that holds a Jacobian whole, or its pattern, and not much more."""
    each = BYTES_PER_ENTRY // budget.ITEM if mode == "sparse" else 2
    return max(TIGHT, *(each * block.nbytes for block in jacobian.values()))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", JACOBIANS)
def test_the_blocks_of_a_stream_are_the_rows_of_the_whole(text: str, mode: str) -> None:
    coming = gradcli.parse(text).jacobian_stream(given(text), mode=mode)
    rows = 0
    parts: dict[str, list[np.ndarray]] = {name: [] for name in JACOBIANS[text]}
    for block in coming.blocks:
        assert block.first == rows
        counts = {len(part) for part in block.rows.values()}
        assert len(counts) == 1
        assert max(counts) <= STREAMED
        rows += counts.pop()
        for name, part in block.rows.items():
            parts[name].append(part)
    for name, expected in JACOBIANS[text].items():
        np.testing.assert_allclose(np.concatenate(parts[name]), expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", JACOBIANS)
def test_a_jacobian_in_little_memory(text: str, mode: str) -> None:
    budget.set_limit(room_for(JACOBIANS[text], mode))
    found = gradcli.parse(text).jacobian(given(text), mode=mode)
    for name, expected in JACOBIANS[text].items():
        np.testing.assert_allclose(found.jacobian[name], expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("text", ["x**2*y", "x*sum(x)", "-x"])
def test_little_memory_takes_several_sweeps(text: str) -> None:
    budget.set_limit(TIGHT)
    method = gradcli.parse(text).jacobian(given(text), mode="stacked").method
    assert 2 < method.passes < N
    assert (method.passes - 1) * method.block < N <= method.passes * method.block


CURVED = {
    "sum(x**3*y)": {
        "x": {"x": np.diag(6 * X * Y), "y": np.diag(3 * X**2)},
        "y": {"x": np.diag(3 * X**2), "y": np.zeros((N, N))},
    },
    "sum(x)**2*v[0]": {
        "x": {"x": np.full((N, N), 2 * V[0]), "v": np.outer(np.full(N, 2 * X.sum()), np.eye(4)[0])},
        "v": {"x": np.outer(np.eye(4)[0], np.full(N, 2 * X.sum())), "v": np.zeros((4, 4))},
    },
    "sum(x[1:]*x[:-1])*y[2]": {
        "x": {
            "x": Y[2] * (np.eye(N, k=1) + np.eye(N, k=-1)),
            "y": np.outer(np.append(X[1:], 0) + np.append(0, X[:-1]), np.eye(N)[2]),
        },
        "y": {
            "x": np.outer(np.eye(N)[2], np.append(X[1:], 0) + np.append(0, X[:-1])),
            "y": np.zeros((N, N)),
        },
    },
}
NEEDS = 8 << 20
"""Bytes that hold a Hessian of 2*N variables, with stacks of some hundred rows beside it."""


@pytest.mark.parametrize("limit", [NEEDS, budget.DEFAULT_LIMIT])
@pytest.mark.parametrize("text", CURVED)
def test_a_hessian_in_blocks(text: str, limit: int) -> None:
    budget.set_limit(limit)
    found = gradcli.parse(text).hessian(given(text)).hessian
    for a, row in CURVED[text].items():
        for b, expected in row.items():
            np.testing.assert_allclose(found[a][b], expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("limit", [TIGHT, budget.DEFAULT_LIMIT])
@pytest.mark.parametrize("text", CURVED)
def test_the_diagonal_of_a_hessian_in_blocks(text: str, limit: int) -> None:
    budget.set_limit(limit)
    found = gradcli.parse(text).hessian_diagonal(given(text)).diagonal
    for name, row in CURVED[text].items():
        np.testing.assert_allclose(found[name], np.diagonal(row[name]), rtol=1e-13, atol=0)
