"""Linear algebra. Products see matrices only; vectors get their axis in the layout."""

from __future__ import annotations

import numpy as np

from gradcli.primitives import layouts
from gradcli.primitives.table import bilinear

GROUP = "linear algebra"


def _swap(xp, x):  # type: ignore[no-untyped-def]
    return xp.transpose(x, axes=(-1, -2))


def _left(xp, g, _out, _a, b):  # type: ignore[no-untyped-def]
    return g @ _swap(xp, b)


def _right(xp, g, _out, a, _b):  # type: ignore[no-untyped-def]
    return _swap(xp, a) @ g


bilinear("matmul", "a, b", np.matmul, _left, _right, prepare=layouts.matrix_product, operator="@", group=GROUP,
         summary="Matrix product; vectors count as rows on the left and columns on the right.",
         example="matmul([[1, 2], [3, 4]], [1, 1])")  # fmt: skip
