"""What the rules of linear algebra share: checks, triangles, symmetric parts, and results packed in one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives.budget import require_work, shape_text
from gradcli.primitives.table import Layout, Shape

GROUP = "linear algebra"

SYMMETRY = 1e-10
"""How far a matrix may be from symmetric, relative to its largest element: what rounding in `A.T @ B @ A` leaves."""

_DECOMPOSITION = 20
"""Operations for each element and column of a matrix: those of the singular values, the dearest."""


def swap(xp: Any, x: Any) -> Any:
    """Each matrix transposed."""
    return xp.transpose(x, axes=(-1, -2))


def symmetric(xp: Any, x: Any) -> Any:
    return 0.5 * (x + swap(xp, x))


def symmetric_part(x: Any) -> Any:
    """`symmetric` for forwards: what rounding left of an asymmetry goes into the value as it goes into the gradient."""
    return 0.5 * (x + np.swapaxes(x, -1, -2))


def lower(xp: Any, x: Any, k: int = 0) -> Any:
    return xp.where(np.tri(x.shape[-2], x.shape[-1], k, bool), x, 0.0)


def matrix(name: str, x: Any) -> None:
    if x.ndim < 2:
        raise ShapeMismatch(f"{name}: it takes a matrix, not an array of shape {shape_text(x.shape)}")
    require_work(name, _DECOMPOSITION * prod(x.shape) * min(x.shape[-2:]))


def square(name: str, x: Any) -> None:
    matrix(name, x)
    if x.shape[-1] != x.shape[-2]:
        raise ShapeMismatch(f"{name}: the matrix must be square, it is {shape_text(x.shape)}")


def require_symmetric(name: str, x: Any) -> None:
    """Raise BadArgument for a matrix that is not symmetric: NumPy would read one half of it and say nothing."""
    square(name, x)
    gap = np.abs(x - np.swapaxes(x, -1, -2))
    if (gap > SYMMETRY * np.max(np.abs(x), axis=(-2, -1), keepdims=True, initial=0.0)).any():
        raise BadArgument(f"{name}: the matrix is not symmetric", help="take its symmetric part: (x + x.T)/2")


def as_matrix(name: str, operands: Sequence[Any], **params: Any) -> Layout:
    """Square matrices to matrices of the same shape."""
    square(name, operands[0])
    return Layout(operands[0].shape, params)


def as_scalar(name: str, operands: Sequence[Any], **params: Any) -> Layout:
    """Square matrices to numbers; their core keeps both axes with size 1."""
    square(name, operands[0])
    return Layout(operands[0].shape[:-2], params)


@contextmanager
def solvable(name: str) -> Iterator[None]:
    """LAPACK's errors as ours. Raises BadArgument."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        reason = "the matrix is singular" if "ingular" in str(error) else str(error)
        raise BadArgument(f"{name}: {reason}") from None


def _finite(x: Any) -> tuple[Any, Any]:
    """Which matrices are not finite (LAPACK would not converge), and x with zeros in their place."""
    bad = ~np.isfinite(x).all(axis=(-2, -1))
    return bad, np.where(bad[..., None, None], 0.0, x)


def singular_values(x: Any) -> Any:
    """Descending; nan for a matrix that is not finite."""
    bad, x = _finite(x)
    return np.where(bad[..., None], np.nan, np.linalg.svd(x, compute_uv=False))


def singular_parts(x: Any) -> tuple[Any, Any, Any]:
    """U, s and Vh, reduced; nan for a matrix that is not finite."""
    bad, x = _finite(x)
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    wide = bad[..., None, None]
    return np.where(wide, np.nan, u), np.where(bad[..., None], np.nan, s), np.where(wide, np.nan, vh)


# Several results travel packed along one axis.


def _flat(x: Any, rank: int) -> Any:
    own = x.ndim - rank
    return x.reshape((*x.shape[:own], prod(x.shape[own:])))


def packed(xp: Any, *parts: tuple[Any, int]) -> Any:
    """Arrays with the number of their own axes, joined flat along the last axis; stacks in front are equal."""
    flat = [_flat(x, rank) for x, rank in parts]
    ends = tuple(int(n) for n in np.cumsum([x.shape[-1] for x in flat]))
    return xp.concatenate(*flat, axis=-1, ends=ends, shape=(ends[-1],))


def joined(*parts: tuple[Any, int]) -> Any:
    """`packed` for forwards, which know no `xp`."""
    return np.concatenate([_flat(x, rank) for x, rank in parts], axis=-1)


def unpacked(x: Any, *shapes: Shape) -> list[Any]:
    parts, start = [], 0
    for shape in shapes:
        stop = start + prod(shape)
        parts.append(x[..., start:stop].reshape(x.shape[:-1] + shape))
        start = stop
    return parts


def several(stack: Shape, *shapes: Shape) -> Layout:
    """The layout of a call with several results of these shapes."""
    return Layout((*stack, sum(map(prod, shapes))), {}, None, shapes)


def alike(xp: Any, x: Any, stack: Shape, rank: int) -> Any:
    """x with the given stack in front of its own axes."""
    own = x.shape[x.ndim - rank :]
    return x if x.shape == stack + own else xp.broadcast_to(x, shape=stack + own)
