"""A sparse derivative is compared with plain sweeps: what is wrong is refused, what only rounding left is not."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import InternalError
from gradcli.modes import sparse, sparsity


@pytest.mark.parametrize("mode", ["sparse", "auto"])
@pytest.mark.parametrize("kind", ["elementwise", "linear"])
def test_a_pattern_that_misses_an_entry_is_refused(monkeypatch: pytest.MonkeyPatch, kind: str, mode: str) -> None:
    whole = sparsity._RELATIONS[kind]

    def short(node, i, most):
        outs, ins = whole(node, i, most)
        return outs[1:], ins[1:]

    monkeypatch.setitem(sparsity._RELATIONS, kind, short)
    f, at = gradcli.parse("x[1:]*x[:-1]"), {"x": np.linspace(1, 2, 600)}
    if mode == "auto":  # has other modes
        found, true = f.jacobian(at), f.jacobian(at, mode="rows")
        assert found.method.mode == "stacked"
        np.testing.assert_array_equal(found.jacobian["x"], true.jacobian["x"])
        return
    for ask in (lambda: f.jacobian(at, mode=mode), lambda: f.sparse_jacobian(at), lambda: f.jacobian_pattern(at)):
        with pytest.raises(InternalError, match="disagrees with a plain sweep"):
            ask()


def test_entries_that_are_not_finite_hide_no_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    f, at = gradcli.parse("sqrt(x)*x[::-1]"), {"x": np.arange(0.0, 6.0)}
    dense = f.jacobian(at, mode="rows").jacobian["x"]
    np.testing.assert_array_equal(f.sparse_jacobian(at).jacobian["x"].dense(), dense)
    whole = sparsity._RELATIONS["elementwise"]
    monkeypatch.setitem(sparsity._RELATIONS, "elementwise", lambda *call: tuple(part[:-1] for part in whole(*call)))
    with pytest.raises(InternalError):
        f.sparse_jacobian(at)


def test_a_small_entry_beside_large_ones_is_missed_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    f, at = gradcli.parse("concatenate([1e10*x, x[1:]*x[:-1]])"), {"x": np.linspace(1, 2, 9)}
    whole = sparsity._RELATIONS["linear"]

    def short(node, i, most):
        outs, ins = whole(node, i, most)
        return (outs[:-1], ins[:-1]) if node.primitive.name == "index" else (outs, ins)

    monkeypatch.setitem(sparsity._RELATIONS, "linear", short)
    with pytest.raises(InternalError):
        f.sparse_jacobian(at)


@pytest.mark.parametrize(
    "text", ["sin(x)**2 + cos(x)**2", "log(exp(x)) - x", "arctan2(x, x*3)", "x/(x*3)", "exp(x)*exp(-x)*x"]
)
def test_entries_of_which_only_rounding_is_left_are_no_mistake(text: str) -> None:
    f, at = gradcli.parse(text), {"x": np.random.default_rng(0).uniform(0.5, 3, 1000)}
    found = f.jacobian(at)
    assert found.method.mode == "sparse"
    np.testing.assert_allclose(
        found.jacobian["x"], f.jacobian(at, mode="stacked").jacobian["x"], rtol=1e-14, atol=1e-15
    )


ROUNDING = [
    "sum(normalize(D)**2, axis=1)", "inv(D)@D", "D@inv(D) - eye(5)", "sum(softmax(D, axis=1), axis=1)",
    "inv(inv(D)) - D", "solve(D, D)", "norm(normalize(D, axis=1), axis=1)", "expm(D)@expm(-D)", "pinv(D)@D",
    "logsumexp(log_softmax(D, axis=1), axis=1)", "qr(D)[0]@qr(D)[1] - D", "qr(D)[0].T@qr(D)[0]", "qr(D)[1]",
    "cholesky(D@D.T)@cholesky(D@D.T).T", "mean(D - mean(D, axis=0), axis=0)", "det(D)*det(inv(D))", "sum(D/sum(D))",
    "eigh(D + D.T)[1]@eigh(D + D.T)[1].T", "svd(D)[0]@diag(svd(D)[1])@svd(D)[2]", "exp(log(x)) - x", "x - x",
    "sin(x)**2 + cos(x)**2", "(x + 1)**2 - x**2 - 2*x", "cosh(x)**2 - sinh(x)**2", "tanh(x)*cosh(x) - sinh(x)",
    "sqrt(x**2) - abs(x)", "lgamma(x + 1) - lgamma(x) - log(x)", "std((x - mean(x))/std(x))*x",
    "cumsum(diff(x)) - x[1:]",
]  # fmt: skip


def general_point(seed: int, last: float = 0.3) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    u, _, v = np.linalg.svd(rng.standard_normal((5, 5)))
    return {"D": u @ np.diag([2.0, 1.5, 1.0, 0.7, last]) @ v, "x": rng.uniform(0.2, 3, 9)}


@pytest.mark.parametrize("text", ROUNDING)
def test_terms_that_cancel_leave_rounding_and_no_error(text: str) -> None:
    for seed in range(3):
        f = gradcli.parse(text)
        at = {name: x for name, x in general_point(seed).items() if name in f.names}
        found, dense = f.sparse_jacobian(at), f.jacobian(at, mode="rows")
        for name, block in dense.jacobian.items():
            matrix = found.jacobian[name].dense()
            np.testing.assert_allclose(matrix, np.reshape(block, matrix.shape), rtol=1e-12, atol=1e-12)
        gradcli.parse(f"sum(sin({text}))").sparse_hessian(at)


ILL = ["inv(D)", "solve(D, D[0])", "lstsq(D, D[0])[0]", "pinv(D)", "qr(D)[1]", "qr(D)[0]", "svd(D)[0]"]


@pytest.mark.parametrize("text", ILL)
@pytest.mark.parametrize("last", [1e-3, 1e-6, 1e-9, 1e-12])
def test_badly_conditioned_matrices_are_no_error(text: str, last: float) -> None:
    for seed in range(3):
        gradcli.parse(text).sparse_jacobian({"D": general_point(seed, last)["D"]})


@pytest.mark.parametrize("text", ["eigvalsh(D)", "svdvals(D)", "sum(svdvals(D)**2)", "sort(D)", "norm(D, 2)"])
def test_ties_that_a_direction_breaks_are_no_error(text: str) -> None:
    f, at = gradcli.parse(text), {"D": np.eye(3)}
    dense = np.asarray(f.jacobian(at, mode="rows").jacobian["D"])
    np.testing.assert_allclose(f.sparse_jacobian(at).jacobian["D"].dense(), dense.reshape(-1, 9), atol=1e-15)


WRONG = ["x[1:]*x[:-1]", "exp(log(x)) - x + sin(x)", "x**3", "cumsum(x)*x", "sum(outer(x, x), axis=1)", "sort(x)*x"]


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize("share", [1e-3, 1e-6, 1e-9, 3e-11])
def test_a_slightly_wrong_value_is_refused(monkeypatch: pytest.MonkeyPatch, text: str, share: float) -> None:
    f, at = gradcli.parse(text), {"x": np.random.default_rng(1).uniform(0.5, 1.5, 8)}
    f.sparse_jacobian(at)
    whole = sparse._sweep

    def wrong(*call):
        found = whole(*call)
        found[0, np.flatnonzero(found[0])[-1]] *= 1 + share
        return found

    monkeypatch.setattr(sparse, "_sweep", wrong)
    with pytest.raises(InternalError, match="disagrees with a plain sweep"):
        f.sparse_jacobian(at)


@pytest.mark.parametrize("share", [1e-3, 1e-9])
def test_a_slightly_wrong_second_derivative_is_refused(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    f, at = gradcli.parse("sum(x[1:]**2*sin(x[:-1]))"), {"x": np.linspace(0.5, 1.5, 8)}
    whole = sparse._sweep
    monkeypatch.setattr(sparse, "_sweep", lambda *call: whole(*call) * (1 + share))
    with pytest.raises(InternalError):
        f.sparse_hessian(at)


@pytest.mark.parametrize("side", ["_pushed", "_pulled"])
def test_modes_that_differ_are_refused(monkeypatch: pytest.MonkeyPatch, side: str) -> None:
    f, at = gradcli.parse("x[1:]*x[:-1]"), {"x": np.linspace(0.5, 1.5, 8)}
    whole = getattr(sparse, side)
    monkeypatch.setattr(sparse, side, lambda *call: whole(*call) * (1 + 1e-9))
    with pytest.raises(InternalError):
        f.sparse_jacobian(at)
