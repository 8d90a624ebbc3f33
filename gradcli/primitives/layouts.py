"""Layouts: how the shapes and parameters of a call are put before the rules.

Each function here is the `prepare` of some entries, `prepare(name, operands, **parameters) -> Layout`. All that a rule
must not care about is settled here: defaults, negative axes, broadcasting, vectors in matrix products, size-1 axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives.budget import require_work, shape_text
from gradcli.primitives.table import Layout, Shape

Operands = Sequence[Any]


def fills(shape: Shape, target: Shape) -> bool:
    """Whether an array of `shape` can be spread over `target`."""
    return len(shape) <= len(target) and all(m in (1, n) for m, n in zip(shape[::-1], target[::-1], strict=False))


def broadcast_shapes(name: str, shapes: Sequence[Shape], operands: bool = False) -> Shape:
    """The common shape, by NumPy's rule. Raises ShapeMismatch, with PyTorch's key phrase.

    Where the shapes are those of the `operands`, it tells what would mend them.
    """
    rank = max(map(len, shapes))
    result = [1] * rank
    for shape in shapes:
        for i, size in enumerate(shape, rank - len(shape)):
            if size == 1 or size == result[i]:
                continue
            if result[i] != 1:
                raise ShapeMismatch(
                    f"{name}: shapes {' and '.join(map(shape_text, shapes))} do not broadcast: the size of axis "
                    f"{i} ({result[i]}) must match the size ({size})",
                    remedy=_remedy(shapes) if operands else "",
                )
            result[i] = size
    return tuple(result)


def _remedy(shapes: Sequence[Shape]) -> str:
    """A transpose or a missing axis that would make two shapes fit."""
    if len(shapes) != 2:
        return ""
    (a, b), (first, second) = shapes, map(len, shapes)
    if first == second == 2 and a == b[::-1]:
        return "did you mean {1}.T ?"
    if (first, second) == (2, 1) and a[0] == b[0]:
        return "did you mean {1}[:, None] ?"
    return "did you mean {0}[:, None] ?" if (first, second) == (1, 2) and a[0] == b[0] else ""


def padded(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + shape


def broadcasting(name: str, operands: Operands, **params: Any) -> Layout:
    """Elementwise: operands padded to equal rank; plain parameters go to the rules as they are."""
    shapes = [x.shape for x in operands]
    out = shapes[0]
    if all(shape == out for shape in shapes):
        return Layout(out, params)
    out = broadcast_shapes(name, shapes, operands=True)
    return Layout(out, params, tuple(padded(shape, len(out)) for shape in shapes))


def negative_axis(name: str, axis: int, rank: int) -> int:
    """An axis counted from the end. Raises BadArgument where there is no such axis."""
    if not isinstance(axis, int):
        raise BadArgument(f"{name}: it goes along one axis, not {axis}")
    if not -rank <= axis < rank:
        known = {0: "a single number has none", 1: "a vector has axis 0 alone"}
        raise BadArgument(f"{name}: there is no axis {axis}, {known.get(rank, f'the axes are 0 to {rank - 1}')}")
    return axis - rank if axis >= 0 else axis


def negative_axes(name: str, axis: int | tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """Axes counted from the end, in ascending order; None stands for all of them."""
    if axis is None:
        return tuple(range(-rank, 0))
    given = axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(negative_axis(name, a, rank) for a in given)
    if len(set(axes)) != len(axes):
        raise BadArgument(f"{name}: an axis stands twice in {given}")
    return tuple(sorted(axes))


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    kept = {a % len(shape) for a in axes} if shape else set()
    if keepdims:
        return tuple(1 if i in kept else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in kept)


def reducing(name: str, operands: Operands, axis: Any = None, keepdims: bool = False, **params: Any) -> Layout:
    """Reductions: the core keeps the reduced axes with size 1, the caller gets what `keepdims` says."""
    (x,) = operands
    axes = negative_axes(name, axis, x.ndim)
    return Layout(reduced_shape(x.shape, axes, keepdims), {"axis": axes, **params})


def selecting(name: str, operands: Operands, axis: Any = None, keepdims: bool = False, **params: Any) -> Layout:
    """Reductions that need at least one element: max, min and their kin. Raises BadArgument on none."""
    layout = reducing(name, operands, axis, keepdims, **params)
    (x,) = operands
    if any(x.shape[a] == 0 for a in layout.params["axis"]):
        raise BadArgument(f"{name}: nothing to choose from: the array has shape {shape_text(x.shape)}")
    return layout


def counting(name: str, operands: Operands, axis: Any = None, keepdims: bool = False, **params: Any) -> Layout:
    """Averages: the reduction's layout with `count`, the number of elements that each result is made of."""
    layout = reducing(name, operands, axis, keepdims, **params)
    (x,) = operands
    count = float(prod(x.shape[a] for a in layout.params["axis"]))
    return Layout(layout.out, {**layout.params, "count": count})


def along_axes(name: str, operands: Operands, axis: Any, **params: Any) -> Layout:
    """Functions that keep the shape and act along one or more axes (softmax, flip). Scalars have no axis to act on."""
    (x,) = operands
    axes = () if x.ndim == 0 and axis in (-1, 0) else negative_axes(name, axis, x.ndim)
    return Layout(x.shape, {"axis": axes, **params})


def along_axis(name: str, operands: Operands, axis: int | None, **params: Any) -> Layout:
    """Functions that keep the shape and act along one axis, which must exist (cumsum); None: along all, as one line."""
    (x,) = operands
    if axis is None:
        return Layout((x.size,), {"axis": -1, **params}, ((x.size,),))
    return Layout(x.shape, {"axis": negative_axis(name, axis, x.ndim), **params})


def matrix_product(name: str, operands: Operands) -> Layout:
    """`a @ b` as NumPy: vectors get their axis here and lose it in the result; leading axes broadcast."""
    a, b = operands
    if a.ndim == 0 or b.ndim == 0:
        raise ShapeMismatch(
            f"{name}: both operands need at least 1 axis, they are {shape_text(a.shape)} and {shape_text(b.shape)}",
            help="multiply by a scalar with *",
        )
    left = (1, *a.shape) if a.ndim == 1 else a.shape
    right = (*b.shape, 1) if b.ndim == 1 else b.shape
    if left[-1] != right[-2]:
        raise _inner_sizes(name, a.shape, b.shape, left[-1], right[-2])
    batch = broadcast_shapes(name, (left[:-2], right[:-2]))
    out = batch + left[-2:-1] * (a.ndim > 1) + right[-1:] * (b.ndim > 1)
    rank = len(batch) + 2
    require_work(name, 2 * prod(batch) * left[-2] * left[-1] * right[-1])
    return Layout(out, {}, (padded(left, rank), padded(right, rank)))


def _inner_sizes(name: str, a: Shape, b: Shape, left: int, right: int) -> ShapeMismatch:
    remedy = ""
    if len(b) == 2 and b[-1] == left:
        remedy = "did you mean {0}@{1}.T ?"
    elif len(a) == 2 and a[0] == right:
        remedy = "did you mean {0}.T@{1} ?"
    return ShapeMismatch(
        f"{name}: inner sizes differ, {left} and {right}: "
        f"shapes {shape_text(a)} and {shape_text(b)} cannot be multiplied",
        remedy=remedy,
    )


def outer_product(name: str, operands: Operands) -> Layout:
    """Both operands flattened, the first down, the second across."""
    a, b = operands
    return Layout((a.size, b.size), {}, ((a.size, 1), (1, b.size)))


def with_shape(name: str, operands: Operands, shape: Shape, **params: Any) -> Layout:
    """Constructors: the core makes what `shape` says; a value operand is spread over it."""
    sizes(name, shape)
    shapes = tuple(padded(x.shape, len(shape)) for x in operands) or None
    for x in operands:
        if not fills(x.shape, shape):
            raise ShapeMismatch(f"{name}: a value of shape {shape_text(x.shape)} does not fill {shape_text(shape)}")
    return Layout(shape, {"shape": shape, **params}, shapes)


def sizes(name: str, shape: Shape) -> None:
    if any(n < 0 for n in shape):
        raise BadArgument(f"{name}: a size cannot be negative, as {min(shape)} is")


def reshaped(name: str, operands: Operands, shape: Shape) -> Layout:
    """One size may be -1, then it is what is left."""
    (x,) = operands
    unknown = [i for i, n in enumerate(shape) if n == -1]
    known = prod(n for n in shape if n != -1)
    if len(unknown) == 1 and known > 0 and x.size % known == 0:
        shape = tuple(x.size // known if n == -1 else n for n in shape)
    elif not unknown:
        sizes(name, shape)
    if prod(shape) != x.size or -1 in shape:
        raise ShapeMismatch(
            f"{name}: shape {list(shape)} is invalid for input of size {x.size} (shape {shape_text(x.shape)})"
        )
    return Layout(shape)
