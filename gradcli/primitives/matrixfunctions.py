"""Functions of a square matrix: exponential and powers.

The derivatives of any such function f in the directions T, S ... are blocks of f of a block matrix: of
f([[A, T], [0, A]]) for the first (Higham, "Functions of Matrices", theorem 3.6), and so on, each direction doubling
the size (Higham and Relton, "Higher order Fréchet derivatives of matrix functions", 2014). They are linear and
symmetric in the directions, and the transpose in one of them is the same with all matrices transposed: so one entry
`f_along(A, T, S, ...)` has every order of derivative, and no rule puts a flow and a matrix into one array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.primitives.matrices import GROUP, as_matrix, lapack, swap
from gradcli.primitives.table import Prepare, Rule, general


def _nested(x: Any, directions: Sequence[Any]) -> Any:
    """The block matrix of x and its directions: each is put on the diagonal as often as the last one doubled it."""
    stack = np.broadcast_shapes(*(m.shape[:-2] for m in (x, *directions)))
    whole = np.broadcast_to(x, stack + x.shape[-2:])
    for k, t in enumerate(directions):
        n = whole.shape[-1]
        doubled = np.zeros((*stack, 2 * n, 2 * n))
        doubled[..., :n, :n] = doubled[..., n:, n:] = whole
        for block in range(2**k):
            first, stop = block * t.shape[-1], (block + 1) * t.shape[-1]
            doubled[..., first:stop, n + first : n + stop] = t
        whole = doubled
    return whole


def _function(name: str, text: str, f: Rule, prepare: Prepare, **facts: Any) -> None:
    """The entry of a matrix function `f(x, size=n, ...)`, with x of n by n or a block matrix of such; and the entry of
    its derivatives."""
    along = f"{name}_along"

    def forward(x: Any, **params: Any) -> Any:
        return f(x, size=x.shape[-1], **params)

    def derivative(x: Any, *directions: Any, **params: Any) -> Any:
        n = x.shape[-1]
        whole = f(_nested(x, directions), size=n, **params)
        return whole[..., :n, whole.shape[-1] - n :].copy()

    def vjp(xp: Any, g: Any, _out: Any, x: Any, **params: Any) -> Any:
        return getattr(xp, along)(swap(xp, x), g, **params)

    def jvp(xp: Any, t: Any, _out: Any, x: Any, **params: Any) -> Any:
        return getattr(xp, along)(x, t, **params)

    def pull(xp: Any, g: Any, _out: Any, x: Any, *directions: Any, position: int, **params: Any) -> Any:
        others = [t for i, t in enumerate(directions, 1) if i != position]
        return getattr(xp, along)(swap(xp, x), *(swap(xp, t) for t in others), g, **params)

    def push(xp: Any, t: Any, _out: Any, x: Any, *directions: Any, position: int, **params: Any) -> Any:
        others = [s for i, s in enumerate(directions, 1) if i != position]
        return getattr(xp, along)(x, *others, t, **params)

    general(name, text, forward, vjp, jvp, prepare=prepare, group=GROUP, **facts)
    general(along, text.replace("x", "arrays: sequence", 1), derivative, pull, push, variadic=True, hidden=True,
            group=GROUP, summary=f"The derivative of {name} along directions.")  # fmt: skip


# Higham, "The scaling and squaring method for the matrix exponential revisited" (2005): the coefficients of the
# Padé approximant of degree 13, and the norm up to which it is exact to rounding.
_PADE = (64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
         10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0,
         16380.0, 182.0, 1.0)  # fmt: skip
_REACH = 5.371920351148152


def _squarings(x: Any, size: int) -> int:
    """How often to halve. The norm is that of the first block: in the other ones the result is linear."""
    norm = np.max(np.sum(np.abs(x[..., :size, :size]), axis=-2), initial=0.0)
    return max(int(np.ceil(np.log2(norm / _REACH))), 0) if 0 < norm < np.inf else 0


def _expm(x: Any, *, size: int) -> Any:
    s = _squarings(x, size)
    a = np.ldexp(x, -s)
    # Divided by the constant term, so that the exponential of 0 is exactly 1.
    one, b = np.eye(x.shape[-1]), [c / _PADE[0] for c in _PADE]
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    u = a @ odd
    out = lapack("expm", np.linalg.solve, even - u, even + u)
    for _ in range(s):
        out = out @ out
    return out


_function("expm", "x", _expm, as_matrix, aliases=("matrix_exp",), summary="Exponential of a square matrix.",
          example="expm([[0, 1], [-1, 0]])", derivative="a block of expm([[x.T, g], [0, x.T]])")  # fmt: skip


def _matrix_power(x: Any, *, size: int, n: int) -> Any:
    base = x if n >= 0 else lapack("matrix_power", np.linalg.inv, x)
    return np.array(np.linalg.matrix_power(base, abs(n)))


_function("matrix_power", "x, n: integer", _matrix_power, as_matrix,
          summary="Whole power of a square matrix; a negative one of its inverse.",
          example="matrix_power([[1, 1], [1, 0]], 10)",
          derivative="a block of matrix_power([[x.T, g], [0, x.T]], n)")  # fmt: skip
