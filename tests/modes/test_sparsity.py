"""Structural patterns and colours: nothing is missed, and where structure is plain nothing is too many."""

import time
import tracemalloc

import numpy as np
import pytest

import gradcli
from gradcli.errors import LimitExceeded
from gradcli.modes import jacobian, sparsity
from gradcli.modes.coloring import colors
from gradcli.modes.sparse import compression
from gradcli.modes.sparsity import Pattern, united
from gradcli.primitives import budget

SHAPES = {"x": (6,), "y": (6,), "A": (3, 4), "B": (4, 3), "k": ()}

EXACT = [
    "x",
    "k*x",
    "x*y",
    "x + y[::-1]",
    "x[1:]*x[:-1]",
    "x[[0, 0, 5]]",
    "x[1]",
    "x[None] * y[:, None]",
    "x[:4] + A",
    "A.T",
    "A.T*B",
    "A[1]",
    "A[:, [0, 2]]",
    "sum(x)",
    "sum(A, axis=0)",
    "mean(A, axis=1)",
    "cumsum(x)",
    "cumsum(A, axis=1)",
    "softmax(A, axis=1)",
    "logsumexp(A, axis=0)",
    "prod(A, axis=1)",
    "norm(A, axis=0)",
    "reshape(x, 2, 3)*k",
    "stack([x, y, x*y], axis=1)",
    "concatenate([x, [k], y])",
    "[x[0]*y[1], k, x[2]]",
    "roll(x, 2)*x",
    "flip(A, axis=1)",
    "diff(x)",
    "diag(A)",
    "tril(A)",
    "trace(A)",
    "outer(x, y)",
    "A@B",
    "B@A",
    "x@y",
    "diag([1, 2, 3])@A",
    "A@diag([1, 0, 3, 0])",
    "convolve(x, [1, 2])",
    "kron(y, x)",
    "gradient(x)",
    "diff(A, axis=0)",
    "floor(x) + y",
    "y = zeros(6); y[0] = x[0]**2; y[2:4] = x[1]*k; y",
    "z = 1*x; z[1:] *= y[:-1]; z",
    "3",
]
SUPERSET = [
    "where(x > 0, x, y)",
    "(x > y)*k",
    "maximum(x, y)",
    "relu(x)*k",
    "max(A, axis=1)",
    "sort(x)",
    "x[x > 0]",
    "clip(x, -0.1, 0.1)",
    "x - x",
    "0*x",
    "inv(A@B)",
    "det(A@B)*x",
    "median(x)",
]


def point(text: str, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    names = gradcli.parse(text).names
    return {name: rng.uniform(0.5, 1.5, SHAPES[name]) * rng.choice([-1, 1], SHAPES[name]) for name in names}


def found_and_true(text: str, points: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Where the pattern allows entries, and where the Jacobian has some at one of a few points."""
    f = gradcli.parse(text)
    found, true = None, None
    for seed in range(points):
        at = point(text, seed)
        matrix = f.jacobian_pattern(at).matrix().dense() != 0
        dense = f.jacobian(at, mode="rows")
        blocks = [np.reshape(block, (matrix.shape[0], -1)) for block in dense.jacobian.values()]
        entries = np.concatenate([np.zeros((matrix.shape[0], 0)), *blocks], axis=1) != 0
        if found is not None and found.shape != matrix.shape:  # the shape depends on the values
            assert not (entries & ~matrix).any(), text
            continue
        found = matrix if found is None else found | matrix
        true = entries if true is None else true | entries
    assert found is not None
    assert true is not None
    return found, true


@pytest.mark.parametrize("text", EXACT)
def test_exact(text: str) -> None:
    found, true = found_and_true(text)
    np.testing.assert_array_equal(found, true)


@pytest.mark.parametrize("text", SUPERSET)
def test_nothing_is_missed(text: str) -> None:
    found, true = found_and_true(text)
    assert not (true & ~found).any()


STEPS = (
    "v = v*x",
    "v = sin(v) + y",
    "v = v[::-1]",
    "v = roll(v, {n})",
    "v = 1*v; v[{n}:] *= x[{n}:]",
    "v = 1*v; v[{n}] = v[{m}]*k",
    "v = v + x[{n}]",
    "v = concatenate([v[{n}:], y[:{n}]])",
    "v = reshape(reshape(v, 2, 3).T, 6)*y",
    "v = v[[0, {n}, 2, {m}, 4, 5]]",
    "v = reshape(cumsum(reshape(v, 3, 2), axis=1), 6)",
    "v = exp(-v**2)",
    "v = where(x > y, v*x, v)",
    "v = tanh(v + y[{n}])",
)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    """Exact but for the choices of where, and compressed to the same matrix."""
    rng = np.random.default_rng(seed)
    steps = [str(rng.choice(STEPS)).format(n=rng.integers(1, 6), m=rng.integers(0, 6)) for _ in range(5)]
    text = "\n".join(["v = x*1 + 0*y + 0*k", *steps, "v"])
    found, true = found_and_true(text)
    assert not (true & ~found).any()
    if "where" not in text and "x > y" not in text:
        zeros = {"y": 6, "k": 12}  # only 0*y and 0*k, which are structure but never a number, may be too many
        extra = np.argwhere(found & ~true)
        assert all(column >= zeros["y"] for _, column in extra), text
    at = point(text, seed)
    f = gradcli.parse(text)
    sparse, dense = f.sparse_jacobian(at), f.jacobian(at, mode="rows")
    for name, block in dense.jacobian.items():
        matrix = sparse.jacobian[name].dense()
        np.testing.assert_allclose(matrix, np.reshape(block, matrix.shape), rtol=1e-13, atol=1e-15)


def test_too_dense_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jacobian, "BYTES_PER_ENTRY", budget.limit() // 100)
    with pytest.raises(LimitExceeded, match="too dense"):
        gradcli.parse("cumsum(x)").sparse_jacobian({"x": np.ones(50)})


# Weights of sum 0, also against the numbers of the elements.
FLAT_WEIGHTS = ("diff(x, 2)", "diff(x, 3)", "convolve(x, [1, -2, 1])", "correlate(x, [1, -3, 3, -1])",
                "concatenate([1e10*x, diff(x, 2)])", "vdot(x[:4], [1, -1, -1, 1])*x")  # fmt: skip


@pytest.mark.parametrize("text", FLAT_WEIGHTS)
def test_weights_that_cancel_are_seen(text: str) -> None:
    f, at = gradcli.parse(text), {"x": np.linspace(1, 2, 9) ** 3}
    dense = f.jacobian(at, mode="rows").jacobian["x"]
    np.testing.assert_allclose(f.sparse_jacobian(at).jacobian["x"].dense(), dense, rtol=1e-13)
    pattern = f.jacobian_pattern(at).pattern["x"].dense()
    assert (pattern[dense != 0] == 1).all()


@pytest.mark.parametrize("text", ["x*mean(x)", "cumsum(x**2)", "softmax(x)"])
def test_the_search_for_a_pattern_ends_where_it_cannot_pay(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    n, sizes = 600, []
    rows = sparsity._rows
    monkeypatch.setattr(sparsity, "_rows", lambda *call: sizes.append(len((made := rows(*call)).columns)) or made)
    assert gradcli.parse(text).jacobian({"x": np.ones(n)}).method.mode == "stacked"
    assert max(sizes, default=0) <= n * n // 8


@pytest.mark.parametrize("text", ["softmax(X, axis=1)", "tanh(X@W)", "logsumexp(X, axis=1)*v", "norm(X, axis=1)*v"])
def test_auto_finds_rows_that_know_nothing_of_each_other(text: str) -> None:
    draw = np.random.default_rng(1)
    at = {"X": draw.standard_normal((600, 3)), "W": draw.standard_normal((3, 3)), "v": np.ones(600)}
    f = gradcli.parse(text)
    at = {name: at[name] for name in f.names}
    found, true = f.jacobian(at, wrt=["X"]), f.jacobian(at, wrt=["X"], mode="rows")
    assert found.method.mode == "sparse"
    assert found.method.passes <= 3
    np.testing.assert_allclose(found.jacobian["X"], true.jacobian["X"], rtol=1e-13, atol=1e-15)


# ---- colours


def pattern_from(matrix: np.ndarray) -> Pattern:
    return united(len(matrix), [np.nonzero(matrix)])


def arrow(n: int) -> np.ndarray:
    matrix = np.eye(n, dtype=bool)
    matrix[:, 0] = True
    return matrix


def banded(n: int, width: int) -> np.ndarray:
    return abs(np.subtract.outer(np.arange(n), np.arange(n))) <= width


@pytest.mark.parametrize(
    ("matrix", "passes"),
    [
        (arrow(20), 2),
        (arrow(20).T, 2),
        (arrow(20) | arrow(20).T, 20),
        (banded(30, 1), 3),
        (banded(30, 2), 5),
        (np.kron(np.eye(5), np.ones((3, 4))) != 0, 3),
        (np.ones((7, 4), dtype=bool), 4),
        (np.ones((4, 7), dtype=bool), 4),
        (np.eye(9, dtype=bool), 1),
        (np.zeros((5, 6), dtype=bool), 1),
        (np.zeros((0, 6), dtype=bool), 0),
        (np.zeros((6, 0), dtype=bool), 0),
    ],
    ids=lambda value: "x".join(map(str, value.shape)) if isinstance(value, np.ndarray) else "",
)
def test_colours(matrix: np.ndarray, passes: int) -> None:
    plan = compression(pattern_from(matrix), matrix.shape[1])
    assert plan.passes <= passes
    columns = matrix if plan.forward else matrix.T
    for color in range(plan.passes):
        assert (columns[:, plan.color == color].sum(axis=1) <= 1).all()


@pytest.mark.parametrize("seed", range(10))
def test_colours_of_random_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.random((rng.integers(1, 40), rng.integers(1, 40))) < 0.1
    plan = compression(pattern_from(matrix), matrix.shape[1])
    columns = matrix if plan.forward else matrix.T
    assert (np.array([columns[:, plan.color == c].sum(axis=1) for c in range(plan.passes)]) <= 1).all()


def test_lists_without_members_take_the_first_colour() -> None:
    assert colors([[], [0], [0], [1]], 2).tolist() == [0, 0, 1, 0]


# ---- size

TRIDIAGONAL = "y = 3*x; y[1:] -= x[:-1]**2; y[:-1] -= 2*x[1:]; y + x**3"


def peak(n: int) -> int:
    f, at = gradcli.parse(TRIDIAGONAL), {"x": np.linspace(-1, 1, n)}
    tracemalloc.start()
    f.sparse_jacobian(at)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_a_hundred_thousand_unknowns() -> None:
    x = np.linspace(-1, 1, 100_000)
    begun = time.process_time()
    found = gradcli.parse(TRIDIAGONAL).sparse_jacobian({"x": x})
    assert time.process_time() - begun < 10
    assert found.method.passes == 3
    part = found.jacobian["x"]
    assert len(part.values) == 299_998
    main = part.rows == part.columns
    np.testing.assert_allclose(part.values[main], 3 + 3 * x**2, rtol=1e-15)
    np.testing.assert_array_equal(part.values[part.columns == part.rows - 1], -2 * x[:-1])
    np.testing.assert_array_equal(part.values[part.columns == part.rows + 1], np.full(99_999, -2.0))


def test_memory_grows_with_the_unknowns_and_no_faster() -> None:
    peak(100)
    assert peak(20_000) < 4.4 * peak(5_000)
