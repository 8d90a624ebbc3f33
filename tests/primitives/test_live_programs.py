"""Nan and infinities beside the numbers that matter, through whole programs: values by hand, in every mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli

nan, inf = np.nan, np.inf

X, W, Y = [[1, 2], [nan, 3], [2, 1]], [0.5, 0.25], [1, 2, 3]
MISSING = {"X": X, "w": W, "y": Y}
TWO = [[[2.0, 1], [1, 3]], [[nan, 1], [1, 4]]]

# program, values, gradient of the sum of its result by the names given here
GRADIENTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("maximum(x,y)[0]", {"x": [1, nan], "y": [2, 2]}, {"x": [0, 0], "y": [1, 0]}),
    ("minimum(x,y)[0]", {"x": [1, nan], "y": [2, 2]}, {"x": [1, 0], "y": [0, 0]}),
    ("maximum(s,x)[1]", {"s": 5.0, "x": [nan, 1]}, {"s": 1, "x": [0, 0]}),
    ("m=max(X,axis=1); sum(m[~isnan(m)])", {"X": [[1, 2], [nan, 3]]}, {"X": [[0, 1], [0, 0]]}),
    ("min(X,axis=0)[1]", {"X": [[nan, 2], [3, 4]]}, {"X": [[0, 1], [0, 0]]}),
    ("ptp(X,axis=1)[0]", {"X": [[1, 5], [nan, 3]]}, {"X": [[-1, 1], [0, 0]]}),
    ('nansum(l1_loss(x,y,"none"))', {"x": [1, 2], "y": [0, nan]}, {"x": [1, 0]}),
    ('nansum(huber_loss(x,y,"none"))', {"x": [0.5, 3], "y": [0, nan]}, {"x": [0.5, 0]}),
    ("r=y-X@w; sum(where(isnan(r),0,r)**2)", MISSING, {"w": [-7, -3.5]}),
    ("r=y-X@w; sum(r[~isnan(r)]**2)", MISSING, {"w": [-7, -3.5]}),
    ("r=y-X@w; nansum(r**2)", MISSING, {"w": [-7, -3.5]}),
    ("r=y-X@w; 2*nanmean(r**2)", MISSING, {"w": [-7, -3.5]}),
    ('r=y-einsum("ij,j->i",X,w); nansum(r**2)', MISSING, {"w": [-7, -3.5]}),
    ("r=y-tensordot(X,w,1); nansum(r**2)", MISSING, {"w": [-7, -3.5]}),
    ("r=y-inner(X,w); nansum(r**2)", MISSING, {"w": [-7, -3.5]}),
    ("r=y-multi_dot([X,w]); nansum(r**2)", MISSING, {"w": [-7, -3.5]}),
    ("(A@x)[0]", {"A": [[inf, 1], [nan, 3]], "x": [1, 2]}, {"x": [inf, 1], "A": [[1, 2], [0, 0]]}),
    ("a=softmax(s,axis=1)@v; a[0,0]", {"s": [[0, 1], [-inf, -inf]], "v": [[1], [2]]},
     {"v": [[1 / (1 + np.e)], [np.e / (1 + np.e)]]}),
    ("cumprod(x)[0]", {"x": [1e200] * 3}, {"x": [1, 0, 0]}),
    ("cumprod(x)[1]", {"x": [2, 3, 1e308, 1e308]}, {"x": [3, 2, 0, 0]}),
    ("logcumsumexp(x)[0]", {"x": [1, inf, 2]}, {"x": [1, 0, 0]}),
    ("logcumsumexp(x)[1]", {"x": [0, 0, nan]}, {"x": [0.5, 0.5, 0]}),
    ("sum(cross(x,y)[1])", {"x": [[nan, 0, 0], [1, 2, 4]], "y": [[1, 1, 1], [3, 5, 6]]},
     {"x": [[0, 0, 0], [-1, 3, -2]], "y": [[0, 0, 0], [2, -3, 1]]}),
    ("outer(u,v)[0,0]", {"u": [2, nan], "v": [5, inf]}, {"u": [5, 0], "v": [2, 0]}),
    ("convolve(x,k)[0]", {"x": [1, 2, nan], "k": [3, 4]}, {"x": [3, 0, 0], "k": [1, 0]}),
    ("correlate(x,k)[0]", {"x": [1, 2, nan], "k": [3.0]}, {"x": [3, 0, 0], "k": [1]}),
    ("sum(tensordot(A,B,1)[0])", {"A": [[1, 2], [nan, 3]], "B": [[1, 1], [2, 2]]},
     {"A": [[2, 4], [0, 0]], "B": [[1, 1], [2, 2]]}),
    ("glu(x)[0,0]", {"x": [[0, 0], [nan, 1]]}, {"x": [[0.5, 0], [0, 0]]}),
    ("vander(x)[0,0]", {"x": [2, nan]}, {"x": [1, 0]}),
    ("cdist(x,y)[0,0]", {"x": [[3, 4], [nan, 1]], "y": [[0, 0], [3, inf]]}, {"x": [[0.6, 0.8], [0, 0]]}),
    ("cov(X)[0,0]", {"X": [[1, 2, 4], [nan, 1, 1]]}, {"X": [[-4 / 3, -1 / 3, 5 / 3], [0, 0, 0]]}),
    ("average(X,axis=1,weights=w)[0]", {"X": [[1, 3], [nan, 1]], "w": [1, 1]}, {"w": [-0.5, 0.5]}),
    ("prod(x,axis=1)[0]", {"x": [[0, inf], [nan, 1]]}, {"x": [[inf, 0], [0, 0]]}),
    ("hardswish(x)[0]", {"x": [1, nan]}, {"x": [5 / 6, 0]}),
    ("smoothstep(x)[0]", {"x": [0.5, nan]}, {"x": [1.5, 0]}),
    ("sum(trapezoid(y,x,axis=1)[0])", {"y": [[1, 2], [nan, 3]], "x": [[0, 1], [2, nan]]},
     {"y": [[0.5, 0.5], [0, 0]], "x": [[-1.5, 1.5], [0, 0]]}),
    ("prelu(1, w*v)", {"w": 0.0, "v": inf}, {"w": 0, "v": 0}),
    ("sum(leaky_relu(x, sqrt(s)))", {"x": [2.0, 1.0], "s": 0.0}, {"x": [1, 1], "s": 0}),
    ("celu(x, 1+sqrt(s)) + elu(x, sqrt(s))", {"x": 2.0, "s": 0.0}, {"x": 2, "s": 0}),
    ("huber_loss([1, 0], 0, delta=1+sqrt(s))", {"s": 0.0}, {"s": 0}),
    ("norm([sqrt(x), 3], inf)", {"x": 0.0}, {"x": 0}),
    ("norm([[sqrt(x), 3], [1, 4]], 1)", {"x": 0.0}, {"x": 0}),
    ("linspace(sqrt(a), sqrt(b), 3)[-1]", {"a": 0.0, "b": 4.0}, {"a": 0, "b": 0.25}),
    ("logspace(sqrt(a), b, 3)[-1]/log(10)", {"a": 0.0, "b": 1.0}, {"a": 0, "b": 10}),
    ("sum(vander(sqrt(x), 1))", {"x": [0.0, 4.0]}, {"x": [0, 0]}),
    ("sum(exp(sqrt(x))*ones([0, 2]))", {"x": [0.0, inf]}, {"x": [0, 0]}),  # a sum of nothing
    ("maximum(nan, zeros(0) @ (s*zeros([0, 0]) @ zeros(0)))", {"s": 1.0}, {"s": 0}),
    ("det(X)[0]", {"X": TWO}, {"X": [[[3, -1], [-1, 2]], [[0, 0], [0, 0]]]}),
    ("trace(inv(X)[0])", {"X": TWO}, {"X": [[[-0.4, 0.2], [0.2, -0.2]], [[0, 0], [0, 0]]]}),
    ("trace(matrix_power(X,3)[0])", {"X": TWO}, {"X": [[[15, 15], [15, 30]], [[0, 0], [0, 0]]]}),
    ("trace(svdvals(X)[0,0]*X[0])/trace(X[0])", {"X": TWO}, {"X": [[[0.27639320225, 0.4472135955],
     [0.4472135955, 0.72360679775]], [[0, 0], [0, 0]]]}),
    ("trace(cholesky(X)[0] @ cholesky(X)[0].T)", {"X": TWO}, {"X": [[[1, 0], [0, 1]], [[0, 0], [0, 0]]]}),
    ("x[1]", {"x": [nan, 1]}, {"x": [0, 1]}),
    ("y=1*x; y[0]=0; sum(y/x[::-1])", {"x": [1.0, 2.0]}, {"x": [-2, 1]}),
    ("y=1*sqrt(x); y[0]=0; sum(y)", {"x": [0, 4]}, {"x": [0, 0.25]}),
    ("sum(sort(x)[:2])", {"x": [3, 1, nan, 2]}, {"x": [0, 1, 0, 1]}),
    ("sum(tril(X))", {"X": [[1, nan], [2, 3]]}, {"X": [[1, 0], [1, 1]]}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "expected"), GRADIENTS, ids=[text for text, *_ in GRADIENTS])
def test_gradients(text: str, at: dict[str, Any], expected: dict[str, Any]) -> None:
    f = gradcli.parse(text)
    names = list(expected)
    for _ in range(3):  # recorded, and as a replay
        found = f.diff(at, wrt=names).gradient
        for name in names:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-12, err_msg=name)
    for mode in ("rows", "stacked", "columns", "sparse"):
        blocks = f.jacobian(at, wrt=names, mode=mode).jacobian
        for name in names:
            np.testing.assert_allclose(blocks[name], expected[name], rtol=1e-10, atol=1e-12, err_msg=f"{name}, {mode}")


JACOBIANS: list[tuple[str, dict[str, Any], str, Any]] = [
    ("maximum(x,y)", {"x": [1, nan, 3], "y": [2, 2, 2]}, "x", np.diag([0, nan, 1])),
    ("A@x", {"A": [[nan, 1], [2, 3]], "x": [1, 2]}, "x", [[nan, 1], [2, 3]]),
    ("A@x", {"A": [[inf, 1], [2, 3]], "x": [1, 2]}, "x", [[inf, 1], [2, 3]]),
    ("A@x", {"A": [[-inf, inf], [nan, 3]], "x": [1, 2]}, "x", [[-inf, inf], [nan, 3]]),
    ("cumprod(x)", {"x": [1e200, 1e200, 2]}, "x", [[1, 0, 0], [1e200, 1e200, 0], [2e200, 2e200, inf]]),
    ("svdvals(x)", {"x": [[nan, 0], [0, 1]]}, "x", np.full((2, 2, 2), nan)),
    ("eigvalsh(x)", {"x": [[nan, 0], [0, 1]]}, "x", np.full((2, 2, 2), nan)),
    ("nuclear_norm(x)", {"x": [[nan, 0], [0, 1]]}, "x", np.full((2, 2), nan)),
    ("x*[1,nan]", {"x": [1, 2]}, "x", [[1, 0], [0, nan]]),
    # Zeros of operands are numbers: an honest nan, whether they are asked for or not.
    ("c*sqrt(x)", {"x": [0, 4], "c": [0, 1]}, "x", [[nan, 0], [0, 0.25]]),
    ("A@sqrt(x)", {"x": [0, 4], "A": [[1, 0], [0, 1]]}, "x", [[inf, 0], [nan, 0.25]]),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["rows", "stacked", "columns", "sparse"])
@pytest.mark.parametrize(("text", "at", "name", "expected"), JACOBIANS, ids=[text for text, *_ in JACOBIANS])
def test_jacobians(text: str, at: dict[str, Any], name: str, expected: Any, mode: str) -> None:
    found = gradcli.parse(text).jacobian(at, wrt=[name], mode=mode).jacobian[name]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("mode", ["rows", "stacked", "columns", "sparse"])
@pytest.mark.parametrize("text", ["mean(f(z)[1:])", "nanmean(f(z)[1:])", "var(f(z)[1:])", "mean(diff(f(z)))"])
def test_a_mean_of_nothing_has_no_slope(text: str, mode: str) -> None:
    for z in (0.0, inf, nan, -2.0):
        found = gradcli.parse(f"f(z) = sqrt(z); {text}").jacobian({"z": [z]}, mode=mode)
        assert np.isnan(found.value)
        np.testing.assert_array_equal(np.asarray(found.jacobian["z"]), [0.0])


@pytest.mark.parametrize("text", ["svdvals(sqrt(x))", "svd(sqrt(x))[1]", "eigvalsh(sqrt(x))", "norm(sqrt(x), 2)"])
def test_infinite_slopes_in_front_of_a_matrix_are_no_crash(text: str) -> None:
    found = gradcli.parse(text).jacobian({"x": np.zeros((2, 2))}, mode="columns")
    assert np.isnan(found.jacobian["x"]).any()
    assert found.notes


def test_zeros_of_operands_are_numbers_whatever_is_asked_for() -> None:
    f = gradcli.parse("dot(c, sqrt(x))")
    at = {"x": [0, 4], "c": [0, 1]}
    for wrt in (None, ["x"]):
        np.testing.assert_array_equal(f.diff(at, wrt=wrt).gradient["x"], [nan, 0.25])


def test_an_honest_nan_stays_and_is_told() -> None:
    for text in ("sqrt(mse_loss(x,y))", "sqrt(mean((x-y)**2))"):
        found = gradcli.parse(text).diff({"x": [1, 2], "y": [1, 2]})
        assert np.isnan(found.gradient["x"]).all()
        assert found.notes


MATRIX_FUNCTIONS = [
    "det(X)[0]", "inv(X)[0,0,1]", "solve(X,[1,2])[0,0]", "expm(X)[0,0,1]", "matrix_power(X,-2)[0,0,1]",
    "cholesky(X)[0,1,0]", "qr(X)[1][0,0,1]", "pinv(X)[0,0,1]", "svdvals(X)[0,1]", "eigvalsh(X)[0,1]",
    "eigh(X)[1][0,0,1]", "logdet(X)[0]", "slogdet(X)[1][0]", 'norm(X,"nuc",axis=(1,2))[0]', "lstsq(X,[1,2])[0,1]",
    "solve_triangular(X,[1,2])[0,0]", "svd(X)[0][0,0,1]", "norm(X,2,axis=(1,2))[0]",
]  # fmt: skip


BAD_MATRICES = {
    "nan": [[nan, 1], [1, 4]], "inf": [[inf, 1], [1, 4]], "nan, singular for LAPACK": [[nan, 1], [1, 1]],
    "all nan": [[nan, nan], [nan, nan]], "nan beside zeros": [[0, nan], [nan, 0]], "-inf": [[1, -inf], [-inf, 1]],
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD_MATRICES)
@pytest.mark.parametrize("text", MATRIX_FUNCTIONS)
def test_a_bad_matrix_of_a_stack_leaves_the_others_alone(text: str, bad: str) -> None:
    first = np.array(TWO[0])
    f = gradcli.parse(text)
    good, spoilt = (np.stack([first, second]) for second in ([[2.5, 1], [1, 4]], BAD_MATRICES[bad]))
    expected = f.diff({"X": good}).gradient["X"]
    for mode in ("rows", "columns", "sparse"):
        found = f.jacobian({"X": spoilt}, mode=mode)
        assert found.value == f.evaluate({"X": good}).value
        np.testing.assert_allclose(found.jacobian["X"], expected, rtol=1e-9, atol=1e-12, err_msg=mode)


@pytest.mark.parametrize("text", ["det(X)", "logdet(X)", "eigvalsh(X)[0]", "inv(X)[0,0]", "slogdet(X)[1]"])
def test_nan_in_a_matrix_is_nan_in_its_result(text: str) -> None:
    """LAPACK makes 0 of this determinant."""
    X = np.array([[nan, 1, 2, 3], [1, 1, 1, 1], [2, 1, 1, 5], [3, 1, 5, 1]])
    assert np.isnan(gradcli.parse(text).evaluate({"X": X}).value)


def test_a_singular_matrix_beside_one_with_nan() -> None:
    X = np.stack([np.diag([0.0, 1, 2, 3]), np.full((4, 4), nan)])
    found = gradcli.parse("det(X)[0]").diff({"X": X}).gradient["X"]
    np.testing.assert_allclose(found[0], np.diag([6.0, 0, 0, 0]), atol=1e-12)
    np.testing.assert_array_equal(found[1], 0)


def test_second_order() -> None:
    at = {"A": [[1, 2], [3, nan], [2, 2]], "x": [1, 1], "b": [0, 1, 1]}
    f = gradcli.parse("r=A@x-b; nansum(r**2)")
    expected = [[10, 12], [12, 16]]
    np.testing.assert_allclose(f.hessian(at, wrt=["x"]).hessian["x"]["x"], expected, rtol=1e-12)
    np.testing.assert_allclose(f.hvp(at, {"x": [1, 0]}).product["x"], [10, 12], rtol=1e-12)
    np.testing.assert_allclose(f.hessian_diagonal(at, wrt=["x"]).diagonal["x"], [10, 16], rtol=1e-12)


@pytest.mark.parametrize("bad", [nan, inf])
@pytest.mark.parametrize("text", [
    "x@x", "dot(x, y)", "inner(x, y)", "vdot(x, y)", 'einsum("i,i->", x, y)', "tensordot(x, y, 1)", "x@A@y",
    "multi_dot([x, A, y])", "sum(kron(x, y))", "sum(outer(x, y)*A)", "sum(convolve(x, y)*[1, 2, 3])",
    "sum(correlate(x, y))", "sum((y - A@x)**2)", "cov(x)", "trace(diag(x)@A@diag(y))", "(x - y)@(x - y)",
])  # fmt: skip
def test_second_derivatives_of_products_of_what_is_no_number(text: str, bad: float) -> None:
    """They do not depend on x and y."""
    f, y, A = gradcli.parse(text), [3.0, 4.0], [[1.0, 2], [5, 3]]
    good, spoilt = ({"x": x, "y": y, "A": A} for x in ([0.5, 1.0], [bad, 1.0]))
    expected = f.hessian(good, wrt=["x", "y"] if "y" in text else ["x"]).hessian
    found = f.hessian(spoilt, wrt=[*expected]).hessian
    for a, row in expected.items():
        for b, block in row.items():
            np.testing.assert_allclose(found[a][b], block, rtol=1e-12, atol=1e-14)


def test_second_derivatives_of_a_matrix_with_nan_are_nan() -> None:
    for text in ("inv(X)", "solve(X, [1, 2])", "expm(X)", "svdvals(X)", "eigvalsh(X + X.T)", "det(X)*inv(X)"):
        found = gradcli.parse(f"sum({text})").hessian({"X": [[nan, 1], [2, 3]]}).hessian["X"]["X"]
        assert np.isnan(found).all(), text


def test_a_hook_sees_zeros_in_dead_lanes_and_what_it_returns_is_live() -> None:
    x = gradcli.tensor([1.0, 4.0], requires_grad=True)
    A = gradcli.tensor([[np.nan, 1.0], [2.0, 3.0]])
    y = gradcli.sqrt(x)
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    (A @ y)[1].backward()
    assert seen == [[2.0, 3.0]]
    assert x.grad.tolist() == [1.0, 0.75]

    x = gradcli.tensor([0.0, 4.0], requires_grad=True)
    y = gradcli.sqrt(x)
    y.register_hook(lambda g: g * 2)
    y[1].backward()
    assert x.grad.tolist() == [0.0, 0.5]

    x = gradcli.tensor([0.0, 4.0], requires_grad=True)
    y = gradcli.sqrt(x)
    y.register_hook(lambda g: g.flip(0))  # what was dead is asked for now
    y[1].backward()
    assert x.grad.tolist() == [np.inf, 0.0]
