"""What the rules of linear algebra share: checks, triangles, symmetric parts, and results packed in one array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def lapack(name: str, f: Callable[..., Any], x: Any, *rest: Any, axes: int = 2, infinite: bool = True) -> Any:
    """`f(x, *rest)` of a stack of matrices; each result has `axes` axes of its own.

    A matrix with nan has nan for its result, which LAPACK does not promise (it makes 0 of some determinants), and so
    has one with infinities where LAPACK gives up or, without `infinite`, anyway: neither is a reason to refuse the
    others. Raises BadArgument where it gives up a finite one.
    """
    bad = (np.isnan(x) if infinite else ~np.isfinite(x)).any(axis=(-2, -1))
    if not bad.any():
        try:
            return f(x, *rest)
        except np.linalg.LinAlgError as error:
            bad = ~np.isfinite(x).all(axis=(-2, -1))
            if not bad.any():
                raise BadArgument(f"{name}: {_REASONS.get(str(error), str(error))}") from None
    sound = np.where(bad[..., None, None], np.eye(*x.shape[-2:]), x)
    return np.where(bad[(..., *[None] * axes)], np.nan, lapack(name, f, sound, *rest, axes=axes))


_REASONS = {
    "Singular matrix": "the matrix is singular",
    "Matrix is not positive definite": "the matrix is not positive definite",
}


def singular_values(x: Any) -> Any:
    """Descending."""
    return lapack("svdvals", lambda x: np.linalg.svd(x, compute_uv=False), x, axes=1, infinite=False)


def singular_parts(x: Any) -> list[Any]:
    """U, s and Vh, reduced."""
    rows, columns = x.shape[-2:]
    size = min(rows, columns)

    def parts(x: Any) -> Any:
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        return joined((u, 2), (s, 1), (vh, 2))

    return unpacked(lapack("svd", parts, x, axes=1, infinite=False), (rows, size), (size,), (size, columns))


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
