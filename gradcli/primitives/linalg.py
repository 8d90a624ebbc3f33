"""Linear algebra. Products see matrices only; vectors get their axis in the layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.table import Layout, Shape, arrays, bilinear, linear

GROUP = "linear algebra"


def _product(a: Any, b: Any) -> Any:
    """`a @ b`, where a stack on one side only makes one large product in place of many small ones."""
    if a.ndim == 2 and b.ndim > 2 and b.shape[-1] == 1:
        return np.expand_dims(b[..., 0] @ a.T, -1)
    if b.ndim == 2 and a.ndim > 2 and a.size > 0:
        return (a.reshape(-1, a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[-1])
    return a @ b


def _swap(xp: Any, x: Any) -> Any:
    return xp.swap(x)


def _left(xp: Any, g: Any, _out: Any, _a: Any, b: Any) -> Any:
    return xp.matmul(g, _swap(xp, b))


def _right(xp: Any, g: Any, _out: Any, a: Any, _b: Any) -> Any:
    return xp.matmul(_swap(xp, a), g)


def _scaled_rows(
    position: int, forward: bool, rows: slice, values: Any, shapes: Sequence[Shape], a: Any, _b: Any
) -> Any:
    """A matrix times a vector: unit vectors are pulled back to rows of the matrix, pushed forward to columns."""
    if position == 1 and len(shapes[0]) == 2 and shapes[1][-1] == 1:
        return values[:, None] * (a[:, rows].T if forward else a[rows])
    return None


# Within rules only: a view will do where users get copies.
linear("swap", "x", lambda x: np.swapaxes(x, -1, -2), lambda xp, g: xp.swap(g), hidden=True, group=GROUP,
       summary="A matrix transposed.")  # fmt: skip

bilinear("matmul", "a, b", _product, _left, _right, prepare=layouts.matrix_product,
         one_hot=_scaled_rows, operator="@", group=GROUP,
         derivative="d/da = g @ b.T; d/db = a.T @ g",
         summary="Matrix product; vectors count as rows on the left and columns on the right.",
         example="matmul([[1, 2], [3, 4]], [1, 1])")  # fmt: skip


def _at_most_matrices(name: str, operands: Sequence[Any]) -> None:
    for x in operands:
        if x.ndim > 2:
            raise ShapeMismatch(f"{name}: it takes vectors and matrices, not {shape_text(x.shape)}", help="use a @ b")


def _dotted(name: str, operands: Sequence[Any]) -> Layout:
    """As NumPy: a single number multiplies what stands beside it, whatever its shape."""
    a, b = operands
    if a.ndim == 0 or b.ndim == 0:
        return Layout(a.shape + b.shape, {}, ((a.size, 1), (1, b.size)))
    _at_most_matrices(name, operands)
    return layouts.matrix_product(name, operands)


bilinear("dot", "a, b", _product, _left, _right, prepare=_dotted, group=GROUP,
         derivative="d/da = g @ b.T; d/db = a.T @ g",
         summary="Product of two vectors or matrices.", example="dot([1, 2], [3, 4])")  # fmt: skip


def _last_axes(name: str, operands: Sequence[Any]) -> Layout:
    a, b = operands
    if a.ndim == 0 or b.ndim == 0:
        return Layout(a.shape + b.shape, {}, ((a.size, 1), (b.size, 1)))
    _at_most_matrices(name, operands)
    if a.shape[-1] != b.shape[-1]:
        raise ShapeMismatch(f"{name}: the last axes of {shape_text(a.shape)} and {shape_text(b.shape)} differ")
    cores = tuple(x.shape if x.ndim == 2 else (1, *x.shape) for x in operands)
    return Layout(a.shape[:-1] + b.shape[:-1], {}, cores)


bilinear("inner", "a, b", lambda a, b: a @ np.swapaxes(b, -1, -2),
         lambda xp, g, _out, _a, b: g @ b,
         lambda xp, g, _out, a, _b: _swap(xp, g) @ a,
         prepare=_last_axes, group=GROUP, derivative="d/da = g @ b; d/db = g.T @ a",
         summary="Sum of products along the last axes of both.",
         example="inner([[1, 2], [3, 4]], [1, 1])")  # fmt: skip

bilinear("outer", "a, b", np.multiply,
         lambda xp, g, _out, _a, b: g * b,
         lambda xp, g, _out, a, _b: g * a,
         prepare=layouts.outer_product, group=GROUP, derivative="d/da = g @ b; d/db = g.T @ a",
         summary="Matrix of all products of two vectors.",
         example="outer([1, 2], [3, 4])")  # fmt: skip


def _square(name: str, operands: Sequence[Any]) -> Layout:
    (x,) = operands
    if x.ndim != 2:
        raise ShapeMismatch(f"{name}: it takes a matrix, not an array of shape {shape_text(x.shape)}")
    return Layout((), {"shape": x.shape})


def _trace(x: Any, *, shape: Shape) -> Any:
    return np.trace(x, axis1=-2, axis2=-1)[..., None, None]


linear("trace", "x", _trace, lambda xp, g, *, shape: g * xp.eye(shape=shape), prepare=_square, group=GROUP,
       summary="Sum of the diagonal of a matrix.", example="trace([[1, 2], [3, 4]])")  # fmt: skip


def _diagonal(name: str, operands: Sequence[Any], k: int) -> Layout:
    """Both ways through flat positions: a matrix is read at them, a vector is written to them."""
    (x,) = operands
    if x.ndim not in (1, 2):
        raise ShapeMismatch(f"{name}: it takes a vector or a matrix, not an array of shape {shape_text(x.shape)}")
    rows, columns = x.shape if x.ndim == 2 else (x.size + abs(k),) * 2
    require(name, (rows, columns))
    count = max(min(rows + min(k, 0), columns - max(k, 0)), 0)
    places = (max(-k, 0) * columns + max(k, 0)) + np.arange(count) * (columns + 1)
    params = {"index": (places,), "shape": (rows * columns,), "reads": x.ndim == 2}
    out = (count,) if x.ndim == 2 else (rows, columns)
    return Layout(out, params, ((x.size,),))


def _diag(xp: Any, x: Any, reads: bool, **place: Any) -> Any:
    return xp.index(x, **place) if reads else xp.scatter(x, **place)


linear("diag", "x, k: integer = 0", lambda x, *, reads, **place: _diag(arrays, x, reads, **place),
       lambda xp, g, *, reads, **place: _diag(xp, g, not reads, **place), prepare=_diagonal, group=GROUP,
       summary="Diagonal of a matrix, or matrix with a vector on its diagonal; k counts diagonals upwards.",
       example="diag([1, 2])")  # fmt: skip
