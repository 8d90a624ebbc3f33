"""Gradients of many programs against difference quotients of their values: two roads that share no rule.

The quotient is the central one of fourth order, good to about 10 digits where a program is smooth.
"""

import numpy as np
import pytest

import gradcli

STEP = 1e-3

rng = np.random.default_rng(5)
A = rng.standard_normal((3, 4))
B = rng.standard_normal((4, 2))
S = rng.standard_normal((3, 3)) + 3 * np.eye(3)
U, V, W = rng.standard_normal((3, 3))
P = rng.uniform(0.5, 2.0, 4)
POINT = {"A": A, "B": B, "S": S, "u": U, "v": V, "w": W, "p": P, "x": 0.7, "y": -1.3, "t": 2.5, "b": 0.5}

PROGRAMS = [
    # scalars
    "(x + 2)**2 + 3",
    "x**3*y - y/x",
    "exp(-b*t)*x",
    "sin(x)*cos(y) + tan(x*y)",
    "x**y**2 + t**x",
    "log(t + x**2)/sqrt(t)",
    "1/(1 + exp(-x*y))",
    "tanh(x)/cosh(y) - sinh(b)",
    "arctan2(y, x) + hypot(x, y)",
    "arcsin(b) + arccos(x) + arctan(y)",
    "abs(y)*x + maximum(x, y) + minimum(x, b)",
    "where(x > y, x**2, y**2)*t",
    "t % x + x // 1",
    "log1p(x) + expm1(y) + log2(t) + exp2(x)",
    "-x**2 + (-x)**2 + 2**-x",
    "f(a, c) = a*c + sin(a); f(x, f(y, t))",
    "f(a) = a**2; g(a) = f(a) + f(a*b); g(x)*g(y)",
    "softplus(x) + sigmoid(y) + relu(t)",
    "clip(x, y, t) + clip(y, x, t) + clip(t, y, x)",
    "x = x**2; x = sin(x); x*y",
    # vectors
    "sum(u*v)",
    "u@v + dot(v, w)",
    "norm(u - v)",
    "norm(u, 1) + norm(v, inf) + norm(w, 3)",
    "mean((u - mean(u))**2)",
    "var(u) + std(v, ddof=1)",
    "prod(p) + sum(cumsum(p)*p)",
    "logsumexp(u) + sum(softmax(v)*w)",
    "sum(log_softmax(u)*v)",
    "max(u) - min(v)",
    "u[0]*u[-1] + sum(u[1:]*v[:-1])",
    "sum(u[[0, 0, 2]]**2)",
    "sum(u[u > -9]**3)",
    "sum(flip(u)*v)",
    "sum(concatenate([u, v])**2*concatenate([w, u]))",
    "sum(stack([u, v], axis=1)@[1, x])",
    "sum(outer(u, v)**2)",
    "sum([x, y, t]*u)",
    "sum([[x, y], [t, x*y]]@[y, x])",
    "sum(p**[1, 2, 0.5, -1])",
    "sum(u[:, None]*v + w)",
    "inner(u, v)*x",
    # matrices
    "mean(A@B)",
    "sum((A@B)**2)",
    "sum(A.T@A)",
    "sum(u@A)",
    "u@A@B@[x, y]",
    "sum(tanh(A)@B)",
    "trace(S@S)",
    "sum(A - mean(A, axis=0)) + sum(var(A, axis=1))",
    "sum(max(A, axis=0)*p)",
    "sum(softmax(A, axis=0)*A)",
    "sum(reshape(A, 4, 3)@A)",
    "sum(transpose(A)*p[:, None])",
    "sum(diag(u)@S) + sum(diag(S))",
    "sum(A[1:, ::2]*B[0])",
    "sum(norm(A, axis=1)**2*u)",
    "sum(where(A > 0, A, 0.1*A)*x)",
    "sum(broadcast_to(u, (2, 3))**2)",
    "sum(A/sum(abs(A), axis=1, keepdims=True)*x)",
    # statements and writes
    "n = zeros(2); n[0] = u[0]**2; n[1] = n[0]*u[1]; sum(n)",
    "n = 1*u; n[0] = v[1]**2; n *= 2; sum(n*w)",
    "n = 1*A; n[0] += u[0]; n[:, 1] *= u; n -= p; sum(n**2)",
    "n = A*1; m = n; m[1] = p; sum(n*A)",
    "n = 1*u; n[[0, 0, 1]] = v; sum(n*w)",
    "n = 1*u; n[u > 0] = x; sum(n**2*v)",
    "n = A@B; k = n[0]; n += 1; sum(n)*sum(k)",
    "n = 1*x; n **= 2; n /= y; n -= t; n",
    # numbers that depend on variables in other places
    "sum(full((2, 2), x)*y)",
    "sum(linspace(x, t, 4)*p)",
    "sum(u*x + v*y)**2 / (1 + t**2)",
]


def quotients(f, at, name):
    """The gradient with respect to one variable from values alone."""
    base = np.asarray(at[name], dtype=float)
    found = np.zeros(base.size)
    for i in range(base.size):

        def shifted(k, i=i):
            moved = base.copy().ravel()
            moved[i] += k * STEP
            return f.evaluate({**at, name: moved.reshape(base.shape)}).value

        found[i] = (8 * (shifted(1) - shifted(-1)) - (shifted(2) - shifted(-2))) / (12 * STEP)
    return found.reshape(base.shape)


@pytest.mark.parametrize("text", PROGRAMS)
def test_gradient(text):
    f = gradcli.parse(text)
    at = {name: POINT[name] for name in f.names}
    found = f.diff(at)
    assert tuple(found.gradient) == f.names
    for name, gradient in found.gradient.items():
        assert np.shape(gradient) == np.shape(at[name])
        np.testing.assert_allclose(gradient, quotients(f, at, name), rtol=2e-9, atol=2e-9, err_msg=name)


@pytest.mark.parametrize("text", PROGRAMS)
def test_forward_mode_agrees(text):
    f = gradcli.parse(text)
    at = {name: POINT[name] for name in f.names}
    directions = np.random.default_rng(9)
    tangent = {name: directions.standard_normal(np.shape(value)) for name, value in at.items()}
    pulled = sum(np.vdot(g, tangent[name]) for name, g in f.diff(at).gradient.items())
    assert f.jvp(at, tangent=tangent).tangent == pytest.approx(pulled, rel=1e-11, abs=1e-12)


SCALARS = [text for text in PROGRAMS if not any(word in text for word in ("norm", "//", "A@B"))]


@pytest.mark.parametrize("text", SCALARS[::2])
def test_hessian(text):
    """Its rows against quotients of the gradient, its blocks against one another."""
    f = gradcli.parse(text)
    at = {name: POINT[name] for name in f.names}
    found = f.hessian(at)
    for first in f.names:
        size = np.size(at[first])
        for second in f.names:
            block = np.reshape(found.hessian[first][second], (size, -1))
            other = np.reshape(found.hessian[second][first], (-1, size))
            np.testing.assert_array_equal(block, other.T)
            direction = np.random.default_rng(2).standard_normal(np.shape(at[second]))

            def gradient(k, first=first, second=second, direction=direction):
                moved = {**at, second: np.asarray(at[second]) + k * STEP * direction}
                return f.diff(moved, wrt=[first]).gradient[first]

            quotient = (8 * (gradient(1) - gradient(-1)) - (gradient(2) - gradient(-2))) / (12 * STEP)
            np.testing.assert_allclose(block @ direction.ravel(), np.ravel(quotient), rtol=1e-7, atol=1e-7)
