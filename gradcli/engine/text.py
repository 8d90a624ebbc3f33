"""How tensors are printed: whole numbers as `2.`, others with four digits, by exponents where sizes differ much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.results import Array

DIGITS = 4
_WIDEST_RATIO, _LARGEST, _SMALLEST = 1e3, 1e8, 1e-4


def array_text(array: Array) -> str:
    """`array` as it stands within `tensor(...)`."""
    if array.dtype == bool:
        return np.array2string(array, separator=", ", prefix="tensor(")
    one = _number_style(array)
    width = max((len(one(x)) for x in array.flat), default=0) if array.ndim else 0
    style: Any = {"float_kind": lambda x: one(x).rjust(width)}
    return np.array2string(array, separator=", ", prefix="tensor(", formatter=style)


def _number_style(array: Array) -> Callable[[float], str]:
    """One spelling for all elements, chosen by the finite ones that are not 0."""
    sizes = np.abs(array[np.isfinite(array) & (array != 0)])
    largest, smallest = (sizes.max(), sizes.min()) if sizes.size else (1.0, 1.0)
    whole = bool(np.all(sizes == np.round(sizes)))
    by_exponent = largest > _WIDEST_RATIO * smallest or largest > _LARGEST or (not whole and smallest < _SMALLEST)

    def spelled(x: float) -> str:
        if not np.isfinite(x):
            return f"{x}"
        if by_exponent:
            return f"{x:.{DIGITS}e}"
        return f"{x:.0f}." if whole else f"{x:.{DIGITS}f}"

    return spelled
