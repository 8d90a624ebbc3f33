"""Linear algebra at singular matrices, at repeated values and on the border of its domain; conventions by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import Tensor, function, grad
from gradcli.errors import BadArgument, EvaluationError, LimitExceeded, ShapeMismatch
from gradcli.primitives import TABLE

nan, inf = np.nan, np.inf


def gradient(text: str, **at: Any) -> Any:
    """Of the one variable, as an array."""
    point = {name: np.asarray(value, float) for name, value in at.items()}
    (found,) = gradcli.parse(text).diff(point).gradient.values()
    return np.asarray(found)


def reasons(text: str, **at: Any) -> list[str]:
    point = {name: np.asarray(value, float) for name, value in at.items()}
    return [note.reason for note in gradcli.parse(text).diff(point).notes]


def curvature(text: str, x: Any) -> Any:
    """The Hessian in x as a matrix."""
    x = np.asarray(x, float)
    return np.reshape(gradcli.parse(text).hessian({"x": x}).hessian["x"]["x"], (x.size, x.size))


def quotient(text: str, x: Any, step: float = 1e-4) -> tuple[Any, Any]:
    """A direction, and how the gradient changes along it."""
    t = np.random.default_rng(0).normal(size=np.shape(x))
    ahead, behind = (gradient(text, x=np.asarray(x) + s * step * t) for s in (1, -1))
    return t.ravel(), np.ravel(ahead - behind) / (2 * step)


# Determinants


def minor(m: list[list[int]], rows: set[int], columns: set[int]) -> int:
    """The determinant without some rows and columns, in whole numbers."""
    kept = [[v for j, v in enumerate(row) if j not in columns] for i, row in enumerate(m) if i not in rows]

    def det(a: list[list[int]]) -> int:
        return sum((-1) ** j * a[0][j] * det([r[:j] + r[j + 1 :] for r in a[1:]]) for j in range(len(a))) if a else 1

    return det(kept)


def exact_derivatives(m: list[list[int]]) -> tuple[Any, Any]:
    """Cofactors, and the derivatives of those: signed minors without one and without two rows and columns."""
    n = len(m)
    first, second = np.zeros((n, n)), np.zeros((n, n, n, n))
    for i, j in product(range(n), repeat=2):
        first[i, j] = (-1) ** (i + j) * minor(m, {i}, {j})
        for r, c in product(range(n), repeat=2):
            if i != r and j != c:
                sign = (-1) ** (i + j + r + c) * (1 if (i < r) == (j < c) else -1)
                second[i, j, r, c] = sign * minor(m, {i, r}, {j, c})
    return first, second.reshape(n * n, n * n)


@pytest.mark.parametrize(("n", "rank"), [(n, rank) for n in range(1, 6) for rank in range(n + 1)])
def test_determinant_of_every_rank(n: int, rank: int) -> None:
    rng = np.random.default_rng(10 * n + rank)
    x = rng.integers(-3, 4, (n, rank)) @ rng.integers(-3, 4, (rank, n))
    first, second = exact_derivatives(x.tolist())
    scale = max(1.0, np.abs(first).max(), np.abs(second).max())
    np.testing.assert_allclose(gradient("det(x)", x=x), first, atol=1e-11 * scale, rtol=1e-12)
    np.testing.assert_allclose(curvature("det(x)", x), second, atol=1e-11 * scale, rtol=1e-12)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([[1, 1], [1, 1]], [[1, -1], [-1, 1]]), ([[1, 2], [2, 4]], [[4, -2], [-2, 1]]), ([[0]], [[1]]),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[-3, 6, -3], [6, -12, 6], [-3, 6, -3]]),
        (np.zeros((6, 6)), np.zeros((6, 6))), (np.diag([2.0, 3, 4, 0, 5]), np.diag([0.0, 0, 0, 120, 0])),
    ],
)  # fmt: skip
def test_determinant_of_known_singular_matrices(x: Any, expected: Any) -> None:
    np.testing.assert_allclose(gradient("det(x)", x=x), expected, rtol=1e-13, atol=1e-13)


def test_small_determinants_of_whole_numbers_are_whole_numbers() -> None:
    for x in ([[1, 2], [3, 4]], [[1, 2], [2, 4]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[7]]):
        first, _ = exact_derivatives(x)
        assert gradcli.parse("det(x)").evaluate({"x": np.array(x, float)}).value == minor(x, set(), set())
        np.testing.assert_array_equal(gradient("det(x)", x=x), first)


def test_a_stack_of_determinants_of_different_rank() -> None:
    rng = np.random.default_rng(3)
    single = [rng.integers(-3, 4, (4, rank)) @ rng.integers(-3, 4, (rank, 4)) for rank in (4, 3, 2, 0)]
    found = gradient("sum(det(x)*[1, 2, 3, 4])", x=np.array(single))
    for i, x in enumerate(single):
        first, _ = exact_derivatives(x.tolist())
        np.testing.assert_allclose(found[i], (i + 1) * first, atol=1e-11 * max(1.0, np.abs(first).max()), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_determinant_at_every_scale(scale: float) -> None:
    np.testing.assert_allclose(
        gradient("det(x)", x=scale * np.array([[1, 2], [2, 4]])) / scale, [[4, -2], [-2, 1]], rtol=1e-12
    )
    x = np.diag([1.0, 2, 3, 0]) * scale**0.25
    np.testing.assert_allclose(gradient("det(x)", x=x) / scale**0.75, np.diag([0, 0, 0, 6]), atol=1e-14, rtol=1e-12)


def test_fourth_derivative_of_a_determinant_of_zeros() -> None:
    """det(t*x) = t**4 det(x)."""
    found = gradcli.parse("det(t*x)").diff({"t": 0.0, "x": np.diag([2.0, 3, 4, 5])}, wrt=["t"], order=4)
    np.testing.assert_allclose(found.derivatives, [0, 0, 0, 24 * 120], atol=1e-12, rtol=1e-12)


def test_determinant_of_a_nearly_singular_matrix() -> None:
    """One value far below the others is no reason to lose digits."""
    x = np.diag([1.0, 2.0, 1e-14])
    np.testing.assert_allclose(gradient("det(x)", x=x), np.diag([2e-14, 1e-14, 2]), rtol=1e-13, atol=1e-28)


def test_log_of_a_negative_determinant() -> None:
    x = [[0.0, 1.0], [1.0, 0.0]]
    for text in ("logdet(x)", "slogdet(x)[1]"):
        np.testing.assert_allclose(gradient(text, x=x), x, rtol=1e-12)
    np.testing.assert_array_equal(gradient("slogdet(x)[0]", x=x), np.zeros((2, 2)))


def test_log_of_a_singular_determinant_is_a_pole() -> None:
    assert gradcli.parse("logdet(x)").diff({"x": np.array([[1.0, 2], [2, 4]])}).value == -inf
    assert np.isinf(gradient("logdet(x)", x=[[1, 2], [2, 4]])).all()
    assert reasons("logdet(x)", x=[[1, 2], [2, 4]]) == ["a pole: the matrix is singular"]


# Errors


@pytest.mark.parametrize(
    ("text", "x", "message"),
    [
        ("sum(inv(x))", [[1, 2], [2, 4]], "inv: the matrix is singular"),
        ("sum(solve(x, [1, 2]))", [[1, 2], [2, 4]], "solve: the matrix is singular"),
        ("sum(matrix_power(x, -1))", [[1, 2], [2, 4]], "matrix_power: the matrix is singular"),
        ("sum(cholesky(x))", [[1, 2], [2, 1]], "not positive definite"),
        ("sum(cholesky(x))", [[2, 1], [0, 3]], "not symmetric"),
        ("sum(eigvalsh(x))", [[2, 1], [0, 3]], "not symmetric"),
        ("sum(eigh(x)[0])", [[2, 1], [0, 3]], "not symmetric"),
        ("sum(eigh(x))", np.eye(2), "takes one array, this is several"),
        ('einsum("i;import os", x)', [1, 2], "a text such as"),
        ('einsum("ij->jj", x)', np.eye(2), "names an index twice"),
        ('einsum("ij,jk->ik", x)', np.eye(2), "names 2 operands, 1 given"),
        ('sum(norm(x, "__class__"))', np.eye(2), "no norm of order"),
    ],
)
def test_refused(text: str, x: Any, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        gradient(text, x=x)


@pytest.mark.parametrize(
    ("text", "x", "message"),
    [
        ("det(x)", np.ones((2, 3)), "must be square, it is 2x3"), ("det(x)", [1, 2], "takes a matrix"),
        ("sum(solve(x, [1, 2, 3]))", np.eye(2), "2 equations, but a right side of shape 3"),
        ('einsum("ij,ij->", x, [[1, 2, 3]])', np.eye(2), "index j has size 2 in one operand and 3 in another"),
        ('sum(einsum("ijk->i", x))', np.eye(2), "does not name the 2 axes"),
        ("sum(cross(x, x))", [1, 2], "3 coordinates"), ("sum(tensordot(x, [1, 2, 3], 1))", np.eye(2), "2 and 3"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit(text: str, x: Any, message: str) -> None:
    with pytest.raises(ShapeMismatch, match=message):
        gradient(text, x=x)


@pytest.mark.parametrize(
    "text",
    ["kron(x, x)", 'einsum("i,j,k,l->ijkl", x, x, x, x)', "tile(x, 1000000000)", "repeat(x, 1000000000)", "toeplitz(x)",
     "vander(x)", "pad(x, 1000000000)", "meshgrid(x, x)[0]", "tensordot(x, x, 0)", "hilbert(1000000)", "diagflat(x)"],
)  # fmt: skip
def test_memory_is_measured_before_it_is_taken(text: str) -> None:
    with pytest.raises(LimitExceeded):
        gradcli.parse(text).evaluate({"x": np.zeros(100_000)})


def test_sums_that_need_no_common_loop_take_none() -> None:
    """Looped over at once, these would be 10**12 products."""
    x = np.ones((1000, 1000))
    assert gradcli.parse('einsum("ij,kl->", x, x)').diff({"x": x}).value == 1e12
    assert gradcli.parse('einsum("ij,jk,kl->", x, x, x)').diff({"x": x}).value == 1e12


@pytest.mark.parametrize(
    "name", "det logdet inv pinv expm svdvals nuclear_norm spectral_norm cholesky eigvalsh cond".split()
)
def test_nan_in_nan_out(name: str) -> None:
    x = np.array([[1.0, nan], [nan, 3.0]])
    assert np.isnan(gradcli.parse(f"sum({name}(x))").diff({"x": x}).value)
    stack = np.array([x, np.eye(2) + 1])
    if name != "cholesky":
        value = np.asarray(gradcli.parse(f"{name}(x)").evaluate({"x": stack}).value)
        assert np.isnan(value[0]).any()
        assert np.isfinite(value[1]).all()


# Symmetric matrices


def test_gradient_of_cholesky_is_symmetric() -> None:
    expected = [[0.2558335, 0.1954395], [0.1954395, 0.3162278]]
    np.testing.assert_allclose(gradient("sum(cholesky(x))", x=[[2, 1], [1, 3]]), expected, rtol=1e-6)


def test_rounding_may_leave_a_matrix_a_little_off_symmetric() -> None:
    x = np.array([[2.0, 1.0], [1.0 + 1e-15, 3.0]])
    assert np.isfinite(gradient("sum(cholesky(x)) + sum(eigvalsh(x))", x=x)).all()


EIGEN = "eigvalsh((x + x.T)/2)"
_TEXTS = ("sum({}**2)", "sum({}**3)", "prod({})", "sum(exp({}))", "sum({})**2")
SYMMETRIC_FUNCTIONS = [text.format(EIGEN) for text in _TEXTS]
POINTS = [[2.0, 2, 2], [0.0, 0, 0], [2.0, 2, 5], [5.0, 0, 0], [1.0, 2, 4]]


@pytest.mark.parametrize("text", SYMMETRIC_FUNCTIONS)
@pytest.mark.parametrize("values", POINTS, ids=str)
def test_symmetric_functions_of_repeated_eigenvalues(text: str, values: list[float]) -> None:
    q = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    x = q @ np.diag(values) @ q.T
    t, change = quotient(text, x)
    np.testing.assert_allclose(curvature(text, x) @ t, change, rtol=1e-5, atol=1e-6 * max(1, np.abs(change).max()))


def test_sum_of_squares_of_repeated_eigenvalues() -> None:
    x = 3 * np.eye(2)
    np.testing.assert_allclose(gradient("sum(eigvalsh(x)**2)", x=x), 6 * np.eye(2), rtol=1e-12)
    symmetric = np.array([[2.0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 2]])
    np.testing.assert_allclose(curvature("sum(eigvalsh(x)**2)", x), symmetric, atol=1e-15, rtol=1e-12)
    np.testing.assert_allclose(gradient("sum(eigh(x)[0]**2)", x=x), 6 * np.eye(2), rtol=1e-12)
    assert reasons("sum(eigh(x)[0]**2)", x=x) == []


def test_eigenvectors_of_repeated_values_are_not_defined() -> None:
    assert np.isnan(gradient("sum(eigh(x)[1])", x=np.eye(2))).all()
    assert reasons("sum(eigh(x)[1])", x=np.eye(2)) == ["repeated eigenvalues: their eigenvectors are not defined"]
    assert np.isnan(gradient("sum(svd(x)[0])", x=np.eye(2))).all()
    assert "not defined" in reasons("sum(svd(x)[0])", x=np.eye(2))[0]


def test_a_vector_of_a_single_value_is_defined_beside_repeated_ones() -> None:
    found = gradient("eigh(x)[1][0, 2]", x=np.diag([1.0, 1, 2]))
    np.testing.assert_allclose(found, [[0, 0, 0.5], [0, 0, 0], [0.5, 0, 0]], atol=1e-15, rtol=1e-12)


def test_directional_derivative_of_repeated_eigenvalues_is_ordered() -> None:
    """Along t the values of eye(2) move by the eigenvalues of t."""
    found = gradcli.parse("eigvalsh(x)").jvp({"x": np.eye(2)}, {"x": np.array([[0.0, 1], [1, 0]])})
    np.testing.assert_allclose(found.tangent, [-1, 1], rtol=1e-12)


def test_functions_of_a_matrix_through_its_eigenvalues() -> None:
    """The slope of V exp(W) V.T is that of expm, which needs no eigenvalues."""
    x = np.diag([1.0, 2.0, 4.0]) + 0.1
    weights = np.random.default_rng(2).normal(size=(3, 3))
    text = "sum(w*(eigh(x)[1]*exp(eigh(x)[0]) @ eigh(x)[1].T))"
    found = gradcli.parse(text).diff({"x": x, "w": weights}, wrt=["x"]).gradient["x"]
    expected = np.asarray(gradcli.parse("sum(w*expm(x))").diff({"x": x, "w": weights}, wrt=["x"]).gradient["x"])
    np.testing.assert_allclose(found, (expected + expected.T) / 2, rtol=1e-10)


# Singular values


@pytest.mark.parametrize("text", ["sum(svdvals(x)**2)", "sum(svdvals(x)**4)", "sum(svdvals(x)**2)**2"])
@pytest.mark.parametrize("values", [[2.0, 2], [0.0, 0], [5.0, 0], [1.0, 3]], ids=str)
def test_symmetric_functions_of_repeated_singular_values(text: str, values: list[float]) -> None:
    x = np.diag(values)
    t, change = quotient(text, x)
    np.testing.assert_allclose(curvature(text, x) @ t, change, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", ["sum(eigvalsh(t*eye(3))**2)", "sum(svdvals(t*eye(3))**2)"])
def test_second_derivative_along_a_line_of_repeated_values(text: str) -> None:
    """In reverse over reverse too, where the vectors need not be turned: 3*t**2."""
    assert gradcli.parse(text).diff({"t": 2.0}, order=2).derivatives == pytest.approx((12, 6))


def test_curvature_at_a_wide_matrix_of_less_than_full_rank_is_no_silent_0() -> None:
    found = curvature("sum(svdvals(x)**2)", [[1.0, 0, 0], [0, 0, 0]])
    assert np.all(np.isnan(found) | np.isclose(found, 2 * np.eye(6), atol=1e-14))


def test_repeated_values_in_reverse_over_reverse_are_no_silent_0() -> None:
    x = Tensor(np.eye(2), requires_grad=True)
    values = function(TABLE["eigvalsh"])((x + x.T) / 2)
    (g,) = grad((values**2).sum(), x, create_graph=True)
    assert g is not None
    (h,) = grad(g[0, 1], x)
    assert h is not None
    assert np.isnan(h.array).all()


def test_sum_of_squares_of_singular_values() -> None:
    for x in (np.eye(2, 3), np.eye(3), np.ones((2, 2)), np.zeros((2, 2))):
        np.testing.assert_allclose(curvature("sum(svdvals(x)**2)", x), 2 * np.eye(x.size), atol=1e-14, rtol=1e-12)


def test_norms_at_ties_and_at_zero() -> None:
    np.testing.assert_allclose(gradient("spectral_norm(x)", x=np.eye(2)), np.eye(2) / 2, rtol=1e-12)
    np.testing.assert_allclose(gradient("nuclear_norm(x)", x=np.eye(2)), np.eye(2), rtol=1e-12)
    np.testing.assert_allclose(gradient("nuclear_norm(x)", x=np.zeros((2, 2))), np.eye(2), rtol=1e-12)
    assert reasons("nuclear_norm(x)", x=np.eye(2)) == []
    assert reasons("nuclear_norm(x)", x=np.zeros((2, 2))) == ["a corner: the rank is not full"]
    assert reasons("spectral_norm(x)", x=np.eye(2)) == ["a tie: equal largest singular values"]


def test_curvature_of_the_nuclear_norm_at_equal_values() -> None:
    x = 2 * np.eye(2)
    t, change = quotient("nuclear_norm(x)", x)
    np.testing.assert_allclose(curvature("nuclear_norm(x)", x) @ t, change, atol=1e-7, rtol=1e-12)


def test_condition_number() -> None:
    np.testing.assert_allclose(gradient("cond(x)", x=np.diag([4.0, 2.0])), np.diag([0.5, -1]), atol=1e-15, rtol=1e-12)
    assert "a pole: the rank is not full" in reasons("cond(x)", x=[[1, 2], [2, 4]])


def test_rank_deficient_inverses_carry_a_note() -> None:
    singular = [[1.0, 2], [2, 4]]
    for text in ("sum(pinv(x))", "sum(lstsq(x, [1, 2]))"):
        assert "the rank is not full" in reasons(text, x=singular)[0]
        assert reasons(text, x=np.eye(2) + 1) == []


@pytest.mark.parametrize(
    "x", [[[1.0, 2], [2, 4]], [[1.0, 1], [1, 1]], [[0.1, 0.2], [0.3, 0.6], [0.7, 1.4]], np.zeros((2, 3))]
)
@pytest.mark.parametrize("text", ["qr(x)[0]", "qr(x)[1]"])
def test_factors_of_less_than_full_rank_have_no_derivative(text: str, x: Any) -> None:
    """Whether rounding leaves a 0 or 1e-17 differs between machines; the answer does not."""
    f = gradcli.parse(text)
    for mode in ("rows", "stacked", "columns"):
        with pytest.raises(BadArgument, match="qr: it has no derivative here: the matrix is singular"):
            f.jacobian({"x": x}, mode=mode)
    assert np.isfinite(f.jacobian({"x": [[1e-200, 2e-200], [2e-200, 5e-200]]}).jacobian["x"]).all()


def test_rank_has_no_slope() -> None:
    np.testing.assert_array_equal(gradient("matrix_rank(x)", x=np.eye(2)), np.zeros((2, 2)))
    assert "no derivative" in reasons("matrix_rank(x)", x=np.eye(2))[0]


# Functions of matrices


def test_exponential_at_0() -> None:
    assert gradcli.parse("expm(x)").evaluate({"x": np.zeros((2, 2))}).value.tolist() == [[1, 0], [0, 1]]
    np.testing.assert_array_equal(gradient("sum(expm(x))", x=np.zeros((2, 2))), np.ones((2, 2)))


def test_exponential_of_a_rotation_and_of_a_nilpotent_matrix() -> None:
    """expm([[0, -t], [t, 0]]) turns by t, also where the norm needs to be halved many times."""
    for t in (0.1, 1.0, 10.0, 100.0):
        found = gradcli.parse("expm([[0, -t], [t, 0]])[0, 0]").diff({"t": t}, order=2)
        np.testing.assert_allclose(found.derivatives, [-np.sin(t), -np.cos(t)], atol=1e-12, rtol=1e-12)
    np.testing.assert_allclose(gradient("expm([[0, t], [0, 0]])[0, 1]", t=3.0), 1.0, rtol=1e-12)


def test_power_is_the_repeated_product() -> None:
    x = [[1.0, 2], [3, 4]]
    for text in ("sum(matrix_power(x, 3))", "sum(multi_dot(x, x, x))", "sum(x @ x @ x)"):
        np.testing.assert_allclose(gradient(text, x=x), [[51, 87], [67, 111]], rtol=1e-12)
    np.testing.assert_allclose(
        gradient("sum(matrix_power(x, -2))", x=x), gradient("sum(inv(x) @ inv(x))", x=x), rtol=1e-12
    )
    np.testing.assert_array_equal(gradient("sum(matrix_power(x, 0))", x=x), np.zeros((2, 2)))


def test_only_the_triangle_that_is_read_gets_a_gradient() -> None:
    found = gradient("sum(solve_triangular(x, [1, 2], lower=True))", x=[[2, 9], [1, 4]])
    assert found[0, 1] == 0
    assert np.all(found[[0, 1, 1], [0, 0, 1]] != 0)
    found = gradient("sum(solve_triangular(x, [1, 2]))", x=[[2, 9], [1, 4]])
    assert found[1, 0] == 0


def test_any_number_of_matrices_in_a_list_or_one_by_one() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = gradient("sum(x@x@x@x@x@x)", x=x)
    for text in ("sum(multi_dot([x, x, x, x, x, x]))", "sum(multi_dot(x, x, x, x, x, x))",
                 'sum(einsum("ij,jk,kl,lm,mn,no->io", x, x, x, x, x, x))'):  # fmt: skip
        np.testing.assert_allclose(gradient(text, x=x), expected, rtol=1e-13)
    with pytest.raises(BadArgument, match="a list of 2 to 51 matrices, not 1"):
        gradcli.parse("multi_dot([x])").evaluate({"x": x})
