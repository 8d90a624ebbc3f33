"""Functions of a square matrix: exponential and powers.

The derivative of any such function f in the direction T is a block of f([[A, T], [0, A]]) (Higham, "Functions of
Matrices", theorem 3.6), and its transpose the same with A.T. Since that is f again, every order of derivative follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.primitives.matrices import GROUP, as_matrix, solvable, swap
from gradcli.primitives.table import Layout, general


def _blocks(xp: Any, a: Any, t: Any) -> Any:
    n = a.shape[-1]
    first, second = slice(0, n), slice(n, 2 * n)
    shape = (2 * n, 2 * n)
    diagonal = xp.scatter(a, index=(first, first), shape=shape) + xp.scatter(a, index=(second, second), shape=shape)
    return diagonal + xp.scatter(t, index=(first, second), shape=shape)


def _corner(f: Any, n: int) -> Any:
    return f[..., :n, n:]


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
    with solvable("expm"):
        out = np.linalg.solve(even - u, even + u)
    for _ in range(s):
        out = out @ out
    return out


def _exponent(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    return as_matrix(name, operands, size=x.shape[-1] if x.ndim else 0)


general("expm", "x", _expm,
        lambda xp, g, _out, x, *, size: _corner(xp.expm(_blocks(xp, swap(xp, x), g), size=size), x.shape[-1]),
        lambda xp, t, _out, x, *, size: _corner(xp.expm(_blocks(xp, x, t), size=size), x.shape[-1]),
        prepare=_exponent, aliases=("matrix_exp",), group=GROUP, summary="Exponential of a square matrix.",
        example="expm([[0, 1], [-1, 0]])", derivative="a block of expm([[x.T, g], [0, x.T]])")  # fmt: skip


def _matrix_power(x: Any, *, n: int) -> Any:
    with solvable("matrix_power"):
        return np.array(np.linalg.matrix_power(x, n))


general("matrix_power", "x, n: integer", _matrix_power,
        lambda xp, g, _out, x, *, n: _corner(xp.matrix_power(_blocks(xp, swap(xp, x), g), n=n), x.shape[-1]),
        lambda xp, t, _out, x, *, n: _corner(xp.matrix_power(_blocks(xp, x, t), n=n), x.shape[-1]),
        prepare=as_matrix, group=GROUP, summary="Whole power of a square matrix; a negative one of its inverse.",
        example="matrix_power([[1, 1], [1, 0]], 10)",
        derivative="a block of matrix_power([[x.T, g], [0, x.T]], n)")  # fmt: skip
