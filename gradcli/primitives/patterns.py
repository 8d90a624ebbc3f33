"""Matrices of a pattern: triangles, diagonals, Toeplitz, Vandermonde, Hilbert; and a few constructors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.shapes import broadcast
from gradcli.primitives.table import TABLE, Layout, Shape, constant, general, linear

GROUP = "linear algebra"
CREATION = "creation"


def _triangle(keep: Any) -> Any:
    def prepare(name: str, operands: Sequence[Any], k: int) -> Layout:
        (x,) = operands
        if x.ndim < 2:
            raise ShapeMismatch(f"{name}: it takes a matrix, not an array of shape {shape_text(x.shape)}")
        return Layout(x.shape, {"keep": keep(np.ones(x.shape[-2:], bool), k)})

    return prepare


for _name, _keep, _side in (("tril", np.tril, "above"), ("triu", np.triu, "below")):
    linear(_name, "x, k: integer = 0", lambda x, *, keep: np.where(keep, x, 0.0),
           lambda xp, g, *, keep: xp.where(keep, g, 0.0), prepare=_triangle(_keep), group=GROUP,
           summary=f"A matrix with zeros {_side} its diagonal; k counts diagonals upwards.",
           example=f"{_name}([[1, 2], [3, 4]])")  # fmt: skip


def _flat_diagonal(name: str, operands: Sequence[Any], k: int) -> Layout:
    prepare = TABLE["diag"].prepare
    assert prepare is not None
    layout = prepare(name, [np.broadcast_to(np.empty(()), (operands[0].size,))], k)
    return layout._replace(params={key: layout.params[key] for key in ("index", "shape")})


linear("diagflat", "x, k: integer = 0", lambda x, **place: TABLE["scatter"].forward(x, **place),
       lambda xp, g, **place: xp.index(g, **place), prepare=_flat_diagonal, group=GROUP,
       summary="Matrix with all elements of x on a diagonal.", example="diagflat([1, 2])")  # fmt: skip


def _banded(name: str, operands: Sequence[Any]) -> Layout:
    """Positions in column and row, one after the other; the corner is the column's."""
    column, row = operands
    alone = row.shape == () and np.isnan(row)
    if column.ndim != 1 or (row.ndim != 1 and not alone):
        raise ShapeMismatch(f"{name}: it takes vectors, not {shape_text(column.shape)} and {shape_text(row.shape)}")
    rows = column.size
    columns = rows if alone else row.size
    require(name, (rows, columns))
    offset = np.arange(columns) - np.arange(rows)[:, None]
    places = np.where(offset <= 0, -offset, offset + (0 if alone else rows))
    return Layout((rows, columns), {"index": (places,), "shape": (rows + row.size,)}, ((rows,), (row.size,)))


def _join(column: Any, row: Any, **place: Any) -> Any:
    return TABLE["index"].forward(np.concatenate((column, row), -1), **place)


def _column(xp: Any, g: Any, *, index: Any, shape: Shape) -> Any:
    rows = index[0].shape[0]
    return xp.scatter(g, index=index, shape=shape)[..., :rows]


def _row(xp: Any, g: Any, *, index: Any, shape: Shape) -> Any:
    rows = index[0].shape[0]
    return xp.scatter(g, index=index, shape=shape)[..., rows:]


linear("toeplitz", "c, r = None or nan", _join, _column, _row, prepare=_banded, by_values=True, group=GROUP,
       summary="Matrix with constant diagonals, from its first column and row (row: as the column).",
       example="toeplitz([1, 2, 3])")  # fmt: skip


def _powers(name: str, operands: Sequence[Any], N: int | None, increasing: bool) -> Layout:
    (x,) = operands
    if x.ndim != 1:
        raise ShapeMismatch(f"{name}: it takes a vector, not an array of shape {shape_text(x.shape)}")
    count = x.size if N is None else N
    layouts.sizes(name, (count,))
    require(name, (x.size, count))
    powers = np.arange(float(count))
    return Layout((x.size, count), {"powers": powers if increasing else powers[::-1].copy()}, ((x.size, 1),))


def _slopes(xp: Any, flow: Any, _out: Any, x: Any, *, powers: Any) -> Any:
    # x ** 0 has slope 0, at 0 as well.
    return xp.where(powers == 0, 0.0, flow * (powers * x ** np.maximum(powers - 1.0, 0.0)))


general("vander", "x, N: integer = None, increasing: flag = False", lambda x, *, powers: x**powers, _slopes, _slopes,
        prepare=_powers, group=GROUP, summary="Vandermonde matrix: powers of x, the highest first.",
        example="vander([1, 2, 3])", derivative="the sum of g*n*x**(n - 1) over the columns")  # fmt: skip


def _square(name: str, operands: Sequence[Any], n: int) -> Layout:
    return layouts.with_shape(name, operands, (n, n))


constant("hilbert", "n: integer", lambda *, shape: 1.0 / (1.0 + np.add.outer(np.arange(shape[0]), np.arange(shape[1]))),
         prepare=_square, group=GROUP, summary="Hilbert matrix of size n: 1/(i + j + 1).",
         example="hilbert(2)")  # fmt: skip


def _spaced(name: str, operands: Sequence[Any], num: int, base: float) -> Layout:
    prepare = TABLE["linspace"].prepare
    assert prepare is not None
    if not base > 0:
        raise BadArgument(f"{name}: the base is above 0, not {base:g}")
    layout = prepare(name, operands, num)
    return layout._replace(params={**layout.params, "base": np.float64(base)})


def _logspace(start: Any, stop: Any, *, parts: Any, base: Any) -> Any:
    return base ** (start * (1.0 - parts) + stop * parts)


def _log_vjp(position: int) -> Any:
    def flow(xp: Any, g: Any, out: Any, _start: Any, _stop: Any, *, parts: Any, base: Any) -> Any:
        return xp.chosen(g * out, np.log(base) * (parts if position else 1.0 - parts))

    return flow


general("logspace", "start, stop, num: integer = 50, base: number = 10", _logspace, (_log_vjp(0), _log_vjp(1)),
        (_log_vjp(0), _log_vjp(1)), prepare=_spaced, group=CREATION,
        summary="num numbers from base**start to base**stop, evenly spaced in the exponent.",
        example="logspace(0, 2, 3)", derivative="log(base) * out, shared as in linspace")  # fmt: skip


def _alike(name: str, operands: Sequence[Any]) -> Layout:
    x, value = operands
    return layouts.with_shape(name, [value], x.shape)._replace(
        shapes=(x.shape, layouts.padded(value.shape, x.ndim)), params={"shape": x.shape})  # fmt: skip


linear("full_like", "x, value", lambda x, value, *, shape: broadcast(value, shape=shape), 0,
       lambda xp, g, *, shape: g, prepare=_alike, group=CREATION, summary="A value in the shape of x.",
       example="full_like([1, 2], 7)")  # fmt: skip

constant("isclose", "a, b, rtol: number = 0.00001, atol: number = 0.00000001, equal_nan: flag = False",
         lambda a, b, *, rtol, atol, equal_nan: np.isclose(a, b, rtol, atol, equal_nan), group="choice",
         summary="Mask of where two values are nearly equal.", example="isclose(1, [1, 2])")  # fmt: skip
constant("allclose", "a, b, rtol: number = 0.00001, atol: number = 0.00000001, equal_nan: flag = False",
         lambda a, b, *, rtol, atol, equal_nan: np.asarray(np.allclose(a, b, rtol, atol, equal_nan)),
         prepare=lambda name, operands, **params: layouts.broadcasting(name, operands, **params)._replace(out=()),
         spread=True, group="choice", summary="Whether all elements of two arrays are nearly equal.",
         example="allclose([1, 2], [1, 2])")  # fmt: skip
