"""Shape functions: all linear, each gradient the transpose of the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import shape_text
from gradcli.primitives.table import Layout, Shape, linear

GROUP = "shape"


def _copy(x: Any) -> Any:
    return np.array(x)


def _expanded(name: str, operands: Sequence[Any], axis: int | tuple[int, ...]) -> Layout:
    (x,) = operands
    given = axis if isinstance(axis, tuple) else (axis,)
    rank = x.ndim + len(given)
    places = {a + rank for a in layouts.negative_axes(name, given, rank)}
    sizes = iter(x.shape)
    return Layout(tuple(1 if i in places else next(sizes) for i in range(rank)))


def _squeezed(name: str, operands: Sequence[Any], axis: Any) -> Layout:
    (x,) = operands
    if axis is None:
        return Layout(tuple(n for n in x.shape if n != 1))
    axes = layouts.negative_axes(name, axis, x.ndim)
    for a in axes:
        if x.shape[a] != 1:
            raise ShapeMismatch(
                f"{name}: axis {a + x.ndim} of shape {shape_text(x.shape)} has size {x.shape[a]}, not 1"
            )
    return Layout(layouts.reduced_shape(x.shape, axes, keepdims=False))


# A reshape is what layouts do between core and caller: the core is a mere copy.
linear("reshape", "x, shape: shape", _copy, 1, prepare=layouts.reshaped, masks=True, aliases=("view",), group=GROUP,
       summary="The same elements in another shape; one size may be -1.",
       example="reshape([1, 2, 3, 4], (2, 2))")  # fmt: skip

linear("ravel", "x", _copy, 1, prepare=lambda name, operands: Layout((operands[0].size,)), masks=True,
       aliases=("flatten",), group=GROUP, summary="All elements as one vector.",
       example="ravel([[1, 2], [3, 4]])")  # fmt: skip

linear("expand_dims", "x, axis: axis", _copy, 1, prepare=_expanded, masks=True, aliases=("unsqueeze",), group=GROUP,
       summary="A new axis of size 1.", example="expand_dims([1, 2], 0)")  # fmt: skip

linear("squeeze", "x, axis: axis = None", _copy, 1, prepare=_squeezed, masks=True, group=GROUP,
       summary="Without its axes of size 1.", example="squeeze([[1, 2]])")  # fmt: skip


def _permuted(name: str, operands: Sequence[Any], axes: int | Shape | None) -> Layout:
    (x,) = operands
    axes = (axes,) if isinstance(axes, int) else axes
    order = tuple(range(x.ndim))[::-1]
    if axes is not None:
        order = tuple(layouts.negative_axis(name, a, x.ndim) + x.ndim for a in axes)
    if sorted(order) != list(range(x.ndim)):
        raise BadArgument(f"{name}: {axes} does not name each of the {x.ndim} axes once")
    return Layout(tuple(x.shape[a] for a in order), {"axes": tuple(a - x.ndim for a in order)})


def _permute(x: Any, *, axes: tuple[int, ...]) -> Any:
    lead = x.ndim - len(axes)
    return np.array(np.transpose(x, (*range(lead), *(a + x.ndim for a in axes))), order="C")


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    inverse = [0] * len(axes)
    for new, old in enumerate(axes):
        inverse[old + len(axes)] = new - len(axes)
    return tuple(inverse)


linear("transpose", "x, axes: axis = None", _permute, lambda xp, g, *, axes: xp.transpose(g, axes=_inverse(axes)),
       prepare=_permuted, masks=True, aliases=("permute",), group=GROUP,
       summary="Axes in reverse order, or in the given one; a vector is unchanged.",
       example="transpose([[1, 2], [3, 4]])",
       misuse="transpose(x, (1, 0)) takes the axes as a tuple")  # fmt: skip


def _spread(name: str, operands: Sequence[Any], shape: Shape) -> Layout:
    layout = layouts.with_shape(name, operands, shape)
    assert layout.shapes is not None
    return Layout(shape, {"shape": shape}, layout.shapes)


def broadcast(x: Any, *, shape: Shape) -> Any:
    stack = x.shape[: max(x.ndim - len(shape), 0)]
    return np.array(np.broadcast_to(x, stack + shape))


# The engine sums a cotangent down to its operand by itself.
linear("broadcast_to", "x, shape: shape", broadcast, lambda xp, g, *, shape: g, prepare=_spread, masks=True,
       aliases=("expand",), group=GROUP, summary="Repeated to a larger shape, by NumPy's rule.",
       example="broadcast_to([1, 2], (3, 2))")  # fmt: skip


def _flip(x: Any, *, axis: tuple[int, ...]) -> Any:
    return np.array(np.flip(x, axis))


linear("flip", "x, axis: axis = None", _flip, lambda xp, g, *, axis: xp.flip(g, axis=axis), prepare=layouts.along_axes,
       masks=True, group=GROUP, summary="In reverse order along the axes (default: all).",
       example="flip([1, 2, 3])")  # fmt: skip


def _joined(name: str, operands: Sequence[Any], axis: int | None, new: bool) -> Layout:
    if not operands:
        raise BadArgument(f"{name}: nothing to join")
    if axis is None:  # all as lines, of `concatenate` alone
        ends = tuple(int(n) for n in np.cumsum([x.size for x in operands]))
        return Layout(ends[-1:], {"axis": -1, "ends": ends, "shape": ends[-1:]}, tuple((x.size,) for x in operands))
    rank = operands[0].ndim + new
    if rank == 0:
        raise ShapeMismatch(f"{name}: scalars have no axis to be joined along", help="stack makes a vector of scalars")
    at = layouts.negative_axis(name, axis, rank)
    shapes = [(*x.shape[: at + rank], 1, *x.shape[at + rank :]) if new else x.shape for x in operands]
    for shape in shapes:
        rest = [s[: at + rank] + s[at + rank + 1 :] for s in (shape, shapes[0])]
        if len(shape) != rank or rest[0] != rest[1] or (new and shape != shapes[0]):
            raise ShapeMismatch(
                f"{name}: shapes {shape_text(operands[0].shape)} and {shape_text(_odd(operands))} do not fit together"
            )
    ends = tuple(int(n) for n in np.cumsum([s[at] for s in shapes]))
    out = (*shapes[0][: at + rank], ends[-1], *shapes[0][at + rank + 1 :])
    return Layout(out, {"axis": at, "ends": ends, "shape": out[at:]}, tuple(shapes) if new else None)


def _odd(operands: Sequence[Any]) -> Shape:
    first: Shape = operands[0].shape
    return next((x.shape for x in operands if x.shape != first), first)


def _join(*operands: Any, axis: int, ends: tuple[int, ...], shape: Shape) -> Any:
    return np.concatenate(operands, axis=axis)


def _piece(xp: Any, g: Any, *, position: Any, axis: Any, ends: Any, shape: Any) -> Any:
    start = ends[position - 1] if position else 0
    return xp.index(g, index=(slice(start, ends[position]), *[slice(None)] * (-axis - 1)), shape=shape)


linear("concatenate", "arrays: sequence, axis: axis = 0", _join, _piece, variadic=True, masks=True,
       prepare=lambda name, operands, axis: _joined(name, operands, axis, new=False), aliases=("cat",), group=GROUP,
       summary="Arrays joined along an axis.", example="concatenate([[1, 2], [3]])")  # fmt: skip

linear("stack", "arrays: sequence, axis: integer = 0", _join, _piece, variadic=True, masks=True,
       prepare=lambda name, operands, axis: _joined(name, operands, axis, new=True), group=GROUP,
       summary="Arrays of one shape joined along a new axis.", example="stack([[1, 2], [3, 4]], axis=1)")  # fmt: skip
