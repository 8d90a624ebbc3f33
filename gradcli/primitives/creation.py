"""Constructors of arrays, and what only asks for a shape. Every value argument is differentiable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.primitives import layouts
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
    return np.eye(*shape)


constant("eye", "n: integer, m: integer = None", _eye, prepare=_square, group=GROUP,
         summary="Ones on the diagonal of an n by m matrix (m: as n), zeros elsewhere.", example="eye(2)")  # fmt: skip
