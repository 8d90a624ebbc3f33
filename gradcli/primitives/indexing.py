"""Indexing, indexed writes, and what pulls them back.

An index is made exact for the trailing axes of its operand, so that any stack in front stays untouched: basic indices
(integers, slices, None) are written out for every axis; an index with arrays or masks becomes one array of positions in
the flattened operand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadIndex, BadInput, ShapeMismatch
from gradcli.primitives.budget import MAX_RANK, require, shape_text
from gradcli.primitives.layouts import fills, padded
from gradcli.primitives.reading import read
from gradcli.primitives.signature import integer
from gradcli.primitives.table import Layout, Several, Shape, linear

GROUP = "indexing"

_MASK_SIZES = re.compile(r"size of axis is (\d+) but size of corresponding boolean axis is (\d+)")


def key(index: Any) -> tuple[Any, ...]:
    """A user's index as NumPy takes it: integral floats become integers. Raises BadIndex."""
    parts = index if isinstance(index, tuple) else (index,)
    each = [part if isinstance(part, Several) else (part,) for part in parts]
    return tuple(_item(part) for some in each for part in some)


def _item(part: Any) -> Any:
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return slice(*(None if p is None else _whole(p) for p in (part.start, part.stop, part.step)))
    try:
        array = read(part)
    except BadInput as error:
        raise BadIndex(f"an index is a mask or whole numbers: {error.message}") from None
    if array.dtype == bool:
        return array
    if array.ndim == 0:
        return _whole(part)
    if array.dtype.kind not in "iuf" or not np.all(np.floor(array) == array):
        raise BadIndex("an index is a mask or whole numbers", help="compare for a mask, as in x[x > 0]")
    return array.astype(np.intp)


def _whole(value: Any) -> int:
    try:
        return integer(value, "an index")
    except TypeError as error:
        raise BadIndex(str(error)) from None


def positions(shape: Shape, index: tuple[Any, ...]) -> Any:
    """Which flat positions an index reads: NumPy itself decides. Raises BadIndex."""
    size = int(np.prod(shape, dtype=object))
    require("indexing", shape)
    try:
        return np.arange(size).reshape(shape)[index]
    except (IndexError, ValueError) as error:
        raise BadIndex(f"{_reason(error)} (the shape is {shape_text(shape)})") from None


def _reason(error: Exception) -> str:
    text = str(error)
    sizes = _MASK_SIZES.search(text)
    if sizes:
        return f"the mask has size {sizes[2]}, the axis it stands for {sizes[1]}"
    return text if text.startswith(("index", "too many", "boolean")) else f"index: {text}"


def _written_out(shape: Shape, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """A basic index with its `...` replaced by full slices and every axis covered."""
    if sum(1 for part in index if part is Ellipsis) > 1:
        raise BadIndex("an index holds one `...` at most")
    used = sum(1 for part in index if part is not None and part is not Ellipsis)
    if used > len(shape):
        raise BadIndex(f"too many indices: {used} for {len(shape)} axes (the shape is {shape_text(shape)})")
    rest = (slice(None),) * (len(shape) - used)
    at = next((i for i, part in enumerate(index) if part is Ellipsis), len(index))
    return (*index[:at], *rest, *index[at + 1 :])


def _locate(shape: Shape, index: Any) -> tuple[Shape, tuple[Any, ...], Shape]:
    """Core shape, core index, and the shape of what is read."""
    parts = key(index)
    if any(isinstance(part, np.ndarray) for part in parts):
        found = positions(shape, parts)
        return (int(np.prod(shape, dtype=object)),), (found,), found.shape
    parts = _written_out(shape, parts)
    _in_range(shape, parts)
    rank = sum(not isinstance(part, int) for part in parts)
    if rank > MAX_RANK:
        raise BadIndex(f"an index makes {rank} axes, more than the {MAX_RANK} an array can have")
    # A view without data tells the shape of the result.
    return shape, parts, np.broadcast_to(np.empty(()), shape)[parts].shape


def _in_range(shape: Shape, parts: tuple[Any, ...]) -> None:
    axes = [part for part in parts if part is not None]
    for axis, (size, part) in enumerate(zip(shape, axes, strict=True)):
        if isinstance(part, int) and not -size <= part < size:
            raise BadIndex(
                f"index {part} is out of bounds for axis {axis} with size {size}",
                help=f"indices go from 0 to {size - 1}, and from -{size} to -1" if size else "the axis has no elements",
            )
        if isinstance(part, slice) and part.step == 0:
            raise BadIndex("a slice cannot have step 0")


def reading(name: str, operands: Sequence[Any], index: Any) -> Layout:
    (x,) = operands
    core, parts, out = _locate(x.shape, index)
    return Layout(out, {"index": parts, "shape": core}, (core,))


def writing(name: str, operands: Sequence[Any], index: Any) -> Layout:
    """`winners` marks the last of repeated positions, the only ones that reach the result."""
    x, value = operands
    core, parts, target = _locate(x.shape, index)
    if not fills(value.shape, target):
        raise ShapeMismatch(
            f"assignment: a value of shape {shape_text(value.shape)} does not fit a place of shape {shape_text(target)}"
        )
    params: dict[str, Any] = {"index": parts, "shape": core, "winners": None}
    if len(parts) == 1 and isinstance(parts[0], np.ndarray):
        params["winners"] = _winners(parts[0])
    return Layout(x.shape, params, (core, padded(value.shape, len(target))))


def _winners(found: Any) -> Any:
    """None where no position stands twice."""
    flat = found.ravel()
    last = flat.size - 1 - np.unique(flat[::-1], return_index=True)[1]
    if last.size == flat.size:
        return None
    marks = np.zeros(flat.size, dtype=bool)
    marks[last] = True
    return marks.reshape(found.shape)


def _read(x: Any, *, index: tuple[Any, ...], shape: Shape) -> Any:
    return np.array(x[(..., *index)])


def _scatter(g: Any, *, index: tuple[Any, ...], shape: Shape) -> Any:
    """Zeros with `g` added in at the index; `g` may have a stack in front."""
    out = np.zeros(g.shape[: g.ndim - _rank(index)] + shape)
    if isinstance(index[0] if index else None, np.ndarray):
        place: Any = (..., *index)
        np.add.at(out, place, g)
    else:
        out[(..., *index)] = g
    return out


def _rank(index: tuple[Any, ...]) -> int:
    """How many axes a core index reads or writes."""
    if len(index) == 1 and isinstance(index[0], np.ndarray):
        return index[0].ndim
    return sum(not isinstance(part, int) for part in index)


linear(
    "index", "x, index: any", _read,
    lambda xp, g, *, index, shape: xp.scatter(g, index=index, shape=shape),
    prepare=reading, masks=True, hidden=True, group=GROUP, summary="Elements of x: `x[index]`, as a copy.",
    example="[1, 2, 3][0]",
)  # fmt: skip

linear(
    "scatter", "g, index: any", _scatter,
    lambda xp, g, *, index, shape: xp.index(g, index=index, shape=shape),
    hidden=True, group=GROUP, summary="Zeros with the given elements added in; the transpose of indexing.",
)  # fmt: skip


def _assign(x: Any, value: Any, *, index: tuple[Any, ...], shape: Shape, winners: Any) -> Any:
    out = np.array(x)
    out[(..., *index)] = value
    return out


def _assign_base(xp: Any, g: Any, *, index: Any, shape: Any, winners: Any) -> Any:
    nothing = np.zeros((1,) * _rank(index))  # of the place's rank: a stack may stand in front
    return xp.assign(g, nothing, index=index, shape=shape, winners=winners)


def _assign_value(xp: Any, g: Any, *, index: Any, shape: Any, winners: Any) -> Any:
    read = xp.index(g, index=index, shape=shape)
    return read if winners is None else xp.where(winners, read, 0.0)


linear(
    "assign", "x, value, index: any", _assign, _assign_base, _assign_value,
    prepare=writing, masks=True, hidden=True, node="CopySlices", group=GROUP,
    summary="x with some elements replaced: `x[index] = value`.",
    edge="with repeated indices the last write wins, the others get gradient 0",
)  # fmt: skip
