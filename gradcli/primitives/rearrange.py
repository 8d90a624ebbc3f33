"""Elements in other places: rolled, turned, repeated, padded, taken, cut apart. All linear, told by their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, BadIndex
from gradcli.primitives import layouts
from gradcli.primitives.budget import require
from gradcli.primitives.gather import gather, grid
from gradcli.primitives.indexing import key
from gradcli.primitives.table import TABLE, Layout, Shape, linear

GROUP = "shape"

Axis = int | tuple[int, ...] | None


def _many(value: Axis) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _rolled(name: str, x: Any, shift: Axis, axis: Axis) -> Any:
    axes = None if axis is None else tuple(layouts.negative_axis(name, a, x.ndim) for a in _many(axis))
    return np.roll(grid(name, x), shift, axes)  # type: ignore[arg-type]


gather("roll", "x, shift: axis, axis: axis = None", _rolled, masks=True, group=GROUP,
       summary="Elements moved along, those that fall off come in again in front.",
       example="roll([1, 2, 3], 1)")  # fmt: skip


def _turned(name: str, x: Any, k: int, axes: Axis) -> Any:
    plane = (0, 1) if axes is None else _many(axes)
    if len(plane) != 2:
        raise BadArgument(f"{name}: it turns in the plane of 2 axes, not {len(plane)}")
    return np.rot90(grid(name, x), k, (plane[0], plane[1]))


gather("rot90", "x, k: integer = 1, axes: axis = None", _turned, masks=True, group=GROUP,
       summary="Turned by k quarters, anticlockwise.", example="rot90([[1, 2], [3, 4]])")  # fmt: skip


def _repeated(name: str, x: Any, repeats: Axis, axis: int | None) -> Any:
    counts = _many(repeats)
    layouts.sizes(name, counts)
    size = x.size if axis is None else x.shape[layouts.negative_axis(name, axis, x.ndim)]
    total = counts[0] * size if len(counts) == 1 else sum(counts)
    require(name, (total, *(() if axis is None else (x.size // max(size, 1),))))
    return np.repeat(grid(name, x), counts[0] if len(counts) == 1 else counts, axis)


gather("repeat", "x, repeats: axis, axis: axis = None", _repeated, masks=True, aliases=("repeat_interleave",),
       group=GROUP, summary="Each element several times; without an axis of the flattened array.",
       example="repeat([1, 2], 2)")  # fmt: skip


def _tiled(name: str, x: Any, reps: Shape) -> Any:
    layouts.sizes(name, reps)
    rank = max(x.ndim, len(reps))
    pairs = zip(layouts.padded(x.shape, rank), layouts.padded(reps, rank), strict=True)
    require(name, tuple(n * times for n, times in pairs))
    return np.tile(grid(name, x), reps)


gather("tile", "x, reps: shape", _tiled, masks=True, group=GROUP,
       summary="The whole array several times, side by side.", example="tile([1, 2], 2)")  # fmt: skip


def _swapped(name: str, operands: Sequence[Any], axis1: int, axis2: int) -> Layout:
    (x,) = operands
    axes = list(range(x.ndim))
    i, j = (layouts.negative_axis(name, a, x.ndim) for a in (axis1, axis2))
    axes[i], axes[j] = axes[j], axes[i]
    return _permutation(name, operands, axes)


def _permutation(name: str, operands: Sequence[Any], axes: Sequence[int]) -> Layout:
    prepare = TABLE["transpose"].prepare
    assert prepare is not None
    return prepare(name, operands, tuple(axes))


def _moved(name: str, operands: Sequence[Any], source: Axis, destination: Axis) -> Layout:
    (x,) = operands
    sources, targets = (
        [layouts.negative_axis(name, a, x.ndim) + x.ndim for a in _many(given)] for given in (source, destination)
    )
    if len(sources) != len(targets):
        raise BadArgument(f"{name}: {len(sources)} axes cannot go to {len(targets)} places")
    axes = [a for a in range(x.ndim) if a not in sources]
    for place, axis in sorted(zip(targets, sources, strict=True)):
        axes.insert(place, axis)
    return _permutation(name, operands, axes)


_TRANSPOSE = TABLE["transpose"]

for _name, _text, _prepare, _words, _example, _alias in (
    ("swapaxes", "x, axis1: integer, axis2: integer", _swapped, "Two axes exchanged.", "([[1, 2]], 0, 1)", "swapdims"),
    ("moveaxis", "x, source: axis, destination: axis", _moved, "Axes moved to other places.", "([[1, 2]], 0, 1)",
     "movedim"),
):  # fmt: skip
    linear(_name, _text, _TRANSPOSE.forward, *_TRANSPOSE.rules, prepare=_prepare, masks=True, aliases=(_alias,),
           group=GROUP, summary=_words, example=_name + _example)  # fmt: skip


def _taken(name: str, x: Any, indices: Any, axis: int | None) -> Any:
    (index,) = key(indices if not isinstance(indices, tuple) else list(indices))
    if not isinstance(index, int | np.ndarray):
        raise BadIndex(f"the positions must be integers, not {index}")
    return np.take(grid(name, x), index, axis)


gather("take", "x, indices: any, axis: integer = None", _taken, masks=True, group=GROUP,
       summary="Elements at the given positions along an axis, or of the flattened array.",
       example="take([10, 20, 30], [2, 0])")  # fmt: skip


def _chosen(name: str, x: Any, axis: int, index: Any) -> Any:
    return _taken(name, x, index, axis)


gather("index_select", "x, axis: integer, index: any", _chosen, masks=True, group=GROUP,
       summary="Slices at the given positions along an axis.",
       example="index_select([[1, 2], [3, 4]], 0, [1])")  # fmt: skip


def _along(name: str, x: Any, indices: Any, axis: int | None) -> Any:
    (index,) = key(indices if not isinstance(indices, tuple) else list(indices))
    if axis is None:
        x, axis = x.ravel(), -1
    if not isinstance(index, np.ndarray) or index.ndim != x.ndim:
        raise BadIndex(f"the positions need as many axes as the array, {x.ndim}")
    return np.take_along_axis(grid(name, x), index, layouts.negative_axis(name, axis, x.ndim))


gather("take_along_axis", "x, indices: any, axis: axis = -1", _along, masks=True, group=GROUP,
       summary="For each position along an axis the element there, line by line; None: along the flattened array.",
       example="take_along_axis([[1, 2], [3, 4]], [[1], [0]], 1)")  # fmt: skip


def _gathered(name: str, x: Any, axis: int, index: Any) -> Any:
    """PyTorch's `gather`: along the other axes, lines that `index` does not reach are left out."""
    (found,) = key(index if not isinstance(index, tuple) else list(index))
    if not isinstance(found, np.ndarray) or found.ndim != x.ndim:
        raise BadIndex(f"the positions need as many axes as the array, {x.ndim}")
    along = layouts.negative_axis(name, axis, x.ndim) + x.ndim
    cut = tuple(slice(None) if i == along else slice(n) for i, n in enumerate(found.shape))
    return np.take_along_axis(grid(name, x)[cut], found, along)


gather("gather", "x, axis: integer, index: any", _gathered, masks=True, group=GROUP,
       summary="take_along_axis with PyTorch's order of arguments.",
       example="gather([[1, 2], [3, 4]], 1, [[1], [0]])")  # fmt: skip


def _diagonal(name: str, x: Any, offset: int, axis1: int, axis2: int) -> Any:
    first, second = (layouts.negative_axis(name, axis, x.ndim) for axis in (axis1, axis2))
    size = max(x.shape, default=0)
    offset = max(-size, min(offset, size))  # NumPy crashes on one near the end of its integers
    return np.diagonal(grid(name, x), offset, first, second)


gather("diagonal", "x, offset: integer = 0, axis1: integer = 0, axis2: integer = 1", _diagonal, masks=True, group=GROUP,
       summary="Diagonal of a matrix, or of each matrix in a stack.", example="diagonal([[1, 2], [3, 4]])")  # fmt: skip
