"""What expressions mean: a text, the values it is given, and the value that it has."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import InplaceWrite

X = [[1, 2, 3], [4, 5, 6]]
V = [1, 2, 3]

VALUES = {
    "methods": [
        ("x.where(x > 1, 0)", {"x": V}, [0, 2, 3]),
        ("x.where(b=0, condition=x > 1)", {"x": V}, [0, 2, 3]),
        ("x.atan2(2)", {"x": 2}, np.pi / 4),
        ("x.lerp(3, 0.5)", {"x": V}, [2, 2.5, 3]),
        ("x.polygamma(1)", {"x": 1}, np.pi**2 / 6),
        ("x.polygamma(n=1)", {"x": 1}, np.pi**2 / 6),
        ("x.sum().square()", {"x": V}, 36),
    ],
    "precedence": [
        ("-x**2", {"x": 3}, -9),
        ("(-x)**2", {"x": 3}, 9),
        ("2**-x", {"x": 1}, 0.5),
        ("2**3**2", {}, 512),
        ("2^3", {}, 8),
        ("-2**-2", {}, -0.25),
        ("- - x", {"x": 3}, 3),
        ("2 - 3 - 4", {}, -5),
        ("24 / 4 / 2", {}, 3),
        ("24 / 4 * 2", {}, 12),
        ("7 // 2 * 2", {}, 6),
        ("-3 // 2", {}, -2),
        ("-3 % 2", {}, 1),
        ("1 + 2 * 3", {}, 7),
        ("not 1 == 2", {}, True),
        ("1 < 2 and 2 < 3 or 1 > 5", {}, True),
        ("0 or 0 and 1", {}, False),
        ("v @ v * 2", {"v": V}, 28),
        ("-v @ v", {"v": V}, -14),
        ("6 × 2 ÷ 3 − 1", {}, 3),
        ("3 · 2", {}, 6),
    ],
    "numbers and constants": [
        ("1_000 + .5 + 2.", {}, 1002.5),
        ("1e-3", {}, 0.001),
        ("pi", {}, np.pi),
        ("π", {}, np.pi),
        ("e", {}, np.e),
        ("-inf", {}, -np.inf),
        ("isnan(nan)", {}, True),
        ("1/0", {}, np.inf),
        ("9**9**9", {}, np.inf),
        ("True + True", {}, 2),
        ("e", {"e": 2}, 2),
        ("e = 3; e", {}, 3),
        ("a = e; e = 3; a*e", {}, 3 * np.e),
        ("f(e) = e + 1; f(2)", {}, 3),
    ],
    "lists": [
        ("[1, 2]", {}, [1, 2]),
        ("[[1, 2], [3, 4]]", {}, [[1, 2], [3, 4]]),
        ("[x, [x[1], x[0]]]", {"x": [1, 2]}, [[1, 2], [2, 1]]),
        ("[v, 2*v]", {"v": V}, [[1, 2, 3], [2, 4, 6]]),
        ("[]", {}, []),
        ("[1, 2,]", {}, [1, 2]),
        ("sum([1, 2, 3])", {}, 6),
        ("[1, 2] + [3, 4]", {}, [4, 6]),
    ],
    "sequences": [
        ("concatenate([v, [4]])", {"v": V}, [1, 2, 3, 4]),
        ("concatenate((v, [4]))", {"v": V}, [1, 2, 3, 4]),
        ("cat([X, X], axis=1)", {"X": X}, [[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]),
        ("concatenate(X)", {"X": X}, [1, 2, 3, 4, 5, 6]),
        ("stack([v, v], axis=1)", {"v": V}, [[1, 1], [2, 2], [3, 3]]),
        ("stack([1, 2])", {}, [1, 2]),
    ],
    "indexing": [
        ("v[0]", {"v": V}, 1),
        ("v[-1]", {"v": V}, 3),
        ("X[1, 2]", {"X": X}, 6),
        ("X[1][2]", {"X": X}, 6),
        ("X[(1, 2)]", {"X": X}, 6),
        ("X[1]", {"X": X}, [4, 5, 6]),
        ("X[:, 1]", {"X": X}, [2, 5]),
        ("X[..., 0]", {"X": X}, [1, 4]),
        ("X[0, ...]", {"X": X}, [1, 2, 3]),
        ("v[::-1]", {"v": V}, [3, 2, 1]),
        ("v[1:]", {"v": V}, [2, 3]),
        ("v[:-1]", {"v": V}, [1, 2]),
        ("v[0:3:2]", {"v": V}, [1, 3]),
        ("v[10:]", {"v": V}, []),
        ("v[None, :]", {"v": V}, [[1, 2, 3]]),
        ("v[:, None]", {"v": V}, [[1], [2], [3]]),
        ("v[[0, 2]]", {"v": V}, [1, 3]),
        ("v[[0, 0, 2]]", {"v": V}, [1, 1, 3]),
        ("v[[[0, 1], [2, 0]]]", {"v": V}, [[1, 2], [3, 1]]),
        ("X[[0, 1], [2, 0]]", {"X": X}, [3, 4]),
        ("v[i]", {"v": V, "i": 1}, 2),
        ("v[i]", {"v": V, "i": [2, 0]}, [3, 1]),
        ("v[i + 1]", {"v": V, "i": 1}, 3),
        ("v[v > 1]", {"v": V}, [2, 3]),
        ("X[X > 4]", {"X": X}, [5, 6]),
        ("v[m]", {"v": V, "m": np.array([True, False, True])}, [1, 3]),
        ("v[n:]", {"v": V, "n": 2}, [3]),
        ("(v + v)[1]", {"v": V}, 4),
        ("[4, 5, 6][1]", {}, 5),
        ("sum(X, axis=0)[1]", {"X": X}, 7),
        ("X.T[2]", {"X": X}, [3, 6]),
    ],
    "comparisons and logic": [
        ("v > 1", {"v": V}, [False, True, True]),
        ("1 < v < 3", {"v": V}, [False, True, False]),
        ("1 < v <= 3 != v", {"v": V}, [False, True, False]),
        ("v == 2", {"v": V}, [False, True, False]),
        ("(v > 1) + 1", {"v": V}, [1, 2, 2]),
        ("sum(v > 1)", {"v": V}, 2),
        ("(v > 1) & (v < 3)", {"v": V}, [False, True, False]),
        ("(v > 2) | (v < 2)", {"v": V}, [True, False, True]),
        ("~(v > 1)", {"v": V}, [True, False, False]),
        ("v and 0", {"v": V}, [False, False, False]),
        ("not v", {"v": [0, 1, 2]}, [True, False, False]),
        ("where(v, 1, 2)", {"v": [0, 1, -3]}, [2, 1, 1]),
        ("where(v > 1, v, -v)", {"v": V}, [-1, 2, 3]),
        ("True", {}, True),
    ],
    "axes": [
        ("sum(X)", {"X": X}, 21),
        ("sum(X, 0)", {"X": X}, [5, 7, 9]),
        ("sum(X, axis=-1)", {"X": X}, [6, 15]),
        ("sum(X, dim=1)", {"X": X}, [6, 15]),
        ("sum(X, axis=(0, 1))", {"X": X}, 21),
        ("sum(X, axis=[0, 1])", {"X": X}, 21),
        ("sum(X, axis=None)", {"X": X}, 21),
        ("sum(X, 1, keepdims=True)", {"X": X}, [[6], [15]]),
        ("sum(X, axis=1, keepdim=True)", {"X": X}, [[6], [15]]),
        ("mean(X, axis=0)", {"X": X}, [2.5, 3.5, 4.5]),
        ("max(X, axis=0)", {"X": X}, [4, 5, 6]),
        ("min(X, dim=1)", {"X": X}, [1, 4]),
        ("var([1, 3])", {}, 1),
        ("var([1, 3], ddof=1)", {}, 2),
        ("std([1, 3])", {}, 1),
        ("cumsum(X)", {"X": X}, [[1, 2, 3], [5, 7, 9]]),
        ("cumsum(X, axis=1)", {"X": X}, [[1, 3, 6], [4, 9, 15]]),
        ("flip(X)", {"X": X}, [[6, 5, 4], [3, 2, 1]]),
        ("flip(X, axis=0)", {"X": X}, [[4, 5, 6], [1, 2, 3]]),
        ("softmax([[0, 0], [0, 0]])", {}, [[0.5, 0.5], [0.5, 0.5]]),
        ("sum(X, axis=n)", {"X": X, "n": 1}, [6, 15]),
    ],
    "shapes": [
        ("zeros(2)", {}, [0, 0]),
        ("zeros(2, 1)", {}, [[0], [0]]),
        ("zeros((2, 1))", {}, [[0], [0]]),
        ("zeros([2, 1])", {}, [[0], [0]]),
        ("ones(())", {}, 1),
        ("ones((2,))", {}, [1, 1]),
        ("full((2, 2), 7)", {}, [[7, 7], [7, 7]]),
        ("full(2, x)", {"x": 3}, [3, 3]),
        ("reshape(v, (3, 1))", {"v": V}, [[1], [2], [3]]),
        ("reshape(v, 3, 1)", {"v": V}, [[1], [2], [3]]),
        ("reshape(X, -1)", {"X": X}, [1, 2, 3, 4, 5, 6]),
        ("reshape(X, [3, 2])", {"X": X}, [[1, 2], [3, 4], [5, 6]]),
        ("reshape(X, n, -1)", {"X": X, "n": 3}, [[1, 2], [3, 4], [5, 6]]),
        ("broadcast_to([1, 2], (2, 2))", {}, [[1, 2], [1, 2]]),
        ("transpose(X)", {"X": X}, [[1, 4], [2, 5], [3, 6]]),
        ("transpose(X, (1, 0))", {"X": X}, [[1, 4], [2, 5], [3, 6]]),
        ("X.T", {"X": X}, [[1, 4], [2, 5], [3, 6]]),
        ("v.T", {"v": V}, V),
        ("shape(X)", {"X": X}, [2, 3]),
        ("zeros(shape(X))", {"X": X}, [[0, 0, 0], [0, 0, 0]]),
        ("zeros_like(X)", {"X": X}, [[0, 0, 0], [0, 0, 0]]),
        ("eye(2)", {}, [[1, 0], [0, 1]]),
        ("arange(3)", {}, [0, 1, 2]),
        ("arange(1, 4)", {}, [1, 2, 3]),
        ("arange(0, 1, 0.5)", {}, [0, 0.5]),
        ("clip([1, 2, 3], 2)", {}, [2, 2, 3]),
        ("clip([1, 2, 3], None, 2)", {}, [1, 2, 2]),
        ("clip([1, 2, 3], hi=2)", {}, [1, 2, 2]),
        ("linspace(0, 1, 3)", {}, [0, 0.5, 1]),
    ],
    "method spelling": [
        ("v.sum()", {"v": V}, 6),
        ("X.sum(axis=0)", {"X": X}, [5, 7, 9]),
        ("X.T.sum(0)", {"X": X}, [6, 15]),
        ("v.reshape(3, 1)", {"v": V}, [[1], [2], [3]]),
        ("(v + 1).mean()", {"v": V}, 3),
        ("[1, 4].sqrt().sum()", {}, 3),
        ("v.clip(2, 3)", {"v": V}, [2, 2, 3]),
    ],
    "two namespaces": [
        ("max = 2; max(v) + max", {"v": V}, 5),
        ("sum(sum)", {"sum": V}, 6),
        ("exp*exp(0)", {"exp": 3}, 3),
    ],
    "statements": [
        ("a = 2\nb = a*3\na + b", {}, 8),
        ("a = 2; a*3;", {}, 6),
        ("\r\n\r\na = 2 # two\r\n\r\na*3 # six\r\n", {}, 6),
        ("\ufeffx + 1", {"x": 1}, 2),
        ("a = 2", {}, 2),
        ("a = [1, 2]; a[0] = 5", {}, [5, 2]),
        ("a = 2; a += 3", {}, 5),
        ("x = x**2; x + 1", {"x": 3}, 10),
        ("x = x**2; x = x + 1; x", {"x": 3}, 10),
        ("(1 +\n 2)", {}, 3),
        ("[1,\n 2]", {}, [1, 2]),
    ],
    "writes": [
        ("a = zeros(3); a[1] = 5; a", {}, [0, 5, 0]),
        ("a = zeros(3); a[:2] = [1, 2]; a", {}, [1, 2, 0]),
        ("a = zeros(2, 2); a[:, 0] = 3; a", {}, [[3, 0], [3, 0]]),
        ("a = [1, 2, 3]; a[a > 1] = 0; a", {}, [1, 0, 0]),
        ("a = [1, 2, 3]; a[[0, 0]] = [7, 8]; a", {}, [8, 2, 3]),
        ("a = zeros(2); b = a; b[0] = 1; a", {}, [1, 0]),
        ("a = zeros(2); b = a; a += 1; b", {}, [1, 1]),
        ("a = zeros(2); b = 1*a; b[0] = 1; a", {}, [0, 0]),
        ("a = zeros(2); b = a[:]; b[0] = 1; a", {}, [0, 0]),
        ("a = [1, 2]; b = a.T; b[0] = 9; a", {}, [1, 2]),
        ("a = [1, 2]; b = reshape(a, 2); b[0] = 9; a", {}, [1, 2]),
        ("a = [2, 3]; a **= 2; a", {}, [4, 9]),
        ("a = [2, 3]; a -= 1; a *= 4; a /= 2; a", {}, [2, 4]),
        ("a = [2, 3]; a[0] += 1; a[1] *= 2; a[0] -= 5; a[1] /= 4; a[1] **= 2; a", {}, [-2, 2.25]),
        ("a = [1, 2]; a[:] = a[::-1]; a", {}, [2, 1]),
        ("a = [[1, 2], [3, 4]]; a += a.T; a", {}, [[2, 5], [5, 8]]),
        ("a = 0; a += 1; b = a; b += 1; a", {}, 2),
        ("m = [1, 2] > 1; m[0] = True; m", {}, [True, True]),
    ],
    "functions": [
        ("f(a, b) = a*b + 1; f(2, 3)", {}, 7),
        ("f(x) = x**2; f(f(2))", {}, 16),
        ("f() = 3; f() + 1", {}, 4),
        ("f(a) = a + k; k = 10; f(1)", {}, 11),
        ("k = 1; f(a) = a + k; k = 10; f(1)", {}, 11),
        ("f(x) = x + y; f(1)", {"y": 5}, 6),
        ("sin(x) = 2*x; sin(3)", {}, 6),
        ("f(x) = sin(x); sin(x) = 2*x; f(3)", {}, 6),
        ("x = 5; f(x) = x + 1; f(1) + x", {}, 7),
        ("f(x) = 1; f(x) = 2; f(0)", {}, 2),
        ("g(a) = f(a) + 1; f(a) = 10*a; g(2)", {}, 21),
        ("f(a) = g(a) + a; g(b) = 2*b; f(3)", {}, 9),
        ("f(v) = v[0] + v[1]; f([1, 2])", {}, 3),
        ("f(v) = v + a; a = v; f([1, 1])", {"v": [5, 5]}, [6, 6]),
    ],
}
CASES = [(text, at, value) for cases in VALUES.values() for text, at, value in cases]


@pytest.mark.parametrize(("text", "at", "value"), CASES, ids=[text for text, _, _ in CASES])
def test_value(text, at, value):
    found = gradcli.parse(text).evaluate(at).value
    expected = np.asarray(value)
    assert np.shape(found) == expected.shape
    assert (np.asarray(found).dtype == bool) == (expected.dtype == bool)
    assert np.asarray(found).tolist() == expected.tolist()


def test_a_scalar_is_a_numpy_scalar_and_all_else_an_array():
    assert type(gradcli.parse("x").evaluate({"x": 1}).value) is np.float64
    assert type(gradcli.parse("x > 0").evaluate({"x": 1}).value) is np.bool_
    assert type(gradcli.parse("[x]").evaluate({"x": 1}).value) is np.ndarray


def test_one_expression_at_many_points():
    f = gradcli.parse("a = zeros(2); a[0] = x; a[1] = 2*x; b = [1, 1]; b += a; b")
    assert [f.evaluate({"x": x}).value.tolist() for x in (1, 2, 1)] == [[2, 3], [3, 5], [2, 3]]


def test_inputs_are_copied():
    given = np.array([1.0, 2.0])
    f = gradcli.parse("y = x; z = 1*y; z[0] = 9; z")
    assert f.evaluate({"x": given}).value.tolist() == [9, 2]
    assert given.tolist() == [1, 2]
    result = gradcli.parse("x").evaluate({"x": given}).value
    result[0] = 7
    assert given.tolist() == [1, 2]


def test_a_program_s_own_numbers_are_not_written_to_for_good():
    f = gradcli.parse("a = 1; a += x; a")
    assert [f.evaluate({"x": 1}).value for _ in range(2)] == [2, 2]


def test_names():
    assert gradcli.parse("mean((y - x@w)**2)").names == ("y", "x", "w")
    assert gradcli.parse("a = b; c = a + b; c + d").names == ("b", "d")
    assert gradcli.parse("2*pi + e").names == ()
    assert gradcli.parse("f(t) = t*k; f(x)").names == ("x", "k")
    assert gradcli.parse(["x + y", "y + z"]).names == ("x", "y", "z")


def test_a_constant_that_is_written_to_is_a_copy_in_every_run():
    f = gradcli.parse("c = pi; b = c; c += 1; b*x")
    for _ in range(2):
        assert f.evaluate({"x": 1.0}).value == np.pi + 1
    with pytest.raises(InplaceWrite, match="c is the input pi"):
        f.evaluate({"x": 1.0, "pi": 3.0})
