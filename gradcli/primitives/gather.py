"""Selections: results made of elements of the operand, told by their positions in it.

NumPy itself says which element goes where, by doing to the numbers 0, 1, 2, ... what is to be done to the elements. The
rules then are those of indexing: read at the positions, and added in at the positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives.budget import require
from gradcli.primitives.table import TABLE, Layout, Primitive, linear

Places = Callable[..., Any]


def grid(name: str, x: Any) -> Any:
    """The position of each element of `x`, in its shape."""
    require(name, x.shape)
    return np.arange(x.size).reshape(x.shape)


def selection(x: Any, places: Any) -> Layout:
    """The layout of a call that reads the flattened operand at `places`."""
    return Layout(places.shape, {"index": (places,), "shape": (x.size,)}, ((x.size,),))


def several(x: Any, pieces: Sequence[Any]) -> Layout:
    """The same for several results, one array of positions for each."""
    flat = np.concatenate([piece.ravel() for piece in pieces])
    return selection(x, flat)._replace(parts=tuple(piece.shape for piece in pieces))


def choosing(places: Places) -> Any:
    """The `prepare` of an entry whose result is elements of its operand: `places(name, x, **params)` says which."""

    def prepare(name: str, operands: Sequence[Any], **params: Any) -> Layout:
        (x,) = operands
        try:
            found = places(name, x, **params)
        except (ValueError, IndexError) as error:  # NumPy's word on a wrong axis, or an index out of bounds
            raise BadArgument(f"{name}: {error}") from None
        return several(x, found) if isinstance(found, list) else selection(x, np.asarray(found))

    return prepare


def read(x: Any, *, index: Any, shape: Any) -> Any:
    return TABLE["index"].forward(x, index=index, shape=shape)


def gather(name: str, text: str, places: Places, **facts: Any) -> Primitive:
    """An entry whose result is elements of its operand."""
    return linear(
        name, text, read, lambda xp, g, *, index, shape: xp.scatter(g, index=index, shape=shape),
        prepare=choosing(places), **facts,
    )  # fmt: skip


def lanes(name: str, x: Any, axes: tuple[int, ...]) -> Any:
    """Positions with the given axes (counted from the end) laid out last, as one."""
    kept = [i for i in range(x.ndim) if i - x.ndim not in axes]
    order = [*kept, *(a + x.ndim for a in axes)]
    sizes = tuple(x.shape[i] for i in kept)
    return grid(name, x).transpose(order).reshape((*sizes, prod(x.shape[a] for a in axes)))
