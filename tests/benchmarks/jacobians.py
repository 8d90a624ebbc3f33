"""Jacobians and Hessians."""

from __future__ import annotations

import numpy as np

import gradcli
from tests.benchmarks.peers import autograd, jax, torch
from tests.benchmarks.racing import Contender, Target, Workload
from tests.benchmarks.resources import peak


def two_layers(n: int = 256) -> Workload:
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((2, n, n)) / np.sqrt(n)
    x = rng.standard_normal(n)
    f = gradcli.parse("tanh(B@tanh(A@x))")
    at = {"A": A, "B": B, "x": x}

    def hand() -> np.ndarray:
        u = np.tanh(A @ x)
        v = np.tanh(B @ u)
        return (B * (1 - v * v)[:, None] * (1 - u * u)) @ A

    contenders = [
        Contender("hand-written", hand),
        Contender("gradcli", lambda: f.jacobian(at, wrt=["x"]).jacobian["x"]),
        Contender("gradcli, rows", lambda: f.jacobian(at, wrt=["x"], mode="rows").jacobian["x"]),
        *_torch_jacobians(A, B, x),
        *_jax_jacobian(A, B, x),
        *_autograd_jacobian(A, B, x),
    ]
    return Workload(f"Jacobian of tanh(B@tanh(A@x)), n = {n}", contenders, [Target("hand-written", 2.0)])


def _torch_jacobians(*arrays: np.ndarray) -> list[Contender]:
    if torch is None:
        return []
    A, B, x = map(torch.from_numpy, arrays)

    def f(x):  # type: ignore[no-untyped-def]
        return torch.tanh(B @ torch.tanh(A @ x))

    whole = torch.autograd.functional.jacobian
    return [
        Contender("torch, loop", lambda: whole(f, x)),
        Contender("torch, vectorize=True", lambda: whole(f, x, vectorize=True)),
        Contender("torch.func", lambda: torch.func.jacrev(f)(x)),
    ]


def _jax_jacobian(A: np.ndarray, B: np.ndarray, x: np.ndarray) -> list[Contender]:
    if jax is None:
        return []
    np_ = jax.numpy
    compiled = jax.jit(jax.jacrev(lambda x, A, B: np_.tanh(B @ np_.tanh(A @ x))))
    given = [np_.asarray(array) for array in (x, A, B)]
    return [Contender("JAX jit", lambda: compiled(*given).block_until_ready())]


def _autograd_jacobian(A: np.ndarray, B: np.ndarray, x: np.ndarray) -> list[Contender]:
    if autograd is None:
        return []
    import autograd.numpy as np_

    jacobian = autograd.jacobian(lambda x: np_.tanh(B @ np_.tanh(A @ x)))
    return [Contender("autograd", lambda: jacobian(x))]


CHAIN = "sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)"


def rosenbrock(n: int = 100) -> Workload:
    x = np.random.default_rng(0).uniform(-1, 1, n)
    f = gradcli.parse(CHAIN)
    contenders = [
        Contender("hand-written", lambda: _hand_hessian(x)),
        Contender("gradcli", lambda: f.hessian({"x": x}).hessian["x"]["x"]),
        *_other_hessians(x),
    ]
    return Workload(f"Hessian of Rosenbrock, n = {n}", contenders, [Target("torch.func", 1.0)])


def large_rosenbrock(n: int = 10_000) -> Workload:
    x = np.random.default_rng(0).uniform(-1, 1, n)
    f = gradcli.parse(CHAIN)
    contenders = [
        Contender("hand-written, diagonal", lambda: np.diagonal(_hand_hessian(x))),
        Contender("gradcli --diag", lambda: f.hessian_diagonal({"x": x}).diagonal["x"]),
        Contender("gradcli, whole matrix", lambda: np.diagonal(f.hessian({"x": x}).hessian["x"]["x"])),
    ]
    return Workload(f"Hessian of Rosenbrock, n = {n:,}", contenders, remark="the whole matrix is 800 MB")


def _hand_hessian(x: np.ndarray) -> np.ndarray:
    main = np.zeros_like(x)
    main[:-1] += 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    main[1:] += 200
    off = -400 * x[:-1]
    return np.diag(main) + np.diag(off, 1) + np.diag(off, -1)


def _other_hessians(x: np.ndarray) -> list[Contender]:
    found: list[Contender] = []

    def f(x):  # type: ignore[no-untyped-def]
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    if torch is not None:
        t = torch.from_numpy(x)
        found.append(Contender("torch", lambda: torch.autograd.functional.hessian(f, t)))
        found.append(Contender("torch.func", lambda: torch.func.hessian(f)(t)))
    if jax is not None:
        compiled, given = jax.jit(jax.hessian(f)), jax.numpy.asarray(x)
        found.append(Contender("JAX jit", lambda: compiled(given).block_until_ready()))
    if autograd is not None:
        import autograd as peer

        hessian = peer.hessian(f)
        found.append(Contender("autograd", lambda: hessian(x)))
    return found


def tridiagonal(n: int) -> Workload:
    x = np.linspace(-1, 1, n)
    f = gradcli.parse("y = 3*x; y[1:] -= x[:-1]**2; y[:-1] -= 2*x[1:]; y + x**3")
    passes = f.jacobian_pattern({"x": x}).method.passes

    def hand() -> np.ndarray:
        entries = np.empty((n, 3))
        entries[1:, 0] = -2 * x[:-1]
        entries[:, 1] = 3 + 3 * x**2
        entries[:, 2] = -2.0
        return entries.reshape(-1)[1:-1]

    contenders = [
        Contender("hand-written", hand),
        Contender("gradcli, sparse", lambda: f.sparse_jacobian({"x": x}).jacobian["x"].values),
    ]
    if n <= 1000:
        contenders += _dense_bands(x)
    each = peak(lambda: f.sparse_jacobian({"x": x})) / x.nbytes
    remark = f"{passes} passes, target 3; peak memory {each:.0f} numbers for each input"
    return Workload(f"tridiagonal Jacobian, n = {n:,}", contenders, remark=remark)


def _dense_bands(x: np.ndarray) -> list[Contender]:
    """The others know no structure: they make the whole matrix."""
    band = np.nonzero(abs(np.subtract.outer(np.arange(len(x)), np.arange(len(x)))) <= 1)
    found: list[Contender] = []

    def system(np_, x):  # type: ignore[no-untyped-def]
        joined = np_.cat if hasattr(np_, "cat") else np_.concatenate
        zero = 0 * x[:1]
        return 3 * x - joined((zero, x[:-1] ** 2)) - joined((2 * x[1:], zero)) + x**3

    if torch is not None:
        t = torch.from_numpy(x)
        jacobian = torch.func.jacrev(lambda x: system(torch, x))
        found.append(Contender("torch.func, dense", lambda: jacobian(t).numpy()[band]))
    if jax is not None:
        compiled, given = jax.jit(jax.jacfwd(lambda x: system(jax.numpy, x))), jax.numpy.asarray(x)
        found.append(Contender("JAX jit, dense", lambda: np.asarray(compiled(given))[band]))
    if autograd is not None:
        import autograd as peer
        import autograd.numpy as np_

        whole = peer.jacobian(lambda x: system(np_, x))
        found.append(Contender("autograd, dense", lambda: whole(x)[band]))
    return found
