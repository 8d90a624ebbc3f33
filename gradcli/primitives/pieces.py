"""Arrays cut into several, put together from several, and padded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.gather import gather, grid
from gradcli.primitives.reading import read
from gradcli.primitives.table import TABLE, Layout, Shape, linear

GROUP = "shape"


def _cut(name: str, x: Any, sections: int | tuple[int, ...], axis: int) -> list[Any]:
    along = layouts.negative_axis(name, axis, x.ndim)
    if isinstance(sections, int) and (sections < 1 or x.shape[along] % sections):
        raise BadArgument(f"{name}: {x.shape[along]} elements do not make {sections} equal parts",
                          help="chunk allows a shorter last part")  # fmt: skip
    return list(np.split(grid(name, x), sections, along))


def _chunks(name: str, x: Any, chunks: int, axis: int) -> list[Any]:
    """PyTorch's rule: parts of equal size but for the last, perhaps fewer than were asked for."""
    along = layouts.negative_axis(name, axis, x.ndim)
    if chunks < 1:
        raise BadArgument(f"{name}: at least 1 part is needed, not {chunks}")
    size = max(-(-x.shape[along] // chunks), 1)
    return list(np.split(grid(name, x), range(size, x.shape[along], size), along))


def _unbound(name: str, x: Any, axis: int) -> list[Any]:
    along = layouts.negative_axis(name, axis, x.ndim)
    if not x.shape[along]:
        raise BadArgument(f"{name}: the axis has no elements")
    return list(np.moveaxis(grid(name, x), along, 0))


gather("split", "x, sections: axis, axis: integer = 0", _cut, masks=True, group=GROUP,
       summary="Several results: equal parts, or what lies between the given positions.",
       example="split([1, 2, 3, 4], 2)[0]")  # fmt: skip
gather("chunk", "x, chunks: integer, axis: integer = 0", _chunks, masks=True, group=GROUP,
       summary="Several results: parts of equal size, the last perhaps shorter.",
       example="chunk([1, 2, 3], 2)[1]")  # fmt: skip
gather("unbind", "x, axis: integer = 0", _unbound, masks=True, group=GROUP,
       summary="Several results: the slices along an axis.", example="unbind([[1, 2], [3, 4]])[1]")  # fmt: skip


def _at_least(rank: int) -> Callable[[Shape], Shape]:
    def grown(shape: Shape) -> Shape:
        """NumPy puts new axes in front; the third one, depth, behind."""
        shape = layouts.padded(shape, min(rank, 2)) if len(shape) < 2 else shape
        return (*shape, 1) if rank == 3 and len(shape) == 2 else shape

    return grown


for _rank, _words in ((1, "1 axis"), (2, "2 axes"), (3, "3 axes")):
    linear(f"atleast_{_rank}d", "x", np.array, 1, masks=True, group=GROUP,
           prepare=lambda name, operands, _rank=_rank: Layout(_at_least(_rank)(operands[0].shape)),
           summary=f"x with at least {_words}.", example=f"atleast_{_rank}d(5)")  # fmt: skip


def _joining(grown: Callable[[Shape], Shape], axis_of: Callable[[int], int]) -> Any:
    """The layout of `concatenate` for operands that get missing axes first."""

    def prepare(name: str, operands: Sequence[Any]) -> Layout:
        shapes = tuple(grown(x.shape) for x in operands)
        join = TABLE["concatenate"].prepare
        assert join is not None
        # Views without data tell the shapes.
        views = [np.broadcast_to(np.empty(()), shape) for shape in shapes]
        layout: Layout = join(name, views, axis_of(len(shapes[0]) if shapes else 0))
        return layout._replace(shapes=shapes)

    return prepare


_JOIN = TABLE["concatenate"]


def _columns(shape: Shape) -> Shape:
    return (*shape, 1) if len(shape) == 1 else layouts.padded(shape, 2)


for _name, _grown, _axis, _words in (
    ("vstack", _at_least(2), lambda rank: 0, "Arrays on top of each other; vectors become rows."),
    ("hstack", _at_least(1), lambda rank: min(rank - 1, 1), "Arrays side by side; vectors are joined."),
    ("dstack", _at_least(3), lambda rank: 2, "Arrays joined in depth, along the third axis."),
    ("column_stack", _columns, lambda rank: 1, "Arrays side by side; vectors become columns."),
):
    linear(_name, "arrays: sequence", _JOIN.forward, *_JOIN.rules, variadic=True, masks=True,
           prepare=_joining(_grown, _axis), group=GROUP, summary=_words,
           example=f"{_name}([[1, 2], [3, 4]])")  # fmt: skip


def _meshed(name: str, operands: Sequence[Any], indexing: str | None) -> Layout:
    """Each operand as a core that has its elements along its own axis of the common grid."""
    if indexing not in (None, "xy", "ij"):
        raise BadArgument(f'{name}: indexing is "xy" or "ij", not {indexing!r}')
    if any(x.ndim > 1 for x in operands):
        raise ShapeMismatch(f"{name}: it takes vectors, not an array of shape "
                            f"{shape_text(next(x.shape for x in operands if x.ndim > 1))}")  # fmt: skip
    rank = len(operands)
    axes = list(range(rank))
    if indexing != "ij" and rank > 1:
        axes[:2] = (1, 0)
    shape = tuple(operands[axes[i]].size for i in range(rank))
    require(name, (rank, *shape))
    shapes = tuple(tuple(x.size if i == axes[j] else 1 for i in range(rank)) for j, x in enumerate(operands))
    return Layout((rank * prod(shape),), {"grid": shape}, shapes, (shape,) * rank)


def _mesh(*operands: Any, grid: Shape) -> Any:
    stack = max((x.shape[: x.ndim - len(grid)] for x in operands), key=len)
    flat = [np.broadcast_to(x, stack + grid).reshape((*stack, prod(grid))) for x in operands]
    return np.concatenate(flat, -1)


def _mesh_adjoint(position: int) -> Any:
    # The engine sums the grid down to the operand's axis.
    def adjoint(xp: Any, g: Any, *, grid: Shape) -> Any:
        size = prod(grid)
        return g[..., position * size : (position + 1) * size].reshape(g.shape[:-1] + grid)

    return adjoint


linear("meshgrid", "x, y, z = None, *, indexing: string = None", _mesh, *map(_mesh_adjoint, range(3)), prepare=_meshed,
       group=GROUP, summary='Several results: the coordinates of a grid; indexing is "xy" or "ij".',
       example="meshgrid([1, 2], [3, 4, 5])[0]")  # fmt: skip


def _padded(name: str, operands: Sequence[Any], pad_width: Any, mode: str | None) -> Layout:
    """Positions in the operand; one past its end stands for the value that fills."""
    x, value = operands
    if value.shape != ():
        raise ShapeMismatch(f"{name}: the value is one number, not an array of shape {shape_text(value.shape)}")
    if mode not in (None, "constant", "edge", "reflect", "wrap", "symmetric"):
        raise BadArgument(f"{name}: there is no mode {mode!r}",
                          help='the modes are "constant", "edge", "reflect", "symmetric" and "wrap"')  # fmt: skip
    if x.ndim == 0:
        raise ShapeMismatch(f"{name}: a single number has no edges")
    pairs = _widths(name, pad_width, x.ndim)
    require(name, tuple(n + before + after for n, (before, after) in zip(x.shape, pairs, strict=True)))
    places = grid(name, x)
    try:
        if mode in (None, "constant"):
            found = np.pad(places, pairs, constant_values=x.size)
        else:
            found = np.pad(places, pairs, mode=mode)  # type: ignore[call-overload]
    except ValueError as error:
        raise BadArgument(f"{name}: {error}") from None
    return Layout(found.shape, {"index": (found,), "shape": (x.size + 1,)}, ((x.size,), (1,)))


def _widths(name: str, width: Any, rank: int) -> list[tuple[int, int]]:
    """A number, a pair, or a pair for each axis."""
    given = read(width)
    if given.dtype.kind not in "iuf":
        raise BadArgument(f"{name}: the widths are whole numbers, not data of type {given.dtype}")
    if given.size and (np.any(given < 0) or np.any(given != np.floor(given)) or np.any(given > 2**31)):
        raise BadArgument(f"{name}: the widths are whole numbers, at least 0")
    try:
        pairs = np.broadcast_to(given, (rank, 2))
    except ValueError:
        raise BadArgument(f"{name}: a width is a number, a pair, or a pair for each of {rank} axes") from None
    return [(int(before), int(after)) for before, after in pairs]


def _pad(x: Any, value: Any, **place: Any) -> Any:
    return TABLE["index"].forward(np.concatenate((x, value), axis=-1), **place)


linear(
    "pad", "x, pad_width: any, mode: string = None, constant_values = None or 0", _pad,
    lambda xp, g, **place: xp.scatter(g, **place)[..., :-1],
    lambda xp, g, **place: xp.scatter(g, **place)[..., -1:],
    prepare=_padded, group=GROUP, example="pad([1, 2], 1)",
    summary='Elements added at the edges; mode "constant" (default), "edge", "reflect", "symmetric" or "wrap".',
)  # fmt: skip
