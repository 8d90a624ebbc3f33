"""Calls of linear algebra, and what NumPy makes of them: (name, operands, parameters), and one reference for each name.

Operands are drawn so that matrices are well conditioned and have no repeated values.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def draw(seed: str, *shape: int) -> Any:
    return np.random.default_rng(zlib.crc32(f"{seed}{shape}".encode())).uniform(0.5, 2.0, shape)


def general(*shape: int) -> Any:
    """Far from singular, and from symmetric."""
    rows, columns = shape[-2:]
    return draw("general", *shape) + 3.0 * np.eye(rows, columns) * np.linspace(1.0, 2.0, columns)


def spread(*shape: int) -> Any:
    """Symmetric positive definite, with eigenvalues well apart."""
    n = shape[-1]
    q = np.linalg.qr(draw("spread", *shape))[0]
    return (q * np.linspace(1.0, 3.0, n)) @ np.swapaxes(q, -1, -2)


def on(names: str, operands: tuple[Any, ...], **params: Any) -> list[Call]:
    return [(name, operands, params) for name in names.split()]


CALLS: list[Call] = [
    *(call for shape in ((3, 3), (1, 1), (2, 3, 3))
      for call in on("inv det logdet slogdet pinv svd svdvals qr nuclear_norm spectral_norm", (general(*shape),))),
    *(call for shape in ((3, 3), (1, 1), (2, 3, 3)) for call in on("cholesky eigh eigvalsh", (spread(*shape),))),
    *(call for shape in ((0, 0), (2, 0, 0))
      for call in on("inv det logdet slogdet pinv svd svdvals qr nuclear_norm expm eigh eigvalsh cholesky",
                     (np.zeros(shape),))),
    *(call for shape in ((0, 2), (2, 0)) for call in on("pinv svd svdvals qr nuclear_norm", (np.zeros(shape),))),
    *on("matrix_power", (np.zeros((0, 0)),), n=2), *on("solve", (np.zeros((0, 0)), np.zeros((0, 2)))),
    *(call for shape in ((4, 2), (2, 4), (2, 3, 2))
      for call in on("pinv svd svdvals qr nuclear_norm spectral_norm cond polar", (general(*shape),))),
    *(call for shape in ((3, 3), (1, 1), (2, 2, 2)) for call in on("expm", (draw("x", *shape),))),
    *on("det", (general(4, 4),)), *on("det", (general(2, 4, 4),)), *on("det", (general(4, 2) @ general(2, 4),)),
    *on("cond", (general(3, 3),)), *on("matrix_rank", (general(2, 3),)), *on("polar", (general(3, 3),)),
    *(call for n in (3, 1, 0, -2) for call in on("matrix_power", (general(2, 2),), n=n)),
    *on("matrix_power", (general(2, 3, 3),), n=2),
    *(call for b in (draw("b", 3), draw("b", 3, 2), draw("b", 2, 3, 1))
      for call in on("solve", (general(3, 3), b)) + on("solve_triangular", (general(3, 3), b))),
    *on("solve", (general(2, 3, 3), draw("b", 3, 2))),
    *on("solve_triangular", (general(3, 3), draw("b", 3)), lower=True),
    *(call for b in (draw("b", 4), draw("b", 4, 2)) for call in on("lstsq", (general(4, 2), b))),
    *on("lstsq", (general(2, 4), draw("b", 2))),
    *on("kron", (draw("a", 2, 3), draw("b", 2, 1))), *on("kron", (draw("a", 2), draw("b", 2, 2))),
    *on("kron", (draw("a", 2), draw("b", 3))), *on("cross", (draw("a", 3), draw("b", 3))),
    *on("cross", (draw("a", 2, 3), draw("b", 3))), *on("vdot", (draw("a", 2, 3), draw("b", 3, 2))),
    *on("vdot", (draw("a", 3), draw("b", 3))),
    *on("tensordot", (draw("a", 2, 3, 4), draw("b", 3, 4))), *on("tensordot", (draw("a", 2), draw("b", 3)), axes=0),
    *on("tensordot", (draw("a", 2, 3), draw("b", 3, 2)), axes=([0, 1], [1, 0])),
    *on("multi_dot", (draw("a", 2, 3), draw("b", 3, 4), draw("c", 4, 2))),
    *on("multi_dot", (draw("a", 3), draw("b", 3, 4), draw("c", 4, 2), draw("d", 2))),
    *on("multi_dot", (draw("a", 2, 3), draw("b", 3))),
    *on("multi_dot", (draw("a", 2), draw("b", 2, 3), draw("c", 3, 1), draw("d", 1, 2), draw("e", 2, 2))),
    *(call for k in (0, 1, -1) for call in on("tril triu", (draw("x", 2, 3),), k=k)),
    *on("tril triu", (draw("x", 2, 3, 3),)),
    *on("diagflat", (draw("x", 2, 2),)), *on("diagflat", (draw("x", 2),), k=-1),
    *on("toeplitz", (draw("c", 3), draw("r", 4))), *on("toeplitz", (draw("c", 3), np.float64(np.nan))),
    *on("vander", (draw("x", 3),)), *on("vander", (draw("x", 3),), N=2, increasing=True),
]  # fmt: skip

_EINSUMS: list[tuple[str, tuple[tuple[int, ...], ...]]] = [
    ("ij,jk->ik", ((2, 3), (3, 2))), ("ij,jk", ((2, 3), (3, 2))), ("i,i->", ((3,), (3,))), ("i,j->ij", ((2,), (3,))),
    ("ii->i", ((3, 3),)), ("ii", ((3, 3),)), ("ij->ji", ((2, 3),)), ("ij->", ((2, 3),)), ("ijk->ik", ((2, 3, 2),)),
    ("bij,bjk->bik", ((2, 2, 3), (2, 3, 2))), ("...ij,...jk->...ik", ((2, 2, 3), (3, 2))),
    ("i,ij,j->", ((2,), (2, 3), (3,))), ("a,b,c,d,ab->cd", ((2,), (3,), (1,), (2,), (2, 3))),
    ("ij,jk,kl,lm->im", ((2, 3), (3, 2), (2, 2), (2, 3))),
    ("iij,j->i", ((2, 2, 3), (3,))), ("i...->...", ((2, 3),)), ("iii->i", ((2, 2, 2),)),
    ("ij,ij->ij", ((2, 3), (1, 3))), ("b a -> a b", ((2, 3),)), ("ba", ((2, 3),)),
]  # fmt: skip
CALLS += [
    ("einsum", tuple(draw(f"e{i}", *s) for i, s in enumerate(shapes)), {"subscripts": text})
    for text, shapes in _EINSUMS
]  # fmt: skip


def flat(*parts: Any) -> Any:
    return np.concatenate([np.ravel(part) for part in parts])


def exponential(x: Any) -> Any:
    """Through eigenvalues: another way than the one of the entry."""
    w, v = np.linalg.eig(x)
    return np.real((v * np.exp(w)[..., None, :]) @ np.linalg.inv(v))


def toeplitz(c: Any, r: Any) -> Any:
    r = c if np.ndim(r) == 0 else r
    return np.array([[c[i - j] if i >= j else r[j - i] for j in range(len(r))] for i in range(len(c))])


def polar(x: Any) -> Any:
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return u @ vh


def solved(a: Any, b: Any) -> Any:
    return np.linalg.inv(a) @ b


def values(x: Any) -> Any:
    return np.sqrt(np.sort(np.linalg.eigvalsh(small_gram(x)))[..., ::-1])


def small_gram(x: Any) -> Any:
    xt = np.swapaxes(x, -1, -2)
    return x @ xt if x.shape[-2] <= x.shape[-1] else xt @ x


REFERENCES: dict[str, Callable[..., Any]] = {
    "inv": lambda x: np.linalg.solve(x, np.broadcast_to(np.eye(x.shape[-1]), x.shape)), "det": np.linalg.det,
    "logdet": lambda x: np.log(abs(np.linalg.det(x))), "slogdet": lambda x: flat(*np.linalg.slogdet(x)),
    "pinv": np.linalg.pinv, "expm": exponential, "svdvals": values, "nuclear_norm": lambda x: np.sum(values(x), -1),
    "spectral_norm": lambda x: values(x)[..., 0], "cond": lambda x: values(x)[..., 0] / values(x)[..., -1],
    "svd": lambda x: flat(*np.linalg.svd(x, full_matrices=False)), "qr": lambda x: flat(*np.linalg.qr(x)),
    "cholesky": np.linalg.cholesky, "eigh": lambda x: flat(*np.linalg.eigh(x)), "eigvalsh": np.linalg.eigvalsh,
    "matrix_rank": np.linalg.matrix_rank, "polar": polar, "matrix_power": np.linalg.matrix_power,
    "solve": solved, "solve_triangular": lambda a, b, lower=False: solved(np.tril(a) if lower else np.triu(a), b),
    "lstsq": lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], "kron": np.kron, "cross": np.cross, "vdot": np.vdot,
    "tensordot": np.tensordot, "multi_dot": lambda *xs: np.linalg.multi_dot(xs), "tril": np.tril, "triu": np.triu,
    "diagflat": np.diagflat, "toeplitz": toeplitz, "vander": np.vander,
    "einsum": lambda *xs, subscripts: np.einsum(subscripts, *xs),
}  # fmt: skip
