"""The diagonal of a Hessian and products with it, against the whole."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import LimitExceeded, NotDifferentiable, ShapeMismatch, UnknownName, UsageProblem

PROGRAMS = [
    "x**2*y",
    "sum(w**3)*x",
    "sum(exp(A@w)) + x*y",
    "prod(w)",
    "log(sum(exp(A@w))) * x",
    "sum(A*A*w) / (1 + x**2)",
    "sum(tanh(w[1:]*w[:-1])) + y**4",
    "norm(A)*x",
    "z = 1*w; z[0] = z[1]*x; z *= y; sum(z**2)",
    "3*x + y",
    "sum(w)*0 + 2",
]


def point(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    shapes = {"x": (), "y": (), "w": (3,), "A": (2, 3)}
    return {name: rng.uniform(0.5, 1.5, shapes[name]) for name in names}


def whole(found) -> np.ndarray:
    sizes = {name: np.size(g) for name, g in found.gradient.items()}
    return np.block(
        [[np.reshape(found.hessian[a][b], (sizes[a], sizes[b])) for b in sizes] for a in sizes],
    )


def flat(parts: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([np.reshape(part, -1) for part in parts.values()])


@pytest.mark.parametrize("text", PROGRAMS)
def test_parts_of_a_hessian(text: str) -> None:
    f = gradcli.parse(text)
    at = point(f.names)
    matrix = whole(f.hessian(at))
    np.testing.assert_array_equal(matrix, matrix.T)
    diagonal = f.hessian_diagonal(at)
    np.testing.assert_allclose(flat(diagonal.diagonal), np.diagonal(matrix), rtol=1e-13, atol=1e-15)
    rng = np.random.default_rng(2)
    tangent = {name: rng.standard_normal(np.shape(value)) for name, value in at.items()}
    product = f.hvp(at, tangent)
    scale = abs(matrix) @ abs(flat(tangent))
    np.testing.assert_allclose(flat(product.product), matrix @ flat(tangent), rtol=0, atol=1e-13 * (1 + scale.max()))
    gradient = f.diff(at)
    for found in (diagonal, product):
        np.testing.assert_allclose(flat(found.gradient), flat(gradient.gradient), rtol=1e-14)
        assert found.value == gradient.value


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_sparse_hessian_is_the_hessian(text: str) -> None:
    f = gradcli.parse(text)
    at = point(f.names)
    dense, found = f.hessian(at), f.sparse_hessian(at)
    matrix = whole(dense)
    np.testing.assert_allclose(found.matrix().dense(), matrix, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(found.matrix().dense(), found.matrix().dense().T)
    for a, row in found.hessian.items():
        for b, part in row.items():
            assert part.shape == (np.size(at[a]), np.size(at[b]))
            assert (np.diff(part.rows) >= 0).all()
            np.testing.assert_allclose(part.dense().reshape(-1), np.reshape(dense.hessian[a][b], -1), 1e-12, 1e-14)


def test_a_large_sparse_hessian() -> None:
    x = np.linspace(-1, 1, 50_000)
    found = gradcli.parse(CHAIN).sparse_hessian({"x": x})
    assert found.method.passes == 3
    part = found.hessian["x"]["x"]
    assert len(part.values) == 3 * len(x) - 2
    main = np.where(part.rows == part.columns)
    true = np.concatenate([1200 * x[:-1] ** 2 - 400 * x[1:] + 2, [0]]) + np.concatenate([[0], np.full(len(x) - 1, 200)])
    np.testing.assert_allclose(part.values[main], true, rtol=1e-12)
    with pytest.raises(LimitExceeded, match="hessian: an array of shape 50000x50000") as caught:
        gradcli.parse(CHAIN).hessian({"x": x})
    assert "--mode sparse" in caught.value.help
    with pytest.raises(LimitExceeded, match="too dense"):
        gradcli.parse("sum(x)**2").sparse_hessian({"x": x})


CHAIN = "sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)"


def test_a_structured_hessian_is_compressed_and_symmetric() -> None:
    f = gradcli.parse(CHAIN)
    x = np.random.default_rng(0).uniform(-1, 1, 600)
    matrix = f.hessian({"x": x}).hessian["x"]["x"]
    np.testing.assert_array_equal(matrix, matrix.T)
    i = np.arange(600)
    assert not matrix[abs(i[:, None] - i) > 1].any()
    np.testing.assert_allclose(np.diagonal(matrix)[1:-1], 1200 * x[1:-1] ** 2 - 400 * x[2:] + 202, rtol=1e-12)
    np.testing.assert_allclose(np.diagonal(matrix, 1), -400 * x[:-1], rtol=1e-14)
    np.testing.assert_allclose(f.hessian_diagonal({"x": x}).diagonal["x"], np.diagonal(matrix), rtol=1e-13)
    v = np.random.default_rng(1).standard_normal(600)
    np.testing.assert_allclose(f.hvp({"x": x}, {"x": v}).product["x"], matrix @ v, rtol=1e-11, atol=1e-10)


def test_the_diagonal_of_a_large_chain_needs_no_matrix() -> None:
    x = np.linspace(-1, 1, 30_000)
    found = gradcli.parse(CHAIN).hessian_diagonal({"x": x}).diagonal["x"]
    np.testing.assert_allclose(found[1:-1], 1200 * x[1:-1] ** 2 - 400 * x[2:] + 202, rtol=1e-12)


def test_directions_of_names_that_move_nothing() -> None:
    """A name with a value that only dead code reads, or nothing at all, may move: it changes nothing."""
    f = gradcli.parse("u = 2*d; x**3")
    at = {"x": 2.0, "d": 1.0, "q": [1.0, 2.0]}
    assert f.jvp(at, {"x": 1.0, "d": 5.0, "q": [1.0, 1.0]}).tangent == 12
    found = f.hvp(at, {"x": 1.0, "d": 5.0, "q": [1.0, 1.0]})
    assert found.product["x"] == 12
    assert found.gradient["d"] == found.product["d"] == 0
    assert found.product["q"].tolist() == [0, 0]
    assert list(f.hvp(at, {"x": 1.0}).product) == ["x"]


def test_what_is_refused() -> None:
    f = gradcli.parse("x**2*y")
    at = {"x": 2.0, "y": 3.0}
    for product in (f.hvp, f.jvp):
        with pytest.raises(UsageProblem, match="needs a direction"):
            product(at, {})
        with pytest.raises(UnknownName, match="there is no value for z"):
            product(at, {"z": 1.0})
    with pytest.raises(ShapeMismatch):
        f.hvp(at, {"x": [1.0, 2.0]})
    with pytest.raises(NotDifferentiable, match="needs a scalar"):
        gradcli.parse("x*y").hessian_diagonal({"x": [1.0, 2.0], "y": 1.0})
