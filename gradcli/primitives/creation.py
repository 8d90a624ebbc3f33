"""Constructors of arrays, and what only asks for a shape. Every value argument is differentiable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.shapes import broadcast
from gradcli.primitives.table import Layout, Shape, constant, linear

GROUP = "creation"

constant("zeros", "shape: shape", lambda *, shape: np.zeros(shape), prepare=layouts.with_shape, group=GROUP,
         summary="Zeros in a shape.", example="zeros(2, 3)")  # fmt: skip
constant("ones", "shape: shape", lambda *, shape: np.ones(shape), prepare=layouts.with_shape, group=GROUP,
         summary="Ones in a shape.", example="ones(2, 3)")  # fmt: skip

linear("full", "shape: shape, value", broadcast, lambda xp, g, *, shape: g, prepare=layouts.with_shape, group=GROUP,
       summary="A value repeated to a shape.", example="full((2, 3), 7)")  # fmt: skip


def _square(name: str, operands: Sequence[Any], n: int, m: int | None) -> Layout:
    return layouts.with_shape(name, operands, (n, n if m is None else m))


def _eye(*, shape: Shape) -> Any:
    n, m = shape
    return np.eye(n, m)


constant("eye", "n: integer, m: integer = None", _eye, prepare=_square, group=GROUP,
         summary="Ones on the diagonal of an n by m matrix (m: as n), zeros elsewhere.", example="eye(2)")  # fmt: skip


def _require_scalars(name: str, operands: Sequence[Any]) -> None:
    for x in operands:
        if x.shape != ():
            raise BadArgument(f"{name}: its values are single numbers, not an array of shape {shape_text(x.shape)}")


def _stepping(name: str, operands: Sequence[Any]) -> Layout:
    """`steps` holds 0, 1, 2, ...; `begins` is 0 where the one value that is given is the end."""
    _require_scalars(name, operands)
    start, stop, step = map(float, operands)
    alone = np.isnan(stop)
    first, last = (0.0, start) if alone else (start, stop)
    steps = np.ceil((np.float64(last) - first) / step)
    if step == 0 or not np.isfinite([first, last, step, steps]).all():
        raise BadArgument(f"{name}: from {first:g} to {last:g} by {step:g} are not a number of steps")
    count = max(int(steps), 0)
    require(name, (count,))
    return Layout((count,), {"steps": np.arange(count, dtype=np.float64), "begins": 0.0 if alone else 1.0}, ((1,),) * 3)


def _arange(start: Any, stop: Any, step: Any, *, steps: Any, begins: float) -> Any:
    return (start if begins else 0.0) + step * steps


linear(
    "arange", "start, stop = None or nan, step = None or 1", _arange,
    lambda xp, g, *, steps, begins: g * begins, 0, lambda xp, g, *, steps, begins: g * steps,
    prepare=_stepping, by_values=True, group=GROUP,
    summary="Numbers from start (or 0) to stop, without stop, in steps.",
    example="arange(0, 1, 0.25)", edge="the gradient goes to start and step; that of stop is 0",
)  # fmt: skip


def _spacing(name: str, operands: Sequence[Any], num: int) -> Layout:
    _require_scalars(name, operands)
    layouts.sizes(name, (num,))
    require(name, (num,))
    return Layout((num,), {"parts": np.linspace(0.0, 1.0, num)}, ((1,), (1,)))


def _linspace(start: Any, stop: Any, *, parts: Any) -> Any:
    return np.linspace(start[..., 0], stop[..., 0], parts.size, axis=-1)


linear(
    "linspace", "start, stop, num: integer = 50", _linspace,
    lambda xp, g, *, parts: xp.chosen(g, 1.0 - parts),
    lambda xp, g, *, parts: xp.chosen(g, parts),
    prepare=_spacing, group=GROUP, summary="num numbers from start to stop, evenly spaced, both included.",
    example="linspace(0, 1, 5)",
)  # fmt: skip

# What follows asks for a shape or copies a value: no derivative flows through it.

constant("zeros_like", "x", np.zeros_like, shape_only=True, group=GROUP, summary="Zeros in the shape of x.",
         example="zeros_like([1, 2])")  # fmt: skip
constant("ones_like", "x", np.ones_like, shape_only=True, group=GROUP, summary="Ones in the shape of x.",
         example="ones_like([1, 2])")  # fmt: skip
constant("detach", "x", np.array, masks=True, aliases=("stop_gradient",), group=GROUP,
         summary="The value of x as a constant: no gradient flows through it.", example="detach([1, 2])")  # fmt: skip


_FACT: dict[str, Any] = {
    "shape_only": True, "masks": True, "group": GROUP, "prepare": lambda name, operands: Layout(None),
}  # fmt: skip


constant("shape", "x", lambda x: np.array(x.shape, dtype=np.float64), **_FACT, summary="Sizes of the axes of x.",
         example="shape([[1, 2, 3], [4, 5, 6]])")  # fmt: skip
constant("size", "x", lambda x: np.float64(x.size), **_FACT, summary="Number of elements of x.",
         example="size([[1, 2, 3], [4, 5, 6]])")  # fmt: skip
constant("ndim", "x", lambda x: np.float64(x.ndim), **_FACT, summary="Number of axes of x.",
         example="ndim([[1, 2, 3], [4, 5, 6]])")  # fmt: skip
