"""Gradients of scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradcli
from tests.benchmarks.peers import autograd, jax, torch
from tests.benchmarks.racing import Contender, Target, Workload

Loss = Callable[..., Any]
"""A scalar of a namespace (NumPy's words) and arrays, the last of which are constants."""


def _peers(loss: Loss, variables: list[np.ndarray], constants: list[np.ndarray]) -> list[Contender]:
    found: list[Contender] = []
    count = len(variables)
    if torch is not None:
        leaves = [torch.from_numpy(x.copy()).requires_grad_() for x in variables]
        fixed = [torch.from_numpy(x) for x in constants]
        found.append(Contender("torch eager", lambda: torch.autograd.grad(loss(torch, *leaves, *fixed), leaves)))
    if jax is not None:
        gradient = jax.jit(jax.grad(lambda *given: loss(jax.numpy, *given), argnums=tuple(range(count))))
        given = [jax.numpy.asarray(x) for x in (*variables, *constants)]
        found.append(Contender("JAX jit", lambda: jax.block_until_ready(gradient(*given))))
    if autograd is not None:
        import autograd as peer
        import autograd.numpy as np_

        differentiated = peer.grad(lambda *given: loss(np_, *given), tuple(range(count)))
        found.append(Contender("autograd", lambda: differentiated(*variables, *constants)))
    return found


def _gradcli(text: str, at: dict[str, np.ndarray], wrt: list[str], name: str = "gradcli") -> Contender:
    f = gradcli.parse(text)

    def run() -> list[Any]:
        gradient = f.diff(at, wrt=wrt).gradient
        return [gradient[name] for name in wrt]

    return Contender(name, run)


def network() -> Workload:
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((1000, 64)), rng.standard_normal((1000, 10))
    W, b = rng.standard_normal((64, 128)) / 8, np.zeros(128)
    V, c = rng.standard_normal((128, 10)) / 11, np.zeros(10)

    def loss(np_: Any, W: Any, b: Any, V: Any, c: Any, X: Any, Y: Any) -> Any:
        return ((np_.tanh(X @ W + b) @ V + c - Y) ** 2).mean()

    def hand() -> list[np.ndarray]:
        H = np.tanh(X @ W + b)
        R = H @ V + c - Y
        G = R * (2 / R.size)
        D = (G @ V.T) * (1 - H * H)
        return [X.T @ D, D.sum(axis=0), H.T @ G, G.sum(axis=0)]

    at = {"X": X, "Y": Y, "W": W, "b": b, "V": V, "c": c}
    contenders = [
        Contender("hand-written", hand),
        _gradcli("mean((tanh(X@W + b)@V + c - Y)**2)", at, ["W", "b", "V", "c"]),
        *_peers(loss, [W, b, V, c], [X, Y]),
    ]
    targets = [Target("hand-written", 1.3), Target("torch eager", 1.0)]
    return Workload("gradient of a network, 1000x64-128-10", contenders, targets)


def elementwise(n: int = 1_000_000) -> Workload:
    x = np.random.default_rng(0).uniform(-2, 2, n)

    def loss(np_: Any, x: Any) -> Any:
        return (np_.exp(-(x**2)) * np_.sin(3 * x) + np_.sqrt(1 + x * x)).sum()

    def hand() -> np.ndarray:
        E = np.exp(-(x**2))
        return E * (3 * np.cos(3 * x) - 2 * x * np.sin(3 * x)) + x / np.sqrt(1 + x * x)

    contenders = [
        Contender("hand-written", hand),
        _gradcli("sum(exp(-x**2)*sin(3*x) + sqrt(1+x*x))", {"x": x}, ["x"]),
        *_peers(loss, [x], []),
    ]
    name = "gradient of sum(exp(-x**2)*sin(3*x) + sqrt(1+x*x)), 10^6"
    return Workload(name, contenders, [Target("hand-written", 1.0)])


def small() -> Workload:
    rng = np.random.default_rng(0)
    w, b, v, x, y = rng.standard_normal((5, 8))

    def loss(np_: Any, w: Any, b: Any, v: Any, x: Any, y: Any) -> Any:
        return ((np_.tanh(w * x + b) * v - y) ** 2).sum() / 8 + 0.1 * (w * w).sum()

    def hand() -> list[np.ndarray]:
        h = np.tanh(w * x + b)
        g = (h * v - y) * 0.25
        d = g * v * (1 - h * h)
        return [d * x + 0.2 * w, d, g * h]

    at = {"w": w, "b": b, "v": v, "x": x, "y": y}
    contenders = [
        Contender("hand-written", hand),
        _gradcli("sum((tanh(w*x + b)*v - y)**2)/8 + 0.1*sum(w*w)", at, ["w", "b", "v"]),
        *_peers(loss, [w, b, v], [x, y]),
    ]
    return Workload("loss of 12 nodes on arrays of 8, repeated", contenders, [Target("torch eager", 1 / 3)])


def missing_rows(n: int = 100_000, columns: int = 50) -> Workload:
    """Rows that hold nan are dropped: the second sweep, with live lanes, against the gradient of whole data (of which
    the same rows are 0, so that the gradients are equal)."""
    rng = np.random.default_rng(0)
    X, w, y = rng.standard_normal((n, columns)), rng.standard_normal(columns), rng.standard_normal(n)
    rows = rng.choice(n, n // 100, replace=False)
    whole, holes = {"X": X.copy(), "w": w, "y": y.copy()}, {"X": X, "w": w, "y": y}
    whole["X"][rows], whole["y"][rows] = 0.0, 0.0
    X[rows, rng.integers(0, columns, rows.size)] = np.nan
    text = "r = y - X@w; nansum(r**2)"
    contenders = [_gradcli(text, whole, ["w"], "gradcli, whole rows"), _gradcli(text, holes, ["w"])]
    return Workload("gradient of a regression, 10^5 x 50, 1 % missing rows", contenders,
                    [Target("gradcli, whole rows", 4.0)])  # fmt: skip
